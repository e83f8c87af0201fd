"""Operators on evidence that did not come from two values: an output as such, a failure to compare, what a scorer said."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import PASS, Operator
from pytest_verdict.core.result import ComparisonResult, Outcome

BLANK: Final = "blank"


class NotBlank(Operator):
    """Observed is there: not None, not NaN, no text of blanks alone, and no empty list or object.

    Zero and false are answers. Expected is not looked at, and is recorded as None.

    Example:
        >>> compare("not_blank", None, "Paris").score, compare("not_blank", None, {}).notes
        (1.0, ['blank'])
    """

    name: ClassVar[str] = "not_blank"
    kind: ClassVar[str] = "text"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected
        if _is_blank(observed):
            return Outcome(0.0, notes=(BLANK,))
        return PASS

    def effective_expected(self, expected: Any) -> None:
        """Give None: that there is something is all that is expected."""
        del expected


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, bytes | dict | list | tuple | set | frozenset) and not value)


class NotCompared(Operator):
    """Nothing was compared: observed says why, and the verdict is always ``error``.

    It records an adapter that raised, a row that is unreadable, a path that matches nothing. Such a record is neither a pass
    nor a fail, and replay derives it again like any other.

    Args:
        instead_of: The name of the operator that would have compared, where it is known.

    Example:
        >>> compare("not_compared", "Paris", "OSError: refused", instead_of="exact").error
        'OSError: refused'
    """

    name: ClassVar[str] = "not_compared"
    kind: ClassVar[str] = "evidence"

    instead_of: str | None = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected
        # A class may say of itself that it is a text.
        return Outcome(0.0, error=observed if issubclass(type(observed), str) else "no reason was recorded")


class NothingFound(NotCompared):
    """A reply has no part that could be compared, and its reader calls that a fail: observed says what is missing.

    Args:
        instead_of: The name of the operator that would have compared.

    Example:
        >>> compare("nothing_found", "50", "last_number finds nothing in 'No idea.'").verdict
        'fail'
    """

    name: ClassVar[str] = "nothing_found"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected, observed
        return Outcome(0.0, notes=(self.name,))


def not_compared(
    reason: str,
    expected: Any = None,
    *,
    instead_of: str | None = None,
    name: str | None = None,
    sources: Mapping[str, Any] | None = None,
    is_fail: bool = False,
) -> ComparisonResult:
    """Say as a result that a comparison could not be made, or that there was nothing to make it with, which is a fail."""
    kind = NothingFound if is_fail else NotCompared
    return run(kind(instead_of=instead_of), expected, reason, name=name, sources=sources)


class ScorerVerdict(Operator):
    """A scorer, an object of the user, scored the output of a scenario.

    Observed holds the output and what it said: ``{"output": ..., "score": 0.8, "passed": true, "explanation": "..."}``.
    Where ``passed`` is None the score decides, otherwise ``passed`` does. Replay derives the verdict from what was said and
    does not ask the scorer again.

    Args:
        scorer: The scorer's name.

    Example:
        >>> compare("scorer_verdict", None, {"output": "Hi", "score": 0.25}, scorer="a").score
        0.25
    """

    name: ClassVar[str] = "scorer_verdict"
    kind: ClassVar[str] = "evidence"

    scorer: str | None = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected
        said = observed if isinstance(observed, Mapping) else {}
        score = said.get("score")
        passed = said.get("passed")
        if passed is not None and not isinstance(passed, bool):
            return Outcome(0.0, error="the scorer's passed is neither True, False nor None")
        if score is None and passed is not None:
            score = 1.0 if passed else 0.0
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            return Outcome(0.0, error="the scorer's score is not a number from 0 to 1")
        details = {"score": float(score), "explanation": said.get("explanation")}
        return Outcome(float(score) if passed is None else 1.0 if passed else 0.0, details=details)
