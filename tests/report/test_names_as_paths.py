"""Names that look like paths are names: nothing is written or read outside of the folders that a user names."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zipfile

import pytest

from pytest_verdict.cli import main
from pytest_verdict.errors import RecordError
from pytest_verdict.report import urls
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.index import read_index
from pytest_verdict.store.store import Store
from tools.fuzz.command_targets import seeds

NAMES = [
    "../../../up",
    "/absolute/path",
    "..\\..\\windows",
    "C:\\windows",
    "nul\0byte",
    "CON",
    "aux.txt",
    "com1",
    "~root",
    "$HOME",
    "a" * 300,
    "case",
    "CASE",
    "Case",
    ".",
    "..",
    "",
    " ",
    "trailing. ",
    "a:b",
    "report.json",
    "records.jsonl.new",
    "journal",
    ".gitignore",
    "-rf",
    "%2e%2e%2f",
    "\u202e/../x",
]
SESSION = f"""
import pytest
from pytest_verdict import accepted, assert_matches

NAMES = {NAMES!r}

@pytest.mark.parametrize("name", NAMES, ids=NAMES)
def test_it(name):
    assert_matches("exact", name, "x", name=name or None)

@pytest.mark.parametrize("name", NAMES, ids=NAMES)
def test_accepted(name):
    assert_matches("exact", accepted(), name, name=name or "none")
"""


def files_of(root):
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}


@pytest.fixture
def outside(pytester, monkeypatch):
    """The folder above the project, in which nothing may appear, with the project as the current folder."""
    project = pytester.path / "one" / "two" / "three" / "project"
    project.mkdir(parents=True)
    monkeypatch.setattr(urls.Path, "home", lambda: project / "home")
    for name in ("CI", "GITHUB_ACTIONS", "VERDICT_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return pytester.path


@pytest.mark.ci
def test_no_name_leads_out_of_the_folders(outside, pytester, few_plugins, capsys):
    project = outside / "one/two/three/project"
    (project / "test_it.py").write_text(SESSION)
    (project / "pytest.ini").write_text("[pytest]\nverdict_html = always\n")
    before = files_of(outside)
    words = ("--verify-report", "-pno:cacheprovider", "--rootdir", str(project), "--tb=no", "-q", str(project))
    result = pytester.runpytest_inprocess(*words)
    assert result.parseoutcomes()["failed"] == 2 * len(NAMES)
    tags = [word for number, name in enumerate(NAMES) if "\0" not in name for word in ("--tag", f"t{number}={name}")]
    assert main(["push", "--store", "runs", *tags]) == 0
    assert main(["trends", "--store", "runs", "-o", "site"]) in {0, 2}
    assert main(["accept", "--all"]) in {0, 1}
    assert main(["table", "verify-report", "-o", "t.csv"]) == 0
    capsys.readouterr()
    places = ("verify-report/", "runs/", "site/", "home/", "test_it.accepted.yaml", "t.csv", "__pycache__/")
    added = files_of(outside) - before
    assert added
    assert not [name for name in added if not name.removeprefix("one/two/three/project/").startswith(places)]
    assert {name.count("/") for name in added if "/verify-report/" in name} == {5}
    report = json.loads((project / "verify-report" / "report.json").read_text())
    assert len({test["test"] for test in report["tests"]}) == 2 * len(NAMES)


def bundle_with(name, link=False):
    """Write a bundle with one more part, or with a part of another name."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(seeds("bundles")[0].encode("latin-1"))) as old,
        zipfile.ZipFile(target, "w") as new,
    ):
        for part in old.namelist():
            new.writestr(part, old.read(part))
        info = zipfile.ZipInfo("x")
        info.filename = name
        info.external_attr = 0o120777 << 16 if link else 0
        new.writestr(info, "/etc/passwd")
    return target.getvalue()


@pytest.mark.parametrize(
    "name", [*(name for name in NAMES if name), "records.jsonl", "outputs.jsonl/../../x"], ids=ascii
)
@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_part_of_a_bundle_stays_in_its_folder(outside, name, capsys):
    project = outside / "one/two/three/project"
    for link in (False, True):
        (project / "evidence.zip").write_bytes(bundle_with(name, link))
        before = files_of(outside)
        assert main(["verify-bundle", "evidence.zip"]) == 2
        assert main(["replay", "evidence.zip"]) in {0, 1, 2}
        assert main(["accept", "evidence.zip"]) in {0, 1, 2}
        assert files_of(outside) == before
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../../../etc/x", "/etc/passwd", "..", "", "a" * 16, "A" * 16, "0" * 300], ids=ascii)
def test_table_of_a_stored_run_is_below_the_store(tmp_path, name):
    index = json.loads(seeds("stores")[0].split("\0")[0].replace("TABLE", "0" * 16))
    is_digest = name == "a" * 16
    content = json.dumps({**index, "tests": name}).encode()
    run = f"20260101T000000-{hashlib.sha256(content).hexdigest()[:8]}"
    if is_digest:
        assert read_index(run, gzip.compress(content)).tests == name
        return
    with pytest.raises(RecordError, match="tests"):
        read_index(run, gzip.compress(content))
    StoreFiles(str(tmp_path)).write(f"runs/2026/01/{run}/index.json.gz", gzip.compress(content))
    store = Store(StoreFiles(str(tmp_path)))
    assert store.runs() == []
    assert len(store.skipped) == 1


def test_accepted_file_of_a_report_is_below_the_root(outside, capsys):
    from pytest_verdict.accepting.candidates import path_below

    project = outside / "one/two/three/project"
    os.symlink(outside, project / "link")
    for name in ("../x.accepted.yaml", "/etc/x.accepted.yaml", "link/x.accepted.yaml", "a/../../x"):
        with pytest.raises(RecordError, match="outside of the root directory"):
            path_below(project, name)
    assert path_below(project, "a/b.accepted.yaml") == (project / "a/b.accepted.yaml").resolve()
