"""The Merkle root of a manifest is that of its records in one file, whatever the sizes of the parts."""

from __future__ import annotations

import hashlib
import json
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.merkle import build_subtrees, leaves_of, subtree_sizes
from pytest_verdict.datasets.units import ScoredRows, join_rows
from pytest_verdict.errors import RecordError
from pytest_verdict.report.manifest import Part, build_manifest, read_manifest, write_manifest

SIZES = st.lists(st.integers(1, 40) | st.sampled_from([64, 256]), min_size=1, max_size=8)
GATE = b'{"record":1,"operator":"pass_rate","verdict":"pass"}'


def part_of(before, rows):
    lines = [b"%d" % number for number in range(before, before + rows)]
    subtrees = tuple(root.hex() for root in build_subtrees(before, leaves_of(lines)))
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    name = f"parts/part-{before:012}-{digest[:32]}.jsonl.gz"
    return Part(name, digest, before, rows, {"exact": (rows, 0, 0)}, subtrees)


def parts_of(sizes):
    return [part_of(start, stop - start) for start, stop in pairwise(accumulate(sizes, initial=0))]


def root_of(lines):
    """The hash of a Merkle tree as RFC 9162, section 2.1.1, defines it."""
    if len(lines) < 2:
        return hashlib.sha256(b"\x00" + lines[0] if lines else b"").digest()
    left = 1 << (len(lines) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + root_of(lines[:left]) + root_of(lines[left:])).digest()


@given(SIZES)
def test_the_root_is_that_of_one_file(sizes):
    manifest = build_manifest({"name": "rows"}, parts_of(sizes), {}, GATE)
    assert manifest.root == root_of([b"%d" % number for number in range(sum(sizes))]).hex()
    assert manifest.root == build_manifest({"name": "rows"}, parts_of([sum(sizes)]), {}, GATE).root
    assert (manifest.records, manifest.counts) == (sum(sizes), {"exact": (sum(sizes), 0, 0)})


@given(st.integers(0, 1 << 40), st.integers(0, 1 << 40))
def test_subtrees_are_complete_begin_at_multiples_and_are_few(before, count):
    sizes = list(subtree_sizes(before, count))
    assert sum(sizes) == count
    assert all(size & (size - 1) == 0 for size in sizes)
    assert all(start % size == 0 for start, size in zip(accumulate(sizes, initial=before), sizes, strict=False))
    assert len(sizes) <= 2 * count.bit_length()


def test_a_part_of_a_power_of_two_is_one_subtree():
    assert list(subtree_sizes(5 << 17, 1 << 17)) == [1 << 17]


@given(SIZES)
def test_a_manifest_is_read_as_it_was_written(sizes):
    manifest = build_manifest({"name": "rows"}, parts_of(sizes), {"operator": "exact"}, GATE)
    assert read_manifest("".join(write_manifest(manifest)).encode(), "here") == manifest


@given(SIZES, SIZES, SIZES)
def test_joining_is_associative(one, two, three):
    rows = [ScoredRows(part.before, (part,), 1, (f"{part.before}",)) for part in parts_of([*one, *two, *three])]
    middle = [*rows[: len(one)]], [*rows[len(one) : len(one) + len(two)]], [*rows[len(one) + len(two) :]]
    left, center, right = map(join_rows, middle)
    whole = join_rows(rows)
    assert join_rows([join_rows([left, center]), right]) == join_rows([left, join_rows([center, right])]) == whole
    assert whole.rows == sum((*one, *two, *three))


def test_rows_of_distant_units_are_refused():
    with pytest.raises(ValueError, match="rows up to 3 are followed by those from 5"):
        join_rows([ScoredRows(0, (part_of(0, 3),)), ScoredRows(4, (part_of(4, 3),))])


def _first(name, value):
    return lambda document: document["parts"][0].update({name: value})


WRONG = {
    "no JSON": (lambda _: "{", "this is no manifest of pytest-verdict"),
    "a list": (lambda _: [], "this is no manifest of pytest-verdict"),
    "a later format": (lambda document: document.update(manifest=2), "manifest: Input should be 1"),
    "no parts": (lambda document: document.pop("parts"), "parts: Field required"),
    "a text for a number": (lambda document: document.update(records="7"), "records: Input should be a valid integer"),
    "a name outside": (_first("file", "../secret"), "'../secret' is no name of a part"),
    "an absolute name": (_first("file", "/etc/passwd"), "is no name of a part"),
    "a name above": (_first("file", "parts/../report.json"), "is no name of a part"),
    "another suffix": (_first("file", f"parts/part-{0:012}-{'a' * 32}.json"), "is no name of a part"),
    "listed twice": (
        lambda document: document["parts"].insert(1, document["parts"][0]),
        "does not follow those before it",
    ),
    "in another order": (lambda document: document["parts"].reverse(), "does not follow those before it"),
    "left out": (lambda document: document["parts"].pop(0), "does not follow those before it"),
    "empty": (_first("records", 0), "does not follow those before it"),
    "negative": (_first("records", -1), "does not follow those before it"),
    "longer": (_first("records", 4), "does not follow those before it"),
    "a subtree less": (_first("subtrees", []), "does not follow those before it"),
    "no counts": (lambda document: document["parts"][0].pop("counts"), "parts.0.counts: Field required"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_manifest_that_no_run_has_written_is_refused(name):
    change, message = WRONG[name]
    document = json.loads("".join(write_manifest(build_manifest({"name": "rows"}, parts_of([3, 4]), {}, GATE))))
    changed = change(document)
    content = changed if isinstance(changed, str) else json.dumps([] if changed == [] else document)
    with pytest.raises(RecordError, match=message):
        read_manifest(content.encode(), "here")
