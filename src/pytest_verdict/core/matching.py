"""Pairing the members of two groups: as many pairs as possible, or pairs at the lowest total cost.

Both functions are pure and deterministic: among equally good pairings the same one is found in every process. Neither recurses,
so the size of a group is limited by time alone.
"""

from collections.abc import Iterator, Sequence

_Candidates = Sequence[Sequence[int]]
_Partners = list[int | None]


def maximum_matching(candidates: Sequence[Sequence[int]], size: int) -> list[int | None]:
    """Pair as many left members as possible with right members of their own.

    The algorithm is that of Hopcroft and Karp (1973); its time grows with the number of candidates times the square
    root of the number of members.
    """
    partners: list[int | None] = [None] * len(candidates)
    owners: list[int | None] = [None] * size
    _pair_greedily(candidates, partners, owners)
    while (levels := _levels(candidates, partners, owners)) is not None:
        remaining = [iter(choices) for choices in candidates]
        for left, partner in enumerate(partners):
            if partner is None:
                _extend(left, remaining, levels, partners, owners)
    return partners


def _pair_greedily(candidates: _Candidates, partners: _Partners, owners: _Partners) -> None:
    for left, choices in enumerate(candidates):
        for right in choices:
            if owners[right] is None:
                partners[left], owners[right] = right, left
                break


def _levels(candidates: _Candidates, partners: _Partners, owners: _Partners) -> list[int] | None:
    # How many pairs must give way before a left member is reached from an unpaired one; None when no pair can be gained.
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
                for left, taken in zip(path, [*chosen, right], strict=True):
                    partners[left], owners[taken] = taken, left
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
    """Pair rows with columns so that the sum of the costs of the pairs is the lowest possible.

    The Hungarian method in the form of Jonker and Volgenant (1987): shortest augmenting paths with potentials. Its time
    grows with the square of the shorter side times the longer side.
    """
    if not cost or not cost[0]:
        return [None] * len(cost)
    if len(cost) <= len(cost[0]):
        return list(_assign_rows(cost))
    found: list[int | None] = [None] * len(cost)
    for column, row in enumerate(_assign_rows(list(zip(*cost, strict=True)))):
        found[row] = column
    return found


def _assign_rows(cost: Sequence[Sequence[int]]) -> list[int]:
    columns = len(cost[0])
    row_potential = [0] * len(cost)
    # The last column is a place to start from: it belongs to the row that is being added.
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
            known = shortest[column]
            if known is None or reduced < known:
                shortest[column] = known = reduced
                previous[column] = current
            # Among equals a free column ends the search; without this, a thousand equal rows would each walk past all before.
            if step is None or known < step or (known == step and owners[column] < 0 <= owners[following]):
                step = known
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
