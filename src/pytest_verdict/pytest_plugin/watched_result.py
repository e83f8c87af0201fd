"""The result that a session hands to a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_verdict.comparison import describe_failure, redacted_result
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.errors import ErrorVerdict
from pytest_verdict.session import SESSION


class WatchedResult(ComparisonResult):
    """A comparison as a session hands it to a test.

    Every property and method that shows the verdict calls ``on_look``; the sides, the name and `repr` do not. What `repr`
    shows is redacted. Copies and pickles are plain results.
    """

    __slots__ = ("_on_look",)

    def __init__(self, result: ComparisonResult, on_look: Callable[[], None]) -> None:
        super().__init__(**result.parts())
        self._on_look = on_look

    @property
    def outcome(self) -> Outcome:
        """The score and its evidence."""
        self._on_look()
        return super().outcome

    @property
    def score(self) -> float:
        """How well the values match, from 0.0 to 1.0."""
        self._on_look()
        return super().score

    @property
    def passed(self) -> bool:
        """Whether the comparison passed."""
        self._on_look()
        return super().passed

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail`` or ``error``."""
        self._on_look()
        return super().verdict

    @property
    def notes(self) -> list[str]:
        """Machine-readable codes."""
        self._on_look()
        return super().notes

    @property
    def details(self) -> dict[str, Any]:
        """Evidence of the operator."""
        self._on_look()
        return super().details

    @property
    def children(self) -> tuple[ComparisonResult, ...]:
        """The results of the parts, for aggregates."""
        self._on_look()
        return super().children

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        self._on_look()
        return super().error

    def to_text(self, redaction: Redaction | None = None) -> str:
        """Write the full record as one line of JSON."""
        self._on_look()
        return super().to_text(redaction)

    def __repr__(self) -> str:
        if SESSION.redaction is None:
            return super().__repr__()
        plain = ComparisonResult(**self.parts())
        return SESSION.redaction(repr(redacted_result(plain, SESSION.redaction)))

    def __bool__(self) -> bool:
        if self.error is not None:
            raise ErrorVerdict(describe_failure(self), [self])
        return self.passed
