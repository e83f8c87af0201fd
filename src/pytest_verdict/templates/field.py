"""`VerifiedField`: a field, its ground truth and the operator that compares them, in one declaration."""

from __future__ import annotations

import enum
import warnings
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from pytest_verdict.core.kernel import run
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.category import NOT_A_BOOLEAN
from pytest_verdict.templates.field_rule import FieldRule, read_weight


class TemplateWarning(UserWarning):
    """A template may accept a wrong answer."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
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


def verification_of(field: FieldInfo) -> Verification | None:
    """Give the hidden half of a field."""
    return next((found for found in field.metadata if isinstance(found, Verification)), None)


def VerifiedField(  # noqa: N802 - a function that is written like a class, as pydantic's Field is
    description: str,
    ground_truth: Any,
    verify_with: Operator | None = None,
    weight: float | str = 1.0,
    extraction_hint: str | None = None,
    **pydantic_field_kwargs: Any,
) -> Any:
    """Declare a field of an answer template together with how it is verified.

    The name and the parameters are those of karenina's answer templates.

    Args:
        description: What the judge is to extract; required text.
        ground_truth: The correct value. No judge and no JSON schema ever has it.
        verify_with: The operator that compares the extracted value with the ground truth, such as ``ExactMatch()``.
        weight: How much the field counts in the granular score, at least 0.
        extraction_hint: More guidance for the judge, or None.
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
    if not isinstance(verify_with, Operator):
        raise TemplateError(_about_operator(verify_with))
    if extraction_hint is not None and not isinstance(extraction_hint, str):
        raise TemplateError(f"extraction_hint is text or None, got {shown(extraction_hint, 80)}")
    found = Verification(
        operator=verify_with, weight=read_weight(weight), ground_truth=snapshot(ground_truth), hint=extraction_hint
    )
    if found.reads_trace:
        _refuse_unless_truth_value(found)
        # No judge fills this field in, so it must not be required.
        pydantic_field_kwargs.setdefault("default", None)
    _warn_about_lost_punctuation(found)
    made: FieldInfo = Field(description=description, **pydantic_field_kwargs)
    made.metadata.append(found)
    return made


def _about_operator(given: Any) -> str:
    if isinstance(given, type) and issubclass(given, Operator):
        return f"verify_with takes an operator, not its class: verify_with={given.__name__}(...)"
    if isinstance(given, str):
        from pytest_verdict import templates

        names = {name.lower(): name for name in dir(templates)}
        close = next((name for name in sorted(names) if name.startswith(given.replace("_", ""))), None)
        if close:
            return f"verify_with takes an operator, not its name: verify_with={names[close]}(...)"
    return f"verify_with takes an operator such as ExactMatch() or BooleanMatch(), got {shown(given, 80)}"


def _refuse_unless_truth_value(found: Verification) -> None:
    if NOT_A_BOOLEAN in run(found.operator, found.ground_truth, "").notes:
        raise TemplateError(
            f"the ground truth of a field that reads the trace is True (it must match) or False, got"
            f" {shown(found.ground_truth, 80)}"
        )


def _warn_about_lost_punctuation(found: Verification) -> None:
    lost = found.lost_punctuation()
    if lost:
        warnings.warn(
            f"remove_punctuation changes the ground truth {shown(lost, 40)}: it equals every text that differs only in"
            " punctuation, as 'O+' and 'O-' or '1.5' and '15' do",
            TemplateWarning,
            stacklevel=3,
        )


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
