"""`compare`, `assert_matches` and `expect`."""

from __future__ import annotations

import json
import operator as python_operator
from collections.abc import Callable, Mapping
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pytest_verdict.core.kernel import checked_threshold, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import REDACTED_VALUE, Redaction, hiding, redact_text
from pytest_verdict.errors import (
    ArgumentsError,
    ConfigurationError,
    MismatchError,
    SettingsError,
    UndecidedError,
    VerdictError,
)
from pytest_verdict.session import SESSION, publish
from pytest_verdict.signatures import typed_compare, typed_expect

# pytest hides frames with this name set; a bug of ours still shows its whole traceback.
HIDDEN: Final = python_operator.methodcaller("errisinstance", (MismatchError, VerdictError))


@typed_compare
def compare(
    operator: str | Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    extract: Any = None,
    message: str | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Compare an observed value with an expected one by a named operator.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        observed: The observed value.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given, which is 1.0 for most.
        name: What to call this comparison in the report.
        extract: Which part of observed is compared: a step such as ``"last_number"`` or ``{"after": "Answer:"}``, or several.
        message: What a failure says first; it is no evidence and stands in no record.
        **settings: The operator's settings, when it is given by name.

    Returns:
        The result. Evidence that cannot be read is a fail with a note; an expected value that cannot be used, and an operator
        that raises, is an ``error``.

    Raises:
        ArgumentsError: Operator, expected or observed is missing. It is a ``TypeError``.
        UnknownOperatorError: No operator of that name is registered.
        SettingsError: A setting is unknown, missing or has a value that is not allowed.
        ThresholdError: The threshold is not in (0, 1].

    Example:
        >>> compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute").passed
        True
    """
    if expected is ABSENT or observed is ABSENT:
        from pytest_verdict.explanation.call_hints import missing_arguments

        raise missing_arguments(operator, expected, observed, settings)
    if type(operator) is str:
        operator = REGISTRY.build(operator, settings)
    else:
        operator = _resolve(operator, settings)
    if extract is None and message is None:
        return publish(run(operator, expected, observed, threshold, name))
    return Expectation(operator, expected, threshold, name, extract, message).compare(observed)


@typed_compare
def assert_matches(
    operator: str | Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    extract: Any = None,
    message: str | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Compare as `compare` does, and fail the test unless the comparison passes.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        observed: The observed value.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        name: What to call this comparison in the report.
        extract: Which part of observed is compared: a step such as ``"last_number"`` or ``{"after": "Answer:"}``, or several.
        message: What a failure says first; it is no evidence and stands in no record.
        **settings: The operator's settings, when it is given by name.

    Returns:
        The result, which passed.

    Raises:
        MismatchError: The comparison did not pass. It is an ``AssertionError``.
        ConfigurationError: The operator, a setting or the threshold is wrong.

    Example:
        >>> assert_matches("normalized_exact", expected="Paris", observed=" paris ").score
        1.0
    """
    __tracebackhide__ = HIDDEN
    options: Any = {"name": name, "extract": extract, "message": message}
    result = compare(operator, expected, observed, threshold, **options, **settings)  # type: ignore[arg-type]
    if not result.passed:
        raise MismatchError(describe_failure(result), [result])
    return result


def describe_failure(result: ComparisonResult) -> str:
    """Lay out the block that a failed comparison prints, the same in every way of asserting."""
    # Not loaded while all comparisons pass.
    from pytest_verdict.explanation import failure_block
    from pytest_verdict.explanation.advice import advise
    from pytest_verdict.explanation.lines import block, line

    redaction = SESSION.redaction
    advice: list[str] = []
    if SESSION.advice and not result.negated:
        advice = advise(result)
    if redaction is not None:
        advice = list(map(redaction, advice))
    found = failure_block(redacted_result(result, redaction), SESSION.budget, advice)
    if result.message is not None:
        # Redacted before it is cut into lines: a secret may have several.
        message = redact_text(result.message, redaction)
        found = block([*map(line, message.split("\n")), *found.lines])
    if redaction is None:
        return found
    return found.redact(redaction)


def redacted_result(result: ComparisonResult, redaction: Redaction | None) -> ComparisonResult:
    """Return a result as its record has it, when something of it must not be written down."""
    if hiding(redaction, result.expected, result.observed) is None:
        return result
    text = result.to_text(redaction)
    if REDACTED_VALUE not in text:
        return result
    return ComparisonResult.from_record(json.loads(text))


def _resolve(operator: str | Operator, settings: Mapping[str, Any]) -> Operator:
    if isinstance(operator, str):
        return REGISTRY.build(operator, settings)
    if not isinstance(operator, Operator):
        is_class = isinstance(operator, type) and issubclass(operator, Operator)
        remedy = ""
        if is_class:
            remedy = f"; make one: {operator.__name__}(...)"
        raise ArgumentsError(
            "the first argument names the operator, such as 'exact', or is one, such as Exact();"
            f" got {'none' if operator is ABSENT else safe_repr(operator)}{remedy}"
        )
    if settings:
        raise SettingsError(
            f"settings go into the operator: {type(operator).__name__}({', '.join(f'{key}=...' for key in sorted(settings))})"
        )
    return operator


class Expectation:
    """The right-hand side of ``assert observed == expect(...)``.

    Made by `expect`. It keeps no state: each ``==`` is a comparison of its own.

    Example:
        >>> expect("normalized_exact", "Paris").compare(" paris").passed
        True
    """

    __slots__ = ("_compare", "_expected", "_message", "_name", "_operator", "_threshold")
    __hash__ = None  # type: ignore[assignment]
    # NumPy arrays and scalars then leave == to this class, instead of comparing item by item.
    __array_ufunc__: None = None

    def __init__(
        self,
        operator: Operator,
        expected: Any,
        threshold: float | None,
        name: str | None,
        extract: Any = None,
        message: str | None = None,
    ) -> None:
        if message is not None and not isinstance(message, str):
            raise ConfigurationError(f"message is a text or None, got {safe_repr(message)}")
        self._operator = operator
        self._expected = expected
        self._threshold = threshold
        self._name = name
        self._message = message
        self._compare: Callable[..., ComparisonResult] = run
        if extract is not None:
            # Not loaded for comparisons of whole values.
            from pytest_verdict.extraction.evaluator import comparison_of_part

            self._compare = comparison_of_part(extract)

    def compare(self, observed: Any) -> ComparisonResult:
        """Compare an observed value with this expectation, and record it.

        Args:
            observed: The observed value.

        Returns:
            The result.
        """
        return publish(self.judge(observed))

    def judge(self, observed: Any, *, negated: bool = False) -> ComparisonResult:
        """Compare as `compare` does, and record nothing.

        Args:
            observed: The observed value.
            negated: Whether the test means that the values do not match.

        Returns:
            The result.
        """
        told: dict[str, Any] = {"threshold": self._threshold, "name": self._name, "negated": negated}
        result = self._compare(self._operator, self._expected, observed, **told)
        if self._message is not None:
            return result.with_message(self._message)
        return result

    if not TYPE_CHECKING:  # A type checker refuses an unknown attribute by itself.

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(f'an expectation has no {name!r}: write assert observed == expect("exact", expected)')

    def __eq__(self, other: object) -> bool:
        return self._holds(other, negated=False)

    def __ne__(self, other: object) -> bool:
        return self._holds(other, negated=True)

    def _holds(self, observed: object, *, negated: bool) -> bool:
        result = self.judge(observed, negated=negated)
        # What is nested in other values was recorded when the test compared them.
        if SESSION.explaining_thread == get_ident():
            return result.passed
        if result.error is not None:
            raise UndecidedError(describe_failure(result), [publish(result)])
        return publish(result).passed

    def __repr__(self) -> str:
        return f"expect({self._operator.recorded_name()!r}, {safe_repr(self._expected)})"


@typed_expect
def expect(
    operator: str | Operator,
    expected: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    extract: Any = None,
    message: str | None = None,
    **settings: Any,
) -> Expectation:
    """Make the right-hand side of an ``==`` that compares by a named operator.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        name: What to call this comparison in the report.
        extract: Which part of observed is compared, as in `compare`.
        message: What a failure says first, as in `compare`.
        **settings: The operator's settings, when it is given by name.

    Returns:
        A value that equals whatever passes the comparison.

    Raises:
        ConfigurationError: The operator, a setting or the threshold is wrong.

    Example:
        >>> 36.8 == expect("numeric_tolerance", 37.0, tolerance=0.5, mode="absolute")
        True
    """
    if expected is ABSENT:
        raise ArgumentsError('expect takes operator and expected: write assert observed == expect("exact", expected)')
    if threshold is not None:
        threshold = checked_threshold(threshold)
    return Expectation(_resolve(operator, settings), expected, threshold, name, extract, message)
