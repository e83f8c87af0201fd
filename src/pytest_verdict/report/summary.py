"""The summary of a session, computed from its journal; the contents that the writers of a report receive; gates as text."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.record import Counts, digest_of_test, merge_counts, names_operator, read_id, sum_counts
from pytest_verdict.core.record_members import MEMBER
from pytest_verdict.core.values.display import format_count, shown, visible
from pytest_verdict.report.compression import open_records
from pytest_verdict.report.journal import Journal, TestEntry

OUTCOMES: Final = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "unfinished")
PASSED: Final = "passed"
VERDICTS: Final = ("pass", "fail", "error")
NOT_GREEN: Final = {"failed", "error", "unfinished"}
# Exit statuses of pytest: interrupted, internal error, usage error.
_ABNORMAL_EXITS: Final = (2, 3, 4)

# The verdicts of a gate.
MET: Final = "met"
MISSED: Final = "missed"
UNDECIDED: Final = "error"
INCOMPLETE: Final = "the session, or one of its tests, did not come to its end"
_SAME_FAILURE: Final = ("operator", "settings", "threshold", "negated", "expected", "observed")
MOST_NAMES: Final = 3
"""The most names of equal failures that a face shows."""
_MOST_LISTED: Final = 8
_LONGEST_NAME: Final = 200

# Operators that decide over other comparisons, or count them.
_DECISIONS: Final = frozenset({"pass_rate", "row_count"})

# Why a session is a part, by the member of its selection.
_LEFT_OUT: Final = {
    "node_ids": "tests were named",
    "narrowed": "files were named (testpaths says which are all)",
    "last_failed": "--last-failed",
    "overridden": "-o of what is collected",
    "ignored": "--ignore",
}


def is_answer(operator: str) -> bool:
    """Return whether comparisons of an operator are answers; decisions over rows and repeats count in no rate."""
    return operator not in _DECISIONS


def counts_text(counts: tuple[int, int, int]) -> str:
    """Format counts as ``1 pass, 0 fail, 0 error``."""
    return ", ".join([f"{number} {verdict}" for number, verdict in zip(counts, VERDICTS, strict=True)])


def rate_text(passed: int, total: int) -> str:
    """Format a share in percent, rounded down, so that only all of them are 100 %."""
    return f"{passed * 1_000 // total / 10:g} %" if total else "0 %"


def name_comparison(record: Mapping[str, Any]) -> str:
    """Return the test of a comparison, the place of the call, and the name of the comparison."""
    label = str(record["test"])
    if label.startswith(f"{record['path']}::"):
        label += f" (line {record['line']})"
    elif record["path"]:
        label += f" ({record['path']}:{record['line']})"
    name = MEMBER["name"].read(record)
    return label if name is None else f"{label} {shown(name, 80)}"


def failure_key(record: Mapping[str, Any]) -> str:
    """Return a key that equal failures share: those with the same error, or of the same values under the same check."""
    if record["verdict"] == "error":
        return json.dumps([record["operator"], record.get("error")])
    return json.dumps([record.get(name) for name in _SAME_FAILURE])


def counts_with_rate(counts: tuple[int, int, int]) -> str:
    """Format counts as ``3 pass (75 %), 1 fail, 0 error``."""
    if not any(counts):
        return counts_text(counts)
    return counts_text(counts).replace(" pass", f" pass ({rate_text(counts[0], sum(counts))})")


class TestSummary:
    """One test, all its attempts together."""

    __test__ = False
    __slots__ = ("attempts", "comparisons", "decisive", "final", "seconds")

    def __init__(self, attempts: Sequence[TestEntry]) -> None:
        self.attempts = attempts
        decided = [entry for entry in attempts if entry.is_decided]
        self.final = decided[-1] if decided else attempts[-1]
        self.decisive = self.final
        if self.final.outcome not in NOT_GREEN:
            # pytest-xdist reruns the file or class of a test that crashed, and pytest counts that crash as a failure.
            for entry in self.earlier:
                if entry.repeats is None and entry.outcome in {"failed", "error"}:
                    self.decisive = entry
        self.comparisons = sum_counts(self.final.comparisons)
        self.seconds = self.final.microseconds / 1_000_000

    @property
    def earlier(self) -> Sequence[TestEntry]:
        return [entry for entry in self.attempts if entry is not self.final]


@dataclass(slots=True)
class Summary:
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
        return sum_counts(self.operators)

    @property
    def expected_by_tests(self) -> int:
        """How many failing comparisons were checked by tests that passed."""
        return sum(sum(test.comparisons[1:]) for test in self.tests if test.decisive.outcome == PASSED)

    @property
    def complete(self) -> bool:
        """Whether the session and every collected test ended."""
        return self.finished and not self.missing and not self.outcomes["unfinished"]

    def attempts(self) -> Iterator[TestEntry]:
        """Return every attempt of every test, in the order of the report."""
        for test in self.tests:
            yield from test.attempts


@dataclass(frozen=True, slots=True)
class Contents:
    """A session as the writers of a report receive it; all text is redacted already."""

    summary: Summary
    run: Mapping[str, Any]
    """Times and environment, which differ from session to session."""
    records: Mapping[str, Any]
    """The path, number, SHA-256 and Merkle root of the records."""
    inline: Sequence[bytes]
    """Lines of ``records.jsonl`` for a file that shows records; those that did not pass come first."""
    omitted: int
    """The number of records that are not inline."""
    profile: str
    """The JUnit profile, ``ci`` or ``strict``."""
    roots: Sequence[str]
    """The Merkle root over the records of each test, in the order of the summary."""
    sections: Mapping[str, Any] = field(default_factory=dict)
    """The members of the report that families derive from the records."""


def summarize(journal: Journal) -> Summary:
    position = {test: index for index, test in enumerate(journal.order)}
    attempts: dict[tuple[int, str, str], list[TestEntry]] = {}
    for entry in sorted(journal.entries, key=attrgetter("attempt")):
        place = position.get(entry.test, len(position))
        attempts.setdefault((place, entry.test, entry.worker), []).append(entry)
    tests = [TestSummary(attempts[key]) for key in sorted(attempts)]
    missing = len(position.keys() - {test.final.test for test in tests})
    return fold(tests, missing, finished=journal.footer is not None and has_ended(journal.run))


def has_ended(run: Mapping[str, Any]) -> bool:
    return run.get("exit_status") not in _ABNORMAL_EXITS


def fold(tests: list[TestSummary], missing: int, *, finished: bool) -> Summary:
    operators = _sum_counts(test.final for test in tests)
    return Summary(
        tests=tests,
        operators=dict(sorted(operators.items())),
        outcomes=Counter(test.decisive.outcome for test in tests),
        superseded=sum_counts(_sum_counts(entry for test in tests for entry in test.earlier)),
        missing=missing,
        finished=finished,
        subtests=sum((Counter(test.final.subtests) for test in tests if test.final.subtests), Counter()),
    )


def _sum_counts(entries: Iterable[TestEntry]) -> Counts:
    counts: Counts = {}
    for entry in entries:
        merge_counts(counts, entry.comparisons)
    return counts


def decisive_records(records: Path, summary: Summary, operator: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of the last attempt of each test: all, or those of one operator."""
    entries = [test.final for test in summary.tests]
    finals = {(digest_of_test(entry.test, entry.worker), str(entry.attempt)) for entry in entries}
    with open_records(records) as file:
        for line in file:
            is_candidate = operator is None or names_operator(line, operator)
            if is_candidate and tuple(read_id(line).split("-")[:2]) in finals:
                record = json.loads(line)
                if operator in {None, record.get("operator")}:
                    yield record


