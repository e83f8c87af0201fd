"""Matching a step list: where each step can end, given where it begins.

With extras allowed only the earliest end of each step counts: whatever a later end allows, the earliest allows too, and optional
calls need not be looked at. With extras forbidden every observed call must have its place, and one step may end at several
places; the set of reachable places is carried from step to step, which is dynamic programming and never guesses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from pytest_verdict.core.matching import maximum_matching
from pytest_verdict.trajectories.accepted_calls import accepted_calls
from pytest_verdict.trajectories.call import Call
from pytest_verdict.trajectories.call_matcher import CallMatcher
from pytest_verdict.trajectories.step_list import Step, Times


class StepMatcher:
    """Answers of one trajectory to questions about steps."""

    def __init__(self, steps: Sequence[Step], observed: Sequence[Call], matcher: CallMatcher) -> None:
        self._observed = observed
        calls = [call for step in steps for call, _ in step.calls]
        accepted = iter(accepted_calls(calls, observed, matcher))
        self._accepted = {step.place: [next(accepted) for _ in step.calls] for step in steps}

    def earliest(self, step: Step, start: int) -> list[int] | None:
        """Find the observed calls that a step needs, ending as early as possible."""
        accepted = self._accepted[step.place]
        places: list[int] = []
        for _ in range(step.times.least):
            found = self._earliest_once(step, accepted, start)
            if found is None:
                return None
            places += found
            start = found[-1] + 1 if found else start
        return places

    def _earliest_once(self, step: Step, accepted: list[list[int]], start: int) -> list[int] | None:
        slots = [choices for choices, (_, times) in zip(accepted, step.calls, strict=True) for _ in range(times.least)]
        if len(slots) == 1:
            at = bisect_left(slots[0], start)
            return [slots[0][at]] if at < len(slots[0]) else None
        low, high = start, len(self._observed)
        if self._saturated(slots, start, high) is None:
            return None
        while low < high:
            middle = (low + high) // 2
            if self._saturated(slots, start, middle) is None:
                low = middle + 1
            else:
                high = middle
        return self._saturated(slots, start, high)

    def _saturated(self, slots: list[list[int]], start: int, end: int) -> list[int] | None:
        choices = [_between(accepted, start, end) for accepted in slots]
        if end - start < len(slots) or not all(choices):
            return None if slots else []
        partners = maximum_matching([[at - start for at in own] for own in choices], end - start)
        found = sorted(start + at for at in partners if at is not None)
        return found if len(found) == len(slots) else None

    def ends(self, step: Step, starts: set[int]) -> set[int]:
        """Find where a step can end when every observed call must have its place."""
        accepted = self._accepted[step.place]
        known: dict[int, set[int]] = {}
        reached = set(starts) if step.times.least == 0 else set()
        current = starts
        # Every further repetition takes at least one call, or changes nothing.
        most = step.times.least + len(self._observed)
        for count in range(1, min(most, step.times.most or most) + 1):
            following: set[int] = set()
            for start in current:
                if start not in known:
                    known[start] = self._ends_once(step, accepted, start)
                following |= known[start]
            if not following or (count > step.times.least and following <= reached):
                break
            if count >= step.times.least:
                reached |= following
            current = following
        return reached

    def _ends_once(self, step: Step, accepted: list[list[int]], start: int) -> set[int]:
        all_times = [times for _, times in step.calls]
        if len(step.calls) == 1:
            return self._ends_of_one(accepted[0], all_times[0], start)
        least = [choices for choices, times in zip(accepted, all_times, strict=True) for _ in range(times.least)]
        ends = range(start, len(self._observed) + 1)
        # A longer stretch never loses what is needed, and never gains a place for a call that has none. By Mendelsohn and
        # Dulmage (1958) both sides can be met together when each can be met alone.
        first = bisect_left(ends, 1, key=lambda end: self._saturated(least, start, end) is not None)
        last = bisect_left(ends, 1, key=lambda end: not self._all_placed(accepted, all_times, start, end))
        return set(ends[first:last])

    @staticmethod
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

    @staticmethod
    def _all_placed(accepted: list[list[int]], all_times: list[Times], start: int, end: int) -> bool:
        length = end - start
        slots = [
            [at - start for at in _between(choices, start, end)]
            for choices, times in zip(accepted, all_times, strict=True)
            for _ in range(length if times.most is None else min(times.most, length))
        ]
        if len(slots) < length:
            return False
        return sum(partner is not None for partner in maximum_matching(slots, length)) == length


def _between(positions: list[int], start: int, end: int) -> list[int]:
    return positions[bisect_left(positions, start) : bisect_left(positions, end)]
