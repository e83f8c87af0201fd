"""The index of a run: its size, what it says of a report, and that only a whole one is read."""

from __future__ import annotations

import gzip
import json
import random
import re

import pytest

from pytest_verdict import compare
from pytest_verdict.core.values.redaction import redaction_of
from pytest_verdict.errors import RecordError
from pytest_verdict.store.index import build_index, read_index, read_table, split_digests
from written_records import lines_of
from written_runs import alter, write_run


def index_of(folder):
    built = build_index(folder, {})
    return read_index(built.name, built.content), read_table(built.table_name, built.table)


def test_an_index_of_500_tests_has_at_most_2_kb(tmp_path):
    letters = random.Random(1)
    tests = {f"tests/test_area{n // 50}.py::test_case[{n}]": letters.choice("pppf") for n in range(500)}
    name = write_run(tmp_path / "store", tests, answers={test: test for test in tests})
    size = next((tmp_path / "store").rglob(f"{name}/index.json.gz")).stat().st_size
    assert 1_000 < size < 2_000


def test_index_has_the_outcomes_tags_and_checks_of_the_report(report):
    folder = report(git={"commit": "abc123", "clean": True, "branch": "main"}, tags={"model": "small"})
    index, table = index_of(folder)
    assert index.outcomes == "ppppppp"
    assert index.tags == {"model": "small"}
    assert (index.commit, index.clean, index.branch) == ("abc123", True, "main")
    assert (index.partial, index.failed) == ([], [])
    assert table.tests[0] == "test_it.py::test_number[0-small]"
    assert table.parameters[0] == {"number": 0, "model": "small"}
    assert [len(split_digests(checks)) for checks in table.checks] == [1] * 6 + [2]


# What the report says, and why the run is a part or has failed; None for a whole run that passed.
LEFT_OUT = {"deselected": 1}
PARTIAL = [
    ({"complete": False}, "the session did not end"),
    ({"complete": False, "selection": None}, "the session did not end"),
    ({"shard": {"index": 1, "of": 2}}, "only part 1 of 2 ran"),
    ({"missing_shards": [2]}, "shards are missing: 2"),
    ({"selection": None}, "the report does not have what was left out"),
    # A merged report has the members that its shards do not share in each of them.
    ({"selection": None, "shards": [{"selection": {}}, {"selection": LEFT_OUT}]}, "only a part was selected: 1 test"),
    ({"selection": None, "shards": [{"selection": {}}, {}]}, "the report does not have what was left out"),
]
WHOLE = {
    "selection": {"selection": {}},
    "of shards": {"selection": None, "shards": [{"selection": {}}, {"selection": {"paths": True}}]},
    "of another program": {"selection": None, "pytest": None},
    "words": {"arguments": ["-k", "small", "--lf", "test_it.py::test_city"]},
}


@pytest.mark.parametrize(("members", "reason"), PARTIAL)
def test_part_of_a_session_is_marked(report, members, reason):
    index, _ = index_of(report(**members))
    assert len(index.partial) == 1
    assert index.partial[0].startswith(reason)


@pytest.mark.parametrize("case", WHOLE)
def test_whole_session_is_not_marked(report, case):
    assert index_of(report(**WHOLE[case]))[0].partial == []


# What the session itself says it left out; its words are not looked at.
SELECTIONS = [
    ({"deselected": 2}, [], "2 tests deselected"),
    ({"deselected": 1, "paths": True}, ["tests"], "1 test deselected"),
    ({"node_ids": True, "paths": True}, ["test_it.py::test_city"], "tests were named"),
    ({"last_failed": True}, ["--lf"], "--last-failed"),
    ({"ignored": True}, ["--ignore=a"], "--ignore"),
    ({"deselected": 3, "configured": True}, [], ""),
    ({"deselected": 3, "configured": True, "ignored": True}, [], "--ignore"),
    ({"paths": True}, ["tests"], ""),
    ({"paths": True, "narrowed": True}, ["tests"], "files were named (testpaths says which are all)"),
    *(({}, arguments, "") for arguments in (["-W", "ignore::DeprecationWarning"], ["-kall"], ["-m", "not slow"], [])),
]


@pytest.mark.parametrize(("selection", "arguments", "reason"), SELECTIONS)
def test_selection_of_the_report_decides(report, selection, arguments, reason):
    index, _ = index_of(report(selection=selection, arguments=arguments))
    assert index.partial == ([f"only a part was selected: {reason}"] if reason else [])


