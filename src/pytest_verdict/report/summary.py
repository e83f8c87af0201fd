"""The summary: a journal folded into what reports need; the contents: what the writers of a report get."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.record import Counts, digest_of_test, merge_counts, names_operator, read_id, summed
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.journal import Journal, TestEntry

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished")
PASSED: Final = "passed"
VERDICTS: Final = ("pass", "fail", "error")
NOT_GREEN: Final = {"failed", "error", "unfinished"}


def counts_text(counts: tuple[int, int, int]) -> str:
    """Write counts as ``1 pass, 0 fail, 0 error``."""
    return ", ".join([f"{number} {verdict}" for number, verdict in zip(counts, VERDICTS, strict=True)])


class TestSummary:
    """One test, all its attempts together."""

    __test__ = False
    __slots__ = ("attempts", "comparisons", "decisive", "final", "seconds")

    def __init__(self, attempts: Sequence[TestEntry]) -> None:
        self.attempts = attempts
        self.final = attempts[-1]
        self.decisive = self.final if len(attempts) == 1 else _decisive(attempts)
        self.comparisons = summed(self.final.comparisons)
        self.seconds = self.final.microseconds / 1_000_000

    @property
    def earlier(self) -> Sequence[TestEntry]:
        """The attempts before the last, in order."""
        return self.attempts[:-1]


@dataclass(slots=True)
class Summary:
    """A session."""

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
        return summed(self.operators)

    @property
    def expected_by_tests(self) -> int:
        """How many comparisons did not pass in tests that passed, and so looked at them and accepted them."""
        return sum(sum(test.comparisons[1:]) for test in self.tests if test.decisive.outcome == PASSED)

    @property
    def complete(self) -> bool:
        """Whether the session came to its end and every collected test ended."""
        return self.finished and not self.missing and not self.outcomes["unfinished"]

    def attempts(self) -> Iterator[TestEntry]:
        """Return every attempt of every test, in the order of the report."""
        for test in self.tests:
            yield from test.attempts


@dataclass(frozen=True, slots=True)
class Contents:
    """A session; all text is redacted already.

    Args:
        summary: All tests with their outcomes and counts.
        run: Times and environment, which differ from session to session.
        records: The path, number, SHA-256 and Merkle root of the records.
        inline: Lines of ``records.jsonl`` for a file that shows records; those that did not pass are chosen first.
        omitted: How many records are not among them.
        profile: The JUnit profile, ``ci`` or ``strict``.
        roots: The Merkle root over the records of each test, in the order of the summary.
        sections: What families derived from the records.
    """

    summary: Summary
    run: Mapping[str, Any]
    records: Mapping[str, Any]
    inline: Sequence[bytes]
    omitted: int
    profile: str
    roots: Sequence[str]
    sections: Mapping[str, Any] = field(default_factory=dict)


def _decisive(attempts: Sequence[TestEntry]) -> TestEntry:
    # pytest-xdist runs a file or class again in which a test crashed, and pytest has counted that failure.
    *earlier, final = attempts
    if final.outcome not in NOT_GREEN:
        return next((entry for entry in reversed(earlier) if entry.outcome in {"failed", "error"}), final)
    return final


# Exit statuses of pytest: interrupted, internal error, usage error.
_INTERRUPTED: Final = (2, 3, 4)


def summarize(journal: Journal) -> Summary:
    """Fold a journal."""
    tests = _by_test(journal)
    missing = len(set(journal.order) - {test.final.test for test in tests})
    return fold(tests, missing, finished=journal.footer is not None and has_ended(journal.run))


def has_ended(run: Mapping[str, Any]) -> bool:
    """Say whether a session came to its end."""
    return run.get("exit_status") not in _INTERRUPTED


def fold(tests: list[TestSummary], missing: int, *, finished: bool) -> Summary:
    """Count what came out of all tests."""
    operators = _merged(test.final for test in tests)
    return Summary(
        tests,
        dict(sorted(operators.items())),
        Counter(test.decisive.outcome for test in tests),
        summed(_merged(entry for test in tests for entry in test.earlier)),
        missing,
        finished,
        sum((Counter(test.final.subtests) for test in tests if test.final.subtests), Counter()),
    )


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


def decisive_records(records: Path, summary: Summary, operator: str | None = None) -> Iterator[dict[str, Any]]:
    """Read the records of the last attempt of each test; of one operator where it is named."""
    finals = {(digest_of_test(one.final.test, one.final.worker), str(one.final.attempt)) for one in summary.tests}
    with open_records(records) as file:
        for line in file:
            is_candidate = operator is None or names_operator(line, operator)
            if is_candidate and tuple(read_id(line).split("-")[:2]) in finals:
                record = json.loads(line)
                if operator in {None, record.get("operator")}:
                    yield record


def derived_sections(asked: Mapping[str, Any], summary: Summary, records: Path) -> dict[str, Any]:
    """Derive those members of ``report.json`` that families bring and the session asked for."""
    places = FAMILIES.own("report_sections")
    found = {name: load(places[name])(asked[name], summary, records) for name in sorted({*places} & {*asked})}
    return {name: section for name, section in found.items() if section}
