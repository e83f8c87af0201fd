"""The result that a session hands to a test, which reports when the test reads the verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_verdict.comparison import describe_failure, redact_result
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.errors import UndecidedError
from pytest_verdict.session import SESSION


def _watch_property(name: str) -> Any:
    """Build a property that counts as a look at the verdict."""
    plain = getattr(ComparisonResult, name)

    def read(self: WatchedResult) -> Any:
        self.look()
        return plain.fget(self)

    return property(read, doc=plain.__doc__)


class WatchedResult(ComparisonResult):
    """A result that calls ``on_look`` once, when a property or method that shows the verdict is used.

    The sides, the name and `repr` do not show it. `repr` is redacted. Copies and pickles are plain results.
    """

    __slots__ = ("_on_look",)

    def __init__(self, result: ComparisonResult, on_look: Callable[[ComparisonResult], None] | None) -> None:
        super().__init__(**result.parts())
        self._on_look = on_look

    outcome = _watch_property("outcome")
    score = _watch_property("score")
    passed = _watch_property("passed")
    verdict = _watch_property("verdict")
    notes = _watch_property("notes")
    details = _watch_property("details")
    children = _watch_property("children")
    error = _watch_property("error")

    def look(self) -> None:
        on_look = self._on_look
        if on_look is not None:
            self._on_look = None
            on_look(self)

    def to_text(self, redaction: Redaction | None = None) -> str:
        """Write the full record as one line of JSON."""
        self.look()
        return super().to_text(redaction)

    def __repr__(self) -> str:
        if SESSION.redaction is None:
            return super().__repr__()
        plain = ComparisonResult(**self.parts())
        return SESSION.redaction(repr(redact_result(plain, SESSION.redaction)))

    def __bool__(self) -> bool:
        if self.error is not None:
            raise UndecidedError(describe_failure(self), [self])
        return bool(self.passed)
