"""`Comparator`: comparisons with defaults and soft checks, behind the fixture ``comparator``."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.core.kernel import checked_threshold
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import MismatchError, SettingsError
from pytest_verdict.session import SESSION
from pytest_verdict.signatures import typed_comparator, typed_defaults

_MOST_SHOWN: Final = 20


_Failure = tuple[Callable[[], str], Sequence[ComparisonResult]]
"""What describes a comparison that did not pass, and the comparison, or several."""


class Comparator:
    """Comparisons with defaults of their own, and soft checks; what the fixture ``comparator`` gives.

    It is immutable: `with_defaults` returns another one. Call it to compare without asserting; inside `collect`, a comparison
    that did not pass fails the test at the end of the block, whichever way it was made.

    Example:
        >>> comparator = Comparator().with_defaults("numeric_tolerance", tolerance=0.5, mode="absolute")
        >>> comparator("numeric_tolerance", 37.0, 36.8).passed
        True
    """

    __slots__ = ("_collecting", "_defaults")

    def __init__(self) -> None:
        # Threshold and settings by operator; None stands for all operators.
        self._defaults: dict[str | None, tuple[float | None, Mapping[str, Any]]] = {}
        # Shared by the copies that with_defaults makes, so that all of them collect together.
        self._collecting: list[list[_Failure]] = []

    def __repr__(self) -> str:
        names = ["all operators" if operator is None else operator for operator in self._defaults]
        return "Comparator()" + (f" with defaults for {', '.join(names)}" if names else "")

    if not TYPE_CHECKING:  # A type checker refuses an unknown attribute by itself.

        def __getattr__(self, name: str) -> NoReturn:
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
        """Compare as `compare` does, with the defaults of this comparator; inside `collect`, what does not pass fails the test.

        Args:
            operator: The name of a registered operator, or an operator.
            expected: The expected value; for ``regex`` the pattern.
            observed: The observed value.
            threshold: The lowest score that passes, in (0, 1]; the default unless given.
            name: What to call this comparison in the report.
            extract: Which part of observed is compared, as in `compare`.
            message: What a failure says first, as in `compare`.
            **settings: The operator's settings; they come before the defaults.

        Returns:
            The result. Evidence that cannot be read is a fail with a note, an expected value that cannot be used an ``error``.

        Raises:
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        threshold, settings = self.complete(operator, threshold, settings)
        options: Any = {"name": name, "extract": extract, "message": message}
        result = compare(operator, expected, observed, threshold, **options, **settings)  # type: ignore[arg-type]
        if self._collecting:
            # Looking at a copy does not count as a look at the result of the test.
            plain = copy.copy(result)
            if not plain.passed:
                self._fail(functools.partial(describe_failure, plain), [result])
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
            threshold: The lowest score that passes, in (0, 1]; the default unless given.
            name: What to call this comparison in the report.
            extract: Which part of observed is compared, as in `compare`.
            message: What a failure says first, as in `compare`.
            **settings: The operator's settings; they come before the defaults.

        Returns:
            The result; inside `collect` it may be one that did not pass.

        Raises:
            MismatchError: The comparison did not pass, outside `collect`.
            ConfigurationError: The operator, a setting or the threshold is wrong.
        """
        __tracebackhide__ = HIDDEN
        options: Any = {"name": name, "extract": extract, "message": message}
        result = self(operator, expected, observed, threshold, **options, **settings)  # type: ignore[arg-type]
        if not self._collecting and not result.passed:
            raise MismatchError(describe_failure(result), [result])
        return result

    def fail(self, description: str, results: Sequence[ComparisonResult]) -> None:
        """Fail the test because of comparisons that were made already; inside `collect`, fail it at the end of the block.

        Args:
            description: Lines that say what did not pass.
            results: The comparisons.

        Raises:
            MismatchError: Always, outside `collect`.
        """
        __tracebackhide__ = HIDDEN
        self._fail(lambda: description, results)

    def _fail(self, describe: Callable[[], str], results: Sequence[ComparisonResult]) -> None:
        __tracebackhide__ = HIDDEN
        if not self._collecting:
            raise MismatchError(describe(), results)
        # Described at the end of the block, as far as it is shown: of thousands that would take long.
        self._collecting[-1].append((describe, tuple(results)))

    def collect(self) -> Collection:
        """Make every comparison of this comparator inside the ``with`` block, then fail once with all that did not pass.

        Returns:
            A context manager, whose ``as`` gives this comparator. At the end of the block it raises `MismatchError` when at
            least one comparison did not pass. When the block itself raises, that exception goes on, with the failures as a
            note.
        """
        return Collection(self, self._collecting)

    def complete(
        self, operator: str | Operator | Mapping[str, Any], threshold: float | None, settings: dict[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Add the defaults of this comparator to what a call gives; for families that compare by themselves.

        Args:
            operator: The name of a registered operator, or an operator, which has no defaults.
            threshold: What the call gives.
            settings: What the call gives; they come before the defaults.

        Returns:
            Threshold and settings to compare with.
        """
        if isinstance(operator, str) and operator in self._defaults:
            own, given = self._defaults[operator]
            settings = {**given, **settings}
            threshold = own if threshold is None else threshold
        if threshold is None and None in self._defaults:
            threshold = self._defaults[None][0]
        return threshold, settings

    @typed_defaults
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
            threshold = checked_threshold(threshold)
        if operator is not None:
            REGISTRY.refuse_unknown_settings(operator, settings)
        threshold_before, settings_before = self._defaults.get(operator, (None, {}))
        settings = {**settings_before, **settings}
        if operator is not None:
            _refuse_wrong_settings(operator, settings)
        made = Comparator()
        made._defaults = {**self._defaults, operator: (threshold or threshold_before, settings)}
        made._collecting = self._collecting
        return made