def derive_sections(requested: Mapping[str, Any], summary: Summary, records: Path) -> dict[str, Any]:
    """Derive the members of ``report.json`` that families define and the session requested."""
    places = FAMILIES.own("report_sections")
    sections = {}
    for name in sorted(places.keys() & requested.keys()):
        section = load(places[name])(requested[name], summary, records)
        if section:
            sections[name] = section
    return sections


def verdict_line(gate: Mapping[str, Any]) -> str:
    """Format the entry of a gate in ``report.json``: its counts, its rate with the interval, its verdict."""
    total = gate["pass"] + gate["fail"] + gate["error"]
    parts = []
    if total:
        parts.append(f"{gate['pass']} of {format_count(total, gate['unit'])} passed")
        parts.append(format_count(gate["error"], "error"))
        # In millionths, shown in ten-thousandths.
        rate, low, high = (round(share * 1_000_000) for share in (gate["rate"], *gate["interval"]))
        # The rate and the lower end are rounded down, so a missed rate never looks reached.
        shares = [number / 10_000 for number in (rate // 100, low // 100, -(-high // 100))]
        parts.append("{:g} [{:g}, {:g}]".format(*shares))
    verdict = gate["verdict"] + "".join(f" ({note})" for note in gate["notes"])
    reason = gate.get("reason") or list_names(gate.get("tests", ()))
    parts.append(f"{verdict}: {reason}" if reason else verdict)
    return visible(f"gate {gate['gate']}: {', '.join(parts)}")


def list_names(names: Sequence[str]) -> str:
    """List the first names, and count the others."""
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(f"{name:.{_LONGEST_NAME}}" for name in names[:_MOST_LISTED]) + more


def list_omissions(document: Mapping[str, Any], *, is_complete: bool, within_files: bool) -> list[str]:
    """Return why a run may lack tests of its project; or, ``within_files``, any test of the files that it collected."""
    run = document.get("run", {})
    reasons = []
    if not is_complete:
        reasons.append("the session did not end")
    if run.get("shard"):
        reasons.append(f"only part {run['shard']['index']} of {run['shard']['of']} ran")
    if run.get("missing_shards"):
        reasons.append(f"shards are missing: {', '.join(map(str, run['missing_shards']))}")
    parts = [run] if "selection" in run else run.get("shards", [run])
    selections = [part.get("selection") for part in parts]
    if is_complete and "pytest" in run and None in selections:
        reasons.append("the report does not have what was left out")
    left_out: dict[str, None] = {}
    for selection in filter(None, selections):
        known = [name for name in _LEFT_OUT if selection.get(name) and not (within_files and name == "narrowed")]
        left_out.update(dict.fromkeys(_LEFT_OUT[name] for name in known))
        if selection.get("deselected") and (within_files or not selection.get("configured")):
            left_out[f"{format_count(selection['deselected'], 'test')} deselected"] = None
    if left_out:
        reasons.append(f"only a part was selected: {', '.join(left_out)}")
    return reasons


def name_repeats(repeats: Mapping[str, Any]) -> str:
    """Return what the repeats of a test show: undecided, flaky or reproducible, or otherwise the verdict."""
    verdict = repeats.get("verdict")
    return "undecided" if verdict == "error" else str(repeats.get("stability") or verdict)
