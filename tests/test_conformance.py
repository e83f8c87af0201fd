"""The conformance folder: a reader without this package derives the same, and records of earlier versions stay readable."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from conformance import reader
from pytest_verdict.cli import main
from pytest_verdict.core.merkle import MerkleTree, leaves_of
from pytest_verdict.core.record import record_keys
from pytest_verdict.core.replay import replay
from pytest_verdict.report.json_report import record_schema

FOLDER = Path(reader.__file__).parent
SESSION = FOLDER / "session"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
ALTERED = sorted((FOLDER / "altered").glob("*.jsonl"))
CORPORA = sorted(FOLDER.glob("corpus-*.jsonl"))
# Test vectors of Certificate Transparency, with the same tree.
LEAVES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
LEAVES.append(bytes.fromhex("606162636465666768696a6b6c6d6e6f"))
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def root_of(lines):
    tree = MerkleTree()
    for line in lines:
        tree.add(leaves_of([line]))
    return tree.root()


@pytest.mark.parametrize("size", ROOTS)
def test_merkle_tree_follows_the_standard(size):
    assert root_of(LEAVES[:size]) == reader.root_of(LEAVES[:size]).hex() == ROOTS[size]


@pytest.mark.parametrize("size", [255, 256, 257, 511, 512, 513, 768, 1_023, 1_025])
def test_merkle_tree_of_several_blocks_follows_the_standard(size):
    lines = [b"%d" % number for number in range(size)]
    assert root_of(lines) == reader.root_of(lines).hex()


@given(st.lists(st.binary(max_size=3).filter(lambda line: b"\n" not in line), min_size=1, max_size=70), st.data())
def test_inclusion_can_be_proved(lines, data):
    root = reader.root_of(lines)
    index = data.draw(st.integers(0, len(lines) - 1))
    proof = reader.proof_of(lines, index)
    assert root.hex() == root_of(line + b"\n" for line in lines)
    assert reader.is_included(lines[index], index, len(lines), proof, root)
    assert not reader.is_included(lines[index] + b"x", index, len(lines), proof, root)


@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=3), max_size=8))
def test_merkle_trees_of_tests_and_of_all_follow_the_standard(tests):
    # Each test is added block by block, as its records are read.
    whole, lines = MerkleTree(), []
    for number, blocks in enumerate(tests):
        of_test, own = MerkleTree(), []
        for size in blocks:
            block = [b"%d of %d" % (len(own) + at, number) for at in range(size)]
            leaves = leaves_of(block)
            of_test.add(leaves)
            whole.add(leaves)
            own += block
        assert of_test.root() == reader.root_of(own).hex()
        lines += own
    assert whole.root() == reader.root_of(lines).hex()


def test_independent_reader_agrees():
    assert "pytest_verdict" not in (FOLDER / "reader.py").read_text().partition('"""\n')[2]
    assert len((FOLDER / "reader.py").read_text().splitlines()) <= 100
    found, report = reader.read(SESSION), json.loads((SESSION / "report.json").read_text())
    assert found == EXPECTED
    assert {key: found[key] for key in ("count", "sha256", "root")} == {
        key: report["records"][key] for key in ("count", "sha256", "root")
    }
    assert found["roots"] == {test["test"]: test["root"] for test in report["tests"] if "root" in test}
    assert found["verdicts"] == {name: report["totals"]["comparisons"][name] for name in found["verdicts"]}
    assert found["keys"] == list(record_keys(report["comparisons"]))
    assert main(["replay", "--quiet", str(SESSION)]) == 0


@pytest.mark.parametrize("path", ALTERED, ids=lambda path: path.stem)
def test_altered_records_are_detected(path, tmp_path):
    (tmp_path / "records.jsonl").write_bytes(path.read_bytes())
    try:
        found = reader.read(tmp_path)
    except ValueError:
        return
    assert found["root"] != EXPECTED["root"]
    assert found["sha256"] != EXPECTED["sha256"]


@pytest.mark.ci
@pytest.mark.parametrize("path", CORPORA, ids=lambda path: path.stem)
def test_corpora_replay(path, record_validator):
    lines = path.read_bytes().splitlines(keepends=True)
    answers = list(replay(lines))
    assert Counter(answer.status for answer in answers if answer.is_difference) == {}
    assert {answer.status for answer in answers} <= {"identical", "version_changed"}
    for line in lines:
        record_validator.validate(json.loads(line))


@pytest.fixture
def record_validator():
    import jsonschema

    return jsonschema.Draft202012Validator(record_schema())


def keys_of(*pairs, test="t", attempt=1):
    rows = [{"operator": "exact", "expected": expected, **({"name": name} if name else {})} for name, expected in pairs]
    return list(record_keys([{"test": test, "attempt": attempt, **row} for row in rows]))


def test_other_comparisons_do_not_shift_a_key():
    before = keys_of(("a", 1), (None, 2), (None, 3))
    after = keys_of((None, 7), ("a", 5), (None, 8), (None, 2), (None, 3))
    assert [key for key in after if key in before] == before
    assert len(set(after)) == len(after)


def test_equal_comparisons_are_numbered():
    found = keys_of((None, 1), (None, 1), ("a", 1), ("a", 2))
    assert len(set(found)) == 4
    assert [key.rpartition("-")[2] for key in found] == ["1", "2", "1", "2"]
    assert not set(found) & {*keys_of((None, 1), test="u"), *keys_of((None, 1), attempt=2)}
