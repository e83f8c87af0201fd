"""The signatures of `compare` and its relatives for type checkers: src/pytest_verdict/signatures.pyi, made from the operators."""

from __future__ import annotations

import pathlib
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

import pytest_verdict
from pytest_verdict import Operator, SynonymMap, operators
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY

STUB = pathlib.Path(pytest_verdict.__file__).with_name("signatures.pyi")
WIDTH = 130
# The arguments of `compare` that are not settings; `semantic` has its threshold as a setting too.
ARGUMENTS = {"operator", "threshold", "name"}
NUMBER = {"int", "float", "str", "Decimal"}

HEAD = """\
# What type checkers and editors read of `compare` and the functions like it. Written by make generate from the operators.
# fmt: off
# ruff: noqa: UP013 - an expression is often shorter than a class

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import Expectation
from pytest_verdict.core.normalizers import Normalizer
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult as Result
from pytest_verdict.operators.json.rules import JsonRule

class OperatorName(str): ...

Normalizers: TypeAlias = Sequence[Normalizer]
Number: TypeAlias = int | float | str | Decimal
Texts: TypeAlias = list[str] | tuple[str, ...]
Limit: TypeAlias = float | None
Text: TypeAlias = str | None
# Whose function it is: for a comparator, what is required may have come with its defaults.
_Owner = TypeVar("_Owner")

"""

TAIL = """\
def typed_compare(function: Callable[..., Result], /) -> Compare[None]: ...
def typed_comparator(function: Callable[..., Result], /) -> Compare[Comparator]: ...
def typed_expect(function: Callable[..., Expectation], /) -> Expect: ...
def typed_defaults(function: Callable[..., Comparator], /) -> SetDefaults: ...
"""


@dataclass(frozen=True, eq=False)
class Settings:
    """The settings that an operator may be given, and those that it must."""

    name: str
    base: Settings | None
    own: Mapping[str, str]
    required: Mapping[str, str]

    def all_required(self) -> dict[str, str]:
        return {**(self.base.all_required() if self.base else {}), **self.required}

    def unpacked(self) -> str | None:
        """Return the name of the class of the optional settings, if there are any."""
        return self.name if self.own else self.base and self.base.unpacked()

    def optional(self) -> dict[str, str]:
        return {**(self.base.optional() if self.base else {}), **self.own}

    def written(self) -> str:
        """Write the class, as an expression where that takes fewer lines."""
        base = self.base and self.base.unpacked()
        lines = [f"    {name}: {annotation}" for name, annotation in self.own.items()]
        as_class = "\n".join([f"class {self.name}({base or 'TypedDict'}, total=False):", *lines]) + "\n"
        members = ", ".join(f'"{name}": {annotation}' for name, annotation in self.optional().items())
        parts = f'"{self.name}", {{{members}}}, total=False'.split(", ")
        return min(wrapped(f"{self.name} = TypedDict(", parts, ")"), as_class, key=lambda text: text.count("\n"))

    def shape(self) -> tuple[Any, ...]:
        """Return a key that operators with the same settings share."""
        return (
            self.base.shape() if self.base else (),
            tuple(sorted(self.own.items())),
            tuple(sorted(self.required.items())),
        )


@dataclass
class Catalogue:
    """The settings of the public operators, and who has them."""

    by_class: dict[type[Operator], Settings | None] = field(default_factory=dict)
    by_shape: dict[Any, Settings] = field(default_factory=dict)
    names: dict[Settings | None, list[str]] = field(default_factory=dict)

    def add(self, name: str, cls: type[Operator]) -> None:
        self.names.setdefault(self.settings(cls), []).append(name)

    def settings(self, cls: type[Operator]) -> Settings | None:
        """Return the settings of a class: its own and those of its base class."""
        if cls is Operator:
            return None
        if cls not in self.by_class:
            parent = next(parent for parent in cls.__bases__ if issubclass(parent, Operator))
            base, inherited = self.settings(parent), annotations(parent)
            found = {name: text for name, text in annotations(cls).items() if name not in inherited}
            self.by_class[cls] = self.shared(cls, base, found) if found else base
        return self.by_class[cls]

    def shared(self, cls: type[Operator], base: Settings | None, found: dict[str, str]) -> Settings:
        required = {name: text for name, text in found.items() if cls.model_fields[name].is_required()}
        own = {name: text for name, text in found.items() if name not in required}
        made = Settings(f"{cls.__name__.lstrip('_').removesuffix('Operator')}Settings", base, own, required)
        return self.by_shape.setdefault(made.shape(), made)


def annotations(cls: type[Operator]) -> dict[str, str]:
    return {name: text_of(info.annotation) for name, info in cls.model_fields.items() if name not in ARGUMENTS}


