"""Rules for parts of a JSON document: JSONPaths, the parts that they match, and how these are compared or ignored."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictBool, model_serializer, model_validator

from pytest_verdict.core.values.differences import step
from pytest_verdict.errors import allowed
from pytest_verdict.operators.exact_number import Tolerance
from pytest_verdict.operators.json.document import with_floats
from pytest_verdict.operators.lists import IN_ORDER

ListOrder = Literal["ordered", "unordered"]
ToleranceMode = Literal["absolute", "relative"]
StringSimilarity = Literal["levenshtein", "indel", "jaro_winkler"]


def refuse_root(path: str) -> str:
    """Return a JSONPath; refuse one that matches the document itself."""
    if is_root(path):
        raise ValueError(f"{path!r} matches the whole document; name the parts")
    return refuse_unclear_path(path)


def _check_path(path: str) -> str:
    compile_path(path)
    return refuse_unclear_path(path)


IgnoredPaths = Annotated[tuple[Annotated[str, AfterValidator(refuse_root)], ...], IN_ORDER]
"""A setting that lists the JSONPaths of parts that are ignored."""
RulePath = Annotated[str, AfterValidator(_check_path)]
"""A setting that is a JSONPath."""


class JsonRule(BaseModel):
    """How the parts that a JSONPath matches are compared, with everything in them.

    A setting that is left out stays as it is around the matched part.

    Args:
        tolerance: The largest difference of two equal numbers, at least 0.
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
    def _refuse_unknown(cls, settings: Any) -> Any:
        for name in settings if isinstance(settings, Mapping) else ():
            if name not in cls.model_fields:
                raise ValueError(f"a rule has no setting {name!r}.{allowed('setting', str(name), cls.model_fields)}")
        return settings

    @model_validator(mode="after")
    def _refuse_ineffective(self) -> Self:
        if not self.model_fields_set:
            raise ValueError(f"a rule has at least one of {', '.join(type(self).model_fields)}, got none")
        if self.ignore and len(self.model_fields_set) > 1:
            others = sorted(self.model_fields_set - {"ignore"})
            raise ValueError(f"{', '.join(others)} has no effect on a part that is ignored; leave it out")
        return self

    @model_serializer
    def _as_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}


Rule = TypeVar("Rule")
Rank = tuple[int, ...]
"""The precedence of a rule: steps of its path, named steps among them, position in the mapping."""


class Policy(NamedTuple):
    rule: JsonRule
    """All settings of a part."""
    ranks: tuple[Rank, ...] = ()
    """The precedence of the rules that they come from, the nearest one first."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The parts of one document that the JSONPaths of an operator match, by their own path."""

    ignored: frozenset[str] = frozenset()
    rules: Mapping[str, Sequence[tuple[Rank, JsonRule]]] = field(default_factory=dict)

    def policy(self, inherited: Policy, place: str) -> Policy:
        """Return the policy of a part."""
        for rank, rule in self.rules.get(place, ()):
            changes = {name: getattr(rule, name) for name in rule.model_fields_set}
            inherited = Policy(inherited.rule.model_copy(update=changes), (rank, *inherited.ranks))
        return inherited


NO_MARKS: Final = Marks()


@functools.lru_cache(maxsize=1_000)
def compile_path(path: str) -> Any:
    from jsonpath_ng.ext import parse

    refuse_slow_path(path)
    try:
        return parse(path)
    except Exception as error:  # noqa: BLE001 - lexer and parser of the library raise several classes, Exception itself too
        raise ValueError(f"{path!r} is not a JSONPath: {error}") from None


_NAME: Final = r"[^\W\d][\w-]*"
_QUOTED: Final = r"""(?:'(?:[^'\\\x00-\x1f]|\\[\\'])*'|"(?:[^"\\\x00-\x1f]|\\[\\"])*")"""
_INDEX: Final = r"(?:0|-?[1-9][0-9]{0,14})"
_PLACE: Final = rf"[@$](?:\.{_NAME}|\[(?:{_INDEX}|{_QUOTED})\])*"
_VALUE: Final = rf"{_PLACE}|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|{_QUOTED}|true|false|null|/[^/]*/"
_TEST: Final = rf"[!(\s]*{_PLACE}(?:\s*(?:[=!<>]=|=~|[<>])\s*(?:{_VALUE}))?[)\s]*"
_SLICE: Final = rf"{_INDEX}?:{_INDEX}?(?::{_INDEX}?)?"
_SELECTOR: Final = rf"(?:{_QUOTED}|\*|{_SLICE}|{_INDEX}|\?{_TEST}(?:(?:&&?|\|\|){_TEST})*)"
_BRACKET: Final = rf"\[\s*{_SELECTOR}(?:\s*,\s*{_SELECTOR})*\s*\]"
_UNION: Final = re.compile(r"(?<!\|)\|(?!\|)")
_MOST_MULTIPLIED: Final = 5
# What jsonpath-ng and RFC 9535 read alike, a first key without $, and the extensions of jsonpath-ng in backticks.
_CLEAR: Final = re.compile(
    rf"(?:\$|{_NAME}|\*|{_BRACKET})(?:\.\.?(?:{_NAME}|\*)|(?:\.\.?)?{_BRACKET}|\.`[^`]*`)*|`this`(?:\.{_NAME})*"
)


