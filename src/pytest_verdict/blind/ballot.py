"""`BlindBallot`: one reply of a judge, read and computed anew."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, model_validator

from pytest_verdict.blind.comparison_json import comparison_document
from pytest_verdict.blind.contradictions import Contradiction, contradictions_in
from pytest_verdict.blind.expectation_results import is_answered
from pytest_verdict.blind.reply import Reply, ReplyProblem, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Rubric, read_rubric
from pytest_verdict.blind.scoring import LABELS, Label, Winner, winner_of
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.errors import SettingsError

NOT_TEXT: Final = "not_text"


def decided(reply: Reply) -> Winner:
    """Decide by what a judge scored, not by whom it named."""
    return winner_of(
        {label: side.scores for label, side in reply.sides.items()},
        {label: side.passed for label, side in reply.sides.items()},
    )


def _rubric(value: Any) -> Rubric:
    # Settings come from records as well, and no record may have a file read.
    if isinstance(value, str | os.PathLike):
        raise SettingsError(f"takes a rubric, not the path of one: read_rubric({value!r})")
    return read_rubric(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"takes a list of texts, got {value!r}")
    return tuple(value)


def _checked(value: Any) -> dict[Label, tuple[bool, ...]] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or set(value) != set(LABELS):
        raise ValueError(f"takes a list of bools for A and one for B, got {value!r}")
    if not all(isinstance(side, list | tuple) for side in value.values()):
        raise ValueError(f"takes a list of bools for A and one for B, got {value!r}")
    return {label: tuple(value[label]) for label in LABELS}


class BlindBallot(Operator):
    """A reply of a blind judge is one from which a verdict can be derived.

    Expected says what the labels stood for; it decides nothing. Observed is the reply, verbatim. The derived winner and all
    numbers are in the details, what the judge claimed otherwise is in ``details["contradictions"]``.

    Args:
        rubric: The rubric as `Rubric.written` has it, or a `Rubric`; the default one unless given.
        expectations: The expectations that the reply must answer.
        checked: For A and for B, whether each expectation is met, when checks have answered them instead of the judge.

    Example:
        >>> BlindBallot().evaluate(None, "I would rather not.").notes
        ('reply_without_json',)
    """

    name: ClassVar[str] = "blind_ballot"
    kind: ClassVar[str] = "blind"

    rubric: Annotated[Any, BeforeValidator(_rubric)] = DEFAULT_RUBRIC
    expectations: Annotated[Any, BeforeValidator(_texts)] = ()

    checked: Annotated[Any, BeforeValidator(_checked)] = None

    @model_validator(mode="after")
    def _each_has_one_result(self) -> BlindBallot:
        total = len(self.expectations)
        if self.checked is not None and not all(is_answered(side, total) for side in self.checked.values()):
            raise ValueError(f"checked has a bool for each of {total} expectations, got {self.checked!r}")
        return self

    def settings(self) -> dict[str, Any]:
        """Give all settings as JSON; the rubric in full, and what checks have answered if they have."""
        rubric: Rubric = self.rubric
        written: dict[str, Any] = {"rubric": rubric.written(), "expectations": list(self.expectations)}
        if self.checked is not None:
            written["checked"] = {label: list(side) for label, side in self.checked.items()}
        return written

    def read(self, text: str) -> Reply:
        """Read a reply; what checks have answered stands in it instead of the judge's answers.

        Args:
            text: What the judge answered.

        Returns:
            The reply.

        Raises:
            ReplyProblem: It is no verdict.
        """
        return read_reply(text, self.rubric, self.expectations, self.checked)

    def said(self, reply: Reply) -> Winner:
        """Give the winner by what the judge itself has said; it knows nothing of what checks have answered.

        Args:
            reply: The reply.

        Returns:
            What a judge that does not contradict itself would name.
        """
        if self.checked is None:
            return decided(reply)
        return winner_of({label: side.scores for label, side in reply.sides.items()})

    def contradictions(self, reply: Reply) -> list[Contradiction]:
        """Compare what the judge claimed with what follows from what it said.

        Args:
            reply: The reply.

        Returns:
            The contradictions.
        """
        asked = self.expectations if self.checked is None else ()
        return contradictions_in(reply, self.said(reply), asked)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Read a reply; see the class."""
        del expected
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        try:
            reply = self.read(observed)
        except ReplyProblem as problem:
            return Outcome(0.0, notes=(problem.code,), details={"problem": str(problem)})
        return self.outcome(reply, decided(reply), self.contradictions(reply))

    def outcome(self, reply: Reply, winner: Winner, contradictions: list[Contradiction]) -> Outcome:
        """Write down what follows from a reply.

        Args:
            reply: The reply.
            winner: Who wins by its scores.
            contradictions: Where the judge said otherwise.

        Returns:
            A score of 1.0, with the codes of the contradictions as notes.
        """
        document = comparison_document(winner, reply.reasoning, reply.sides, self.expectations)
        details: dict[str, Any] = {
            "winner": winner,
            "claimed_winner": reply.winner,
            "overall": {label: str(side.scores.overall) for label, side in reply.sides.items()},
            "comparison": document,
        }
        if contradictions:
            details["contradictions"] = [one.written() for one in contradictions]
        codes = dict.fromkeys(one.code for one in contradictions)
        return Outcome(1.0, notes=(*reply.notes, *codes), details=details)
