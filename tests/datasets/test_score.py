"""`pytest-verdict score`: the records do not depend on the number of processes, or on killed ones."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import RECORD, REPORT_FILE

from pytest_verdict.cli import main
from pytest_verdict.datasets import units
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites import score_dataset

ROWS = [{"id": f"q{n}", "want": f"v{n}", "got": f"v{n}" if n % 7 else f"w{n}"} for n in range(60)]
COLUMNS = ["--operator", "exact", "--expected", "want", "--observed", "got"]
FILES = ("records.jsonl", "junit.xml", "report.json")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps(row) for row in ROWS]
    lines[10:10] = ["", "{", '{"want": 1}']
    path.write_text("\n".join(lines))
    return path


def score(path, *options, to="out"):
    return main(["score", str(path), *COLUMNS, *options, "-o", to])


def killed_at(monkeypatch, unit):
    """End the run in the middle of a unit, the first time; give the first rows of what was begun."""
    begun, real = [], units._compare_unit

    def killed_later(begin):
        begun.append(begin.piece.before + 1)
        if len(begun) == unit:
            raise KeyboardInterrupt
        return real(begin)

    monkeypatch.setattr(units, "_compare_unit", killed_later)
    return begun


def report_in(folder):
    """Read what a report says, without the times and the environment of the run."""
    report = json.loads((folder / "report.json").read_text())
    del report["run"]
    junit = re.sub(r' (time|timestamp)="[^"]*"', "", (folder / "junit.xml").read_text())
    return (folder / "records.jsonl").read_bytes(), report, junit


def test_score_exit_codes_and_messages(rows, capsys):
    assert score(rows, "--pass-rate", "0.8", "-j", "1") == 0
    told = capsys.readouterr().out
    assert told.startswith("51 of 62 rows passed, 9 failed, 2 could not be compared (1 of these could not be read)")
    assert told.endswith("written: out\n")
    assert score(rows, "-j", "1") == 1
    assert "pass rate 0.822581, at least 1 is asked for" in capsys.readouterr().out


def test_the_folder_is_one_of_a_session(rows, tmp_path, capsys):
    score(rows, "-j", "1")
    assert sorted(os.listdir("out")) == [".gitignore", *sorted(FILES)]
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert [test["test"] for test in report["tests"]] == ["rows.jsonl::exact"]
    assert report["complete"]
    assert report["totals"]["comparisons"] == {"total": 63, "pass": 51, "fail": 10, "error": 2}
    capsys.readouterr()
    for line in (tmp_path / "out/records.jsonl").read_text().splitlines():
        RECORD.validate(json.loads(line))
    REPORT_FILE.validate(report)
    assert main(["replay", "out"]) == 0
    assert main(["diff", "out", "out"]) == 0
    assert main(["table", "out", "--by", "operator"]) == 0
    assert main(["explain", "out", "--failed"]) == 0
    assert main(["bundle", "out", "-o", "out.zip"]) == 0
    assert main(["verify-bundle", "out.zip"]) == 0


FORMATS = ["jsonl", "csv", "tsv", "parquet", "arrow", "yaml", "jsonl.gz"]


@pytest.mark.usefixtures("quick_processes")
@pytest.mark.parametrize(
    "suffix",
    [pytest.param(suffix, marks=() if suffix in {"jsonl", "parquet"} else pytest.mark.ci) for suffix in FORMATS],
)
def test_the_number_of_processes_and_units_changes_no_byte(tmp_path, monkeypatch, suffix):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / f"rows.{suffix}")
    score(path, "-j", "1", to="one")
    # A process takes a while to start, so that many are started for one text and one binary format.
    many = [["-j", "3", "--unit-rows", "4"]] * (suffix in {"jsonl", "parquet"})
    for options in (["-j", "1", "--unit-rows", "7"], ["-j", "2", "--unit-rows", "20"], *many):
        assert score(path, *options) == 1
        assert report_in(tmp_path / "out") == report_in(tmp_path / "one")


@pytest.mark.every(3)
@pytest.mark.parametrize("options", [["--limit", "23"], ["--sample", "9", "--seed", "4", "--limit", "50"]], ids=str)
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet", "yaml"])
def test_some_rows(tmp_path, monkeypatch, capsys, suffix, options):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / f"rows.{suffix}")
    score(path, "-j", "1", "--ids", "id", *options, to="one")
    for unit_rows in ("7", "20"):
        assert score(path, "-j", "1", "--ids", "id", "--unit-rows", unit_rows, *options) == 1
        assert report_in(tmp_path / "out") == report_in(tmp_path / "one")
    names = [json.loads(line)["name"] for line in (tmp_path / "out/records.jsonl").read_text().splitlines()]
    assert len(names) == int(options[1]) + 1
    assert suffix == "jsonl" or not names[0].startswith("rows")


@pytest.mark.parametrize("options", [["--limit", "15"], ["--sample", "15"]], ids=str)
def test_some_rows_with_blank_lines_between(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps(row) for row in ROWS[:10]]
    (tmp_path / "rows.jsonl").write_text("\n".join([*lines, *[""] * 20, *lines]))
    score("rows.jsonl", "-j", "1", *options, to="one")
    score("rows.jsonl", "-j", "1", "--unit-rows", "4", *options)
    assert report_in(tmp_path / "out") == report_in(tmp_path / "one")
    assert json.loads((tmp_path / "out/report.json").read_text())["totals"]["comparisons"]["total"] == 16


def test_a_gate_on_the_bound(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "rows.jsonl")
    assert score(path, "-j", "1", "--pass-rate", "0.8") == 0
    assert score(path, "-j", "1", "--pass-rate", "0.8", "--confident") == 1
    assert "does not tell whether it reaches 0.8" in capsys.readouterr().out
    assert score(path, "-j", "1", "--pass-rate", "0.6", "--confident") == 0


def written(path):
    if path.suffix in {".csv", ".tsv"}:
        comma = "," if path.suffix == ".csv" else "\t"
        path.write_text("".join(comma.join(row) + "\n" for row in [["id", "want", "got"], *map(dict.values, ROWS)]))
    elif path.suffix == ".yaml":
        path.write_text(json.dumps(ROWS))
    elif path.suffix in {".parquet", ".arrow"}:
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.Table.from_pylist(ROWS)
        if path.suffix == ".parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=8)
        else:
            with pyarrow.ipc.new_file(path, table.schema) as writer:
                writer.write_table(table, max_chunksize=8)
    else:
        import gzip

        text = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


TEST = """
from pytest_verdict.suites import check_dataset

