"""``accepted()``: which value a comparison expects, what its record has, and what makes it an error."""

from __future__ import annotations

import json
import pickle

import pytest

from pytest_verdict import Operator, Outcome, UndecidedError, accepted, compare, expect
from pytest_verdict.accepting.file import find_entry
from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import ArgumentsError, ConfigurationError, SettingsError
from pytest_verdict.session import SESSION, AcceptedEntry

WAYS = """
import pytest
from pytest_verdict import UndecidedError, accepted, assert_matches, compare, expect

def test_function():
    assert assert_matches("exact", accepted(), "b", name="value").expected == "b"

class TestClass:
    def test_method(self, comparator):
        comparator.assert_matches("exact", expected=accepted(), observed="b", name="value")

    @pytest.mark.parametrize("city", ["a::b", "[x]", "é"])
    def test_parameter(self, comparator, city):
        assert comparator("exact", accepted(), city, name="value")

def test_expect():
    assert "b" == expect("exact", accepted(), name="value")
    assert "c" != expect("exact", accepted(), name="value")

def test_extract():
    assert compare("numeric_exact", accepted(), "it is 5 km", extract="last_number", name="value")

def test_soft(comparator):
    with comparator.collect():
        comparator.assert_matches("exact", accepted(), "b", name="value")

def test_missing():
    assert compare("exact", accepted(), "b", name="absent").error
    with pytest.raises(UndecidedError, match="pytest-verdict accept --review"):
        assert_matches("exact", accepted(), "b", name="absent")
    assert compare("exact", accepted(), "b", name="valu").error.count("the nearest is 'value'") == 1

def test_absent_in_file():
    with pytest.raises(UndecidedError):
        assert not compare("exact", accepted(), "b", name="value")
"""
VALUES = r"""
test_function: {value: ["a", "b"]}
TestClass::test_method: {value: ["b"]}
TestClass::test_parameter[a::b]: {value: ["a::b"]}
'TestClass::test_parameter[[x]]': {value: ["[x]"]}
'TestClass::test_parameter[\xe9]': {value: ["é"]}
test_expect: {value: ["a", "b"]}
test_extract: {value: [4, 5]}
test_soft: {value: ["b"]}
test_missing: {value: ["b"]}
"""


@pytest.fixture(params=["-n0", pytest.param("-n2", marks=pytest.mark.ci)])
def session(request, project):
    project.write("test_it.py", WAYS)
    project.write("test_it.accepted.yaml", VALUES)
    extra = ["-pxdist", "-n2"] if request.param == "-n2" else []
    project.run(*extra).assert_outcomes(passed=10)
    return project


def test_all_ways_to_compare_find_their_values(session):
    lines = session.read("verify-report/records.jsonl").encode().splitlines(keepends=True)
    (session.path / "test_it.accepted.yaml").unlink()
    assert {replay_line(line).status for line in lines} == {"identical"}
    records = [json.loads(line) for line in lines]
    by_test = {record["test"]: record for record in records}
    entry = by_test["test_it.py::test_function"]["accepted"]
    assert entry.pop("digest") == by_test["test_it.py::test_expect"]["accepted"]["digest"]
    assert entry == {"file": "test_it.accepted.yaml", "test": "test_function", "entry": 2, "of": 2}
    # Of one value, the record has the value.
    assert "digest" not in by_test["test_it.py::test_soft"]["accepted"]
    assert by_test["test_it.py::test_extract"]["expected"] == 5
    assert "problem" in by_test["test_it.py::test_absent_in_file"]["accepted"]


