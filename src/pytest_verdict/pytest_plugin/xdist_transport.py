"""How records get from a worker to the controller: on the reports that pytest-xdist sends anyway.

How many each process has made and not handed over stands in memory that outlives the process.
"""

import json
import mmap
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.values.display import counted
from pytest_verdict.pytest_plugin.deferred_signals import signals_deferred
from pytest_verdict.pytest_plugin.recorder import RecordBatch, Recorder

_ATTRIBUTE: Final = "verdict_records"
PENDING_COUNT: Final = "verdict_pending_count"
"""Key of what workers learn from the controller: the file of the counts."""

# So many processes of one session have a count; the first is the session's own.
_MOST: Final = 512


class RecordSender:
    """Attaches the records of a worker to the report that is sent next."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        """Attach the records while xdist sends the report; other plugins keep every report to the end."""
        with signals_deferred():
            batches = self._recorder.take()
            if batches:
                setattr(report, _ATTRIBUTE, list(map(_packed, batches)))
            try:
                return (yield)
            finally:
                report.__dict__.pop(_ATTRIBUTE, None)


def detach_records(report: Any) -> list[RecordBatch]:
    """Take the records off a report, so that no other plugin keeps or writes them."""
    carried = report.__dict__.pop(_ATTRIBUTE, None)
    if carried:
        return [_unpacked(packed) for packed in carried]
    return []


def _packed(batch: RecordBatch) -> bytes:
    # xdist sends a tuple member by member, in pure Python.
    *about, lines = batch
    return b"%s\n%s" % (json.dumps(about).encode("ascii"), lines)


def _unpacked(packed: bytes) -> RecordBatch:
    about, _, lines = packed.partition(b"\n")
    test, attempt, counts, traits = json.loads(about)
    return RecordBatch(test, attempt, {name: tuple(numbers) for name, numbers in counts.items()}, traits, lines)


def make_counts(path: Path) -> Any:
    """Make the file of the counts."""
    with path.open("xb") as file:
        file.truncate(8 * _MOST)
    return mapped_counts(path)


def mapped_counts(path: Path | str) -> Any:
    """Map the file of the counts; not every folder can be mapped, and a worker on another machine does not find it."""
    try:
        with Path(path).open("r+b") as file:
            return memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
    except OSError:
        return [0] * _MOST


def place_of_worker(name: str) -> int:
    """Find the count of a worker; xdist calls them gw0, gw1 and so on."""
    number = name.removeprefix("gw")
    if number.isdecimal():
        return int(number) % (_MOST - 1) + 1
    return 0


def add_lost(report: Any, counts: Any) -> None:
    """Add to the report of a crash how many comparisons the worker took along."""
    at = place_of_worker(report.node.gateway.id)
    lost, counts[at] = counts[at], 0
    if lost:
        report.longrepr = (
            f"{report.longrepr}\n{counted(lost, 'comparison')} of its last phase {'is' if lost == 1 else 'are'} lost;"
            " verdict_flush = comparison hands each one over at once"
        )
