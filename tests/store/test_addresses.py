"""``store:`` wherever the file or folder of a run is named, and the store of a session."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

from modes import serial_and_workers
from pytest_verdict.store.baselines import bless
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_page import WrittenPage

import_for_good("core", "operators", "pytest_plugin", "report", "runs", "page", "store", "history", "extraction")

TESTS = """
from pytest_verdict import assert_matches

def test_city():
    assert_matches("exact", "Paris", "Paris", name="city")
"""
REGRESSED = TESTS.replace('"Paris", name', '"Rome", name')


@pytest.fixture
def harness(pytester, monkeypatch):
    return Harness(pytester, monkeypatch)


@pytest.fixture
def blessed(store, session_report, monkeypatch):
    """A store in which a run has been the baseline main twice."""
    monkeypatch.setenv("VERDICT_STORE", str(store.files.folder))
    runs = [store.push(session_report, {}).run] * 2
    for run in runs:
        bless(store, store.find(run), "main", because="a test", although="another prompt")
    return runs


COMMANDS = {
    "diff": (["diff", "{}", "{}"], "8 pairs: nothing changed"),
    "view": (["view", "{}", "--no-open"], "written: "),
    "replay": (["replay", "{}"], "8 records: 8 identical"),
    "table": (["table", "{}", "--by", "operator"], "| exact | 8 | 8 | 0 | 0 |"),
    "explain": (["explain", "{}", "--failed"], "every comparison passed"),
    "summary": (["summary", "{}"], "no test failed"),
}


@pytest.mark.ci
@pytest.mark.every(3)
@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_takes_an_address(name, blessed, command):
    words, shown = COMMANDS[name]
    for address in ("store:main", "store:main~1", f"store:{blessed[0]}", f"store:{blessed[1][:20]}"):
        status, out, err = command(*(word.format(address) for word in words))
        assert status == 0, err
        assert shown in out
    for wrong, message in {
        "store:mian": "Did you mean 'main'",
        "store:main~7": "has no run so far back",
        "store:20990101T000000": "has no run 20990101T000000",
        "store:": "after store: comes a baseline",
    }.items():
        status, _, err = command(*(word.format(wrong) for word in words))
        assert status == 2
        assert message in err


@pytest.mark.parametrize("name", COMMANDS)
def test_no_baseline_is_a_line_in_diff_and_an_error_elsewhere(name, store, report, command, monkeypatch):
    monkeypatch.setenv("VERDICT_STORE", str(store.files.folder))
    store.push(report(), {})
    status, _, err = command(*(word.format("store:main") for word in COMMANDS[name][0]))
    assert "has no baseline yet; make one with `pytest-verdict bless --as main`" in err
    assert status == (0 if name == "diff" else 2)


def test_store_out_of_reach_is_an_error(command, tmp_path, monkeypatch):
    monkeypatch.setenv("VERDICT_STORE", str(tmp_path / "no" / "store"))
    for words, _ in COMMANDS.values():
        status, _, err = command(*(word.format("store:main") for word in words))
        assert status == 2
        assert "cannot be reached" in err


def test_file_called_like_an_address_has_another_spelling(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store:main").write_text("")
    assert command("explain", "./store:main", "--failed")[0] == 0


# ---- sessions
def runs_in(path):
    return Store(StoreFiles(str(path))).runs()


@serial_and_workers("workers", "-n2")
def test_session_stores_its_run_once(harness, workers):
    run = harness.run(TESTS, *workers, "--verify-store", "store")
    assert run.status == 0
    (stored,) = runs_in(harness.path / "store")
    assert stored.index.outcomes == "p"
    assert f"stored: {stored.name} in " in run.stdout
    assert run.report["records"]["count"] == 1


SOURCES = {
    "option": ((), ["--verify-store=store"], {}),
    "ini": (("verdict_store = store",), ["--verify-report"], {}),
    "variable": ((), ["--verify-report"], {"VERDICT_STORE": "store"}),
    "option before ini": (("verdict_store = other",), ["--verify-store=store"], {}),
    "variable before ini": (("verdict_store = other",), ["--verify-report"], {"VERDICT_STORE": "store"}),
}


@pytest.mark.parametrize("source", SOURCES)
def test_store_of_option_variable_and_ini(harness, monkeypatch, source):
    ini, arguments, variables = SOURCES[source]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    files = {"test_it.py": TESTS, "pytest.ini": "\n".join(["[pytest]", *ini])}
    assert harness.run(files, *arguments).status == 0
    assert len(runs_in(harness.path / "store")) == 1
    assert not (harness.path / "other").exists()


@pytest.mark.parametrize(
    "arguments", [[], ["--verify-report", "--verify-store="], ["--collect-only", "--verify-store=store"]]
)
def test_no_report_and_no_store_store_nothing(harness, arguments):
    harness.run({"test_it.py": TESTS, "pytest.ini": "[pytest]\nverdict_store = store\n"}, *arguments)
    assert not (harness.path / "store").exists()


def test_tags_of_the_session(harness, monkeypatch):
    monkeypatch.setenv("MODEL", "small")
    ini = "[pytest]\nverdict_store = store\nverdict_tags =\n  model=$MODEL\n  prompt=p-${MODEL}\n"
    run = harness.run({"test_it.py": TESTS, "pytest.ini": ini}, "--verify-report")
    tags = {"model": "small", "prompt": "p-small"}
    assert run.report["run"]["tags"] == tags
    assert runs_in(harness.path / "store")[0].index.tags == tags
    monkeypatch.delenv("MODEL")
    run = harness.run((), "--verify-report")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "verdict_tags: model=$MODEL: the environment variable MODEL is not set" in run.output
    assert harness.run((), "--verify-report", "--verify-store=").status == 0


def test_wrong_tag_is_a_usage_error(harness):
    ini = "[pytest]\nverdict_tags = small\n"
    run = harness.run({"test_it.py": TESTS, "pytest.ini": ini}, "--verify-store=store")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "verdict_tags: a tag is NAME=VALUE, such as model=small, got 'small'" in run.output


@pytest.mark.parametrize("place", ["no/store", "unknown-protocol://a/b", "file"])
@pytest.mark.parametrize(("tests", "status"), [(TESTS, 0), (REGRESSED, 1)], ids=["passes", "fails"])
def test_store_out_of_reach_never_changes_a_session(harness, command, place, tests, status):
    (harness.path / "file").write_text("no folder")
    run = harness.run(tests, "--verify-store", place)
    assert run.status == status
    assert "later: pytest-verdict push verify-report" in run.stdout
    assert run.report["complete"]
    # The run waits in its folder.
    assert command("push", run.folder, "--store", harness.path / "store")[0] == 0
    assert len(runs_in(harness.path / "store")) == 1


@pytest.mark.ci
def test_baseline_in_the_store(harness, command):
    store = harness.path / "store"
    words = ("--verify-store=store", "--verify-baseline=store:main")
    run = harness.run(TESTS, *words)
    assert run.status == 0
    assert "baseline store:main: " in run.stdout
    assert "has no baseline yet; make one with `pytest-verdict bless --as main`" in run.stdout
    assert command("bless", "--as", "main", "--because", "good", "--store", store)[0] == 0
    run = harness.run((), *words)
    assert run.status == 0
    assert "baseline store:main: 0 regressions, met" in run.stdout
    run = harness.run(REGRESSED, *words)
    assert run.status == 1
    assert "baseline store:main: 1 regression, missed: test_it.py::test_city city;" in run.stdout
    assert "in full: pytest-verdict diff store:main verify-report" in run.stdout
    assert len(runs_in(store)) == 3


LOST = (
    TESTS
    + """
