"""`Comparator`: comparisons with defaults and soft checks, behind the fixture ``comparator``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from pytest_verdict.comparison import HIDDEN, Expectation, build_failure, describe_failure, find_operator
from pytest_verdict.core.kernel import check_threshold, is_skip_or_xfail
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult, has_passed
from pytest_verdict.errors import SettingsError
from pytest_verdict.session import SESSION
from pytest_verdict.signatures import typed_comparator, typed_defaults

_MOST_SHOWN: Final = 20


class _Failure(NamedTuple):
    """Comparisons that did not pass, and those of them that decide."""

    description: str | Callable[[], str]
    results: Sequence[ComparisonResult]
    deciders: Sequence[ComparisonResult]

    def describe(self) -> str:
        return self.description() if callable(self.description) else self.description


class Comparator:
    """Comparisons with defaults, and soft checks; the fixture ``comparator`` returns one.

    It is immutable: `with_defaults` returns another one. Call it to compare without asserting; inside `collect`, every
    comparison that did not pass fails the test at the end of the block.

    Example:
        >>> comparator = Comparator().with_defaults("numeric_tolerance", tolerance=0.5, mode="absolute")
        >>> comparator("numeric_tolerance", 37.0, 36.8).passed
        True
    """

    __slots__ = ("_collecting", "_defaults")

    def __init__(self) -> None:
        # Threshold and settings by operator; None is for all operators.
        self._defaults: dict[str | None, tuple[float | None, Mapping[str, Any]]] = {}
        # Shared by the copies that with_defaults makes, so that all of them collect together.
        self._collecting: list[list[_Failure]] = []

    def __repr__(self) -> str:
        names = ["all operators" if operator is None else operator for operator in self._defaults]
        return "Comparator()" + (f" with defaults for {', '.join(names)}" if names else "")

    if not TYPE_CHECKING:  # Type checkers report unknown attributes themselves.

        def __getattr__(self, name: str) -> NoReturn:
            __tracebackhide__ = True
            from pytest_verdict.explanation.call_hints import unknown_attribute

            raise unknown_attribute(name)

    @typed_comparator
    def __call__(
        self,
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
        """Compare as `compare` does, with the defaults of this comparator; inside `collect`, a failure fails the test.

        Args:
            operator: The name of a registered operator, or an operator.
            expected: The expected value; for ``regex`` the pattern.
            observed: The observed value.
            threshold: The lowest score that passes, in (0, 1] (default: that of the comparator, then of the operator).
            name: The name of this comparison in the report.
            extract: The part of observed that is compared, as in `compare`.
            message: The first line of a failure, as in `compare`.
            **settings: The operator's settings, which override the defaults.

        Returns:
            The result: a fail with a note if observed cannot be read, an ``error`` if expected cannot be used.

        Raises:
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        limit, settings = self.complete(operator, threshold, settings)
        operator = find_operator(operator, expected, observed, settings)
        operator.check_threshold(threshold)
        result = Expectation(operator, expected, limit, name, extract, message).compare(observed)
        if self._collecting and not has_passed(result):
            self.fail(functools.partial(describe_failure, result), [result])
        return result

    @typed_comparator
    def assert_matches(
        self,
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
        """Compare, and fail the test unless the comparison passes; inside `collect`, fail it at the end of the block.

        Args:
            operator: The name of a registered operator, or an operator.
            expected: The expected value; for ``regex`` the pattern.
            observed: The observed value.
            threshold: The lowest score that passes, in (0, 1] (default: that of the comparator, then of the operator).
            name: The name of this comparison in the report.
            extract: The part of observed that is compared, as in `compare`.
            message: The first line of a failure, as in `compare`.
            **settings: The operator's settings, which override the defaults.

        Returns:
            The result; inside `collect` it may be one that did not pass.

        Raises:
            MismatchError: The comparison did not pass, outside `collect`.
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        __tracebackhide__ = HIDDEN
        # The overloads refuse a union of names and operators.
        call: Any = self
        result: ComparisonResult = call(
            operator, expected, observed, threshold, name=name, extract=extract, message=message, **settings
        )
        if not self._collecting and not has_passed(result):
            raise build_failure(describe_failure(result), [result])
        return result

    def fail(
        self,
        description: str | Callable[[], str],
        results: Sequence[ComparisonResult],
        deciders: Sequence[ComparisonResult] | None = None,
    ) -> None:
        """Fail the test because of earlier comparisons; inside `collect`, fail it at the end of the block.

        Args:
            description: Lines that describe what did not pass, or a function that returns them.
            results: The comparisons.
            deciders: The comparisons among them that decide, such as the gate of a data set (default: all).

        Raises:
            MismatchError: All deciders failed, outside `collect`.
            UndecidedError: A decider is an ``error``, outside `collect`.
        """
        __tracebackhide__ = HIDDEN
        failure = _Failure(description, results, results if deciders is None else deciders)
        if not self._collecting:
            raise build_failure(failure.describe(), results, deciders)
        # Described at the end of the block, because only the first ones are shown.
        self._collecting[-1].append(failure)

    def collect(self) -> Collection:
        """Make all comparisons of a ``with`` block, and fail at its end if any did not pass.

        Returns:
            A context manager that yields this comparator. At the end of the block it raises `MismatchError` if a comparison
            did not pass. An exception of the block itself is raised with the failures as a note.
        """
        return Collection(self, self._collecting)

    def complete(
        self, operator: str | Operator | Mapping[str, Any], threshold: float | None, settings: dict[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Add the defaults of this comparator to the arguments of a call; for families that compare themselves.

        Args:
            operator: The name of a registered operator, or an operator, which has no defaults.
            threshold: The threshold of the call.
            settings: The settings of the call, which override the defaults.

        Returns:
            The threshold and the settings.
        """
        if isinstance(operator, str) and operator in self._defaults:
            default_threshold, default_settings = self._defaults[operator]
            settings = {**default_settings, **settings}
            threshold = default_threshold if threshold is None else threshold
        if threshold is None and None in self._defaults:
            threshold = self._defaults[None][0]
        return threshold, settings

    @typed_defaults
    def with_defaults(
        self, operator: str | None = None, /, *, threshold: float | None = None, **settings: Any
    ) -> Comparator:
        """Return a comparator with other defaults.

        Args:
            operator: The operator of the defaults (default: the threshold is for all operators).
            threshold: The lowest score that passes, in (0, 1].
            **settings: Settings of that operator.

        Returns:
            A new comparator.

        Raises:
            ConfigurationError: The operator, a setting or the threshold is wrong, or there are settings without an operator.
        """
        if operator is None and settings:
            raise SettingsError(
                f"settings {', '.join(sorted(settings))} need the operator they are for as first argument"
            )
        if threshold is not None:
            threshold = check_threshold(threshold)
        if operator is not None:
            REGISTRY.refuse_unknown_settings(operator, settings)
        previous_threshold, previous_settings = self._defaults.get(operator, (None, {}))
        settings = {**previous_settings, **settings}
        if operator is not None:
            fields = REGISTRY.find(operator).model_fields
            # Calls may still add required settings, so only complete settings are checked.
            if all(name in settings for name, field in fields.items() if field.is_required()):
                REGISTRY.build(operator, settings).check_configured_threshold(threshold)
        comparator = Comparator()
        comparator._defaults = {**self._defaults, operator: (threshold or previous_threshold, settings)}
        comparator._collecting = self._collecting
        return comparator


class Collection:
    """The ``with`` block of soft checks that `Comparator.collect` returns."""

    __slots__ = ("_collecting", "_comparator", "_compared_before", "_failures")

    def __init__(self, comparator: Comparator, collecting: list[list[_Failure]]) -> None:
        self._collecting = collecting
        self._comparator = comparator
        self._failures: list[_Failure] = []

    def __enter__(self) -> Comparator:
        self._collecting.append(self._failures)
        self._compared_before = SESSION.compared
        return self._comparator

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        __tracebackhide__ = HIDDEN
        # By identity, because list.remove would remove an equal block, such as an outer one that is empty too.
        self._collecting[:] = [block for block in self._collecting if block is not self._failures]
        failures, self._failures = self._failures, []
        if not failures:
            return
        if error is not None:
            from unittest import SkipTest

            if not isinstance(error, SkipTest) and not is_skip_or_xfail(error):
                error.add_note(self._describe(failures))
                return
        results = [result for failure in failures for result in failure.results if not has_passed(result)]
        deciders = [result for failure in failures for result in failure.deciders]
        raise build_failure(self._describe(failures), results, deciders) from error

    def _describe(self, failures: list[_Failure]) -> str:
        # Imported only for failures.
        from pytest_verdict.explanation.lines import Part, block, lines_of

        compared = SESSION.compared - self._compared_before
        limit = None if SESSION.budget.lines == 0 else _MOST_SHOWN
        blocks = [lines_of(failure.describe()) for failure in failures[:limit]]
        lines = [line for lines in blocks for line in lines]
        if compared > 1:
            counts = f"{len(failures)} failed, {compared} compared; first "
            lines.insert(0, (Part(counts), *blocks[0][0]))
        if len(blocks) < len(failures):
            lines.append((Part(f"{len(failures) - len(blocks)} more are in the report; -vv shows them here"),))
        return block(lines)
