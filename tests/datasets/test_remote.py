"""`pytest-verdict score` with URLs: the same report as with paths, and no local copy is left."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from test_score import COLUMNS, ROWS, killed_at, report_in

from pytest_verdict.cli import main
from pytest_verdict.datasets import units
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.suites import score_dataset

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """An object store in this process, and a home of its own for copies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    store = fsspec.filesystem("memory")
    store.store.clear()
    text = "\n".join(json.dumps(row) for row in ROWS)
    (tmp_path / "rows.jsonl").write_text(text)
    store.pipe("/bucket/rows.jsonl", text.encode())
    yield store
    store.store.clear()


def score(source, to, *options):
    return main(["score", source, *COLUMNS, *options, "-o", to])


def copies(tmp_path):
    return [path for path in (tmp_path / "home").rglob("*") if path.is_file()]


def taken_down(store, url, folder):
    store.get(url.partition(":/")[2], str(folder), recursive=True)
    return report_in(folder)


def test_the_report_is_that_of_a_path(bucket, tmp_path, capsys):
    assert score("rows.jsonl", "here", "-j", "1") == 1
    assert score("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1", "--unit-rows", "7", "--ids", "id") == 1
    assert capsys.readouterr().out.endswith("written: memory://bucket/out\n")
    assert sorted(bucket.find("/bucket/out")) == [
        f"/bucket/out/{name}" for name in ("junit.xml", "records.jsonl", "report.json")
    ]
    assert score("rows.jsonl", "named", "-j", "1", "--ids", "id") == 1
    assert taken_down(bucket, "memory://bucket/out", tmp_path / "there") == report_in(tmp_path / "named")
    assert copies(tmp_path) == []


@pytest.mark.ci
def test_processes_share_parts_at_a_url(bucket, tmp_path):
    score("rows.jsonl", "here", "-j", "1")
    assert score((tmp_path / "rows.jsonl").as_uri(), (tmp_path / "there").as_uri(), "-j", "2", "--unit-rows", "20") == 1
    assert report_in(tmp_path / "there") == report_in(tmp_path / "here")
    assert [path.name for path in (tmp_path / "there").rglob("part-*")] == []


def test_a_killed_run_continues_from_its_parts(bucket, tmp_path, monkeypatch):
    score("rows.jsonl", "here", "-j", "1")
    begun = killed_at(monkeypatch, 3)
    again = ("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1", "--unit-rows", "20")
    assert score(*again) == 130
    parts = [path for path in bucket.find("/bucket/out/parts") if path.endswith(".json")]
    assert len(parts) == 2
    # As another machine would see it, which has no copies.
    for path in copies(tmp_path):
        path.unlink()
    assert score(*again) == 1
    assert begun == [1, 21, 41, 41]
    assert taken_down(bucket, "memory://bucket/out", tmp_path / "there") == report_in(tmp_path / "here")


def test_a_part_that_was_altered_is_made_again(bucket, tmp_path, monkeypatch):
    score("rows.jsonl", "here", "-j", "1")
    kept = bucket.rm_file
    monkeypatch.setattr(type(bucket), "rm_file", lambda self, path: None)
    again = ("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1", "--unit-rows", "20")
    score(*again)
    monkeypatch.setattr(type(bucket), "rm_file", lambda self, path: kept(path))
    altered = next(path for path in bucket.find("/bucket/out/parts") if path.endswith(".jsonl"))
    bucket.pipe(altered, bucket.cat(altered).replace(b'"fail"', b'"pass"'))
    scored, real = [], units._compare_unit
    monkeypatch.setattr(units, "_compare_unit", lambda unit: scored.append(unit) or real(unit))
    assert score(*again) == 1
    assert len(scored) == 1
    assert taken_down(bucket, "memory://bucket/out", tmp_path / "there") == report_in(tmp_path / "here")


@pytest.mark.parametrize("layout", ["file", "parts"])
@pytest.mark.parametrize("emptied", [False, True])
def test_copies_of_an_earlier_run_on_another_machine(bucket, tmp_path, layout, emptied):
    """Its parts are taken again, and are at the URL then; its list of keys is not that of another data set."""
    scored = score_elsewhere(bucket, tmp_path, "abc", layout)
    if emptied:
        bucket.rm("/bucket/out", recursive=True)
    assert score_elsewhere(bucket, tmp_path, "abc", layout) == scored
    bucket.get("/bucket/out", "down", recursive=True)
    assert main(["replay", "down"]) == 0
    with pytest.raises(ConfigurationError, match="rows 1 and 2 have the same id, 'a'"):
        score_elsewhere(bucket, tmp_path, "aac", layout)
    score_elsewhere(bucket, tmp_path, "abc", layout)
    for keys in (tmp_path / "worker/parts").glob("*.keys"):
        keys.write_bytes(b"")
    with pytest.raises(RecordError, match="the keys were changed"):
        score_elsewhere(bucket, tmp_path, "abc", layout, scoring=tmp_path / "third")


def score_elsewhere(bucket, tmp_path, ids, layout, scoring=None):
    """Score rows where another machine does the work."""
    text = "".join(json.dumps({"id": one, "want": 1, "got": 1}) + "\n" for one in ids)
    bucket.pipe("/bucket/ids.jsonl", text.encode())

    def run(function, work):
        folder = scoring if function is units.score_unit else None
        return [
            function(replace(one, target=replace(one.target, folder=folder or tmp_path / "worker"))) for one in work
        ]

    columns = {"expected": "$.want", "observed": "$.got"}
    source, to = "memory://bucket/ids.jsonl", "memory://bucket/out"
    check = score_dataset(source, "exact", columns, to, ids="$.id", layout=layout, run=run)
    return check.passed, check.total


