"""Which parts of a JSON document are ignored or compared in a way of their own: JSONPaths, and what they match."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictBool, model_serializer, model_validator

from pytest_verdict.errors import allowed
from pytest_verdict.operators.exact_number import Tolerance, as_exact
from pytest_verdict.operators.normalized_sides import IN_ORDER

ListOrder = Literal["ordered", "unordered"]
ToleranceMode = Literal["absolute", "relative"]
StringSimilarity = Literal["levenshtein", "indel", "jaro_winkler"]
Place = tuple[int, str | int]
"""A part of a document: the id of the dict or list that holds it, and its key or index there."""


def _names_parts(path: str) -> str:
    if is_root(path):
        raise ValueError(f"{path!r} matches the whole document; name the parts")
    return path


def _compiles(path: str) -> str:
    compiled(path)
    return path


PartPath = Annotated[str, AfterValidator(_names_parts)]
"""A setting that is the JSONPath of parts of a document."""
IgnoredPaths = Annotated[tuple[PartPath, ...], IN_ORDER]
"""A setting that lists the JSONPaths of parts that are ignored."""
RulePath = Annotated[str, AfterValidator(_compiles)]
"""A setting that is a JSONPath."""


class JsonRule(BaseModel):
    """How the parts that a JSONPath matches are compared, with all they hold.

    What is not given stays as it is around the matched part.

    Args:
        tolerance: How far two numbers may differ, at least 0.
        mode: ``absolute`` or ``relative``, the latter to the larger of the two absolute values.
        string_similarity: ``levenshtein``, ``indel`` or ``jaro_winkler``; None compares text as equal or not.
        list_order: ``ordered`` or ``unordered``.
        ignore: True removes the matched parts from both documents.

    Example:
        >>> from pytest_verdict.operators import JsonDistance
        >>> compare("json_distance", [9.9], [10], rules={"$[0]": JsonRule(tolerance=1)}).score
        1.0
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tolerance: Tolerance = 0
    mode: ToleranceMode = "absolute"
    string_similarity: StringSimilarity | None = None
    list_order: ListOrder = "ordered"
    ignore: StrictBool = False

    @model_validator(mode="before")
    @classmethod
    def _known(cls, settings: Any) -> Any:
        for name in settings if isinstance(settings, Mapping) else ():
            if name not in cls.model_fields:
                raise ValueError(f"a rule has no setting {name!r}.{allowed('setting', str(name), cls.model_fields)}")
        return settings

    @model_serializer
    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def applied(self, policy: Policy, rank: Rank) -> Policy:
        """Change a policy by what this rule says."""
        changes: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set - {"ignore"}}
        if "tolerance" in changes:
            changes["tolerance"] = as_exact(changes["tolerance"])
        return replace(policy, **changes, ranks=(rank, *policy.ranks))


Rank = tuple[int, ...]
"""What decides among rules that match one part: steps of the path, named steps among them, position in the mapping."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How a part of a document is compared."""

    tolerance: Decimal = Decimal(0)
    mode: ToleranceMode = "absolute"
    string_similarity: StringSimilarity | None = None
    list_order: ListOrder = "ordered"
    ranks: tuple[Rank, ...] = ()

    @property
    def is_strict(self) -> bool:
        """Whether scalars are equal or not, with nothing between."""
        return not self.tolerance and self.string_similarity is None


@dataclass(frozen=True, slots=True)
class Marks:
    """What the JSONPaths of an operator matched in one document."""

    ignored: frozenset[Place] = frozenset()
    rules: Mapping[Place, Sequence[tuple[Rank, JsonRule]]] = field(default_factory=dict)
    root: Place = (0, "$")

    def policy(self, inherited: Policy, place: Place) -> Policy:
        """Say how a part is compared."""
        for rank, rule in self.rules.get(place, ()):
            inherited = rule.applied(inherited, rank)
        return inherited


NO_MARKS: Final = Marks()


@functools.lru_cache(maxsize=1_000)
def compiled(path: str) -> Any:
    """Compile a JSONPath in the extended dialect of jsonpath-ng."""
    from jsonpath_ng.ext import parse

    try:
        return parse(path)
    except Exception as error:  # noqa: BLE001 - lexer and parser of the library raise several classes, Exception itself too
        raise ValueError(f"{path!r} is not a JSONPath: {error}") from None


def is_root(path: str) -> bool:
    """Say whether a JSONPath matches the document itself."""
    from jsonpath_ng import Root, This

    return isinstance(compiled(path), Root | This)


def mark(document: Any, ignore: Sequence[str], rules: Mapping[str, JsonRule]) -> Marks:
    """Find what JSONPaths match in a document."""
    if not ignore and not rules:
        return NO_MARKS
    origins: dict[int, int] = {}
    view = _view(document, origins)
    ignored = {place for path in ignore for place in _matches(path, view, origins)}
    found: dict[Place, list[tuple[Rank, JsonRule]]] = {}
    for position, (path, rule) in enumerate(rules.items()):
        rank = (*_specificity(compiled(path)), position)
        for place in _matches(path, view, origins):
            found.setdefault(place, []).append((rank, rule))
    for matching in found.values():
        matching.sort(key=lambda ranked: ranked[0])
    ignored |= {place for place, matching in found.items() if _ignores(matching)}
    return Marks(frozenset(ignored - {NO_MARKS.root}), found)


def _ignores(matching: Sequence[tuple[Rank, JsonRule]]) -> bool:
    said = [rule.ignore for _, rule in matching if "ignore" in rule.model_fields_set]
    return bool(said) and said[-1]


def _view(document: Any, origins: dict[int, int]) -> Any:
    # The library's filters know int and float only, so they see a copy; marks belong to the original.
    if isinstance(document, dict):
        copied: Any = {key: _view(item, origins) for key, item in document.items()}
    elif isinstance(document, list):
        copied = [_view(item, origins) for item in document]
    elif isinstance(document, Decimal):
        whole = document.adjusted() <= 300 and document == document.to_integral_value()
        return int(document) if whole else float(document)
    else:
        return document
    origins[id(copied)] = id(document)
    return copied


def _matches(path: str, view: Any, origins: Mapping[int, int]) -> set[Place]:
    places: set[Place] = set()
    for match in compiled(path).find(view):
        if match.context is None:
            places.add(NO_MARKS.root)
            continue
        holder = origins.get(id(match.context.value))
        label = _label(match.path, match.context.value)
        if holder is not None and label is not None:
            places.add((holder, label))
    return places


def _label(last_step: Any, holder: Any) -> str | int | None:
    fields, indices = getattr(last_step, "fields", None), getattr(last_step, "indices", None)
    if fields is not None:
        return str(fields[0])
    if not indices or not isinstance(holder, list):
        return None
    return int(indices[0]) % len(holder) if holder else None


def _specificity(path: Any) -> tuple[int, int]:
    left, right = getattr(path, "left", None), getattr(path, "right", None)
    if left is not None and right is not None:
        steps, named = _specificity(left)
        more, more_named = _specificity(right)
        return steps + more, named + more_named
    kind = type(path).__name__
    if kind in {"Root", "This"}:
        return 0, 0
    return 1, int(kind in {"Fields", "Index"} and "*" not in getattr(path, "fields", ()))