import pytest

@pytest.mark.xfail
def test_row():
    assert_matches("exact", 1, OBSERVED, name="row")
"""
)
BREAKS = """
def pytest_sessionfinish(session):
    session.exitstatus = 7
"""
# What a session with green tests fails on: its options and files.
UNMET = {
    "a row that the baseline passed": (
        {"test_it.py": LOST.replace("OBSERVED", "2")},
        ["--verify-baseline=store:main"],
    ),
    "too few comparisons": ({"test_it.py": TESTS}, ["--verify-min-comparisons=9"]),
    "a plugin sets the status": ({"test_it.py": TESTS, "conftest.py": BREAKS}, []),
    "a gate": ({"test_it.py": TESTS}, ["--verify-gate=operator:normalized_exact >= 1"]),
}


@pytest.mark.parametrize("case", UNMET)
def test_session_that_failed_on_a_demand_is_not_stored_as_green(harness, command, case):
    files, arguments = UNMET[case]
    store = harness.path / "store"
    harness.run(LOST.replace("OBSERVED", "1"), "--verify-store=store")
    assert command("bless", "--as", "main", "--because", "good", "--store", store)[0] == 0
    run = harness.run(files, "--verify-store=store", *arguments)
    assert run.status != 0, run.output
    stored = re.search(r"stored: (\S+)", run.stdout)[1]
    index = Store(StoreFiles(str(store))).find(stored).index
    assert f"the session exited with {run.status}" in index.failed
    for address in (stored, run.folder):
        status, _, err = command("bless", address, "--as", "other", "--because", "x", "--store", store)
        assert status == 1
        assert "the session exited with" in err
    # The report still has the digest of its content.
    assert command("replay", run.folder)[0] == 0


TWO = (
    TESTS
    + """
