"""``pytest-verdict accept``: what it writes, what it refuses, and what it asks."""

from __future__ import annotations

import datetime
import decimal
import os
import shutil
import time
import zipfile
from pathlib import PurePosixPath

import pytest

from pytest_verdict.core.values.encoding import encode_text

ACCEPTED = '# about trips\ntest_trip[paris]:\n  greeting: ["Hello, paris!"]\n'


def values_of(project, name="tests/test_trip.accepted.yaml"):
    from pytest_verdict.accepting.file import read_accepted

    return read_accepted(project.path / name)


@pytest.fixture
def run(greeting):
    """A project with the report of its one comparison."""
    greeting.observe("text_similarity", "Hello, paris!", threshold=0.8)
    return greeting


@pytest.mark.ci
def test_accepted_value_passes_in_the_next_session(greeting):
    greeting.run().assert_outcomes(failed=1)
    assert greeting.accept("--all")[0] == 0
    greeting.run().assert_outcomes(passed=1)


def test_without_a_choice_nothing_is_written(run):
    before = run.read("tests/test_trip.accepted.yaml")
    status, out, _ = run.accept()
    assert (status, run.read("tests/test_trip.accepted.yaml")) == (1, before)
    assert "expected 'Good day', got 'Hello, paris!'" in out
    assert "1 left" in out


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["--all"], ""),
        (["--test", "test_trip*"], ""),
        (["--test", "test_trip[paris]"], ""),
        (["--test", "tests/*"], ""),
        (["--test", "tests/test_trip.py::test_trip[paris]"], ""),
        (["--review"], "a\n"),
        (["--review"], "A\n"),
        (["--review"], "?\n\na\n"),
        (["--review", "--test", "test_trip*"], "a"),
    ],
)
def test_accepting_writes_the_text_of_the_record_and_the_test_passes(run, words, keys):
    status, _, _ = run.accept(*words, keys=keys)
    assert (status, run.read("tests/test_trip.accepted.yaml")) == (0, ACCEPTED)
    assert run.accept("--all")[:2] == (0, "1 accepted already\n")


@pytest.mark.parametrize(
    ("words", "keys", "word"),
    [
        (["--review"], "r\n", "1 rejected"),
        (["--review"], "s\n", "1 skipped"),
        (["--review"], "", "1 skipped"),
        (["--review"], "x\n", "1 skipped"),
    ],
)
def test_other_answers_write_nothing(run, words, keys, word):
    before = run.read("tests/test_trip.accepted.yaml")
    status, out, _ = run.accept(*words, keys=keys)
    assert run.read("tests/test_trip.accepted.yaml") == before
    assert status == 1
    assert word in out


@pytest.mark.parametrize("pattern", ["test_tri", "test_trip[p]", ""])
def test_pattern_without_a_test_is_an_error(run, pattern):
    status, out, err = run.accept("--test", pattern)
    assert (status, out) == (2, "")
    assert f"no test of verify-report has the name or pattern {pattern!r}" in err


def test_add_beside_keeps_the_first_value(run):
    assert run.accept("--review", keys="+\n")[0] == 0
    assert values_of(run) == {"test_trip[paris]": {"greeting": ["Good day", "Hello, paris!"]}}
    run.observe("text_similarity", "Hello, paris!", threshold=0.8)
    entry = run.records()[1]["accepted"]
    assert len(entry.pop("digest")) == 16
    assert entry == {**run.records()[0]["accepted"], "entry": 2, "of": 2}


def test_review_shows_difference_score_and_margin(run):
    out = run.accept("--review", keys="s")[1]
    assert "expected 'Good day', got 'Hello, paris!'" in out
    assert "score 0.230769, needs 0.8, margin -0.569231" in out
    assert "accepted value 1 of 1 in tests/test_trip.accepted.yaml" in out


def test_review_shows_whole_values(greeting):
    greeting.observe("exact", "a" * 5000 + "HIDDEN" + "b" * 5000, name="new")
    greeting.observe("exact", "a" * 5000 + "HIDDEN" + "b" * 5000)
    assert greeting.accept("--review", keys="s\ns")[1].count("HIDDEN") >= 2
    assert greeting.accept("--all")[0] == 0
    assert greeting.read("tests/test_trip.accepted.yaml").count("HIDDEN") == 2


