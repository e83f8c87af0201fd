"""``pytest-verdict coverage``: criteria, fields and rubrics that never told anything apart."""

from __future__ import annotations

import json

import pytest

from pytest_verdict import compare
from pytest_verdict.blind import blind_compare

CRITERIA = {"polite": ("contains_any", {"substrings": ["please"]}), "short": ("regex", {"pattern": ".{0,20}"})}


def criteria(text, version=1):
    listed = [
        {"id": name, "version": version, "severity": "minor", "operator": operator, "settings": settings}
        for name, (operator, settings) in CRITERIA.items()
    ]
    return compare("criteria", {}, text, id="tone", revision=version, criteria=listed)


def template(**values):
    rules = {"city": "exact", "year": "numeric_exact"}
    return compare("answer_template", {"city": "Paris", "year": 1}, values, fields=rules, template="Capital")


def scored(request):
    side = {name: dict.fromkeys(request.rubric.names(name), 3) for name in ("content", "structure")}
    better = {**side, "content": dict.fromkeys(request.rubric.names("content"), 5)}
    return {"rubric": {label: better if "because" in one.text else side for label, one in request.outputs.items()}}


@pytest.fixture
def run(tmp_path):
    def write(name, *results):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps({'record': 1, **one.to_record()})}\n" for one in results))
        return path

    return write


def rows(out):
    head, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    return head, lines


def test_coverage_finds_criteria_that_never_failed(command, run):
    path = run("a.jsonl", criteria("please wait"), criteria("go please"), template(city="Paris", year=2))
    status, out, _ = command("coverage", path)
    head, lines = rows(out)
    assert status == 1
    assert head[:3] == ["of", "part", "version"]
    assert lines == [
        ["Capital", "city", "", "1 of 1", "never failed"],
        ["Capital", "year", "", "0 of 1", "always failed"],
        ["tone", "polite", "1", "2 of 2", "never failed"],
        ["tone", "short", "1", "2 of 2", "never failed"],
    ]


def test_a_history_decides_what_one_run_does_not_and_versions_stand_side_by_side(command, run):
    first = run("1.jsonl", criteria("please"), criteria("x" * 30))
    second = run("2.jsonl", criteria("no"), criteria("please, version 2", version=2), criteria("go", version=2))
    status, out, _ = command("coverage", first, second)
    assert status == 1
    assert rows(out)[1] == [
        ["tone", "polite", "1", "1 of 2", "0 of 1", ""],
        ["tone", "polite", "2", "", "1 of 2", ""],
        ["tone", "short", "1", "1 of 2", "1 of 1", ""],
        ["tone", "short", "2", "", "2 of 2", "never failed"],
    ]


def test_coverage_exits_with_0_when_all_criteria_discriminate(command, run):
    assert command("coverage", run("a.jsonl", criteria("please"), criteria("x" * 30)))[0] == 0


def test_errors_count_as_never_decided(command, run):
    broken = {"id": "broken", "version": 1, "severity": "minor", "operator": "contains_any"}
    found = compare("criteria", {"broken": 3}, "a", id="tone", revision=1, criteria=[broken])
    assert found.children[0].verdict == "error"
    assert rows(command("coverage", run("a.jsonl", found))[1])[1] == [
        ["tone", "broken", "1", "0 of 1", "never decided"]
    ]


def test_a_rubric_that_scores_both_outputs_alike_never_decided(command, run):
    found = [blind_compare("It rains.", "It rains because it is wet.", "Say why.", scored) for _ in range(2)]
    status, out, _ = command("coverage", run("a.jsonl", *(one.result for one in found)))
    assert status == 1
    cells = {line[1]: line[3:] for line in rows(out)[1]}
    assert {name.split(".")[0]: tuple(cell) for name, cell in cells.items()} == {
        "content": ("2 of 2", ""),
        "structure": ("0 of 2", "never decided"),
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is nothing to count: no criteria, no fields of answer templates and no blind comparisons"),
        ('{"record": 1}\n', "a line is no whole record"),
        ("{", "it is not JSON"),
    ],
)
def test_a_file_without_parts_is_named(command, tmp_path, content, message):
    path = tmp_path / "records.jsonl"
    path.write_text(content)
    status, _, problems = command("coverage", path)
    assert (status, message in problems) == (2, True), problems


def test_a_run_is_one_column(command, run):
    path = run("a.jsonl", criteria("please"))
    assert command("coverage", path, path)[0] == 2
