"""The result that a session hands to a test, which reports what the test looks at.

A look counts if it tells what came out: what it shows would be different if a failed comparison had passed. For a comparison that
could not be made, only its error and a verdict that is compared with ``error`` tell that.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final, Protocol

from pytest_verdict.comparison import build_failure, describe_failure, redact_result
from pytest_verdict.core.result import ComparisonResult, has_error
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.pytest_plugin.short_circuits import find_unread, find_unread_in_list
from pytest_verdict.pytest_plugin.uses import Kind, find_use, is_doctest
from pytest_verdict.session import PACKAGE, SESSION

# The verdicts that tell a verdict from the others, if one is compared with them.
_TELLING: Final = {"fail": {"pass", "fail"}, "error": {"error"}}


class Watch(Protocol):
    """Learns what a test looks at."""

    def look(self, *, is_firm: bool = True) -> None:
        """The test saw that a comparison did not pass; what it does with a score may still show that it did not."""

    def wait_for(self, frame: FrameType) -> None:
        """All that a test does with what it saw is to raise an exception in a frame; somebody must hear it."""

    def look_away(self) -> None:
        """The test did not see it after all, unless a look was firm."""


def _watch_evidence(name: str) -> Any:
    """Build a property that shows that a comparison failed, unless it has nothing to show."""
    plain = getattr(ComparisonResult, name)

    def read(self: WatchedResult) -> Any:
        value = plain.fget(self)
        if value:
            self.look_unless_error("evidence")
        return value

    return property(read, doc=plain.__doc__)


class WatchedResult(ComparisonResult):
    """A result that tells a watch when a property or method shows that the comparison did not pass.

    The sides, the name, ``repr`` and ``==`` do not show it. `repr` is redacted. Copies and pickles are plain results.
    """

    __slots__ = ("_watch",)

    def __init__(self, result: ComparisonResult, watch: Watch | None) -> None:
        super().__init__(**result.arguments())
        self._watch = watch

    outcome = _watch_evidence("outcome")
    notes = _watch_evidence("notes")
    details = _watch_evidence("details")
    children = _watch_evidence("children")

    @property
    def passed(self) -> bool:
        """Whether the score reaches the threshold."""
        passed = super().passed
        self.look_unless_error(truth=passed)
        self._settle_unread(passed)
        return passed

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        score = super().score
        self._settle_unread(score)
        if self._watch is None or has_error(self):
            return score
        is_shown = is_doctest(_reading_frame())
        self.look("evidence", is_firm=is_shown)
        if is_shown:
            return score
        watched: float = WatchedScore(score, self)
        return watched

    @property
    def verdict(self) -> Any:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        verdict = super().verdict
        self._settle_unread(verdict)
        if is_doctest(_reading_frame()):
            self.look()
        return WatchedVerdict(verdict, self)

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        if has_error(self):
            self.look("error", truth=True)
        return super().error

    def look(self, kind: Kind = "verdict", *, truth: bool | None = None, is_firm: bool = True) -> bool:
        """Notify the watch if the test uses the value that it reads, and return whether it does."""
        if self._watch is None:
            return False
        frame = _reading_frame()
        use: bool | FrameType = True
        if frame is not None and not is_doctest(frame):
            use = find_use(frame, kind, truth)
        if use is True:
            self._watch.look(is_firm=is_firm)
        elif use is not False:
            self._watch.wait_for(use)
        return use is not False

    def _settle_unread(self, value: bool | float | str) -> None:  # noqa: FBT001 - what is read
        """Settle the results that nobody reads because a value of this one decides ``any``, ``or`` or a loop."""
        frame = _reading_frame()
        if frame is None:
            return
        others = find_unread(frame, value, self)
        if others:
            self._settle(others, frame, value)

    def settle_list(self, *, is_equal: bool) -> None:
        """Settle the results of the verdicts in a list that are not compared, because that of this one decides."""
        frame = _reading_frame()
        others = [] if frame is None else find_unread_in_list(frame, self, is_equal=is_equal)
        if frame is not None and others:
            self._settle(others, frame, None)

    @staticmethod
    def _settle(others: list[ComparisonResult], frame: FrameType, value: object) -> None:
        use = find_use(frame, "verdict", value if isinstance(value, bool) else None)
        for other in others:
            if isinstance(other, WatchedResult):
                other.settle_as(use)

    def settle_as(self, use: bool | FrameType) -> None:  # noqa: FBT001 - as `find_use` returns it
        """Note that this result is unread because another one, which has a use, decided."""
        if self._watch is None or has_error(self):
            return
        if use is True:
            self._watch.look()
        elif use is not False:
            self._watch.wait_for(use)

    def passes(self) -> bool:
        """Return whether the comparison passed, which is no look."""
        return super().passed

    def settle(self) -> None:
        """End the watch, because an exception replaces this result."""
        if self._watch is not None:
            self._watch.look()

    def look_unless_error(self, kind: Kind = "verdict", *, truth: bool | None = None) -> None:
        if not has_error(self):
            self.look(kind, truth=truth)

    def look_away(self) -> None:
        if self._watch is not None:
            self._watch.look_away()

    def to_text(self, redaction: Redaction | None = None) -> str:
        """Write the full record as one line of JSON."""
        self.look_unless_error("evidence")
        return super().to_text(redaction)

    def to_report(self) -> dict[str, Any]:
        """Return the eight values of the Comparator pattern."""
        self.look_unless_error("evidence")
        return {**_plain(self).to_report(), "verdict": self.verdict}

    def to_record(self) -> dict[str, Any]:
        """Return the full record as JSON values."""
        self.look_unless_error("evidence")
        return {**_plain(self).to_record(), "verdict": self.verdict}

    def __repr__(self) -> str:
        if is_doctest(_reading_frame()):
            self.settle()
        if SESSION.redaction is None:
            return super().__repr__()
        return SESSION.redaction(repr(redact_result(_plain(self), SESSION.redaction)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ComparisonResult):
            return _plain(self) == _plain(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(_plain(self))

    def __bool__(self) -> bool:
        if has_error(self):
            raise build_failure(describe_failure(self), [self])
        return bool(self.passed)


def _reading_frame() -> FrameType | None:
    """Return the frame that reads a result; None if this package does, which uses what it reads."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to learn who reads
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith(PACKAGE):
        return None
    return frame


