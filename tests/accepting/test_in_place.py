"""Expected values in suites and data sets: the literal changes, and every other byte stays."""

from __future__ import annotations

import json

import pytest

from pytest_verdict.accepting.editing import DELIMITERS, RowFile, YamlFile
from pytest_verdict.errors import RecordError
from session_fixtures import observe_rows


def open_file(text, suffix):
    return YamlFile(text) if suffix == ".yaml" else RowFile(text, DELIMITERS[suffix])


SUITE = """\
# a suite
suite: {name: trips, adapter: "recorded:outputs.yaml", config: {default_scorers: [exact]}}
scenarios:
  - name: one
    input: hi
    expected_output: "old"   # comment
  - {name: two, input: "hi 2", expected_output: same}
  - name: three
    input: hi3
    expected_output: |
      several
      lines
    tags: [a]
"""
OUTPUTS = """\
- {name: one, output: "new\\ntext"}
- {name: two, output: other}
- {name: three, output: "other\\nlines\\n"}
"""


@pytest.fixture
def suite(project):
    (project.path / "tests").mkdir()
    project.write("tests/a.verdict.yaml", SUITE)
    project.write("tests/outputs.yaml", OUTPUTS)
    project.run().assert_outcomes(failed=3)
    return project


def test_literals_of_a_suite_change_in_place(suite):
    assert suite.accept("--all")[0] == 0
    assert suite.read("tests/a.verdict.yaml") == SUITE.replace('"old"', '"new\\ntext"').replace(
        "same", '"other"'
    ).replace("several", "other")
    suite.run().assert_outcomes(passed=3)


def test_changed_or_absent_scenario_of_a_suite_is_refused(suite):
    changed = SUITE.replace('"old"', '"older"').replace("name: two", "name: zwei")
    suite.write("tests/a.verdict.yaml", changed)
    status, out, _ = suite.accept("--all")
    assert (status, out.count("1 accepted")) == (1, 1)
    assert "has changed since" in out
    assert suite.read("tests/a.verdict.yaml") == changed.replace("several", "other")
    (suite.path / "tests" / "a.verdict.yaml").unlink()
    status, out, _ = suite.accept("--all")
    assert (status, out.count("there is no suite")) == (1, 3)


def test_scenario_with_another_question_is_refused(suite):
    changed = SUITE.replace("input: hi\n", "input: ho\n")
    suite.write("tests/a.verdict.yaml", changed)
    status, out, _ = suite.accept("--all")
    assert (status, out.count("question in the file")) == (1, 1)
    assert '"old"' in suite.read("tests/a.verdict.yaml")


def test_value_beside_a_literal_is_no_choice(suite):
    _, out, _ = suite.accept("--review", keys="+\nr\nr\nr\n")
    assert "+ add" not in out
    assert "write one of A a r s" in out
    assert suite.read("tests/a.verdict.yaml") == SUITE


ROWS = {
    "rows.jsonl": '{"id": "a", "want": "x", "got":  "x"}\n\n{"id":"b",  "want" : "é\\n",\t"got": {"k": [1, 2.0]} }\r\n'
    '{"got": "üb", "nested": {"want": 1}, "want": "y", "id": "c"}',
    "rows.csv": 'id,want,got\r\na,x,x\r\nb,"é, ""q""","new, ""value"""\r\nc,y,z"q\r\n',
    "rows.tsv": "id\twant\tgot\na\tx\tx\nb\té\t1,2\nc\ty\tz\n",
    "rows.yaml": "# rows\n- {id: a, want: x, got: x}\n- id: b\n  want: é # c\n  got: [1, 2.0]\n- {id: c, got: z, want: y}\n",
}
CHANGED = {
    "rows.jsonl": '{"id": "a", "want": "x", "got":  "x"}\n\n{"id": "b", "want": {"k": [1, 2.0]}, "got": {"k": [1, 2.0]}}\r\n'
    '{"got": "üb", "nested": {"want": 1}, "want": "üb", "id": "c"}',
    "rows.csv": 'id,want,got\r\na,x,x\r\nb,"new, ""value""","new, ""value"""\r\nc,"z""q","z""q"\r\n',
    "rows.tsv": "id\twant\tgot\na\tx\tx\nb\t1,2\t1,2\nc\tz\tz\n",
    "rows.yaml": "# rows\n- {id: a, want: x, got: x}\n- id: b\n  want: [1, 2.0] # c\n  got: [1, 2.0]\n"
    '- {id: c, got: z, want: "z"}\n',
}


