"""The operator on step lists: where each step can end, given where it begins; and which call belongs where if it does not match.

With extras allowed only the earliest end of each step counts: whatever a later end allows, the earliest allows too, and optional
calls need not be looked at. With extras forbidden every observed call must have its place, and one step may end at several
places; the set of reachable places is carried from step to step, which is dynamic programming and never guesses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.call_index import accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import aligned, call_as_json, listed, unexpected
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.pairing import longest_common_subsequence, side_by_side
from pytest_verdict.trajectories.selection import Selected, UnusableError, joined_sides
from pytest_verdict.trajectories.step_list import ONE_OF, Step, Times, read_steps
from pytest_verdict.trajectories.trajectory_operator import EMPTY_EXPECTED, UNREADABLE, TrajectoryOperator, read_side


class TrajectorySteps(TrajectoryOperator):
    """The steps occur one after the other; the calls of one step in any order.

    Expected is a list of steps. A step is one call or a list of calls; ``{"one_of": [...]}`` is whichever of its calls is made. A
    call, or a step written as ``{"any_order": [...]}``, may be ``"optional": true`` or ``"repeat": {"min": 1, "max": 3}``;
    ``max`` left out is no limit. Where expected is a recorded trajectory, calls that were made together are one step.

    Args:
        extras: Whether other calls may lie before, between and after. With ``allow`` a call beyond ``max`` is such a call.

    Example:
        >>> steps = ["login", ["search", "weather"], {"name": "retry", "optional": True}, "book"]
        >>> compare("trajectory_steps", steps, ["login", "weather", "search", "book"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_steps"

    extras: Literal["allow", "forbid"] = "allow"

    def _read_expected(self, expected: Any, matcher: CallMatcher) -> tuple[Selected, list[Any]]:
        if self.turns == "flatten":
            raise UnusableError(UNREADABLE, "step lists cannot be flattened: write the steps of all turns as one list")
        selection = self._expected_selection()
        sides: list[Selected] = []

        def prepare(event: Event) -> Call | None:
            sides.append(selection.of([event]))
            return next((matcher.call(event, name) for event, name in sides[-1].events), None)

        steps = read_side("expected", read_steps, expected, self.expected_format, prepare)
        return joined_sides(sides), steps

    def _compare_calls(self, expected: list[Step], observed: list[Call], matcher: CallMatcher) -> Outcome:
        step_matcher = StepMatcher(expected, observed, matcher)
        find = _in_between if self.extras == "allow" else _without_gaps
        found = find(expected, step_matcher, observed)
        if found.score < 1.0:
            found = found.replace(details={**(found.details or {}), **(step_matcher.aligned(self.extras) or {})})
        if found.score == 1.0 and self.extras == "allow" and not any(_needed(step) for step in expected):
            found = Outcome(1.0, notes=(EMPTY_EXPECTED,), details=found.details)
        return found

    def _completed(self, found: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        all_choices = [choices for step in expected for choices, _ in step.calls]
        counted = found.replace(details={"expected_calls": len(all_choices), **(found.details or {})})
        return super()._completed(counted, [call for choices in all_choices for call in choices], observed, matcher)


def _needed(step: Step) -> bool:
    return step.times.least > 0 and any(times.least > 0 for _, times in step.calls)


def _in_between(steps: list[Step], matcher: StepMatcher, _observed: list[Call]) -> Outcome:
    start = 0
    places: list[list[int]] = []
    for step in steps:
        found = matcher.earliest(step, start)
        if found is None:
            return _failed(step, start, {"steps": places})
        places.append(found)
        start = found[-1] + 1 if found else start
    return Outcome(1.0, details={"steps": places})


def _without_gaps(steps: list[Step], matcher: StepMatcher, observed: list[Call]) -> Outcome:
    places = {0}
    for step in steps:
        following = matcher.ends(step, places)
        if not following:
            return _failed(step, max(places), {})
        places = following
    if len(observed) in places:
        return Outcome(1.0)
    extra = max(places)
    differences = [unexpected(at, observed[at]) for at in range(extra, len(observed))]
    return Outcome(0.0, details={"first_divergence": extra, **listed(differences)})


def _choices_as_json(choices: tuple[Call, ...]) -> dict[str, Any]:
    written = [call_as_json(call) for call in choices]
    return written[0] if len(written) == 1 else {ONE_OF: written}


def _failed(step: Step, start: int, details: dict[str, Any]) -> Outcome:
    wanted = [_choices_as_json(choices) for choices, times in step.calls if times.least > 0]
    difference = {"path": f"$[{step.place}]", "kind": "missing", "expected": wanted}
    more = {"first_divergence": step.place, "observed_from": start, **listed([difference])}
    return Outcome(0.0, details={**details, **more})


_MOST_PAIRS: Final = 100_000


class _Slot(NamedTuple):
    """Room for one observed call in a step."""

    choices: tuple[Call, ...]
    accepted: Sequence[int]
    required: bool


class StepMatcher:
    """Finds where the steps of a list can end in one trajectory."""

    def __init__(self, steps: Sequence[Step], observed: Sequence[Call], matcher: CallMatcher) -> None:
        self._steps, self._observed, self._matcher = steps, observed, matcher
        self._size = len(observed)
        calls = [call for step in steps for choices, _ in step.calls for call in choices]
        accepted = iter(accepted_calls(calls, observed, matcher))
        self._accepted = {
            step.place: [_union([next(accepted) for _ in choices]) for choices, _ in step.calls] for step in steps
        }

    def earliest(self, step: Step, start: int) -> list[int] | None:
        """Find the observed calls that a step needs, ending as early as possible."""
        needed = self._needed(step)
        places: list[int] = []
        for _ in range(step.times.least):
            found = self._earliest_once(needed, start)
            if found is None:
                return None
            places += found
            start = found[-1] + 1 if found else start
        return places

    def _needed(self, step: Step) -> list[list[int]]:
        calls = zip(self._accepted[step.place], step.calls, strict=True)
        return [choices for choices, (_, times) in calls for _ in range(times.least)]

    def _earliest_once(self, needed: list[list[int]], start: int) -> list[int] | None:
        if len(needed) == 1:
            at = bisect_left(needed[0], start)
            return [needed[0][at]] if at < len(needed[0]) else None
        return _all_matched(needed, start, _first(needed, start, self._size))

    def ends(self, step: Step, starts: set[int]) -> set[int]:
        """Find where a step can end when every observed call must have its place."""
        known: dict[int, set[int]] = {}
        reached = set(starts) if step.times.least == 0 else set()
        current = starts
        # Every further repetition takes at least one call, or changes nothing.
        most = step.times.least + self._size
        for count in range(1, min(most, step.times.most or most) + 1):
            for start in current - known.keys():
                known[start] = self._ends_once(step, start)
            current = set().union(*(known[start] for start in current))
            if not current or (count > step.times.least and current <= reached):
                break
            if count >= step.times.least:
                reached |= current
        return reached

    def _ends_once(self, step: Step, start: int) -> set[int]:
        accepted = self._accepted[step.place]
        all_times = [times for _, times in step.calls]
        if len(accepted) == 1:
            return _ends_of_one(accepted[0], all_times[0], start)
        # A longer stretch never loses what is needed, and never gains a place for a call that has none. By Mendelsohn and
        # Dulmage (1958) both sides can be met together when each can be met alone.
        first = _first(self._needed(step), start, self._size)
        ends = range(start, self._size + 1)
        last = bisect_left(ends, 1, key=lambda end: not _all_placed(accepted, all_times, start, end))
        return set(range(first, start + last))

    def aligned(self, extras: str) -> dict[str, Any] | None:
        """Write where the calls of steps were made and what differs, as far as single calls tell it."""
        slots = [list(self._slots(step)) for step in self._steps]
        if sum(map(len, slots)) * self._size > _MOST_PAIRS:
            return None
        calls: list[Call] = []
        places: list[int] = []
        partners: list[int | None] = []
        start = 0
        for step, own, end in zip(self._steps, slots, _ends(slots, self._size), strict=True):
            for at, slot in _filled(own, self._observed, start, end):
                start = start if at is None else at + 1
                partners.append(at)
                calls.append(self._chosen(slot, at))
                places.append(step.place)
        rows = side_by_side(partners, self._size)
        details = aligned(rows, calls, self._observed, self._matcher, extras, places)
        return details if details["differences"] else None

    def _chosen(self, slot: _Slot, at: int | None) -> Call:
        if at is None or len(slot.choices) == 1:
            return slot.choices[0]
        made = self._observed[at]
        return max(slot.choices, key=lambda call: (call.name == made.name, self._matcher.score(call, made)))

    def _slots(self, step: Step) -> Iterator[_Slot]:
        """Give the slots of a step, those that must be filled first."""
        calls = list(zip(step.calls, self._accepted[step.place], strict=True))
        for (choices, times), accepted in calls:
            yield from [_Slot(choices, accepted, required=True)] * (times.least * step.times.least)
        repeats = self._most(step.times)
        for (choices, times), accepted in calls:
            more = self._most(times) * repeats - times.least * step.times.least
            yield from [_Slot(choices, accepted, required=False)] * more

    def _most(self, times: Times) -> int:
        # More calls than were made find no place.
        return max(times.least, self._size if times.most is None else min(times.most, self._size))


def _union(accepted: list[list[int]]) -> list[int]:
    return accepted[0] if len(accepted) == 1 else sorted(set().union(*accepted))


def _ends_of_one(accepted: list[int], times: Times, start: int) -> set[int]:
    found = {start} if times.least == 0 else set()
    at = bisect_left(accepted, start)
    length = 0
    while (times.most is None or length < times.most) and at < len(accepted) and accepted[at] == start + length:
        length += 1
        at += 1
        if length >= times.least:
            found.add(start + length)
    return found


def _first(needed: list[list[int]], start: int, size: int) -> int:
    """Find the earliest end of a stretch in which all that is needed has a place of its own."""
    ends = range(start, size + 1)
    return start + bisect_left(ends, 1, key=lambda end: _all_matched(needed, start, end) is not None)


def _all_matched(needed: list[list[int]], start: int, end: int) -> list[int] | None:
    choices = [_between(accepted, start, end) for accepted in needed]
    if end - start < len(needed) or not all(choices):
        return None if needed else []
    found = _matched(choices, start, end)
    return found if len(found) == len(needed) else None


def _all_placed(accepted: list[list[int]], all_times: list[Times], start: int, end: int) -> bool:
    length = end - start
    offered = [
        _between(choices, start, end)
        for choices, times in zip(accepted, all_times, strict=True)
        for _ in range(length if times.most is None else min(times.most, length))
    ]
    return len(offered) >= length and len(_matched(offered, start, end)) == length


def _matched(choices: list[list[int]], start: int, end: int) -> list[int]:
    partners = maximum_matching([[at - start for at in own] for own in choices], end - start)
    return sorted(start + at for at in partners if at is not None)


def _between(positions: list[int], start: int, end: int) -> list[int]:
    return positions[bisect_left(positions, start) : bisect_left(positions, end)]


def _ends(slots: Sequence[Sequence[_Slot]], size: int) -> list[int]:
    """Find for each step where the next one that is there begins, so that as many slots as possible are filled."""
    # Inside a step any call may come first, so each of its slots takes what any of them takes.
    unions = [sorted(set().union(*(slot.accepted for slot in own))) for own in slots]
    partners = longest_common_subsequence([union for own, union in zip(slots, unions, strict=True) for _ in own], size)
    ends: list[int] = []
    for own in reversed(slots):
        ends.append(size)
        filled = [at for at in partners[len(partners) - len(own) :] if at is not None]
        del partners[len(partners) - len(own) :]
        size = min(filled, default=size)
    return ends[::-1]


def _filled(slots: Sequence[_Slot], observed: Sequence[Call], start: int, end: int) -> list[tuple[int | None, _Slot]]:
    """Fill the slots of a step from a stretch of observed calls; behind them, what is empty and must not be."""
    filled: dict[int, _Slot] = {}
    missing: list[_Slot] = []
    for required in (True, False):
        own = [slot for slot in slots if slot.required is required]
        choices = [[at - start for at in slot.accepted if start <= at < end and at not in filled] for slot in own]
        found = maximum_matching(choices, max(end - start, 0))
        filled |= {start + at: slot for at, slot in zip(found, own, strict=True) if at is not None}
        missing += [slot for at, slot in zip(found, own, strict=True) if at is None and required]
    left_over = []
    for slot in missing:
        # A call of the right tool is the nearest there is.
        names = {call.name for call in slot.choices}
        places = (at for at in range(start, end) if at not in filled and observed[at].name in names)
        at = next(places, None)
        if at is None:
            left_over.append((at, slot))
        else:
            filled[at] = slot
    return [*((at, filled[at]) for at in sorted(filled)), *left_over]