def test_session_writes_nothing(greeting):
    result = greeting.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*expected: accepted value 1 of 1 in tests/test_trip.accepted.yaml"])
    files = {path.name for path in (greeting.path / "tests").iterdir()}
    assert files - {"__pycache__"} == {"test_trip.py", "test_trip.accepted.yaml"}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("<<<<<<< HEAD\ntest_a: {v: [1]}\n", 1, "conflict"),
        ("test_a:\n  v: [1]\n=======\n", 3, "conflict"),
        ("test_a:\n  v: [1]\n>>>>>>> other\n", 3, "conflict"),
        ("test_a:\n  v:\n    - |\n      x\n||||||| base\n", 5, "conflict"),
        ('test_a: {v: ["a\n<<<<<<< HEAD\nb"]}\n', 2, "conflict"),
        ("test_a: {v: [1]}\ntest_a: {v: [2]}\n", 2, "occurs twice"),
        ("test_a:\n  v: [1]\n  v: [2]\n", 3, "occurs twice"),
        ("test_a:\n  v: 1\n", 2, "list of accepted values"),
        ("test_a:\n  v: []\n", 2, "list of accepted values"),
        ("test_a:\n  v: {a: 1}\n", 2, "list of accepted values"),
        ("test_a:\n  v:\n", 2, "list of accepted values"),
        ("test_a:\n  v: [1, 1]\n", 2, "same value twice"),
        ("test_a:\n  1: [1]\n", 2, "a name is a text"),
        ("test_a:\n", 1, "mapping of the names"),
        ("test_a: {}\n", 1, "mapping of the names"),
        ("test_a: [1]\n", 1, "mapping of the names"),
        ("- test_a\n", 1, "mapping of tests"),
        ("7: {v: [1]}\n", 1, "a test is a text"),
        ("test_a: {v: [!!python/name:os.system x]}\n", 1, "tag"),
        ("test_a: {v: [2020-13-40]}\n", 1, "looks like a date"),
        ("test_a: {v: [1e999]}\n# 1\ntest_a: {v: [.inf]}\n", 3, "occurs twice"),
        ("test_a:\n\tv: [1]\n", 2, "not YAML"),
        ("test_a: {v: [1\n", 2, "not YAML"),
        ("--- \ntest_a: {v: [1]}\n---\ntest_b: {v: [1]}\n", 3, "not YAML"),
        ("\xff", 1, ""),
    ],
)
def test_mistake_in_a_file_is_a_problem_with_file_and_line(tmp_path, text, line, reason):
    (tmp_path / "test_it.accepted.yaml").write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
    problem = find_entry(tmp_path, tmp_path / "test_it.py", "test_a", "v").problem
    assert problem.startswith(f"test_it.accepted.yaml:{line}: ")
    assert reason in problem


@pytest.mark.parametrize("text", ["test_trip[paris]:\n  greeting: [1]\n=======\n", "\xff"])
def test_broken_file_is_an_error_and_no_command_changes_it(greeting, text):
    path = greeting.path / "tests" / "test_trip.accepted.yaml"
    path.write_bytes(text.encode("latin-1"))
    greeting.run().assert_outcomes(failed=1)
    (record,) = greeting.records()
    assert (record["verdict"], record["error"]) == ("error", record["accepted"]["problem"])
    status, out, _ = greeting.accept("--all")
    assert (status, path.read_bytes()) == (1, text.encode("latin-1"))
    assert "test_trip.accepted.yaml" in out


@pytest.mark.parametrize("text", [None, "", "\n", "# only\n  # comments\n", "other: {v: [1]}\n", "test_a: {w: [1]}\n"])
def test_absent_entry_names_the_command(tmp_path, text):
    if text is not None:
        (tmp_path / "test_it.accepted.yaml").write_text(text)
    entry = find_entry(tmp_path, tmp_path / "test_it.py", "test_a", "v")
    assert "pytest-verdict accept --review" in entry.problem
    assert not entry.values


def test_file_outside_of_the_root_directory_has_a_path_that_no_command_writes(tmp_path):
    entry = find_entry(tmp_path / "root", tmp_path / "test_it.py", "test_a", "v")
    assert entry.file == "../test_it.accepted.yaml"


class Same(Operator):
    name = "same_of_a_user"

    def evaluate(self, expected, observed):
        return Outcome(1.0 if expected == observed else 0.0)


@pytest.mark.parametrize("operator", ["exact", "json_canonical", Same()])
@pytest.mark.parametrize("make", [lambda: {"a": accepted()}, lambda: [accepted()], lambda: ({1: (accepted(),)},)])
def test_accepted_inside_another_value_is_an_error(operator, make):
    assert "whole expected value" in compare(operator, make(), make()).error
    assert "whole expected value" in compare(operator, 1, make()).error


def test_accepted_as_observed_is_an_error():
    assert "whole expected value" in compare("exact", 1, accepted()).error


@pytest.fixture
def values(monkeypatch):
    def use(*values, problem=""):
        entry = AcceptedEntry("a.accepted.yaml", "test_a", values, problem)
        monkeypatch.setattr(SESSION, "find_accepted", lambda _name: entry)

    return use


def test_accepted_needs_a_session(monkeypatch):
    monkeypatch.setattr(SESSION, "find_accepted", None)
    with pytest.raises(ConfigurationError, match="is for tests"):
        compare("exact", accepted(), 1, name="v")


