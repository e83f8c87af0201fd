"""Every way of asserting prints the same block, and shows the user's line, not ours."""

from __future__ import annotations

import textwrap

import pytest

WAYS = {
    "assert_matches": 'assert_matches("normalized_exact", "Paris", " PARIS!")',
    "compare": 'assert compare("normalized_exact", "Paris", " PARIS!")',
    "expect": 'assert " PARIS!" == expect("normalized_exact", "Paris")',
    "reversed": 'assert expect("normalized_exact", "Paris") == " PARIS!"',
    "collect": 'with comparator.collect():\n        comparator.assert_matches("normalized_exact", "Paris", " PARIS!")',
    "passed": 'result = compare("normalized_exact", "Paris", " PARIS!")\n    assert result.passed',
    "unittest": 'unittest.TestCase().assertTrue(compare("normalized_exact", "Paris", " PARIS!"))',
    "several lines": 'assert compare(\n        "normalized_exact",\n        "Paris",\n        " PARIS!",\n    )',
}
BLOCK = [
    "normalized_exact: expected 'Paris', got ' PARIS!'",
    "  expected surface: 'paris'",
    "  observed surface: 'paris!'",
    "                          ^",
    "  normalization: lowercase, strip, collapse_whitespace",
]
HEAD = "import unittest\nfrom pytest_verdict import assert_matches, compare, expect\n"


def module(*ways: str) -> str:
    tests = [f"def test_{number}(comparator):\n    {WAYS[way]}\n" for number, way in enumerate(ways)]
    return HEAD + "\n".join(tests)


def blocks(stdout: str) -> list[str]:
    """The explained lines of each failure, in order."""
    failures = stdout.split("= FAILURES =")[1].split("short test summary", maxsplit=1)[0]
    parts = failures.split("\n____")[1:]
    texts = ["\n".join(line[1:] for line in part.splitlines() if line.startswith("E   ")) for part in parts]
    return [textwrap.dedent(text) for text in texts]


@pytest.mark.parametrize(
    ("args", "ci"),
    [([], False), (["--assert=plain"], False), (["-vv"], False), ([], True), (["--verify-report"], False)],
    ids=["default", "plain asserts", "verbose", "on CI", "with a report"],
)
def test_every_call_prints_the_same_block(harness, monkeypatch, args, ci):
    if ci:
        monkeypatch.setenv("CI", "1")
    run = harness.run(module(*WAYS), *args)
    assert run.outcomes == {"failed": len(WAYS)}
    found = blocks(run.stdout)
    assert len(found) == len(WAYS)
    for way, block in zip(WAYS, found, strict=True):
        assert block.splitlines()[: len(BLOCK)] == BLOCK, (way, block)


@pytest.mark.parametrize("way", ["assert_matches", "compare", "expect", "collect"])
def test_traceback_ends_in_the_users_line(harness, way):
    run = harness.run(module(way))
    assert f">       {WAYS[way].splitlines()[0].strip()}" in run.stdout.replace("\t", "    ")
    shown = run.stdout.split("= FAILURES =")[1].split("short test summary")[0]
    assert "comparison.py" not in shown
    assert "comparator.py" not in shown
    assert "contextlib" not in shown


def test_allowed_failure_is_not_blamed(harness):
    run = harness.run(
        HEAD + "def test_it():\n    wrong = compare('exact', 'blamed', 'b')\n    other = 1\n    assert other == 2\n"
    )
    assert "blamed" not in run.stdout.split("FAILURES")[1].replace("wrong = compare('exact', 'blamed', 'b')", "")


def test_soft_failures_are_shown_if_body_raises(harness):
    run = harness.run(
        HEAD
        + "def test_it(comparator):\n"
        + "    with comparator.collect():\n"
        + "        comparator.assert_matches('exact', 'one', 1)\n"
        + "        comparator.assert_matches('exact', 'two', 2)\n"
        + "        raise KeyError('lost?')\n"
    )
    assert "E           KeyError: 'lost?'" in run.stdout
    assert "2 failed, " in run.stdout
    assert run.stdout.count("exact: expected 'two', got ") == 1


