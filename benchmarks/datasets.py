"""Datasets and suites: rows a second in one test and in one test per row, memory, and the collection of scenarios.

CPU is user and system time of the whole session; rows a second are those of the dataset check itself, per second of CPU.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = """
import time

from pytest_verdict.suites import check_dataset

MAPPING = {"expected": "$.reference.label", "observed": "$.output.label"}

def test_rows(comparator):
    begun = time.process_time()
    check = check_dataset(FILE, "exact", MAPPING, pass_rate=0.9, ids="$.id", comparator=comparator)
    with open("speed.txt", "w") as file:
        file.write(str(check.total / (time.process_time() - begun)))
"""
COLUMNS = """
import json
import time

from pytest_verdict.suites import check_dataset

def test_rows():
    # What is loaded once is not the speed.
    check_dataset([{"want": "a", "got": "a"}] * 50, "exact", {"expected": "$.want", "observed": "$.got"})
    found = {}
    for operator, settings, mapping in json.load(open("operators.json")):
        begun = time.process_time()
        check = check_dataset(FILE, operator, mapping, pass_rate=0.001, **settings)
        found[operator] = check.total / (time.process_time() - begun)
    with open("speed.json", "w") as file:
        json.dump(found, file)
"""
OPERATORS = [
    *(("exact", {}), ("literal", {}), ("normalized_exact", {}), ("contains_all", {})),
    *(("contains_any", {"substrings": ["York", "mild"]}), ("one_of", {"values": ["Paris", "New York", "mild"]})),
    *(("numeric_exact", {}), ("numeric_tolerance", {"tolerance": 0.05}), ("numeric_range", {"min": 10, "max": 500})),
    *(("numeric_minimum", {}), ("numeric_maximum", {})),
]
FORMATS = ("parquet", "arrow", "jsonl", "csv")
ANSWERS = ("Paris", "New York", "the answer is 42", "mild", "severe", "a longer answer of some forty characters")
PER_ROW = """
import pytest

MAPPING = {"expected": "$.reference.label", "observed": "$.output.label"}

@pytest.mark.verdict_cases("rows.jsonl", mapping=MAPPING, ids="$.id")
def test_row(comparator, expected, observed):
    comparator.assert_matches("exact", expected, observed)
"""
# The same tests written in Python, with the comparison that the scorer makes.
PARAMETRIZED = """
import pytest
from pytest_verdict import assert_matches

@pytest.mark.parametrize(("given", "expected"), [(f"What is {n} + 1?", str(n + 1)) for n in range(COUNT)])
def test_scenario(given, expected):
    assert_matches("exact", expected, answer(given))
"""
PROBE = """
import json, resource, sys
import pytest
status = pytest.main(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_SELF)
# Not what getrusage says, which begins with the memory of the process that started this one.
memory = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
with open(sys.argv[1], "w") as file:
    json.dump({"status": int(status), "cpu": used.ru_utime + used.ru_stime, "memory": memory}, file)