def test_rows():
    check_dataset("rows.jsonl", "exact", {"expected": "$.want", "observed": "$.got"}, ids="$.id")
"""


@pytest.mark.ci
@pytest.mark.usefixtures("quick_processes")
def test_the_records_are_those_of_check_dataset(rows, pytester):
    pytester.makepyfile(TEST)
    shutil.copy(rows, pytester.path / "rows.jsonl")
    pytester.runpytest_inprocess("--verify-report")
    os.chdir(rows.parent)
    score(rows, "--ids", "id", "-j", "2", "--unit-rows", "7")

    def without_place(path):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            for member in ("id", "test", "path", "line"):
                del record[member]
            yield record

    session = pytester.path / "verify-report"
    assert [*without_place(rows.parent / "out/records.jsonl")] == [*without_place(session / "records.jsonl")]
    one, other = (json.loads((folder / "report.json").read_text()) for folder in (rows.parent / "out", session))
    assert one["totals"] == other["totals"]
    assert one["operators"] == other["operators"]
    assert one["tests"][0]["message"] == other["tests"][0]["message"]


def test_a_run_that_was_killed_goes_on(rows, tmp_path, monkeypatch):
    score(rows, "-j", "1", to="whole")
    scored = killed_at(monkeypatch, 4)
    assert score(rows, "-j", "1", "--unit-rows", "10") == 130
    assert len(list((tmp_path / "out/parts").glob("*.json"))) == 3
    assert score(rows, "-j", "1", "--unit-rows", "10") == 1
    # The first three were not compared again.
    assert scored[4:] == scored[3:4] + [first + 10 for first in scored[3:4]] + scored[6:]
    assert report_in(tmp_path / "out") == report_in(tmp_path / "whole")
    assert not (tmp_path / "out/parts").exists()


@pytest.mark.every(3)
@pytest.mark.parametrize("change", ["settings", "threshold", "column", "ids", "data", "part"])
def test_a_part_of_something_else_is_not_taken(rows, tmp_path, monkeypatch, change):
    from pytest_verdict.datasets import score as module

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_report", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        assert score(rows, "-j", "1", "--unit-rows", "10") == 130
    parts = sorted((tmp_path / "out/parts").glob("part-*.jsonl"))
    options = {
        "settings": ["--settings", '{"case_sensitive": false}'],
        "threshold": ["--threshold", "1.0"],
        "column": ["--expected", "id"],
        "ids": ["--ids", "id"],
    }.get(change, [])
    if change == "data":
        rows.write_text(rows.read_text().replace("v3", "V3"))
    if change == "part":
        parts[1].write_bytes(parts[1].read_bytes().replace(b"v", b"w"))
    score(rows, "-j", "1", "--unit-rows", "10", *options)
    score(rows, "-j", "1", *options, to="fresh")
    assert report_in(tmp_path / "out") == report_in(tmp_path / "fresh")


def test_a_shortened_summary_is_not_taken(tmp_path, monkeypatch):
    from pytest_verdict.datasets import score as module

    (tmp_path / "rows.jsonl").write_text("".join(f'{{"a": 1, "b": {n // 6 + 1}}}\n' for n in range(8)))
    given = (tmp_path / "rows.jsonl", "exact", AB, tmp_path / "out")
    with monkeypatch.context() as patched:
        patched.setattr(module, "find_repeated_ids", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            score_dataset(*given, unit_rows=2)
    last = max((tmp_path / "out/parts").glob("*.jsonl.json"))
    last.write_text(json.dumps({**json.loads(last.read_text()), "parts": []}))
    check = score_dataset(*given, unit_rows=2)
    assert (check.passed, check.total) == (6, 8)


MINE = """
import sys
from pathlib import Path
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.datasets import score
from pytest_verdict.suites import score_dataset

