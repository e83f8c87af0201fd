"""The operator on step lists: how they are written, where each step can end, and which call belongs to which step.

If extras are allowed, only the earliest end of each step counts, because any match after a later end exists after it, too. If
they are forbidden, every observed call must have its place, so the set of reachable ends is carried from step to step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import align, format_call, format_unexpected, list_some
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.pairing import Partners, find_accepted_calls, iter_pairs, longest_common_subsequence
from pytest_verdict.trajectories.readers import decode_text, read_trajectory
from pytest_verdict.trajectories.readers.plain import is_pair, read_call
from pytest_verdict.trajectories.trajectory_operator import (
    EMPTY_EXPECTED,
    UNREADABLE,
    Selected,
    TrajectoryOperator,
    UnusableError,
    read_side,
)

ANY_ORDER: Final = "any_order"
ONE_OF: Final = "one_of"
OPTIONAL: Final = "optional"
REPEAT: Final = "repeat"
MOST_REPEATS: Final = 10_000
# With more pairs the explanation would take longer than the comparison.
_MOST_PAIRS: Final = 100_000


class Times(NamedTuple):
    """How often something occurs; None is no limit."""

    least: int = 1
    most: int | None = 1

    def limit(self, size: int) -> int:
        """Return how often it may occur among a number of calls; more calls find no place."""
        if self.most is None:
            return max(self.least, size)
        return max(self.least, min(self.most, size))


class StepCall(NamedTuple):
    """A call of a step: one of several choices, and how often it occurs."""

    choices: tuple[Call, ...]
    times: Times


class Step(NamedTuple):
    """A group of calls in any order, at a place in the list."""

    calls: tuple[StepCall, ...]
    times: Times
    place: int


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

    def _read_expected(self, turns: Iterable[Any], matcher: CallMatcher) -> tuple[Selected, list[Any]]:
        if self.turns == "flatten":
            raise UnusableError(UNREADABLE, "step lists cannot be flattened: write the steps of all turns as one list")
        events: list[Event] = []

        def prepare(event: Event) -> Call | None:
            events.append(event)
            selected = self._select([event], are_expected=True).events
            return matcher.prepare(*selected[0]) if selected else None

        sides = [read_side("expected", read_steps, turn, self.expected_format, prepare) for turn in turns]
        return self._select(events, are_expected=True), [step for steps in sides for step in steps]

    def _check_expected(self, expected: list[Step]) -> None:
        required = [call for step in expected if step.times.least for call in step.calls if call.times.least]
        if self.extras == "allow" and not required:
            raise UnusableError(EMPTY_EXPECTED, "no step of expected is required, so nothing is compared")

    def _compare_calls(self, expected: list[Step], observed: list[Call], matcher: CallMatcher) -> Outcome:
        step_matcher = StepMatcher(expected, observed, matcher)
        outcome = step_matcher.match(self.extras)
        if outcome.score < 1.0:
            return outcome.replace(details={**(outcome.details or {}), **step_matcher.align(self.extras)})
        return outcome

    def _complete(self, outcome: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        step_calls = [step_call for step in expected for step_call in step.calls]
        details = {"expected_calls": len(step_calls), **(outcome.details or {})}
        calls = [call for step_call in step_calls for call in step_call.choices]
        return super()._complete(outcome.replace(details=details), calls, observed, matcher)


def read_steps(value: Any, expected_format: str, prepare: Callable[[Event], Call | None]) -> list[Step]:
    """Read a step list, or a recorded trajectory, whose groups of calls are steps; `prepare` returns None for a call to skip."""
    source = decode_text(value)
    if not isinstance(source, list | tuple) or not any(map(_is_explicit_step, source)):
        # A call without a group is a step of its own.
        events = read_trajectory(source, expected_format)
        groups = groupby(
            events, lambda event: (event.group is None, event.index if event.group is None else event.group)
        )
        source = [list(group) for _, group in groups]
    steps = [_read_step(step, place, prepare) for place, step in enumerate(source)]
    return [step for step in steps if step.calls]


def _is_explicit_step(step: Any) -> bool:
    if isinstance(step, list | tuple):
        return not _is_pair(step)
    return isinstance(step, Mapping) and any(key in step for key in (ANY_ORDER, ONE_OF, OPTIONAL, REPEAT))


def _is_pair(step: list[Any] | tuple[Any, ...]) -> bool:
    # A name and a choice of calls are two calls.
    return is_pair(step) and not (isinstance(step[1], Mapping) and ONE_OF in step[1])


def _read_step(step: Any, place: int, prepare: Callable[[Event], Call | None]) -> Step:
    items: Any = [step]
    times = Times()
    if isinstance(step, Mapping) and ANY_ORDER in step:
        items = step[ANY_ORDER]
        times = _read_times(step, ANY_ORDER)
    elif isinstance(step, list | tuple) and not _is_pair(step):
        items = step
    if not isinstance(items, list | tuple):
        raise TrajectoryError(f"{ANY_ORDER} is a list of calls, got {shown(items, 80)}")
    calls = [_read_step_call(item, prepare) for item in items]
    return Step(tuple(call for call in calls if call.choices), times, place)


def _read_step_call(item: Any, prepare: Callable[[Event], Call | None]) -> StepCall:
    choices = [item]
    times = Times()
    if isinstance(item, Mapping) and ONE_OF in item:
        choices = item[ONE_OF]
        times = _read_times(item, ONE_OF)
        if not isinstance(choices, list | tuple) or len(choices) < 2:
            raise TrajectoryError(f"{ONE_OF} is a list of at least two calls, got {shown(choices, 80)}")
    elif isinstance(item, Mapping):
        choices = [{key: value for key, value in item.items() if key not in {OPTIONAL, REPEAT}}]
        times = _read_times(item)
    calls = [prepare(read_call(choice)) for choice in choices]
    return StepCall(tuple(call for call in calls if call is not None), times)


def _read_times(item: Mapping[str, Any], keyword: str | None = None) -> Times:
    unknown = item.keys() - {keyword, OPTIONAL, REPEAT}
    if keyword is not None and unknown:
        raise TrajectoryError(f"a step has {keyword}, {OPTIONAL} and {REPEAT}, not {shown(min(unknown), 80)}")
    optional = item.get(OPTIONAL, False)
    if not isinstance(optional, bool):
        raise TrajectoryError(f"{OPTIONAL} is true or false, got {shown(optional, 80)}")
    if REPEAT not in item:
        return Times(0 if optional else 1)

    repeat = item[REPEAT]
    if isinstance(repeat, Mapping) and repeat.keys() <= {"min", "max"}:
        least = repeat.get("min", 0)
        most = repeat.get("max")
        numbers = [least, MOST_REPEATS if most is None else most]
        if all(type(number) is int for number in numbers) and 0 <= least <= numbers[1] <= MOST_REPEATS and numbers[1]:
            return Times(0 if optional else least, most)
    raise TrajectoryError(
        f"{REPEAT} is an object of min and max, whole numbers with 0 <= min <= max and 1 <= max <= {MOST_REPEATS},"
        f" got {shown(repeat, 80)}"
    )


class _Slot(NamedTuple):
    choices: tuple[Call, ...]
    accepted: Sequence[int]
    is_required: bool


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

    def match(self, extras: str) -> Outcome:
        """Find the earliest end of each step, or all its ends if every observed call must have its place."""
        ends = {0}
        places: list[list[int]] = []
        for step in self._steps:
            if extras == "forbid":
                following = self._find_ends(step, ends)
            else:
                positions = self._find_earliest(step, max(ends))
                following = ends if positions == [] else set()
                if positions:
                    following = {positions[-1] + 1}
                places.append(positions or [])
            if not following:
                details = {} if extras == "forbid" else {"steps": places[:-1]}
                return _fail_at(step, max(ends), details)
            ends = following
        if extras == "allow":
            return Outcome(1.0, details={"steps": places})
        if self._size in ends:
            return Outcome(1.0)
        divergence = max(ends)
        differences = [format_unexpected(at, self._observed[at]) for at in range(divergence, self._size)]
        return Outcome(0.0, details={"first_divergence": divergence, **list_some("differences", differences)})

    def _find_earliest(self, step: Step, start: int) -> list[int] | None:
        """Return the observed calls that a step requires, ending as early as possible."""
        required = self._list_required(step)
        positions: list[int] = []
        for _ in range(step.times.least):
            begin = positions[-1] + 1 if positions else start
            once = _match_all(required, begin, _find_first_end(required, begin, self._size))
            if once is None:
                return None
            positions += once
        return positions

    def _list_required(self, step: Step) -> list[list[int]]:
        """Return the accepted positions of each call that a step requires; repeated calls are repeated."""
        pairs = zip(self._accepted[step.place], step.calls, strict=True)
        return [accepted for accepted, call in pairs for _ in range(call.times.least)]

    def _find_ends(self, step: Step, starts: set[int]) -> set[int]:
        """Return where a step can end if every observed call must have its place."""
        least = step.times.least
        reached = set(starts) if least == 0 else set()
        current = starts
        # Every further repetition takes at least one call, or changes nothing.
        for count in range(1, step.times.limit(least + self._size) + 1):
            current = set().union(*(self._find_ends_once(step, start) for start in current))
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

    def align(self, extras: str) -> dict[str, Any]:
        """Describe where the calls of steps were made and how single calls differ; empty if they do not."""
        slots = [self._list_slots(step) for step in self._steps]
        if sum(map(len, slots)) * self._size > _MOST_PAIRS:
            return {}
        calls: list[Call] = []
        places: list[int] = []
        partners: Partners = []
        start = 0
        for step, own_slots, end in zip(self._steps, slots, _find_stretch_ends(slots, self._size), strict=True):
            for at, slot in _fill_slots(own_slots, self._observed, start, end):
                call = slot.choices[0]
                if at is not None:
                    start = at + 1
                    call = self._choose_nearest(slot.choices, self._observed[at])
                partners.append(at)
                calls.append(call)
                places.append(step.place)
        pairs = iter_pairs(partners, self._size)
        details = align(pairs, calls, self._observed, self._matcher, extras, places)
        return details if details["differences"] else {}

    def _choose_nearest(self, choices: Sequence[Call], observed: Call) -> Call:
        if len(choices) == 1:
            return choices[0]
        return max(choices, key=lambda call: (call.name == observed.name, self._matcher.score(call, observed)))

    def _list_slots(self, step: Step) -> list[_Slot]:
        """Return the slots of a step, the required ones first."""
        required: list[_Slot] = []
        optional: list[_Slot] = []
        for call, accepted in zip(step.calls, self._accepted[step.place], strict=True):
            least = call.times.least * step.times.least
            most = call.times.limit(self._size) * step.times.limit(self._size)
            required += [_Slot(call.choices, accepted, is_required=True)] * least
            optional += [_Slot(call.choices, accepted, is_required=False)] * (most - least)
        return required + optional


def _fail_at(step: Step, start: int, details: dict[str, Any]) -> Outcome:
    required: list[dict[str, Any]] = []
    for call in step.calls:
        if call.times.least > 0:
            choices = [format_call(choice) for choice in call.choices]
            required.append(choices[0] if len(choices) == 1 else {ONE_OF: choices})
    difference = {"path": f"$[{step.place}]", "kind": "missing", "expected": required}
    position = {"first_divergence": step.place, "observed_from": start}
    return Outcome(0.0, details={**details, **position, **list_some("differences", [difference])})


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
        start = stop - len(own_slots)
        end = min((at for at in partners[start:stop] if at is not None), default=end)
        stop = start
    return ends[::-1]


def _fill_slots(
    slots: Sequence[_Slot], observed: Sequence[Call], start: int, end: int
) -> Iterator[tuple[int | None, _Slot]]:
    """Fill the slots of a step from a stretch of observed calls; required slots that stay empty come last."""
    filled: dict[int, _Slot] = {}
    missing: list[_Slot] = []
    for is_required in (True, False):
        own_slots = [slot for slot in slots if slot.is_required is is_required]
        choices = [[at - start for at in slot.accepted if start <= at < end and at not in filled] for slot in own_slots]
        partners = maximum_matching(choices, max(end - start, 0))
        pairs = list(zip(partners, own_slots, strict=True))
        filled |= {start + at: slot for at, slot in pairs if at is not None}
        missing += [slot for at, slot in pairs if at is None and is_required]

    empty: list[_Slot] = []
    for slot in missing:
        # A call of the right tool is the nearest.
        names = {call.name for call in slot.choices}
        free = (at for at in range(start, end) if at not in filled and observed[at].name in names)
        nearest = next(free, None)
        if nearest is None:
            empty.append(slot)
        else:
            filled[nearest] = slot
    yield from ((at, filled[at]) for at in sorted(filled))
    yield from ((None, slot) for slot in empty)
