"""A run: the comparisons of a session, read from a folder, a file of records or a bundle; and the pairs of two runs."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import parse_record
from pytest_verdict.core.record_members import MEMBER
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.summary import VERDICTS

PASS: Final = VERDICTS[0]
_dump: Final = json.JSONEncoder(separators=(",", ":")).encode
_CHECK: Final = ("operator", "settings", "threshold", "negated", "operator_version", "operator_code")


class Comparison(NamedTuple):
    """A record as far as two runs are paired by it; its values stay in the line."""

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
        """Whether it passed; an error did not."""
        return self.verdict == PASS

    def record(self) -> dict[str, Any]:
        """Read the record."""
        return parse_record(self.line)


Pairs = Sequence[tuple[Comparison, Comparison]]


@dataclass(frozen=True, slots=True)
class Run:
    """The comparisons of the last attempt of each test, and those of all attempts of tests that had several."""

    place: str
    comparisons: list[Comparison]
    repeated: dict[tuple[Any, ...], list[Comparison]]

    def verdicts(self) -> str:
        """Say how many passed, failed, and could not be made."""
        counts = Counter(found.verdict for found in self.comparisons)
        return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)

    def is_flaky(self, found: Comparison) -> bool:
        """Whether attempts of the test observed several values, and did not agree about the verdict."""
        attempts = self.repeated.get(across_attempts(found), [])
        observed = {_dump(one.record().get("observed")) for one in attempts}
        return len(observed) > 1 and len({one.passed for one in attempts}) > 1


def across_attempts(found: Comparison) -> tuple[Any, ...]:
    """Give what is the same in every attempt of a test."""
    what = (found.name,) if found.name is not None else (found.operator, found.expected)
    return found.test, found.occurrence, *what


def read_run(given: str | Path) -> Run:
    """Read a run from the folder of a report, a file of records or a bundle."""
    found = list(_comparisons(str(given), RecordsFile(str(given)).lines()))
    last: dict[str, int] = {}
    for one in found:
        last[one.test] = max(one.attempt, last.get(one.test, 0))
    repeated: dict[tuple[Any, ...], list[Comparison]] = {}
    for one in found:
        if last[one.test] > 1:
            repeated.setdefault(across_attempts(one), []).append(one)
    return Run(str(given), [one for one in found if one.attempt == last[one.test]], repeated)


def _comparisons(place: str, lines: Iterable[bytes]) -> Iterator[Comparison]:
    occurrences = Counter[tuple[Any, ...]]()
    for number, line in enumerate(lines, 1):
        try:
            found = _comparison(line)
        except (RecordError, RecursionError) as error:
            raise RecordError(f"{place}: line {number} is no whole record: {error}") from None
        key = found.attempt, *across_attempts(found)
        occurrences[key] += 1
        yield found._replace(occurrence=occurrences[key])


def _comparison(line: bytes) -> Comparison:
    record = parse_record(line)
    test, operator, verdict, attempt = (record.get(key) for key in ("test", "operator", "verdict", "attempt"))
    if not isinstance(test, str) or not isinstance(operator, str) or "expected" not in record:
        raise RecordError("its test and its operator are needed as text, and what it expected")
    if verdict not in VERDICTS or type(attempt) is not int:
        raise RecordError("its verdict or its attempt is no such thing")
    MEMBER["threshold"].read(record)
    score = MEMBER["score"].read(record)
    expected, check = record["expected"], [record.get(key) for key in _CHECK]
    return Comparison(
        # Most comparisons of a run share these texts, which are kept once.
        sys.intern(test),
        MEMBER["name"].read(record),
        sys.intern(operator),
        _dump(expected),
        sys.intern(_dump(check)),
        attempt,
        0,
        verdict,
        1.0 - score if MEMBER["negated"].read(record) else score,
        line,
    )


# The last two are for those without a name, and only where as many are left on both sides: then one was edited, and none was
# removed or added.
_KEYS: Final[tuple[tuple[Callable[[Comparison], Hashable], bool], ...]] = (
    (lambda one: None if one.name is None else (one.test, one.name), False),
    (lambda one: (one.test, one.operator, one.expected), False),
    (lambda one: (one.test, one.expected) if one.name is None else None, True),
    (lambda one: (one.test, one.operator) if one.name is None else None, True),
)


def paired(old: Sequence[Comparison], new: Sequence[Comparison]) -> tuple[Pairs, list[Comparison], list[Comparison]]:
    """Give the pairs of two runs, what was removed and what was added; of one key in the order in which they were made."""
    matches: dict[int, int] = {}
    left, right = range(len(old)), range(len(new))
    remaining: tuple[Sequence[int], Sequence[int]] = left, right
    for key, only_if_as_many in _KEYS:
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, run in enumerate((old, new)):
            for index in remaining[side]:
                if (found := key(run[index])) is not None:
                    groups.setdefault(found, ([], []))[side].append(index)
        for olds, news in groups.values():
            if not only_if_as_many or len(olds) == len(news):
                matches.update(zip(news, olds, strict=False))
        taken = {*matches.values()}
        remaining = [index for index in left if index not in taken], [index for index in right if index not in matches]
    pairs = [(old[matches[index]], new[index]) for index in right if index in matches]
    return pairs, [old[index] for index in remaining[0]], [new[index] for index in remaining[1]]
