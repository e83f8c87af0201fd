"""`BaseAnswer`: the base class of answer templates, and the definition that is read from each class."""

import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, PrivateAttr

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ReservedNameError, TemplateError
from pytest_verdict.templates.conditional import read_source
from pytest_verdict.templates.field import FieldRule, Verification, find_verified, is_choice, is_verified, types_of
from pytest_verdict.templates.ground_truth import refuse_impossible
from pytest_verdict.templates.template_match import (
    CONTEXT_KEY,
    TRACE_KEY,
    TemplateMatch,
    check_strategy,
    fields_in,
    quote_key,
)
from pytest_verdict.templates.trace_checks import RegexCheck, compare_all, regex_checks, regex_report

# Names that no field of a template can have, and the reason.
RESERVED: Final = {
    "id": "the base class keeps the question's id under this name",
    "correct": "self.correct holds the ground truth",
    "regex": "self.regex holds the regex checks",
    "verify": "verify() gives the verdict",
    "verify_granular": "verify_granular() gives the partial credit",
    "verify_regex": "verify_regex() makes the regex checks",
    "ground_truth": "ground_truth() sets what is correct",
}
_NEVER_A_METHOD: Final = {"id", "correct", "regex"}
_ALIASES: Final = ("alias", "validation_alias", "serialization_alias")


@dataclass(frozen=True, kw_only=True)
class Definition:
    template: str
    verified: Mapping[str, Verification]
    plain: tuple[str, ...]
    strategy: Operator | None
    has_own_verify: bool
    has_own_granular: bool
    has_own_ground_truth: bool

    @functools.cached_property
    def extracted(self) -> tuple[str, ...]:
        """The fields that a judge fills in."""
        return (*(name for name, verification in self.verified.items() if not verification.reads_trace), *self.plain)

    @functools.cached_property
    def trace_fields(self) -> tuple[str, ...]:
        """The fields that need the raw response."""
        return tuple(name for name, one in self.verified.items() if one.reads_trace or one.quote)

    @functools.cached_property
    def reply_keys(self) -> tuple[str, ...]:
        """The keys of a reply: the fields that a judge fills in, each after its quote."""
        keys: list[str] = []
        for name in self.extracted:
            if name in self.verified and self.verified[name].quote:
                keys.append(quote_key(name))
            keys.append(name)
        return tuple(keys)

    @functools.cached_property
    def expected(self) -> dict[str, Any]:
        return {name: verification.ground_truth for name, verification in self.verified.items()}

    @functools.cached_property
    def nullable(self) -> frozenset[str]:
        """The verified fields that may have null as their correct value."""
        verified = self.verified.items()
        return frozenset(name for name, one in verified if any(case.ground_truth is None for case in one.alternatives))

    @functools.cached_property
    def match(self) -> TemplateMatch:
        return self.build_match({}, None)

    def build_match(self, checks: Mapping[str, RegexCheck], embedding_check: Operator | None) -> TemplateMatch:
        return TemplateMatch(
            template=self.template,
            fields={
                name: FieldRule(one.operator, one.weight, one.quote, one.source, one.cases)
                for name, one in self.verified.items()
            },
            strategy=self.strategy,
            regex=dict(checks),
            hand_written=self.has_own_verify,
            embedding_check=embedding_check,
        )

    def refuse_without_ground_truth(self) -> None:
        """Raise if the template has plain fields only, which need a ``verify()`` of their own."""
        if self.plain and not self.verified:
            raise TemplateError(f"{self.template} has fields without ground truth: write verify(self) -> bool")