def text_of(annotation: Any) -> str:
    """Write what a setting takes when it is given; a list where the model keeps a tuple, and a mapping for a dict."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return text_of(arguments[0])
    if origin is Literal:
        return f"Literal[{', '.join(quoted(value) for value in arguments)}]"
    if origin in {Union, types.UnionType}:
        return union_of([text_of(argument) for argument in arguments])
    if origin is tuple:
        return "Texts" if text_of(arguments[0]) == "str" else f"Sequence[{text_of(arguments[0])}]"
    if origin is Sequence and text_of(arguments[0]).startswith("str | SynonymMap"):
        return "Normalizers"
    if origin is not None:
        name = "Mapping" if origin is dict else origin.__name__
        return f"{name}[{', '.join(map(text_of, arguments))}]"
    return plain(annotation)


def plain(annotation: Any) -> str:
    if annotation is Any or annotation is type(None):
        return "Any" if annotation is Any else "None"
    if issubclass(annotation, BaseModel) and annotation is not SynonymMap:
        return f"{annotation.__name__} | Mapping[str, Any]" if annotation.__name__ in operators.__all__ else "Any"
    return str(annotation.__name__)


def union_of(parts: list[str]) -> str:
    if set(parts) >= NUMBER:
        parts = ["Number", *(part for part in parts if part not in NUMBER)]
    return " | ".join(dict.fromkeys(parts))


def quoted(value: str) -> str:
    return f'"{value}"'


def catalogue() -> Catalogue:
    """Return the operators whose settings a person writes, without those that only records carry."""
    result = Catalogue()
    for name in sorted(FAMILIES.own("operators")):
        # The settings of `criteria` come out of a file, with `read_criteria`.
        if name in REGISTRY.public_names() and name != "criteria":
            result.add(name, REGISTRY.find(name))
    return result


def wrapped(head: str, arguments: Sequence[str], tail: str) -> str:
    """Write arguments on as few lines as they need."""
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    lines = [head]
    for position, argument in enumerate(arguments, 1):
        piece = argument + ("," if position < len(arguments) else tail)
        blank = "" if lines[-1] in {head, indent} else " "
        if len(lines[-1]) + len(blank) + len(piece) > WIDTH:
            lines.append(indent + piece)
        else:
            lines[-1] += blank + piece
    return "\n".join(lines) + "\n"


def overload_of(arguments: Sequence[str], settings: Settings | None, given: str, *, strict: bool) -> str:
    """Write one signature; what is required is named, the rest is unpacked."""
    required = settings.all_required() if settings else {}
    unpacked = settings.unpacked() if settings else None
    found = [*arguments, *(f"{name}: {text}{'' if strict else ' = ...'}" for name, text in required.items())]
    return signature([*found, *([f"**settings: Unpack[{unpacked}]"] if unpacked else [])], given)


def signature(arguments: Sequence[str], given: str) -> str:
    return "    @overload\n" + wrapped("    def __call__(", arguments, f") -> {given}: ...")


def literal(names: Sequence[str]) -> str:
    return f"Literal[{', '.join(map(quoted, names))}]"


TOLD = ["threshold: Limit = None", "*", "name: Text = None", "extract: Any = None", "message: Text = None"]
COMPARED = ["expected: Any", "observed: Any", *TOLD]
EXPECTED = ["expected: Any", *TOLD]
DEFAULTS = ["/", "*", "threshold: Limit = None"]


def overloads(
    found: Catalogue, rest: Sequence[str], given: str, *, strict: bool = True, or_instance: str = " | Operator"
) -> Iterator[str]:
    """Write one signature for each kind of settings."""
    for settings, names in found.names.items():
        operator = literal(names) + ("" if settings else or_instance)
        yield overload_of(["self", f"operator: {operator}", *rest], settings, given, strict=strict)


def lenient(found: Catalogue) -> Iterator[str]:
    """Write again what has required settings: those may have come with the defaults of a comparator."""
    for settings, names in found.names.items():
        if settings and settings.all_required():
            arguments = ["self: Compare[Comparator]", f"operator: {literal(names)}", *COMPARED]
            yield overload_of(arguments, settings, "Result", strict=False)


def any_name(rest: Sequence[str], given: str) -> str:
    # An argument with an underscore is not offered by editors. It is the last signature, whose operator errors speak of.
    return signature(["self", "operator: OperatorName", *rest, "**_settings: Any"], given) + "\n"


def files() -> dict[pathlib.Path, str]:
    return {STUB: stub()}


def stub() -> str:
    found = catalogue()
    none = signature(["self", "operator: None = None", *DEFAULTS], "Comparator")
    defaults = overloads(found, DEFAULTS, "Comparator", strict=False, or_instance="")
    parts = [
        HEAD,
        *(settings.written() for settings in found.by_shape.values() if settings.own),
        *("class Compare(Generic[_Owner]):\n", *overloads(found, COMPARED, "Result"), *lenient(found)),
        any_name(COMPARED, "Result"),
        *("class Expect:\n", *overloads(found, EXPECTED, "Expectation"), any_name(EXPECTED, "Expectation")),
        *("class SetDefaults:\n", none, *defaults, any_name(DEFAULTS, "Comparator")),
        TAIL,
    ]
    return "".join(parts)