@pytest.mark.parametrize("ids", [[], ["--ids", "$.id"]])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_of_a_data_set_change_in_place(project, name, ids, bom):
    (project.path / name).write_bytes(bom + ROWS[name].encode())
    check_rows(project, name, **({"ids": "$.id"} if ids else {}))
    status, out, _ = project.accept("--all", "--data", name)
    assert status == 0, out
    assert (project.path / name).read_bytes() == bom + CHANGED[name].encode()
    # The rows are not those of the report any more.
    assert "has changed since" in project.accept("--all", "--data", name)[1]


def check_rows(project, name, **check):
    from pytest_verdict.session import SESSION
    from pytest_verdict.suites import check_dataset

    results = []
    project.monkeypatch.setattr(SESSION, "rows_observer", observe_rows(results))
    project.monkeypatch.setattr(SESSION, "observer", lambda result: results.append(result) or result)
    check_dataset(project.path / name, "exact", expected="want", observed="got", pass_rate=0.1, **check)
    project.write_records(results)


ROW = '{"id": "a", "want": "old", "got": "new"}\n'
GOOD = '{"id": "z", "want": "x", "got": "x"}\n'


@pytest.mark.parametrize("ids", [[], ["--ids", "$.id"]])
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"id": "a", "want": "old", "got": "other"}\n', "has changed since"),
        ('{"id": "a", "want": "old"}\n', "has changed since"),
        ('{"id": "a", "want": "old", "got": 1}\n', "has changed since"),
        ("[]\n", "has changed since"),
        ('{"id": "a", "want": "older", "got": "new"}\n', "has changed since"),
        ('{"id": "a", "more": 1, "got": "new", "want": "old"}\n', "1 accepted"),
    ],
)
def test_row_is_changed_only_if_it_is_that_of_the_record(project, text, word, ids):
    project.write("a/rows.jsonl", ROW + GOOD)
    check_rows(project, "a/rows.jsonl", **({"ids": "$.id"} if ids else {}))
    # After a pull, or another file of this name.
    project.write("b/rows.jsonl", text + GOOD)
    out = project.accept("--all", "--data", "b/rows.jsonl")[1]
    assert word in out
    expected = text.replace('"old"', '"new"') if word == "1 accepted" else text
    assert project.read("b/rows.jsonl") == expected + GOOD


def test_row_is_found_by_its_values_or_refused(project):
    text = ROW.replace("new", "else") + ROW + GOOD
    project.write("rows.jsonl", ROW + GOOD)
    check_rows(project, "rows.jsonl", ids="$.id")
    words = ("--all", "--data", "rows.jsonl")
    project.write("rows.jsonl", text + ROW)
    assert "has 2 rows with the values of the record" in project.accept(*words)[1]
    project.write("rows.jsonl", text)
    assert project.accept(*words)[0] == 0
    assert project.read("rows.jsonl") == text.replace(ROW, ROW.replace("old", "new"))


@pytest.mark.parametrize(("end", "status"), [("x", 0), ("y", 1)])
def test_long_row_is_compared_by_its_digest(project, end, status):
    row = json.dumps({"want": "a", "got": "b" * 70_000 + "x"})
    project.write("rows.jsonl", row + "\n" + GOOD)
    check_rows(project, "rows.jsonl")
    project.write("rows.jsonl", row.replace("bx", "b" + end) + "\n" + GOOD)
    assert project.accept("--all", "--data", "rows.jsonl")[0] == status


@pytest.mark.parametrize(
    ("suffix", "text", "keys", "observed"),
    [
        (".jsonl", '{"want": 1}\n', (1, "want"), (1, 2)),
        (".jsonl", '{"want": 1}\n', (1, "want"), float("inf")),
        (".jsonl", '{"want": 1}\n', (1, "want"), {1: 2}),
        (".jsonl", '{"want": 1}\n', (1, "want"), {1, 2}),
        (".csv", "want\n1\n", (2, "want"), 1),
        (".csv", "want\n1\n", (2, "want"), "a\nb"),
        (".csv", "want\n1\n", (2, "want"), None),
        (".yaml", "- want: 1\n", (0, "want"), (1, 2)),
        (".yaml", "- want: &a 1\n- want: *a\n", (0, "want"), 2),
        (".yaml", "- want: &a 1\n- want: *a\n", (1, "want"), 2),
    ],
)
def test_value_that_the_format_cannot_hold_alone_is_refused(suffix, text, keys, observed):
    file = open_file(text, suffix)
    expected = "1" if suffix == ".csv" else 1
    with pytest.raises(RecordError):
        file.refusal(keys, expected, observed)
    assert file.text() == text