class BaseAnswer(BaseModel):
    """An answer template: the fields to extract from a response, and how each is verified.

    Declare the fields with `VerifiedField`. Or write them with pydantic's ``Field``, a method ``ground_truth(self)`` that sets
    ``self.correct`` and, if needed, ``self.regex``, and a method ``verify(self)`` that returns a bool.

    Attributes:
        id: The id of the question, if there is one. No judge sees it.

    Raises:
        TemplateError: At class definition, when a name is reserved, a field that reads the trace is not a bool, or a strategy
            has a field that is not verified.

    Example:
        >>> from pytest_verdict.templates import ExactMatch, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     target: str = VerifiedField("The drug target", ground_truth="BCL2", verify_with=ExactMatch())
        >>> Answer(target=" bcl2").verify()
        True
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = None

    __verdict_definition__: ClassVar[Definition]
    _correct: Any = PrivateAttr(default_factory=lambda: ABSENT)
    _regex: Any = PrivateAttr(default=None)
    # The names that templates of karenina read and set.
    _raw_trace: str | None = PrivateAttr(default=None)
    _scenario_context: Any = PrivateAttr(default=None)

    def __init_subclass__(cls, **arguments: Any) -> None:
        names: set[str] = set()
        for source in cls.__mro__:
            if source not in BaseAnswer.__mro__:
                annotations = inspect.get_annotations(source)
                names.update(annotations, vars(source).keys() & _NEVER_A_METHOD)
                # Regex checks that need no instance may be a class variable; the added bracket matches a bare ClassVar.
                if "ClassVar[" in f"{annotations.get('regex')}[":
                    names.discard("regex")
        for name in RESERVED:
            if name in names:
                reason = f"the name {name!r} is reserved, because {RESERVED[name]}; rename the field"
                raise ReservedNameError(f"{cls.__name__}: {reason}")
        super().__init_subclass__(**arguments)

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        super().__pydantic_init_subclass__(**arguments)
        cls.__verdict_definition__ = read_definition(cls)

    def model_post_init(self, context: Any, /) -> None:
        """Set the ground truth after the values, so that no value of a reply can replace it."""
        del context
        if self.__pydantic_extra__:
            for name in RESERVED:
                self.__pydantic_extra__.pop(name, None)
        definition = self.__verdict_definition__
        if definition.has_own_ground_truth:
            self.ground_truth()  # type: ignore[attr-defined]
        if definition.verified and self._correct is ABSENT:
            self._correct = snapshot(
                {name: one.ground_truth for name, one in definition.verified.items() if not one.source}
            )

    @property
    def correct(self) -> Any:
        """The ground truth that ``ground_truth()`` set, or else that of each field."""
        if self._correct is ABSENT:
            raise AttributeError(f"{type(self).__name__} has no ground truth: set self.correct in ground_truth(self)")
        return self._correct

    @correct.setter
    def correct(self, value: Any) -> None:
        self._correct = value

    @property
    def regex(self) -> Any:
        """The regex checks on the raw response that ``ground_truth()`` set, or None."""
        return self._regex

    @regex.setter
    def regex(self, value: Any) -> None:
        self._regex = value

    def set_question_id(self, question_id: str) -> None:
        """Set the id of the question."""
        self.id = question_id

    def verify(self, trace: str | None = None) -> bool:
        """Return whether the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            Whether the strategy holds; without one, whether every field passes. True when there is nothing to verify.

        Raises:
            TemplateError: A field reads the trace and there is none, or the template has plain fields and no ``verify()``.
        """
        return self._compare(trace).passed or not self.__verdict_definition__.verified

    def verify_granular(self, trace: str | None = None) -> float:
        """Return how much of the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            The weight of what passed divided by the weight of all fields, from 0.0 to 1.0.

        Raises:
            TemplateError: As for `verify`, or the template has no verified fields.
        """
        if not self.__verdict_definition__.verified:
            raise TemplateError(f"{type(self).__name__} has no verified fields: write verify_granular(self) -> float")
        return self._compare(trace).details["granular_score"] or 0.0

    def verify_regex(self, trace: Any) -> dict[str, Any]:
        """Check the raw response by ``self.regex``.

        Args:
            trace: The raw response.

        Returns:
            ``success`` (whether all passed; true when there are none), ``results`` by name, and ``details`` by name with the
            matches and the reason of a failure.
        """
        return regex_report(compare_all(regex_checks(type(self).__name__, self.regex), trace))

    def _compare(self, trace: str | None) -> ComparisonResult:
        definition = self.__verdict_definition__
        definition.refuse_without_ground_truth()
        if trace is None:
            trace = self._raw_trace
        if definition.trace_fields and trace is None:
            fields = ", ".join(definition.trace_fields)
            raise TemplateError(f"the fields {fields} read the raw response: verify(trace=...)")
        # The author's own verify() may call this one.
        match = definition.match.model_copy(update={"hand_written": False})
        return run(match, definition.expected, collect_values(self, trace))


def collect_values(answer: BaseAnswer, trace: str | None) -> dict[str, Any]:
    """Return the observed side of an answer; a default that nobody set is no answer."""
    definition = answer.__verdict_definition__
    values: dict[str, Any] = {}
    for name in definition.reply_keys:
        if name not in definition.verified or name in answer.model_fields_set:
            values[name] = getattr(answer, name, None)
        elif name not in definition.nullable:
            values[name] = None
    if trace is not None:
        values[TRACE_KEY] = trace
    sources = [one.source for one in definition.verified.values() if one.source]
    context = answer._scenario_context  # noqa: SLF001 - a slot of the base class
    if sources and context is not None:
        values[CONTEXT_KEY] = {source: read_source(context, source) for source in sources}
    return values


def read_definition(cls: type[BaseAnswer]) -> Definition:
    verified: dict[str, Verification] = {}
    plain: list[str] = []
    for name, field in cls.model_fields.items():
        verification = next((item for item in field.metadata if isinstance(item, Verification)), None)
        if verification is not None:
            if verification.quote and is_choice(field.annotation):
                verification = replace(verification, quote="choice")
            verified[name] = verification
        elif name != "id":
            plain.append(name)

    _check_fields(cls, verified)
    has_own_verify = cls.verify is not BaseAnswer.verify
    strategy = None
    inner = getattr(cls, "VerificationStrategy", None)
    if inner is not None:
        node = getattr(inner, "verify_strategy", None)
        if node is None:
            hint = "verify_strategy = AllOf(conditions=[...]) or the like"
            raise TemplateError(f"{cls.__name__}.VerificationStrategy needs {hint}")
        try:
            strategy = check_strategy(node, verified)
        except TemplateError as error:
            raise TemplateError(f"{cls.__name__}: {error}") from None
        # A mixin has no fields; the first template that has its strategy does.
        templates = (source for source in reversed(cls.__mro__) if issubclass(source, BaseModel))
        parent = next(source for source in templates if getattr(source, "VerificationStrategy", None) is inner)
        added = verified.keys() - parent.model_fields.keys() - fields_in(strategy)
        for name in () if has_own_verify else added:
            rule = f"is not in the strategy of {parent.__name__}, so a wrong value would never fail"
            raise TemplateError(f"{cls.__name__}.{name} {rule}; write a VerificationStrategy in {cls.__name__}")
    definition = Definition(
        template=cls.__name__,
        verified=verified,
        plain=tuple(plain),
        strategy=strategy,
        has_own_verify=has_own_verify,
        has_own_granular=cls.verify_granular is not BaseAnswer.verify_granular,
        has_own_ground_truth=hasattr(cls, "ground_truth"),
    )
    refuse_impossible(cls, verified)
    return definition


def _check_fields(cls: type[BaseAnswer], verified: Mapping[str, Verification]) -> None:
    aliases = [getattr(field, kind) for field in cls.model_fields.values() for kind in _ALIASES]
    if any(alias is not None for alias in (*aliases, cls.model_config.get("alias_generator"))):
        reason = "the judge, the verdict and the report call a field by its name"
        raise TemplateError(f"{cls.__name__}: an alias is not possible: {reason}")

    for name, verification in verified.items():
        annotation = cls.model_fields[name].annotation
        # An annotation that cannot be resolved yet is text, and is not checked.
        has_other_type = any(isinstance(kind, type) and kind is not bool for kind in types_of(annotation))
        if verification.reads_trace and has_other_type:
            rule = "reads the raw response and says whether it matches, so its type is bool"
            raise TemplateError(f"{cls.__name__}.{name} {rule}, not {getattr(annotation, '__name__', annotation)}")
        quote = quote_key(name)
        if verification.quote and quote in cls.model_fields:
            reason = f"the judge copies a quote under the name {quote!r}; rename the field"
            raise ReservedNameError(f"{cls.__name__}.{quote}: {reason}")

    for source in cls.__mro__:
        definition = vars(source).get("__verdict_definition__")
        for name in definition.verified if definition is not None else ():
            if name not in verified:
                reason = f"is verified by {source.__name__}, and no longer here: declare it with VerifiedField"
                raise TemplateError(f"{cls.__name__}.{name} {reason}")
        for name, value in vars(source).items():
            if is_verified(value) and name not in verified:
                reason = "is no field because of its annotation, such as ClassVar, so nothing would check it"
                raise TemplateError(f"{cls.__name__}.{name} {reason}; write {name}: TYPE = VerifiedField(...)")
    refuse_unchecked(cls)


def refuse_unchecked(cls: type[BaseAnswer]) -> None:
    """Raise if the type of a field has verified fields or templates inside, because no operator looks there."""
    for name, field in cls.model_fields.items():
        is_compared = is_verified(field)
        for inner in find_verified(field.annotation):
            # An operator compares the whole value, and a method of the author may call verify() of an inner template.
            is_template = isinstance(inner, type)
            if is_compared or (is_template and cls.verify is not BaseAnswer.verify):
                continue
            place = f"{cls.__name__}.{name}"
            label = inner.__name__ if is_template else "VerifiedField"
            raise TemplateError(
                f"{place}: nothing checks {label} inside of its type; declare the verified fields in {cls.__name__} itself,"
                " give this field a ground truth, or write verify(self) -> bool"
            )


BaseAnswer.__verdict_definition__ = read_definition(BaseAnswer)
