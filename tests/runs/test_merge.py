"""``pytest-verdict merge`` and ``--verify-shard``: shards, put together, are what one session would have written."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_verdict.cli import main

SPLIT = importlib.util.find_spec("pytest_split")
FILES = {
    "test_a.py": """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.fixture(scope="module", params=["first", "second"])
def shared(request):
    return request.param

@pytest.mark.parametrize("number", range(3))
def test_numbers(number, shared):
    assert_matches("exact", number % 2, 0, name=shared)

def test_shared(shared):
    assert compare("exact", shared, shared).passed or True

@pytest.mark.xfail
def test_known():
    assert_matches("exact", "Paris", "Rome")

@pytest.fixture
def broken():
    raise ValueError("broken")

def test_broken(broken):
    pass
""",
    "test_b.py": "import pytest\n\npytest.skip('not here', allow_module_level=True)\n",
    "test_c.py": """
import pytest
from pytest_verdict import assert_matches

ran = []

def test_flaky():
    ran.append(1)
    assert_matches("exact", 2, len(ran))

def test_none():
    pass

@pytest.mark.skip(reason="later")
def test_later():
    pass
""",
}
HIDDEN = ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", "CI", "CI_NODE_INDEX", "CI_NODE_TOTAL", "CIRCLE_NODE_INDEX")


PLUGINS = {"-n2": "xdist", "--reruns": "rerunfailures", "--splits": "pytest_split.plugin", "-n1": "xdist"}
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def arguments(*words: str) -> list[str]:
    """Give the arguments of a session with the plugins that its words need and no others."""
    named = [word for option, name in PLUGINS.items() if option in words for word in ("-p", name)]
    return ["-p", "verdict", "-p", "no:cacheprovider", *named, *words]


def process(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a session in a process of its own."""
    variables = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments(*words)],
        cwd=folder,
        env={**variables, **ALONE},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def session(pytester, monkeypatch):
    """Run a session in this process, but for its workers."""
    for name in HIDDEN:
        monkeypatch.delenv(name, raising=False)
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)

    def run(folder: Path, *words: str) -> pytest.RunResult:
        with monkeypatch.context() as there:
            there.chdir(folder)
            return pytester.runpytest_inprocess(*arguments(*words))

    return run


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, content in FILES.items():
        (folder / name).write_text(content)
    process(folder, "--verify-report-dir=whole", "--reruns", "1")
    assert len((folder / "whole" / "records.jsonl").read_bytes().splitlines()) == 13
    return folder


def files(folder):
    """Give the files of a report without the times and the environment of its sessions."""
    report = json.loads((folder / "report.json").read_bytes())
    collected = report.pop("run")["collected"]
    junit = re.sub(r' (time|timestamp)="[^"]*"', "", (folder / "junit.xml").read_text())
    return (folder / "records.jsonl").read_bytes(), report, collected, junit


def chunks(number):
    return "--splits", "2", "--group", str(number)


WAYS = {
    "chunks": chunks,
    "least_duration": lambda number: (*chunks(number), "--splitting-algorithm", "least_duration"),
    "names": lambda number: ("-k", "numbers or none" if number == 1 else "not numbers and not none"),
    "files": lambda number: ("test_a.py",) if number == 1 else ("test_b.py", "test_c.py"),
}


@pytest.mark.parametrize(
    ("way", "workers"),
    [
        ("chunks", ()),
        *(pytest.param(way, (), marks=pytest.mark.ci) for way in WAYS if way != "chunks"),
        pytest.param("least_duration", ("-n2",), marks=pytest.mark.ci),
        ("files", ("-n2",)),
    ],
    ids=str,
)
def test_merged_shards_are_what_one_session_writes(session, project, tmp_path, way, workers, capsys):
    if SPLIT is None and way in {"chunks", "least_duration"}:
        pytest.skip("pytest-split is not installed")
    shards = []
    for number in (2, 1):
        folder = tmp_path / str(number)
        told = () if "--splits" in WAYS[way](number) else ("--verify-shard", f"{number}/2")
        done = session(project, f"--verify-report-dir={folder}", "--reruns", "1", *workers, *told, *WAYS[way](number))
        assert done.ret in {0, 1}, str(done.stdout)
        assert json.loads((folder / "report.json").read_bytes())["run"]["shard"] == {"index": number, "of": 2}
        shards.append(str(folder))
    assert main(["merge", *shards, "-o", str(tmp_path / "merged")]) == 0
    merged, whole = files(tmp_path / "merged"), files(project / "whole")
    assert merged == whole
    # The page is made by `pytest-verdict view`.
    names = {path.name for path in (project / "whole").iterdir()} - {"report.html"}
    assert {path.name for path in (tmp_path / "merged").iterdir()} == names
    # What derives from the records is derived again, and the report goes into a bundle like any other.
    assert main(["replay", str(tmp_path / "merged")]) == 0
    bundle = str(tmp_path / "evidence.zip")
    assert main(["bundle", str(tmp_path / "merged"), "-o", bundle]) == 0
    assert main(["verify-bundle", bundle]) == 0
    capsys.readouterr()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Two shards of a small project, to be copied and altered."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_a.py").write_text(
        "import pytest\nfrom pytest_verdict import assert_matches\n\n"
        "@pytest.mark.parametrize('number', range(4))\ndef test_it(number):\n    assert_matches('exact', number, number)\n"
    )
    for number, chosen in ((1, "0 or 1"), (2, "2 or 3")):
        process(folder, f"--verify-report-dir=shard{number}", f"--verify-shard={number}/2", "-k", chosen)
    return folder