def test_accepted_needs_a_name_and_an_operator_that_expects(values):
    values(1)
    with pytest.raises(ArgumentsError, match="needs the name"):
        compare("exact", accepted(), 1)
    with pytest.raises(SettingsError, match="settings have the expected value"):
        compare("not_blank", accepted(), 1, name="v")


@pytest.mark.parametrize(
    ("candidates", "observed", "entry"),
    [
        (["abcd", "abxy"], "abxz", 2),
        (["same", "same!"], "other", 2),
        (["tie", "tie2"], "x", 1),
        (["far", "near", "near"], "nea", 2),
    ],
)
def test_best_value_decides(values, candidates, observed, entry):
    values(*candidates)
    result = compare("text_similarity", accepted(), observed, name="v")
    scores = [compare("text_similarity", value, observed).score for value in candidates]
    assert result.score == max(scores)
    assert result.accepted["entry"] == scores.index(max(scores)) + 1
    assert result.expected == candidates[scores.index(max(scores))]


def test_negated_comparison_passes_only_if_no_value_matches(values):
    values("a", "b")
    expectation = expect("exact", accepted(), name="v")
    assert expectation != "c"
    assert expectation.judge("b", negated=True).verdict == "fail"


def test_one_value_that_cannot_be_used_is_an_error(values):
    values("fine", "(")
    with pytest.raises(UndecidedError):
        assert not compare("regex", accepted(), "fine", name="v")


def test_missing_value_is_an_error_for_any_operator_and_pickles(values):
    values(problem="there is none")
    for name in ("exact", "numeric_exact", "json_distance", "regex", "set_containment"):
        result = compare(name, accepted(), None, name="v")
        assert (result.verdict, result.error, result.score) == ("error", "there is none", 0.0)
        assert pickle.loads(pickle.dumps(result)) == result


SEVERAL = """
import os
from pytest_verdict import accepted, assert_matches

def test_trip():
    reply = os.environ["REPLY"]
    assert_matches("text_similarity", accepted(), reply, threshold=0.8, name="v")
"""


def session_with(project, reply, values, folder):
    project.monkeypatch.setenv("REPLY", reply)
    project.write("test_it.py", SEVERAL)
    project.write("test_it.accepted.yaml", f"test_trip:\n  v: {values}\n")
    project.run("--verify-report-dir", folder)
    return project.path / folder


# The replies and accepted values of two sessions, whether the check changed, and the class of the change in a diff.
DECIDING = {
    "another value decides": (("abcd", "wxyz"), ("[abcd, wxyz]", "[abcd, wxyz]"), False, ""),
    "and the answer is worse": (("abcd", "wx__"), ("[abcd, wxyz]", "[abcd, wxyz]"), False, "regressed"),
    "and the answer is better": (("ab__", "wxyz"), ("[abcd, wxyz]", "[abcd, wxyz]"), False, "fixed"),
    "a value was added": (("abcd", "abcd"), ("[abcd, wxyz]", "[abcd, wxyz, new]"), True, ""),
    "a value was replaced": (("abcd", "abcd"), ("[abcd, wxyz]", "[abcd, w]"), True, ""),
    "a second value": (("abcd", "abcd"), ("[abcd]", "[abcd, w]"), True, ""),
    "one value, another answer": (("abcd", "abc_"), ("[abcd]", "[abcd]"), False, "regressed"),
    "one value, replaced": (("abcd", "wxyz"), ("[abcd]", "[wxyz]"), True, ""),
}


@pytest.mark.parametrize("case", DECIDING)
def test_check_is_all_accepted_values_and_not_the_one_that_decides(project, case):
    from pytest_verdict.runs.changes import diff
    from pytest_verdict.runs.run import read_run
    from pytest_verdict.store.index import build_index, read_table

    replies, values, is_changed, kind = DECIDING[case]
    folders = [
        session_with(project, *pair, folder) for *pair, folder in zip(replies, values, ("one", "two"), strict=True)
    ]
    built = [build_index(folder, {}) for folder in folders]
    before, after = (read_table(one.table_name, one.table).checks for one in built)
    assert (before != after) is is_changed
    changes = diff(*map(read_run, folders))
    assert [change.kind.word for change in changes.changes] == ([kind] if kind else [])
    if kind:
        assert changes.changes[0].causes == ("observed",)
    assert bool(changes.information) is is_changed


def test_redaction_comes_before_the_digest_of_accepted_values(tmp_path):
    import re

    (tmp_path / "test_it.accepted.yaml").write_text("test_a:\n  v: [sk-123, b]\n")
    (tmp_path / "test_o.accepted.yaml").write_text("test_a:\n  v: [sk-456, b]\n")
    hide = re.compile("sk-[0-9]+").sub
    digests = {
        find_entry(tmp_path, tmp_path / name, "test_a", "v", redaction=lambda text: hide("x", text)).digest
        for name in ("test_it.py", "test_o.py")
    }
    assert len(digests) == 1


