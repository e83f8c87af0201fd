"""`StrictModel`: reads what people and other programs write, and says what is wrong with it."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Self

from annotated_types import Predicate
from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, Strict, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pytest_verdict.core.validation_messages import Problem, problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError, allowed

_QUOTED: Final = re.compile("'([^']*)'")


class StrictModel(BaseModel):
    """A frozen model that refuses unknown keys and converts nothing; the description of a field says what it takes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    subject: ClassVar[str] = "this"
    part: ClassVar[str] = "key"

    def __init__(self, /, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise SettingsError(_explain(type(self), error, given)) from None

    @classmethod
    def read(cls, given: Any, place: object = "") -> Self:
        """Read a mapping; ``place`` is where an error says that it stands."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            where = f"{place}: " if place else ""
            raise SettingsError(f"{where}{_explain(cls, error, {})}") from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Look at the keys first: those of YAML may be numbers, which no constructor takes."""
        return core_schema.no_info_before_validator_function(cls._with_named_keys, handler(source))

    @classmethod
    def _with_named_keys(cls, given: Any) -> Any:
        if isinstance(given, cls):
            return given
        wrong = [key for key in given if not isinstance(key, str)] if isinstance(given, Mapping) else None
        if wrong is None:
            raise ValueError(f"{cls.subject} is a mapping, got {shown(given, 80)}")
        if wrong:
            raise ValueError(_unknown_key(cls, wrong[0]))
        return dict(given)


def _explain(cls: type[StrictModel], error: ValidationError, values: Mapping[str, Any]) -> str:
    # Unknown keys come first: an unknown key is often the misspelled one that is missing.
    problems = sorted(problems_in(error), key=lambda problem: not problem.is_unknown_name)
    return "; ".join(dict.fromkeys(_sentence(cls, problem, values) for problem in problems))


def _sentence(cls: type[StrictModel], problem: Problem, values: Mapping[str, Any]) -> str:
    path, value = problem.path, problem.value
    place = _place(path, value)
    if problem.is_unknown_name:
        return _unknown_key(cls, path[0])
    if problem.is_missing and len(path) == 1:
        return f"{cls.subject} needs the {cls.part} {place!r}"
    if problem.kind == "value_error":
        return f"{place}: {problem.message}" if place else problem.message
    if problem.kind == "literal_error":
        names = _QUOTED.findall(problem.context["expected"])
        return f"{place}={shown(value, 80)} is unknown.{allowed(str(path[0]), value, names)}"
    name = str(path[0])
    description = cls.model_fields[name].description
    if description is None:
        return f"{place}: {problem.with_value()}"
    return f"{name} is {description}, got {shown(values.get(name, value), 80)}"


def _place(path: Sequence[str | int], value: Any) -> str:
    """Write where a value stands; an item of a list by its id, if it has one."""
    steps = list(path)
    if len(steps) > 1 and isinstance(value, Mapping) and isinstance(value.get("id"), str):
        steps[-1] = value["id"]
    return "".join(f"[{step!r}]" if position else str(step) for position, step in enumerate(steps))


def _unknown_key(cls: type[StrictModel], key: object) -> str:
    return f"{cls.subject} has no {cls.part} {key!r}.{allowed(cls.part, key, cls.model_fields)}"


def _as_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, list | tuple):
        return tuple(value)
    raise PydanticCustomError("list_type", "takes a list")


LISTED: Final = BeforeValidator(_as_tuple)
"""Takes a list where a tuple is declared, and nothing else: a set has no order, and a text is a sequence as well."""
NOT_EMPTY: Final = Predicate(bool)

Text = Annotated[str, Strict(), NOT_EMPTY]
NotBlank = Annotated[str, Strict(), Predicate(lambda text: bool(text.strip()))]
Texts = Annotated[tuple[Annotated[str, Strict()], ...], LISTED]
