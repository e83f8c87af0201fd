"""A run: the comparisons of a session, read from a folder, a file of records or a bundle; and the pairs of two runs."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import parse_record
from pytest_verdict.core.record_members import MEMBER
from pytest_verdict.errors import RecordError
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.repeats.rules import DECISION
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.reading import Test, read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import VERDICTS

_encode: Final = json.JSONEncoder(separators=(",", ":")).encode
CHECK_MEMBERS: Final = ("operator", "settings", "threshold", "negated", "operator_version", "operator_code")


def expectation_of(record: Mapping[str, Any]) -> Any:
    """Return what a check expects: the expected value, or the digest of the accepted ones, of which the best decides."""
    accepted = record.get("accepted")
    if isinstance(accepted, Mapping) and "digest" in accepted:
        return accepted["digest"]
    return record.get("expected")


class Comparison(NamedTuple):
    test: str
    name: str | None
    operator: str
    expected: str
    check: str
    attempt: int
    occurrence: int
    verdict: str
    score: float
    line: bytes

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"

    def record(self) -> dict[str, Any]:
        return parse_record(self.line)


Pairs = Sequence[tuple[Comparison, Comparison]]


@dataclass(frozen=True, slots=True)
class Run:
    """The comparisons of the last attempt of each test, and all attempts of the tests that had several."""

    place: str
    comparisons: list[Comparison]
    """Empty if they are too many to have all of them in memory."""
    repeated: dict[tuple[Any, ...], list[Comparison]]
    counts: Counter[tuple[str, str]]
    """How many comparisons there are, by test and verdict."""
    tests: Mapping[str, Test] = field(default_factory=dict)
    """The tests of the report, and the files that could not be collected; empty for a file of records."""
    is_part: bool = False
    """Whether it is one part of a session that was split."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The new names of tests by the old ones, by ``verdict_renamed``."""

    @property
    def verdicts(self) -> tuple[int, int, int]:
        """How many comparisons passed, failed and could not be made."""
        passed, failed, errors = (
            sum(number for (_, verdict), number in self.counts.items() if verdict == one) for one in VERDICTS
        )
        return passed, failed, errors

    @property
    def compared_tests(self) -> set[str]:
        return {test for test, _ in self.counts}

    def find_test(self, name: str) -> Test | None:
        """Return a test, or its file or class if that could not be collected."""
        while name and name not in self.tests:
            name = name.rpartition("::")[0]
        return self.tests.get(name)

    def with_names(self, names: Mapping[str, str]) -> "Run":
        """Return the run with other names of tests."""
        comparisons = [one._replace(test=names.get(one.test, one.test)) for one in self.comparisons]
        repeated = {(names.get(key[0], key[0]), *key[1:]): attempts for key, attempts in self.repeated.items()}
        counts = Counter((one.test, one.verdict) for one in comparisons)
        return replace(self, comparisons=comparisons, repeated=repeated, counts=counts)

    def is_flaky(self, comparison: Comparison) -> bool:
        """Return whether attempts of the test observed several values and reached different verdicts."""
        attempts = self.repeated.get(_key_in_test(comparison), [])
        observed = {_encode(attempt.record().get("observed")) for attempt in attempts}
        return len(observed) > 1 and len({attempt.passed for attempt in attempts}) > 1


def _key_in_test(comparison: Comparison) -> tuple[Any, ...]:
    """Return a key that is equal in every attempt of a test."""
    return comparison.test, comparison.occurrence, *key_of(comparison)[1:]


def read_run(path: str | Path) -> Run:
    """Read a run from the folder of a report, a file of records or a bundle."""
    place = str(path)
    comparisons: list[Comparison] = []
    occurrences = Counter[tuple[Any, ...]]()
    last_attempts: dict[str, int] = {}
    deciding: dict[str, int] = {}
    file = RecordsFile(place)
    for number, line in enumerate(file.lines(), 1):
        comparison = parse_comparison(line, f"{place}: line {number}")
        key = (comparison.attempt, *_key_in_test(comparison))
        occurrences[key] += 1
        comparisons.append(comparison._replace(occurrence=occurrences[key]))
        last_attempts[comparison.test] = max(comparison.attempt, last_attempts.get(comparison.test, 0))
        if comparison.operator == PassRate.name and comparison.name == DECISION:
            # Attempts after a decision over repeats only tell flaky from reproducible.
            deciding[comparison.test] = comparison.attempt

    last: list[Comparison] = []
    repeated: dict[tuple[Any, ...], list[Comparison]] = {}
    for comparison in comparisons:
        if last_attempts[comparison.test] > 1:
            repeated.setdefault(_key_in_test(comparison), []).append(comparison)
        if comparison.attempt == deciding.get(comparison.test, last_attempts[comparison.test]):
            last.append(comparison)
    counts = Counter((comparison.test, comparison.verdict) for comparison in last)
    return build_run(file, place, last, repeated, counts)


