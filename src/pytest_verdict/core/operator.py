"""`Operator`: what every comparison operator is."""

import functools
import inspect
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Never, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_serializer

from pytest_verdict.core.kernel import check_threshold
from pytest_verdict.core.operator_code import code_of, is_ours
from pytest_verdict.core.record_members import OperatorIdentity
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import Problem, problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, encode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ArgumentsError, ConfigurationError, SettingsError

PASS: Final = Outcome(1.0)
FAIL: Final = Outcome(0.0)

_T = TypeVar("_T")
_OMIT_WHEN_DEFAULT: Final = "omit when default"
# Arguments of `compare` that are not settings.
_ARGUMENTS: Final = frozenset({"operator", "threshold", "name", "extract", "message"})
OmitWhenDefault = Annotated[_T, _OMIT_WHEN_DEFAULT]
"""A setting added in a later version. Recorded only when it differs from the default, so older records keep their bytes."""


class Needs(NamedTuple):
    """The condition under which a setting has an effect, and what to do if it is not met."""

    is_met: Callable[[Any], bool]
    remedy: str


class Operator(BaseModel):
    """A named comparison: a pure function of expected, observed and its settings.

    Subclass it as a frozen pydantic model whose fields are the settings, give it a ``name``, and write `evaluate`. A
    comparison must not consult a clock, the locale, the network, random numbers or the order of a set.

    Attributes:
        name: The name it is registered by; lower case words joined by underscores.
        version: A whole number from 1; raise it when a verdict changes for the same values and settings.
        kind: What it compares, for the list of operators: ``text``, ``number``, ``json`` and so on.

    Raises:
        SettingsError: A setting is unknown, missing or has a value that is not allowed.

    Example:
        >>> from pytest_verdict import Operator, Outcome, compare
        >>> class SameLength(Operator):
        ...     name = "same_length"
        ...     def evaluate(self, expected, observed):
        ...         return Outcome(1.0 if len(expected) == len(observed) else 0.0)
        >>> compare(SameLength(), "abc", "xyz").passed
        True
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: ClassVar[str]
    version: ClassVar[int] = 1
    kind: ClassVar[str] = "custom"
    evaluate_is_pure: ClassVar[bool] = False
    """Whether `evaluate` never changes its arguments; other operators get copies."""
    expected_settings: ClassVar[tuple[str, ...]] = ()
    """The settings that together replace the expected value when one of them is set."""
    needs: ClassVar[Mapping[str, Needs]] = {}
    """The settings that have an effect only under a condition; without it, any other value than the default is refused."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        # Our tests check this law for our own operators.
        cls.evaluate_is_pure = is_ours(cls)

    def __init__(self, /, *values: Never, **settings: Any) -> None:
        if values:
            first = next(iter(type(self).model_fields), "setting")
            raise ArgumentsError(f"{_label(type(self))}: settings have names: write {type(self).__name__}({first}=...)")
        _refuse_confusion(type(self), settings)
        try:
            super().__init__(**settings)
        except ValidationError as error:
            sentences = [_sentence(type(self), problem) for problem in problems_in(error)]
            raise SettingsError(f"{_label(type(self))}: " + "; ".join(sentences)) from None
        for name, (is_met, remedy) in self.needs.items():
            value = getattr(self, name)
            if value != type(self).model_fields[name].default and not is_met(self):
                raise SettingsError(f"{_label(type(self))}: {name}={shown(value, 80)} has no effect: {remedy}")

    @abstractmethod
    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare two values.

        Args:
            expected: The expected value, verbatim.
            observed: The observed value, verbatim.

        Returns:
            The score and its evidence. For values that cannot be read: a score of 0.0 and a note, never an exception. For an
            expected value that cannot be used: an error as well.
        """

    def recorded_name(self) -> str:
        """Return the name in the record: that of the class, unless its settings make it another operator."""
        return self.name

    def effective_expected(self, expected: Any) -> Any:
        """Return the expected value for the record, which a setting may replace."""
        return expected if self.expected_override is ABSENT else self.expected_override

    def needs_expected(self) -> bool:
        """Return whether a comparison needs an expected value; False when settings replace it."""
        return self.effective_expected(ABSENT) is ABSENT

    def default_threshold(self) -> float:
        """Return the threshold of a comparison that sets none, in (0, 1]."""
        return 1.0

    @property
    def is_graded(self) -> bool:
        """Whether scores other than 0.0 and 1.0 exist, so that a threshold below 1.0 may change a verdict."""
        return True

    def check_threshold(self, threshold: float | None) -> None:
        """Refuse a threshold of a call that is not in (0, 1], or that contradicts the settings.

        Args:
            threshold: The threshold of a call.

        Raises:
            SettingsError: The settings decide how much must match.
            ThresholdError: The threshold is not in (0, 1].
        """
        if threshold is not None:
            check_threshold(threshold)

    def check_configured_threshold(self, threshold: float | None) -> None:
        """Refuse a threshold in a configuration that `check_threshold` refuses, or that changes no verdict."""
        self.check_threshold(threshold)
        if threshold is not None and threshold < 1.0 and not self.is_graded:
            raise SettingsError(
                f"{self}: threshold={threshold} has no effect, because the score is 0.0 or 1.0; leave it out, or"
                " compare with an operator that has grades, such as text_similarity or numeric_tolerance with zero_at"
            )

    def reject_undecidable(self, outcome: Outcome, threshold: float) -> Outcome:
        """Return an error if parts that could not be compared leave the verdict open; for operators on other verdicts."""
        del threshold
        return outcome

    def settings(self) -> dict[str, Any]:
        """Return the settings as typed JSON, defaults included, as they are recorded."""
        return {
            name: as_setting(getattr(self, name))
            for name, field in type(self).model_fields.items()
            if _OMIT_WHEN_DEFAULT not in field.metadata or getattr(self, name) != field.default
        }

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again from a record; an operator that asks a model reads its reply from the details.

        Args:
            expected: The recorded expected value.
            observed: The recorded observed value.
            details: The recorded details.

        Returns:
            The outcome.
        """
        del details
        return self.evaluate(expected, observed)

    def check(self, observed: Any, expected: Any = None) -> bool:
        """Return whether observed passes; the arguments are in the order of template primitives.

        Args:
            observed: The observed value.
            expected: The expected value, unless a setting replaces it.

        Returns:
            Whether the score reaches `default_threshold`.

        Raises:
            NotImplementedError: The operator reads a trace; see `check_trace`.

        Example:
            >>> from pytest_verdict.operators.number import NumericRange
            >>> NumericRange(min=1, max=10).check(5)
            True
        """
        if self.kind == "trace":
            raise NotImplementedError(f"{_label(type(self))} reads the raw response: use check_trace(trace)")
        return self.evaluate(expected, observed).score >= self.default_threshold()

    def check_trace(self, trace: str) -> bool:
        """Return whether a trace passes.

        Args:
            trace: The raw text of a response.

        Returns:
            Whether the score reaches `default_threshold`.

        Raises:
            NotImplementedError: The operator reads a value, not a trace; see `check`.

        Example:
            >>> from pytest_verdict.operators.trace import TraceContains
            >>> TraceContains(substring="Fleming").check_trace("It was Fleming.")
            True
        """
        if self.kind != "trace":
            raise NotImplementedError(f"{_label(type(self))} reads an extracted value: use check(observed, expected)")
        return self.evaluate(True, trace).score >= self.default_threshold()  # noqa: FBT003 - expected is a value

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return an operator of the same class with some other settings, which are validated; ``deep`` has no effect."""
        del deep
        settings = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**{**settings, **(update or {})})

    @model_serializer(mode="plain")
    def _as_settings(self) -> dict[str, Any]:
        # So model_dump returns what is recorded, which the constructor accepts.
        return self.settings()

    @functools.cached_property
    def asks_model(self) -> bool:
        """Whether the outcome depends on a model, and is derived again from the details of the record."""
        return type(self).replay is not Operator.replay

    @functools.cached_property
    def expected_override(self) -> Any:
        """The value of the settings that replace expected, or ABSENT."""
        values = [getattr(self, name) for name in self.expected_settings]
        if values.count(None) == len(values):
            return ABSENT
        if len(values) > 1:
            return dict(zip(self.expected_settings, values, strict=True))
        if isinstance(values[0], tuple):
            return list(values[0])
        return values[0]

    @functools.cached_property
    def replaces_expected(self) -> bool:
        """Whether `effective_expected` may return another value than expected."""
        is_overridden = type(self).effective_expected is not Operator.effective_expected
        return is_overridden or self.expected_override is not ABSENT

    @functools.cached_property
    def own_threshold(self) -> float:
        """The validated `default_threshold`."""
        return check_threshold(self.default_threshold())

    @functools.cached_property
    def contains_model_operator(self) -> bool:
        """Whether an operator in the settings, at any depth, asks a model."""
        return any(inner.asks_model for inner in _operators_inside(self))

    @functools.cached_property
    def compares_decoded(self) -> bool:
        """Whether decoded copies are compared; operators of users get the objects themselves, which may need their class."""
        return self.evaluate_is_pure and all(inner.evaluate_is_pure for inner in _operators_inside(self))

    @functools.cached_property
    def is_repeatable(self) -> bool:
        """Whether equal values always have the same outcome: no model and no code of a user."""
        return self.compares_decoded and not self.asks_model and not self.contains_model_operator

    @functools.cached_property
    def identity(self) -> OperatorIdentity:
        """The name, version, settings and code in the record."""
        return OperatorIdentity(self.recorded_name(), self.version, self.settings(), code_of(type(self)))

    def __eq__(self, other: object) -> bool:
        # Operators with the same record are equal, whether they came from a name, a class or a class with other defaults.
        if isinstance(other, Operator):
            return self.identity == other.identity
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity.members)

    def __str__(self) -> str:
        return self.recorded_name()


class PassFailOperator(Operator):
    """An operator without grades: every score is 0.0 or 1.0."""

    @property
    def is_graded(self) -> bool:
        return False


def _operators_inside(value: Any) -> Iterator[Operator]:
    if isinstance(value, Operator):
        inside: Iterable[Any] = [getattr(value, name) for name in type(value).model_fields]
    elif isinstance(value, Mapping):
        inside = value.values()
    elif isinstance(value, list | tuple):
        inside = value
    else:
        # A part of an aggregate or template has its operator beside a threshold or a weight.
        inside = [value.operator] if hasattr(value, "operator") else []
    for item in inside:
        if isinstance(item, Operator):
            yield item
        yield from _operators_inside(item)


def as_setting(value: Any) -> Any:
    """Return the value of a setting as typed JSON, which can be read back."""
    if isinstance(value, Operator):
        return {"operator": value.recorded_name(), "version": value.version, "settings": value.settings()}
    if is_ours(type(value)) and hasattr(value, "written"):
        # A part of one of our operators, such as a condition of an aggregate.
        return value.written()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [as_setting(item) for item in value]
    if isinstance(value, frozenset | set):
        return sorted((as_setting(item) for item in value), key=repr)
    if isinstance(value, dict) and TYPE_KEY not in value and all(isinstance(key, str) for key in value):
        return {key: as_setting(item) for key, item in value.items()}
    return encode(value)


def _refuse_confusion(cls: type[Operator], settings: Mapping[str, Any]) -> None:
    # Pydantic would convert "no" and 1 to a bool, True to a number, and bytes to text.
    for name, value in settings.items():
        kind = cls.model_fields[name].annotation if name in cls.model_fields else None
        if kind is bool and not isinstance(value, bool):
            raise SettingsError(f"{_label(cls)}: {name} must be True or False, got {shown(value, 80)}")
        if isinstance(value, bool) and kind in {int, float}:
            raise SettingsError(f"{_label(cls)}: {name} must be a number, got {value!r}")
        items = value if isinstance(value, list | tuple) else (value,)
        has_bytes = any(isinstance(item, bytes | bytearray) for item in items)
        if has_bytes and _accepts(kind, str) and not _accepts(kind, bytes):
            raise SettingsError(f"{_label(cls)}: {name}: takes text, not bytes, got {shown(value, 80)}")


def _accepts(annotation: Any, kind: type) -> bool:
    return annotation is kind or any(_accepts(part, kind) for part in get_args(annotation))


def _label(cls: type[Operator]) -> str:
    return getattr(cls, "name", cls.__name__)


def _sentence(cls: type[Operator], problem: Problem) -> str:
    place = ".".join(map(str, problem.path))
    sentence = problem.explain(place, "setting", cls.model_fields)
    if problem.is_unknown_name and get_close_matches(place, ["threshold"]):
        start = f"there is no setting {place!r}."
        return f"{start} Did you mean the argument 'threshold'?{sentence.removeprefix(start)}"
    return sentence


def operator_from_function(function: Callable[..., Any], name: str | None = None, version: int = 1) -> type[Operator]:
    """Return the operator class of a function."""
    label = str(name or getattr(function, "__name__", ""))
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        reason = f"the annotations of an operator function must be readable: {error}"
        raise ConfigurationError(f"{label}: {reason}") from None
    if [parameter.name for parameter in parameters[:2]] != ["expected", "observed"]:
        raise ConfigurationError(f"{label}: an operator function takes expected and observed first, then its settings")
    fields: dict[str, Any] = {parameter.name: _field(label, parameter) for parameter in parameters[2:]}
    cls = create_model(label, __base__=Operator, __module__=function.__module__, __doc__=function.__doc__, **fields)
    cls.__qualname__ = getattr(function, "__qualname__", label)
    cls.name = label
    cls.version = version

    def evaluate(self: Operator, expected: Any, observed: Any) -> Outcome:
        outcome = function(expected, observed, **{name: getattr(self, name) for name in fields})
        if isinstance(outcome, Outcome):
            return outcome
        return Outcome(float(outcome) if isinstance(outcome, bool) else outcome)

    evaluate.made_of = function  # type: ignore[attr-defined]  # it has the source
    cls.evaluate = evaluate  # type: ignore[method-assign]
    cls.__abstractmethods__ = frozenset()

    def reduce(operator: Operator) -> tuple[Any, ...]:
        # Pickle finds the function by its name, but not this class, unless a decorator has put it in its place.
        settings = {setting: getattr(operator, setting) for setting in fields}
        if getattr(sys.modules.get(function.__module__), function.__name__, None) is type(operator):
            return functools.partial(type(operator), **settings), ()
        return _rebuild, (function, label, version, settings)

    cls.__reduce__ = reduce  # type: ignore[method-assign, assignment]
    return cls


def _field(label: str, parameter: inspect.Parameter) -> tuple[Any, Any]:
    if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
        raise ConfigurationError(f"{label}: settings are named one by one, not {parameter}")
    if parameter.name in _ARGUMENTS or hasattr(Operator, parameter.name):
        raise ConfigurationError(f"{label}: a setting cannot be called {parameter.name!r}, which has a meaning already")
    annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
    return annotation, ... if parameter.default is parameter.empty else parameter.default


def _rebuild(function: Callable[..., Any], name: str, version: int, settings: dict[str, Any]) -> Operator:
    return operator_from_function(function, name, version)(**settings)
