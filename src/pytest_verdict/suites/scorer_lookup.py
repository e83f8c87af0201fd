"""Finding the scorer that a suite names."""

from __future__ import annotations

from collections.abc import Collection

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.suites.loading import load_brought
from pytest_verdict.suites.operator_scorer import OperatorScorer
from pytest_verdict.suites.scorer import SuiteScorer
from pytest_verdict.suites.suite_model import ScorerEntry
from pytest_verdict.suites.user_scorer import REGISTERED, UserScorer, made_scorer


def find_scorer(entry: str | ScorerEntry, announced: Collection[str]) -> SuiteScorer:
    """Find a scorer by its name; those announced are registered when the suite runs."""
    if isinstance(entry, ScorerEntry):
        return OperatorScorer(entry)
    if "." in entry or ":" in entry:
        return UserScorer(entry)
    brought = load_brought("scorers", entry)
    if brought is not None:
        made = made_scorer(brought)
        return made if isinstance(made, SuiteScorer) else UserScorer(entry, made)
    if entry in REGISTERED or entry in announced:
        return UserScorer(entry)
    if entry in REGISTRY:
        return OperatorScorer(ScorerEntry(operator=entry))
    own = {*FAMILIES.all("scorers"), *REGISTERED, *announced}
    hint = allowed("scorer", entry, {*own, *REGISTRY.public_names()}, listed=own)
    raise ConfigurationError(
        f"unknown scorer: {entry!r}.{hint} So is any of `pytest-verdict operators`. A scorer of your own is a dotted path,"
        " or registered in conftest.py, which pytest-verdict check does not import: say --scorer NAME there."
    )
