"""Pairing the members of two groups: as many pairs as possible, or pairs with the lowest total cost.

Both functions are deterministic, and neither is recursive, so only time limits the size of a group.
"""

from collections.abc import Sequence


def maximum_matching(candidates: Sequence[Sequence[int]], size: int) -> list[int | None]:
    """Pair as many left members as possible, each with one of its candidates on the right, by augmenting paths."""
    partners: list[int | None] = [None] * len(candidates)
    owners: list[int | None] = [None] * size
    for left, choices in enumerate(candidates):
        free = next((right for right in choices if owners[right] is None), None)
        if free is not None:
            partners[left] = free
            owners[free] = left

    # What a search without success has reached leads to no free member in any later search.
    exhausted: set[int] = set()
    for left in [left for left, partner in enumerate(partners) if partner is None]:
        reached_from: dict[int, int] = {}
        queue = [left]
        free = None
        while queue and free is None:
            current = queue.pop(0)
            for right in candidates[current]:
                if right in reached_from or right in exhausted:
                    continue
                reached_from[right] = current
                owner = owners[right]
                if owner is None:
                    free = right
                    break
                queue.append(owner)
        if free is None:
            exhausted.update(reached_from)
        while free is not None:
            current = reached_from[free]
            following = partners[current]
            partners[current] = free
            owners[free] = current
            free = following
    return partners


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
    for added in range(len(cost)):
        owners[columns] = added
        open_columns = list(range(columns))
        shortest: list[int | None] = [None] * columns
        previous = [columns] * columns
        reached: list[int] = []
        current = columns
        while owners[current] >= 0:
            reached.append(current)
            row = owners[current]
            step: int | None = None
            following = current
            for column in open_columns:
                reduced = cost[row][column] - row_potential[row] - column_potential[column]
                distance = shortest[column]
                if distance is None or reduced < distance:
                    shortest[column] = distance = reduced
                    previous[column] = current
                # A free column ends the search, so equal rows do not visit all earlier ones.
                if step is None or distance < step or (distance == step and owners[column] < 0 <= owners[following]):
                    step = distance
                    following = column
            for column in reached:
                row_potential[owners[column]] += step or 0
                column_potential[column] -= step or 0
            for column in open_columns:
                shortest[column] = (shortest[column] or 0) - (step or 0)
            open_columns.remove(following)
            current = following
        while current != columns:
            owners[current] = owners[previous[current]]
            current = previous[current]
    return [owners.index(row) for row in range(len(cost))]