@pytest.mark.parametrize(
    ("keys", "tests"),
    [
        ("s\nA\n", {1, 2, 3}),
        ("a\nA\n", {0, 1, 2, 3}),
        ("s\na\ns\ns\n", {1}),
        ("A\ns\ns\ns\n", {0}),
        ("r\nr\nA\n", {2, 3}),
    ],
)
def test_equal_changes_are_grouped(project, keys, tests):
    project.write("test_it.py", "")
    for number in range(4):
        project.observe("exact", "same" if number else "other", name="v", test=f"test_it.py::test_many[{number}]")
    _, out, _ = project.accept("--review", keys=keys)
    assert "2 of 4, 2 more alike" in out
    assert set(values_of(project, "test_it.accepted.yaml")) == {f"test_many[{number}]" for number in tests}


def test_report_may_be_a_folder_records_an_artefact_or_a_bundle(greeting):
    from pytest_verdict.cli import main

    run = greeting
    run.run()
    folder = run.path / "verify-report"
    assert main(["bundle", str(folder), "-o", str(run.path / "bundle.zip")]) == 0
    with zipfile.ZipFile(run.path / "artefact.zip", "w") as file:
        for name in ("records.jsonl", "report.json", "junit.xml"):
            file.write(folder / name, name)
    shutil.copy(folder / "records.jsonl", run.path / "some.jsonl")
    shutil.move(folder, run.path / "elsewhere")
    before = run.read("tests/test_trip.accepted.yaml")
    for name in ("bundle.zip", "artefact.zip", "some.jsonl", "elsewhere"):
        (run.path / "tests" / "test_trip.accepted.yaml").write_text(before)
        assert run.accept(name, "--all")[0] == 0, name
        assert run.read("tests/test_trip.accepted.yaml") == ACCEPTED
    assert run.accept("absent.zip", "--all")[0] == 2


