"""The public face: `compare`, `assert_matches`, `expect` and the `Comparator` behind the fixture."""

from __future__ import annotations

import operator as python_operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_verdict.advice import advise
from pytest_verdict.errors import ConfigurationError, MismatchError, SettingsError, ThresholdError, allowed
from pytest_verdict.explanation import failure_block
from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.registry import REGISTRY
from pytest_verdict.result import ComparisonResult, Outcome
from pytest_verdict.surroundings import SURROUNDINGS
from pytest_verdict.values.encoding import safe_repr
from pytest_verdict.values.snapshot import snapshot

# pytest hides frames with this name set; a bug of ours still shows its whole traceback.
_OURS: Final = python_operator.methodcaller("errisinstance", MismatchError)


def compare(
    operator: str | Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Compare an observed value with an expected one by a named operator.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        observed: The observed value.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given, which is 1.0 for most.
        name: What to call this comparison in the report.
        **settings: The operator's settings, when it is given by name.

    Returns:
        The result. Evidence that cannot be read is a fail with a note, an operator that raises is an ``error``.

    Raises:
        UnknownOperatorError: No operator of that name is registered.
        SettingsError: A setting is unknown, missing or has a value that is not allowed.
        ThresholdError: The threshold is not in (0, 1].

    Example:
        >>> compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute").passed
        True
    """
    found = REGISTRY.defaults.get(operator) if type(operator) is str and not settings else None
    if found is None:
        found = _resolve(operator, settings)
    limit = found.default_threshold() if threshold is None else _checked(threshold)
    try:
        outcome = found.evaluate(expected, observed)
    except Exception as error:  # noqa: BLE001 - whatever a broken operator raises, the comparison is recorded
        outcome = _broken(error)
    result = _result(found, expected, observed, limit, outcome, name)
    if SURROUNDINGS.observer is not None:
        SURROUNDINGS.observer(result)
    return result


def assert_matches(
    operator: str | Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Compare as `compare` does, and fail the test unless the comparison passes.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        observed: The observed value.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        name: What to call this comparison in the report.
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
    __tracebackhide__ = _OURS
    result = compare(operator, expected, observed, threshold, name=name, **settings)
    if not result.passed:
        raise MismatchError(describe_failure(result), [result])
    return result


def describe_failure(result: ComparisonResult) -> str:
    """Lay out the block that a failed comparison prints, the same in every way of asserting.

    Args:
        result: A comparison that did not pass.

    Returns:
        Lines of plain text, in which nothing can move the cursor or change a colour.

    Example:
        >>> print(describe_failure(compare("exact", "Paris", "London")))
        exact: fail, score 0.0 < threshold 1.0
          expected: 'Paris'
          observed: 'London'
          difference: at character 0, 'P' is not 'L'
    """
    advice = advise(result) if SURROUNDINGS.advice else []
    return failure_block(result, SURROUNDINGS.budget, advice)


def _resolve(operator: str | Operator, settings: Mapping[str, Any]) -> Operator:
    if isinstance(operator, str):
        return REGISTRY.build(operator, settings)
    if not isinstance(operator, Operator):
        raise ConfigurationError(
            f"the first argument names the operator, such as 'exact', or is one, such as ExactMatch(); got {safe_repr(operator)}"
        )
    if settings:
        raise SettingsError(
            f"settings go into the operator: {type(operator).__name__}({', '.join(f'{key}=...' for key in sorted(settings))})"
        )
    return operator


def _checked(threshold: Any) -> float:
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.0 < threshold <= 1.0:
        raise ThresholdError(threshold)
    return float(threshold)


def _broken(error: Exception) -> Outcome:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user may not even print
        text = "<unprintable>"
    return Outcome(0.0, error=f"{type(error).__name__}: {text}")


def _result(
    operator: Operator, expected: Any, observed: Any, threshold: float, outcome: Outcome, name: str | None
) -> ComparisonResult:
    expected = operator.effective_expected(expected)
    if type(expected) is not str:
        expected = snapshot(expected)
    if type(observed) is not str:
        observed = snapshot(observed)
    return ComparisonResult(operator.identity, expected, observed, threshold, outcome, name)


class Expectation:
    """The right-hand side of ``assert observed == expect(...)``.

    Made by `expect`. It keeps no state: each ``==`` is a comparison of its own.
    """

    __slots__ = ("_expected", "_name", "_operator", "_threshold")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, operator: Operator, expected: Any, threshold: float | None, name: str | None) -> None:
        self._operator = operator
        self._expected = expected
        self._threshold = threshold
        self._name = name

    def compare(self, observed: Any) -> ComparisonResult:
        """Compare an observed value with this expectation, and record it.

        Args:
            observed: The observed value.

        Returns:
            The result.
        """
        return compare(self._operator, self._expected, observed, self._threshold, name=self._name)

    def explain(self, observed: Any) -> list[str]:
        """Say why an observed value does not meet this expectation, without recording it again.

        Args:
            observed: The observed value.

        Returns:
            The lines of the failure block.
        """
        observer, SURROUNDINGS.observer = SURROUNDINGS.observer, None
        try:
            return describe_failure(self.compare(observed)).splitlines()
        finally:
            SURROUNDINGS.observer = observer

    def __eq__(self, other: object) -> bool:
        return self.compare(other).passed

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return f"expect({self._operator.recorded_name()!r}, {safe_repr(self._expected)})"


def expect(
    operator: str | Operator,
    expected: Any,
    threshold: float | None = None,
    *,
    name: str | None = None,
    **settings: Any,
) -> Expectation:
    """Make the right-hand side of an ``==`` that compares by a named operator.

    Args:
        operator: The name of a registered operator, or an operator.
        expected: The expected value; for ``regex`` the pattern.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        name: What to call this comparison in the report.
        **settings: The operator's settings, when it is given by name.

    Returns:
        A value that equals whatever passes the comparison.

    Raises:
        ConfigurationError: The operator, a setting or the threshold is wrong.

    Example:
        >>> 36.8 == expect("numeric_tolerance", 37.0, tolerance=0.5, mode="absolute")
        True
    """
    if threshold is not None:
        threshold = _checked(threshold)
    return Expectation(_resolve(operator, settings), expected, threshold, name)


@dataclass(frozen=True, slots=True)
class _Defaults:
    threshold: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class Comparator:
    """Comparisons with defaults of their own, and soft checks; what the fixture ``comparator`` gives.

    It is immutable: `with_defaults` returns another one. Call it to compare without asserting.

    Example:
        >>> comparator = Comparator().with_defaults("numeric_tolerance", tolerance=0.5, mode="absolute")
        >>> comparator("numeric_tolerance", 37.0, 36.8).passed
        True
    """

    __slots__ = ("_collecting", "_defaults")

    def __init__(self) -> None:
        self._defaults: dict[str | None, _Defaults] = {}
        # Shared by the copies that with_defaults makes, so that all of them collect together.
        self._collecting: list[list[ComparisonResult]] = []

    def __call__(
        self,
        operator: str | Operator,
        expected: Any,
        observed: Any,
        threshold: float | None = None,
        *,
        name: str | None = None,
        **settings: Any,
    ) -> ComparisonResult:
        """Compare as `compare` does, with the defaults of this comparator.

        Args:
            operator: The name of a registered operator, or an operator.
            expected: The expected value; for ``regex`` the pattern.
            observed: The observed value.
            threshold: The lowest score that passes, in (0, 1]; the default unless given.
            name: What to call this comparison in the report.
            **settings: The operator's settings; they come before the defaults.

        Returns:
            The result.

        Raises:
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        if isinstance(operator, str) and operator in self._defaults:
            own = self._defaults[operator]
            settings = {**own.settings, **settings}
            threshold = own.threshold if threshold is None else threshold
        if threshold is None and None in self._defaults:
            threshold = self._defaults[None].threshold
        return compare(operator, expected, observed, threshold, name=name, **settings)

    def assert_matches(
        self,
        operator: str | Operator,
        expected: Any,
        observed: Any,
        threshold: float | None = None,
        *,
        name: str | None = None,
        **settings: Any,
    ) -> ComparisonResult:
        """Compare, and fail the test unless the comparison passes; inside `collect`, fail it at the end of the block.

        Args:
            operator: The name of a registered operator, or an operator.
            expected: The expected value; for ``regex`` the pattern.
            observed: The observed value.
            threshold: The lowest score that passes, in (0, 1]; the default unless given.
            name: What to call this comparison in the report.
            **settings: The operator's settings; they come before the defaults.

        Returns:
            The result; inside `collect` it may be one that did not pass.

        Raises:
            MismatchError: The comparison did not pass, outside `collect`.
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        __tracebackhide__ = _OURS
        result = self(operator, expected, observed, threshold, name=name, **settings)
        if not result.passed:
            if not self._collecting:
                raise MismatchError(describe_failure(result), [result])
            self._collecting[-1].append(result)
        return result

    @contextmanager
    def collect(self) -> Iterator[Comparator]:
        """Make every `assert_matches` inside the ``with`` block, then fail once with all that did not pass.

        Returns:
            This comparator.

        Raises:
            MismatchError: At the end of the block, when at least one comparison did not pass. When the block itself raises,
                that exception goes on, with the failures as a note.
        """
        __tracebackhide__ = _OURS
        failures: list[ComparisonResult] = []
        self._collecting.append(failures)
        try:
            yield self
        except BaseException as error:
            if failures:
                error.add_note(_describe_failures(failures))
            raise
        finally:
            self._collecting.remove(failures)
        if failures:
            raise MismatchError(_describe_failures(failures), failures)

    def with_defaults(
        self, operator: str | None = None, /, *, threshold: float | None = None, **settings: Any
    ) -> Comparator:
        """Make a comparator with other defaults; this one stays as it is.

        Args:
            operator: The operator that the defaults are for; without it, the threshold is for all operators.
            threshold: The lowest score that passes, in (0, 1].
            **settings: Settings of that operator.

        Returns:
            A new comparator.

        Raises:
            ConfigurationError: The operator, a setting or the threshold is wrong, or settings are given without operator.
        """
        if operator is None and settings:
            raise SettingsError(
                f"settings {', '.join(sorted(settings))} need the operator they are for as first argument"
            )
        if threshold is not None:
            threshold = _checked(threshold)
        if operator is not None:
            _refuse_unknown_settings(operator, settings)
        made = Comparator()
        before = self._defaults.get(operator, _Defaults())
        after = replace(before, settings={**before.settings, **settings}, threshold=threshold or before.threshold)
        made._defaults = {**self._defaults, operator: after}
        made._collecting = self._collecting
        return made


def _refuse_unknown_settings(operator: str, settings: Mapping[str, Any]) -> None:
    known = REGISTRY.find(operator).model_fields
    for setting in settings:
        if setting not in known:
            raise SettingsError(f"{operator}: there is no setting {setting!r}.{allowed('setting', setting, known)}")


def _describe_failures(failures: list[ComparisonResult]) -> str:
    head = f"{len(failures)} {'comparison' if len(failures) == 1 else 'comparisons'} did not pass"
    return "\n".join([head, *(describe_failure(failure) for failure in failures)])
