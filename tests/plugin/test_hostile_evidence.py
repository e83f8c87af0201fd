"""Whatever is compared, every file stays readable for every consumer."""

from __future__ import annotations

import json

import pytest
from lxml import etree

EVIL = r"""
import enum, pytest
from pytest_verdict import assert_matches, compare

class Unfriendly:
    def __eq__(self, other): raise ValueError("no equality \x00")
    def __repr__(self): raise RuntimeError("no repr")
    __hash__ = None

class RaisesAlways:
    def __getattr__(self, name): raise ValueError("no attribute")
    @property
    def __class__(self): raise ValueError("no class")

class Big(str): pass

itself = [1]
itself.append(itself)
twisted = {}
twisted["self"] = twisted

VALUES = {
    "control": "\x00\x01\x08\x0b\x1f\x7f\x85\u2028",
    "surrogates": "\ud800 \udfff \ud83d\ude00",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "cdata": "]]> <![CDATA[ & < > \" ' <!-- -->",
    "forbidden": "\ufffe\uffff",
    "astral": "😀 مرحبا \u202e",
    "long": "x" * 5_000_000,
    "long_surrogates": "\ud800" * 100_000,
    "nan": float("nan"),
    "numbers": [float("inf"), -0.0, 10**5000, 1e-320],
    "itself": itself,
    "twisted": twisted,
    "unfriendly": Unfriendly(),
    "raises": RaisesAlways(),
    "keys": {1: "a", None: "b", ("t",): "c", "\x00": "d", "$type": "e"},
    "deep": eval("[" * 80 + "]" * 80),
    "bytes": b"\x00\xff",
    "lines": "a\r\nb\tc\rd",
    "big": Big("sub"),
}

@pytest.mark.verdict_unread("ignore")
@pytest.mark.parametrize("name", VALUES)
def test_recorded(name):
    compare("exact", VALUES[name], "other", name=str(name) + "\x00\ud800]]>").passed
    compare("exact", "other", VALUES[name]).passed
    compare("json_canonical", '{"a": 1}', VALUES[name]).passed

@pytest.mark.parametrize("name", VALUES)
def test_shown(name):
    assert_matches("exact", VALUES[name], [VALUES[name], "other"], name="\x1b[31m" + "n" * 1000)

IDS = ["\x00", "\x1b[31m", "\ud800", "]]>", "<&>\"'", "a::b", "é" * 300, "x" * 3000, "x" * 3001, "[", "a/b.py::c["]

@pytest.mark.parametrize("text", IDS, ids=repr)
def test_identified(text): assert_matches("exact", 1, 2)

@pytest.mark.parametrize("text", ["\x00", "\x1b[31mred\x1b[0m", "\ud800", "]]>", "\r\n", "😀" * 20_000])
def test_raises(text): raise ValueError(text)

@pytest.mark.parametrize("text", ["\x00", "\ud800]]>"])
def test_skips(text): pytest.skip(text)

@pytest.mark.parametrize("text", ["\x00", "\ud800]]>"])
def test_xfails(text): pytest.xfail(text)
"""


@pytest.mark.ci
def test_hostile_evidence_leaves_readable_files(harness):
    run = harness.run(EVIL, "--verify-report", "--tb=short", "-p", "no:cacheprovider")
    run.check_agreement()
    assert "unfriendly" in run.records_bytes.decode("ascii")
    assert run.totals("passed", "failed", "skipped", "xfailed") == {
        "passed": 19,
        "failed": 19 + 11 + 6,
        "skipped": 2,
        "xfailed": 2,
    }
    assert len([record for record in run.records if "test_recorded" in record["test"]]) == 19 * 3
    assert not [record for record in run.records if "test_recorded" in record["test"] and record["verdict"] == "pass"]
    assert "\x1b[31m" not in (run.folder / "junit.xml").read_text()
    for element in run.junit.iter():
        assert len(element.get("message", "")) <= 500
        assert len(element.text or "") <= 32_000
    assert max(len(comparison) for comparison in map(json.dumps, run.report["comparisons"])) < 70_000
    etree.parse(run.folder / "junit.xml", etree.XMLParser(huge_tree=False))
    assert (run.folder / "report.json").stat().st_size < 5_000_000


@pytest.mark.ci
def test_hostile_evidence_from_worker_leaves_readable_files(harness):
    files = EVIL.split('@pytest.mark.parametrize("name", VALUES)\ndef test_shown', maxsplit=1)[0]
    run = harness.run(files, "-n1", "--verify-report")
    run.check_agreement()
    assert run.totals() == {"total": 19, "passed": 19}


def test_one_line_test_has_its_block_in_junit(harness):
    run = harness.run(
        "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', '<a>\\x00', 'b')\n",
        "--verify-report",
    )
    failure = run.case("test_it").find("failure")
    assert failure.get("type") == "verdict.Mismatch"
    assert failure.get("message").startswith("1 of 1 comparison did not pass; ")
    assert "expected '<a>\\x00', got" in failure.text
    assert "test_it.py:2: MismatchError" in failure.text


MEANT = """
from pytest_verdict import expect

def test_unequal(): assert "Rome" != expect("exact", "Paris")
def test_equal_after_all(): assert "Paris" != expect("exact", "Paris")
def test_in_a_dict(): assert {"a": "Rome", "b": 1} == {"a": expect("exact", "Paris"), "b": 1}
def test_in_a_list(): assert ["x", "Rome"] == ["x", expect("exact", "Paris")]
"""


@pytest.mark.ci
def test_assert_is_recorded_once(harness):
    run = harness.run(MEANT, "--verify-report", "-vv")
    records = [(record["verdict"], record.get("negated", False)) for record in run.records]
    assert records == [("pass", True), ("fail", True), ("fail", False), ("fail", False)]
    assert "4 comparisons: 1 pass (25 %), 3 fail, 0 error" in run.output
    for case in ("test_in_a_dict", "test_in_a_list"):
        assert "exact: expected 'Paris', got 'Rome'" in etree.tostring(run.case(case), encoding="unicode").replace(
            "&apos;", "'"
        )
    assert "exact: expected no match with 'Paris', got 'Paris'" in run.output
    run.check_agreement()
