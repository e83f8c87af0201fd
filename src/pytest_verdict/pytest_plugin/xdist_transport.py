"""How records get from a worker to the controller: on the reports that pytest-xdist sends anyway."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.deferred_signals import signals_deferred
from pytest_verdict.pytest_plugin.recorder import RecordBatch, Recorder

_ATTRIBUTE: Final = "verdict_records"


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
                # Plain tuples, because xdist sends no other.
                setattr(report, _ATTRIBUTE, [tuple(batch) for batch in batches])
            try:
                return (yield)
            finally:
                detach_records(report)


def detach_records(report: Any) -> list[RecordBatch]:
    """Take the records off a report, so that no other plugin keeps or writes them."""
    return [RecordBatch(*fields) for fields in report.__dict__.pop(_ATTRIBUTE, ())]
