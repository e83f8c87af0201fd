"""Attempts to lose a file, to write to a wrong one, or to get something accepted that nobody saw."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from pytest_verdict.accepting.command import _replace
from pytest_verdict.accepting.editing import AcceptedFile
from pytest_verdict.accepting.file import parse_accepted
from pytest_verdict.errors import VerdictError

FILE = "tests/test_trip.accepted.yaml"


@pytest.fixture
def run(greeting):
    greeting.observe("text_similarity", "Hello, paris!", threshold=0.8)
    return greeting


def test_twenty_writers_at_once_lose_nothing(tmp_path):
    path = tmp_path / "test_it.accepted.yaml"
    problems = []

    def add(number):
        while True:
            original = path.read_bytes() if path.exists() else None
            file = AcceptedFile((original or b"").decode())
            file.accept((f"test_{number}", "v", None), number, beside=False)
            try:
                _replace(path, original, file.text().encode())
            except VerdictError:
                continue
            except BaseException as error:
                problems.append(error)
            return

    threads = [threading.Thread(target=add, args=[number]) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert parse_accepted(path.read_text()) == {f"test_{number}": {"v": [number]} for number in range(20)}
    assert [one.name for one in tmp_path.iterdir()] == ["test_it.accepted.yaml"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("moment", ["write_bytes", "replace"])
def test_kill_while_writing_leaves_the_old_or_the_new_file(run, moment):
    before = run.read(FILE)
    child = os.fork()
    if child == 0:
        setattr(Path, moment, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        try:
            run.accept("--all")
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert run.read(FILE) == before
    assert run.accept("--all")[0] == 0
    assert run.read(FILE) != before


def test_interrupted_review_writes_nothing(run, monkeypatch):
    run.observe("exact", "new", name="other")
    before = run.read(FILE)

    class Keys:
        buffer = None
        count = 0

        def readline(self):
            self.count += 1
            if self.count > 1:
                raise KeyboardInterrupt
            return "a\n"

    from pytest_verdict.cli import main

    monkeypatch.setattr(sys, "stdin", Keys())
    assert main(["accept", "--review"]) == 130
    assert run.read(FILE) == before


def test_file_that_changes_during_the_review_is_not_overwritten(run, monkeypatch):
    class Keys:
        buffer = None

        def readline(self):
            (run.path / FILE).write_text("test_b:\n  v: [1]\n")
            return "a\n"

    from pytest_verdict.cli import main

    monkeypatch.setattr(sys, "stdin", Keys())
    assert main(["accept", "--review"]) == 2
    assert "changed meanwhile" in run.capsys.readouterr().err
    assert run.read(FILE) == "test_b:\n  v: [1]\n"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('test_trip[paris]:\n  greeting: ["Other"]\n', "has changed since"),
        ('test_trip[paris]:\n  greeting: ["Other", "Good day"]\n', "has changed since"),
        ('test_b:\n  greeting: ["Good day"]\n', "has changed since"),
        ("", "has changed since"),
        ('test_trip[paris]:\n  greeting: ["Good day", "Hello, paris!"]\n', "accepted already"),
        ("<<<<<<< HEAD\n", "test_trip.accepted.yaml:1: a conflict"),
        ("test_trip[paris]:\n  greeting: [\n", "not YAML"),
    ],
)
def test_file_that_changed_since_the_session_is_not_written(run, text, word):
    (run.path / FILE).write_text(text)
    _, out, err = run.accept("--all")
    assert word in out + err
    assert run.read(FILE) == text


def test_value_that_was_missing_and_is_there_now_is_not_replaced(greeting):
    (greeting.path / FILE).unlink()
    greeting.observe("exact", "Hello, paris!")
    (greeting.path / FILE).write_text("test_trip[paris]:\n  greeting: [1]\n")
    status, out, _ = greeting.accept("--all")
    assert (status, greeting.read(FILE)) == (1, "test_trip[paris]:\n  greeting: [1]\n")
    assert "run the test again" in out


OUTSIDE = [
    *(
        "../outside.accepted.yaml",
        "tests/../../outside.accepted.yaml",
        "/tmp/outside.accepted.yaml",
        "link/outside.accepted.yaml",
    ),
    *(
        "..\\outside.accepted.yaml",
        "C:/outside.accepted.yaml",
        "tests/test_other.accepted.yaml",
        "pyproject.toml",
        "",
        ".",
    ),
    *("tests/test_trip.py", "tests", "\0", "tests/test_trip.accepted.yaml/x", "TESTS/test_trip.accepted.yaml"),
]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("module", ["same", "beside"])
def test_report_cannot_choose_another_file(run, tmp_path_factory, name, module):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "outside.py").touch()
    (run.path.parent / "outside.py").touch()
    (run.path / "link").symlink_to(outside)
    (run.path / "pyproject.toml").write_text("")
    files = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    test = "tests/test_trip.py::test_trip[paris]"
    if module == "beside":
        test = name.replace(".accepted.yaml", ".py") + "::test_trip[paris]"
    run.change_records(accepted={"file": name, "test": "test_trip[paris]", "problem": "none"}, test=test)
    files |= {run.path / "verify-report" / "records.jsonl": (run.path / "verify-report" / "records.jsonl").read_bytes()}
    status, _, _ = run.accept("--all")
    assert status in {1, 2}
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == files
    assert [path.name for path in outside.iterdir()] == ["outside.py"]
    assert not list(run.path.parent.glob("outside.accepted*"))


@pytest.mark.parametrize(
    "test", ["../a.verdict.yaml::one", "/etc/hosts.yaml::one", "link/a.yaml::one", "::", "", "a.yaml::"]
)
def test_report_cannot_choose_a_suite_outside(run, tmp_path_factory, test):
    outside = tmp_path_factory.mktemp("outside")
    (run.path / "link").symlink_to(outside)
    text = "scenarios:\n  - {name: one, input: x, expected_output: Good day}\n"
    for folder in (outside / "a.yaml", run.path.parent / "a.verdict.yaml"):
        folder.write_text(text)
    run.change_records(accepted=None, test=test)
    assert run.accept("--all")[0] in {0, 1, 2}
    assert (outside / "a.yaml").read_text() == (run.path.parent / "a.verdict.yaml").read_text() == text


@pytest.mark.parametrize(
    "members",
    [
        {"accepted": {"file": FILE, "test": "test_trip[paris]", "entry": "x"}},
        {"accepted": {"file": FILE, "test": "test_trip[paris]", "entry": 99, "of": 1}},
        {"accepted": {"file": FILE, "test": "test_trip[paris]", "entry": -5}},
        {"accepted": {"file": FILE, "test": "test_trip[paris]", "entry": 0}},
        {"accepted": {"file": [1], "test": {}, "entry": 1}},
        {"accepted": {}},
        {"accepted": [1]},
        {"accepted": "x"},
        {"observed": {"$type": "repr", "class": "a:b", "value": "x"}},
        {"observed": {"$type": "unknown"}},
        {"operator": "no_such_operator", "observed": {"$type": "repr", "class": "a:b", "value": "x"}},
        {"settings": {"metric": "none"}, "accepted": {"file": FILE, "test": "other", "entry": 1}},
        {"score": 7},
        {"threshold": 0},
        {"test": 5},
        {"name": 5},
    ],
)
def test_malformed_record_writes_nothing_and_is_no_crash(run, members):
    before = run.read(FILE)
    run.change_records(**members)
    status, out, err = run.accept("--all")
    assert "accepted" not in out + err
    assert (status in {1, 2}) is isinstance(members.get("accepted", {}), dict)
    assert run.read(FILE) == before


def test_modes_of_the_file_and_other_files_stay(run):
    (run.path / FILE).chmod(0o640)
    assert run.accept("--all")[0] == 0
    assert (run.path / FILE).stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in (run.path / "tests").iterdir()) == ["test_trip.accepted.yaml", "test_trip.py"]


def test_link_inside_of_the_root_directory_stays_a_link(run):
    real = run.path / "real.yaml"
    (run.path / FILE).rename(real)
    (run.path / FILE).symlink_to(real)
    status, out, _ = run.accept("--all")
    assert (status, out.count("refused")) == (1, 2)
    assert (run.path / FILE).is_symlink()


EXPECTED_FAILURES = """
import pytest
from pytest_verdict import MismatchError, accepted, assert_matches, compare

