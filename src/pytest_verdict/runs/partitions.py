"""Two large runs, paired in partitions on disk: memory does not grow with the rows, only with changes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, NamedTuple

from pytest_verdict.core.record import read_id
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.run import Comparison, Pairs, Run, build_run, key_of, pair, parse_comparison

# Fewer bytes of lines are compared in memory, which is faster.
_LARGE: Final = 1 << 26
# Comparisons take about three times the memory of their lines.
_PARTITION_BYTES: Final = 1 << 24
# Some systems allow 256 open files; two runs have these and those of one partition that is split again.
_PARTITIONS: Final = 40
# Each takes about two kilobytes.
_MOST_CHANGES: Final = 500_000


class Partitioned(NamedTuple):
    """Two runs, the pairs that are not equal, the comparisons without a partner, and the number of equal pairs by operator."""

    old: Run
    new: Run
    pairs: Pairs
    removed: list[Comparison]
    added: list[Comparison]
    equal: Counter[str]


@dataclass(frozen=True, slots=True)
class _Side:
    """A run, the counts of its comparisons, and those that the other run does not have as they are."""

    place: str
    file: RecordsFile
    partitions: Sequence[IO[bytes]]
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, comparison: Comparison, *, is_equal: bool) -> None:
        self.counts[comparison.test, comparison.verdict] += 1
        if not is_equal:
            self.partitions[hash(key_of(comparison)) % _PARTITIONS].write(comparison.line)


def read_partitioned(old: str | Path, new: str | Path) -> Partitioned | None:
    """Pair the comparisons of two runs; None if both are small, or if a test was repeated or renamed."""
    files = [RecordsFile(str(place)) for place in (old, new)]
    if not any(map(_is_large, files)):
        return None

    pairs: list[tuple[Comparison, Comparison]] = []
    rests: tuple[list[Comparison], list[Comparison]] = ([], [])
    with ExitStack() as stack:
        sides = [
            _Side(str(place), file, [stack.enter_context(TemporaryFile()) for _ in range(_PARTITIONS)])
            for place, file in zip((old, new), files, strict=True)
        ]
        equal = _split(*sides)
        if equal is None:
            return None
        runs = [build_run(side.file, side.place, [], {}, side.counts) for side in sides]
        if runs[1].renamed:
            return None
        for comparisons in _read_partitions(*(side.partitions for side in sides)):
            matches, *more = pair(*comparisons, only_first_key=True)
            for before, after in matches:
                first, last = (
                    (one.operator, one.expected, one.check, one.verdict, one.score) for one in (before, after)
                )
                if first == last and before.verdict != "error":
                    equal[after.operator] += 1
                else:
                    pairs.append((before, after))
            if len(pairs) + max(map(len, rests)) > _MOST_CHANGES:
                reason = f"{old} and {new}: more than {_MOST_CHANGES:,} comparisons differ, which is too many to list"
                raise RecordError(f"{reason}; compare their tables (`pytest-verdict table`), or score samples")
            for rest, others in zip(rests, more, strict=True):
                rest.extend(others)

    tests = dict.fromkeys(test for run in reversed(runs) for test, _ in run.counts)
    positions = {test: position for position, test in enumerate(tests)}

    def position_of(comparison: Comparison) -> tuple[int, int]:
        return positions[comparison.test], int(read_id(comparison.line).rpartition("-")[2])

    # Rows whose names changed are few, or the runs have little in common.
    more_pairs, removed, added = pair(*(sorted(rest, key=position_of) for rest in rests))
    pairs = sorted([*pairs, *more_pairs], key=lambda one: position_of(one[1]))
    return Partitioned(runs[0], runs[1], pairs, removed, added, equal)


def _is_large(file: RecordsFile) -> bool:
    """Return whether the lines of a file are too many for memory; only reading a compressed one shows their size."""
    if file.size > _LARGE or file.manifest() is not None:
        return True
    size = 0
    for lines in file.pieces():
        size += sum(map(len, lines))
        if size > _LARGE:
            return True
    return False


def _read_partitions(
    old: Sequence[IO[bytes]], new: Sequence[IO[bytes]], *, may_split: bool = True
) -> Iterator[list[list[Comparison]]]:
    """Yield the comparisons of both runs in each partition; one that takes too much memory is split again."""
    for files in zip(old, new, strict=True):
        number = min(sum(file.tell() for file in files) // _PARTITION_BYTES + 1, _PARTITIONS)
        if number == 1 or not may_split:
            yield [[*_read(file)] for file in files]
            continue
        with ExitStack() as stack:
            smaller = [[stack.enter_context(TemporaryFile()) for _ in range(number)] for _ in files]
            for file, targets in zip(files, smaller, strict=True):
                # Comparisons with equal keys are paired in order.
                occurrences = Counter[int]()
                for comparison in _read(file):
                    key = hash(key_of(comparison))
                    occurrences[key] += 1
                    targets[hash((key, occurrences[key])) % number].write(comparison.line)
            yield from _read_partitions(*smaller, may_split=False)


def _read(file: IO[bytes]) -> Iterator[Comparison]:
    file.seek(0)
    for line in file:
        yield parse_comparison(line, "the temporary copy")


def _split(old: _Side, new: _Side) -> Counter[str] | None:
    """Write the comparisons to partitions, and count by operator the equal ones; None if a test was repeated."""
    equal = Counter[str]()
    for number, lines in enumerate(zip_longest(old.file.lines(), new.file.lines()), 1):
        comparison = None
        for side, line in zip((old, new), lines, strict=True):
            if line is None:
                continue
            # A line that both runs have is parsed once.
            if comparison is None or lines[0] != lines[1]:
                comparison = parse_comparison(line, f"{side.place}: line {number}")
            if comparison.attempt > 1:
                return None
            is_equal = lines[0] == lines[1] and comparison.verdict != "error"
            side.add(comparison, is_equal=is_equal)
            if is_equal and side is old:
                equal[comparison.operator] += 1
    return equal
