"""`BaseAnswer`: what every answer template derives from, and what its class says, read once when the class is made."""

import functools
import inspect
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, PrivateAttr

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ReservedNameError, TemplateError
from pytest_verdict.templates import observed_keys as keys
from pytest_verdict.templates.field import FieldRule, Verification, types_of
from pytest_verdict.templates.ground_truth import refuse_impossible
from pytest_verdict.templates.regex_check import RegexCheck, compare_all, regex_checks, regex_report
from pytest_verdict.templates.strategy import check_strategy
from pytest_verdict.templates.template_match import Fields, TemplateMatch

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
    own_truth: bool

    @functools.cached_property
    def parsed(self) -> tuple[str, ...]:
        """The fields that a judge fills in."""
        return (*(name for name, one in self.verified.items() if not one.reads_trace), *self.plain)

    @functools.cached_property
    def filled(self) -> frozenset[str]:
        """The verified fields that a judge fills in."""
        return frozenset(self.parsed) - frozenset(self.plain)

    @functools.cached_property
    def traced(self) -> tuple[str, ...]:
        """The fields that need the raw response."""
        return tuple(name for name, one in self.verified.items() if one.reads_trace or one.quote)

    @functools.cached_property
    def form(self) -> tuple[str, ...]:
        """The keys of a reply: the fields that a judge fills in, each after its quote."""
        quoted = {name for name, one in self.verified.items() if one.quote}
        return tuple(
            key for name in self.parsed for key in ((keys.quote_of(name), name) if name in quoted else (name,))
        )

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
            fields={name: FieldRule(one.operator, one.weight, one.quote) for name, one in self.verified.items()},
            strategy=self.strategy,
            regex=dict(checks),
            hand_written=self.own_verify,
            embedding_check=embedding_check,
        )

    def refuse_without_ground_truth(self) -> None:
        """Refuse to verify plain fields alone, of which only the author's ``verify()`` knows what is correct."""
        if self.plain and not self.verified:
            raise TemplateError(f"{self.template} has fields without ground truth: write verify(self) -> bool")


class BaseAnswer(BaseModel):
    """What a response should say: fields to extract, and how each is verified.

    Declare the fields with `VerifiedField`. Or write them with pydantic's ``Field``, a method ``ground_truth(self)`` that sets
    ``self.correct`` and, if wanted, ``self.regex``, and a method ``verify(self)`` that returns a bool.

    Attributes:
        id: The id of the question, if there is one. No judge sees it.

    Raises:
        TemplateError: At class definition, when a name is reserved, a field that reads the trace is not a bool, or a strategy
            names a field that is not verified.

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
    _trace: str | None = PrivateAttr(default=None)

    def __init_subclass__(cls, **arguments: Any) -> None:
        refuse_reserved_names(cls)
        super().__init_subclass__(**arguments)

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        super().__pydantic_init_subclass__(**arguments)
        cls.__verdict_definition__ = read_definition(cls)

    def model_post_init(self, context: Any, /) -> None:
        """Set what is correct, after the values are in place; nothing that was given can take its place."""
        del context
        if self.__pydantic_extra__:
            for name in RESERVED:
                self.__pydantic_extra__.pop(name, None)
        definition = self.__verdict_definition__
        if definition.own_truth:
            self.ground_truth()  # type: ignore[attr-defined]
        if definition.verified and (not definition.own_truth or self._correct is ABSENT):
            self._correct = snapshot(definition.expected)

    @property
    def correct(self) -> Any:
        """The ground truth: what ``ground_truth()`` set, or else each field's own."""
        if self._correct is ABSENT:
            raise AttributeError(f"{type(self).__name__} has no ground truth: set self.correct in ground_truth(self)")
        return self._correct

    @correct.setter
    def correct(self, value: Any) -> None:
        self._correct = value

    @property
    def regex(self) -> Any:
        """The regex checks on the raw response that ``ground_truth()`` set, or None."""
        # As self._regex, in a tenth of the time.
        return (self.__pydantic_private__ or {}).get("_regex")

    @regex.setter
    def regex(self, value: Any) -> None:
        self._regex = value

    @property
    def _raw_trace(self) -> str | None:
        # The name that templates of karenina read and set.
        return self._trace

    @_raw_trace.setter
    def _raw_trace(self, value: str | None) -> None:
        self._trace = value

    def set_question_id(self, question_id: str) -> None:
        """Set the id of the question.

        Args:
            question_id: The new `id`.
        """
        self.id = question_id

    def verify(self, trace: str | None = None) -> bool:
        """Say whether the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            Whether the strategy holds; without one, whether every field passes. True when there is nothing to verify, as in a
            template that has regex checks only.

        Raises:
            TemplateError: A field reads the trace and there is none, or the template has plain fields and no ``verify()``.
        """
        return self.__verdict_definition__.match.holds(*self._compared(trace))

    def verify_granular(self, trace: str | None = None) -> float:
        """Say how much of the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            The weight of what passed divided by the weight of all fields, from 0.0 to 1.0.

        Raises:
            TemplateError: As for `verify`, or the template has no verified fields and no ``verify_granular()``.
        """
        if not self.__verdict_definition__.verified:
            raise TemplateError(f"{type(self).__name__} has no verified fields: write verify_granular(self) -> float")
        return self.__verdict_definition__.match.weighed(*self._compared(trace))

    def verify_regex(self, trace: Any) -> dict[str, Any]:
        """Make the regex checks of ``self.regex``.

        Args:
            trace: The raw response.

        Returns:
            ``success`` (whether all passed; true when there are none), ``results`` by name, and ``details`` by name with the
            matches and the reason of a failure.
        """
        return regex_report(compare_all(regex_checks(type(self).__name__, self.regex), trace))

    def _compared(self, trace: str | None) -> tuple[Fields, Fields]:
        definition = self.__verdict_definition__
        definition.refuse_without_ground_truth()
        trace = self._trace if trace is None else trace
        if definition.traced and trace is None:
            raise TemplateError(f"the fields {', '.join(definition.traced)} read the raw response: verify(trace=...)")
        observed = observed_values(self, trace)
        return definition.match.compare_fields(definition.expected, observed), definition.match.compare_quotes(observed)


