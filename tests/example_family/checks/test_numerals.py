"""What a user of the package writes; run with --verify-report in this folder."""

from pathlib import Path

import pytest

from pytest_verdict import MismatchError, assert_matches
from pytest_verdict.blind import blind_compare
from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.suites import check_dataset
from pytest_verdict.trajectories import assert_trajectory

PAIRS = Path(__file__).with_name("numerals.pairs")


def test_the_operator():
    assert_matches("roman_numeral", 14, "XIV")
    with pytest.raises(MismatchError, match="wanted: 'IV'"):
        assert_matches("roman_numeral", 4, "IIII")


@pytest.mark.parametrize("named", ["auto", "call_log"])
def test_the_wire_format(named):
    log = "CALL search query=tea\nCALL buy id=7"
    expected = [("search", {"query": "tea"}), ("buy", {"id": "7"})]
    assert_trajectory(expected, log, order="exact", observed_format=named)


def test_the_judge():
    judge = load(FAMILIES.find("judges", "fixed"))("5")
    assert blind_compare("X", "ten", "Write ten.", judge).winner == "x"


def test_the_document(tmp_path):
    judge = load(FAMILIES.find("judges", "fixed"))("5")
    scroll = tmp_path / "output.scroll"
    scroll.write_bytes("X in"[::-1].encode("utf-16"))
    found = blind_compare(scroll, "ten", "Write ten.", judge)
    assert found.winner == "x"
    (file,) = found.result.observed["comparison"]["candidates"][0]["files"]
    assert file["extracted"]["by"] == "roman_verdict 1.0"


def test_the_row_reader():
    mapping = {"expected": "$.expected", "observed": "$.observed"}
    assert check_dataset(PAIRS, "roman_numeral", mapping).passed == 2
