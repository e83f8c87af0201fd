"""Checking a whole dataset in one test: a record per row, and a gate on the share that passed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import Counts, merge_counts, summed
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.datasets.rows import checked_size, label_of, numbered_rows
from pytest_verdict.datasets.scored_rows import SAMPLES, JudgedRows, RowCheck, judge_rows
from pytest_verdict.datasets.selection import Selection, taken
from pytest_verdict.datasets.slices import single_rows, slices
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.session import SESSION, publish
from pytest_verdict.signatures import OperatorName

if TYPE_CHECKING:
    from pytest_verdict.datasets.parallel_check import PartRows


@dataclass(frozen=True, slots=True)
class DatasetCheck:
    """What came of a dataset.

    Args:
        passed: How many rows passed.
        failed: How many rows failed.
        errors: How many rows could not be compared, the unreadable ones among them.
        unreadable: How many rows could not be read.
        first: The first comparisons that did not pass, at most five.
        gate: The comparison that decides: the share of passes with its confidence interval.
        size: The comparison of the number of rows with the expected one, where it is given.

    Example:
        >>> rows = [{"want": "a", "got": "a"}, {"want": "b", "got": "c"}, {"want": "d"}]
        >>> check = check_dataset(rows, "exact", {"expected": "$.want", "observed": "$.got"}, pass_rate=0.3)
        >>> check.passed, check.failed, check.errors, check.total, check.gate.verdict
        (1, 1, 1, 3, 'pass')
        >>> check.interval
        (0.008403, 0.905701)
    """

    passed: int
    failed: int
    errors: int
    unreadable: int
    first: tuple[ComparisonResult, ...]
    gate: ComparisonResult
    size: ComparisonResult | None = None

    @property
    def total(self) -> int:
        """How many rows there were."""
        return self.passed + self.failed + self.errors

    @property
    def compared(self) -> int:
        """How many rows were really compared: those that passed or failed."""
        return self.passed + self.failed

    @property
    def rate(self) -> float:
        """The share of rows that passed; 0.0 when there were none."""
        return self.passed / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The exact confidence interval of the true share."""
        low, high = self.gate.details.get("interval", (0.0, 1.0))
        return low, high

    def describe(self) -> str:
        """Lay out what came of the dataset.

        Returns:
            Lines of plain text: the counts, the gate, and the blocks of the first rows that did not pass.
        """
        low, high = self.interval
        errors = f"{self.errors} could not be compared"
        unreadable = f" ({self.unreadable} of these could not be read)" if self.unreadable else ""
        asked = f"pass rate {self.rate:.6g}, at least {self.gate.expected:g} is asked for"
        true_rate = f"the true rate is from {low:g} to {high:g} (confidence {self.gate.settings['confidence']:g})"
        passed = f"{self.passed} of {counted(self.total, 'row')} passed, {self.failed} failed"
        lines = [f"{passed}, {errors}{unreadable}", f"{asked}; {true_rate}"]
        if self.size is not None and not self.size.passed:
            least = "at least " if self.size.operator == "numeric_minimum" else ""
            lines.append(
                f"there are {counted(self.size.observed, 'row')}, and {least}{self.size.expected} are expected"
            )
        if not self.gate.passed and self.gate.error:
            lines.append(self.gate.error)
        if self.first:
            lines.append(f"the first {len(self.first)} of {self.failed + self.errors} that did not pass:")
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import Part, block, lines_of

        blocks = [lines_of(describe_failure(result)) for result in self.first]
        first = (Part("; first "), *blocks[0][0]) if blocks else ()
        head, *rest = ((Part(text),) for text in lines)
        return block([(*head, *first), *rest, *(line for described in blocks for line in described)])