def refuse_slow_path(path: str) -> None:
    """Refuse a JSONPath with many parts that each multiply the matches."""
    bare = re.sub(_QUOTED, "", path)
    for sign, count in {"..": bare.count(".."), "|": len(_UNION.findall(bare))}.items():
        if count > _MOST_MULTIPLIED:
            raise ValueError(
                f"{path!r} has {count} times {sign!r}; at most {_MOST_MULTIPLIED} are allowed, each multiplies the matches"
            )


def refuse_unclear_path(path: str) -> str:
    """Return a JSONPath; refuse one that jsonpath-ng reads unlike RFC 9535, or that only one of them reads."""
    if not _CLEAR.fullmatch(path):
        reading = str(compile_path(path))
        raise ValueError(
            f"{path!r} is not a clear JSONPath: jsonpath-ng reads it as {reading!r}, and RFC 9535 in another way or not at all;"
            " write keys with other signs in quotes, as in $['a key'], without escapes, or set dialect in a mapping"
        )
    return path


def is_root(path: str) -> bool:
    from jsonpath_ng import Root, This

    return isinstance(compile_path(path), Root | This)


def mark(document: Any, ignore: Sequence[str], rules: Mapping[str, JsonRule]) -> Marks:
    """Find the parts of a document that JSONPaths match."""
    if not ignore and not rules:
        return NO_MARKS
    ignored = set(find_by_place(document, dict.fromkeys(ignore)))
    rules_by_place = find_by_place(document, rules)
    for place, ranked_rules in rules_by_place.items():
        # The last rule that sets "ignore" wins.
        settings = [rule.ignore for _, rule in ranked_rules if "ignore" in rule.model_fields_set]
        if settings and settings[-1]:
            ignored.add(place)
    return Marks(frozenset(ignored - {"$"}), rules_by_place)


def find_by_place(document: Any, rules: Mapping[str, Rule]) -> dict[str, list[tuple[Rank, Rule]]]:
    """Return the rules of each part that a JSONPath matches, by the path of the part, the one that takes precedence last."""
    # The filters of the library take only int and float.
    plain_document = with_floats(document, float)
    by_place: dict[str, list[tuple[Rank, Rule]]] = {}
    for position, (path, rule) in enumerate(rules.items()):
        rank = (*_specificity(compile_path(path)), position)
        for place in _find_places(path, plain_document):
            by_place.setdefault(place, []).append((rank, rule))
    for ranked_rules in by_place.values():
        ranked_rules.sort(key=lambda ranked: ranked[0])
    return by_place


def _find_places(path: str, document: Any) -> set[str]:
    places: set[str] = set()
    for match in compile_path(path).find(document):
        labels = _labels(match)
        known_labels = [label for label in labels if label is not None]
        # Extensions of the library find values that are no part of the document.
        if len(known_labels) == len(labels):
            places.add(functools.reduce(step, known_labels, "$"))
    return places


def _labels(match: Any) -> list[str | int | None]:
    """Return the keys and indices that lead to a match; None for a step that is neither."""
    if match.context is None:
        return []
    holder = match.context.value
    fields = getattr(match.path, "fields", None)
    indices = getattr(match.path, "indices", None)
    label: str | int | None = None
    if fields is not None:
        label = str(fields[0])
    elif indices and isinstance(holder, list) and holder:
        label = int(indices[0]) % len(holder)
    return [*_labels(match.context), label]


def _specificity(path: Any) -> tuple[int, int]:
    first = getattr(path, "left", None)
    second = getattr(path, "right", None)
    if first is not None and second is not None:
        steps, named = _specificity(first)
        more_steps, more_named = _specificity(second)
        return steps + more_steps, named + more_named
    kind = type(path).__name__
    if kind in {"Root", "This"}:
        return 0, 0
    return 1, int(kind in {"Fields", "Index"} and "*" not in getattr(path, "fields", ()))
