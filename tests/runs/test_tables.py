"""``pytest-verdict table`` and ``read_records``."""

from __future__ import annotations

import csv
import json

import pytest

from pytest_verdict import read_records
from pytest_verdict.errors import RecordError


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_part_is_a_row_of_its_own_with_the_same_columns(folder):
    rows = list(read_records(folder))
    assert [(row["field"], row["operator"]) for row in rows[:3]] == [
        ("", "answer_template"),
        ("capital", "normalized_exact"),
        ("people", "numeric_exact"),
    ]
    assert len({tuple(row) for row in rows}) == 1
    of_any = [row for row in rows if row["name"] == "=1+1"]
    assert [(row["field"], row["verdict"]) for row in of_any] == [("", "pass"), ("0", "fail"), ("1", "pass")]
    assert {row["id"] for row in of_any} == {of_any[0]["id"]}


def test_by_field_and_parameter(command, folder, tmp_path):
    target = tmp_path / "out.csv"
    assert command("table", folder, "--by", "field,param:model", "-o", target) == (0, f"written: {target}\n", "")
    rows = {(row["field"], row["param:model"]): row for row in read_csv(target)}
    assert set(rows) == {
        ("0", ""),
        ("1", ""),
        *((name, model) for name in ("capital", "people") for model in ("small", "large")),
    }
    small = rows["capital", "small"]
    assert {name: small[name] for name in ("comparisons", "pass", "fail", "error", "rate", "score")} == {
        "comparisons": "2",
        "pass": "0",
        "fail": "2",
        "error": "0",
        "rate": "0.0",
        "score": "0.0",
    }
    # The rule of three: two trials without a success.
    assert float(small["low"]) == 0.0
    assert float(small["high"]) == pytest.approx(1 - 0.025 ** (1 / 2), abs=1e-5)


def test_by_operator_counts_what_tests_compared(command, folder):
    status, out, _ = command("table", folder, "--by", "operator")
    assert status == 0
    assert "| answer\\_template | 4 | 2 | 2 | 0 | 0.5 |" in out
    assert "| any\\_of | 1 | 1 | 0 | 0 | 1.0 |" in out
    assert "exact" not in out.replace("numeric\\_exact", "")


def test_by_function_and_note(command, folder):
    assert "| test\\_it.py::test\\_answer | 4 | 2 | 2 |" in command("table", folder, "--by", "function")[1]
    notes = command("table", folder, "--by", "note")[1]
    assert sum(line.startswith("| ") for line in notes.splitlines()) >= 3


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("feild", "--by: unknown name 'feild'. Did you mean 'field'?"),
        ("param:", "--by: unknown name 'param:'."),
        ("param:modle", "--by param:modle: no test has this parameter. Did you mean 'param:model'?"),
        ("test,test", "a name occurs twice"),
        ("", "--by: unknown name ''."),
    ],
)
def test_table_refuses_unknown_group(command, folder, by, message):
    status, out, err = command("table", folder, "--by", by)
    assert (status, out) == (2, "")
    assert message in err


def test_a_table_of_nothing_is_no_table(command, folder, tmp_path):
    (tmp_path / "records.jsonl").write_text("")
    assert command("table", tmp_path / "records.jsonl", "--by", "operator")[0] == 2
    status, _, err = command("table", folder)
    assert status == 2
    assert "--by operator" in err


HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "@a",
    "| a | <b>&amp; `c` [d](http://e) \x1b[31m",
    "\ud800",
    'a\nb,"c"',
    "\u202e",
]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_untrusted_text_stays_text(command, tmp_path, suffix):
    from pytest_verdict import compare

    source, target = tmp_path / "records.jsonl", tmp_path / f"out{suffix}"
    records = [compare("exact", text, text, name=text).to_record() for text in HOSTILE]
    source.write_text(
        "".join(
            f"{json.dumps({'record': 1, 'id': f'0123456789ab-1-{n}', **record})}\n" for n, record in enumerate(records)
        )
    )
    assert command("table", source, "-o", target)[0] == 0
    if suffix == ".csv":
        cells = [row["name"] for row in read_csv(target)]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
        assert len(cells) == len(HOSTILE)
    if suffix == ".jsonl":
        assert [json.loads(line)["name"] for line in target.read_text().splitlines()] == HOSTILE


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        '{"verdict": "maybe", "score": 1.0, "threshold": 1.0}',
        '{"verdict": "pass", "score": "1", "threshold": 1.0}',
        '{"verdict": "pass", "score": 1.0, "threshold": 1.0, "children": [3]}',
    ],
)
def test_table_names_line_without_record(tmp_path, line):
    path = tmp_path / "records.jsonl"
    path.write_text(line)
    with pytest.raises(RecordError, match=r"line 1 is no whole record|not a record"):
        list(read_records(path))


def test_another_suffix_is_refused(command, folder, tmp_path):
    status, _, err = command("table", folder, "--by", "operator", "-o", tmp_path / "out.xlsx")
    assert status == 2
    assert "Allowed: .csv, .jsonl." in err


def test_the_report_has_the_fields_by_name_and_parameter_and_replay_derives_them(command, folder):
    report = json.loads((folder / "report.json").read_text())
    fields = {
        (one["field"], one["parameters"]["model"], one["parameters"]["attempt"]): (
            one["pass"],
            one["fail"],
            one["error"],
        )
        for one in report["fields"]
    }
    assert fields == {
        (f"Answer.{field}", model, attempt): (0, 1, 0) if (field, model) == ("capital", "small") else (1, 0, 0)
        for field in ("capital", "people")
        for model in ("small", "large")
        for attempt in (1, 2)
    }
    assert command("replay", folder)[0] == 0
    text = (folder / "report.json").read_text()
    (folder / "report.json").write_text(text.replace('"model": "small"', '"model": "smart"', 1))
    status, out, _ = command("replay", folder)
    assert status == 1
    assert "fields[" in out or "parameters" in out


@pytest.mark.ci
def test_the_same_with_workers_and_without(reports):
    found = []
    for workers in ("-n0", "-n2"):
        report = json.loads((reports(workers) / "report.json").read_text())
        found.append([report["fields"], [test.get("parameters") for test in report["tests"]]])
    assert found[0] == found[1]
    assert found[0][0]


PARAMETERS = """
import pytest
from pytest_verdict import compare

VALUES = [1, 1.5, True, None, float("nan"), 10**400, "a" * 300, "\\ud800", "sk-12345", object(), [1], b"x", -0.0]

@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_it(value): assert compare("exact", 1, 1).passed or True
"""


@pytest.mark.ci
@pytest.mark.usefixtures("few_plugins")
def test_parameters_are_plain_short_and_redacted(pytester):
    pytester.makepyfile(test_it=PARAMETERS)
    pytester.makeini("[pytest]\nverdict_redact = sk-[0-9]+")
    pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider", "-p", "xdist", "-n2")
    report = json.loads((pytester.path / "verify-report" / "report.json").read_text())
    assert report["totals"]["tests"]["passed"] == 13
    found = [test.get("parameters", {}).get("value") for test in report["tests"]]
    assert found == [1, 1.5, True, None, None, None, "a" * 200 + "…", "\\ud800", "[redacted]", None, None, None, -0.0]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"tests": [3]}', '{"tests": [{"parameters": {}}]}'])
def test_a_damaged_report_beside_the_records_is_named(command, folder, content):
    (folder / "report.json").write_text(content)
    status, out, err = command("table", folder, "--by", "operator")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "report.json: this is not the report of pytest-verdict" in err