def check_dataset(
    source: str | Path | Iterable[Any],
    operator: str | Operator | Mapping[str, Any],
    mapping: InputMapping | Mapping[str, Any] | None = None,
    *,
    expected: str | None = None,
    observed: str | None = None,
    threshold: float | None = None,
    pass_rate: float = 1.0,
    confident: bool = False,
    confidence: float = 0.95,
    ids: Any = None,
    expect_rows: int | None = None,
    min_rows: int | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    comparator: Comparator | None = None,
    jobs: int | None = None,
    **settings: Any,
) -> DatasetCheck:
    """Compare every row of a dataset, and fail the test unless enough of them pass; each is recorded, and none is kept.

    Args:
        source: The path of a JSONL, CSV, YAML, Parquet or Arrow file, a table of pyarrow, or any iterable of rows; a file is
            read piece by piece.
        operator: The name of a registered operator, or an operator; or where a row has its own, as `Evaluator` takes it.
        mapping: Where its inputs come from, as `InputMapping` or a dict; ``$`` is the row.
        expected: The column with the expected value, where the mapping does not say it.
        observed: The column with the observed value, likewise.
        threshold: The lowest score with which a row passes; the default unless given.
        pass_rate: The lowest share of rows that must pass, in (0, 1].
        confident: Whether the whole confidence interval of the true share must lie at or above ``pass_rate``; then one that
            lies on both sides does not pass either.
        confidence: The confidence of the interval, in (0, 1).
        ids: A path to the name of a row in the report; file and line unless given. Two rows with one name are warned of.
        expect_rows: How many rows the data set must have, readable or not, compared or not.
        min_rows: How many it must have at least.
        limit: Only so many of the first rows are compared.
        sample: Only so many rows, or of these, chosen by the seed and their names; most of them stay when rows are added.
        seed: Chooses the sample.
        comparator: Whose defaults hold, and inside whose ``collect()`` the test fails at the end of the block.
        jobs: How many processes compare the rows of a file at once; the records are the same. This one unless given.
        **settings: The operator's settings, when it is given by name.

    Returns:
        The counts and the gate; inside ``collect()`` not enough rows may have passed.

    Raises:
        MismatchError: Not enough rows passed, or there are not as many as expected, outside ``collect()``. A row that is
            unreadable has not passed.
        ConfigurationError: Something is written wrongly.
        OSError: The file cannot be read.

    Example:
        >>> rows = [{"want": "a", "got": "A"}, {"want": "b", "got": "c"}]
        >>> check = check_dataset(rows, "normalized_exact", {"expected": "$.want", "observed": "$.got"}, pass_rate=0.5)
        >>> check.passed, check.total, check.gate.passed
        (1, 2, True)
    """
    __tracebackhide__ = HIDDEN
    chosen = comparator or Comparator()
    threshold, settings = chosen.complete(operator, threshold, settings)
    evaluator = Evaluator(operator, mapping, threshold, expected=expected, observed=observed, **settings)
    gate, pass_rate = PassRate(confident=confident, confidence=confidence), checked_rate(pass_rate)
    size, selection = _expected_size(expect_rows, min_rows), Selection(limit, sample, seed)
    if isinstance(source, Iterator) and (sample is not None or (limit is not None and size is not None)):
        # Its rows are looked at twice.
        source = [*source]
    rows = RowCheck(evaluator=evaluator, label=label_of(source), ids=ids)
    found = _judged(source, rows, selection) if jobs is None else _by_units(source, rows, selection, jobs)
    total = sum(1 for _ in numbered_rows(source)) if size and selection != Selection() else None
    check = concluded(rows.label, found, gate, pass_rate, compare, size, total)
    failed = [made for made in (check.size, check.gate) if made is not None and not made.passed]
    if failed:
        chosen.fail(check.describe(), [*failed, *check.first])
    return check


def _expected_size(expect_rows: Any, min_rows: Any) -> tuple[OperatorName, int] | None:
    exact, least = checked_size("expect_rows", expect_rows), checked_size("min_rows", min_rows)
    if exact is not None and least is not None:
        raise ConfigurationError("give expect_rows or min_rows, not both")
    name, size = ("numeric_minimum", least) if exact is None else ("numeric_exact", exact)
    return None if size is None else (OperatorName(name), size)


def checked_rate(pass_rate: Any) -> float:
    """Refuse what is no share of rows."""
    if isinstance(pass_rate, bool) or not isinstance(pass_rate, int | float) or not 0.0 < pass_rate <= 1.0:
        raise ConfigurationError(f"pass_rate must be in (0, 1], got {shown(pass_rate, 40)}")
    return float(pass_rate)


def concluded(
    label: str,
    rows: Iterable[JudgedRows | PartRows],
    gate: PassRate,
    pass_rate: float,
    compared: Callable[..., ComparisonResult],
    expected_size: tuple[OperatorName, int] | None = None,
    size: int | None = None,
) -> DatasetCheck:
    """Decide by the counts of all rows; the size of the data set is their number unless given."""
    counts: Counts = {}
    first: list[ComparisonResult] = []
    unreadable = 0
    for some in rows:
        merge_counts(counts, some.counts)
        unreadable += some.unreadable
        # This looks at each of them, so none is left for the session to complain of: the gate decides.
        first += [result for result in some.samples if not result.passed]
    passed, failed, broken = summed(counts)
    found = {"pass": passed, "fail": failed, "error": broken}
    decided = compared(gate, pass_rate, found, name=f"pass rate of {label}")
    size = sum(found.values()) if size is None else size
    sized = compared(*expected_size, size, name=f"rows of {label}") if expected_size else None
    return DatasetCheck(passed, failed, broken, unreadable, tuple(first[:SAMPLES]), decided, sized)


def _judged(source: Any, check: RowCheck, selection: Selection) -> Iterator[JudgedRows | PartRows]:
    """Compare slices of rows, or one row after the other, as source and session allow."""
    names, positions = check.names(), selection.positions(source, check)
    is_watched_singly = SESSION.observer is not None and SESSION.rows_observer is None
    together = None if is_watched_singly else slices(source, check.needed)
    found = together or single_rows(source)
    for rows in found if positions is None else taken(found, positions):
        judged = judge_rows(check.evaluator, rows, names)
        if together is None:
            publish(judged.singles[0])
        else:
            SESSION.compared += len(rows.numbers)
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(judged)
        yield judged
    names.warn(4)


def _by_units(source: Any, check: RowCheck, selection: Selection, jobs: Any) -> Iterator[JudgedRows | PartRows]:
    checked_size("jobs", jobs)
    if not isinstance(source, str | Path):
        raise ConfigurationError("jobs: several processes read a file, so give its path, or leave jobs out")
    # Processes are not loaded for others. Records of other threads are taken later, so nobody knows where these will stand.
    from pytest_verdict.datasets.parallel_check import judged_by_units

    is_main = threading.current_thread() is threading.main_thread()
    return judged_by_units(Path(source), check, selection, jobs) if is_main else _judged(source, check, selection)
