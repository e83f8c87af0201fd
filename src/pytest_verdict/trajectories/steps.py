"""The operator on step lists: where each step can end, depending on where it begins, and which call belongs to which step.

If extras are allowed, only the earliest end of each step counts: any match after a later end exists after the earliest one,
and optional calls can be ignored. If extras are forbidden, every observed call must have its place and a step may end at several
places; dynamic programming carries the set of reachable places from step to step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.call_index import find_accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import align, format_call, format_unexpected, list_differences
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.pairing import iter_rows, longest_common_subsequence
from pytest_verdict.trajectories.selection import Selected, UnusableError, join_sides
from pytest_verdict.trajectories.step_list import ONE_OF, Step, StepCall, Times, read_steps
from pytest_verdict.trajectories.trajectory_operator import (
    EMPTY_EXPECTED,
    UNREADABLE,
    ExpectedSide,
    TrajectoryOperator,
    read_side,
)

_MOST_PAIRS: Final = 100_000


class TrajectorySteps(TrajectoryOperator):
    """The steps occur in their order; the calls of one step in any order.

    Expected is a list of steps. A step is one call or a list of calls; ``{"one_of": [...]}`` is a choice of calls, of which one
    is made. A call, or a step written as ``{"any_order": [...]}``, may be ``"optional": true`` or
    ``"repeat": {"min": 1, "max": 3}``; without ``max`` there is no limit. If expected is a recorded trajectory, calls that were
    made together are one step.

    Args:
        extras: Whether other calls may occur before, between and after. With ``allow`` a call beyond ``max`` is such a call.

    Example:
        >>> steps = ["login", ["search", "weather"], {"name": "retry", "optional": True}, "book"]
        >>> compare("trajectory_steps", steps, ["login", "weather", "search", "book"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_steps"

    extras: Literal["allow", "forbid"] = "allow"

    def _read_expected(self, expected: Any, matcher: CallMatcher) -> ExpectedSide:
        if self.turns == "flatten":
            raise UnusableError(UNREADABLE, "step lists cannot be flattened: write the steps of all turns as one list")
        selection = self._build_expected_selection()
        sides: list[Selected] = []

        def prepare(event: Event) -> Call | None:
            side = selection.select([event])
            sides.append(side)
            for selected, name in side.events:
                return matcher.prepare(selected, name)
            return None

        steps = read_side("expected", read_steps, expected, self.expected_format, prepare)
        return ExpectedSide(join_sides(sides), steps)

    def _compare_calls(self, expected: list[Step], observed: list[Call], matcher: CallMatcher) -> Outcome:
        step_matcher = StepMatcher(expected, observed, matcher)
        if self.extras == "forbid":
            outcome = _match_without_extras(expected, step_matcher, observed)
        else:
            outcome = _match_with_extras(expected, step_matcher)
        if outcome.score < 1.0:
            alignment = step_matcher.align(self.extras) or {}
            return outcome.replace(details={**(outcome.details or {}), **alignment})
        required = [call for step in expected if step.times.least for call in step.calls if call.times.least]
        if self.extras == "allow" and not required:
            return outcome.replace(notes=(EMPTY_EXPECTED,))
        return outcome

    def _complete(self, outcome: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        step_calls = [step_call for step in expected for step_call in step.calls]
        details = {"expected_calls": len(step_calls), **(outcome.details or {})}
        calls = [call for step_call in step_calls for call in step_call.choices]
        return super()._complete(outcome.replace(details=details), calls, observed, matcher)


def _match_with_extras(steps: list[Step], matcher: StepMatcher) -> Outcome:
    start = 0
    places: list[list[int]] = []
    for step in steps:
        positions = matcher.find_earliest(step, start)
        if positions is None:
            return _fail_at(step, start, {"steps": places})
        places.append(positions)
        if positions:
            start = positions[-1] + 1
    return Outcome(1.0, details={"steps": places})


def _match_without_extras(steps: list[Step], matcher: StepMatcher, observed: list[Call]) -> Outcome:
    ends = {0}
    for step in steps:
        next_ends = matcher.find_ends(step, ends)
        if not next_ends:
            return _fail_at(step, max(ends), {})
        ends = next_ends
    if len(observed) in ends:
        return Outcome(1.0)
    divergence = max(ends)
    differences = [format_unexpected(at, observed[at]) for at in range(divergence, len(observed))]
    return Outcome(0.0, details={"first_divergence": divergence, **list_differences(differences)})


def _fail_at(step: Step, start: int, details: dict[str, Any]) -> Outcome:
    required: list[dict[str, Any]] = []
    for call in step.calls:
        if call.times.least > 0:
            choices = [format_call(choice) for choice in call.choices]
            required.append(choices[0] if len(choices) == 1 else {ONE_OF: choices})
    difference = {"path": f"$[{step.place}]", "kind": "missing", "expected": required}
    position = {"first_divergence": step.place, "observed_from": start}
    return Outcome(0.0, details={**details, **position, **list_differences([difference])})


class _Slot(NamedTuple):
    """A place for one observed call in a step."""

    choices: tuple[Call, ...]
    accepted: Sequence[int]
    is_required: bool


class _FilledSlot(NamedTuple):
    """A slot, and the position of its observed call."""

    position: int | None
    slot: _Slot


class StepMatcher:
    """Finds where the steps of a list can end in one trajectory."""

    def __init__(self, steps: Sequence[Step], observed: Sequence[Call], matcher: CallMatcher) -> None:
        self._steps = steps
        self._observed = observed
        self._matcher = matcher
        self._size = len(observed)
        calls = [choice for step in steps for call in step.calls for choice in call.choices]
        accepted = iter(find_accepted_calls(calls, observed, matcher))
        self._accepted: dict[int, list[list[int]]] = {}
        """By the place of a step, for each of its calls the observed calls that one of its choices accepts."""
        for step in steps:
            self._accepted[step.place] = [
                sorted(set().union(*(next(accepted) for _ in call.choices))) for call in step.calls
            ]

    def find_earliest(self, step: Step, start: int) -> list[int] | None:
        """Return the observed calls that a step requires, ending as early as possible."""
        required = self._list_required(step)
        positions: list[int] = []
        for _ in range(step.times.least):
            if len(required) == 1:
                at = bisect_left(required[0], start)
                once = required[0][at : at + 1] or None
            else:
                once = _match_all(required, start, _find_first_end(required, start, self._size))
            if once is None:
                return None
            positions += once
            if once:
                start = once[-1] + 1
        return positions

    def _list_required(self, step: Step) -> list[list[int]]:
        """Return the accepted positions of each call that a step requires; repeated calls are repeated."""
        pairs = zip(self._accepted[step.place], step.calls, strict=True)
        return [accepted for accepted, call in pairs for _ in range(call.times.least)]

    def find_ends(self, step: Step, starts: set[int]) -> set[int]:
        """Return where a step can end if every observed call must have its place."""
        least = step.times.least
        # Every further repetition takes at least one call, or changes nothing.
        limit = least + self._size
        most = limit if step.times.most is None else min(limit, step.times.most)
        reached = set(starts) if least == 0 else set()
        cache: dict[int, set[int]] = {}
        current = starts
        for count in range(1, most + 1):
            for start in current - cache.keys():
                cache[start] = self._find_ends_once(step, start)
            current = set().union(*(cache[start] for start in current))
            if not current or (count > least and current <= reached):
                break
            if count >= least:
                reached |= current
        return reached

    def _find_ends_once(self, step: Step, start: int) -> set[int]:
        accepted = self._accepted[step.place]
        if len(accepted) == 1:
            return _find_ends_of_call(accepted[0], step.calls[0].times, start)
        # A longer stretch never loses a required call, and never gains a place for a call that has none. By Mendelsohn and
        # Dulmage (1958) both sides can be met together if each can be met alone.
        first = _find_first_end(self._list_required(step), start, self._size)
        ends = range(start, self._size + 1)
        last = bisect_left(ends, 1, key=lambda end: not _can_place_all(accepted, step.calls, start, end))
        return set(range(first, start + last))

    def align(self, extras: str) -> dict[str, Any] | None:
        """Describe where the calls of steps were made and how single calls differ; None if they do not."""
        slots = [self._list_slots(step) for step in self._steps]
        if sum(map(len, slots)) * self._size > _MOST_PAIRS:
            return None
        calls: list[Call] = []
        places: list[int] = []
        partners: list[int | None] = []
        start = 0
        for step, own_slots, end in zip(self._steps, slots, _find_stretch_ends(slots, self._size), strict=True):
            for at, slot in _fill_slots(own_slots, self._observed, start, end):
                if at is not None:
                    start = at + 1
                partners.append(at)
                calls.append(self._choose_call(slot, at))
                places.append(step.place)
        rows = iter_rows(partners, self._size)
        details = align(rows, calls, self._observed, self._matcher, extras, places)
        if not details["differences"]:
            return None
        return details

    def _choose_call(self, slot: _Slot, at: int | None) -> Call:
        if at is None or len(slot.choices) == 1:
            return slot.choices[0]
        observed = self._observed[at]
        return max(slot.choices, key=lambda call: (call.name == observed.name, self._matcher.score(call, observed)))

    def _list_slots(self, step: Step) -> list[_Slot]:
        """Return the slots of a step, the required ones first."""
        required: list[_Slot] = []
        optional: list[_Slot] = []
        repeats = self._limit(step.times)
        for call, accepted in zip(step.calls, self._accepted[step.place], strict=True):
            least = call.times.least * step.times.least
            more = self._limit(call.times) * repeats - least
            required += [_Slot(call.choices, accepted, is_required=True)] * least
            optional += [_Slot(call.choices, accepted, is_required=False)] * more
        return required + optional

    def _limit(self, times: Times) -> int:
        """Return how often something may occur; more calls than observed ones find no place."""
        if times.most is None:
            return max(times.least, self._size)
        return max(times.least, min(times.most, self._size))


def _find_ends_of_call(accepted: list[int], times: Times, start: int) -> set[int]:
    ends = {start} if times.least == 0 else set()
    at = bisect_left(accepted, start)
    length = 0
    while (times.most is None or length < times.most) and at < len(accepted) and accepted[at] == start + length:
        length += 1
        at += 1
        if length >= times.least:
            ends.add(start + length)
    return ends


def _find_first_end(required: list[list[int]], start: int, size: int) -> int:
    """Return the earliest end of a stretch in which each required call has a place of its own."""
    ends = range(start, size + 1)
    return start + bisect_left(ends, 1, key=lambda end: _match_all(required, start, end) is not None)


def _match_all(required: list[list[int]], start: int, end: int) -> list[int] | None:
    """Return the places of the required calls in a stretch; None if one has no place."""
    choices = [_between(accepted, start, end) for accepted in required]
    if end - start < len(required) or not all(choices):
        return None
    positions = _match(choices, start, end)
    if len(positions) < len(required):
        return None
    return positions


def _can_place_all(accepted: list[list[int]], calls: Sequence[StepCall], start: int, end: int) -> bool:
    length = end - start
    choices: list[list[int]] = []
    for positions, call in zip(accepted, calls, strict=True):
        most = length if call.times.most is None else min(call.times.most, length)
        choices += [_between(positions, start, end)] * most
    return len(choices) >= length and len(_match(choices, start, end)) == length


def _match(choices: list[list[int]], start: int, end: int) -> list[int]:
    partners = maximum_matching([[at - start for at in positions] for positions in choices], end - start)
    return sorted(start + at for at in partners if at is not None)


def _between(positions: list[int], start: int, end: int) -> list[int]:
    return positions[bisect_left(positions, start) : bisect_left(positions, end)]


def _find_stretch_ends(slots: Sequence[Sequence[_Slot]], size: int) -> list[int]:
    """Return for each step where the next one begins, so that as many slots as possible are filled."""
    # Any call of a step may come first, so each of its slots accepts what any of them accepts.
    choices: list[list[int]] = []
    for own_slots in slots:
        choices += [sorted(set().union(*(slot.accepted for slot in own_slots)))] * len(own_slots)
    partners = longest_common_subsequence(choices, size)

    ends: list[int] = []
    end = size
    stop = len(partners)
    for own_slots in reversed(slots):
        ends.append(end)
        positions = [at for at in partners[stop - len(own_slots) : stop] if at is not None]
        end = min(positions, default=end)
        stop -= len(own_slots)
    return ends[::-1]


def _fill_slots(slots: Sequence[_Slot], observed: Sequence[Call], start: int, end: int) -> Iterator[_FilledSlot]:
    """Fill the slots of a step from a stretch of observed calls; required slots that stay empty come last."""
    filled: dict[int, _Slot] = {}
    missing: list[_Slot] = []
    for is_required in (True, False):
        own_slots = [slot for slot in slots if slot.is_required is is_required]
        choices = [[at - start for at in slot.accepted if start <= at < end and at not in filled] for slot in own_slots]
        partners = maximum_matching(choices, max(end - start, 0))
        for at, slot in zip(partners, own_slots, strict=True):
            if at is not None:
                filled[start + at] = slot
            elif is_required:
                missing.append(slot)

    empty: list[_Slot] = []
    for slot in missing:
        # A call of the right tool is the nearest.
        names = {call.name for call in slot.choices}
        for at in range(start, end):
            if at not in filled and observed[at].name in names:
                filled[at] = slot
                break
        else:
            empty.append(slot)
    yield from (_FilledSlot(at, filled[at]) for at in sorted(filled))
    yield from (_FilledSlot(None, slot) for slot in empty)