@REGISTRY.add
def mine(expected, observed, *, how="a"):
    return {verdict}

if {verdict}:
    score.find_repeated_ids = lambda *_: sys.exit(3)
mapping = {{"expected": "$.a", "observed": "$.b", **{more}}}
check = score_dataset("rows.jsonl", {operator}, mapping, "out", unit_rows=2)
sys.exit(check.passed)
"""
FROM_ROWS = {
    "a setting": ("'mine'", '{"how": "$.how"}'),
    "operators by group": ("{'mine': 'mine'}", '{"group": "$.op"}'),
    "an operator by group": ("{'mine': {'operator': mine()}}", '{"group": "$.op"}'),
}


@pytest.mark.ci
@pytest.mark.parametrize("what", FROM_ROWS)
def test_parts_of_other_code_are_not_taken(tmp_path, what):
    operator, more = FROM_ROWS[what]
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "b": 1, "how": "b", "op": "mine"}\n' * 4)
    codes = []
    for verdict in ("True", "False"):
        (tmp_path / "mine.py").write_text(MINE.format(verdict=verdict, operator=operator, more=more))
        codes.append(subprocess.run([sys.executable, "mine.py"], cwd=tmp_path, check=False).returncode)
    assert codes == [3, 0]


@pytest.mark.ci
def test_the_names_of_parts_do_not_depend_on_the_hash_seed(tmp_path):
    program = """
from pathlib import Path
from pytest_verdict.datasets.remote import ReportTarget
from pytest_verdict.datasets.row_check import RowCheck
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.datasets.units import plan_units
from pytest_verdict.extraction.evaluator import Evaluator
for more in ({"literal": {"a", "b", "c"}}, {"literal": frozenset("xyz")}):
    check = RowCheck(evaluator=Evaluator("exact", {"expected": more, "observed": "$.b"}), label="rows")
    print(plan_units(Path("rows.jsonl"), check, Selection(), ReportTarget(Path("out")), 2)[0].digest)
