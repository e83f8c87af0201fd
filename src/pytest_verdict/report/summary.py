"""The summary: a journal folded into what reports say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pytest_verdict.report.journal import Counts, Journal, TestEntry, merge_counts

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished")
VERDICTS: Final = ("pass", "fail", "error")


@dataclass(slots=True)
class TestSummary:
    """One test, all its attempts together.

    Args:
        final: The last attempt, which alone counts.
        earlier: The attempts before it, in order.
    """

    __test__ = False

    final: TestEntry
    earlier: list[TestEntry] = field(default_factory=list)

    @property
    def attempts(self) -> list[TestEntry]:
        """All attempts in order."""
        return [*self.earlier, self.final]

    @property
    def comparisons(self) -> tuple[int, int, int]:
        """How many comparisons of the last attempt passed, failed, and could not be made."""
        return added(self.final.comparisons)

    @property
    def seconds(self) -> float:
        """How long the last attempt took."""
        return sum(self.final.seconds.values())


@dataclass(slots=True)
class Summary:
    """A session.

    Args:
        tests: Every test that ran, in the order of collection.
        operators: Counts per operator over the last attempts.
        outcomes: How many tests had which outcome.
        superseded: How many comparisons belong to attempts before the last.
        missing: How many collected tests left nothing.
        finished: Whether the session came to its end.
        subtests: How many native subtests of the last attempts had which outcome.
    """

    tests: list[TestSummary]
    operators: Counts
    outcomes: Counter[str]
    superseded: int
    missing: int
    finished: bool
    subtests: Counter[str]

    @property
    def comparisons(self) -> tuple[int, int, int]:
        """How many comparisons of the last attempts passed, failed, and could not be made."""
        return added(self.operators)

    @property
    def complete(self) -> bool:
        """Whether the session came to its end and every collected test ended."""
        return self.finished and not self.missing and not self.outcomes["unfinished"]

    def attempts(self) -> Iterator[TestEntry]:
        """Give every attempt of every test, in the order of the report."""
        for test in self.tests:
            yield from test.attempts


def added(counts: Counts) -> tuple[int, int, int]:
    """Add counts over all operators.

    Args:
        counts: Counts per operator.

    Returns:
        How many comparisons passed, failed, and could not be made.
    """
    passed = failed = broken = 0
    for of_operator in counts.values():
        passed += of_operator[0]
        failed += of_operator[1]
        broken += of_operator[2]
    return passed, failed, broken


def summarize(journal: Journal) -> Summary:
    """Fold a journal.

    Args:
        journal: A journal that was read back.

    Returns:
        What reports say; it does not depend on the order in which tests ran.
    """
    tests = _by_test(journal)
    operators: Counts = {}
    for test in tests:
        merge_counts(operators, test.final.comparisons)
    return Summary(
        tests,
        dict(sorted(operators.items())),
        Counter(test.final.outcome for test in tests),
        sum(sum(added(entry.comparisons)) for test in tests for entry in test.earlier),
        len(set(journal.order) - {test.final.test for test in tests}),
        journal.footer is not None,
        sum((Counter(test.final.subtests) for test in tests if test.final.subtests), Counter()),
    )


def _by_test(journal: Journal) -> list[TestSummary]:
    position = {test: index for index, test in enumerate(journal.order)}
    last = len(position)
    found: dict[tuple[int, str, str], TestSummary] = {}
    for entry in sorted(journal.entries, key=lambda entry: entry.attempt):
        key = position.get(entry.test, last), entry.test, entry.worker
        known = found.get(key)
        found[key] = TestSummary(entry) if known is None else TestSummary(entry, known.attempts)
    return [found[key] for key in sorted(found)]
