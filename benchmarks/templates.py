"""What verify() of a template with five fields costs, beside five bare comparisons of the same values."""

from __future__ import annotations

from side_by_side import microseconds, print_table

from pytest_verdict import compare
from pytest_verdict.operators import BooleanMatch, ContainsAny, NumericExact, NumericTolerance
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField


class Answer(BaseAnswer):
    """A template of five fields, one for each common operator."""

    target: str = VerifiedField("The target", "BCL2", ExactMatch(), weight=2)
    mechanism: str = VerifiedField("The mechanism", "inhibitor", ContainsAny(substrings=["inhibit", "block"]))
    dose: float = VerifiedField("The dose", 400.0, NumericTolerance(tolerance=0.05))
    year: int = VerifiedField("The year", 2016, NumericExact())
    approved: bool = VerifiedField("Whether approved", ground_truth=True, verify_with=BooleanMatch())


VALUES = {"target": "bcl2 ", "mechanism": "selective inhibitor", "dose": 405.0, "year": 2016, "approved": True}
LIMIT = 3.0


def main() -> None:
    """Measure and print."""
    answer, work = Answer(**VALUES), AnswerTemplate(Answer)
    fields = [
        (one.operator, one.ground_truth, VALUES[name]) for name, one in Answer.__verdict_definition__.verified.items()
    ]

    def five_comparisons() -> None:
        for operator, expected, observed in fields:
            compare(operator, expected, observed)

    bare = "five bare compare calls"
    with_record = "AnswerTemplate(Answer).verify(values), with its record"
    times = microseconds(
        {bare: five_comparisons, "Answer.verify()": answer.verify, with_record: lambda: work.verify(VALUES)}
    )
    print_table("verify() of a template with five fields", times, ours=bare, wanted={with_record: 2.5})
    ratio = times["Answer.verify()"] / times[bare]
    print(f"\nverify() costs {ratio:.2f} times five comparisons; at most {LIMIT} is allowed")
    raise SystemExit(ratio > LIMIT)


if __name__ == "__main__":
    main()