"""

BYTECODE = Path(tempfile.gettempdir()) / "verdict-benchmark-bytecode"


def session(folder: Path, *arguments: str) -> dict[str, float]:
    """Run pytest once in a process of its own."""
    # An installed package has its bytecode; the first session of each kind writes it.
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    environment = {**os.environ, **bytecode, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": "0"}
    plugins = ["-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-c", PROBE, str(folder / "figures.json"), "-q", *plugins, *arguments]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)
    figures = json.loads((folder / "figures.json").read_text())
    if figures["status"] not in {0, 1}:
        raise SystemExit(f"the session broke: {figures}")
    return figures


def write_rows(path: Path, count: int, failing: int) -> None:
    """Write a dataset of which one row in ``failing`` fails."""
    with path.open("w") as file:
        for number in range(count):
            label = "positive" if (number + 1) % failing else "Positive"
            row = {
                "id": number,
                "input": "Terrible. " * 5,
                "reference": {"label": "positive"},
                "output": {"label": label},
            }
            file.write(json.dumps(row) + "\n")


def rows(count: int) -> None:
    """Print one row of the table for ``count`` rows."""
    for report in ([], ["--verify-report"]):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_rows(folder / "rows.jsonl", count, 1_000)
            (folder / "test_check.py").write_text(CHECK.replace("FILE", repr(str(folder / "rows.jsonl"))))
            figures = session(folder, *report)
            speed = float((folder / "speed.txt").read_text())
        label = "check_dataset, recorded" if report else "check_dataset"
        print(
            f"| {label} | {count:,} | {speed:,.0f} | {figures['cpu']:.1f} s | {figures['memory']:.0f} MB |", flush=True
        )


def write_columns(folder: Path, count: int) -> None:
    """Write a data set of texts and decimal numbers in each format; one row in 1,000 fails."""
    import pyarrow
    from pyarrow import parquet

    wanted = [ANSWERS[number % len(ANSWERS)] for number in range(count)]
    numbers = [f"{number * 7919 % 100_000 / 100:.2f}" for number in range(count)]
    right = [(number + 1) % 1_000 > 0 for number in range(count)]
    columns = {
        "id": [f"row {number}" for number in range(count)],
        "want": wanted,
        "got": [text if is_right else "other" for text, is_right in zip(wanted, right, strict=True)],
        "spaced": [f" {text}" if is_right else "other" for text, is_right in zip(wanted, right, strict=True)],
        "number": numbers,
        "measured": [text if is_right else "0" for text, is_right in zip(numbers, right, strict=True)],
        "input": ["Terrible. " * 5] * count,
    }
    table = pyarrow.table(columns)
    parquet.write_table(table, folder / "rows.parquet", row_group_size=100_000)
    with pyarrow.ipc.new_file(str(folder / "rows.arrow"), table.schema) as file:
        file.write_table(table, max_chunksize=65_536)
    with (folder / "rows.jsonl").open("w") as lines, (folder / "rows.csv").open("w", newline="") as fields:
        writer = csv.writer(fields)
        writer.writerow(columns)
        for values in zip(*columns.values(), strict=True):
            lines.write(json.dumps(dict(zip(columns, values, strict=True))) + "\n")
            writer.writerow(values)


def by_columns(count: int) -> None:
    """Print rows a second of CPU of each operator and format, recorded, and the memory of the session."""
    print(f"\n{count:,} rows, recorded; rows a second of CPU\n")
    print("| format |" + "".join(f" `{operator}` |" for operator, _ in OPERATORS) + " memory |")
    print("|---|" + "---|" * (len(OPERATORS) + 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_columns(folder, count)
        asked = []
        for operator, settings in OPERATORS:
            texts = ("want", "spaced" if operator == "normalized_exact" else "got")
            keys = ("number", "measured") if operator.startswith("numeric") else texts
            asked.append((operator, settings, {"expected": f"$.{keys[0]}", "observed": f"$.{keys[1]}"}))
        (folder / "operators.json").write_text(json.dumps(asked))
        for suffix in FORMATS:
            (folder / "test_check.py").write_text(COLUMNS.replace("FILE", repr(str(folder / f"rows.{suffix}"))))
            figures = session(folder, "--verify-report")
            speeds = json.loads((folder / "speed.json").read_text()).values()
            cells = "".join(f" {speed:,.0f} |" for speed in speeds)
            print(f"| {suffix} |{cells} {figures['memory']:.0f} MB |", flush=True)


def per_row(count: int) -> None:
    """Print one row of the table for one test per row."""
    for report in ([], ["--verify-report"]):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_rows(folder / "rows.jsonl", count, 10**9)
            (folder / "test_row.py").write_text(PER_ROW)
            figures = session(folder, *report)
        label = "one test per row, recorded" if report else "one test per row"
        speed = count / figures["cpu"]
        print(
            f"| {label} | {count:,} | {speed:,.0f} | {figures['cpu']:.1f} s | {figures['memory']:.0f} MB |", flush=True
        )


def collection(count: int, rounds: int) -> None:
    """Print what collecting scenarios costs, beside parametrized tests."""
    scenarios = "".join(
        f'    - name: scenario-{n}\n      input: "What is {n} + 1?"\n      expected_output: "{n + 1}"\n'
        for n in range(count)
    )
    ratios = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            head = "suite:\n  name: sums\n  adapter: sums.answer\n  scorer: exact\n  scenarios:\n"
            (folder / "sums.verdict.yaml").write_text(head + scenarios)
            (folder / "test_sums.py").write_text(PARAMETRIZED.replace("COUNT", str(count)))
            # The median of the rounds leaves the first one out, which still writes bytecode.
            suite = session(folder, "--collect-only", "sums.verdict.yaml")
            plain = session(folder, "--collect-only", "test_sums.py")
        ratios.append((suite["cpu"] / plain["cpu"], suite["cpu"], plain["cpu"]))
    ratio, suite_cpu, plain_cpu = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"\n{count:,} scenarios: collected in {suite_cpu:.2f} s, parametrized tests in {plain_cpu:.2f} s, ratio {ratio:.2f}"
    )


def main() -> None:
    """Print the table and the line on collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--tests", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not options.rows:
        by_columns(options.columns)
        return
    print("| way | rows | rows a second of CPU | CPU of the session | memory |")
    print("|---|---|---|---|---|")
    for count in options.rows:
        rows(count)
    per_row(options.tests)
    by_columns(options.columns)
    collection(options.tests, options.rounds)


if __name__ == "__main__":
    main()