def test_nested_collect_keeps_its_own_failures(harness):
    run = harness.run(
        HEAD
        + "def test_it(comparator):\n"
        + "    with comparator.collect():\n"
        + "        with comparator.collect():\n"
        + "            pass\n"
        + "        comparator.with_defaults(threshold=0.5).assert_matches('exact', 'lost?', 2)\n"
        + "        comparator.assert_matches('exact', 'second', 2)\n"
    )
    assert run.outcomes == {"failed": 1}
    assert "E       exact: expected 'lost?'" in run.stdout
    assert "E       exact: expected 'second'" in run.stdout


MISTAKES = {
    "no operator": ("assert_matches('exct', 1, 1)", "Did you mean 'exact'?"),
    "no setting": ("compare('numeric_tolerance', 1, 1, tolerence=1)", "Did you mean 'tolerance'?"),
    "no threshold": ("assert 1 == expect('exact', 1, threshold=7)", "threshold must be in (0, 1], got 7"),
    "comparator": ("comparator.assert_matches('exact', 1, 1, name=3)", "name is a text or None, got 3"),
    "operator": ("NumericTolerance(tolerance=-1)", "numeric_tolerance: tolerance"),
}


@pytest.mark.parametrize(("line", "message"), MISTAKES.values(), ids=MISTAKES)
def test_user_mistake_shows_only_the_users_line(harness, line, message):
    head = HEAD + "from pytest_verdict.operators import NumericTolerance\n"
    run = harness.run(head + f"def test_it(comparator):\n    {line}\n")
    assert message in run.stdout
    assert f">       {line}" in run.stdout
    assert "pytest_verdict/" not in run.stdout


@pytest.mark.ci
def test_full_trace_shows_our_lines(harness):
    run = harness.run(HEAD + "def test_it():\n    assert_matches('exct', 1, 1)\n", "--full-trace")
    assert "comparison.py" in run.stdout


def test_internal_error_shows_whole_traceback(harness):
    run = harness.run(
        HEAD
        + "import pytest_verdict.core.kernel\n"
        + "def test_it(monkeypatch):\n"
        + "    monkeypatch.setattr(pytest_verdict.core.kernel, 'ComparisonResult', None)\n"
        + "    assert_matches('exact', [1], [1], threshold=1.0)\n"
    )
    assert "TypeError: 'NoneType' object is not callable" in run.stdout
    assert "kernel.py" in run.stdout
    assert "return ComparisonResult(" in run.stdout


@pytest.mark.parametrize(
    "statement",
    [
        'assert compare("exact", "Paris", "paris")',
        'assert "paris" == expect("exact", "Paris")',
        'self.assertTrue(compare("exact", "Paris", "paris"))',
        'assert_matches("exact", "Paris", "paris")',
    ],
)
def test_unittest_prints_the_block(harness, statement):
    run = harness.run(
        HEAD
        + f"class TestPlain(unittest.TestCase):\n    def test_it(self):\n        {statement}\n"
        + f"class TestAsync(unittest.IsolatedAsyncioTestCase):\n    async def test_it(self):\n        {statement}\n"
    )
    assert run.outcomes == {"failed": 2}
    for block in blocks(run.stdout):
        assert block.count("exact: expected 'Paris', got 'paris'") == 1
        assert block.count("  normalization: none\n") == 1


STRANGE = """
from pytest_verdict import compare

class Meta(type):
    @property
    def __module__(cls): raise RuntimeError("of no module")

class Refusing(metaclass=Meta): pass

class Nowhere:
    __module__ = None

class WithoutNotes(AssertionError):
    __notes__ = None

class RefusingNotes(AssertionError):
    def add_note(self, note): raise TypeError("no notes")

def test_values():
    values = refusing, nowhere = Refusing(), Nowhere()
    assert compare("exact", "Paris", "paris")

def test_errors_without_notes():
    if not (result := compare("exact", "Paris", "paris")):
        raise WithoutNotes(result)

def test_errors_that_refuse_notes():
    if not (result := compare("exact", "Paris", "paris")):
        raise RefusingNotes(result)
"""


def test_strange_classes_do_not_end_the_session(harness):
    run = harness.run(STRANGE)
    assert run.outcomes == {"failed": 3}
    assert "INTERNALERROR" not in run.output
    assert "exact: expected 'Paris', got 'paris'" in blocks(run.stdout)[0]