def test_failures_are_marked(report):
    folder = report(exit_status=1)
    assert index_of(folder)[0].failed == ["the session exited with 1"]
    document = json.loads((folder / "report.json").read_text())
    document["tests"][0]["outcome"] = "failed"
    gate = {"gate": "operator:* >= 1", "unit": "comparison", "pass": 0, "fail": 0, "error": 0, "verdict": "missed"}
    alter(folder, tests=document["tests"], gates=[{**gate, "notes": []}])
    index, _ = index_of(folder)
    assert index.failed == ["1 test did not pass", "gate operator:* >= 1: missed"]
    assert index.outcomes == "fpppppp"


def test_a_failure_hides_only_the_last_checks(report):
    folder = report()
    _, table = index_of(folder)
    whole = split_digests(table.checks[-1])
    lines = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join(lines[:-1]))
    alter(folder)
    _, shorter = index_of(folder)
    assert split_digests(shorter.checks[-1]) == whole[:1]


@pytest.mark.parametrize("count", [20, 21, 60])
def test_many_checks_are_folded_only_after_a_pass(report, count):
    folder = report()
    results = [compare("exact", number, number) for number in range(count)]
    (folder / "records.jsonl").write_bytes(lines_of(results, "test_it.py::test_city"))
    alter(folder)
    assert len(split_digests(index_of(folder)[1].checks[-1])) == min(count, 21)
    document = json.loads((folder / "report.json").read_text())
    document["tests"][-1]["outcome"] = "failed"
    alter(folder, tests=document["tests"])
    assert len(split_digests(index_of(folder)[1].checks[-1])) == 20


@pytest.mark.parametrize("change", ["operator", "expected", "settings", "threshold"])
def test_each_member_of_a_check_changes_its_digest(report, change):
    def digest(*arguments, **settings):
        folder = report()
        (folder / "records.jsonl").write_bytes(lines_of([compare(*arguments, **settings)], "test_it.py::test_city"))
        alter(folder)
        return index_of(folder)[1].checks[-1], index_of(folder)[0].answers[-4:]

    before = digest("text_similarity", "Paris", "Pariss", threshold=0.5)
    changed = {
        "operator": (("normalized_exact", "Paris", "Pariss"), {"threshold": 0.5}),
        "expected": (("text_similarity", "Rome", "Pariss"), {"threshold": 0.5}),
        "settings": (("text_similarity", "Paris", "Pariss"), {"threshold": 0.5, "metric": "jaro"}),
        "threshold": (("text_similarity", "Paris", "Pariss"), {"threshold": 0.6}),
    }[change]
    after = digest(*changed[0], **changed[1])
    assert after[0] != before[0]
    assert after[1] == before[1]
    same_check = digest("text_similarity", "Paris", "Parts", threshold=0.5)
    assert same_check[0] == before[0]
    assert same_check[1] != before[1]


class Plain:
    pass


HIDDEN = re.compile("sk-[0-9]+")
# What a test observes, and whether two runs with it certainly have the same answer.
OBSERVED = [
    ("Paris", True), (1.5, True), ({"a": [1, None]}, True), (None, True), (b"x", True), ({1, 2}, True), ("", True),
    ("sk-1", False), ("Paris sk-1", False), ({"a": ["sk-1"]}, False), (Plain(), False), ([1, {"a": Plain()}], False),
]  # fmt: skip


@pytest.mark.parametrize(("observed", "is_readable"), OBSERVED)
def test_answer_that_cannot_be_read_has_no_digest(report, store, observed, is_readable):
    folder = report()
    hidden = [compare("exact", "x", observed), compare("exact", "x", "x")]
    lines = lines_of(hidden, "test_it.py::test_city", redaction=redaction_of([HIDDEN]))
    (folder / "records.jsonl").write_bytes(lines)
    alter(folder)
    stored = store.find(store.push(folder, {}).run)
    assert bool(stored.answer("test_it.py::test_city")) is is_readable
    assert len(stored.index.answers) == 4 * len(stored.index.outcomes)


def test_torn_or_altered_index_is_refused(report):
    built = build_index(report(), {})
    for end in range(len(built.content)):
        with pytest.raises(RecordError):
            read_index(built.name, built.content[:end])
    with pytest.raises(RecordError, match="does not belong to its name"):
        read_index("20260101T000000-00000000", built.content)
    text = gzip.decompress(built.content).replace(b"ppppppp", b"fffffff")
    with pytest.raises(RecordError, match="does not belong to its name"):
        read_index(built.name, gzip.compress(text))


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"index": 2}', b"null", b"\xff", b"{" * 5_000])
def test_foreign_index_is_refused(text):
    import hashlib

    name = f"20260101T000000-{hashlib.sha256(text).hexdigest()[:8]}"
    with pytest.raises(RecordError):
        read_index(name, gzip.compress(text))
