"""Pairing: which expected call belongs to which observed one.

If a call is accepted or not, as many calls as possible are paired; if it counts in part, the sum of the scores is the highest
possible. Both exist with and without order.

Without order, calls that only equality accepts are counted in linear time. A tolerant rule lets one observed call match several
expected ones, and taking the first match would give wrong verdicts, so the pairing is a maximum matching. In order, calls that
match or do not are paired by `longest_common_subsequence`; scores need a table of dynamic programming, in which a pair gains its
score, and in an edit distance also the cost of its two calls without partners.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence

from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.trajectories.call_index import SCALE, CallScores, find_accepted_calls
from pytest_verdict.trajectories.call_matcher import EQUAL, Call, CallMatcher, find_calls_of_same_tool, group_by_tool

Partners = list[int | None]
"""For each expected call the position of its observed one."""

Row = tuple[int | None, int | None]
"""The positions of an expected and an observed call that belong together; None if one of them is missing."""

Scores = Callable[[int, Sequence[int]], list[int]]
"""From an expected call and several observed ones to the scores of the pairs, at most ``SCALE``."""

_Gains = Callable[[int, int, int], list[int]]

_UP, _PAIR, _LEFT = 0, 1, 2


def pair_most(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in group_by_tool(expected, observed):
        matches = _pair_one_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        for left, match in zip(lefts, matches, strict=True):
            partners[left] = None if match is None else rights[match]
    return partners


def _pair_one_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Partners:
    if all(matcher.accepts_any_args(call) for call in expected):
        return [at if at < len(observed) else None for at in range(len(expected))]
    if matcher.get_rule(expected[0].name) == EQUAL and all(call.key is not None for call in (*expected, *observed)):
        unpaired: dict[Hashable, list[int]] = {}
        for at in range(len(observed) - 1, -1, -1):
            unpaired.setdefault(observed[at].key, []).append(at)
        return [unpaired[call.key].pop() if unpaired.get(call.key) else None for call in expected]
    return maximum_matching(find_accepted_calls(expected, observed, matcher), len(observed))


def pair_most_in_order(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible without crossing."""
    return longest_common_subsequence(find_accepted_calls(expected, observed, matcher), len(observed))