# The accepted values, what was renamed, the test that uses them, and its outcome.
RENAMED = {
    "function": ("test_old: {v: [b]}", ["test_it.py::test_old -> test_it.py::test_new"], "passed"),
    "not renamed": ("test_old: {v: [b]}", [], "failed"),
    "another value": ("test_old: {v: [c]}", ["test_it.py::test_old -> test_it.py::test_new"], "failed"),
    "the new name wins": (
        "test_old: {v: [b]}\ntest_new: {v: [c]}", ["test_it.py::test_old -> test_it.py::test_new"], "failed",
    ),
    "another name of the comparison": (
        "test_old: {w: [b]}", ["test_it.py::test_old -> test_it.py::test_new"], "failed",
    ),
    "twice": (
        "test_o: {v: [b]}",
        ["test_it.py::test_o -> test_it.py::test_old", "test_it.py::test_old -> test_it.py::test_new"],
        "passed",
    ),
    "module": ("test_new: {v: [b]}", ["test_x.py -> test_it.py"], "passed"),
    "function, then module": (
        "test_old: {v: [b]}", ["test_x.py::test_old -> test_x.py::test_new", "test_x.py -> test_it.py"], "passed",
    ),
    "from another module": ("test_old: {v: [b]}", ["test_x.py::test_old -> test_it.py::test_new"], "failed"),
}  # fmt: skip


@pytest.mark.parametrize(
    "lines", [["test_it.py::test_old -> test_it.py::test_new"], ["test_it.py::T -> test_it.py::U"]]
)
def test_accepted_values_of_a_test_that_still_exists_are_its_own(project, lines):
    call = 'assert_matches("exact", accepted(), "b", name="v")'
    functions = "".join(f"def test_{name}(): {call}\n" for name in ("old", "new"))
    classes = "".join(f"class {name}:\n    def test_a(self): {call}\n" for name in "TU")
    project.write("test_it.py", f"from pytest_verdict import accepted, assert_matches\n{functions}{classes}")
    project.write("test_it.accepted.yaml", "test_old: {v: [b]}\nT::test_a: {v: [b]}\n")
    project.write("pytest.ini", "\n  ".join(["[pytest]\npython_classes = T U\nverdict_renamed =", *lines]) + "\n")
    project.run().assert_outcomes(passed=2, failed=2)


@pytest.mark.parametrize("case", RENAMED)
def test_renamed_test_has_its_accepted_values(project, case):
    values, lines, outcome = RENAMED[case]
    call = 'assert_matches("exact", accepted(), "b", name="v")'
    project.write("test_it.py", f"from pytest_verdict import accepted, assert_matches\ndef test_new():\n    {call}\n")
    project.write("test_it.accepted.yaml", f"{values}\n")
    project.write("pytest.ini", "\n  ".join(["[pytest]\nverdict_renamed =", *lines]) + "\n")
    result = project.run()
    result.assert_outcomes(**{outcome: 1})
    if outcome == "passed":
        status, out, _ = project.accept("--prune")
        assert (status, out) == (0, "no value that did not pass has its expected value in a file\n")


def test_accepting_changes_the_entry_under_the_old_name(project):
    project.write(
        "test_it.py",
        """
        from pytest_verdict import accepted, assert_matches

        def test_new():
            assert_matches("exact", accepted(), "b", name="v")
        """,
    )
    project.write("test_it.accepted.yaml", "test_old:\n  v: [a]\n")
    project.write("pytest.ini", "[pytest]\nverdict_renamed = test_it.py::test_old -> test_it.py::test_new\n")
    project.run().assert_outcomes(failed=1)
    assert project.report()["run"]["renamed"] == {"test_it.py::test_old": "test_it.py::test_new"}
    assert project.accept("--all")[0] == 0
    assert project.read("test_it.accepted.yaml") == 'test_old:\n  v: ["b"]\n'
    project.run().assert_outcomes(passed=1)


@pytest.mark.parametrize("line", ["a => b", "a -> a"])
def test_wrong_line_is_a_usage_error(project, line):
    project.write("test_it.py", "def test_a(): pass\n")
    project.write("pytest.ini", f"[pytest]\nverdict_renamed = {line}\n")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "verdict_renamed: " in result.stderr.str()