@pytest.mark.xfail
def test_xfail():
    assert_matches("exact", accepted(), "wrong", name="v")

def test_looked():
    assert compare("exact", accepted(), "wrong", name="v").verdict == "fail"

def test_raises():
    with pytest.raises(MismatchError):
        assert_matches("exact", accepted(), "wrong", name="v")

def test_fails():
    assert_matches("exact", accepted(), "right", name="v")

@pytest.mark.xfail(raises=ValueError)
def test_fails_otherwise():
    assert_matches("exact", accepted(), "right", name="v")
"""


# How a test fails, and the values that are accepted without a review.
FAILURES = {
    "raises": ('assert_matches("exact", accepted(), "right", name="w")', {"w"}),
    "asserts": ('assert compare("exact", accepted(), "right", name="w")', {"w"}),
    "collects": (
        """with comparator.collect():
        comparator.assert_matches("exact", accepted(), "right", name="w")
        comparator.assert_matches("exact", accepted(), "right", name="x")""",
        {"w", "x"},
    ),
    "looks at nothing": (
        'compare("exact", accepted(), "right", name="w")\n    compare("exact", accepted(), "right", name="x")',
        {"w", "x"},
    ),
    "has a message of its own": ('assert compare("exact", accepted(), "right", name="w"), "words"', {"w"}),
    "fails in a subtest": (
        """with subtests.test("a"):
        assert_matches("exact", accepted(), "right", name="w")""",
        {"w"},
    ),
    "asserts otherwise": ('assert not compare("exact", accepted(), "right", name="w")\n    assert [1] == [2]', set()),
    "fails otherwise": ('pytest.fail("exact: bad")', set()),
    "raises otherwise": ('raise ValueError("bad")', set()),
}


@pytest.mark.parametrize("expects", [False, True])
@pytest.mark.parametrize("case", FAILURES)
def test_failure_that_the_test_may_expect_is_not_accepted_unread(project, case, expects):
    later, accepted = FAILURES[case]
    imports = EXPECTED_FAILURES.partition("@pytest")[0]
    expected = 'with pytest.raises(MismatchError):\n        assert_matches("exact", accepted(), "wrong", name="v")'
    body = expected if expects else "pass"
    project.write("test_it.py", f"{imports}def test_it(comparator, subtests):\n    {body}\n    {later}\n")
    project.write("test_it.accepted.yaml", "test_it:\n  v: [old]\n  w: [old]\n  x: [old]\n")
    assert project.run().ret == 1
    _, out, _ = project.accept("--all")
    values = parse_accepted(project.read("test_it.accepted.yaml"))["test_it"]
    # Which of several failures the test expects is not known.
    assert {name for name, (value,) in values.items() if value == "right"} == (set() if expects else accepted)
    assert values["v"] == ["old"]
    assert ("refused: test_it.py::test_it v: the test failed for another reason" in out) is expects
    assert project.accept("--review", keys="a\n" * 3)[0] == 0


@pytest.mark.parametrize("words", [["--all"], ["--test", "test_*"]])
def test_failure_that_a_test_expects_is_not_accepted_unread(project, words):
    names = ("test_xfail", "test_looked", "test_raises", "test_fails", "test_fails_otherwise")
    project.write("test_it.py", EXPECTED_FAILURES)
    project.write("test_it.accepted.yaml", "".join(f"{name}:\n  v: [old]\n" for name in names))
    project.run()
    status, out, _ = project.accept(*words)
    values = parse_accepted(project.read("test_it.accepted.yaml"))
    assert {name: values[name]["v"] for name in names} == {
        **{name: ["old"] for name in names[:3]},
        **{name: ["right"] for name in names[3:]},
    }
    assert status == 1
    assert "refused: test_it.py::test_xfail v: the test xfailed, so it expects that this does not pass" in out
    assert out.count("accept it with --review if that is wrong") == 3
    # Somebody who reads it may.
    assert project.accept("--review", keys="a\n" * 3)[0] == 0


@pytest.mark.parametrize("words", [["--all"], ["--review"], []])
@pytest.mark.parametrize("member", ["observed", "threshold", "accepted"])
def test_record_that_was_edited_is_not_accepted(greeting, words, member):
    greeting.run()
    before = greeting.read(FILE)
    new = {"observed": "Hello, thief!", "threshold": 0.1, "accepted": {"file": FILE, "test": "test_trip[paris]"}}
    greeting.change_records(**{member: new[member]})
    status, out, err = greeting.accept(*words, keys="a\n")
    assert (status, out, greeting.read(FILE)) == (2, "", before)
    assert "its records were changed after the session" in err


CI = {"CI": "true", "BUILD_NUMBER": "7", "TF_BUILD": "True", "CODEBUILD_BUILD_ID": "a:b"}


@pytest.mark.parametrize("variable", CI)
def test_each_service_of_ci_is_known(run, monkeypatch, variable):
    monkeypatch.setenv(variable, CI[variable])
    before = run.read(FILE)
    status, _, err = run.accept("--all")
    assert (status, run.read(FILE)) == (2, before)
    assert f"this is CI (the variable {variable} is set)" in err
    assert run.accept("--all", "--in-ci")[0] == 0