def _refuse_wrong_settings(operator: str, settings: Mapping[str, Any]) -> None:
    fields = REGISTRY.find(operator).model_fields
    # What is required may still come with the call; until then nothing can be said.
    if all(name in settings for name, field in fields.items() if field.is_required()):
        REGISTRY.build(operator, settings)


class Collection:
    """The ``with`` block of soft checks; made by `Comparator.collect`."""

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
        # By identity: list.remove would take another block that is equal, such as an outer one that is empty as well.
        self._collecting[:] = [block for block in self._collecting if block is not self._failures]
        failures, self._failures = self._failures, []
        if not failures:
            return
        if error is not None and not _hides_failures(error):
            error.add_note(self._describe(failures))
            return
        results = [result for _, found in failures for result in found if not result.passed]
        raise MismatchError(self._describe(failures), results) from error

    def _describe(self, failures: list[_Failure]) -> str:
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import Part, block, lines_of

        made = SESSION.compared - self._compared_before
        shown = failures if SESSION.budget.lines == 0 else failures[:_MOST_SHOWN]
        blocks = [lines_of(describe()) for describe, _ in shown]
        lines = [line for described in blocks for line in described]
        if made > 1:
            counts = f"{len(failures)} failed, {made} compared; first "
            lines.insert(0, (Part(counts), *blocks[0][0]))
        if len(shown) < len(failures):
            lines.append((Part(f"{len(failures) - len(shown)} more are in the report; -vv shows them here"),))
        return block(lines)


def _hides_failures(error: BaseException) -> bool:
    """Say whether a test that raises this is shown as skipped or expected to fail."""
    # Not imported: where pytest is not loaded, nobody can have raised these.
    pytest, unittest = sys.modules.get("pytest"), sys.modules.get("unittest")
    kinds = [pytest.skip.Exception, pytest.xfail.Exception] if pytest else []
    return isinstance(error, (*kinds, unittest.SkipTest) if unittest else tuple(kinds))
