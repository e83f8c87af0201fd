"""pytest-verdict: named comparison operators, and a record of every verdict that can be replayed.

The names are listed in ``__init__.pyi``, and each is imported when it is first used.
"""

from importlib.util import find_spec

import lazy_loader

FAMILIES = (
    "pytest_verdict.operators.plugin",
    "pytest_verdict.trajectories.plugin",
    "pytest_verdict.templates.plugin",
    "pytest_verdict.extraction.plugin",
    "pytest_verdict.datasets.plugin",
    "pytest_verdict.suites.plugin",
    "pytest_verdict.blind.plugin",
    "pytest_verdict.judging.plugin",
    "pytest_verdict.report.plugin",
    "pytest_verdict.summaries.plugin",
    "pytest_verdict.page.plugin",
    "pytest_verdict.runs.plugin",
    "pytest_verdict.store.plugin",
    "pytest_verdict.history.plugin",
    "pytest_verdict.accepting.plugin",
    "pytest_verdict.cli.plugin",
)
"""The families that come with the package; others are named by the entry-point group ``pytest_verdict``."""


def public_names(package: str, file: str) -> tuple:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose stub lists its names."""
    load, list_names, names = lazy_loader.attach_stub(package, file)

    def load_or_explain(name: str) -> object:
        if name in names or name.startswith("_") or not name.isidentifier() or find_spec(f"{package}.{name}"):
            return load(name)
        from pytest_verdict.explanation.call_hints import unknown_name

        raise unknown_name(package, name)

    return load_or_explain, list_names, names


__getattr__, __dir__, __all__ = public_names(__name__, __file__)
