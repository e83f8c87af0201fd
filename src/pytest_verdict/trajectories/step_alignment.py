"""Which observed calls belong to which step, in a trajectory that does not match its step list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.trajectories.accepted_calls import accepted_calls
from pytest_verdict.trajectories.alignment import longest_common_subsequence, side_by_side
from pytest_verdict.trajectories.call import Call
from pytest_verdict.trajectories.call_matcher import CallMatcher
from pytest_verdict.trajectories.details import aligned
from pytest_verdict.trajectories.step_list import Step

_MOST_PAIRS: Final = 100_000


class _Slot(NamedTuple):
    """Room for one observed call in a step."""

    call: Call
    required: bool
    accepted: Sequence[int] = ()


def aligned_steps(
    steps: Sequence[Step], observed: Sequence[Call], matcher: CallMatcher, extras: str
) -> dict[str, Any] | None:
    """Write where the calls of steps were made and what differs, as far as single calls tell it."""
    slots = [list(_slots(step, len(observed))) for step in steps]
    if sum(map(len, slots)) * len(observed) > _MOST_PAIRS:
        return None
    accepted = iter(accepted_calls([slot.call for own in slots for slot in own], observed, matcher))
    slots = [[slot._replace(accepted=next(accepted)) for slot in own] for own in slots]
    calls: list[Call] = []
    places: list[int] = []
    partners: list[int | None] = []
    start = 0
    for step, own, end in zip(steps, slots, _ends(slots, len(observed)), strict=True):
        for at, slot in _filled(own, observed, start, end):
            start = start if at is None else at + 1
            partners.append(at)
            calls.append(slot.call)
            places.append(step.place)
    details = aligned(side_by_side(partners, len(observed)), calls, observed, matcher, extras, places)
    return details if details["differences"] else None


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


def _slots(step: Step, size: int) -> Iterator[_Slot]:
    """Give the slots of a step, those that must be filled first."""
    counts = [(call, times.least, _most(times.least, times.most, size)) for call, times in step.calls]
    repeats = _most(step.times.least, step.times.most, size)
    for call, least, _ in counts:
        yield from [_Slot(call, required=True)] * (least * step.times.least)
    for call, least, most in counts:
        yield from [_Slot(call, required=False)] * (most * repeats - least * step.times.least)


def _most(least: int, most: int | None, size: int) -> int:
    # More calls than were made find no place.
    return max(least, size if most is None else min(most, size))


def _filled(slots: Sequence[_Slot], observed: Sequence[Call], start: int, end: int) -> list[tuple[int | None, _Slot]]:
    """Fill the slots of a step from a stretch of observed calls; behind them, what is empty and must not be."""
    filled: dict[int, _Slot] = {}
    empty: list[tuple[int | None, _Slot]] = []
    for required in (True, False):
        own = [slot for slot in slots if slot.required is required]
        choices = [[at - start for at in slot.accepted if start <= at < end and at not in filled] for slot in own]
        found = maximum_matching(choices, max(end - start, 0))
        filled |= {start + at: slot for at, slot in zip(found, own, strict=True) if at is not None}
        empty += [(None, slot) for at, slot in zip(found, own, strict=True) if at is None and required]
    left_over = []
    for _, slot in empty:
        # A call of the right tool is the nearest there is.
        places = (at for at in range(start, end) if at not in filled and observed[at].name == slot.call.name)
        at = next(places, None)
        if at is None:
            left_over.append((at, slot))
        else:
            filled[at] = slot
    return [*((at, filled[at]) for at in sorted(filled)), *left_over]