"""
    (tmp_path / "rows.jsonl").write_text('{"b": 1}\n')
    command = [sys.executable, "-c", program]
    names = {
        subprocess.check_output(command, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2", "3")
    }
    assert len(names) == 1


@pytest.mark.parametrize("order", [("r.csv:2", "r.csv:2"), ("x", "x"), ("r.csv:3", "r.csv:3")], ids=str)
def test_a_repeated_id_that_is_a_place_is_found(tmp_path, order):
    (tmp_path / "r.csv").write_text("id,a,b\n" + "".join(f"{name},1,1\n" for name in order))
    with pytest.raises(ConfigurationError, match=f"rows 1 and 2 have the same id, '{order[0]}'"):
        score_dataset(tmp_path / "r.csv", "exact", AB, tmp_path / "out", ids="$.id")
    (tmp_path / "r.csv").write_text("id,a,b\nr.csv:2,1,1\nr.csv:3,1,1\n,1,1\n,1,1\n")
    assert score_dataset(tmp_path / "r.csv", "exact", AB, tmp_path / "out", ids="$.id").total == 4


@pytest.fixture(scope="module")
def long_rows_of_one(tmp_path_factory):
    """Rows that take some seconds, and the report that one process makes of them."""
    folder = tmp_path_factory.mktemp("long")
    rows = ({"want": "ab" * 350 + str(n), "got": "ba" * 350 + "a" * (n % 50)} for n in range(300))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with contextlib.chdir(folder):
        assert main(["score", *LONG, "-j", "1", "-o", "one"]) == 0
    return folder / "rows.jsonl", report_in(folder / "one")


@pytest.fixture
def long_rows(long_rows_of_one, tmp_path, monkeypatch):
    rows, report = long_rows_of_one
    monkeypatch.chdir(tmp_path)
    shutil.copy(rows, tmp_path)
    return report


LONG = ["rows.jsonl", "--operator", "text_similarity", "--settings", '{"metric": "damerau_levenshtein"}']
LONG += ["--threshold", "0.95", "--pass-rate", "0.5", "--expected", "want", "--observed", "got", "--unit-rows", "10"]
linux = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="finds the children of a process in /proc")


def started(*options):
    command = [sys.executable, "-m", "pytest_verdict", "score", *LONG, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers_of(process):
    """Give the processes that compare rows: children, and no helpers of multiprocessing."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def wait_for_parts(process, folder, number):
    while process.poll() is None and len(list(folder.glob("parts/*.json"))) < number:
        time.sleep(0.01)


@pytest.mark.ci
@linux
@pytest.mark.usefixtures("quick_processes")
def test_killed_processes_change_no_byte(long_rows, tmp_path):
    process, killed = started("-o", "out", "-j", "2"), 0
    for number in (3, 10, 16, 22):
        wait_for_parts(process, tmp_path / "out", number)
        for worker in workers_of(process)[:1]:
            os.kill(worker, signal.SIGKILL)
            killed += 1
    told = process.communicate()
    assert killed >= 3
    assert process.returncode == 0, told
    assert report_in(tmp_path / "out") == long_rows


@pytest.mark.ci
@linux
@pytest.mark.usefixtures("quick_processes")
def test_a_killed_run_ends_its_processes_and_can_continue(long_rows, tmp_path):
    process = started("-o", "out", "-j", "2")
    wait_for_parts(process, tmp_path / "out", 10)
    workers = workers_of(process)
    process.kill()
    process.communicate()
    assert len(workers) == 2
    deadline = time.monotonic() + 10
    while any(os.path.isdir(f"/proc/{worker}") for worker in workers):
        assert time.monotonic() < deadline, "a process that compares rows outlived the run"
        time.sleep(0.05)
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/parts").glob("*.json")}
    again = started("-o", "out", "-j", "2")
    wait_for_parts(again, tmp_path / "out", len(parts) + 2)
    kept = {path: path.stat().st_mtime_ns for path in parts if path.exists()}
    told = again.communicate()
    assert again.returncode == 0, told
    assert len(parts) >= 10
    assert kept.items() <= parts.items()
    assert report_in(tmp_path / "out") == long_rows


@pytest.mark.ci
@pytest.mark.usefixtures("quick_processes")
def test_processes_that_keep_dying_are_an_error(long_rows, tmp_path, monkeypatch, capsys):
    from pytest_verdict.core import parallel

    monkeypatch.setattr(parallel, "_start_process", _die)
    assert main(["score", *LONG, "-j", "2", "-o", "out"]) == 2
    assert "3 times without a result between" in capsys.readouterr().err
    assert not (tmp_path / "out/records.jsonl").exists()


def _die():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.ci
@pytest.mark.usefixtures("quick_processes")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_two_rows_with_one_id_are_an_error(rows, capsys, jobs):
    rows.write_text("".join(json.dumps({**row, "id": row["id"].replace("q41", "q3")}) + "\n" for row in ROWS))
    assert score(rows, "--ids", "id", "-j", jobs, "--unit-rows", "7") == 2
    assert "rows 4 and 42 have the same id, 'q3'" in capsys.readouterr().err
    assert not os.path.exists("out/report.json")
    assert score(rows, "-j", jobs) == 1


