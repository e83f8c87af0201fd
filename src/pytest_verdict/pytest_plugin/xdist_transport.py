"""How records get from a worker to the controller: on the reports that pytest-xdist sends.

Memory that outlives each process counts the comparisons that it has not sent yet.
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
"""The key of a worker's input: the file of the counts."""

# The most processes of one session that have a count; the first is the session's own.
_MOST: Final = 512


class RecordSender:
    """Attaches the records of a worker to the report that is sent next."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        """Attach the records only while xdist sends the report; other plugins keep every report to the end."""
        with signals_deferred():
            batches = self._recorder.take()
            if batches:
                setattr(report, _ATTRIBUTE, list(map(_pack, batches)))
            try:
                return (yield)
            finally:
                report.__dict__.pop(_ATTRIBUTE, None)


def detach_records(report: Any) -> list[RecordBatch]:
    """Remove the records from a report, so that no other plugin keeps or writes them."""
    return [_unpack(packed) for packed in report.__dict__.pop(_ATTRIBUTE, ())]


def _pack(batch: RecordBatch) -> bytes:
    # xdist sends a tuple member by member, in pure Python.
    *head, lines = batch
    return b"%s\n%s" % (json.dumps(head).encode("ascii"), lines)


def _unpack(packed: bytes) -> RecordBatch:
    head, _, lines = packed.partition(b"\n")
    test, attempt, counts, traits = json.loads(head)
    return RecordBatch(test, attempt, {name: tuple(numbers) for name, numbers in counts.items()}, traits, lines)


def create_counts(path: Path) -> Any:
    """Create the file of the counts, and map it."""
    with path.open("xb") as file:
        file.truncate(8 * _MOST)
    return mapped_counts(path)


def mapped_counts(path: Path | str) -> Any:
    """Map the file of the counts; not every folder can be mapped, and a worker on another machine has no such file."""
    try:
        with Path(path).open("r+b") as file:
            return memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
    except OSError:
        return [0] * _MOST


def place_of_worker(name: str) -> int:
    """Return the index of a worker's count; xdist calls workers gw0, gw1 and so on."""
    number = name.removeprefix("gw")
    if number.isdecimal():
        return int(number) % (_MOST - 1) + 1
    return 0


def add_lost_count(report: Any, counts: Any) -> None:
    """Add to the report of a crash how many comparisons are lost with the worker."""
    at = place_of_worker(report.node.gateway.id)
    lost = counts[at]
    counts[at] = 0
    if lost:
        report.longrepr = (
            f"{report.longrepr}\n{counted(lost, 'comparison')} of its last phase {'is' if lost == 1 else 'are'} lost;"
            " verdict_flush = comparison hands each one over at once"
        )
