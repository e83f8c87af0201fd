"""`VerifiedField`: a field, its ground truth and the operator that compares them, in one declaration."""

import contextlib
import enum
import functools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from pytest_verdict.core.kernel import result_from_outcome, run
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import REGISTRY, operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ConfigurationError, TemplateError
from pytest_verdict.operators.category import NOT_A_BOOLEAN
from pytest_verdict.operators.exact_number import ExactNumber, as_exact, as_setting as read_number

NULL_OBSERVED: Final = "null_observed"
MISSING_TRACE: Final = "missing_trace"


@dataclass(frozen=True)
class FieldRule:
    """The operator of a field, and its weight; what follows from them is found out once, not for each answer."""

    operator: Operator
    weight: ExactNumber = 1
    # Whether the words that say it are wanted too, and have to be in the response.
    quote: bool = False

    @functools.cached_property
    def reads_trace(self) -> bool:
        """Whether the operator reads the raw response instead of an extracted value."""
        return self.operator.kind == "trace"

    def written(self) -> dict[str, Any]:
        """Write the rule as the record does."""
        quote = {"quote": True} if self.quote else {}
        return {**as_setting(self.operator), "weight": self.weight, **quote}

    def compare(self, name: str, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> ComparisonResult:
        """Compare the field; a null answer is a fail with the note ``null_observed``."""
        if observed is None and self.operator.effective_expected(expected) is not None:
            return result_from_outcome(self.operator, expected, None, Outcome(0.0, notes=(NULL_OBSERVED,)), name=name)
        return run(self.operator, expected, observed, name=name, recorded=recorded)

    def refuse(self, name: str, expected: Any, observed: Any, reason: str) -> ComparisonResult:
        """Give the ``error`` of a field that cannot be compared."""
        notes = (MISSING_TRACE,) if reason == MISSING_TRACE else ()
        return result_from_outcome(
            self.operator, expected, observed, Outcome(0.0, notes=notes, error=reason), name=name
        )


def read_weight(value: Any) -> ExactNumber:
    """Read a weight, a finite number of at least 0."""
    with contextlib.suppress(ValueError):
        weight = read_number(value)
        if as_exact(weight) >= 0:
            return weight
    raise TemplateError(f"weight takes a number of at least 0, got {shown(value, 80)}")


def read_rule(value: Any) -> FieldRule:
    """Read a rule: an operator in any of its forms, and beside its recorded form a weight."""
    if isinstance(value, FieldRule):
        return value
    if not isinstance(value, Mapping):
        return FieldRule(operator_from_settings(value))
    operator = {key: item for key, item in value.items() if key not in {"weight", "quote"}}
    return FieldRule(operator_from_settings(operator), read_weight(value.get("weight", 1)), value.get("quote") is True)


class TemplateWarning(UserWarning):
    """A template may accept a wrong answer."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Verification(FieldRule):
    """The hidden half of a verified field, which no judge ever sees.

    It is part of the field's metadata. So pydantic inherits, copies and merges it with the field, and writes none of it
    into a JSON schema; and it holds the live ground truth instead of its JSON form.
    """

    ground_truth: Any
    hint: str | None

    def lost_punctuation(self) -> str:
        """Find a correct text that the field's own normalizers make equal to others."""
        if "remove_punctuation" not in getattr(self.operator, "normalize", ()):
            return ""
        texts = texts_in(self.operator.effective_expected(self.ground_truth))
        return next((text for text in texts if normalize(text, ["remove_punctuation"]) != text), "")


def VerifiedField(  # noqa: N802 - a function that is written like a class, as pydantic's Field is
    description: str,
    ground_truth: Any,
    verify_with: Operator | str | None = None,
    weight: float | str = 1.0,
    extraction_hint: str | None = None,
    *,
    quote: bool = False,
    **pydantic_field_kwargs: Any,
) -> Any:
    """Declare a field of an answer template together with how it is verified.

    The name and the parameters are those of karenina's answer templates.

    Args:
        description: What the judge is to extract; required text.
        ground_truth: The correct value. No judge and no JSON schema ever has it.
        verify_with: The operator that compares the extracted value with the ground truth, such as ``ExactMatch()``, or the
            name of one that needs no settings.
        weight: How much the field counts in the granular score, at least 0.
        extraction_hint: More guidance for the judge, or None.
        quote: Whether the judge also copies the words that say it, under the field's name and ``_quote``. The field passes
            only if the response has them, whatever blanks and line ends lie between.
        **pydantic_field_kwargs: Arguments of pydantic's ``Field``, such as ``default`` and ``ge``.

    Returns:
        A pydantic field.

    Raises:
        TemplateError: One of the arguments is not what it has to be. It is a ``ValueError``.

    Example:
        >>> from pytest_verdict.templates import BaseAnswer, NumericExact
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> Answer(pair_count=23).verify(), Answer(pair_count=46).verify()
        (True, False)
    """
    if not isinstance(description, str) or not description.strip():
        raise TemplateError(f"description tells the judge what to extract and is required text, got {description!r}")
    operator = _read_operator(verify_with)
    if extraction_hint is not None and not isinstance(extraction_hint, str):
        raise TemplateError(f"extraction_hint is text or None, got {shown(extraction_hint, 80)}")
    if not isinstance(quote, bool):
        raise TemplateError(f"quote is True or False, got {shown(quote, 80)}")
    truth = snapshot(ground_truth)
    found = Verification(
        operator=operator, weight=read_weight(weight), quote=quote, ground_truth=truth, hint=extraction_hint
    )
    if found.reads_trace:
        if quote:
            raise TemplateError("quote=True is for what a judge extracts; this operator reads the raw response itself")
        if NOT_A_BOOLEAN in run(operator, found.ground_truth, "").notes:
            meaning = "the ground truth of a field that reads the trace is True (it must match) or False"
            raise TemplateError(f"{meaning}, got {shown(found.ground_truth, 80)}")
        # No judge fills this field in, so it must not be required.
        pydantic_field_kwargs.setdefault("default", None)
    lost = found.lost_punctuation()
    if lost:
        reason = "it equals every text that differs only in punctuation, as 'O+' and 'O-' or '1.5' and '15' do"
        text = f"remove_punctuation changes the ground truth {shown(lost, 40)}: {reason}"
        warnings.warn(text, TemplateWarning, stacklevel=2)
    made: FieldInfo = Field(description=description, **pydantic_field_kwargs)
    made.metadata.append(found)
    return made


def _read_operator(given: Any) -> Operator:
    if isinstance(given, Operator):
        return given
    if isinstance(given, str):
        try:
            return operator_from_settings(given)
        except ConfigurationError as error:
            instead = f"; write verify_with={REGISTRY.find(given).__name__}(...)" if given in REGISTRY else ""
            raise TemplateError(f"verify_with: {error}{instead}") from None
    if isinstance(given, type) and issubclass(given, Operator):
        raise TemplateError(f"verify_with takes an operator, not its class: verify_with={given.__name__}(...)")
    raise TemplateError(f"verify_with takes an operator such as ExactMatch() or BooleanMatch(), got {shown(given, 80)}")


def texts_in(value: Any) -> list[str]:
    """Give the texts of a value that is text or a collection of them."""
    if isinstance(value, str):
        return [value]
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    return [item for item in items if isinstance(item, str)] if isinstance(items, list | tuple) else []


def types_of(annotation: Any) -> list[Any]:
    """Give the types other than None of which an annotation leaves the choice."""
    kinds = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    return [kind for kind in kinds if kind is not NoneType]


def choices_of(annotation: Any) -> list[Any]:
    """Give the values of which a type leaves the choice."""
    kinds = types_of(annotation)
    kind = kinds[0] if len(kinds) == 1 else None
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return list(kind) if isinstance(kind, type) and issubclass(kind, enum.Enum) else []