def pair_best(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> Partners:
    """Pair calls so that the sum of the scores is the highest possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in group_by_tool(expected, observed):
        scores = CallScores([expected[at] for at in lefts], [observed[at] for at in rights], matcher, weigh)
        costs = [[-score for score in scores(row, range(len(rights)))] for row in range(len(lefts))]
        for row, column in enumerate(optimal_assignment(costs)):
            if column is not None and costs[row][column] < 0:
                partners[lefts[row]] = rights[column]
    return partners


def pair_best_in_order(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> Partners:
    """Pair calls without crossing so that the sum of the scores is the highest possible."""
    same_tool = find_calls_of_same_tool(expected, observed)
    gains = _build_gains(same_tool, len(observed), CallScores(expected, observed, matcher, weigh))
    _, steps = _fill_table(gains, len(expected), len(observed), band=max(len(expected), len(observed)))
    return _trace_back(steps, len(observed))


def find_competing_calls(accepted: Sequence[Sequence[int]], partners: Partners) -> tuple[list[int], list[int]] | None:
    """Return the expected calls that compete for too few observed ones, a witness of Hall's theorem (1935)."""
    owners = {right: left for left, right in enumerate(partners) if right is not None}
    groups = []
    for start, partner in enumerate(partners):
        if partner is None and accepted[start]:
            group = [start]
            members = {start}
            for left in group:
                for right in accepted[left]:
                    if owners[right] not in members:
                        members.add(owners[right])
                        group.append(owners[right])
            groups.append((len(group), sorted(group)))
    if not groups:
        return None

    _, lefts = min(groups)
    if len(lefts) <= 50:
        # Without some of them the others may compete all the same.
        for left in list(lefts):
            fewer = [other for other in lefts if other != left]
            if len(fewer) > len({right for other in fewer for right in accepted[other]}) > 0:
                lefts = fewer
    return lefts, sorted({right for left in lefts for right in accepted[left]})


def iter_rows(partners: Sequence[int | None], observed: int) -> Iterator[Row]:
    """Yield the rows of two sequences that are paired in order."""
    following = 0
    for left, right in enumerate(partners):
        if right is not None:
            yield from ((None, at) for at in range(following, right))
            following = right + 1
        yield left, right
    yield from ((None, at) for at in range(following, observed))


def longest_common_subsequence(accepted: Sequence[Sequence[int]], size: int) -> list[int | None]:
    """Pair as many expected calls as possible without crossing.

    The bit-parallel method of Crochemore and others (2001) and Hyyrö (2004): one addition of a long integer per
    expected call. Unlike the libraries for texts it needs no equality, so a call may accept any others.
    """
    full = (1 << size) - 1
    row = full
    rows = [row]
    masks: dict[int, int] = {}
    for positions in accepted:
        # Equal calls share one list of positions, and so one mask.
        if id(positions) not in masks:
            bits = bytearray(size // 8 + 1)
            for at in positions:
                bits[at >> 3] |= 1 << (at & 7)
            masks[id(positions)] = int.from_bytes(bits, "little")
        matches = row & masks[id(positions)]
        row = ((row + matches) | (row - matches)) & full
        rows.append(row)

    # A cleared bit means that the length grows there. Walking back, a call is paired where its row cleared the bit first.
    partners: list[int | None] = [None] * len(accepted)
    left = len(accepted)
    right = size
    while left and right:
        if rows[left] >> (right - 1) & 1:
            right -= 1
            continue
        left -= 1
        if rows[left] >> (right - 1) & 1:
            right -= 1
            partners[left] = right
    return partners


def edit_distance(same_tool: Sequence[Sequence[int]], observed: int, scores: Scores) -> tuple[int, list[int | None]]:
    """Pair without crossing at the lowest cost; return the cost and the partners.

    A call without a partner costs ``SCALE``, a pair ``SCALE`` times one minus its score: the distance of Needleman and
    Wunsch (1970) with substitutions weighted by their score, in the band of Ukkonen (1985). Only calls of the same tool
    have scores.
    """
    # Pairing two ends that match fully is never worse than anything else.
    shorter = min(len(same_tool), observed)
    head = 0
    while head < shorter and scores(head, [head]) == [SCALE]:
        head += 1
    tail = 0
    while tail < shorter - head and scores(len(same_tool) - 1 - tail, [observed - 1 - tail]) == [SCALE]:
        tail += 1

    height = len(same_tool) - head - tail
    width = observed - head - tail
    gains = _build_gains(same_tool, width, scores, head, unlike=SCALE)
    band = max(abs(height - width), 16)
    while True:
        gain, steps = _fill_table(gains, height, width, band)
        cost = (height + width) * SCALE - gain
        # Leaving the band takes more than `band` calls without a partner, so no cheaper alignment is outside.
        if cost <= band * SCALE or band >= max(height, width):
            break
        band *= 4
    middle = [None if at is None else head + at for at in _trace_back(steps, width)]
    return cost, [*range(head), *middle, *range(observed - tail, observed)]


def _build_gains(
    same_tool: Sequence[Sequence[int]], width: int, scores: Scores, head: int = 0, unlike: int = 0
) -> _Gains:
    """Return a function for the gains of a row between two columns; rows and columns are counted from `head`."""

    def get_gains(row: int, first: int, last: int) -> list[int]:
        gains = [unlike] * width
        positions = same_tool[head + row]
        positions = positions[bisect_left(positions, head + first) : bisect_left(positions, head + last)]
        for position, score in zip(positions, scores(head + row, positions), strict=True):
            gains[position - head] = unlike + score
        return gains

    return get_gains


def _fill_table(get_gains: _Gains, height: int, width: int, band: int) -> tuple[int, list[bytearray]]:
    """Return the highest gain of an alignment within a band, and the steps that lead to each cell."""
    outside = -2 * SCALE * (height + width + 1)
    previous = [0 if column <= band else outside for column in range(width + 1)]
    steps = []
    for row in range(height):
        first = max(0, row - band)
        last = min(width, row + 1 + band)
        current = [outside] * (width + 1)
        current[0] = 0 if row < band else outside
        row_steps = bytearray(width + 1)
        best = current[first]
        corner = previous[first]
        for column, gain in enumerate(get_gains(row, first, last)[first:last], first + 1):
            left = best
            above = previous[column]
            best = above
            # A pair without a gain is no pair.
            if gain and corner + gain >= best:
                best = corner + gain
                row_steps[column] = _PAIR
            if left > best:
                best = left
                row_steps[column] = _LEFT
            current[column] = best
            corner = above
        previous = current
        steps.append(row_steps)
    return previous[width], steps


def _trace_back(steps: Sequence[bytearray], width: int) -> list[int | None]:
    row = len(steps)
    column = width
    partners: list[int | None] = [None] * row
    while row and column:
        step = steps[row - 1][column]
        if step != _LEFT:
            row -= 1
        if step != _UP:
            column -= 1
        if step == _PAIR:
            partners[row] = column
    return partners
