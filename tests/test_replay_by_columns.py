"""What is said of many records at once is what is said of each alone, whatever somebody changed in one."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import compare
from pytest_verdict.cli.replay import tally_of
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import FEW_PIECES, replay_line, replay_piece
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.report.records_file import RecordsFile
from test_rewriting import lines_of

pytest.importorskip("pyarrow")
from pytest_verdict.core.replay_by_columns import replayed_by_columns

MANY = 130
ROWS = Evaluator("exact", {"expected": "$.t", "observed": "$.o"}, threshold=0.5)
LITERAL = Evaluator("contains_any", {"observed": "$.o", "substrings": {"literal": ["a", "b"]}})
KINDS = {
    "text": lambda number: compare("exact", "Paris", f"Paris{'é' * (number % 2)}"),
    "named": lambda number: compare("exact", "a", "ab"[number % 2], name=f"row {number}"),
    "surfaces": lambda number: compare("normalized_exact", f"Pa {number}", f" PA {number // 2 * 2}"),
    "a list": lambda number: compare("contains_any", ["fox", "hen"], f"a {('fox', 'cow')[number % 2]} {number}"),
    "settings": lambda number: compare("one_of", None, "xyz"[number % 2], values=["x", "z"]),
    "numbers": lambda number: compare("numeric_tolerance", 100, 100 + number % 2 * 20, tolerance=0.05),
    "truth": lambda number: compare("boolean", number % 2 == 0, True),
    "threshold": lambda number: compare("exact", "a", "ab"[number % 2], 0.25),
    "negated": lambda number: run(REGISTRY.build("exact", {}), "a", "ab"[number % 2], negated=True),
    "extracted": lambda number: ROWS.compare({"t": f"{number}", "o": f"{number // 2 * 2}"}),
}


def altered(line):
    for at in range(len(line) - 1):
        yield from (line[:at] + byte + line[at + 1 :] for byte in (b"", b"0"))


def found_between(good, others):
    """Read as many of the others at once as can be; one that cannot be read leaves no answer for all that are with it."""
    found = replayed_by_columns([*good, *others])
    if found[0] is not None or len(others) == 1:
        return found[len(good) :]
    half = len(others) // 2
    return found_between(good, others[:half]) + found_between(good, others[half:])


@pytest.mark.parametrize("kind", KINDS)
def test_every_byte_counts_the_same(kind):
    good = lines_of(*map(KINDS[kind], range(MANY)))
    assert replayed_by_columns(good) == [replay_line(line) for line in good]
    others = list(altered(good[2]))
    found = found_between(good, others)
    assert any(found)
    assert [answer or replay_line(other) for answer, other in zip(found, others, strict=True)] == list(
        map(replay_line, others)
    )


@pytest.mark.parametrize(
    "operator", ["exact", "normalized_exact", "contains_all", "literal", "one_of", "numeric_exact"]
)
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_evidence_comes_out_as_one_by_one(operator, data):
    text = st.text(max_size=6) | st.sampled_from(
        ["İ", "ς", "\0", '"', "\\", "\ud800", "😀", "+1", "01", "1e5", " a ", "NaN"]
    )
    values = data.draw(st.lists(text | st.integers() | st.none() | st.booleans(), min_size=1, max_size=6))
    other = st.sampled_from(values)
    if operator == "one_of":
        other = st.lists(text, min_size=1, max_size=2)
    pairs = data.draw(st.lists(st.tuples(other, st.sampled_from(values)), min_size=1, max_size=4)) * MANY
    lines = lines_of(*(compare(operator, *pair) for pair in pairs))
    found = replayed_by_columns(lines)
    expected = [replay_line(line) for line in lines]
    assert all(answer in {None, one} for answer, one in zip(found, expected, strict=True))
    assert {answer.status for answer in expected} == {"identical"}


def test_tests_and_places_may_differ():
    lines = [lines_of(KINDS["named"](number), test=f'test "{number}"', line=number)[0] for number in range(MANY)]
    assert replayed_by_columns(lines) == [replay_line(line) for line in lines]
    assert len({answer.test for answer in replayed_by_columns(lines)}) == MANY


@pytest.mark.parametrize(
    ("member", "value"),
    [("id", "0123456789AB-1-1"), ("id", "x"), ("attempt", -1), ("ordinal", -5), ("line", -1), ("line", 10**30)],
)
def test_what_no_record_has_is_not_taken(member, value):
    lines = lines_of(*map(KINDS["text"], range(MANY)))
    record = json.loads(lines[7])
    lines[7] = json.dumps({**record, member: value}, separators=(",", ":")).encode() + b"\n"
    assert replayed_by_columns(lines)[7] is None
    assert replay_line(lines[7]).status != "identical" or member == "line"


def test_settings_that_the_sources_give_have_to_be_those_of_the_record():
    lines = lines_of(*(LITERAL.compare({"o": "ac"[number % 2]}) for number in range(MANY)))
    assert {answer.status for answer in replayed_by_columns(lines) if answer} == {"identical"}
    others = [line.replace(b'"substrings":["a","b"],"normalize"', b'"substrings":["a"],"normalize"') for line in lines]
    assert others != lines
    assert replayed_by_columns(others) == [None] * MANY
    assert {replay_line(line).status for line in others} == {"differs"}


def test_whoever_changed_most_of_a_run_is_found():
    lines = lines_of(*map(KINDS["text"], range(MANY)))
    wrong = [line.replace(b'"verdict":"fail"', b'"verdict":"pass"') for line in lines]
    assert [
        answer or replay_line(line) for answer, line in zip(replayed_by_columns(wrong), wrong, strict=True)
    ] == list(map(replay_line, wrong))


def test_several_operators_in_turn_are_told_apart():
    results = [KINDS[kind](number) for number in range(MANY) for kind in KINDS]
    lines = lines_of(*results)
    found = replayed_by_columns(lines)
    expected = [replay_line(line) for line in lines]
    assert all(answer in {None, one} for answer, one in zip(found, expected, strict=True))
    assert sum(answer is not None for answer in found) > len(lines) / 3


def test_nesting_and_what_is_no_record_leave_the_rest_to_others():
    lines = lines_of(*map(KINDS["text"], range(MANY)))
    deep = lines[3].replace(b'"notes":[]', b'"notes":' + b"[" * 20_000 + b"]" * 20_000)
    for strange in (deep, b"", b"\n", b"{}\n", b"[1]\n", b"\xff\n", lines[3] + lines[4], lines[3].strip()):
        mixed = [*lines[:80], strange, *lines[80:]]
        assert replay_piece(FEW_PIECES, mixed) == [replay_line(line) for line in mixed]


def test_long_files_are_read_by_columns_and_say_the_same(tmp_path):
    lines = lines_of(*map(KINDS["extracted"], range(MANY))) * 300
    (tmp_path / "records.jsonl").write_bytes(b"".join(lines))
    assert sum(map(len, lines)) > (FEW_PIECES + 2) << 20
    assert tally_of(RecordsFile(str(tmp_path / "records.jsonl"))).statuses == {"identical": len(lines)}


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_runs_in_any_order_keep_their_own_tests_and_places(data):
    run_of = st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from("ab"), st.integers(1, 2), st.integers(1, 90))
    lines = []
    for kind, test, line, count in data.draw(st.lists(run_of, min_size=1, max_size=6)):
        lines += lines_of(*map(KINDS[kind], range(count)), test=test, line=line)
    found = replayed_by_columns(lines)
    assert all(answer in {None, replay_line(line)} for answer, line in zip(found, lines, strict=True))


def test_a_run_between_records_of_another_test_keeps_its_test():
    around = lines_of(*[compare("exact", "a", "b")] * MANY, test="a")
    lines = [*around, *lines_of(*[compare("exact", "a", "a")] * MANY, test="b"), *around[::-1]]
    found = replayed_by_columns(lines)
    assert all(answer in {None, replay_line(line)} for answer, line in zip(found, lines, strict=True))
    mixed = [*lines[:1], *lines[MANY : 2 * MANY], *lines[1:2]]
    found = replayed_by_columns(mixed)
    assert all(answer in {None, replay_line(line)} for answer, line in zip(found, mixed, strict=True))


def test_without_pyarrow_each_record_is_derived_by_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytest_verdict.core.replay_by_columns", None)
    lines = lines_of(*map(KINDS["text"], range(MANY)))
    assert [*replay_piece(FEW_PIECES, lines)] == [replay_line(line) for line in lines]