@pytest.fixture
def shards(built, tmp_path):
    for name in ("shard1", "shard2"):
        shutil.copytree(built / name, tmp_path / name)
    return tmp_path / "shard1", tmp_path / "shard2"


@pytest.fixture
def merge(command, tmp_path):
    return lambda *words: command("merge", *words, "-o", tmp_path / "merged")


def edit(folder, **run):
    path = folder / "report.json"
    report = json.loads(path.read_bytes())
    report["run"] |= run
    path.write_text(json.dumps(report))


@pytest.mark.ci
def test_shards_are_merged_in_any_order(merge, shards):
    status, out, complaint = merge(*reversed(shards))
    assert (status, complaint) == (0, "")
    assert out.startswith("2 shards, 4 tests, comparisons: 4 pass (100 %), 0 fail, 0 error\n")


def test_a_merged_report_says_what_each_shard_ran(merge, shards, tmp_path):
    merge(*shards)
    run = json.loads((tmp_path / "merged" / "report.json").read_bytes())["run"]
    assert [shard["shard"] for shard in run["shards"]] == [{"index": 1, "of": 2}, {"index": 2, "of": 2}]
    assert [shard["collected"]["tests"] for shard in run["shards"]] == [2, 2]
    assert "shard" not in run
    assert run["exit_status"] == 0


def test_a_missing_shard_is_named(merge, shards, tmp_path):
    status, _, complaint = merge(shards[1])
    assert status == 2
    assert "of 2 shards these are missing: 1; --allow-missing writes an incomplete report" in complaint
    assert not (tmp_path / "merged").exists()


def test_a_report_with_missing_shards_is_incomplete(merge, shards, tmp_path, command):
    status, out, _ = merge(shards[1], "--allow-missing")
    assert status == 0
    assert "the report is not complete" in out
    report = json.loads((tmp_path / "merged" / "report.json").read_bytes())
    assert report["complete"] is False
    assert report["run"]["missing_shards"] == [1]
    assert command("replay", tmp_path / "merged")[0] == 0
    command("bundle", tmp_path / "merged", "-o", tmp_path / "e.zip")
    assert command("verify-bundle", tmp_path / "e.zip")[0] == 1


def test_a_shard_that_is_there_twice_is_named(merge, shards):
    status, _, complaint = merge(shards[0], shards[1], shards[0])
    assert status == 2
    assert f"shard 1 is there more than once: {shards[0]}, {shards[0]}" in complaint


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"shard": {"index": 2, "of": 3}}, "do not agree of how many parts they are: 2 and 3"),
        ({"git": {"commit": "abc", "clean": True}}, "do not agree of which commit they are: None and abc"),
    ],
)
def test_shards_of_different_sessions_are_refused(merge, shards, run, words):
    edit(shards[1], **run)
    status, _, complaint = merge(*shards)
    assert status == 2
    assert f"{shards[0]} and {shards[1]} {words}" in complaint


def test_shards_of_other_tests_are_refused(session, built, merge, shards, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "test_a.py").write_text((built / "test_a.py").read_text().replace("range(4)", "range(5)"))
    session(other, f"--verify-report-dir={other / 'shard'}", "--verify-shard=2/2", "-k", "2 or 3")
    status, _, complaint = merge(shards[0], other / "shard")
    assert status == 2
    assert "did not collect the same in test_a.py: 4 and 5 tests, not all of them the same" in complaint


def test_a_test_in_two_shards_is_named(session, built, merge, shards, tmp_path):
    folder = tmp_path / "again"
    session(built, f"--verify-report-dir={folder}", "--verify-shard=2/2", "-k", "1 or 3")
    status, _, complaint = merge(shards[0], folder)
    assert status == 2
    assert f"{shards[0]} and {folder} both ran test_a.py::test_it[1]" in complaint


def test_merge_refuses_session_without_shard(session, built, merge, tmp_path):
    session(built, f"--verify-report-dir={tmp_path / 'plain'}")
    status, _, complaint = merge(tmp_path / "plain")
    assert status == 2
    assert "this session did not record which part it ran; run it with --verify-shard, such as 2/5" in complaint


def test_a_folder_without_a_report_is_refused(merge, tmp_path):
    (tmp_path / "empty").mkdir()
    status, _, complaint = merge(tmp_path / "empty")
    assert status == 2
    assert "there is no report.json" in complaint


@pytest.mark.parametrize("name", ["records.jsonl", "shard.jsonl", "report.json"])
def test_a_shard_whose_files_were_altered_is_refused(merge, shards, name):
    path = shards[1] / name
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    status, _, complaint = merge(*shards)
    assert status == 2
    assert str(shards[1]) in complaint


