"""Attempts to get a bad run blessed or counted, and to lose a run without a word."""

from __future__ import annotations

import itertools
import json

import pytest

from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.runs.changes import regressions
from pytest_verdict.store.baselines import RefusedError, bless, resolve
from written_runs import alter, write_run


@pytest.fixture
def run_of(store):
    numbers = itertools.count()

    def build(tests=None, **members):
        name = write_run(store.files.folder, tests or {"a": "p", "b": "p"}, number=next(numbers), **members)
        return store.find(name)

    return build


def bless_run(store, run, although=""):
    bless(store, run, "main", because="a test", although=although)


EDITS = {
    "a verdict": ("records.jsonl", b'"verdict":"pass"', b'"verdict":"fail"'),
    "an observed value": ("records.jsonl", b"Paris", b"paris"),
    "a record removed": ("records.jsonl", None, None),
    "an outcome": ("report.json", b'"outcome": "passed"', b'"outcome": "failed"'),
    "the exit status": ("report.json", b'"exit_status": 0', b'"exit_status": 1'),
    "what was left out": ("report.json", b'"selection": {}', b'"selection": {"paths": true}'),
    "the time": ("report.json", b'"started": "2', b'"started": "1'),
    "a blank": ("report.json", b'"complete": true', b'"complete":  true'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_report_that_was_edited_is_neither_pushed_nor_blessed(store, session_report, command, tmp_path, edit):
    name, old, new = EDITS[edit]
    folder = tmp_path / "edited"
    folder.mkdir()
    for path in session_report.iterdir():
        content = path.read_bytes()
        if path.name == name:
            changed = content[content.index(b"\n") + 1 :] if old is None else content.replace(old, new)
            assert changed != content
            content = changed
        (folder / path.name).write_bytes(content)
    for words in (["push", folder], ["bless", folder, "--as", "main", "--because", "good"]):
        status, out, err = command(*words, "--store", store.files.folder)
        assert (status, out) == (2, "")
        assert "were changed after the session" in err
        assert "`pytest-verdict replay" in err
    assert not store.files.folder.exists()
    # The report as it was goes there.
    assert command("push", session_report, "--store", store.files.folder)[0] == 0


def test_records_that_were_edited_are_compared_with_nothing(session_report, tmp_path, command):
    folder = tmp_path / "edited"
    folder.mkdir()
    for path in session_report.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"Paris"', b'"Rome"'))
    for pair in ((folder, session_report), (session_report, folder)):
        with pytest.raises(RecordError, match="its records were changed after the session"):
            regressions(*pair)
        status, _, err = command("diff", *pair)
        assert status == 2
        assert "its records were changed" in err
    # Records without their report are whatever they are.
    (folder / "report.json").unlink()
    assert command("diff", session_report, folder)[0] in {0, 1}


@pytest.mark.parametrize("option", ["--because", "--although"])
@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u2003"])
def test_blank_reason_is_none(store, run_of, command, option, text):
    run = run_of(failed=["1 test did not pass"])
    words = {"--because": "good", "--although": "we know", option: text}
    options = [word for pair in words.items() for word in pair]
    status, _, err = command("bless", run.name, "--as", "main", *options, "--store", store.files.folder)
    assert status == 2
    assert f"{option}: the text is blank" in err
    assert not (store.files.folder / "baselines").exists()


GATE = "operator:exact >= 0.9"
# The gates of the baseline and of the run, and whether the run is refused.
GATES = {
    "same": ([GATE], [GATE], False),
    "none": ([], [], False),
    "more": ([], [GATE], False),
    "higher": ([GATE], ["operator:exact >= 95%"], False),
    "with confidence": ([GATE], ["operator:exact >= 0.9 @ 0.95"], False),
    "written otherwise": ([GATE], [" operator: exact >= 18/20 "], False),
    "gone": ([GATE], [], True),
    "lower": ([GATE], ["operator:exact >= 0.8"], True),
    "another pattern": ([GATE], ["operator:regex >= 0.9"], True),
    "another kind": ([GATE], ["test:exact >= 0.9"], True),
    "without confidence": (["operator:exact >= 0.9 @ 0.95"], [GATE], True),
    "higher without confidence": (["operator:exact >= 0.9 @ 0.95"], ["operator:exact >= 0.95"], True),
    "pinned": (["pinned:a"], ["pinned:a"], False),
    "pinned no more": (["pinned:a"], [], True),
    "one of two": ([GATE, "pinned:a"], [GATE], True),
}


@pytest.mark.parametrize("case", GATES)
def test_run_without_a_gate_of_the_baseline_is_refused(store, run_of, case):
    before, after, is_refused = GATES[case]
    bless_run(store, run_of(gates=[[gate, "met"] for gate in before]))
    run = run_of(gates=[[gate, "met"] for gate in after])
    if is_refused:
        with pytest.raises(RefusedError, match="and the run has no such gate, or a lower one"):
            bless_run(store, run)
    bless_run(store, run, although="the gate was too strict" if is_refused else "")
    assert resolve(store, "main").name == run.name


# What was renamed, the tests of the run, and the tests that are missing then. The baseline has a and b.
RENAMED = {
    "renamed": ({"b": "c"}, "ac", ""),
    "not renamed": ({}, "ac", "b"),
    "to one that failed": ({"b": "c"}, "ac", ""),
    "to a test that was there": ({"b": "a"}, "a", "b"),
    "to a test that did not run": ({"b": "c"}, "a", "b"),
    "two to one": ({"a": "c", "b": "c"}, "c", "b"),
}


@pytest.mark.parametrize("case", RENAMED)
def test_renamed_test_is_not_missing_and_hides_no_other(store, run_of, case):
    renamed, tests, missing = RENAMED[case]
    bless_run(store, run_of())
    run = run_of(dict.fromkeys(tests, "p"), renamed=renamed)
    if not missing:
        bless_run(store, run)
        return
    with pytest.raises(RefusedError, match=f"1 test of the baseline did not run, or may fail now: {missing}"):
        bless_run(store, run)


def test_parts_of_sessions_are_not_left_out_without_a_word(store, run_of, command):
    run_of()
    for _ in range(3):
        run_of(partial=["only a part was selected: 1 test deselected"])
    for words in (["history"], ["trends", "-o", store.files.folder / "site"]):
        status, _, err = command(*words, "--store", store.files.folder)
        assert status == 0
        assert "3 runs of a part of a session not counted; `pytest-verdict runs` says why" in err
    assert "not counted" not in command("runs", "--store", store.files.folder)[2]


def test_tag_of_a_session_is_not_replaced(store, report, command):
    folder = report(tags={"model": "small"})
    status, _, err = command("push", folder, "--tag", "model=large", "--store", store.files.folder)
    assert status == 2
    assert "has the tag model=small, and a tag of a run has one value, got model=large" in err
    with pytest.raises(ConfigurationError):
        store.push(folder, {"model": "large"})
    assert store.runs() == []


def test_merged_report_has_what_each_shard_left_out(store, report):
    shards = [{"selection": {}}, {"selection": {"deselected": 2}}]
    run = store.find(store.push(report(selection=None, shards=shards), {}).run)
    with pytest.raises(RefusedError, match="only a part was selected: 2 tests deselected"):
        bless_run(store, run)


def test_alter_writes_the_digest_that_a_session_would(report, command):
    folder = alter(report(), exit_status=0)
    assert json.loads((folder / "report.json").read_text())["run"]["exit_status"] == 0
    assert command("push", folder, "--store", folder.parent / "store")[0] == 0


@pytest.mark.parametrize("words", [[], ["-q"], ["-qq"], ["-p", "no:terminal"]], ids=" ".join)
def test_run_that_was_not_stored_is_said_aloud(pytester, monkeypatch, words):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("def test_a(): pass")
    result = pytester.runpytest_inprocess("-p", "verdict", "--verify-store", "no/store", *words)
    assert result.ret == 0
    output = result.stdout.str() + result.stderr.str()
    assert "the run was not stored: " in output
    assert "later: pytest-verdict push verify-report" in output
