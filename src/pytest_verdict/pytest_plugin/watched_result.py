"""The result of a comparison that did not pass, as a session hands it to a test: it notes what the test reads of it."""

from __future__ import annotations

from threading import get_ident
from typing import Any, Final

from pytest_verdict.comparison import build_failure, describe_failure, redact_result
from pytest_verdict.core.result import ComparisonResult, has_error
from pytest_verdict.pytest_plugin.statements import drops_value, is_asserted
from pytest_verdict.pytest_plugin.unchecked import UncheckedComparisons, remember_failure
from pytest_verdict.session import SESSION, calling_frame

# The texts that tell a verdict from the others, if it is compared with them.
_TELLING: Final = {"fail": {"pass", "fail"}, "error": {"error"}}
# What shows that a comparison failed, unless it is empty; of an error, it shows nothing.
_OF_FAILURES: Final = frozenset(
    (
        *("passed", "score", "outcome", "notes", "details", "children"),
        *("to_text", "to_members", "to_record", "to_report"),
    )
)

# A generator, whose reader decides what becomes of its values, and the function of pytest that explains an assertion.
_READ_FOR_OTHERS: Final = frozenset(("<genexpr>", "_call_reprcompare"))


class RedactedResult(ComparisonResult):
    """A result whose text has no secret of the session."""

    __slots__ = ()

    def __repr__(self) -> str:
        if SESSION.redaction is None:
            return super().__repr__()
        return SESSION.redaction(repr(redact_result(self.replace(), SESSION.redaction)))


class WatchedResult(RedactedResult):
    """A result that is unchecked until the test looks at it."""

    __slots__ = ("_is_firm", "_is_seen", "_place", "_unchecked")

    def __init__(self, result: ComparisonResult, unchecked: UncheckedComparisons) -> None:
        super().__init__(**result.arguments())
        self._unchecked = unchecked
        self._place = unchecked.begin(self)
        self._is_seen = False
        self._is_firm = False

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name == "verdict":
            return WatchedVerdict(value, self)
        if name == "error" and value is not None:
            self.look()
        if name not in _OF_FAILURES or has_error(self):
            return value
        if name == "score":
            self.look(is_firm=False)
            return WatchedScore(value, self)
        if name == "passed" or value:
            self.look()
        return value

    def look(self, *, is_firm: bool = True) -> None:
        """Note that the test reads what came out, unless the statement that reads it drops it."""
        frame = calling_frame()
        while frame and frame.f_code.co_name in _READ_FOR_OTHERS:
            frame = frame.f_back
        if SESSION.explaining_thread == get_ident() or (frame and drops_value(frame.f_code, frame.f_lasti)):
            return
        remember_failure(self)
        if frame and is_asserted(frame.f_code, frame.f_lasti) and not self._is_seen:
            self._unchecked.wait_for_report(self._place, self)
        else:
            self.settle(is_firm=is_firm)

    def look_away(self) -> None:
        """Note that the test does not decide anything by the score that it read."""
        if self._is_seen and not self._is_firm:
            self._is_seen = False
            self._unchecked.begin_again(self._place, self)

    def settle(self, *, is_firm: bool = True) -> None:
        """End the watch."""
        self._is_firm |= is_firm
        if not self._is_seen:
            self._is_seen = True
            self._unchecked.end(self._place)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ComparisonResult):
            return self.replace() == other.replace()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.replace())

    def __bool__(self) -> bool:
        if has_error(self):
            raise build_failure(describe_failure(self), [self])
        return self.passed


class WatchedVerdict(str):
    """A verdict: a comparison with the right verdict is a look, and its truth as a text is not."""

    __slots__ = ("_result",)
    _result: WatchedResult

    def __new__(cls, verdict: str, result: WatchedResult) -> Any:
        self = super().__new__(cls, verdict)
        self._result = result
        return self

    def __eq__(self, other: object) -> bool:
        # The equality of two comparisons that did not pass does not show which verdict they have.
        is_text = isinstance(other, str) and not isinstance(other, WatchedVerdict)
        # The value of an enumeration, which `str` may show as its name.
        if is_text and str.__str__(other) in _TELLING[super().__str__()]:
            self._result.look()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        # Sets and dicts compare only verdicts with the same hash.
        if not has_error(self._result):
            self._result.look()
        return super().__hash__()

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (super().__str__(),)


class WatchedScore(float):
    """A score: whatever reads it is a look, except its truth, and a bound that every score meets."""

    __slots__ = ("_result",)
    _result: WatchedResult

    def __new__(cls, score: float, result: WatchedResult | None = None) -> Any:
        # The module statistics builds a mean by the class of the values.
        if result is None:
            return float(score)
        self = super().__new__(cls, score)
        self._result = result
        return self

    def __bool__(self) -> bool:
        self._result.look_away()
        return super().__bool__()

    def __eq__(self, other: object) -> bool:
        return self._answer(super().__eq__(other), holds_always=isinstance(other, WatchedScore))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__

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
        if holds_always:
            self._result.look_away()
        elif answer is not NotImplemented:
            self._result.look()
        return answer


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, WatchedScore)
