"""Ground truths that depend on a context, such as an earlier answer of the same conversation."""

import enum
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Self

from annotated_types import Predicate
from pydantic import Field, field_serializer, model_validator

from pytest_verdict.core.operator import PassFailOperator, as_setting
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import NotBlank, StrictModel
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.normalized_sides import must_be

DEFAULT_CASE: Final = "default_case"


class GroundTruthCase(StrictModel):
    """One case of a `ConditionalGroundTruth`.

    Args:
        value: The ground truth in this case.
        verify_with: The operator in this case, as for `VerifiedField` (default: that of the field).

    Example:
        >>> GroundTruthCase(value=100).value
        100
    """

    subject: ClassVar[str] = "a case (GroundTruthCase)"

    value: Any
    verify_with: Any = None

    @field_serializer("verify_with")
    def _name_operator(self, operator: Any) -> Any:
        return as_setting(operator)


class ConditionalGroundTruth(StrictModel):
    """A ground truth that depends on a value of the context; no judge sees it, nor its cases.

    Args:
        source: The path of the value in the context, with dots between the keys.
        cases: The case for each value, by the value as text; true and false may be in lower case.
        default: The case for every other value, and without a context.

    Example:
        >>> from pytest_verdict.templates import AnswerTemplate, BaseAnswer, VerifiedField
        >>> dose = ConditionalGroundTruth(
        ...     source="patient.kidneys", cases={"impaired": GroundTruthCase(value=100)}, default=GroundTruthCase(value=400)
        ... )
        >>> class Dose(BaseAnswer):
        ...     dose: int = VerifiedField("The daily dose in mg", ground_truth=dose, verify_with="numeric_exact")
        >>> AnswerTemplate(Dose).verify({"dose": 100}, context={"patient": {"kidneys": "impaired"}}).passed
        True
        >>> AnswerTemplate(Dose).verify({"dose": 100}).passed
        False
    """

    subject: ClassVar[str] = "a conditional ground truth"

    source: Annotated[NotBlank, Predicate(lambda path: all(map(str.strip, path.split("."))))] = Field(
        description="the keys of a path, with a dot between them"
    )
    cases: dict[str, GroundTruthCase] = Field(min_length=1)
    default: GroundTruthCase

    @model_validator(mode="after")
    def _refuse_useless_cases(self) -> Self:
        values: dict[str, str] = {}
        for name in self.cases:
            if name != name.strip():
                raise ValueError(f"the case {name!r} has blanks around it, so no usual value chooses it")
            # 1 and 1.0 are one number, and true may be written in two ways.
            value = name.lower() if name.lower() in {"true", "false"} else re.sub(r"^(-?[0-9]+)\.0$", r"\1", name)
            other = values.setdefault(value, name)
            if other != name:
                raise ValueError(f"the cases {other!r} and {name!r} are for one value; keep one of them")
        return self


class CaseChoice(PassFailOperator):
    """One of the cases applies to a value of the context, or the default does.

    Expected lists the names of the cases; the details have the one that applies, or null for the default, which a note says.

    Example:
        >>> compare("case_choice", ["true", "low"], True).details
        {'case': 'true'}
    """

    name: ClassVar[str] = "case_choice"
    kind: ClassVar[str] = "template"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(expected, list | tuple) or not all(isinstance(name, str) for name in expected):
            return Outcome(0.0, error=must_be("a list of the names of cases", expected))
        if not isinstance(observed, str | int | float | Decimal | None):
            return Outcome(0.0, error=f"a case is chosen by text, a number or a truth value, got {shown(observed, 80)}")
        spellings = [] if observed is None else [str(observed)]
        if isinstance(observed, bool):
            spellings.append(str(observed).lower())
        elif isinstance(observed, float) and observed.is_integer():
            spellings.append(str(int(observed)))
        case = next((name for name in spellings if name in expected), None)
        return Outcome(1.0, notes=(DEFAULT_CASE,) if case is None else (), details={"case": case})


def read_source(context: Any, source: str) -> Any:
    """Return the value of the context at a path; None where it or a part before it is None."""
    value = context
    for key in source.split("."):
        if value is None:
            return None
        if not isinstance(value, Mapping):
            problem = f"the context has {shown(value, 80)} where {source!r} needs a mapping with {key!r}"
            raise TemplateError(f"{problem}; pass its values, such as model_dump() of an answer")
        if key not in value:
            hint = allowed("key", key, map(str, value))
            raise TemplateError(f"the context has no {key!r} of {source!r}; write null there for the default.{hint}")
        value = value[key]
    return value.value if isinstance(value, enum.Enum) else value
