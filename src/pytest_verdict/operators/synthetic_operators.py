"""Operators that compare no two values: on a missing output, a comparison that could not be made, a scorer's verdict."""

import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import PASS, Operator, PassFailOperator
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.numbers import is_nan, is_number

BLANK: Final = "blank"

# Letters and symbols that are drawn as blanks.
_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc\U0001d159")
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Mc", "Me", "Mn", "Zl", "Zp", "Zs"})


class NotBlank(PassFailOperator):
    """Observed is not empty: not None, NaN or NaT, not a text without visible characters, and not an empty list or object.

    Zero and false are answers. Expected is ignored and recorded as None.

    Example:
        >>> compare("not_blank", None, "Paris").score, compare("not_blank", None, {}).notes
        (1.0, ['blank'])
    """

    name: ClassVar[str] = "not_blank"
    kind: ClassVar[str] = "text"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected
        if isinstance(observed, str):
            is_blank = is_blank_text(observed)
        else:
            is_blank = observed is None or _is_missing(observed) or _is_empty(observed)
        return Outcome(0.0, notes=(BLANK,)) if is_blank else PASS

    def effective_expected(self, expected: Any) -> None:
        del expected


def is_blank_text(text: str) -> bool:
    """Return whether a text has no visible character: only blanks, control and format characters, marks and fillers."""
    return all(character in _FILLERS or unicodedata.category(character) in _INVISIBLE for character in text)


def _is_empty(value: Any) -> bool:
    """Return whether a value has a length of 0: a container, bytes, an array, a table."""
    try:
        return len(value) == 0
    except Exception:  # noqa: BLE001 - most values have no length, and a class under test can raise anything
        return False


def _is_missing(value: Any) -> bool:
    """Return whether a value is NaN, also in Decimal, NumPy and pandas, or NA or NaT of pandas."""
    if isinstance(value, complex):
        return value != value  # noqa: PLR0124 - only NaN differs from itself
    is_marker = type(value).__name__ in {"NAType", "NaTType", "datetime64", "timedelta64"}
    return (is_marker and str(value) in {"<NA>", "NaT"}) or (is_number(value) and is_nan(value))


class NotCompared(PassFailOperator):
    """Nothing was compared: observed is the reason, and the verdict is always ``error``.

    It records, for example, an adapter that raised, a row that is unreadable, or a path without a match. Replay derives
    such a record again like any other.

    Args:
        instead_of: The name of the operator that would have compared, if known.

    Example:
        >>> compare("not_compared", "Paris", "OSError: refused", instead_of="exact").error
        'OSError: refused'
    """

    name: ClassVar[str] = "not_compared"
    kind: ClassVar[str] = "evidence"

    instead_of: str | None = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        del expected
        # isinstance() would believe a class that claims to be str.
        return Outcome(0.0, error=observed if issubclass(type(observed), str) else "no reason was recorded")


class NothingFound(NotCompared):
    """A reply lacks the part to compare, which is a fail; observed says what is missing.

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
    sources: str | None = None,
    is_fail: bool = False,
) -> ComparisonResult:
    """Return the result of a comparison that could not be made: an error, or a fail if a reply lacks the part to compare."""
    operator_class = NothingFound if is_fail else NotCompared
    return run(operator_class(instead_of=instead_of), expected, reason, name=name, sources=sources)


class ScorerVerdict(Operator):
    """A scorer of the user scored the output of a scenario.

    Observed has the output and the scorer's reply: ``{"output": ..., "score": 0.8, "passed": true, "explanation": "..."}``.
    ``passed`` decides; if it is None the score does. Replay uses the recorded reply and does not call the scorer.

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
        reply = observed if isinstance(observed, Mapping) else {}
        score = reply.get("score")
        passed = reply.get("passed")
        if passed is not None and not isinstance(passed, bool):
            return Outcome(0.0, error="the scorer's passed is neither True, False nor None")
        if score is None and passed is not None:
            score = float(passed)
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            return Outcome(0.0, error="the scorer's score is not a number from 0 to 1")
        details = {"score": float(score), "explanation": reply.get("explanation")}
        return Outcome(float(score if passed is None else passed), details=details)
