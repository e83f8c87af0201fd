"""The operator on step lists: ordered groups, unordered inside, with optional and repeated calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import call_as_json, listed, unexpected
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.selection import Selected, UnusableError, joined_sides
from pytest_verdict.trajectories.step_list import ONE_OF, Step, read_steps
from pytest_verdict.trajectories.step_matcher import StepMatcher
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
            found = replace(found, details={**(found.details or {}), **(step_matcher.aligned(self.extras) or {})})
        if found.score == 1.0 and self.extras == "allow" and not any(_needed(step) for step in expected):
            found = Outcome(1.0, notes=(EMPTY_EXPECTED,), details=found.details)
        return found

    def _completed(self, found: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        all_choices = [choices for step in expected for choices, _ in step.calls]
        counted = replace(found, details={"expected_calls": len(all_choices), **(found.details or {})})
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
