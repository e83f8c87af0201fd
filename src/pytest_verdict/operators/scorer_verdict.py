"""The operator for what a scorer of the user said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome


class ScorerVerdict(Operator):
    """A scorer, an object of the user, scored the output of a scenario.

    Observed holds the output and what it said: ``{"output": ..., "score": 0.8, "passed": true, "explanation": "..."}``.
    Where ``passed`` is None the score decides, otherwise ``passed`` does. Replay derives the verdict from what was said and
    does not ask the scorer again.

    Args:
        scorer: The scorer's name.

    Example:
        >>> compare("scorer_verdict", None, {"output": "Hi", "score": 0.25}, scorer="a").score
        0.25
    """

    name: ClassVar[str] = "scorer_verdict"
    kind: ClassVar[str] = "evidence"

    scorer: str | None = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Take what the scorer said; see the class."""
        del expected
        said = observed if isinstance(observed, Mapping) else {}
        score, passed = said.get("score"), said.get("passed")
        if passed is not None and not isinstance(passed, bool):
            return Outcome(0.0, error="the scorer's passed is neither True, False nor None")
        if score is None and passed is not None:
            score = 1.0 if passed else 0.0
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            return Outcome(0.0, error="the scorer's score is not a number from 0 to 1")
        details = {"score": float(score), "explanation": said.get("explanation")}
        return Outcome(float(score) if passed is None else 1.0 if passed else 0.0, details=details)
