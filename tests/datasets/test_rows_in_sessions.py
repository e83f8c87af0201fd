"""A data set has the same records in every session, from every source, in every process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_records_of_rows import HOSTILE, pyarrow

BOTH = {"expected": "$.want", "observed": "$.got"}
TEXTS = [text for text in HOSTILE if text != "\ud800"]
ROWS = [
    {"id": f"row {number}", "other": "x" * number, "want": text, "got": text if number % 3 else text.lower()}
    for number, text in enumerate(TEXTS * 4)
]
CHECKS = """
import csv, json, threading
import pyarrow
from pathlib import Path
from pytest_verdict.suites import check_dataset

MAPPING = {mapping!r}
SOURCE = lambda: {source}

def check(operator, **settings):
    try:
        found = check_dataset(SOURCE(), operator, MAPPING, pass_rate=0.001, ids={ids!r}, **settings)
    except AssertionError as error:
        return str(error)
    return [str(result) for result in found.first], found.passed, found.failed, found.errors, found.unreadable

def test_it(comparator):
    comparator.assert_matches("exact", 1, 1)
    Path("found.txt").write_text(ascii([check("exact"), check("normalized_exact"), check("numeric_exact")]))
    comparator.assert_matches("exact", 2, 2)
"""
SOURCES = {
    "row by row": "iter([json.loads(line) for line in Path('rows.jsonl').read_text().splitlines()])",
    "list": "[json.loads(line) for line in Path('rows.jsonl').read_text().splitlines()]",
    "table": "pyarrow.Table.from_pylist([json.loads(line) for line in Path('rows.jsonl').read_text().splitlines()])",
    **{name: repr(f"rows.{name}") for name in ("jsonl", "csv", "parquet", "arrow", "jsonl.gz")},
}


def files(rows):
    import csv
    import gzip
    import io

    lines = "".join(json.dumps(row) + "\n" for row in rows)
    plain = [{name: str(value) if isinstance(value, dict) else value for name, value in row.items()} for row in rows]
    table, stream = pyarrow.Table.from_pylist(plain), io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    parquet, arrow = io.BytesIO(), io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table, parquet, row_group_size=50)
    with pyarrow.ipc.new_file(arrow, table.schema) as file:
        file.write_table(table, max_chunksize=70)
    return {
        "rows.jsonl": lines.encode(),
        "rows.jsonl.gz": gzip.compress(lines.encode()),
        "rows.csv": stream.getvalue().encode(),
        "rows.parquet": parquet.getvalue(),
        "rows.arrow": arrow.getvalue(),
    }


def run(harness, source, *arguments, mapping=BOTH, ids="$.id", ini="", rows=ROWS):
    for name, content in files(rows).items():
        Path(name).write_bytes(content)
    text = CHECKS.format(mapping=mapping, source=SOURCES[source], ids=ids)
    found = harness.run(
        {"test_it.py": text, "pytest.ini": f"[pytest]\nverdict_unread = ignore\n{ini}"}, "--verify-report", *arguments
    )
    assert found.outcomes == {"passed": 1}, found.stdout
    # The gate is called by the file, and so is a row without an id.
    lines = [line for line in found.records_bytes.decode().splitlines() if '"operator":"pass_rate"' not in line]
    return *(
        re.sub(r"rows\.[a-z.]+:", "row:", text) for text in ("\n".join(lines), Path("found.txt").read_text())
    ), found


@pytest.fixture(scope="module")
def row_by_row():
    """What one session found row by row, for all tests that look at it."""
    kept = []

    def found(harness):
        if not kept:
            kept.extend(run(harness, "row by row")[:2])
        return kept

    return found


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, marks=() if source in {"jsonl", "parquet"} else pytest.mark.ci)
        for source in SOURCES
        if source != "row by row"
    ],
)
def test_every_source_gives_the_same_records(harness, row_by_row, source):
    expected = row_by_row(harness)
    *found, session = run(harness, source)
    assert found == expected
    assert found[0].count("\n") + 1 == 3 * len(ROWS) + 2
    session.check_agreement()


@pytest.mark.ci
@pytest.mark.parametrize(
    "changed",
    [
        {"ini": "verdict_redact =\n    york\n    12\n"},
        {"ini": "verdict_flush = comparison\n"},
        {"mapping": {"expected": {"path": "$.want", "extract": {"regex": "(.*)"}}, "observed": "$.got"}},
        {"mapping": {"expected": {"literal": "12"}, "observed": "$.got"}},
        {"mapping": {"expected": "$.want", "observed": "$.nothing"}},
        {"ids": "$.want"},
        {"ids": {"path": "$.id"}},
        {"rows": [{**row, "want": number, "id": number} for number, row in enumerate(ROWS)]},
        {"rows": [{**row, "got": row["got"] or None, "id": n if n % 2 else None} for n, row in enumerate(ROWS)]},
        {"rows": [{**row, "want": {"a": 1.5}} if number % 50 == 0 else row for number, row in enumerate(ROWS)]},
    ],
    ids=lambda changed: str(changed)[:60],
)
@pytest.mark.filterwarnings("ignore::pytest_verdict.suites.DatasetWarning")
def test_rows_of_any_form_have_the_same_records(harness, changed):
    sources = ["jsonl"] if isinstance(changed.get("rows", ROWS)[0]["want"], dict) else ["jsonl", "parquet"]
    expected = run(harness, "row by row", "-W", "ignore", **changed)[:2]
    for source in sources:
        assert run(harness, source, "-W", "ignore", **changed)[:2] == expected


@pytest.mark.ci
@pytest.mark.usefixtures("quick_processes")
def test_processes_write_the_same(harness):
    alone, spread = run(harness, "parquet")[:2], run(harness, "parquet", "-n2")[:2]
    assert alone == spread


WITHOUT_PANDAS = """
import sys
from pytest_verdict.suites import score_dataset

OPERATORS = {
    **dict.fromkeys(("exact", "normalized_exact", "literal", "contains_all", "numeric_exact"), {}),
    **dict.fromkeys(("numeric_minimum", "numeric_maximum"), {}),
    "contains_any": {"substrings": ["York"]}, "one_of": {"values": ["Paris"]},
    "numeric_range": {"min": 1, "max": 5}, "numeric_tolerance": {"tolerance": 0.5},
}
for name, settings in OPERATORS.items():
    mapping = {"expected": "$.want", "observed": "$.got"}
    mapping = mapping if not {"values", "substrings", "min"} & {*settings} else {"observed": "$.got"}
    for suffix in ("jsonl", "csv", "parquet", "arrow"):
        score_dataset(f"rows.{suffix}", name, mapping, "out", ids="$.id", pass_rate=0.001, limit=400, **settings)
print("pandas" in sys.modules)
"""


@pytest.mark.ci
def test_pandas_is_not_imported(tmp_path):
    pytest.importorskip("pandas")
    odd = [{"id": f"odd {number}", "other": "", "want": f"{number}.5", "got": f"{number}"} for number in range(300)]
    for name, content in files([*odd, *ROWS, *odd]).items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", WITHOUT_PANDAS]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("False\n", "")
