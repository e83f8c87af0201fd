"""The text that a test says where it fails: first in the block, whichever way is taken, and in no record."""

from __future__ import annotations

import copy
import pickle

import pytest
from test_failure_block import BLOCK, HEAD, blocks

from pytest_verdict import ConfigurationError, UndecidedError, assert_matches, compare, expect

SIDES = '"normalized_exact", "Paris", " PARIS!"'
WAYS = {
    "assert_matches": f"assert_matches({SIDES}, message=TEXT)",
    "compare": f"assert compare({SIDES}, message=TEXT)",
    "expect": 'assert " PARIS!" == expect("normalized_exact", "Paris", message=TEXT)',
    "comparator": f"comparator.assert_matches({SIDES}, message=TEXT)",
    "collect": f"with comparator.collect():\n        comparator({SIDES}, message=TEXT)",
    "an operator": 'assert_matches(NormalizedExact(), "Paris", " PARIS!", message=TEXT)',
}
TEXT = "the capital\x1b[2J of\nFrance <&>]]>"
SHOWN = ["the capital\\x1b[2J of", "France <&>]]>"]


def module(text: str) -> str:
    tests = [f"def test_{number}(comparator):\n    {way}\n" for number, way in enumerate(WAYS.values())]
    return f"{HEAD}from pytest_verdict.operators import NormalizedExact\nTEXT = {text!r}\n" + "\n".join(tests)


@pytest.mark.parametrize(
    "args",
    [[], ["--assert=plain"], pytest.param(["-n2"], marks=pytest.mark.ci)],
    ids=["default", "plain asserts", "workers"],
)
def test_message_is_the_first_line_of_the_block(harness, args):
    run = harness.run(module(TEXT), *args)
    assert run.outcomes == {"failed": len(WAYS)}
    assert "\x1b" not in run.stdout
    found = blocks(run.stdout)
    assert len(found) == len(WAYS)
    for block in found:
        assert block.splitlines()[: 2 + len(BLOCK)] == [*SHOWN, *BLOCK], block


@pytest.mark.ci
def test_message_is_not_recorded(harness):
    written = [harness.run(module(text), "--verify-report").records_bytes for text in ("the capital", "another text")]
    assert written[0] == written[1]
    assert b"the capital" not in written[0]


def test_message_is_copied_and_does_not_affect_equality():
    told, silent = (compare("exact", 1, 2, message=text) for text in ("one is not two", None))
    assert told == silent
    assert hash(told) == hash(silent)
    assert (told.message, silent.message) == ("one is not two", None)
    assert [found.message for found in (copy.copy(told), pickle.loads(pickle.dumps(told)))] == [told.message] * 2
    assert compare("exact", 1, 1, message="never seen").passed


def test_message_is_shown_for_an_error():
    with pytest.raises(UndecidedError, match=r"^the pattern is wrong\nregex: "):
        bool(compare("regex", "(", "a", message="the pattern is wrong"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: compare("exact", 1, 1, message=3),
        lambda: assert_matches("exact", 1, 1, message=["a"]),
        lambda: expect("exact", 1, message=b"a"),
    ],
)
def test_message_must_be_text(call):
    with pytest.raises(ConfigurationError, match="message is a text or None, got "):
        call()
