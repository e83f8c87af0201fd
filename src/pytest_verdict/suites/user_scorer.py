"""Scorers of the user, any object with ``name`` and ``score(scenario, result)``; and finding the scorer that a suite names."""

from __future__ import annotations

import functools
import sys
from collections.abc import Collection, Mapping
from typing import Any, Final

from pytest_verdict.comparison import compare
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.values.display import shortened, visible
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.operators.evidence import ScorerVerdict, record_not_compared
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.loading import import_object, load_brought
from pytest_verdict.suites.scorer import Scored, SuiteScorer, operator_scorer, scored
from pytest_verdict.suites.suite_model import Scenario, ScorerEntry

REGISTERED: Final[dict[str, Any]] = {}
"""Scorers by name, as conftest.py registered them."""


def registered() -> dict[str, Any]:
    """Give the scorers that were registered by name, also with AgenticAssure, where it is used."""
    theirs = sys.modules.get("agenticassure.scorers.base")
    return {**({name: theirs.get_scorer(name) for name in theirs.list_scorers()} if theirs else {}), **REGISTERED}


def register_scorer(scorer: Any) -> Any:
    """Let suites name a scorer; conftest.py is the place to do it.

    Args:
        scorer: An object, or a class without arguments, with ``name`` and ``score(scenario, result)``. The latter returns a
            bool, a score from 0 to 1, or a dict or object with ``score``, ``passed`` and ``explanation`` as far as it has them.

    Returns:
        The same, so that it decorates a class.

    Raises:
        ConfigurationError: It is no scorer, or its name is that of a scorer that an installed package brings.

    Example:
        >>> @register_scorer
        ... class Short:
        ...     name = "short"
        ...
        ...     def score(self, scenario, result):
        ...         return {"passed": len(result.output) <= 80, "explanation": "at most 80 characters"}
    """
    made = made_scorer(scorer)
    place = FAMILIES.find("scorers", made.name)
    if place is not None:
        raise ConfigurationError(f"the name {made.name!r} is taken by the scorer {place}; give yours another one")
    REGISTERED[made.name] = made
    return scorer


def made_scorer(scorer: Any) -> Any:
    """Make an object of a scorer that is given as one or as a class."""
    made = scorer() if isinstance(scorer, type) else scorer
    if not isinstance(getattr(made, "name", None), str) or not callable(getattr(made, "score", None)):
        raise ConfigurationError(f"a scorer has a name and a method score(scenario, result); {scorer!r} has not")
    return made


def user_scorer(name: str, given: Any = None) -> SuiteScorer:
    """Make a scorer of one that says what it found; one that is only named is looked for when it is first needed."""

    @functools.cache
    def found() -> Any:
        if given is not None:
            return given
        known = registered()
        named = known[name] if name in known else import_object(name, "scorer")
        return named() if isinstance(named, type) else named

    def score(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        try:
            said = _said(found().score(scenario, result))
        except Exception as error:  # noqa: BLE001 - whatever the scorer of a user raises is recorded
            reason = f"the scorer {name} raised {error_outcome(error).error}"
            made = record_not_compared(reason, scenario.expected_output, instead_of="scorer_verdict", name=label)
            return scored(name, made)
        observed = {"output": result.output, **said}
        made = compare(ScorerVerdict(scorer=name), scenario.expected_output, observed, threshold, name=label)
        explanation = said["explanation"] or f"The score is {made.score:g}."
        return scored(name, made, visible(shortened(str(explanation), 500)))

    return SuiteScorer(name, score)


def _said(answer: Any) -> dict[str, Any]:
    if isinstance(answer, bool):
        answer = {"passed": answer}
    elif isinstance(answer, int | float):
        answer = {"score": answer}
    score, passed, explanation, details = (_part(answer, key) for key in ("score", "passed", "explanation", "details"))
    text = explanation or (details if isinstance(details, str) else None)
    return {"score": score, "passed": passed, "explanation": text}


def _part(answer: Any, key: str) -> Any:
    return answer.get(key) if isinstance(answer, Mapping) else getattr(answer, key, None)


def find_scorer(entry: str | ScorerEntry, announced: Collection[str]) -> SuiteScorer:
    """Find a scorer by its name; those announced are registered when the suite runs."""
    if isinstance(entry, ScorerEntry):
        return operator_scorer(entry)
    if "." in entry or ":" in entry:
        return user_scorer(entry)
    brought = load_brought("scorers", entry)
    if brought is not None:
        return brought if isinstance(brought, SuiteScorer) else user_scorer(entry, made_scorer(brought))
    if entry in registered() or entry in announced:
        return user_scorer(entry)
    if entry in REGISTRY:
        return operator_scorer(ScorerEntry(operator=entry))
    own = {*FAMILIES.all("scorers"), *registered(), *announced}
    hint = allowed("scorer", entry, {*own, *REGISTRY.public_names()}, listed=own)
    raise ConfigurationError(
        f"unknown scorer: {entry!r}.{hint} So is any of `pytest-verdict operators`. A scorer of your own is a dotted path,"
        " or registered in conftest.py, which pytest-verdict check does not import: say --scorer NAME there."
    )
