"""How many records a second are replayed, on one core."""

from __future__ import annotations

import time
from tempfile import NamedTemporaryFile

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.record import AttemptRecords, record_end
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file

RECORDS = 50_000
TIMES = 6
EXPECTED = "The quick brown fox jumps over the lazy dog."
ROWS = Evaluator("exact", {"expected": "$.expected", "observed": "$.observed"})
CASES = {
    "exact": lambda index: compare("exact", EXPECTED, f"{EXPECTED} {index}"),
    "normalized_exact": lambda index: compare("normalized_exact", EXPECTED, f" {EXPECTED.upper()} {index % 2}"),
    "contains_any": lambda index: compare("contains_any", ["fox", "hen"], f"{EXPECTED} {index}"),
    "numeric_tolerance": lambda index: compare("numeric_tolerance", 100, 100 + index % 20, tolerance=0.1),
    "json_canonical": lambda index: compare("json_canonical", '{"a": 1, "b": [2]}', f'{{"b": [2], "a": {index % 2}}}'),
    "exact, rows of a data set": lambda index: ROWS.compare({"expected": EXPECTED, "observed": f"{EXPECTED} {index}"}),
}


def line(result: ComparisonResult, index: int) -> bytes:
    """Write a record as a session would."""
    attempt = AttemptRecords("test_a.py::test_b", 1)
    return attempt.line(result.to_members(), index + 1, record_end("test_a.py", 1)).encode("ascii")


def speed(name: str) -> float:
    """Give the records a second of CPU of one file."""
    lines = [line(CASES[name](index), index) for index in range(RECORDS)]
    with NamedTemporaryFile(suffix=".jsonl") as file:
        for _ in range(TIMES):
            file.writelines(lines)
        file.flush()
        start = time.process_time()
        tally = replay_file(RecordsFile(file.name))
        taken = time.process_time() - start
    if tally.statuses["identical"] != RECORDS * TIMES:
        raise SystemExit(f"{name}: {tally.statuses}")
    return RECORDS * TIMES / taken


def main() -> None:
    """Print one row per operator."""
    # What is loaded once is not the speed.
    speed("exact")
    print("| operator | records a second |\n|---|---|")
    for name in CASES:
        print(f"| `{name}` | {speed(name):,.0f} |", flush=True)


if __name__ == "__main__":
    main()
