"""Two large runs: what they need in memory, and which of their comparisons are pairs when these have moved."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
import zipfile

import pytest

from pytest_verdict import compare
from pytest_verdict.runs import partitions
from pytest_verdict.runs.changes import diff_runs
from written_records import lines_of

# Few expected values and many; answers that differ among rows with one expected value.
LABELS = [compare("exact", "yes" if number % 3 else "no", "yes" if number % 4 else "no") for number in range(60)]
VALUES = [compare("exact", number, number if number % 5 else 0) for number in range(60)]
NAMED = [compare("exact", number % 2, number % 3, name=f"row {number}") for number in range(60)]
MIXED = [*LABELS[:20], *NAMED[:20], *VALUES[:20]]
KINDS = {"labels": LABELS, "values": VALUES, "named": NAMED, "mixed": MIXED}
MOVES = {
    "as before": lambda rows: rows,
    "reversed": lambda rows: rows[::-1],
    "first to the end": lambda rows: [*rows[1:], rows[0]],
    "halves swapped": lambda rows: [*rows[30:], *rows[:30]],
    "shuffled": lambda rows: random.Random(0).sample(rows, len(rows)),
    "one added in front": lambda rows: [compare("exact", "other", "other"), *rows],
    "one removed": lambda rows: rows[1:],
    "one altered in front": lambda rows: [compare("exact", 77, 78), *rows[1:]],
    "each a second time": lambda rows: [*rows, *rows],
}


def summarize(difference):
    changes = sorted(
        (change.kind.word, str(change.comparison.name), change.comparison.expected) for change in difference.changes
    )
    return changes, difference.pair_count


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_that_moved_are_paired_as_in_memory(write, monkeypatch, kind, move):
    old = write("old", *KINDS[kind])
    new = write("new", *MOVES[move](KINDS[kind]))
    in_memory = summarize(diff_runs(old, new))
    monkeypatch.setattr(partitions, "_LARGE", 0)
    assert summarize(diff_runs(old, new)) == in_memory


@pytest.mark.parametrize("kind", ["values", "named"])
@pytest.mark.parametrize("move", ["reversed", "first to the end", "halves swapped", "shuffled"])
def test_comparisons_that_only_moved_are_no_changes(write, monkeypatch, kind, move):
    old = write("old", *KINDS[kind])
    new = write("new", *MOVES[move](KINDS[kind]))
    monkeypatch.setattr(partitions, "_LARGE", 0)
    monkeypatch.setattr(partitions, "_MOST_CHANGES", 0)
    assert summarize(diff_runs(old, new)) == ([], 60)


def bundle(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("records.jsonl", content)


FORMS = {
    "records.jsonl": lambda path, content: path.write_bytes(content),
    "records.jsonl.gz": lambda path, content: path.write_bytes(gzip.compress(content)),
    "records.zip": bundle,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("expected", ["one label", "many values"])
def test_memory_is_bounded_by_the_lines_of_a_run_and_not_by_its_file(tmp_path, monkeypatch, form, expected):
    """A compressed file may be a thousandth of its lines."""
    old, new = tmp_path / f"old-{form}", tmp_path / f"new-{form}"
    texts = [f"{number if expected == 'many values' else ''}{'x' * 3_000}" for number in range(2_000)]
    rows = [compare("exact", text, text) for text in texts]
    content = lines_of(rows)
    FORMS[form](old, content)
    FORMS[form](new, lines_of([compare("exact", 1, 1), *rows[::-1]]))
    del rows, texts
    monkeypatch.setattr(partitions, "_LARGE", 0)
    tracemalloc.start()
    try:
        assert diff_runs(old, new).pair_count == 2_000
        assert tracemalloc.get_traced_memory()[1] < len(content)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("form", FORMS)
def test_small_runs_are_compared_in_memory(tmp_path, monkeypatch, form):
    path = tmp_path / form
    content = lines_of(VALUES)
    FORMS[form](path, content)
    monkeypatch.setattr(partitions, "_LARGE", len(content))
    assert partitions.read_partitioned(path, path) is None
    monkeypatch.setattr(partitions, "_LARGE", len(content) - 1)
    assert partitions.read_partitioned(path, path) is not None


def test_changes_that_are_too_many_are_refused(write, monkeypatch, command):
    old, new = write("old", *VALUES), write("new", *(compare("exact", number, -1) for number in range(60)))
    monkeypatch.setattr(partitions, "_LARGE", 0)
    monkeypatch.setattr(partitions, "_MOST_CHANGES", 40)
    status, _, problem = command("diff", old, new)
    assert status == 2
    assert "more than 40 comparisons differ" in problem
    monkeypatch.setattr(partitions, "_MOST_CHANGES", 60)
    status, out, _ = command("diff", old, new, "--format", "json")
    assert (status, json.loads(out)["counts"]) == (1, {"regressed": 49})
