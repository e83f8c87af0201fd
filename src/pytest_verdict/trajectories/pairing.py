"""Pairing: which expected call belongs to which observed one.

As many pairs as possible where a call is accepted or not, the highest sum of scores where it counts in part; with order and
without. Without order, calls that are accepted by equality alone are counted, which takes linear time. As soon as a rule is
tolerant, one observed call may serve several expected ones, and taking the first that fits gives wrong verdicts; then the pairing
is a maximum matching. In order, `longest_common_subsequence` serves where two calls match or do not; `best_in_order` and
`edit_distance` are one table of dynamic programming: a pair gains its score, and in an edit distance also what its calls would
have cost alone.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence

from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.trajectories.argument_rules import EQUAL
from pytest_verdict.trajectories.call_index import SCALE, CallScores, accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, calls_of_each_tool, calls_of_same_tool

Partners = list[int | None]
"""For each expected call the position of its observed one."""

Worth = Callable[[float], float]
"""What a score counts."""


def pair_most(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in calls_of_each_tool(expected, observed):
        found = _pair_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        for left, right in zip(lefts, found, strict=True):
            partners[left] = None if right is None else rights[right]
    return partners


def _pair_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Partners:
    if all(matcher.demands_nothing(call) for call in expected):
        return [at if at < len(observed) else None for at in range(len(expected))]
    if matcher.rule(expected[0].name) == EQUAL and all(call.key is not None for call in (*expected, *observed)):
        waiting: dict[Hashable, list[int]] = {}
        for at in range(len(observed) - 1, -1, -1):
            waiting.setdefault(observed[at].key, []).append(at)
        return [waiting[call.key].pop() if waiting.get(call.key) else None for call in expected]
    return maximum_matching(accepted_calls(expected, observed, matcher), len(observed))


def pair_most_in_order(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible without crossing."""
    return longest_common_subsequence(accepted_calls(expected, observed, matcher), len(observed))


def pair_best(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, worth: Worth = float
) -> Partners:
    """Pair so that the sum of the scores is the highest possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in calls_of_each_tool(expected, observed):
        chosen = CallScores([expected[at] for at in lefts], [observed[at] for at in rights], matcher, worth)
        costs = [[-one for one in chosen(row, range(len(rights)))] for row in range(len(lefts))]
        for row, column in enumerate(optimal_assignment(costs)):
            if column is not None and costs[row][column] < 0:
                partners[lefts[row]] = rights[column]
    return partners


def pair_best_in_order(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, worth: Worth = float
) -> Partners:
    """Pair without crossing so that the sum of the scores is the highest possible."""
    near = calls_of_same_tool(expected, observed)
    return best_in_order(near, len(observed), CallScores(expected, observed, matcher, worth))


def competing_calls(accepted: Sequence[Sequence[int]], partners: Partners) -> tuple[list[int], list[int]] | None:
    """Find the expected calls that compete for too few observed ones, a witness of Hall's theorem (1935)."""
    owners = {right: left for left, right in enumerate(partners) if right is not None}
    found = []
    for start, partner in enumerate(partners):
        if partner is None and accepted[start]:
            lefts = _reachable(start, accepted, owners)
            found.append((len(lefts), lefts))
    if not found:
        return None
    lefts = _without_bystanders(min(found)[1], accepted)
    return lefts, sorted({right for left in lefts for right in accepted[left]})


def _reachable(start: int, accepted: Sequence[Sequence[int]], owners: dict[int, int]) -> list[int]:
    seen = {start}
    queue = [start]
    for left in queue:
        for right in accepted[left]:
            owner = owners[right]
            if owner not in seen:
                seen.add(owner)
                queue.append(owner)
    return sorted(seen)


def _without_bystanders(lefts: list[int], accepted: Sequence[Sequence[int]]) -> list[int]:
    if len(lefts) > 50:
        return lefts
    for left in list(lefts):
        fewer = [other for other in lefts if other != left]
        if len(fewer) > len({right for other in fewer for right in accepted[other]}) > 0:
            lefts = fewer
    return lefts


Row = tuple[int | None, int | None]
"""Positions of an expected and an observed call that belong together; None on the side that has nothing."""

Scores = Callable[[int, Sequence[int]], list[int]]
"""From an expected call and several observed ones to how well each pair matches, ``SCALE`` at most."""

_Gains = Callable[[int, int, int], list[int]]

_UP, _PAIR, _LEFT = 0, 1, 2


