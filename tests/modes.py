"""How a session of a test runs: ``make test`` runs it in one process, CI also with workers."""

from __future__ import annotations

import pytest


def serial_and_workers(argument: str, *options: str) -> pytest.MarkDecorator:
    """Parametrize a test by the options of its session: none, and those that start workers."""
    workers = pytest.param(options, id="xdist", marks=pytest.mark.ci)
    return pytest.mark.parametrize(argument, [pytest.param((), id="serial"), workers])
