"""An operator: a number against a Roman numeral."""

from typing import ClassVar

from pytest_verdict import Operator, Outcome

SIGNS = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def numeral(number: int) -> str:
    text = ""
    for value, sign in SIGNS:
        text += sign * (number // value)
        number %= value
    return text


class RomanNumeral(Operator):
    """Observed is expected, a number from 1, as a Roman numeral."""

    name: ClassVar[str] = "roman_numeral"
    kind: ClassVar[str] = "number"

    case_sensitive: bool = True

    def evaluate(self, expected, observed):
        if type(expected) is not int or expected < 1 or not isinstance(observed, str):
            return Outcome(0.0, notes=("not_a_numeral",))
        text = observed if self.case_sensitive else observed.upper()
        return Outcome(1.0 if text == numeral(expected) else 0.0, details={"wanted": numeral(expected)})