def test_files_of_two_shards_in_one_folder_are_refused(merge, shards):
    shutil.copy(shards[0] / "shard.jsonl", shards[1] / "shard.jsonl")
    status, _, complaint = merge(*shards)
    assert status == 2
    assert "report.json, records.jsonl and shard.jsonl are not of the same session" in complaint


def test_a_shard_is_not_overwritten(command, shards):
    status, _, complaint = command("merge", *shards, "-o", shards[0])
    assert status == 2
    assert "would overwrite one of its shards" in complaint


def test_a_foreign_file_is_not_overwritten(merge, shards, tmp_path):
    (tmp_path / "merged").mkdir()
    (tmp_path / "merged" / "report.json").write_text("mine")
    status, _, complaint = merge(*shards)
    assert status == 2
    assert "was not written by this plugin" in complaint
    assert (tmp_path / "merged" / "report.json").read_text() == "mine"


def test_tests_that_no_shard_ran_are_counted(session, built, merge, shards, tmp_path):
    folder = tmp_path / "less"
    session(built, f"--verify-report-dir={folder}", "--verify-shard=2/2", "-k", "3")
    status, out, _ = merge(shards[0], folder)
    assert status == 0
    assert "collected, but run by no shard: 1 test" in out
    assert "left out" not in merge(*shards)[1]


@pytest.mark.ci
def test_a_shard_that_was_killed_is_merged_and_incomplete(built, merge, shards, tmp_path, command):
    folder = tmp_path / "killed"
    (built / "conftest.py").write_text(
        "import os\ndef pytest_runtest_teardown(item):\n    if '3' in item.name:\n        os._exit(9)\n"
    )
    process(built, f"--verify-report-dir={folder}", "--verify-shard=2/2", "-k", "2 or 3")
    (built / "conftest.py").unlink()
    assert "run `pytest-verdict report` first" in merge(shards[0], folder)[2]
    assert command("report", folder)[0] == 0
    status, out, _ = merge(shards[0], folder)
    assert (status, "the report is not complete" in out) == (0, True)
    report = json.loads((tmp_path / "merged" / "report.json").read_bytes())
    assert report["totals"]["tests"]["unfinished"] == 1
    assert report["totals"]["comparisons"]["pass"] == 4


def test_a_shard_without_a_test_is_a_shard(session, built, merge, tmp_path):
    for number, chosen in ((1, "it"), (2, "nothing")):
        folder = tmp_path / str(number)
        session(built, f"--verify-report-dir={folder}", f"--verify-shard={number}/2", "-k", chosen)
    status, out, _ = merge(tmp_path / "1", tmp_path / "2")
    assert (status, out.splitlines()[0]) == (0, "2 shards, 4 tests, comparisons: 4 pass (100 %), 0 fail, 0 error")
    run = json.loads((tmp_path / "merged" / "report.json").read_bytes())["run"]
    assert run["exit_status"] == 0


def test_the_next_session_leaves_no_shard(session, built, tmp_path):
    folder = tmp_path / "report"
    session(built, f"--verify-report-dir={folder}", "--verify-shard=1/2")
    assert (folder / "shard.jsonl").exists()
    session(built, f"--verify-report-dir={folder}")
    assert not (folder / "shard.jsonl").exists()


@pytest.mark.parametrize("given", ["", "2", "0/3", "4/3", "a/b", "1/2/3", "-1/2"])
def test_a_part_and_how_many_there_are_is_needed(session, built, given):
    done = session(built, f"--verify-shard={given}")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--verify-shard: a part and how many there are is needed, such as 2/5, got '{given}'" in str(done.stderr)


SCENARIOS = """
suite:
  name: echoes
  adapter: echo.Echo
  scenarios:
    - {name: zebra, input: zebra, expected_output: zebra}
    - {name: ape, input: ape, expected_output: ape}
    - {name: lion, input: lion, expected_output: lion}
"""
ECHO = """
from pytest_verdict.suites import AgentResult

class Echo:
    def run(self, text, context):
        return AgentResult(text)
"""


@pytest.mark.ci
def test_merged_shards_have_what_the_adapters_of_all_returned(session, tmp_path, capsys):
    for name, content in {
        "a.verdict.yaml": SCENARIOS,
        "echo.py": ECHO,
        "conftest.py": "",
        "pytest.ini": "[pytest]\n",
    }.items():
        (tmp_path / name).write_text(content)
    ways = {"whole": (), "1": ("--verify-shard=1/2", "-k", "not ape"), "2": ("--verify-shard=2/2", "-k", "ape")}
    for place, words in ways.items():
        done = session(tmp_path, f"--verify-report-dir={place}", *words)
        assert done.ret == 0, str(done.stdout)
    assert main(["merge", str(tmp_path / "2"), str(tmp_path / "1"), "-o", str(tmp_path / "merged")]) == 0
    merged, whole = ((tmp_path / place / "outputs.jsonl").read_bytes() for place in ("merged", "whole"))
    assert merged == whole
    assert len(whole.splitlines()) == 3