import pytest

@pytest.mark.slow
def test_other():
    assert_matches("exact", 1, 1)
"""
)
MARKERS = "[pytest]\nmarkers = slow\n"
DESELECTS = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[items.pop()])
"""
# The files, options and environment of a session, and what it left out.
LEFT_OUT = {
    "warnings": ({}, ["-W", "ignore::DeprecationWarning"], "", ""),
    "-k": ({}, ["-k", "city"], "", "1 test deselected"),
    "-k of all": ({}, ["-k", "test"], "", ""),
    "environment": ({}, [], "-k city", "1 test deselected"),
    "plugin": ({"conftest.py": DESELECTS}, [], "", "1 test deselected"),
    "--ignore": ({"test_two.py": TESTS}, ["--ignore=test_two.py"], "", "--ignore"),
    "--ignore-glob": ({"test_two.py": TESTS}, [], "--ignore-glob=*two.py", "--ignore"),
    "--deselect": ({}, ["--deselect=test_it.py::test_other"], "", "1 test deselected"),
    "named": ({}, ["test_it.py::test_city"], "", "tests were named"),
    "file": ({"test_two.py": TESTS}, ["test_it.py"], "", "files were named (testpaths says which are all)"),
    "root directory": ({}, ["."], "", ""),
    "testpaths": ({"pytest.ini": f"{MARKERS}testpaths = test_*.py\n"}, ["test_it.py"], "", ""),
    "one of testpaths": (
        {"pytest.ini": f"{MARKERS}testpaths = test_*.py\n", "test_two.py": TESTS},
        ["test_it.py"],
        "",
        "files were named (testpaths says which are all)",
    ),
    "configured file": (
        {"pytest.ini": f"{MARKERS}addopts = test_it.py\n", "test_two.py": TESTS},
        [],
        "",
        "",
    ),
    "configured": ({"pytest.ini": f"{MARKERS}addopts = -m 'not slow'\n"}, [], "", ""),
    "configured, and a plugin": (
        {"pytest.ini": f"{MARKERS}addopts = -m 'not slow'\n", "conftest.py": DESELECTS, "test_two.py": TESTS},
        [],
        "",
        "2 tests deselected",
    ),
    "configured --deselect": (
        {"pytest.ini": f"{MARKERS}addopts = --deselect=test_it.py::test_other\n"},
        [],
        "",
        "",
    ),
    "configured, other": (
        {"pytest.ini": f"{MARKERS}addopts = -m 'not slow'\n"},
        ["-m", "slow"],
        "",
        "1 test deselected",
    ),
    "configured --ignore": (
        {"test_two.py": TESTS, "pytest.ini": f"{MARKERS}addopts = --ignore=test_two.py\n"},
        [],
        "",
        "",
    ),
}


@pytest.mark.every(3)
@pytest.mark.parametrize("case", LEFT_OUT)
def test_part_of_a_session_is_what_it_left_out(harness, monkeypatch, case):
    files, arguments, environment, reason = LEFT_OUT[case]
    monkeypatch.setenv("PYTEST_ADDOPTS", environment)
    files = {"test_it.py": TWO, "pytest.ini": MARKERS, **files}
    run = harness.run(files, "--verify-store=store", *arguments)
    assert run.status == 0, run.output
    (stored,) = runs_in(harness.path / "store")
    assert stored.index.partial == ([f"only a part was selected: {reason}"] if reason else [])


BAD_BASELINES = {
    "store:mian": ("--verify-store=store", "Did you mean 'main'"),
    "store:main~4": ("--verify-store=store", "has no run so far back"),
    "store:main": ("--verify-store=no/store", "cannot be reached"),
    "store:other": ("--verify-report", "this session has no store; give --verify-store, or set verdict_store"),
}


