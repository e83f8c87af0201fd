"""Step lists: how the expected side of `TrajectorySteps` is written, and read.

A step is one call, or a list of calls that may come in any order. ``{"one_of": [...]}`` stands for whichever of its calls is
made. A call, or a whole step written as ``{"any_order": [...]}``, may say ``"optional": true`` or
``"repeat": {"min": 1, "max": 3}``.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
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
_WORDS: Final = (ANY_ORDER, ONE_OF, OPTIONAL, REPEAT)
MOST_REPEATS: Final = 10_000

Prepare = Callable[[Event], Call | None]
"""From an event to the call that is compared, or None when it does not count."""


@dataclass(frozen=True, slots=True)
class Times:
    """How often something occurs."""

    least: int = 1
    most: int | None = 1


@dataclass(frozen=True, slots=True)
class Step:
    """A group of calls in any order; each is written as the calls of which one is made."""

    calls: tuple[tuple[tuple[Call, ...], Times], ...]
    times: Times
    place: int


def read_steps(value: Any, expected_format: str, prepare: Prepare) -> list[Step]:
    """Read a step list."""
    source = parse_json_text(value) if isinstance(value, str) else value
    for step in source if isinstance(source, list | tuple) else ():
        _refuse_misspelt(step)
    if isinstance(source, list | tuple) and any(_is_explicit(step) for step in source):
        steps = [_step(step, place, prepare) for place, step in enumerate(source)]
    else:
        groups = _grouped(read_trajectory(source, expected_format))
        steps = [_step(group, place, prepare) for place, group in enumerate(groups)]
    return [step for step in steps if step.calls]


def _is_explicit(step: Any) -> bool:
    if isinstance(step, list | tuple):
        return not _is_pair(step)
    return isinstance(step, Mapping) and any(key in step for key in _WORDS)


def _is_pair(step: list[Any] | tuple[Any, ...]) -> bool:
    # A name and its arguments, unless the second is a choice of calls.
    return is_pair(step) and not (isinstance(step[1], Mapping) and ONE_OF in step[1])


def _refuse_misspelt(step: Any) -> None:
    # Other keys of a call say nothing here and are allowed; one that was to say how often would be passed over.
    inside = step.get(ANY_ORDER, step.get(ONE_OF)) if isinstance(step, Mapping) else step
    for item in (step, *(inside if isinstance(inside, list | tuple) else ())):
        for key in item if isinstance(item, Mapping) else ():
            meant = _meant(str(key))
            if meant not in {None, key}:
                raise TrajectoryError(f"a step has no {shown(key, 80)}. Did you mean {meant!r}?")


@functools.lru_cache(maxsize=256)
def _meant(key: str) -> str | None:
    # Remembered, because the same few keys are in every call of a long list.
    return next(iter(get_close_matches(key, _WORDS, n=1, cutoff=0.8)), None)


def _grouped(events: Sequence[Event]) -> list[list[Event]]:
    groups = groupby(events, lambda event: (event.group is None, event.index if event.group is None else event.group))
    return [list(group) for _, group in groups]


def _step(step: Any, place: int, prepare: Prepare) -> Step:
    if isinstance(step, Mapping) and ANY_ORDER in step:
        listed, times = step[ANY_ORDER], _times(step)
        _refuse_others(step, ANY_ORDER)
    elif isinstance(step, list | tuple) and not _is_pair(step):
        listed, times = step, Times()
    else:
        listed, times = [step], Times()
    if not isinstance(listed, list | tuple):
        raise TrajectoryError(f"{ANY_ORDER} is a list of calls, got {shown(listed, 80)}")
    calls = [(tuple(filter(None, map(prepare, _events(item)))), _times(item)) for item in listed]
    return Step(tuple((choices, often) for choices, often in calls if choices), times, place)


def _refuse_others(step: Mapping[str, Any], word: str) -> None:
    others = [key for key in step if key not in {word, OPTIONAL, REPEAT}]
    if others:
        raise TrajectoryError(f"a step has {word}, {OPTIONAL} and {REPEAT}, not {shown(others[0], 80)}")


def _events(item: Any) -> list[Event]:
    if not isinstance(item, Mapping) or ONE_OF not in item:
        return [_event(item)]
    _refuse_others(item, ONE_OF)
    choices = item[ONE_OF]
    if not isinstance(choices, list | tuple) or len(choices) < 2:
        raise TrajectoryError(f"{ONE_OF} is a list of at least two calls, got {shown(choices, 80)}")
    return list(map(read_call, choices))


def _event(item: Any) -> Event:
    if isinstance(item, Mapping):
        item = {key: own for key, own in item.items() if key not in {OPTIONAL, REPEAT}}
    return read_call(item)


def _times(item: Any) -> Times:
    if not isinstance(item, Mapping):
        return Times()
    optional = item.get(OPTIONAL, False)
    if not isinstance(optional, bool):
        raise TrajectoryError(f"{OPTIONAL} is true or false, got {shown(optional, 80)}")
    least, most = _repeat(item[REPEAT]) if REPEAT in item else (1, 1)
    return Times(0 if optional else least, most)


def _repeat(repeat: Any) -> tuple[int, int | None]:
    if not isinstance(repeat, Mapping) or not set(repeat) <= {"min", "max"}:
        raise TrajectoryError(f"{REPEAT} is an object of min and max, got {shown(repeat, 80)}")
    least, most = repeat.get("min", 0), repeat.get("max")
    whole = type(least) is int and (most is None or type(most) is int)
    if not whole or not 0 <= least <= MOST_REPEATS or (most is not None and not max(least, 1) <= most <= MOST_REPEATS):
        raise TrajectoryError(
            f"{REPEAT} takes whole numbers, 0 <= min <= max and 1 <= max <= {MOST_REPEATS}, got {shown(dict(repeat), 80)}"
        )
    return least, most
