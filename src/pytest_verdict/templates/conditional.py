"""Ground truths that depend on a context, such as an earlier answer of the same conversation."""

import enum
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Self

from annotated_types import Predicate
from pydantic import Field, field_serializer, model_validator
from rapidfuzz.distance import OSA, Indel

from pytest_verdict.core.operator import PassFailOperator, as_setting
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import NotBlank, StrictModel
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.normalized_sides import must_be

DEFAULT_CASE: Final = "default_case"
# Shorter names differ by a letter on purpose.
_LONG: Final = 4


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
    """Return the value of the context at a path, or None; a key with almost the same name is a mistake."""
    value = context
    first = source.partition(".")[0]
    if not isinstance(context, Mapping) or first not in context:
        hint = allowed("key", first, map(str, context)) if isinstance(context, Mapping) else " It is no mapping."
        raise TemplateError(f"the context has no {first!r} of {source!r}.{hint}")
    for key in source.split("."):
        if value is None:
            return None
        if not isinstance(value, Mapping):
            problem = f"the context has {shown(value, 80)} where {source!r} needs a mapping with {key!r}"
            raise TemplateError(f"{problem}; pass its values, such as model_dump() of an answer")
        near = next((name for name in value if isinstance(name, str) and _is_misspelt(key, name)), None)
        if key not in value and near is not None:
            raise TemplateError(f"the context has no {key!r} of {source!r}, but {near!r}; write the one that is meant")
        value = value.get(key)
    return value.value if isinstance(value, enum.Enum) else value


def _is_misspelt(key: str, name: str) -> bool:
    """Return whether one letter is missing, or two are swapped; turn_1 and turn_10, or node_a and node_b, are two names."""
    letters, others = (re.sub(r"[\W\d_]", "", text).casefold() for text in (key, name))
    digits, other_digits = (re.sub(r"\D", "", text) for text in (key, name))
    if digits != other_digits or not letters:
        return False
    is_swapped = sorted(letters) == sorted(others) and OSA.distance(letters, others) <= 1
    return is_swapped or (len(letters) >= _LONG and Indel.distance(letters, others) == 1)
