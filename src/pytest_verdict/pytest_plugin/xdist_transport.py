"""The carriage: how the records of a worker travel to the controller, on the reports that pytest-xdist sends anyway."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.recorder import Batch, Recorder

ATTRIBUTE: Final = "verdict_records"
"""The attribute of a report that carries records: the fields of each batch as a plain tuple, which xdist can send."""


class Carriage:
    """In a worker, lets the records ride on the report that is sent next."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Put the records on, before xdist sends the report."""
        batches = self._recorder.take()
        if batches:
            setattr(report, ATTRIBUTE, [tuple(batch) for batch in batches])


class Release:
    """In a worker, takes the records off a report that has been sent; other plugins keep every report to the end."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records off."""
        report.__dict__.pop(ATTRIBUTE, None)


def unloaded(report: Any) -> list[Batch]:
    """Take the records off a report that arrived, so that nothing else keeps or writes them."""
    found = report.__dict__.pop(ATTRIBUTE, None)
    return [Batch(*fields) for fields in found] if found else []
