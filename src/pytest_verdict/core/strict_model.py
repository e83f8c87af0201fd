"""`StrictModel`: reads the files of people and other programs, and explains what is wrong with them."""

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
    """A frozen model that refuses unknown keys and converts nothing; errors contain the description of a field."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    subject: ClassVar[str] = "this"
    part: ClassVar[str] = "key"

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_explain(type(self), error, values)) from None

    @classmethod
    def read(cls, value: Any, place: object = "") -> Self:
        """Read a mapping; errors begin with its place."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            where = f"{place}: " if place else ""
            raise SettingsError(f"{where}{_explain(cls, error, {})}") from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Check the keys first, because keys from YAML may be numbers."""
        return core_schema.no_info_before_validator_function(cls._check_keys, handler(source))

    @classmethod
    def _check_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise ValueError(f"{cls.subject} is a mapping, got {shown(value, 80)}")  # noqa: TRY004 - pydantic needs a ValueError
        for key in value:
            if not isinstance(key, str):
                raise ValueError(_unknown_key(cls, key))  # noqa: TRY004
        return dict(value)


def _explain(cls: type[StrictModel], error: ValidationError, values: Mapping[str, Any]) -> str:
    # Unknown keys come first, because an unknown key is often a misspelt required one.
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
    """Return the place of a value; an item of a list is named by its id, if it has one."""
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
"""Accepts a list for a field that is a tuple; a set has no order, and a text is no list."""
NOT_EMPTY: Final = Predicate(bool)

Text = Annotated[str, Strict(), NOT_EMPTY]
NotBlank = Annotated[str, Strict(), Predicate(lambda text: bool(text.strip()))]
Texts = Annotated[tuple[Annotated[str, Strict()], ...], LISTED]