def build_run(
    file: RecordsFile,
    place: str,
    comparisons: list[Comparison],
    repeated: dict[tuple[Any, ...], list[Comparison]],
    counts: Counter[tuple[str, str]],
) -> Run:
    """Build a run from its comparisons, and the report beside them if there is one."""
    if file.folder is None or not (file.folder / REPORT).is_file():
        return Run(place, comparisons, repeated, counts)
    report = read_report(file.folder)
    tests = {test.test: test for test in report.tests}
    is_part = report.run.shard is not None
    return Run(place, comparisons, repeated, counts, tests, is_part=is_part, renamed=report.run.renamed)


def parse_comparison(line: bytes, place: str) -> Comparison:
    """Parse a record; the place is named if it is none."""
    try:
        return _parse_comparison(line)
    except (RecordError, RecursionError) as error:
        raise RecordError(f"{place} is no whole record: {error}") from None


def _parse_comparison(line: bytes) -> Comparison:
    record = parse_record(line)
    test, operator, verdict, attempt = (record.get(name) for name in ("test", "operator", "verdict", "attempt"))
    if not isinstance(test, str) or not isinstance(operator, str) or "expected" not in record:
        raise RecordError("it needs a test and an operator, as text, and an expected value")
    if verdict not in VERDICTS or type(attempt) is not int:
        raise RecordError(f"its verdict must be one of {', '.join(VERDICTS)}, and its attempt a number")
    MEMBER["threshold"].read(record)
    score = MEMBER["score"].read(record)
    return Comparison(
        # Most comparisons of a run share these texts, so each is stored once.
        test=sys.intern(test),
        name=MEMBER["name"].read(record),
        operator=sys.intern(operator),
        expected=_encode(expectation_of(record)),
        check=sys.intern(_encode([record.get(name) for name in CHECK_MEMBERS])),
        attempt=attempt,
        occurrence=0,
        verdict=verdict,
        score=1.0 - score if MEMBER["negated"].read(record) else score,
        line=line,
    )


def key_of(comparison: Comparison) -> tuple[str, ...]:
    """Return the first key by which comparisons are paired."""
    if comparison.name is not None:
        return comparison.test, comparison.name
    return comparison.test, comparison.operator, comparison.expected


# The last two keys are for comparisons without a name. They apply only if both sides have the same number of comparisons,
# because then a comparison was edited, not added or removed.
_KEYS: Final[tuple[tuple[Callable[[Comparison], Hashable], bool], ...]] = (
    (key_of, False),
    (lambda one: (one.test, one.operator, one.expected), False),
    (lambda one: (one.test, one.expected) if one.name is None else None, True),
    (lambda one: (one.test, one.operator) if one.name is None else None, True),
)


def pair(old: Sequence[Comparison], new: Sequence[Comparison]) -> tuple[Pairs, list[Comparison], list[Comparison]]:
    """Return the pairs of two runs, the removed and the added comparisons; equal keys are paired in order."""
    # A line that both have at one position is a pair, whatever was added or moved before it.
    positions = enumerate(zip(old, new, strict=False))
    matches = {index: index for index, (one, other) in positions if one.line == other.line and one.verdict != "error"}
    old_rest: Sequence[int] = [index for index in range(len(old)) if index not in matches]
    new_rest: Sequence[int] = [index for index in range(len(new)) if index not in matches]
    for build_key, needs_equal_numbers in _KEYS:
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, (run, rest) in enumerate(((old, old_rest), (new, new_rest))):
            for index in rest:
                key = build_key(run[index])
                if key is not None:
                    groups.setdefault(key, ([], []))[side].append(index)
        for olds, news in groups.values():
            if not needs_equal_numbers or len(olds) == len(news):
                matches.update(zip(news, olds, strict=False))
        matched = set(matches.values())
        old_rest = [index for index in old_rest if index not in matched]
        new_rest = [index for index in new_rest if index not in matches]
    pairs = [(old[matches[index]], new[index]) for index in sorted(matches)]
    return pairs, [old[index] for index in old_rest], [new[index] for index in new_rest]