def test_command_runs_in_the_root_directory_of_the_tests(run, monkeypatch, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    report = str(run.path / "verify-report")
    status, out, _ = run.accept(report, "--all")
    assert status == 1
    assert "run the command in the root directory of the tests" in out
    assert not list(elsewhere.rglob("*.yaml"))
    monkeypatch.chdir(run.path)
    assert run.accept(report, "--all")[0] == 0
    assert run.read("tests/test_trip.accepted.yaml") == ACCEPTED


@pytest.mark.parametrize("words", [["--all"], ["--review"], ["--prune"], ["--test", "*"]])
def test_ci_is_refused(run, monkeypatch, words):
    monkeypatch.setenv("CI", "true")
    before = run.read("tests/test_trip.accepted.yaml")
    status, _, err = run.accept(*words, keys="a")
    assert (status, run.read("tests/test_trip.accepted.yaml")) == (2, before)
    assert "--in-ci" in err


@pytest.mark.parametrize("value", ["", "0", "false", None])
def test_other_values_of_ci_are_none(run, monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("CI", value)
    assert run.accept("--all")[0] == 0


def test_ci_is_allowed_by_the_option(run, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert run.accept("--all", "--in-ci")[0] == 0
    assert run.accept()[0] == 0


VALUES = {
    "text": "Hello",
    "lines": "a\n b\n\nc",
    "end": "a\n",
    "ends": "a\n\n",
    "lead": "\n a",
    "blank": " ",
    "empty": "",
    "tabs": "a\tb\nc\td ",
    "cr": "a\r\nb",
    "nul": "a\x00b",
    "nel": "a\x85b\n\u2028c",
    "emoji": "\U0001f600",
    "bom": "\ufeffa",
    "yes": "yes",
    "null": "null",
    "text date": "2020-01-02",
    "number": "1.0",
    "hash": "# a",
    "colon": "a: b",
    "dash": "- a",
    "quote": '"',
    "marker": "<<<<<<< HEAD\n=======\n",
    "int": 5,
    "big": 10**40,
    "float": 1.5,
    "exponent": 1e16,
    "small": 5e-324,
    "bool": True,
    "none": None,
    "negative": -0.0,
    "list": [1, [2, "x"], {}],
    "empty list": [],
    "dict": {"a": [1.0, None], "b": {"c": "x\ny"}},
    "order": {"b": 1, "a": 2},
    "odd": {"": 1, "a b: c": 2, "2": 3},
}
REFUSED = {
    "day": datetime.date(2020, 1, 2),
    "time": datetime.datetime(2020, 1, 2, 3, 4, 5, 600),
    "zone": datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    "tuple": (1, 2),
    "set": {1, 2},
    "decimal": decimal.Decimal("1.1"),
    "path": PurePosixPath("a"),
    "object": object(),
    "nested": [1, (2,)],
    "keys": {1: 2, (1, 2): 4},
    "surrogate": "\ud800",
    "clock": datetime.time(1, 2),
    "complex": 1j,
}


def test_values_of_all_kinds_are_given_back_or_refused(project):
    project.write("test_it.py", "")
    for name, value in {**VALUES, **REFUSED}.items():
        project.observe("exact", value, name=name, test="test_it.py::test_a")
    texts = set()
    for _ in range(2):
        (project.path / "test_it.accepted.yaml").unlink(missing_ok=True)
        status, out, _ = project.accept("--all")
        texts.add(project.read("test_it.accepted.yaml"))
    refused = {line.split(":")[3].removeprefix("test_a ") for line in out.splitlines() if line.startswith("refused")}
    assert (status, refused) == (1, set(REFUSED))
    values = values_of(project, "test_it.accepted.yaml")["test_a"]
    assert [*values] == sorted(VALUES)
    for name, value in VALUES.items():
        assert encode_text(values[name]) == encode_text([value])
    # The same run gives the same bytes, and texts of several lines are blocks.
    (text,) = texts
    assert "\n    - |-\n      a\n       b\n\n      c\n" in text
    # Written again, each one beside another value.
    (project.path / "verify-report" / "records.jsonl").unlink()
    for name in VALUES:
        project.observe("exact", f"new {name}", name=name, test="test_it.py::test_a")
    assert project.accept("--review", keys="+\n" * len(VALUES))[0] == 0
    values = values_of(project, "test_it.accepted.yaml")["test_a"]
    for name, value in VALUES.items():
        assert encode_text(values[name]) == encode_text([value, f"new {name}"])


PATTERNS = {
    **dict.fromkeys(("regex", "contains_any", "contains_all", "starts_with", "ends_with", "not_contains"), "Hello"),
    **{name: ["Hello"] for name in ("one_of", "is_type", "trajectory_forbidden", "trajectory_only_from")},
    **dict.fromkeys(("numeric_minimum", "numeric_maximum", "delta"), 5),
    "json_schema": {},
}


@pytest.mark.parametrize("operator", PATTERNS)
def test_patterns_parts_limits_and_choices_are_never_accepted(run, operator):
    (run.path / "verify-report" / "records.jsonl").unlink()
    run.observe(operator, PATTERNS[operator], name="v")
    before = run.read("tests/test_trip.accepted.yaml")
    status, out, _ = run.accept("--all")
    assert (status, run.read("tests/test_trip.accepted.yaml")) == (1, before)
    assert "expects no value such as the observed one" in out


@pytest.mark.parametrize(
    ("operator", "observed"), [("exact", float("nan")), ("numeric_exact", "none"), ("date_match", "x")]
)
def test_value_that_would_not_pass_is_refused(run, operator, observed):
    (run.path / "verify-report" / "records.jsonl").unlink()
    run.observe(operator, observed, name="v")
    assert "would not pass with it" in run.accept("--all")[1]


def test_negated_comparison_is_refused(run):
    (run.path / "verify-report" / "records.jsonl").unlink()
    run.observe("exact", "Good day")
    run.change_records(verdict="fail", negated=True)
    assert "expects that it does not match" in run.accept("--all")[1]


def test_redacted_value_is_refused(project):
    project.write("pytest.ini", "[pytest]\nverdict_redact = sk-[0-9]+\n")
    project.write(
        "test_it.py",
        """
        from pytest_verdict import accepted, assert_matches

        def test_whole():
            assert_matches("exact", accepted(), "sk-1234", name="v")

        def test_part():
            assert_matches("json_canonical", accepted(), {"a": ["my sk-1234 key"]}, name="v")

        def test_name():
            assert_matches("exact", accepted(), "fine", name="sk-99")
        """,
    )
    project.run()
    status, out, _ = project.accept("--all")
    assert (status, out.count("a part of it is redacted")) == (1, 3)
    assert "sk-" not in out
    assert not (project.path / "test_it.accepted.yaml").exists()


def test_two_values_for_one_place_are_not_accepted_blindly(project):
    project.write(
        "test_it.py",
        """
        from pytest_verdict import accepted

        def test_loop(comparator):
            with comparator.collect():
                for reply in ("a", "b", "a"):
                    comparator.assert_matches("exact", accepted(), reply, name="v")
        """,
    )
    project.run()
    status, out, _ = project.accept("--all")
    assert (status, values_of(project, "test_it.accepted.yaml")) == (1, {"test_loop": {"v": ["a"]}})
    assert "another value of this run" in out
    (project.path / "test_it.accepted.yaml").unlink()
    project.accept("--review", keys="a\na\n+\n")
    assert values_of(project, "test_it.accepted.yaml") == {"test_loop": {"v": ["a", "b"]}}


def test_last_attempt_counts(project):
    pytest.importorskip("pytest_rerunfailures")
    project.write(
        "test_it.py",
        """
        from pytest_verdict import accepted, assert_matches

        replies = ["first", "second"]

        def test_flaky():
            assert_matches("exact", accepted(), replies.pop(0), name="v")
        """,
    )
    project.run("-p", "rerunfailures", "--reruns=1")
    assert project.accept("--all")[0] == 0
    assert values_of(project, "test_it.accepted.yaml") == {"test_flaky": {"v": ["second"]}}


UNUSED = """
test_trip[paris]:
  greeting: ["Hello, paris!"]
  old: ["a"]
test_gone:
  greeting: ["b"]
test_skipped:
  greeting: ["c"]
test_failed:
  greeting: ["d"]
  later: ["e"]
"""
OTHERS = """
import pytest
from pytest_verdict import accepted, assert_matches

@pytest.mark.parametrize("city", ["paris"])
def test_trip(city):
    assert_matches("exact", accepted(), f"Hello, {city}!", name="greeting")

@pytest.mark.skip
def test_skipped():
    assert_matches("exact", accepted(), "c", name="greeting")

def test_failed():
    assert_matches("exact", accepted(), "x", name="greeting")
    assert_matches("exact", accepted(), "x", name="later")
"""


@pytest.fixture
def unused(project):
    project.write("tests/test_trip.py", OTHERS)
    project.write("tests/test_trip.accepted.yaml", UNUSED)
    return project


def test_prune_removes_what_no_test_of_a_whole_session_used(unused):
    unused.run()
    status, out, _ = unused.accept("--prune")
    assert "2 removed" in out
    assert {test: set(names) for test, names in values_of(unused).items()} == {
        "test_trip[paris]": {"greeting"},
        "test_skipped": {"greeting"},
        "test_failed": {"greeting", "later"},
    }
    assert status == 1
    unused.run()


@pytest.mark.parametrize(
    "words",
    [
        ["-k", "paris"],
        ["tests/test_trip.py::test_trip"],
        ["--deselect", "tests/test_trip.py::test_failed"],
        ["--verify-shard", "1/2"],
        pytest.param(["-pxdist", "-n2", "-k", "paris"], marks=pytest.mark.ci),
    ],
)
def test_prune_is_refused_after_a_part_of_the_tests(unused, words):
    unused.run(*words)
    status, _, err = unused.accept("--prune")
    assert (status, unused.read("tests/test_trip.accepted.yaml")) == (2, UNUSED.lstrip("\n"))
    assert "not every test ran" in err


def test_prune_is_refused_after_an_interrupt_and_without_a_report(unused):
    unused.write("conftest.py", "def pytest_runtest_teardown(item):\n    raise KeyboardInterrupt\n")
    unused.run()
    assert unused.accept("--prune")[0] == 2
    (unused.path / "conftest.py").unlink()
    unused.run()
    assert unused.accept("verify-report/records.jsonl", "--prune")[0] == 2
    assert unused.accept("verify-report", "--prune")[0] == 1


@pytest.mark.parametrize("name", ["test_trip.accepted.yaml", "test_trip.py"])
def test_prune_is_refused_where_a_file_changed_after_the_session(unused, name):
    unused.write("tests/test_other.py", "def test_a(): pass\n")
    unused.write("tests/test_other.accepted.yaml", "test_b:\n  v: [1]\n")
    unused.run()
    path = unused.path / "tests" / name
    if name.endswith(".yaml"):
        path.write_text(UNUSED + 'test_new: {v: ["accepted since"]}\n')
    content = unused.read("tests/test_trip.accepted.yaml")
    os.utime(path, (time.time() + 5,) * 2)
    status, out, _ = unused.accept("--prune")
    assert (status, unused.read("tests/test_trip.accepted.yaml")) == (1, content)
    assert "refused: tests/test_trip.accepted.yaml or its module: it changed after this session; run pytest" in out
    # Others are pruned.
    assert not (unused.path / "tests" / "test_other.accepted.yaml").exists()


def test_paths_of_whole_files_may_be_pruned(unused):
    unused.write("tests/test_other.py", "def test_a(): pass\n")
    unused.run("tests/test_trip.py")
    assert "2 removed" in unused.accept("--prune")[1]


def test_module_skipped_as_a_whole_keeps_its_values(unused):
    unused.write("tests/test_trip.py", "import pytest\npytest.skip('later', allow_module_level=True)\n")
    unused.run()
    unused.accept("--prune")
    assert unused.read("tests/test_trip.accepted.yaml") == UNUSED.lstrip("\n")


def test_last_entry_takes_the_file_with_it(project):
    project.write("test_it.py", "def test_a(): pass\n")
    project.write("test_it.accepted.yaml", "test_b:\n  v: [1]\n")
    project.run()
    assert project.accept("--prune")[0] == 0
    assert not (project.path / "test_it.accepted.yaml").exists()


def renamed(project, reply="Hello, paris!"):
    project.write("tests/test_trip.accepted.yaml", '# one\ntest_old:  # two\n  greeting: ["Hello, paris!", "x"]\n')
    project.write(
        "tests/test_trip.py",
        f"""
        from pytest_verdict import accepted, assert_matches

        def test_new():
            assert_matches("text_similarity", accepted(), "{reply}", threshold=0.8, name="greeting")
        """,
    )
    project.run()


@pytest.mark.parametrize(("words", "keys"), [(["--review"], "m\n"), (["--all"], "")])
def test_renamed_test_is_a_move(project, words, keys):
    renamed(project, "Hello, Paris?")
    status, out, _ = project.accept(*words, keys=keys)
    assert (status, values_of(project)) == (0, {"test_new": {"greeting": ["Hello, paris!", "x"]}})
    assert "1 moved" in out
    project.run().assert_outcomes(passed=1)


def test_no_move_where_the_value_differs_or_the_old_test_exists(project):
    renamed(project, "Something else")
    project.accept("--all")
    assert values_of(project)["test_new"] == {"greeting": ["Something else"]}
    assert "test_old" in values_of(project)
    project.write("tests/test_old.py", "")
    renamed(project)
    project.write("tests/test_trip.py", project.read("tests/test_trip.py") + "\ndef test_old(): assert False\n")
    project.run()
    assert "m move" not in project.accept("--review", keys="s")[1]


def test_no_move_from_a_file_that_changed_after_the_session(project):
    renamed(project)
    os.utime(project.path / "tests" / "test_trip.py", (time.time() + 5,) * 2)
    assert "m move" not in project.accept("--review", keys="s")[1]
