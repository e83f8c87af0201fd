"""The operator that compares the fields of JSON documents, each by an operator of its own."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import islice
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import allowed
from pytest_verdict.operators.aggregate import MISSING_OBSERVED, Condition, Parts, read_condition
from pytest_verdict.operators.json.document import apply_to_both, read_both, with_floats
from pytest_verdict.operators.json.equality import JsonCanonical
from pytest_verdict.operators.json.rules import find_by_place, refuse_root

UNEXPECTED: Final = "unexpected"
UNKNOWN_PATH: Final = "unknown_path"
REST: Final = "$"
"""The name of the part that has what no rule matches."""

_MOST_NAMED: Final = 20


def _read_rules(value: Any) -> Any:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"takes a mapping from at least one JSONPath to its operator, got {value!r}")
    for path in value:
        if not isinstance(path, str):
            raise ValueError(f"the keys of rules are JSONPaths, got {path!r}")  # noqa: TRY004 - one rule for settings
        refuse_root(path)
    return {path: read_condition(rule) for path, rule in value.items()}


def _read_rest(value: Any) -> Any:
    return None if value is None else read_condition(value)


class ByField(Parts):
    """Every field of a JSON document passes, each by the operator of its JSONPath.

    A field is a part that the JSONPath of a rule matches. Of several rules for one field, the one with the longest path
    decides, then the one with fewer wildcards, then the later one. A field inside of another one is taken out of it. What
    no rule matches is compared as one more part, ``$``.

    A field of only one document fails, with the note ``missing_observed`` or ``unexpected``; an operator whose settings
    replace expected needs the field only in observed. A rule that matches nothing in either document is an ``error``. The
    score is the share of the parts that pass. Evidence is read as by `JsonCanonical`.

    Args:
        rules: Operators by JSONPath (dialect of jsonpath-ng with its extensions): a name, an operator, or a mapping with
            ``operator``, ``settings`` and ``threshold``.
        rest: The operator for what no rule matches (default: ``json_canonical``); None leaves it out.
        normalize: Normalizers for evidence that is text, such as ``["strip_markdown_fence"]`` (default: none).

    Example:
        >>> near = {"operator": "numeric_tolerance", "settings": {"tolerance": 0.1}}
        >>> rules = {"$.city": "normalized_exact", "$.price": near}
        >>> result = compare("by_field", {"city": "Rome", "price": 10}, {"city": "ROME", "price": 12}, rules=rules)
        >>> [(field["path"], field["verdict"]) for field in result.details["fields"]]
        [('$.city', 'pass'), ('$.price', 'fail')]
    """

    name: ClassVar[str] = "by_field"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "json"

    rules: Annotated[Any, BeforeValidator(_read_rules)]
    rest: Annotated[Any, BeforeValidator(_read_rest)] = Condition(JsonCanonical())
    normalize: Normalization = ()

    def needs_expected(self) -> bool:
        conditions = [*self.rules.values(), self.rest]
        return any(condition is not None and condition.operator.needs_expected() for condition in conditions)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        documents = read_both(expected, observed, self.normalize, (True, True))
        if isinstance(documents, Outcome):
            return documents
        splitters = apply_to_both(documents, expected, lambda document: _Splitter(document, self.rules))
        if isinstance(splitters, Outcome):
            return splitters
        for path in self.rules:
            if not any(path in splitter.matched for splitter in splitters):
                names = {name for document in documents[:2] for name in islice(_leaves(document), _MOST_NAMED)}
                error = f"the rule {path!r} matches nothing in either document.{allowed('path', path, names)}"
                return documents.sides.outcome(0.0, [UNKNOWN_PATH], {"path": path}, error=error)

        rests = [splitter.take_out(document, "$") for splitter, document in zip(splitters, documents, strict=False)]
        children = self._compare_fields(*[splitter.fields for splitter in splitters])
        # Rules may take everything out of both documents, so that there is nothing to compare.
        is_empty = equal(*rests) and next(_leaves(rests[0]), None) is None
        if self.rest is not None and not is_empty:
            children.append(self.rest.compare(*[with_floats(rest, Decimal) for rest in rests], REST))
        outcome = self.outcome_of(children, {"fields": [_summarize(child) for child in children]})
        sides = documents.sides
        return sides.outcome(outcome.score, outcome.notes, outcome.details).replace(children=outcome.children)

    def _compare_fields(
        self, expected: Mapping[str, tuple[str, Any]], observed: Mapping[str, tuple[str, Any]]
    ) -> list[ComparisonResult]:
        children = []
        for place in dict.fromkeys((*expected, *observed)):
            path, first = expected.get(place, (None, ABSENT))
            other_path, second = observed.get(place, (None, ABSENT))
            condition = self.rules[path or other_path]
            first, second = (with_floats(value, Decimal) for value in (first, second))
            if second is ABSENT:
                child = condition.refuse(first, second, place, Outcome(0.0, notes=(MISSING_OBSERVED,)))
            elif first is ABSENT and condition.operator.needs_expected():
                child = condition.refuse(first, second, place, Outcome(0.0, notes=(UNEXPECTED,)))
            else:
                child = condition.compare(None if first is ABSENT else first, second, place)
            children.append(child)
        return children


class _Splitter:
    """Takes the fields that rules match out of a document."""

    def __init__(self, document: Any, rules: Mapping[str, Condition]) -> None:
        by_place = find_by_place(document, {path: path for path in rules})
        self.matched = {path for ranked in by_place.values() for _, path in ranked}
        self._paths: dict[str, str] = {place: ranked[-1][1] for place, ranked in by_place.items()}
        # By the path of the field: the path of its rule, and its value.
        self.fields: dict[str, tuple[str, Any]] = {}

    def take_out(self, document: Any, path: str) -> Any:
        """Return a document without its fields."""
        if not isinstance(document, dict | list):
            return document
        remaining = []
        for label, item in document.items() if isinstance(document, dict) else enumerate(document):
            place = step(path, label)
            rule = self._paths.get(place)
            if rule is None:
                remaining.append((label, self.take_out(item, place)))
            else:
                # Its place is taken before those of the fields inside.
                self.fields[place] = (rule, None)
                self.fields[place] = (rule, self.take_out(item, place))
        if isinstance(document, dict):
            return dict(remaining)
        return [item for _, item in remaining]


def _leaves(document: Any, path: str = "$") -> Iterator[str]:
    """Yield the JSONPaths of the scalars of a document."""
    if isinstance(document, dict | list):
        for label, item in document.items() if isinstance(document, dict) else enumerate(document):
            yield from _leaves(item, step(path, label))
    else:
        yield path


def _summarize(child: ComparisonResult) -> dict[str, Any]:
    summary: dict[str, Any] = {"path": child.name, "verdict": child.verdict, "score": child.score}
    if child.notes:
        summary["notes"] = child.notes
    return summary