@pytest.mark.parametrize("name", BAD_BASELINES)
def test_baseline_that_cannot_be_read_is_an_error_before_the_session(harness, command, name):
    option, message = BAD_BASELINES[name]
    harness.run(TESTS, "--verify-store=store")
    command("bless", "--as", "main", "--because", "good", "--store", harness.path / "store")
    run = harness.run((), option, f"--verify-baseline={name}")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert message in run.output
    assert len(runs_in(harness.path / "store")) == 1


def test_no_secret_leaves_the_session(harness, monkeypatch):
    monkeypatch.setenv("MODEL", "sk-123456789")
    tests = """
import pytest
from pytest_verdict import assert_matches

@pytest.mark.parametrize("key", ["sk-123456789"])
def test_city(key):
    assert_matches("exact", "Paris", f"Paris {key}", name=key)
"""
    ini = "[pytest]\nverdict_store = store\nverdict_redact = sk-[0-9]+\nverdict_tags = model=$MODEL\n"
    harness.run({"test_it.py": tests, "pytest.ini": ini}, "--verify-report")
    (stored,) = runs_in(harness.path / "store")
    assert "123456789" not in f"{stored.index} {stored.table}"
    report = Store(StoreFiles(str(harness.path / "store"))).fetch(stored.name)
    assert not any(b"123456789" in path.read_bytes() for path in report.iterdir())


def test_url_of_a_store_is_written_without_its_secrets(harness):
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    run = harness.run(TESTS, "--verify-store", "memory://user:hidden@place/store")
    assert "stored: " in run.stdout
    assert "hidden" not in run.stdout
    assert "hidden" not in json.dumps(run.report["run"])


def test_page_has_the_last_results_and_the_link(harness):
    ini = "[pytest]\nverdict_store = store\nverdict_html = always\nverdict_trends = site\n"
    harness.run({"test_it.py": TESTS, "pytest.ini": ini}, "--verify-report")
    run = harness.run(REGRESSED, "--verify-report")
    history = WrittenPage(run.folder / "report.html").about["history"]
    assert history["tests"]["test_it.py::test_city"] == "pf"
    assert history["trends"] == (harness.path / "site" / "index.html").resolve().as_uri()
    run = harness.run(TESTS, "--verify-report", "--verify-store=")
    assert "history" not in WrittenPage(run.folder / "report.html").about


def test_last_results_of_a_renamed_test_begin_with_those_of_its_old_name(harness):
    ini = "[pytest]\nverdict_store = store\nverdict_html = always\n"
    renamed = "verdict_renamed = test_it.py::test_city -> test_it.py::test_town\n"
    harness.run({"test_it.py": TESTS, "pytest.ini": ini}, "--verify-report")
    new = TESTS.replace("test_city", "test_town")
    run = harness.run({"test_it.py": new, "pytest.ini": ini + renamed}, "--verify-report")
    tests = WrittenPage(run.folder / "report.html").about["history"]["tests"]
    assert tests["test_it.py::test_town"] == "pp"
    assert "test_it.py::test_city" not in tests


@pytest.mark.ci
def test_session_without_a_store_imports_no_store(harness):
    check = (
        "import sys\n" + TESTS + '\ndef test_imports():\n    assert "pytest_verdict.store.store" not in sys.modules\n'
    )
    assert harness.run(check, "--verify-report", process=True).status == 0


@pytest.mark.ci
def test_interrupted_session_is_stored_as_a_part(harness, command):
    tests = TESTS + "\ndef test_stops():\n    raise KeyboardInterrupt\n\ndef test_never():\n    pass\n"
    run = harness.run(tests, "--verify-store=store", process=True)
    assert run.status == pytest.ExitCode.INTERRUPTED
    (stored,) = runs_in(harness.path / "store")
    assert stored.index.partial == ["the session did not end"]
    words = ("bless", stored.name, "--as", "main", "--because", "x", "--store", harness.path / "store")
    assert command(*words)[0] == 1


@pytest.mark.ci
def test_killed_session_is_rebuilt_and_pushed_as_a_part(harness, command):
    tests = TESTS + "\ndef test_dies():\n    import os\n    os._exit(9)\n"
    harness.run(tests, "--verify-store=store", process=True)
    assert not (harness.path / "store").exists()
    assert command("report", harness.path / "verify-report")[0] in {0, 1}
    assert command("push", harness.path / "verify-report", "--store", harness.path / "store")[0] == 0
    (stored,) = runs_in(harness.path / "store")
    assert stored.index.partial == ["the session did not end"]
    assert stored.index.outcomes[0] == "p"
