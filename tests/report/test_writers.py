"""Report files and closing lines of other packages: found, told apart from ours, and harmless to ours."""

from __future__ import annotations

import json
import sys

import pytest

from pytest_verdict.core.families import FAMILIES, hookimpl
from pytest_verdict.report.building import build
from pytest_verdict.report.journal import JournalWriter, TestEntry, read_journal

OURS = ["junit.xml", "records.jsonl", "report.json"]


def brought(hook, **names):
    def family():
        return names

    family.__name__ = hook
    return type("Family", (), {hook: staticmethod(hookimpl(family))})()


@pytest.fixture
def bring_writer(monkeypatch):
    """Bring a writer of a file, as a family of another package does."""

    def bring(name, writer):
        module = type(sys)("writer_of_another_package")
        module.write = writer
        monkeypatch.setitem(sys.modules, module.__name__, module)
        FAMILIES.register(brought("report_writers", **{name: f"{module.__name__}:write"}))

    return bring


@pytest.fixture
def built(tmp_path):
    """Build the report of a session with one comparison."""
    journal = JournalWriter(tmp_path / "journal", {"run": {"started": "2026"}})
    record = '{"record":1,"id":"000000000000-1-1","verdict":"pass","operator":"exact","test":"a","attempt":1}\n'
    place = journal.append_records(record.encode())
    journal.append_test(TestEntry("a", outcome="passed", comparisons={"exact": (1, 0, 0)}, records=(place,)))
    journal.close({"exit_status": 0})

    def run():
        journal = read_journal(tmp_path / "journal")
        return build(journal, tmp_path / "report", run=journal.run, profile="ci")

    return run


def names(built):
    return sorted(path.name for path in built.folder.iterdir())


def test_a_file_of_another_package_is_written(bring_writer, built):
    bring_writer("operators.csv", lambda contents: (f"{name}\n" for name in contents.summary.operators))
    made = built()
    assert (made.folder / "operators.csv").read_text() == "exact\n"
    assert (names(made), made.problems) == (sorted([*OURS, "operators.csv"]), [])


def fails_midway(contents):
    yield "half"
    raise OSError("no space")


def ends_the_process(contents):
    raise SystemExit(3)


class Unprintable(Exception):
    def __repr__(self):
        raise ValueError


def fails_without_words(contents):
    raise Unprintable


@pytest.mark.parametrize(
    ("writer", "raised"),
    [
        (fails_midway, "OSError('no space')"),
        (ends_the_process, "SystemExit(3)"),
        (fails_without_words, "<unprintable"),
        (lambda contents: [b"bytes"], "TypeError"),
        (lambda contents: None, "TypeError"),
        (None, "TypeError"),
        (lambda contents: pytest.fail("\x1b[31m"), r"\x1b[31m"),
    ],
    ids=["midway", "exit", "unprintable", "bytes", "nothing", "no function", "pytest.fail"],
)
def test_error_of_writer_is_reported_and_our_files_are_written(bring_writer, built, writer, raised):
    older = built().folder / "operators.csv"
    older.write_text("older")
    (older.parent / "report.json").write_text("older")
    bring_writer("operators.csv", writer)
    made = built()
    (problem,) = made.problems
    assert problem.startswith(
        "operators.csv was not written, because its writer writer_of_another_package:write raised"
    )
    assert raised in problem
    assert problem.isprintable()
    assert json.loads((made.folder / "report.json").read_text())["records"]["count"] == 1
    assert (older.read_text(), names(made)) == ("older", sorted([*OURS, "operators.csv"]))


def test_a_writer_that_is_interrupted_leaves_nothing_half_written(bring_writer, built):
    def interrupted(contents):
        yield "half"
        raise KeyboardInterrupt

    bring_writer("operators.csv", interrupted)
    with pytest.raises(KeyboardInterrupt):
        built()
    FAMILIES._places.clear()
    FAMILIES._manager.unregister(next(iter(FAMILIES._manager.get_plugins() - set(map(sys.modules.get, FAMILIES._own)))))
    assert names(built()) == OURS


@pytest.mark.parametrize("name", ["../stolen", ".lock", "RECORDS.jsonl", "Junit.xml", "journal", "a.new", "", "a\nb"])
def test_a_file_has_a_name_of_its_own_in_the_folder(bring_writer, built, name, tmp_path):
    bring_writer(name, lambda contents: ["text"])
    made = built()
    assert made.problems == [f"a file of the report cannot be called {name!r}".replace("\\\\", "\\")]
    assert names(made) == OURS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal", "report"]


@pytest.mark.parametrize("name", ["junit.xml", "operators.csv"])
def test_families_that_disagree_do_not_take_our_files_along(bring_writer, built, name):
    bring_writer(name, lambda contents: ["text"])
    FAMILIES.register(brought("report_writers", **{name: "another:write"}))
    made = built()
    assert [problem[: len("two families bring")] for problem in made.problems] == ["two families bring"]
    assert names(made) == OURS


def test_a_hook_that_fails_does_not_take_our_files_along(built):
    family = brought("report_writers")
    family.report_writers = hookimpl(lambda: 1 / 0)
    FAMILIES.register(family)
    made = built()
    assert made.problems == ["division by zero"]
    assert names(made) == OURS
