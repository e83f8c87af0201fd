"""What the class of a template says, read once when the class is made."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from pytest_verdict.core.operator import Operator
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.field import FieldRule, Verification, types_of
from pytest_verdict.templates.ground_truth import refuse_impossible
from pytest_verdict.templates.regex_check import RegexCheck
from pytest_verdict.templates.strategy import check_strategy
from pytest_verdict.templates.template_match import TemplateMatch

RESERVED: Final = {
    "id": "the base class keeps the question's id under this name",
    "correct": "self.correct holds the ground truth",
    "regex": "self.regex holds the regex checks",
    "verify": "verify() gives the verdict",
    "verify_granular": "verify_granular() gives the partial credit",
    "verify_regex": "verify_regex() makes the regex checks",
    "ground_truth": "ground_truth() sets what is correct",
}
"""Names that a field of a template cannot have, and what each stands for."""

_NEVER_A_METHOD: Final = ("id", "correct", "regex")
_ALIASES: Final = ("alias", "validation_alias", "serialization_alias")


@dataclass(frozen=True)
class Definition:
    """What the class of a template says."""

    template: str
    verified: Mapping[str, Verification]
    plain: tuple[str, ...]
    strategy: Operator | None
    own_verify: bool
    own_granular: bool

    @functools.cached_property
    def parsed(self) -> tuple[str, ...]:
        """The fields that a judge fills in."""
        return (*(name for name, one in self.verified.items() if not one.reads_trace), *self.plain)

    @functools.cached_property
    def traced(self) -> tuple[str, ...]:
        """The fields that read the raw response."""
        return tuple(name for name, one in self.verified.items() if one.reads_trace)

    @functools.cached_property
    def expected(self) -> dict[str, Any]:
        """The ground truths by field."""
        return {name: one.ground_truth for name, one in self.verified.items()}

    @functools.cached_property
    def match(self) -> TemplateMatch:
        """The operator of the template, without regex checks."""
        return self.make_match({}, None)

    def make_match(self, checks: Mapping[str, RegexCheck], embedding_check: Operator | None) -> TemplateMatch:
        """Make the operator of the template."""
        return TemplateMatch(
            template=self.template,
            fields={name: FieldRule(one.operator, one.weight) for name, one in self.verified.items()},
            strategy=self.strategy,
            regex=dict(checks),
            hand_written=self.own_verify,
            embedding_check=embedding_check,
        )

    def refuse_without_ground_truth(self) -> None:
        """Refuse to verify plain fields alone, of which only the author's ``verify()`` knows what is correct."""
        if self.plain and not self.verified:
            raise TemplateError(f"{self.template} has fields without ground truth: write verify(self) -> bool")


def refuse_reserved_names(cls: type[BaseModel], base: type[BaseModel]) -> None:
    """Refuse fields whose names the template itself needs, whether its own or those of a mixin."""
    sources = [source for source in cls.__mro__ if source not in base.__mro__]
    annotated = {name for source in sources for name in inspect.get_annotations(source)}
    assigned = {name for source in sources for name in _NEVER_A_METHOD if name in vars(source)}
    for name, meaning in RESERVED.items():
        if name in annotated | assigned:
            raise TemplateError(
                f"{cls.__name__}: the name {name!r} is reserved, because {meaning}; call the field otherwise"
            )


def read_definition(cls: type[BaseModel], base: type[BaseModel]) -> Definition:
    """Read the class of a template."""
    _refuse_aliases(cls)
    found = {
        name: next((one for one in field.metadata if isinstance(one, Verification)), None)
        for name, field in cls.model_fields.items()
        if name != "id"
    }
    verified = {name: one for name, one in found.items() if one is not None}
    for name, one in verified.items():
        if one.reads_trace:
            _refuse_unless_bool(cls, name)
    plain = tuple(name for name, one in found.items() if one is None)
    _refuse_lost_verification(cls, plain)
    own = [getattr(cls, method) is not getattr(base, method) for method in ("verify", "verify_granular")]
    definition = Definition(cls.__name__, verified, plain, _strategy(cls, verified), *own)
    refuse_impossible(cls, verified)
    return definition


def _refuse_aliases(cls: type[BaseModel]) -> None:
    named = {f".{name}: {kind}": getattr(field, kind) for name, field in cls.model_fields.items() for kind in _ALIASES}
    for place, alias in {": alias_generator": cls.model_config.get("alias_generator"), **named}.items():
        if alias is not None:
            reason = "the judge, the verdict and the report call a field by its name"
            raise TemplateError(f"{cls.__name__}{place} is not possible: {reason}")


def _refuse_lost_verification(cls: type[BaseModel], plain: Collection[str]) -> None:
    for source in cls.__mro__[1:]:
        definition = vars(source).get("__verdict_definition__")
        lost = [name for name in plain if definition is not None and name in definition.verified]
        if lost:
            raise TemplateError(
                f"{cls.__name__}.{lost[0]} is verified by {source.__name__}, and no longer here: declare it with VerifiedField"
            )


def _refuse_unless_bool(cls: type[BaseModel], name: str) -> None:
    annotation = cls.model_fields[name].annotation
    # An annotation that cannot be resolved yet is text, and is left alone.
    if any(isinstance(kind, type) and kind is not bool for kind in types_of(annotation)):
        raise TemplateError(
            f"{cls.__name__}.{name} reads the raw response and says whether it matches, so its type is bool, not"
            f" {getattr(annotation, '__name__', annotation)}"
        )


def _strategy(cls: type[BaseModel], verified: Mapping[str, Verification]) -> Operator | None:
    inner = getattr(cls, "VerificationStrategy", None)
    if inner is None:
        return None
    node = getattr(inner, "verify_strategy", None)
    if node is None:
        raise TemplateError(
            f"{cls.__name__}.VerificationStrategy needs verify_strategy = AllOf(conditions=[...]) or the like"
        )
    try:
        return check_strategy(node, verified)
    except TemplateError as error:
        raise TemplateError(f"{cls.__name__}: {error}") from None
