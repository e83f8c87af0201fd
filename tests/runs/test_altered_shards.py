"""A shard that was altered is refused by replay and by merge: a merged report would hide it."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from pytest_verdict.cli import main

TESTS = """
import pytest
from pytest_verdict import assert_matches

@pytest.mark.parametrize("number", range(6))
def test_number(number):
    assert_matches("exact", 0, number % 2)
"""
HIDDEN = ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", "CI", "CI_NODE_INDEX", "CI_NODE_TOTAL", "CIRCLE_NODE_INDEX")


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    root = tmp_path_factory.mktemp("shards")
    (root / "test_a.py").write_text(TESTS)
    (root / "pytest.ini").write_text("[pytest]\n")
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    for part, keyword in (("1/2", "0 or 1 or 2"), ("2/2", "3 or 4 or 5")):
        options = [f"--verify-report-dir=p{part[0]}", f"--verify-shard={part}", "-k", keyword, "-p", "no:cacheprovider"]
        subprocess.run([sys.executable, "-m", "pytest", *options], cwd=root, env=environment, capture_output=True)
    return root


@pytest.fixture
def parts(shards, tmp_path):
    for name in ("p1", "p2"):
        shutil.copytree(shards / name, tmp_path / name)
    return tmp_path


def edit(name, old, new):
    def change(folder):
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), "utf-8")

    return change


def edit_report(change_document):
    def change(folder):
        document = json.loads((folder / "report.json").read_text("utf-8"))
        change_document(document)
        (folder / "report.json").write_text(json.dumps(document), "utf-8")

    return change


def forget_shard(folder):
    (folder / "shard.jsonl").unlink()


def take_other_shard(folder):
    shutil.copyfile(folder.parent / "p2" / "shard.jsonl", folder / "shard.jsonl")


def drop_last_line(folder):
    lines = (folder / "shard.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "shard.jsonl").write_text("".join(lines[:-1]), "utf-8")


ALTERATIONS = {
    "an outcome": edit("shard.jsonl", '"failed"', '"passed"'),
    "a test": edit("shard.jsonl", "test_number[1]", "test_number[9]"),
    "a blank": edit("shard.jsonl", '"failed"', ' "failed"'),
    "an added line": edit("shard.jsonl", "\n", "\n\n"),
    "a lost line": drop_last_line,
    "no shard": forget_shard,
    "another shard": take_other_shard,
    "a version in run": edit_report(lambda document: document["run"].update(pytest="1.0")),
    "the digest": edit_report(lambda document: document["run"]["files"]["shard.jsonl"].update(sha256="0" * 64)),
    "no digest": edit_report(lambda document: document["run"]["files"].pop("shard.jsonl")),
    "a total": edit_report(lambda document: document["totals"]["comparisons"].update(fail=0)),
    "a record": edit("records.jsonl", '"observed":1', '"observed":0'),
    "a verdict": edit("records.jsonl", '"verdict":"fail"', '"verdict":"pass"'),
    "junit.xml": edit("junit.xml", "test_number[1]", "test_number[7]"),
}


@pytest.mark.ci
def test_untouched_parts_are_merged(parts, capsys):
    for name in ("p1", "p2"):
        assert main(["replay", str(parts / name)]) == 0
    assert main(["merge", str(parts / "p1"), str(parts / "p2"), "-o", str(parts / "whole")]) == 0
    assert main(["replay", str(parts / "whole")]) == 0
    report = json.loads((parts / "whole" / "report.json").read_text("utf-8"))
    assert report["totals"]["comparisons"] == {"total": 6, "pass": 3, "fail": 3, "error": 0}


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_altered_part_is_refused(parts, capsys, alteration):
    ALTERATIONS[alteration](parts / "p1")
    assert main(["replay", str(parts / "p1")]) == 1
    assert main(["merge", str(parts / "p1"), str(parts / "p2"), "-o", str(parts / "whole")]) == 2
    assert not (parts / "whole" / "report.json").exists()
    assert "p1" in capsys.readouterr().err


def test_outcomes_are_compared_even_if_the_digest_was_replaced(parts, capsys):
    """Whoever edits the shard can compute its digest again, but not hide that the report says something else."""
    import hashlib

    folder = parts / "p1"
    edit("shard.jsonl", '"failed"', '"passed"')(folder)
    text = (folder / "report.json").read_text("utf-8")
    document = json.loads(text)
    old = document["run"]["files"]["shard.jsonl"]["sha256"]
    new = hashlib.sha256((folder / "shard.jsonl").read_bytes()).hexdigest()
    text = text.replace(old, new)
    ending = 64 + len('""}\n}\n')
    text = text[:-ending] + f'"{hashlib.sha256(text[:-ending].encode()).hexdigest()}"}}\n}}\n'
    (folder / "report.json").write_text(text, "utf-8")
    assert main(["replay", str(folder)]) == 0
    assert main(["merge", str(folder), str(parts / "p2"), "-o", str(parts / "whole")]) == 2
    assert "are not of the same session" in capsys.readouterr().err
