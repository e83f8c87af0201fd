"""`BlindBallot`: operator that reads one reply of a judge."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, ClassVar

from pydantic import model_validator

from pytest_verdict.blind.comparison_json import comparison_document
from pytest_verdict.blind.reply import Contradiction, Reply, ReplyProblem, contradictions_in, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Rubric
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import LISTED, StrictModel, Texts
from pytest_verdict.core.values.display import counted

Answers = Annotated[tuple[bool, ...], LISTED]


class Checked(StrictModel):
    """What checks have answered: whether A and B meet each expectation."""

    subject: ClassVar[str] = "what checks have answered"

    A: Answers
    B: Answers


class BlindBallot(Operator):
    """A reply of a blind judge is one from which a verdict can be derived.

    Expected says what the labels stood for; it decides nothing. Observed is the reply, verbatim. The derived winner and all
    numbers are in the details, what the judge claimed otherwise is in ``details["contradictions"]``.

    Args:
        rubric: The rubric as `Rubric.written` has it, or a `Rubric`; the default one unless given.
        expectations: The expectations that the reply must answer.
        checked: For A and for B, whether each expectation is met, when checks have answered them instead of the judge.

    Example:
        >>> compare("blind_ballot", None, "I would rather not.").notes
        ['reply_without_json']
    """

    name: ClassVar[str] = "blind_ballot"
    kind: ClassVar[str] = "blind"

    rubric: Rubric = DEFAULT_RUBRIC
    expectations: Texts = ()
    checked: Checked | None = None

    @model_validator(mode="after")
    def _each_has_one_result(self) -> BlindBallot:
        total = len(self.expectations)
        if self.checked and any(len(side) != total for side in (self.checked.A, self.checked.B)):
            answers = dict(self.checked)
            raise ValueError(f"checked answers each of {counted(total, 'expectation')} once, got {answers!r}")
        return self

    def settings(self) -> dict[str, Any]:
        """Give all settings as JSON; the rubric in full, and what checks have answered if they have."""
        written: dict[str, Any] = {"rubric": self.rubric.written(), "expectations": list(self.expectations)}
        return {**written, "checked": self.checked.model_dump(mode="json")} if self.checked else written

    def read(self, text: str) -> Reply:
        """Read a reply; what checks have answered stands in it instead of the judge's answers."""
        return read_reply(text, self.rubric, self.expectations, dict(self.checked) if self.checked else None)

    def contradictions(self, reply: Reply) -> list[Contradiction]:
        """Compare what the judge claimed with what follows from what it said."""
        return contradictions_in(reply, reply.said, self.expectations if self.checked is None else ())

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Read a reply; see the class."""
        del expected
        if not isinstance(observed, str):
            return Outcome(0.0, notes=("not_text",))
        try:
            reply = self.read(observed)
        except ReplyProblem as problem:
            return Outcome(0.0, notes=(problem.code,), details={"problem": str(problem)})
        return self.outcome(reply, self.contradictions(reply))

    def outcome(self, reply: Reply, contradictions: list[Contradiction]) -> Outcome:
        """Write down what follows from a reply: a score of 1.0, with the codes of the contradictions as notes."""
        details: dict[str, Any] = {
            "winner": reply.winner,
            "claimed_winner": reply.claimed,
            "overall": {label: str(side.scores.overall) for label, side in reply.sides.items()},
            "comparison": comparison_document(reply.winner, reply.reasoning, reply.sides, self.expectations),
        }
        if contradictions:
            details["contradictions"] = [asdict(one) for one in contradictions]
        codes = dict.fromkeys(one.code for one in contradictions)
        return Outcome(1.0, notes=(*reply.notes, *codes), details=details)
