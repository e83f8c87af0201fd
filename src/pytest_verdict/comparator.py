"""`Comparator`: comparisons with defaults and soft checks, behind the fixture ``comparator``."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from pytest_verdict.comparison import HIDDEN, checked_threshold, compare, describe_failure
from pytest_verdict.errors import MismatchError, SettingsError, allowed
from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.registry import REGISTRY
from pytest_verdict.result import ComparisonResult
from pytest_verdict.soft_checks import Collection, Failure

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_verdict.blind.options import BlindOptions
    from pytest_verdict.blind.outcome import BlindComparison
    from pytest_verdict.mapping.input_mapping import InputMapping
    from pytest_verdict.suites.dataset_check import DatasetCheck

_TRAJECTORY_OPERATORS: Final = {
    "any": "trajectory_any_order",
    "exact": "trajectory_exact",
    "in_order": "trajectory_in_order",
    "steps": "trajectory_steps",
}


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
        self._collecting: list[list[Failure]] = []

    def __repr__(self) -> str:
        names = ["all operators" if operator is None else operator for operator in self._defaults]
        return "Comparator()" + (f" with defaults for {', '.join(names)}" if names else "")

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
        threshold, settings = self._completed(operator, threshold, settings)
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
        __tracebackhide__ = HIDDEN
        result = self(operator, expected, observed, threshold, name=name, **settings)
        if not result.passed:
            self._fail(functools.partial(describe_failure, result), [result])
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
        self._collecting[-1].append(Failure(describe, tuple(results)))

    def trajectory(
        self,
        expected: Any,
        observed: Any,
        threshold: float | None = None,
        *,
        order: str = "any",
        name: str | None = None,
        **settings: Any,
    ) -> ComparisonResult:
        """Compare two trajectories, without asserting.

        Args:
            expected: The expected calls; see docs/how-to/trajectories.md for what is read.
            observed: The observed calls.
            threshold: The lowest score that passes, in (0, 1]; the default unless given.
            order: ``any``, ``in_order`` or ``exact``: the operator ``trajectory_any_order``, ``trajectory_in_order`` or
                ``trajectory_exact``; or ``steps`` for ``trajectory_steps``.
            name: What to call this comparison in the report.
            **settings: The operator's settings, such as ``extras`` and ``args``.

        Returns:
            The result.

        Raises:
            ConfigurationError: The order, a setting or the threshold is wrong.

        Example:
            >>> Comparator().trajectory(["search", "book"], ["search", "look", "book"], order="in_order").passed
            True
        """
        if order not in _TRAJECTORY_OPERATORS:
            raise SettingsError(f"there is no order {order!r}.{allowed('order', order, _TRAJECTORY_OPERATORS)}")
        return self(_TRAJECTORY_OPERATORS[order], expected, observed, threshold, name=name, **settings)

    def blind(
        self,
        candidate_x: Any,
        candidate_y: Any,
        eval_prompt: str,
        judge: Any,
        expectations: Sequence[str] = (),
        rubric: Any = None,
        *,
        prefer: str | None = None,
        **options: Unpack[BlindOptions],
    ) -> BlindComparison:
        """Compare two outputs without the judge knowing who made which; see `pytest_verdict.blind_compare`.

        Args:
            candidate_x: See `pytest_verdict.blind_compare`, also for what follows.
            candidate_y: The other output.
            eval_prompt: The task that both were made for.
            judge: Who is asked.
            expectations: What each output should meet.
            rubric: What is scored.
            prefer: The name of the candidate that is expected to win.
            **options: See `pytest_verdict.blind.options.BlindOptions`.

        Returns:
            The comparison; true when it passed.

        Raises:
            ConfigurationError: Something is configured wrongly.
        """
        found: BlindComparison = _blind().blind_compare(
            candidate_x, candidate_y, eval_prompt, judge, expectations, rubric, prefer=prefer, **options
        )
        return found

    def assert_preferred(
        self,
        candidate: Any,
        baseline: Any,
        eval_prompt: str,
        judge: Any,
        expectations: Sequence[str] = (),
        rubric: Any = None,
        *,
        inconclusive: Literal["fail", "skip"] = "fail",
        **options: Unpack[BlindOptions],
    ) -> None:
        """Compare two outputs blindly, and fail the test unless the first wins; inside `collect`, at the end of the block.

        Args:
            candidate: See `pytest_verdict.assert_preferred`, also for what follows.
            baseline: The other output.
            eval_prompt: The task that both were made for.
            judge: Who is asked.
            expectations: What each output should meet.
            rubric: What is scored.
            inconclusive: What happens without a verdict.
            **options: See `pytest_verdict.blind.options.BlindOptions`.

        Raises:
            MismatchError: The candidate did not win, outside `collect`.
            ConfigurationError: Something is configured wrongly.
        """
        __tracebackhide__ = HIDDEN
        try:
            _blind().assert_preferred(
                candidate, baseline, eval_prompt, judge, expectations, rubric, inconclusive=inconclusive, **options
            )
        except MismatchError as failure:
            if not self._collecting:
                raise
            self.fail(str(failure), failure.results)

    def collect(self) -> Collection:
        """Make every `assert_matches` inside the ``with`` block, then fail once with all that did not pass.

        Returns:
            A context manager, whose ``as`` gives this comparator. At the end of the block it raises `MismatchError` when at
            least one comparison did not pass. When the block itself raises, that exception goes on, with the failures as a
            note.
        """
        return Collection(self, self._collecting)

    def check_dataset(
        self,
        source: str | Path | Iterable[Any],
        operator: str | Operator,
        mapping: InputMapping | Mapping[str, Any],
        *,
        threshold: float | None = None,
        pass_rate: float = 1.0,
        confidence: float = 0.95,
        ids: Any = None,
        **settings: Any,
    ) -> DatasetCheck:
        """Compare every row of a dataset, and fail the test unless enough of them pass.

        Args:
            source: The path of a JSONL, CSV, YAML, Parquet or Arrow file, or any iterable of rows; it is read row by row.
            operator: The name of a registered operator, or an operator.
            mapping: Where its inputs come from, as `InputMapping` or a dict; ``$`` is the row.
            threshold: The lowest score with which a row passes; the default unless given.
            pass_rate: The lowest share of rows that must pass, in (0, 1].
            confidence: The confidence of the interval that is shown, in (0, 1).
            ids: A path to the name of a row in the report; file and line unless given.
            **settings: The operator's settings; they come before the defaults.

        Returns:
            The counts; inside `collect` not enough rows may have passed.

        Raises:
            MismatchError: Not enough rows passed, outside `collect`. A row that is unreadable has not passed.
            ConfigurationError: Something is written wrongly.
            OSError: The file cannot be read.
        """
        __tracebackhide__ = HIDDEN
        threshold, settings = self._completed(operator, threshold, settings)
        # By name, because suites stand above comparisons and are loaded by those who use them.
        suites = importlib.import_module("pytest_verdict.suites.dataset_check")
        check: DatasetCheck = suites.check_dataset(
            source,
            operator,
            mapping,
            threshold=threshold,
            pass_rate=pass_rate,
            confidence=confidence,
            ids=ids,
            **settings,
        )
        if not check.gate.passed:
            self.fail(check.describe(), [check.gate, *check.first])
        return check

    def _completed(
        self, operator: str | Operator, threshold: float | None, settings: dict[str, Any]
    ) -> tuple[float | None, dict[str, Any]]:
        """Add the defaults to what a call gives."""
        if isinstance(operator, str) and operator in self._defaults:
            own = self._defaults[operator]
            settings = {**own.settings, **settings}
            threshold = own.threshold if threshold is None else threshold
        if threshold is None and None in self._defaults:
            threshold = self._defaults[None].threshold
        return threshold, settings

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
        before = self._defaults.get(operator, _Defaults())
        if operator is not None:
            _refuse_wrong_settings(operator, {**before.settings, **settings})
        made = Comparator()
        after = replace(before, settings={**before.settings, **settings}, threshold=threshold or before.threshold)
        made._defaults = {**self._defaults, operator: after}
        made._collecting = self._collecting
        return made


def _blind() -> Any:
    # By name, because blind comparisons stand on comparisons.
    return importlib.import_module("pytest_verdict.blind.face")


def _refuse_wrong_settings(operator: str, settings: Mapping[str, Any]) -> None:
    given = {**REGISTRY.preset(operator), **settings}
    fields = REGISTRY.find(operator).model_fields
    # What is required may still come with the call; until then nothing can be said.
    if all(name in given for name, field in fields.items() if field.is_required()):
        REGISTRY.build(operator, settings)
