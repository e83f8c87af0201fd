"""Versioned criteria from a file, checked together; the record has the file's id, version and digest."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from pytest_verdict.core.operator import PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.strict_model import LISTED, NOT_EMPTY, StrictModel, Text
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import digest, encode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.operators.aggregate import CHILD_ERROR, Condition, first_error, read_condition

Severity = Literal["blocker", "major", "minor"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)


def _read_version(value: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if is_number or (isinstance(value, str) and value.strip()):
        return value
    raise ValueError(f'takes a whole number from 1 or a quoted text such as "2.1", got {shown(value, 80)}')


Version = Annotated[int | str, BeforeValidator(_read_version)]
"""A version that people write."""

_Items = TypeVar("_Items", bound="tuple[Any, ...]")


def different_ids(items: _Items) -> _Items:
    name, times = Counter(item.id for item in items).most_common(1)[0]
    if times > 1:
        raise ValueError(f"the id {name!r} occurs twice")
    return items


class CheckedCriterion(StrictModel):
    subject: ClassVar[str] = "a criterion"

    id: Text = Field(description="a text")
    version: Version
    severity: Severity
    operator: Any
    settings: Any = None
    threshold: Any = None
    expected: Any = None

    @cached_property
    def condition(self) -> Condition:
        """The operator with its threshold."""
        values = {key: getattr(self, key) for key in ("settings", "threshold") if key in self.model_fields_set}
        return read_condition({"operator": self.operator, **values} if values else self.operator)

    @model_validator(mode="after")
    def _check_operator(self) -> CheckedCriterion:
        _ = self.condition
        return self

    def written(self) -> dict[str, Any]:
        """Return the criterion as JSON, from which an equal one is read."""
        return {"id": self.id, "version": self.version, "severity": self.severity, "operator": self.condition.written()}

    def __eq__(self, other: object) -> bool:
        # An operator may be named, configured or built, and is the same one.
        return isinstance(other, CheckedCriterion) and encode_text(self.written()) == encode_text(other.written())

    def __hash__(self) -> int:
        return hash(encode_text(self.written()))


_Criteria = Annotated[
    tuple[CheckedCriterion, ...],
    LISTED,
    NOT_EMPTY,
    AfterValidator(different_ids),
    Field(description="a list of at least one criterion"),
]


class CriteriaMatch(PassFailOperator):
    """Every criterion of a file whose severity counts is met.

    Expected maps the ids of the criteria to expected values; observed is one value that all criteria check. A criterion
    whose settings replace expected needs no expected value.

    Args:
        id: The id of the file.
        revision: The version of the file.
        criteria: The criteria; each has ``id``, ``version``, ``severity``, ``operator`` and optionally ``settings`` and
            ``threshold``.
        fail_on: The severities that count: one unmet criterion of them fails the comparison.

    Example:
        >>> criteria = [{"id": "polite", "version": 1, "severity": "minor", "operator": "contains_any",
        ...              "settings": {"substrings": ["please"]}}]
        >>> compare("criteria", {}, "Go.", id="a", revision=1, criteria=criteria).details["unmet"]
        {'blocker': [], 'major': [], 'minor': ['polite']}
    """

    name: ClassVar[str] = "criteria"
    kind: ClassVar[str] = "aggregate"

    id: str
    revision: Version
    criteria: _Criteria
    fail_on: Annotated[tuple[Severity, ...], Field(min_length=1)] = ("blocker", "major")

    def needs_expected(self) -> bool:
        return any(criterion.condition.operator.needs_expected() for criterion in self.criteria)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        values = expected if isinstance(expected, Mapping) else {}
        children = []
        unmet: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
        is_failed = False
        for criterion in self.criteria:
            child = criterion.condition.compare(values.get(criterion.id, ABSENT), observed, criterion.id)
            children.append(child)
            if not child.passed:
                unmet[criterion.severity].append(criterion.id)
                is_failed |= child.error is None and criterion.severity in self.fail_on

        identity = {"criteria_id": self.id, "criteria_version": self.revision}
        content = encode_text([*identity.values(), self.settings()["criteria"], encode(values)])
        details = {**identity, "criteria_sha256": digest(content), "unmet": unmet}
        error = first_error(children)
        return Outcome(
            0.0 if is_failed or error is not None else 1.0,
            notes=(CHILD_ERROR,) if error is not None else (),
            details=details,
            children=children,
            error=None if is_failed else error,
        )


class _File(StrictModel):
    subject: ClassVar[str] = "a file of criteria"

    id: str = Field(description="a text")
    version: Version
    criteria: _Criteria


@dataclass(frozen=True, slots=True)
class Criteria:
    """A file of criteria."""

    operator: CriteriaMatch
    expected: Mapping[str, Any]


def read_criteria(path: str | os.PathLike[str], *, fail_on: tuple[str, ...] = ("blocker", "major")) -> Criteria:
    """Read a file of criteria.

    Args:
        path: A YAML file with ``id``, ``version`` and ``criteria``; each criterion may have an ``expected`` value.
        fail_on: The severities that count, as for `CriteriaMatch`.

    Returns:
        The operator and its expected values, for ``compare(criteria.operator, criteria.expected, observed)``.

    Raises:
        SettingsError: Something is missing, unknown or not allowed.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "criteria.yaml")
        ...     criterion = "{id: polite, version: 1, severity: minor, operator: contains_any, expected: please}"
        ...     _ = path.write_text(f"id: tone\\nversion: 2\\ncriteria: [{criterion}]")
        ...     read_criteria(path).expected
        {'polite': 'please'}
    """
    file = _File.read(read_yaml(path), path)
    operator = CriteriaMatch(id=file.id, revision=file.version, criteria=file.criteria, fail_on=fail_on)  # type: ignore[arg-type]
    expected = {
        criterion.id: criterion.expected for criterion in file.criteria if "expected" in criterion.model_fields_set
    }
    return Criteria(operator, expected)