def test_parts_are_at_the_url_before_their_summary(bucket, tmp_path, monkeypatch):
    put = type(bucket).put_file
    with monkeypatch.context() as patched:
        patched.setattr(type(bucket), "put_file", lambda self, path, *_: (_ for _ in ()).throw(OSError("no network")))
        assert score("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1") == 2
    assert [path.suffix for path in copies(tmp_path) if path.name.startswith("part-")] == [".jsonl"]

    def only_parts(self, path, to, **options):
        if not to.endswith(".jsonl.json"):
            return put(self, path, to, **options)
        raise OSError("no network")

    with monkeypatch.context() as patched:
        patched.setattr(type(bucket), "put_file", only_parts)
        assert score("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1") == 2
    # The local summary is that of a unit whose parts the URL has lost since.
    bucket.rm("/bucket/out", recursive=True)
    assert score("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1") == 1
    score("rows.jsonl", "here", "-j", "1")
    assert taken_down(bucket, "memory://bucket/out", tmp_path / "there") == report_in(tmp_path / "here")


def test_a_file_that_changes_meanwhile_is_refused(bucket):
    def changed(function, units):
        Path(units[0].piece.path).unlink()
        bucket.pipe("/bucket/rows.jsonl", json.dumps(ROWS[1]).encode())
        return map(function, units)

    with pytest.raises(ConfigurationError, match=r"rows\.jsonl: the file changed"):
        score_dataset(
            "memory://bucket/rows.jsonl",
            "exact",
            {"expected": "$.want", "observed": "$.got"},
            "memory://bucket/out",
            run=changed,
        )
    assert not bucket.exists("/bucket/out/report.json")


def test_a_foreign_file_is_not_replaced(bucket, capsys):
    bucket.pipe("/bucket/out/report.json", b'{"mine": 1}')
    assert score("memory://bucket/rows.jsonl", "memory://bucket/out", "-j", "1") == 2
    assert "memory://bucket/out/report.json was not written by this plugin" in capsys.readouterr().err
    assert bucket.cat("/bucket/out/report.json") == b'{"mine": 1}'


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "memory://bucket/none.jsonl?key=secret",
            "pytest-verdict: memory://bucket/none.jsonl: there is no such file\n",
        ),
        ("nowhere://bucket/rows.jsonl", "nowhere://: Protocol not known: nowhere"),
        ("memory://bucket/rows.txt", "rows.txt"),
    ],
)
def test_unreadable_remote_file_is_reported(bucket, tmp_path, capsys, source, told):
    bucket.pipe("/bucket/rows.txt", b"a text")
    assert score(source, "out", "-j", "1") == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()
    assert copies(tmp_path) == []


def test_a_query_is_in_no_record(bucket, tmp_path):
    # Signed URLs have secrets in their query.
    bucket.pipe("/bucket/rows.jsonl?signature=secret", bucket.cat("/bucket/rows.jsonl"))
    assert score("memory://bucket/rows.jsonl?signature=secret", "out", "-j", "1") == 1
    assert b"secret" not in (tmp_path / "out/records.jsonl").read_bytes()
    assert json.loads((tmp_path / "out/report.json").read_text())["tests"][0]["test"] == "rows.jsonl::exact"


def test_without_fsspec_the_extra_is_named(bucket, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert score("memory://bucket/rows.jsonl", "out", "-j", "1") == 2
    assert "pytest-verdict[remote]" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "changes"), [("lines.jsonl", False), ("lines.csv", False), ("lines.csv", True)])
def test_another_machine_reads_its_own_lines_from_the_store(bucket, tmp_path, monkeypatch, name, changes):
    rows = [{"id": f"q{number}", "want": "a", "got": "ab"[number % 7 == 0]} for number in range(50)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if name.endswith("csv"):
        text = "id,want,got\n" + "".join(",".join(row.values()) + "\n" for row in rows)
    bucket.pipe(f"/bucket/{name}", text.encode())
    source = tmp_path / name
    source.write_text(text)
    columns = {"expected": "$.want", "observed": "$.got"}
    ranges = []
    read_range = units._read_range
    monkeypatch.setattr(units, "_read_range", lambda file, piece: ranges.append(file) or read_range(file, piece))
    monkeypatch.setattr(units, "fetch_file", None)

    def run(function, work):
        if changes:
            bucket.pipe(f"/bucket/{name}", text.replace("q41,a", "q41,b").encode())
        elsewhere = [
            replace(one, piece=one.piece._replace(path=f"/not/here/{name}")) if isinstance(one, units.Unit) else one
            for one in work
        ]
        return [function(one) for one in elsewhere]

    def score_it(data, to):
        return score_dataset(data, "exact", columns, to, ids="$.id", unit_rows=20, pass_rate=0.5, run=run)

    if changes:
        with pytest.raises(ConfigurationError, match="the file changed while it was read"):
            score_it(f"memory://bucket/{name}", tmp_path / "there")
        return
    assert score_it(f"memory://bucket/{name}", tmp_path / "there").passed == 42
    assert len(ranges) == 6
    score_dataset(source, "exact", columns, tmp_path / "here", ids="$.id", unit_rows=20, pass_rate=0.5)
    assert report_in(tmp_path / "there") == report_in(tmp_path / "here")
