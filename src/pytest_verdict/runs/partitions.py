"""Two large runs, paired in a temporary database on disk: memory does not grow with the rows, only with changes."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Final

from pytest_verdict.core.record import read_id
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.run import Comparison, Pairs, Run, build_run, key_of, pair, parse_comparison

# Fewer bytes of lines are compared in memory, which is faster.
_LARGE: Final = 1 << 26
# Each takes about two kilobytes.
_MOST_CHANGES: Final = 500_000
_TABLE: Final = "create table comparisons (side integer, key text, line blob)"
_ADD: Final = "insert into comparisons values (?, ?, ?)"
# Comparisons with equal keys are paired in order.
_PAIRS: Final = """
    select max(case side when 0 then line end), max(case side when 1 then line end)
    from (select *, row_number() over (partition by side, key order by rowid) as occurrence from comparisons)
    group by key, occurrence
"""

Sides = tuple[RecordsFile, RecordsFile]
Counts = tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]
# Two runs, the pairs that are not equal, the removed and the added comparisons, and the number of equal pairs.
Partitioned = tuple[Run, Run, Pairs, list[Comparison], list[Comparison], int]


def read_partitioned(old: str | Path, new: str | Path) -> Partitioned | None:
    """Pair the comparisons of two runs; None if both are small, or if a test was repeated or renamed."""
    places = (str(old), str(new))
    files = (RecordsFile(places[0]), RecordsFile(places[1]))
    if not any(map(_is_large, files)):
        return None

    pairs: list[tuple[Comparison, Comparison]] = []
    rests: tuple[list[Comparison], list[Comparison]] = ([], [])
    counts: Counts = (Counter(), Counter())
    # A database without a name is a file that only this process has.
    with closing(sqlite3.connect("")) as database:
        database.execute(_TABLE)
        equal = _split(database, files, places, counts)
        if equal is None:
            return None
        runs = [build_run(file, place, [], {}, count) for file, place, count in zip(files, places, counts, strict=True)]
        if runs[1].renamed:
            return None
        for before, after in _read_pairs(database):
            if before is not None and after is not None:
                if _content(before) == _content(after) and before.verdict != "error":
                    equal += 1
                else:
                    pairs.append((before, after))
            elif before is not None:
                rests[0].append(before)
            elif after is not None:
                rests[1].append(after)
            if len(pairs) + max(map(len, rests)) > _MOST_CHANGES:
                reason = f"{old} and {new}: more than {_MOST_CHANGES:,} comparisons differ, which is too many to list"
                raise RecordError(f"{reason}; compare their tables (`pytest-verdict table`), or score samples")

    tests = dict.fromkeys(test for count in reversed(counts) for test, _ in count)
    positions = {test: position for position, test in enumerate(tests)}

    def position_of(comparison: Comparison) -> tuple[int, int]:
        return positions[comparison.test], int(read_id(comparison.line).rpartition("-")[2])

    # Rows whose names changed are few, or the runs have little in common.
    more_pairs, removed, added = pair(*(sorted(rest, key=position_of) for rest in rests))
    pairs = sorted([*pairs, *more_pairs], key=lambda one: position_of(one[1]))
    return runs[0], runs[1], pairs, removed, added, equal


def _is_large(file: RecordsFile) -> bool:
    """Return whether the lines of a file are too many for memory; only reading a compressed one shows their size."""
    sizes = accumulate(sum(map(len, lines)) for lines in file.pieces())
    return any(size > _LARGE for size in sizes)


def _split(database: sqlite3.Connection, files: Sides, places: Sequence[str], counts: Counts) -> int | None:
    """Write the comparisons that differ to a database, and count the equal ones; None if a test was repeated."""
    equal = 0
    for number, lines in enumerate(zip_longest(*(file.lines() for file in files)), 1):
        comparison = None
        for side, line in enumerate(lines):
            if line is None:
                continue
            # A line that both runs have is parsed once.
            if comparison is None or lines[0] != lines[1]:
                comparison = parse_comparison(line, f"{places[side]}: line {number}")
            if comparison.attempt > 1:
                return None
            counts[side][comparison.test, comparison.verdict] += 1
            if lines[0] != lines[1] or comparison.verdict == "error":
                database.execute(_ADD, (side, repr(key_of(comparison)), line))
            elif side == 0:
                equal += 1
    return equal


def _read_pairs(database: sqlite3.Connection) -> Iterator[list[Comparison | None]]:
    """Yield the comparisons with one key and occurrence, None where a run has no such comparison."""
    for lines in database.execute(_PAIRS):
        yield [None if line is None else parse_comparison(line, "the temporary copy") for line in lines]


def _content(comparison: Comparison) -> tuple[object, ...]:
    return comparison.operator, comparison.expected, comparison.check, comparison.verdict, comparison.score
