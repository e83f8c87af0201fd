"""The result that a session hands to a test: a look at it counts if it would show something else after a pass."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from types import FrameType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.comparison import build_failure, describe_failure, redact_result
from pytest_verdict.core.result import ComparisonResult, has_error, has_passed
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.pytest_plugin.effects import Effect, find_effect, is_doctest
from pytest_verdict.pytest_plugin.uses import Kind
from pytest_verdict.session import PACKAGE, SESSION

if TYPE_CHECKING:
    from pytest_verdict.pytest_plugin.unchecked import ComparisonWatch, Watch

# The texts that tell a verdict from the others, if it is compared with them.
_TELLING: Final = {"pass": {"pass", "fail"}, "fail": {"pass", "fail"}, "error": {"error"}}
# Iterators that show by `__reduce__` what they iterate over, without an item of a generator being made.
_ITERATORS: Final[tuple[type, ...]] = (
    *(type(iter(())), type(iter([])), type(iter(set())), type(iter({})), type(iter({}.values()))),
    *(type(iter({}.items())), type(reversed([])), enumerate, zip, map),
)
_DEEPEST: Final = 4
# The files of the classes of results, whose methods read for their caller.
_FILES: Final = frozenset({__file__, ComparisonResult.__init__.__code__.co_filename})


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
    """A result that tells a watch when it shows that the comparison did not pass; one that passed may settle others."""

    __slots__ = ("_session", "_watch")

    def __init__(self, result: ComparisonResult, session: ComparisonWatch, watch: Watch | None = None) -> None:
        super().__init__(**result.arguments())
        self._session = session
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
        return passed

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        score = super().score
        if has_error(self) or not self._is_watched:
            return score
        is_shown = is_doctest(_reading_frame())
        if self._watch is not None:
            self.look("evidence", is_firm=is_shown)
        if is_shown:
            return score
        watched: float = WatchedScore(score, self)
        return watched

    @property
    def verdict(self) -> Any:
        """``pass``, ``fail``, or ``error`` when the comparison could not be made."""
        if is_doctest(_reading_frame()):
            self.look()
        return WatchedVerdict(super().verdict, self)

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        if has_error(self):
            self.look("error", truth=True)
        return super().error

    @property
    def _is_watched(self) -> bool:
        return self._watch is not None or self._session.has_unchecked

    def look(self, kind: Kind = "verdict", *, truth: bool | None = None, is_firm: bool = True) -> bool:
        """Note whether the test uses the value that it reads, here and for results that it leaves unread because of it."""
        if not self._is_watched:
            return False
        frame = _reading_frame()
        effect = Effect(use=True)
        if frame is not None and not is_doctest(frame):
            effect = find_effect(frame, kind, truth)
        self.settle(effect.use, is_firm=is_firm)
        for decided in effect.decided:
            others = [other for value in decided.values() for other in _results_in(value)]
            for other in others or self._find_beside(self._session.find_made_in(decided), effect):
                if isinstance(other, WatchedResult) and other is not self and not has_error(other):
                    other.settle(effect.use)
        return effect.use is not False

    def _find_beside(self, results: list[ComparisonResult], effect: Effect) -> list[ComparisonResult]:
        """Return those of some results that are in a container with this one, or in one around it."""
        others = [other for other in results if other is not self]
        # Python has the variables of a function in a dict while somebody reads them.
        variables = {id(decided.frame.f_locals) for decided in effect.decided}
        around: list[Any] = [self]
        beside = set[int]()
        for _ in range(_DEEPEST if others else 0):
            around = [one for one in gc.get_referrers(*around) if _is_container(one) and id(one) not in variables]
            beside.update(id(result) for one in around for result in _results_in(one))
        return [other for other in others if id(other) in beside]

    def settle(self, use: bool | FrameType = True, *, is_firm: bool = True) -> None:  # noqa: FBT001, FBT002 - as of an effect
        """Note a use of this result; by default, one that ends the watch."""
        if self._watch is None:
            return
        if use is True:
            self._watch.look(is_firm=is_firm)
        elif use is not False:
            self._watch.wait_for(use)

    def look_unless_error(self, kind: Kind = "verdict", *, truth: bool | None = None) -> None:
        if self._is_watched and not has_error(self):
            self.look(kind, truth=truth)

    def look_away(self) -> None:
        if self._watch is not None:
            self._watch.look_away()

    def to_members(self, redaction: Redaction | None = None) -> str:
        """Write the members of the record without the braces of the object."""
        self.look_unless_error("evidence")
        return _plain(self).to_members(redaction)

    def to_report(self) -> dict[str, Any]:
        """Return the eight values of the Comparator pattern."""
        self.look_unless_error("evidence")
        return {**_plain(self).to_report(), "verdict": self.verdict}

    def to_record(self) -> dict[str, Any]:
        """Return the full record as JSON values."""
        return {**super().to_record(), "verdict": self.verdict}

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
    """Return the frame that reads a result or has it explained; None if this package uses what it reads."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to learn who reads
    while frame is not None and frame.f_code.co_filename in _FILES:
        frame = frame.f_back
    name = "explain"
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        name = frame.f_code.co_name
        frame = frame.f_back
    return frame if name == "explain" else None


def _plain(result: ComparisonResult) -> ComparisonResult:
    return result.replace()


def _results_in(value: Any, depth: int = 0) -> Iterator[ComparisonResult]:
    """Yield the results in a container or behind an iterator, also those of verdicts and scores."""
    if isinstance(value, ComparisonResult):
        yield value
    elif isinstance(getattr(type(value), "result", None), MemberDescriptorType):
        yield value.result
    elif depth < _DEEPEST:
        items: Iterable[Any] = ()
        if isinstance(value, dict):
            items = value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            items = value
        elif isinstance(value, _ITERATORS):
            items = value.__reduce__()[1]
        for item in items:
            yield from _results_in(item, depth + 1)


def _is_container(value: Any) -> bool:
    """Return whether a value may have results as its items, or is the verdict or score of one; a module has names instead."""
    if type(value) is dict:
        return "__builtins__" not in value
    return type(value) in {list, tuple, set, frozenset, WatchedVerdict, WatchedScore}


def _show(name: str) -> Any:
    """Build a method of a text that shows the verdict in another form."""
    plain = getattr(str, name)

    def show(self: WatchedVerdict, *arguments: Any) -> str:
        text: str = plain(str(self), *arguments)
        return text

    return show


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
            if has_passed(self.result) is not has_passed(other.result):
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
        if text in _TELLING[verdict]:
            self.result.look(truth=text == verdict)

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

    __getitem__ = _show("__getitem__")
    upper = _show("upper")
    lower = _show("lower")
    casefold = _show("casefold")
    title = _show("title")
    capitalize = _show("capitalize")
    strip = _show("strip")

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
