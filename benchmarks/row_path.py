"""Scoring a data set against a plain loop that computes the same verdicts and writes lines as long with `json.dumps`.

Each row of the table is one operator over the same number of rows of JSONL, in one process, ours and the loop in turns; CPU
time, the minimum over rounds. The loop does what a person would write: it reads a line, compares, and writes a record.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dateutil.parser import parse
from rapidfuzz.distance import Levenshtein

from pytest_verdict.datasets.score import score_dataset

ANSWERS = ("Paris", "New York", "the answer is 42", "mild", "severe", "a longer answer of some forty characters")
MAPPING = {"expected": "$.expected", "observed": "$.observed"}
NESTED = {"expected": "$.reference.label", "observed": "$.output.label"}

Pair = Callable[[int], tuple[Any, Any]]


@dataclass(frozen=True)
class Case:
    """An operator, its rows and the comparison of the plain loop."""

    operator: str
    pair: Pair
    is_match: Callable[[Any, Any], bool]
    settings: dict[str, Any] = field(default_factory=dict)
    nested: bool = False
    label: str = ""


def texts(number: int) -> tuple[str, str]:
    """Return a pair of texts of which most are equal."""
    return ANSWERS[number % 6], ANSWERS[number * 7 % 6 if number % 9 == 0 else number % 6]


def documents(number: int) -> tuple[str, str]:
    """Return a pair of equal documents with keys in another order."""
    first = {"a": number, "b": [1, 2, {"c": ANSWERS[number % 6]}]}
    return json.dumps(first), json.dumps({"b": first["b"], "a": number})


def lists(number: int) -> tuple[list[str], list[str]]:
    """Return a pair of lists with the same texts in another order."""
    items = ["a", ANSWERS[number % 6], str(number)]
    return items, items[::-1]


def dates(number: int) -> tuple[str, str]:
    """Return a date in two forms."""
    day = datetime.date(2024, 5, number % 28 + 1)
    return day.isoformat(), day.strftime("%d %B %Y")


def numbers(number: int) -> tuple[float, float]:
    """Return a pair of near numbers."""
    return number / 7 + 1, number / 7 + 1.001


def is_subset(part: Any, whole: Any) -> bool:
    """Return whether a document is part of another one."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_subset(part[key], whole[key]) for key in part)
    return bool(part == whole)


CASES = (
    Case("exact", texts, lambda one, other: one == other),
    Case("exact", texts, lambda one, other: one == other, nested=True, label="`exact`, nested paths"),
    Case(
        "normalized_exact",
        lambda number: ("Zürich " + ANSWERS[number % 6], "zürich  " + ANSWERS[number % 6]),
        lambda one, other: " ".join(one.lower().split()) == " ".join(other.lower().split()),
        label="`normalized_exact`, not ASCII",
    ),
    Case(
        "contains_any",
        lambda number: (ANSWERS[number % 6], f"it is {ANSWERS[number % 6]}, I think"),
        lambda one, other: one in other,
    ),
    Case("starts_with", texts, lambda one, other: other.startswith(one)),
    Case("regex", lambda number: ("[A-Za-z]+ ?.*", texts(number)[1]), lambda one, other: bool(re.search(one, other))),
    Case("one_of", lambda number: ([*ANSWERS], texts(number)[1]), lambda one, other: other in one),
    Case("not_blank", texts, lambda _, other: bool(other.strip())),
    Case("is_type", lambda number: ("string", texts(number)[1]), lambda _, other: isinstance(other, str)),
    Case("numeric_tolerance", numbers, lambda one, other: abs(one - other) <= 0.1 * abs(one), {"tolerance": 0.1}),
    Case("text_similarity", texts, lambda one, other: Levenshtein.normalized_similarity(one, other) >= 0.8),
    Case("set_containment", lists, lambda one, other: Counter(one) == Counter(other)),
    Case("date_match", dates, lambda one, other: parse(one).date() == parse(other).date()),
    Case("json_canonical", documents, lambda one, other: json.loads(one) == json.loads(other)),
    Case("json_subset", documents, lambda one, other: is_subset(json.loads(one), json.loads(other))),
)


def write_rows(case: Case, path: Path, count: int) -> None:
    """Write the rows of a case as JSONL."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            expected, observed = case.pair(number)
            row: dict[str, Any] = {"id": f"q{number}", "expected": expected, "observed": observed}
            if case.nested:
                row = {"id": f"q{number}", "reference": {"label": expected}, "output": {"label": observed}}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def loop(case: Case, path: Path, output: Path, template: dict[str, Any]) -> int:
    """Compare the rows as a person would, and write a line for each with the members of our record."""
    passed = 0
    with path.open(encoding="utf-8") as rows, output.open("w", encoding="utf-8") as file:
        for number, line in enumerate(rows, 1):
            row = json.loads(line)
            expected = row["reference"]["label"] if case.nested else row["expected"]
            observed = row["output"]["label"] if case.nested else row["observed"]
            is_match = case.is_match(expected, observed)
            passed += is_match
            record = {
                **template,
                "id": f"faddfa8c5b80-1-{number}",
                "verdict": "pass" if is_match else "fail",
                "name": f"rows.jsonl:{number}",
                "expected": expected,
                "observed": observed,
                "score": float(is_match),
                "sources": {**template["sources"], "document": {key: row[key] for key in row if key != "id"}},
                "ordinal": number,
            }
            file.write(json.dumps(record) + "\n")
    return passed


def measure(case: Case, folder: Path, count: int, rounds: int) -> None:
    """Print the row of a case."""
    path = folder / "rows.jsonl"
    report = folder / "report"
    mapping = NESTED if case.nested else MAPPING

    def score() -> int:
        shutil.rmtree(report, ignore_errors=True)
        check = score_dataset(path, case.operator, mapping, report, pass_rate=0.001, **case.settings)
        return check.passed

    write_rows(case, path, 200)
    score()
    with (report / "records.jsonl").open(encoding="utf-8") as file:
        template = json.loads(next(file))
    write_rows(case, path, count)
    seconds: dict[str, list[float]] = {"ours": [], "loop": []}
    for _ in range(rounds):
        began = time.process_time()
        passed = score()
        seconds["ours"].append(time.process_time() - began)
        began = time.process_time()
        expected = loop(case, path, folder / "loop.jsonl", template)
        seconds["loop"].append(time.process_time() - began)
        assert passed == expected, (case.operator, passed, expected)
    sizes = [(report / "records.jsonl").stat().st_size, (folder / "loop.jsonl").stat().st_size]
    ours, plain = (min(values) / count * 1e6 for values in seconds.values())
    label = case.label or f"`{case.operator}`"
    print(
        f"| {label} | {ours:.1f} | {plain:.1f} | {ours / plain:.2f} | {sizes[0] / sizes[1]:.2f} |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operators", nargs="*", help="only these operators (default: all)")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print("| operator | ours, us a row | loop | ratio | bytes written, ours / loop |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if not arguments.operators or case.operator in arguments.operators:
                measure(case, Path(folder), arguments.rows, arguments.rounds)


if __name__ == "__main__":
    main()
