"""Two runs whose records are in parts, paired in partitions on disk: memory does not grow with the rows, only with changes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from zlib import crc32

from pytest_verdict.core.record import read_id
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.run import Comparison, Pairs, Run, build_run, pair, parse_comparisons

_FILES: Final = 16
# Comparisons take about three times the memory of their lines.
_MOST_BYTES: Final = 1 << 24
# Equal names are in one partition, however often it is split.
_MOST_LEVELS: Final = 6


class Partitioned(NamedTuple):
    """Two runs, the pairs that are not equal, the comparisons without a partner, and the number of equal pairs by operator."""

    old: Run
    new: Run
    pairs: Pairs
    removed: list[Comparison]
    added: list[Comparison]
    equal: Counter[str]


def read_partitioned(old: str | Path, new: str | Path) -> Partitioned | None:
    """Pair the comparisons of two runs whose records are in parts; None if one of them has its records in one file."""
    files = RecordsFile(str(old)), RecordsFile(str(new))
    if any(file.manifest() is None for file in files):
        return None
    counts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    pairs: list[tuple[Comparison, Comparison]] = []
    rests: tuple[list[Comparison], list[Comparison]] = ([], [])
    equal = Counter[str]()
    with TemporaryDirectory() as name:
        runs = [
            _split(_count(parse_comparisons(str(place), file.lines()), number), Path(name, side), 0)
            for side, place, file, number in zip(("old", "new"), (old, new), files, counts, strict=True)
        ]
        for partition in zip(*runs, strict=True):
            for olds, news in _read_partitions(partition, 1):
                matches, *rest = pair(olds, news, only_by_name=True)
                for before, after in matches:
                    if _is_equal(before, after):
                        equal[after.operator] += 1
                    else:
                        pairs.append((before, after))
                for comparisons, more in zip(rests, rest, strict=True):
                    comparisons.extend(more)
    removed, added = (sorted(rest, key=_ordinal) for rest in rests)
    # Rows whose names changed are few, or the runs have little in common.
    more_pairs, removed, added = pair(removed, added)
    pairs = sorted([*pairs, *more_pairs], key=lambda one: _ordinal(one[1]))
    old_run, new_run = (
        build_run(file, str(place), [], {}, number, "")
        for place, file, number in zip((old, new), files, counts, strict=True)
    )
    return Partitioned(old_run, new_run, pairs, removed, added, equal)


def _count(comparisons: Iterable[Comparison], counts: Counter[tuple[str, str]]) -> Iterator[Comparison]:
    for comparison in comparisons:
        counts[comparison.test, comparison.verdict] += 1
        yield comparison


def _split(comparisons: Iterable[Comparison], folder: Path, level: int) -> list[Path]:
    """Write comparisons to files by the hash of their names, which another level makes another one."""
    folder.mkdir()
    paths = [folder / str(number) for number in range(_FILES)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for comparison in comparisons:
            files[crc32(f"{level} {comparison.name}".encode("utf-8", "surrogatepass")) % _FILES].write(comparison.line)
    return paths


def _read_partitions(paths: Iterable[Path], level: int) -> Iterator[tuple[list[Comparison], ...]]:
    """Read the comparisons of two files, in several partitions if they are large, and remove the files."""
    paths = list(paths)
    if sum(path.stat().st_size for path in paths) <= _MOST_BYTES or level == _MOST_LEVELS:
        yield tuple(list(_read(path)) for path in paths)
    else:
        for partition in zip(
            *[_split(_read(path), path.with_name(f"{path.name}-"), level) for path in paths], strict=True
        ):
            yield from _read_partitions(partition, level + 1)
    for path in paths:
        path.unlink()


def _read(path: Path) -> Iterator[Comparison]:
    with path.open("rb") as file:
        yield from parse_comparisons(str(path), file)


def _is_equal(before: Comparison, after: Comparison) -> bool:
    """Return whether neither verdicts nor scores nor checks of a pair differ, and both sides were compared."""
    first, last = ((one.operator, one.expected, one.check, one.verdict, one.score) for one in (before, after))
    return first == last and before.verdict != "error"


def _ordinal(comparison: Comparison) -> int:
    return int(read_id(comparison.line).rpartition("-")[2])
