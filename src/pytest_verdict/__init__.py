"""pytest-verdict: named comparison operators, and a record of every verdict that can be replayed.

The names are listed in ``__init__.pyi``, and each is imported when it is first used.
"""

import lazy_loader

FAMILIES = (
    "pytest_verdict.operators.plugin",
    "pytest_verdict.trajectories.plugin",
    "pytest_verdict.templates.plugin",
    "pytest_verdict.suites.plugin",
    "pytest_verdict.blind.plugin",
    "pytest_verdict.judging.plugin",
    "pytest_verdict.report.plugin",
    "pytest_verdict.cli.plugin",
)
"""The families that come with the package; others are named by the entry-point group ``pytest_verdict``."""

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
