"""`StrictModel`: reads the files of people and other programs; the problems that pydantic finds, as sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Self

from annotated_types import Predicate
from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, Strict, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError, allowed

_QUOTED: Final = re.compile("'([^']*)'")
# Pydantic's names for what is no list.
_NO_LISTS = frozenset({"tuple_type", "list_type", "set_type", "frozen_set_type"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its path of keys and positions, pydantic's name for it, the refused value, and more from pydantic."""

    path: tuple[str | int, ...]
    kind: str
    value: Any
    message: str
    context: Mapping[str, Any]

    @property
    def is_unknown_name(self) -> bool:
        return self.kind == "extra_forbidden"

    @property
    def is_missing(self) -> bool:
        return self.kind == "missing"

    def with_value(self) -> str:
        """Return the message and the refused value."""
        return f"{self.message}, got {shown(self.value, 80)}"

    def explain(self, place: str, part: str, names: Iterable[str]) -> str:
        """Return a sentence about a place in a model, whose fields have these names and are called "setting" or "key"."""
        if self.is_unknown_name:
            return f"there is no {part} {place!r}.{allowed(part, place, names)}"
        if self.is_missing:
            return f"the {part} {place!r} is required"
        if self.kind in _NO_LISTS and isinstance(self.value, str):
            return f"{place}: takes a list, such as [{shown(self.value, 80)}], got the text {shown(self.value, 80)}"
        # The messages of our validators contain the value.
        message = self.message if self.kind == "value_error" else self.with_value()
        return f"{place}: {message}" if place else message


def problems_in(error: ValidationError) -> list[Problem]:
    """List the problems in pydantic's order."""
    return [
        Problem(
            path=problem["loc"],
            kind=problem["type"],
            value=problem["input"],
            message=problem["msg"].removeprefix("Value error, "),
            context=problem.get("ctx", {}),
        )
        for problem in error.errors(include_url=False)
    ]


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
    if problem.kind == "literal_error":
        names = _QUOTED.findall(problem.context["expected"])
        return f"{place}={shown(value, 80)} is unknown.{allowed(str(path[0]), value, names)}"
    name = str(path[0]) if path else ""
    description = cls.model_fields[name].description if name else None
    if problem.kind == "value_error" or description is None:
        return problem.explain(place, cls.part, ())
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