def side_by_side(partners: Sequence[int | None], observed: int) -> Iterator[Row]:
    """Give the rows of two sequences that are paired in order."""
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
    expected call. It uses nothing of equality, so a call may accept any others.
    """
    full = (1 << size) - 1
    row = full
    rows = [row]
    masks: dict[int, int] = {}
    for choices in accepted:
        # Equal calls share one list of choices, and so one mask.
        mask = masks.get(id(choices))
        if mask is None:
            mask = masks[id(choices)] = _mask(choices, size)
        gained = row & mask
        row = ((row + gained) | (row - gained)) & full
        rows.append(row)
    return _walk_bits(rows, len(accepted), size)


def _mask(positions: Sequence[int], size: int) -> int:
    written = bytearray(size // 8 + 1)
    for at in positions:
        written[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(written, "little")


def _walk_bits(rows: list[int], expected: int, observed: int) -> list[int | None]:
    # A cleared bit says that the length grows there. Walking back, a call is paired where its row cleared the bit first.
    found: list[int | None] = [None] * expected
    while expected and observed:
        if rows[expected] >> (observed - 1) & 1:
            observed -= 1
            continue
        expected -= 1
        if rows[expected] >> (observed - 1) & 1:
            observed -= 1
            found[expected] = observed
    return found


def best_in_order(near: Sequence[Sequence[int]], observed: int, scores: Scores) -> list[int | None]:
    """Pair without crossing so that the sum of the scores is the highest possible; only calls that are near have one."""
    _, steps = _fill(_gains_of(near, observed, scores), len(near), observed, band=max(len(near), observed))
    return _walk(steps, observed)


def edit_distance(near: Sequence[Sequence[int]], observed: int, scores: Scores) -> tuple[int, list[int | None]]:
    """Pair without crossing at the lowest cost, and give that cost.

    A call without a partner costs ``SCALE``, a pair ``SCALE`` times one minus its score: the distance of Needleman and
    Wunsch (1970) with substitutions weighted by their score, in the band of Ukkonen (1985).
    """
    head, tail = _equal_ends(len(near), observed, scores)
    expected, width = len(near) - head - tail, observed - head - tail
    gains = _gains_of(near, width, scores, head, unlike=SCALE)
    band = max(abs(expected - width), 16)
    while True:
        gain, steps = _fill(gains, expected, width, band)
        cost = (expected + width) * SCALE - gain
        # Leaving the band takes more than `band` calls without a partner, so a cheaper alignment cannot lie outside.
        if cost <= band * SCALE or band >= max(expected, width):
            break
        band *= 4
    middle = (None if at is None else head + at for at in _walk(steps, width))
    return cost, [*range(head), *middle, *range(observed - tail, observed)]


def _equal_ends(expected: int, observed: int, scores: Scores) -> tuple[int, int]:
    # Pairing two ends that match fully is never worse than anything else that can be done with them.
    shorter = min(expected, observed)
    head = next((at for at in range(shorter) if scores(at, [at]) != [SCALE]), shorter)
    rest = shorter - head
    tails = (at for at in range(rest) if scores(expected - 1 - at, [observed - 1 - at]) != [SCALE])
    return head, next(tails, rest)


def _gains_of(near: Sequence[Sequence[int]], observed: int, scores: Scores, head: int = 0, unlike: int = 0) -> _Gains:
    """Give what the pairs of a row gain, from one column up to another; rows and columns are counted from `head`."""

    def gains(row: int, first: int, last: int) -> list[int]:
        found = [unlike] * observed
        own = near[head + row]
        places = own[bisect_left(own, head + first) : bisect_left(own, head + last)]
        for place, gain in zip(places, scores(head + row, places), strict=True):
            found[place - head] = unlike + gain
        return found

    return gains


def _fill(gains: _Gains, expected: int, observed: int, band: int) -> tuple[int, list[bytearray]]:
    outside = -2 * SCALE * (expected + observed + 1)
    before = [0 if column <= band else outside for column in range(observed + 1)]
    steps = []
    for row in range(expected):
        first, last = max(0, row - band), min(observed, row + 1 + band)
        current = [outside] * (observed + 1)
        current[0] = 0 if row < band else outside
        chosen = bytearray(observed + 1)
        pairs = gains(row, first, last)
        best, corner = current[first], before[first]
        for column, gain in enumerate(pairs[first:last], first + 1):
            beside = best
            above = best = before[column]
            # A pair that gains nothing is none.
            if gain and corner + gain >= best:
                best = corner + gain
                chosen[column] = _PAIR
            if beside > best:
                best = beside
                chosen[column] = _LEFT
            current[column] = best
            corner = above
        before = current
        steps.append(chosen)
    return before[observed], steps


def _walk(steps: Sequence[bytearray], observed: int) -> list[int | None]:
    expected = len(steps)
    found: list[int | None] = [None] * expected
    while expected and observed:
        step = steps[expected - 1][observed]
        expected -= step != _LEFT
        observed -= step != _UP
        if step == _PAIR:
            found[expected] = observed
    return found