def _plain(result: ComparisonResult) -> ComparisonResult:
    return result.replace()


class WatchedVerdict(str):
    """A verdict: only a comparison with the right verdict is a look, and its truth as a text is not."""

    __slots__ = ("result",)
    result: WatchedResult

    def __new__(cls, verdict: str, result: WatchedResult | None = None) -> Any:
        if result is None:
            return verdict
        self = super().__new__(cls, verdict)
        self.result = result
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WatchedVerdict):
            # The equality of two comparisons that did not pass does not show which verdict they have.
            if self.result.passes() is not other.result.passes():
                self._compare(str.__str__(other))
                other._compare(super().__str__())
        elif isinstance(other, str):
            # The value of an enumeration, which `str` may show as its name.
            self._compare(str.__str__(other))
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _compare(self, text: str) -> None:
        verdict = super().__str__()
        if text in _TELLING.get(verdict, ()):
            self.result.look(truth=text == verdict)
        self.result.settle_list(is_equal=text == verdict)

    def __str__(self) -> str:
        self.result.look_unless_error("evidence")
        return super().__str__()

    def __format__(self, form: str) -> str:
        return format(str(self), form)

    def __hash__(self) -> int:
        # Sets and dicts compare only verdicts with the same hash.
        self.result.look_unless_error("evidence")
        return super().__hash__()

    def __contains__(self, part: Any) -> bool:
        return self._answer(part in super().__str__(), is_of_pass=part in "pass")

    def startswith(self, *arguments: Any) -> bool:
        return self._answer(super().startswith(*arguments), is_of_pass="pass".startswith(*arguments))

    def endswith(self, *arguments: Any) -> bool:
        return self._answer(super().endswith(*arguments), is_of_pass="pass".endswith(*arguments))

    def _answer(self, answer: bool, *, is_of_pass: bool) -> bool:  # noqa: FBT001 - what Python asked for
        if answer is not is_of_pass:
            self.result.look_unless_error(truth=answer)
        return answer

    def __getitem__(self, key: Any) -> str:
        return self._show()[key]

    def upper(self) -> str:
        return self._show().upper()

    def lower(self) -> str:
        return self._show().lower()

    def casefold(self) -> str:
        return self._show().casefold()

    def title(self) -> str:
        return self._show().title()

    def capitalize(self) -> str:
        return self._show().capitalize()

    def strip(self, *arguments: Any) -> str:
        return self._show().strip(*arguments)

    def _show(self) -> str:
        self.result.look_unless_error("evidence")
        return super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (super().__str__(),)


class WatchedScore(float):
    """A score that tells nothing by being true, as 0.6 is, or by being in the range that all scores are in."""

    __slots__ = ("result",)
    result: WatchedResult

    def __new__(cls, score: float, result: WatchedResult | None = None) -> Any:
        # The module statistics builds a mean by the class of the values.
        if result is None:
            return float(score)
        self = super().__new__(cls, score)
        self.result = result
        return self

    def __bool__(self) -> bool:
        self.result.look_away()
        return super().__bool__()

    def __eq__(self, other: object) -> bool:
        return self._answer(super().__eq__(other), holds_always=isinstance(other, WatchedScore))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__

    def __repr__(self) -> str:
        self._show()
        return super().__repr__()

    __str__ = __repr__

    def __format__(self, form: str) -> str:
        self._show()
        return super().__format__(form)

    def _show(self) -> None:
        if not self.result.look("evidence", is_firm=False):
            self.result.look_away()

    def __ge__(self, other: Any) -> bool:
        return self._answer(super().__ge__(other), holds_always=_is_number(other) and other <= 0.0)

    def __gt__(self, other: Any) -> bool:
        return self._answer(super().__gt__(other), holds_always=_is_number(other) and other < 0.0)

    def __le__(self, other: Any) -> bool:
        return self._answer(super().__le__(other), holds_always=_is_number(other) and other >= 1.0)

    def __lt__(self, other: Any) -> bool:
        return self._answer(super().__lt__(other), holds_always=_is_number(other) and other > 1.0)

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)

    def _answer(self, answer: bool, *, holds_always: bool) -> bool:  # noqa: FBT001 - what Python asked for
        if answer is not NotImplemented and (holds_always or not self.result.look(truth=answer)):
            self.result.look_away()
        return answer


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, WatchedScore)
