"""Pairing the members of two groups: as many pairs as possible, or pairs with the lowest total cost.

Both functions are deterministic, and neither is recursive, so only time limits the size of a group.
"""

from collections.abc import Iterator, Sequence

_Candidates = Sequence[Sequence[int]]
_Partners = list[int | None]


def maximum_matching(candidates: Sequence[Sequence[int]], size: int) -> list[int | None]:
    """Pair as many left members as possible, each with one of its candidates on the right (Hopcroft and Karp 1973)."""
    partners: list[int | None] = [None] * len(candidates)
    owners: list[int | None] = [None] * size
    for left, choices in enumerate(candidates):
        free = next((right for right in choices if owners[right] is None), None)
        if free is not None:
            partners[left] = free
            owners[free] = left
    while (levels := _levels(candidates, partners, owners)) is not None:
        remaining = [iter(choices) for choices in candidates]
        for left, partner in enumerate(partners):
            if partner is None:
                _extend(left, remaining, levels, partners, owners)
    return partners


def _levels(candidates: _Candidates, partners: _Partners, owners: _Partners) -> list[int] | None:
    # The number of pairs that must change to reach a left member from an unpaired one; None if no pair can be gained.
    levels = [0 if partner is None else -1 for partner in partners]
    queue = [left for left, partner in enumerate(partners) if partner is None]
    gain = False
    for left in queue:
        for right in candidates[left]:
            owner = owners[right]
            if owner is None:
                gain = True
            elif levels[owner] < 0:
                levels[owner] = levels[left] + 1
                queue.append(owner)
    return levels if gain else None


def _extend(
    start: int, remaining: list[Iterator[int]], levels: list[int], partners: _Partners, owners: _Partners
) -> None:
    path = [start]
    chosen: list[int] = []
    while path:
        for right in remaining[path[-1]]:
            owner = owners[right]
            if owner is None:
                for left, partner in zip(path, [*chosen, right], strict=True):
                    partners[left] = partner
                    owners[partner] = left
                return
            if levels[owner] == levels[path[-1]] + 1:
                path.append(owner)
                chosen.append(right)
                break
        else:
            path.pop()
            if chosen:
                chosen.pop()


def optimal_assignment(cost: Sequence[Sequence[int]]) -> list[int | None]:
    """Pair rows with columns at the lowest total cost: the Hungarian method in the form of Jonker and Volgenant (1987)."""
    if not cost or not cost[0]:
        return [None] * len(cost)
    if len(cost) <= len(cost[0]):
        return list(_assign_rows(cost))
    assigned: list[int | None] = [None] * len(cost)
    for column, row in enumerate(_assign_rows(list(zip(*cost, strict=True)))):
        assigned[row] = column
    return assigned


def _assign_rows(cost: Sequence[Sequence[int]]) -> list[int]:
    columns = len(cost[0])
    row_potential = [0] * len(cost)
    # The last column is a dummy that belongs to the row that is added.
    column_potential = [0] * (columns + 1)
    owners: list[int] = [-1] * (columns + 1)
    for row in range(len(cost)):
        owners[columns] = row
        _add_row(cost, row_potential, column_potential, owners)
    assigned = [0] * len(cost)
    for column in range(columns):
        if owners[column] >= 0:
            assigned[owners[column]] = column
    return assigned


def _add_row(
    cost: Sequence[Sequence[int]], row_potential: list[int], column_potential: list[int], owners: list[int]
) -> None:
    columns = len(column_potential) - 1
    open_columns = list(range(columns))
    shortest: list[int | None] = [None] * columns
    previous = [columns] * columns
    reached: list[int] = []
    current = columns
    while owners[current] >= 0:
        reached.append(current)
        row = owners[current]
        costs = cost[row]
        base = row_potential[row]
        step: int | None = None
        following = current
        for column in open_columns:
            reduced = costs[column] - base - column_potential[column]
            distance = shortest[column]
            if distance is None or reduced < distance:
                shortest[column] = distance = reduced
                previous[column] = current
            # A free column ends the search, so equal rows do not visit all earlier ones.
            if step is None or distance < step or (distance == step and owners[column] < 0 <= owners[following]):
                step = distance
                following = column
        if step:
            for column in reached:
                row_potential[owners[column]] += step
                column_potential[column] -= step
            for column in open_columns:
                shortest[column] = (shortest[column] or 0) - step
        open_columns.remove(following)
        current = following
    while current != columns:
        owners[current] = owners[previous[current]]
        current = previous[current]
