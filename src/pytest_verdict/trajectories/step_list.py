"""Step lists: the expected side of `TrajectorySteps`.

A step is one call, or a list of calls that may come in any order. ``{"one_of": [...]}`` is a choice: one of its calls is
made. A call, or a whole step written as ``{"any_order": [...]}``, may have ``"optional": true`` or
``"repeat": {"min": 1, "max": 3}``.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.call_matcher import Call
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import parse_json_text, read_trajectory
from pytest_verdict.trajectories.readers.plain import is_pair, read_call

ANY_ORDER: Final = "any_order"
ONE_OF: Final = "one_of"
OPTIONAL: Final = "optional"
REPEAT: Final = "repeat"
_KEYWORDS: Final = (ANY_ORDER, ONE_OF, OPTIONAL, REPEAT)
MOST_REPEATS: Final = 10_000

Prepare = Callable[[Event], Call | None]
"""From an event to the call that is compared, or None if it does not count."""


@dataclass(frozen=True, slots=True)
class Times:
    """How often something occurs; None is no limit."""

    least: int = 1
    most: int | None = 1


@dataclass(frozen=True, slots=True)
class StepCall:
    """A call of a step: one of several choices, and how often it occurs."""

    choices: tuple[Call, ...]
    times: Times


@dataclass(frozen=True, slots=True)
class Step:
    """A group of calls in any order, at a place in the list."""

    calls: tuple[StepCall, ...]
    times: Times
    place: int


def read_steps(value: Any, expected_format: str, prepare: Prepare) -> list[Step]:
    """Read a step list, or a recorded trajectory, whose groups of calls are steps."""
    source = value
    if isinstance(value, str):
        source = parse_json_text(value)
    is_list = isinstance(source, list | tuple)
    if is_list:
        for step in source:
            _refuse_misspelt_keys(step)

    if not is_list or not any(map(_is_explicit_step, source)):
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
    return isinstance(step, Mapping) and any(key in step for key in _KEYWORDS)


def _is_pair(step: list[Any] | tuple[Any, ...]) -> bool:
    # A name and a choice of calls are two calls.
    return is_pair(step) and not (isinstance(step[1], Mapping) and ONE_OF in step[1])


def _refuse_misspelt_keys(step: Any) -> None:
    """Refuse a key that looks like a misspelt keyword, because a reader of calls would ignore it."""
    calls = step
    if isinstance(step, Mapping):
        calls = step.get(ANY_ORDER, step.get(ONE_OF))
    for item in (step, *(calls if isinstance(calls, list | tuple) else ())):
        if not isinstance(item, Mapping):
            continue
        for key in item:
            keyword = _find_keyword(str(key))
            if keyword is not None and keyword != key:
                raise TrajectoryError(f"a step has no {shown(key, 80)}. Did you mean {keyword!r}?")


@functools.lru_cache(maxsize=256)
def _find_keyword(key: str) -> str | None:
    # Cached, because every call of a long list has the same few keys.
    return next(iter(get_close_matches(key, _KEYWORDS, n=1, cutoff=0.8)), None)


def _read_step(step: Any, place: int, prepare: Prepare) -> Step:
    items: Any = [step]
    times = Times()
    if isinstance(step, Mapping) and ANY_ORDER in step:
        items = step[ANY_ORDER]
        times = _read_times(step)
        _refuse_other_keys(step, ANY_ORDER)
    elif isinstance(step, list | tuple) and not _is_pair(step):
        items = step
    if not isinstance(items, list | tuple):
        raise TrajectoryError(f"{ANY_ORDER} is a list of calls, got {shown(items, 80)}")

    calls = []
    for item in items:
        choices = tuple(call for call in map(prepare, _read_choices(item)) if call is not None)
        item_times = _read_times(item)
        if choices:
            calls.append(StepCall(choices, item_times))
    return Step(tuple(calls), times, place)


def _refuse_other_keys(step: Mapping[str, Any], keyword: str) -> None:
    for key in step:
        if key not in {keyword, OPTIONAL, REPEAT}:
            raise TrajectoryError(f"a step has {keyword}, {OPTIONAL} and {REPEAT}, not {shown(key, 80)}")


def _read_choices(item: Any) -> list[Event]:
    if not isinstance(item, Mapping):
        return [read_call(item)]
    if ONE_OF not in item:
        return [read_call({key: value for key, value in item.items() if key not in {OPTIONAL, REPEAT}})]
    _refuse_other_keys(item, ONE_OF)
    choices = item[ONE_OF]
    if not isinstance(choices, list | tuple) or len(choices) < 2:
        raise TrajectoryError(f"{ONE_OF} is a list of at least two calls, got {shown(choices, 80)}")
    return list(map(read_call, choices))


def _read_times(item: Any) -> Times:
    if not isinstance(item, Mapping):
        return Times()
    optional = item.get(OPTIONAL, False)
    if not isinstance(optional, bool):
        raise TrajectoryError(f"{OPTIONAL} is true or false, got {shown(optional, 80)}")
    if REPEAT not in item:
        return Times(0 if optional else 1, 1)

    repeat = item[REPEAT]
    if not isinstance(repeat, Mapping) or not set(repeat) <= {"min", "max"}:
        raise TrajectoryError(f"{REPEAT} is an object of min and max, got {shown(repeat, 80)}")
    least = repeat.get("min", 0)
    most = repeat.get("max")
    is_valid = type(least) is int and 0 <= least <= MOST_REPEATS
    if is_valid and most is not None:
        is_valid = type(most) is int and max(least, 1) <= most <= MOST_REPEATS
    if not is_valid:
        raise TrajectoryError(
            f"{REPEAT} takes whole numbers, 0 <= min <= max and 1 <= max <= {MOST_REPEATS}, got {shown(dict(repeat), 80)}"
        )
    return Times(0 if optional else least, most)