WRONG = {
    "no rows": (["--expected", "want", "--observed", "got"], "empty.jsonl", "there are no rows"),
    "no file": (["--expected", "want", "--observed", "got"], "none.jsonl", "there is no such dataset"),
    "damaged": (["--expected", "want", "--observed", "got"], "damaged.arrow", "it cannot be read"),
    "no format": (
        ["--expected", "want", "--observed", "got"],
        "rows.txt",
        "the suffix of a dataset names its format",
    ),
    "no column": ([], "rows.jsonl", "by --expected and --observed, or by --mapping"),
    "both": (["--expected", "a", "--mapping", "m.json"], "rows.jsonl", "by --expected and --observed, or by --mapping"),
    "settings": (
        ["--expected", "a", "--observed", "b", "--settings", "[1]"],
        "rows.jsonl",
        "--settings takes an object",
    ),
    "json": (["--expected", "a", "--observed", "b", "--settings", "{"], "rows.jsonl", "--settings: it is not JSON"),
    "setting": (["--expected", "a", "--observed", "b", "--settings", '{"x": 1}'], "rows.jsonl", "no setting 'x'"),
    "option": (
        ["--expected", "a", "--observed", "b", "--settings", '{"threshold": 1}'],
        "rows.jsonl",
        "of its own, --threshold",
    ),
    "rate": (
        ["--expected", "a", "--observed", "b", "--pass-rate", "2"],
        "rows.jsonl",
        "pass_rate must be in (0, 1], got 2",
    ),
    "limit": (["--expected", "a", "--observed", "b", "--limit", "0"], "rows.jsonl", "limit is a whole number from 1"),
    "confidence": (["--expected", "a", "--observed", "b", "--confidence", "1"], "rows.jsonl", "confidence"),
    "threshold": (["--expected", "a", "--observed", "b", "--threshold", "0"], "rows.jsonl", "threshold"),
    "jobs": (["--expected", "a", "--observed", "b", "-j", "0"], "rows.jsonl", "--jobs is a whole number from 1, got 0"),
    "address": (["--expected", "a", "--observed", "b", "--address", "x"], "rows.jsonl", "give --engine ray too"),
    "mapping": (["--mapping", "m.json"], "rows.jsonl", "a mapping names the inputs"),
    "input": (["--mapping", "m.json"], "rows.jsonl", "no setting 'expcted'. Did you mean 'expected'? Allowed: case_"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_are_refused_before_any_comparison(rows, tmp_path, capsys, what):
    options, name, message = WRONG[what]
    if what == "damaged":
        pytest.importorskip("pyarrow")
    (tmp_path / "empty.jsonl").write_text("\n \n")
    (tmp_path / "rows.txt").write_text("x")
    (tmp_path / "damaged.arrow").write_text("x")
    texts = {"mapping": "[1]", "input": '{"expcted": "$.want", "observed": "$.got"}'}
    (tmp_path / "m.json").write_text(texts.get(what, '{"observed": "$.got"}'))
    assert main(["score", name, "--operator", "exact", *options, "-o", "out"]) == 2
    assert message in capsys.readouterr().err
    assert what == "no rows" or not os.path.exists("out")
    assert not os.path.exists("out/report.json")


def test_a_mapping_says_where_the_values_are(rows, tmp_path):
    (tmp_path / "mapping.yaml").write_text("expected: $.want\nobserved: {path: $.got, extract: {regex: '^.(.*)'}}\n")
    options = ["--operator", "exact", "--pass-rate", "0.1", "-j", "1"]
    assert main(["score", str(rows), *options, "--mapping", "mapping.yaml", "-o", "out"]) == 1
    record = json.loads((tmp_path / "out/records.jsonl").read_text().splitlines()[0])
    assert (record["expected"], record["observed"]) == ("v0", "0")


def test_a_column_of_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("what is wanted,got it's\n1,1\n2,2\n")
    command = ["score", "rows.csv", "--operator", "exact", "--expected", "what is wanted", "--observed", "got it's"]
    assert main([*command, "-j", "1", "-o", "out"]) == 0


def test_a_file_of_somebody_else_stays(rows, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/report.json").write_text('{"mine": true}')
    assert score(rows, "-j", "1") == 2
    assert "was not written by this plugin" in capsys.readouterr().err


@pytest.mark.parametrize("lost", [0, 3, -1])
def test_an_engine_that_loses_a_unit_is_no_pass(tmp_path, lost):
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,1\n" * 20)

    def run(score, units):
        return [score(unit) for unit in units if unit is not units[lost]]

    with pytest.raises(ConfigurationError, match="run returned 4 results for 5 units"):
        score_dataset(tmp_path / "rows.csv", "exact", AB, tmp_path / "out", unit_rows=4, run=run)
    with pytest.raises(ValueError, match="are followed by those"):
        score_dataset(tmp_path / "rows.csv", "exact", AB, tmp_path / "out", unit_rows=4, run=doubled)
    assert score_dataset(tmp_path / "rows.csv", "exact", AB, tmp_path / "out", unit_rows=4).total == 20


def test_an_engine_that_ends_units_in_another_order(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "b": 1}\n' * 8 + "\n" * 8 + '{"a": 1, "b": 1}\n' * 8)

    def run(score, units):
        return [score(unit) for unit in reversed(units)]

    assert score_dataset(tmp_path / "rows.jsonl", "exact", AB, tmp_path / "out", unit_rows=4, run=run).total == 16


AB = {"expected": "$.a", "observed": "$.b"}


def doubled(score, units):
    return [score(unit) for unit in (*units[:-1], units[0])]


@pytest.mark.ray
@pytest.mark.parametrize("running", ["1", "3", "7"])
def test_ray_changes_no_byte(long_rows, tmp_path, running):
    pytest.importorskip("ray")
    process = started("-o", "out", "--engine", "ray", "-j", running)
    told = process.communicate()
    assert process.returncode == 0, told
    assert report_in(tmp_path / "out") == long_rows


@linux
@pytest.mark.ray
def test_killed_workers_of_ray_change_no_byte(long_rows, tmp_path):
    pytest.importorskip("ray")
    process, killed = started("-o", "out", "--engine", "ray", "-j", "2"), 0
    for number in (2, 8, 14, 20):
        wait_for_parts(process, tmp_path / "out", number)
        killed += killed_task(process)
    told = process.communicate()
    assert killed >= 2
    assert process.returncode == 0, told
    assert report_in(tmp_path / "out") == long_rows


def killed_task(process):
    """Kill the next process that runs a task, and say whether there was one before all was done."""
    while process.poll() is None:
        for worker in tasks_of(process.pid)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
                return True
        time.sleep(0.005)
    return False


def tasks_of(ancestor):
    """Give the processes below another one that run a task of Ray, which they say in their title."""
    parents, titles = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            titles[int(folder.name)] = (folder / "cmdline").read_bytes()
        except OSError:
            continue
    below = {ancestor}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return sorted(child for child in below if titles.get(child, b"").startswith(b"ray::score_unit"))


@pytest.mark.ray
def test_an_error_in_a_ray_task_is_a_message(tmp_path):
    pytest.importorskip("ray")
    (tmp_path / "rows.csv").write_text('a,b\n1,2\n"3,4\n')
    command = [sys.executable, "-m", "pytest_verdict", "score", "rows.csv", "--operator", "exact", "--engine", "ray"]
    command += ["--expected", "a", "--observed", "b", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pytest-verdict: rows.csv:3: a quote that opens here is not closed rightly" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_ray_the_extra_is_named(rows, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert score(rows, "--engine", "ray") == 2
    assert "pytest-verdict[ray]" in capsys.readouterr().err


@pytest.mark.ray
@pytest.mark.parametrize("engine", ["dask", "daft", "spark"])
def test_the_recipes_make_the_same_report(tmp_path, monkeypatch, engine):
    pytest.importorskip({"spark": "pyspark"}.get(engine, engine))
    if engine == "spark" and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    rows = [{"truth": f"v{n}", "answer": f"v{n}" if n % 50 else ""} for n in range(500)]
    table = pyarrow.Table.from_pylist(rows)
    pytest.importorskip("pyarrow.parquet").write_table(table, "rows.parquet", row_group_size=100)
    page = Path(__file__).parents[2] / "docs/how-to/datasets-at-scale.md"
    recipe = page.read_text().partition(f"# with_{engine}.py\n")[2].partition("```")[0]
    Path("with_it.py").write_text(recipe.replace("pass_rate=0.9", "pass_rate=0.9, unit_rows=100"))
    done = subprocess.run([sys.executable, "with_it.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "490 of 500 rows passed" in done.stdout
    command = ["score", "rows.parquet", "--operator", "exact", "--expected", "truth", "--observed", "answer"]
    assert main([*command, "--pass-rate", "0.9", "-j", "1", "-o", "one"]) == 0
    assert report_in(tmp_path / "out") == report_in(tmp_path / "one")
