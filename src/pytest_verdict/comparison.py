"""`compare`, `assert_matches` and `expect`."""

from __future__ import annotations

import copy
import functools
import json
import operator as python_operator
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult, has_error, has_passed
from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.placeholders import ABSENT, Accepted
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

# pytest hides frames with this value for our own errors, and shows the whole traceback of a bug.
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
        threshold: The lowest score that passes, in (0, 1] (default: that of the operator, 1.0 for most).
        name: The name of this comparison in the report.
        extract: The part of observed that is compared: a step such as ``"last_number"`` or ``{"after": "Answer:"}``, or several.
        message: The first line of a failure; records do not have it.
        **settings: The settings of an operator that is passed by name.

    Returns:
        The result: a fail with a note if observed cannot be read, and an ``error`` if expected cannot be used or the operator
        raises.

    Raises:
        ArgumentsError: Operator, expected or observed is missing. It is a ``TypeError``.
        UnknownOperatorError: No operator of that name is registered.
        SettingsError: A setting is unknown, missing or has a value that is not allowed.
        ThresholdError: The threshold is not in (0, 1].

    Example:
        >>> compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute").passed
        True
    """
    operator = find_operator(operator, expected, observed, settings)
    if threshold is not None:
        operator.check_threshold(threshold)
    if extract is None and message is None and type(expected) is not Accepted:
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
        threshold: The lowest score that passes, in (0, 1] (default: that of the operator).
        name: The name of this comparison in the report.
        extract: The part of observed that is compared: a step such as ``"last_number"`` or ``{"after": "Answer:"}``, or several.
        message: The first line of a failure; records do not have it.
        **settings: The settings of an operator that is passed by name.

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
    # The overloads refuse a union of names and operators.
    call: Any = compare
    result: ComparisonResult = call(
        operator, expected, observed, threshold, name=name, extract=extract, message=message, **settings
    )
    if not has_passed(result):
        raise build_failure(describe_failure(result), [result])
    return result


def build_failure(
    description: str, results: Sequence[ComparisonResult], deciders: Sequence[ComparisonResult] | None = None
) -> MismatchError | UndecidedError:
    """Return the exception of comparisons that did not pass; the session remembers it until somebody hears it."""
    kind: type[MismatchError | UndecidedError] = MismatchError
    if any(map(has_error, results if deciders is None else deciders)):
        kind = UndecidedError
    failure = kind(description, results)
    if SESSION.failure_observer is not None:
        SESSION.failure_observer(failure)
    return failure


def describe_failure(result: ComparisonResult) -> str:
    """Format a failed comparison; every way to assert prints this block."""
    # Imported only for failures.
    from pytest_verdict.explanation import failure_block
    from pytest_verdict.explanation.advice import advise
    from pytest_verdict.explanation.lines import block, line

    # A plain result, because reading a watched one counts as a look of the test.
    result = copy.copy(result)
    redaction = SESSION.redaction
    advice: list[str] = []
    if SESSION.advice and not result.negated:
        advice = [redact_text(sentence, redaction) for sentence in advise(result)]
    text = failure_block(redact_result(result, redaction), SESSION.budget, advice)
    if result.message is not None:
        # Redacted before it is split, because a secret may have several lines.
        message = redact_text(result.message, redaction)
        text = block([*map(line, message.split("\n")), *text.lines])
    if redaction is None:
        return text
    return text.redact(redaction)


def redact_result(result: ComparisonResult, redaction: Redaction | None) -> ComparisonResult:
    """Return a result with redacted values, or the same result if it has no secret."""
    if hiding(redaction, result.expected, result.observed) is None:
        return result
    text = result.to_text(redaction)
    if REDACTED_VALUE not in text:
        return result
    return ComparisonResult.from_record(json.loads(text))


def find_operator(operator: Any, expected: Any, observed: Any, settings: Mapping[str, Any]) -> Operator:
    """Return the operator of a call, which is one, or is named with its settings."""
    if expected is ABSENT or observed is ABSENT:
        from pytest_verdict.explanation.call_hints import missing_arguments

        raise missing_arguments(operator, expected, observed, settings)
    if isinstance(operator, str):
        return REGISTRY.build(operator, settings)
    if not isinstance(operator, Operator):
        from pytest_verdict.explanation.call_hints import not_an_operator

        raise not_an_operator(operator, settings)
    if settings:
        names = ", ".join(f"{name}=..." for name in sorted(settings))
        raise SettingsError(f"settings go into the operator: {type(operator).__name__}({names})")
    return operator


class Expectation:
    """The right-hand side of ``assert observed == expect(...)``.

    `expect` returns it. Each ``==`` is another comparison and gives its result, so that a statement without
    ``assert`` checks nothing.

    Example:
        >>> expect("normalized_exact", "Paris").compare(" paris").passed
        True
    """

    __slots__ = ("_compare", "_expected", "_message", "_name", "_operator", "_threshold", "was_compared")
    __hash__ = None  # type: ignore[assignment]
    # NumPy arrays and scalars then call this class for ==, and do not compare item by item.
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
        self.was_compared = False
        self._compare: Callable[..., ComparisonResult] = run
        if extract is not None:
            # Imported only if it is needed.
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
        """Compare as `compare` does, without a record.

        Args:
            observed: The observed value.
            negated: Whether the test expects that the values do not match.

        Returns:
            The result.
        """
        self.was_compared = True
        compare = functools.partial(self._compare, self._operator)
        if type(self._expected) is Accepted:
            compare = functools.partial(_compare_with_accepted, self._operator, compare)
        result: ComparisonResult = compare(
            self._expected, observed, threshold=self._threshold, name=self._name, negated=negated
        )
        if self._message is not None:
            return result.replace(message=self._message)
        return result

    if not TYPE_CHECKING:  # Type checkers report unknown attributes themselves.

        def __getattr__(self, name: str) -> NoReturn:
            __tracebackhide__ = True
            raise AttributeError(f'an expectation has no {name!r}: write assert observed == expect("exact", expected)')

    def __eq__(self, other: object) -> ComparisonResult:  # type: ignore[override]
        return self._publish_unless_explaining(self.judge(other))

    def __ne__(self, other: object) -> ComparisonResult:  # type: ignore[override]
        return self._publish_unless_explaining(self.judge(other, negated=True))

    def __bool__(self) -> NoReturn:
        raise ArgumentsError("an expectation is neither true nor false: write assert observed == expect(...)")

    def _publish_unless_explaining(self, result: ComparisonResult) -> ComparisonResult:
        # pytest compares again to explain a failure; the comparison of the test is already recorded.
        if SESSION.explaining_thread == get_ident():
            return result
        return publish(result)

    def __repr__(self) -> str:
        return f"expect({self._operator.recorded_name()!r}, {safe_repr(self._expected)})"


def accepted() -> Any:
    """Return the expected value that stands for the accepted values of a comparison.

    They are in ``<module>.accepted.yaml`` beside the test module, by the test and the name of the comparison. Of several
    values the one with the highest score decides. ``pytest-verdict accept`` writes them; a session never does.

    Returns:
        A value for ``expected`` of `compare`, `assert_matches` and `expect`, which then need a ``name``. A comparison without
        accepted values is an ``error``.

    Example:
        >>> accepted()
        accepted()
    """
    return Accepted()


def _compare_with_accepted(
    operator: Operator, compare: Callable[..., ComparisonResult], _: Accepted, observed: Any, **arguments: Any
) -> ComparisonResult:
    """Compare with each accepted value, and return the result of the best; one that cannot be used is an error."""
    if arguments["name"] is None:
        raise ArgumentsError('accepted() needs the name of the comparison: assert_matches(..., name="greeting")')
    if not operator.needs_expected():
        raise SettingsError(f"{operator.recorded_name()}: the settings have the expected value, so accepted() has none")
    if SESSION.find_accepted is None:
        raise ConfigurationError(
            "accepted() is for tests: without a session of pytest there is no file with the values"
        )
    entry = SESSION.find_accepted(arguments["name"])
    results = [
        compare(value, observed, accepted=entry.origin(position), **arguments)
        for position, value in enumerate(entry.values or [None])
    ]
    for result in results:
        if has_error(result):
            return result
    # The score alone decides: of equal ones the first.
    return max(results, key=lambda result: result.outcome.score)


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
    """Return the right-hand side of an ``==`` that compares by a named operator.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        threshold: The lowest score that passes, in (0, 1] (default: that of the operator).
        name: The name of this comparison in the report.
        extract: The part of observed that is compared, as in `compare`.
        message: The first line of a failure, as in `compare`.
        **settings: The settings of an operator that is passed by name.

    Returns:
        A value whose ``==`` compares, and gives a result that is true for a value that passes.

    Raises:
        ConfigurationError: The operator, a setting or the threshold is wrong.

    Example:
        >>> assert 36.8 == expect("numeric_tolerance", 37.0, tolerance=0.5, mode="absolute")
    """
    if expected is ABSENT:
        raise ArgumentsError('expect takes operator and expected: write assert observed == expect("exact", expected)')
    operator = find_operator(operator, expected, None, settings)
    operator.check_threshold(threshold)
    expectation = Expectation(operator, expected, threshold, name, extract, message)
    if SESSION.expectation_observer is not None:
        SESSION.expectation_observer(expectation)
    return expectation
