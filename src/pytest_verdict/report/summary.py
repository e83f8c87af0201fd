"""The summary: a journal folded into what reports say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from pytest_verdict.report.counts import Counts, added, merge_counts
from pytest_verdict.report.journal import Journal, TestEntry

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished")
VERDICTS: Final = ("pass", "fail", "error")
NOT_GREEN: Final = {"failed", "error", "unfinished"}


class TestSummary:
    """One test, all its attempts together.

    Args:
        attempts: All attempts in order, at least one.

    Attributes:
        final: The last attempt; its comparisons count.
        earlier: The attempts before it, in order.
        decisive: The attempt that says what came of the test: the last, unless an earlier one failed and was not a rerun.
        comparisons: How many comparisons of the last attempt passed, failed, and could not be made.
        seconds: How long the last attempt took.
    """

    __test__ = False
    __slots__ = ("attempts", "comparisons", "decisive", "final", "seconds")

    def __init__(self, attempts: Sequence[TestEntry]) -> None:
        self.attempts = attempts
        self.final = attempts[-1]
        self.decisive = self.final if len(attempts) == 1 else _decisive(attempts)
        self.comparisons = added(self.final.comparisons)
        self.seconds = self.final.microseconds / 1_000_000

    @property
    def earlier(self) -> Sequence[TestEntry]:
        """The attempts before the last, in order."""
        return self.attempts[:-1]


@dataclass(slots=True)
class Summary:
    """A session.

    Args:
        tests: Every test that ran, in the order of collection.
        operators: Counts per operator over the last attempts.
        outcomes: How many tests had which outcome, that of their decisive attempt.
        superseded: How many comparisons of the attempts before the last passed, failed, and could not be made.
        missing: How many collected tests left nothing.
        finished: Whether the session came to its end.
        subtests: How many native subtests of the last attempts had which outcome.
    """

    tests: list[TestSummary]
    operators: Counts
    outcomes: Counter[str]
    superseded: tuple[int, int, int]
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


def _decisive(attempts: Sequence[TestEntry]) -> TestEntry:
    # pytest-xdist runs a whole file or class again of which one test crashed, and pytest has counted that failure.
    *earlier, final = attempts
    if final.outcome not in NOT_GREEN:
        return next((entry for entry in reversed(earlier) if entry.outcome in {"failed", "error"}), final)
    return final


# Exit statuses of pytest: interrupted, internal error, usage error.
_INTERRUPTED: Final = (2, 3, 4)


def summarize(journal: Journal) -> Summary:
    """Fold a journal.

    Args:
        journal: A journal that was read back.

    Returns:
        What reports say; it does not depend on the order in which tests ran.
    """
    tests = _by_test(journal)
    operators = _merged(test.final for test in tests)
    return Summary(
        tests,
        dict(sorted(operators.items())),
        Counter(test.decisive.outcome for test in tests),
        added(_merged(entry for test in tests for entry in test.earlier)),
        len(set(journal.order) - {test.final.test for test in tests}),
        _came_to_its_end(journal),
        sum((Counter(test.final.subtests) for test in tests if test.final.subtests), Counter()),
    )


def _came_to_its_end(journal: Journal) -> bool:
    if journal.footer is None:
        return False
    return journal.run.get("exit_status") not in _INTERRUPTED


def _merged(entries: Iterable[TestEntry]) -> Counts:
    counts: Counts = {}
    for entry in entries:
        merge_counts(counts, entry.comparisons)
    return counts


def _by_test(journal: Journal) -> list[TestSummary]:
    position = {test: index for index, test in enumerate(journal.order)}
    last = len(position)
    found: dict[tuple[int, str, str], list[TestEntry]] = {}
    for entry in sorted(journal.entries, key=attrgetter("attempt")):
        found.setdefault((position.get(entry.test, last), entry.test, entry.worker), []).append(entry)
    return [TestSummary(found[place]) for place in sorted(found)]
