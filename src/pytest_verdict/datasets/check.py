"""The check of a whole data set in one test: a record for each row, and a gate on the share that passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import Counts, merge_counts, sum_counts
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count, shown, visible
from pytest_verdict.datasets.row_check import SAMPLES, ComparedRows, RowCheck, compare_rows
from pytest_verdict.datasets.rows import (
    BATCH_ROWS,
    Row,
    Selection,
    check_count,
    label_of,
    number_rows,
    read_rows,
    rows_at,
)
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.pass_rate import PassRate, RowCount
from pytest_verdict.session import SESSION, calling_frame


@dataclass(frozen=True, slots=True)
class DatasetCheck:
    """The outcome of a data set.

    Args:
        passed: How many rows passed.
        failed: How many rows failed.
        errors: How many rows could not be compared, including the unreadable ones.
        unreadable: How many rows could not be read.
        first: The first comparisons that did not pass, at most five.
        gate: The comparison that decides: the share of rows that passed, with its confidence interval.
        size: The comparison of the number of rows, if one was expected.
        places: The file and line of each row of the first comparisons.

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
    places: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many rows there were."""
        return self.passed + self.failed + self.errors

    @property
    def compared(self) -> int:
        """How many rows were compared: those that passed or failed."""
        return self.passed + self.failed

    @property
    def rate(self) -> float:
        """The share of rows that passed; 0.0 when there were none."""
        return self.passed / self.total if self.total else 0.0

    @property
    def selected(self) -> str:
        """The rows that were compared, such as ``the first 5 rows``; empty when all were."""
        return str(self.gate.settings.get("selected", ""))

    @property
    def interval(self) -> tuple[float, float]:
        """The exact confidence interval of the true share."""
        low, high = self.gate.details.get("interval", (0.0, 1.0))
        return low, high

    def describe(self) -> str:
        """Return lines of plain text: the counts, the gate, and the first rows that did not pass."""
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import Part, block, lines_of

        unreadable = f" ({self.unreadable} of these could not be read)" if self.unreadable else ""
        passed = f"{self.passed} of {format_count(self.total, 'row')} passed, {self.failed} failed"
        summary = f"{passed}, {self.errors} could not be compared{unreadable}"
        if self.selected:
            summary += f"; only {self.selected} were compared"
        low, high = self.interval
        confidence = self.gate.settings["confidence"]
        rate = f"pass rate {self.rate:.6g}, at least {self.gate.expected:g} is asked for"
        others = [f"{rate}; the true rate is from {low:g} to {high:g} (confidence {confidence:g})"]
        if self.size is not None and not self.size.passed:
            least = "at least " if self.size.settings["at_least"] else ""
            rows = format_count(self.size.observed, "row")
            others.append(f"there are {rows}, and {least}{self.size.expected} are expected")
        if not self.gate.passed and self.gate.error:
            others.append(self.gate.error)
        if self.first:
            others.append(f"the first {len(self.first)} of {self.failed + self.errors} that did not pass:")

        failures = [lines_of(describe_failure(result)) for result in self.first]
        first_failure = (Part("; first "), *failures[0][0]) if failures else ()
        lines = [(Part(summary), *first_failure), *((Part(text),) for text in others)]
        for failure, result, place in zip(failures, self.first, self.places, strict=True):
            lines += failure
            if result.name != place:
                lines.append((Part(f"  row: {visible(place)}"),))
        return block(lines)


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
    """Compare every row of a data set, and fail the test unless enough of them pass.

    Every row is recorded. Rows are not kept in memory.

    Args:
        source: The path of a JSONL, CSV, YAML, Parquet or Arrow file, a table of pyarrow, or any iterable of rows. A file is
            read piece by piece; a relative path starts beside the file that calls, or in the current folder.
        operator: The name of a registered operator, or an operator. Rows of several kinds can have their own: see `Evaluator`.
        mapping: Where the inputs come from, as `InputMapping` or a dict; ``$`` is the row.
        expected: The column with the expected value, if the mapping has none.
        observed: The column with the observed value, if the mapping has none.
        threshold: The lowest score with which a row passes (default: that of the operator).
        pass_rate: The lowest share of rows that must pass, in (0, 1].
        confident: Whether the whole confidence interval of the true share must be at or above ``pass_rate``. An interval that
            contains ``pass_rate`` does not pass.
        confidence: The confidence of the interval, in (0, 1).
        ids: A path to the name of a row in the report (default: file and line). A name that occurs twice is a warning.
        expect_rows: How many rows the data set must have, including unreadable rows and those that are not selected.
        min_rows: How many rows it must have at least.
        limit: Compare at most this number of rows, from the start.
        sample: Compare a sample of this size, drawn by the seed and the names of the rows. Most of it stays when rows are added.
        seed: The seed of the sample.
        comparator: The comparator with the defaults. Inside its ``collect()`` the test fails at the end of the block.
        jobs: How many processes compare the rows of a file (default: this one). The records are the same.
        **settings: The operator's settings, if the operator is a name.

    Returns:
        The counts and the gate. Inside ``collect()`` the gate may have failed.

    Raises:
        MismatchError: Outside ``collect()``, not enough rows passed, or their number is not the expected one. An unreadable
            row has not passed.
        ConfigurationError: An argument is wrong.
        OSError: The file cannot be read.

    Example:
        >>> rows = [{"want": "a", "got": "A"}, {"want": "b", "got": "c"}]
        >>> check = check_dataset(rows, "normalized_exact", {"expected": "$.want", "observed": "$.got"}, pass_rate=0.5)
        >>> check.passed, check.total, check.gate.passed
        (1, 2, True)
    """
    __tracebackhide__ = HIDDEN
    comparator = comparator or Comparator()
    own_threshold = threshold
    threshold, settings = comparator.complete(operator, threshold, settings)
    evaluator = Evaluator(operator, mapping, threshold, expected=expected, observed=observed, **settings)
    if evaluator.operator is not None:
        evaluator.operator.check_configured_threshold(own_threshold)
    gate = PassRate(confident=confident, confidence=confidence)
    pass_rate = check_pass_rate(pass_rate)
    expected_size = _expected_size(expect_rows, min_rows)
    selection = Selection(limit, sample, seed)
    if isinstance(source, str | Path):
        source = _find_file(source)
    elif isinstance(source, Iterator) and (sample is not None or (limit is not None and expected_size is not None)):
        # Its rows are read twice.
        source = [*source]

    check = RowCheck(evaluator=evaluator, label=label_of(source), ids=ids)
    check_count("jobs", jobs)
    if jobs is not None and not isinstance(source, Path):
        raise ConfigurationError("jobs: several processes read a file, so give its path, or leave jobs out")
    rows = _compare(source, check, selection, jobs)
    size = None
    if expected_size is not None and selection != Selection():
        size = sum(1 for _ in read_rows(source))
    outcome = conclude(check.label, rows, gate, pass_rate, compare, selection, expected_size, size)
    failed = [result for result in (outcome.size, outcome.gate) if result is not None and not result.passed]
    if failed:
        comparator.fail(outcome.describe(), [*failed, *outcome.first], failed)
    return outcome


def _find_file(source: str | Path) -> Path:
    """Return the path of a data set: beside the file that names it, or in the current folder if it is only there."""
    path = Path(source)
    frame = calling_frame()
    if frame is None:
        return path
    beside = Path(frame.f_code.co_filename).parent / path
    if not beside.exists():
        return path
    if path.exists() and not path.samefile(beside):
        folders = f"in {beside.parent.name}, beside the file that names it, and in the current folder"
        raise ConfigurationError(f"{path} is {folders}; name one of them by Path(__file__).parent or Path.cwd()")
    return beside


def _expected_size(expect_rows: int | None, min_rows: int | None) -> tuple[RowCount, int] | None:
    """Return the operator and the number that the number of rows is compared with."""
    if expect_rows is not None and min_rows is not None:
        raise ConfigurationError("give expect_rows or min_rows, not both")
    size = check_count("expect_rows", expect_rows) or check_count("min_rows", min_rows)
    return None if size is None else (RowCount(at_least=min_rows is not None), size)


def check_pass_rate(pass_rate: Any) -> float:
    """Return a share of rows, and refuse any other value."""
    if isinstance(pass_rate, bool) or not isinstance(pass_rate, int | float) or not 0.0 < pass_rate <= 1.0:
        raise ConfigurationError(f"pass_rate must be in (0, 1], got {shown(pass_rate, 40)}")
    return float(pass_rate)


def conclude(
    label: str,
    rows: Iterable[ComparedRows],
    gate: PassRate,
    pass_rate: float,
    compare: Callable[..., ComparisonResult],
    selection: Selection,
    expected_size: tuple[RowCount, int] | None = None,
    size: int | None = None,
) -> DatasetCheck:
    """Decide by the counts of all rows; ``size`` is the number of rows of the whole data set, if only some were selected."""
    counts: Counts = {}
    first: list[ComparisonResult] = []
    places: list[str] = []
    unreadable = 0
    for some in rows:
        merge_counts(counts, some.counts)
        unreadable += some.unreadable
        # Reading `passed` tells the session that these results were checked: the gate decides.
        first += [result for result in some.samples if not result.passed]
        places += some.places

    passed, failed, errors = sum_counts(counts)
    verdicts = {"pass": passed, "fail": failed, "error": errors}
    selected = selection.describe(passed + failed + errors)
    if selected:
        gate = gate.model_copy(update={"selected": selected})
    gate_result = compare(gate, pass_rate, verdicts, name=f"pass rate of {label}")
    if size is None:
        size = passed + failed + errors
    size_result = None
    if expected_size is not None:
        size_result = compare(*expected_size, size, name=f"rows of {label}")
    return DatasetCheck(
        passed, failed, errors, unreadable, tuple(first[:SAMPLES]), gate_result, size_result, tuple(places[:SAMPLES])
    )


def _compare(source: Any, check: RowCheck, selection: Selection, jobs: int | None) -> Iterator[ComparedRows]:
    """Compare the selected rows, in this process or in several ones, and record them."""
    names = check.names()
    if isinstance(source, str | Path | list | tuple):
        check.refuse_absent_keys(source)
    if jobs is not None:
        # Not loaded for other checks.
        from pytest_verdict.datasets.units import compare_in_processes

        batches = compare_in_processes(source, check, selection, jobs)
    else:
        positions = check.positions(source, selection)
        rows: Iterator[Row] = number_rows(read_rows(source, check.needed_columns))
        if positions is not None:
            rows = rows_at(rows, positions)
        # An iterator may produce a row after the check of the last one.
        is_in_memory = isinstance(source, str | Path | list | tuple) or hasattr(source, "to_batches")
        batches = compare_rows(check, rows, BATCH_ROWS if is_in_memory else 1)

    for compared in batches:
        for identifier, place in compared.names:
            names.add(place, identifier)
        SESSION.compared += len(compared.members)
        if SESSION.rows_observer is not None:
            SESSION.rows_observer(compared)
        yield compared
    names.warn()