def observed_values(answer: BaseAnswer, trace: str | None) -> Mapping[str, Any]:
    """Give what is observed of an answer."""
    values = {name: getattr(answer, name, None) for name in answer.__verdict_definition__.form}
    return values if trace is None else {**values, keys.TRACE: trace}


def refuse_reserved_names(cls: type[BaseModel]) -> None:
    """Refuse fields whose names the template itself needs, whether its own or those of a mixin."""
    sources = [source for source in cls.__mro__ if source not in BaseAnswer.__mro__]
    annotations = [(name, kind) for source in sources for name, kind in inspect.get_annotations(source).items()]
    # Checks that need no instance may stand in the class.
    shared = {name for name, kind in annotations if name == "regex" and "ClassVar[" in f"{kind}["}
    annotated = {name for name, _ in annotations} - shared
    assigned = {name for source in sources for name in _NEVER_A_METHOD if name in vars(source)} - shared
    for name, meaning in RESERVED.items():
        if name in annotated | assigned:
            reason = f"the name {name!r} is reserved, because {meaning}"
            raise ReservedNameError(f"{cls.__name__}: {reason}; call the field otherwise")


def read_definition(cls: type[BaseModel]) -> Definition:
    """Read the class of a template."""
    found = {
        name: next((one for one in field.metadata if isinstance(one, Verification)), None)
        for name, field in cls.model_fields.items()
        if name != "id"
    }
    verified = {name: one for name, one in found.items() if one is not None}
    plain = tuple(name for name, one in found.items() if one is None)
    for problem in _problems(cls, verified, plain):
        raise problem
    own = [getattr(cls, method) is not getattr(BaseAnswer, method) for method in ("verify", "verify_granular")]
    own.append(hasattr(cls, "ground_truth"))
    strategy = _strategy(cls, verified)
    refuse_impossible(cls, verified)
    return Definition(cls.__name__, verified, plain, strategy, *own)


def _problems(
    cls: type[BaseModel], verified: Mapping[str, Verification], plain: Collection[str]
) -> Iterator[TemplateError]:
    named = {f".{name}: {kind}": getattr(field, kind) for name, field in cls.model_fields.items() for kind in _ALIASES}
    for place, alias in {": alias_generator": cls.model_config.get("alias_generator"), **named}.items():
        if alias is not None:
            reason = "the judge, the verdict and the report call a field by its name"
            yield TemplateError(f"{cls.__name__}{place} is not possible: {reason}")
    for name, one in verified.items():
        annotation, quote = cls.model_fields[name].annotation, keys.quote_of(name)
        # An annotation that cannot be resolved yet is text, and is left alone.
        if one.reads_trace and any(isinstance(kind, type) and kind is not bool for kind in types_of(annotation)):
            rule = "reads the raw response and says whether it matches, so its type is bool"
            yield TemplateError(f"{cls.__name__}.{name} {rule}, not {getattr(annotation, '__name__', annotation)}")
        if one.quote and quote in cls.model_fields:
            reason = f"the judge copies a quote under the name {quote!r}; call the field otherwise"
            yield ReservedNameError(f"{cls.__name__}.{quote}: {reason}")
    for source in cls.__mro__[1:]:
        definition = vars(source).get("__verdict_definition__")
        for name in definition.verified if definition is not None else ():
            if name in plain:
                reason = f"is verified by {source.__name__}, and no longer here: declare it with VerifiedField"
                yield TemplateError(f"{cls.__name__}.{name} {reason}")


def _strategy(cls: type[BaseModel], verified: Mapping[str, Verification]) -> Operator | None:
    inner = getattr(cls, "VerificationStrategy", None)
    if inner is None:
        return None
    node = getattr(inner, "verify_strategy", None)
    if node is None:
        wanted = "verify_strategy = AllOf(conditions=[...]) or the like"
        raise TemplateError(f"{cls.__name__}.VerificationStrategy needs {wanted}")
    try:
        return check_strategy(node, verified)
    except TemplateError as error:
        raise TemplateError(f"{cls.__name__}: {error}") from None


BaseAnswer.__verdict_definition__ = read_definition(BaseAnswer)