@pytest.mark.parametrize(
    ("suffix", "text", "keys"),
    [
        (".jsonl", '{"other": 1}\n', (1, "want")),
        (".jsonl", '{"want": 1}\n', (7, "want")),
        (".jsonl", "[1]\n", (1, "want")),
        (".csv", "other\n1\n", (2, "want")),
        (".csv", "want\n", (3, "want")),
        (".yaml", "- other: 1\n", (0, "want")),
        (".yaml", "want: 1\n", (0, "want")),
    ],
)
def test_place_that_is_gone_is_no_place(suffix, text, keys):
    from pytest_verdict.accepting.editing import MALFORMED

    with pytest.raises(MALFORMED):
        open_file(text, suffix).refusal(keys, 1, 2)


@pytest.mark.parametrize("value", ["plain", "a,b", 'q"q', "", " lead", "é", "a\tb", "#x", "1", "'"])
@pytest.mark.parametrize("before", ["x", '"x"', ""])
def test_csv_gives_back_each_text(tmp_path, value, before):
    from pytest_verdict.datasets.rows import read_named_rows

    file = open_file(f"id,want,more\n1,{before},z\n2,keep,\n", ".csv")
    assert file.refusal((2, "want"), before.strip('"'), value) == ""
    file.accept((2, "want"), value, beside=False)
    (tmp_path / "a.csv").write_text(file.text(), newline="")
    first, second = (row.value for row in read_named_rows(tmp_path / "a.csv"))
    assert first == {"id": "1", "want": value, "more": "z"}
    assert second == {"id": "2", "want": "keep", "more": ""}


@pytest.mark.parametrize("value", ["a", "é", "\u2028", 'q"', None, True, 1, 1.5, [1, {"a": "b"}], {}, "\x00"])
def test_jsonl_gives_back_each_value(value):
    text = '{"a": {"want": 0}, "want": [1, "}", "\\""], "b": 2}'
    file = open_file(f'{{"x": 1}}\n{text}\n{text}\n', ".jsonl")
    assert file.refusal((2, "want"), [1, "}", '"'], value) == ""
    file.accept((2, "want"), value, beside=False)
    lines = file.text().split("\n")
    assert (lines[0], lines[2]) == ('{"x": 1}', text)
    assert json.loads(lines[1]) == {**json.loads(text), "want": value}


SUITE_ROWS = '{"id": "one", "q": "a", "want":  "old"}\n{"id": "two", "q": "b", "want": "b"}\n'


@pytest.fixture
def suite_of_rows(project):
    project.write(
        "a.verdict.yaml",
        """
        suite:
          name: rows
          adapter: "recorded:outputs.yaml"
          scorer: exact
          dataset: {file: rows.jsonl, mapping: {name: $.id, input: $.q, expected_output: $.want}}
        """,
    )
    project.write("rows.jsonl", SUITE_ROWS)
    project.write("outputs.yaml", "- {name: one, output: new}\n- {name: two, output: b}\n")
    project.run().assert_outcomes(failed=1, passed=1)
    return project


def test_data_set_of_a_suite_changes_in_place(suite_of_rows):
    assert suite_of_rows.accept("--all")[0] == 0
    assert suite_of_rows.read("rows.jsonl") == SUITE_ROWS.replace('"want":  "old"', '"want": "new"')


@pytest.mark.parametrize("change", [('"a"', '"c"'), ('"q": "a", ', "")])
def test_row_of_a_suite_that_is_another_one_is_refused(suite_of_rows, change):
    text = SUITE_ROWS.replace(*change)
    suite_of_rows.write("rows.jsonl", text)
    status, out, _ = suite_of_rows.accept("--all")
    assert (status, suite_of_rows.read("rows.jsonl")) == (1, text)
    assert "has changed since" in out
