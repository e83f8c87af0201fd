"""How many records a second are replayed, on one core."""

from __future__ import annotations

import time

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.replay import replay
from pytest_verdict.suites.mapping.evaluator import Evaluator

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
    place = f'"test":"test_a.py::test_b","attempt":1,"ordinal":{index + 1},"path":"test_a.py","line":1'
    return f'{{"record":1,"id":"0123456789ab-1-{index + 1}",{result.to_members()},{place}}}\n'.encode("ascii")


def main() -> None:
    """Print one row per operator."""
    print("| operator | records a second |\n|---|---|")
    for name, case in CASES.items():
        lines = [line(case(index), index) for index in range(RECORDS)] * TIMES
        start = time.process_time()
        # The first of them one by one, and pyarrow loaded, as in every process.
        identical = sum(replayed.status == "identical" for replayed in replay(lines))
        taken = time.process_time() - start
        if identical != len(lines):
            raise SystemExit(f"{name}: only {identical} of {len(lines)} records replay identically")
        print(f"| `{name}` | {len(lines) / taken:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
