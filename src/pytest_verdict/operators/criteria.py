"""Versioned criteria from a file, checked together, with the file's id, version and digest on the record."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import digest, encode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.aggregate import CHILD_ERROR, Condition, read_condition

SEVERITIES: Final = ("blocker", "major", "minor")
_FILE_KEYS: Final = ("id", "version", "criteria")
_KEYS: Final = ("id", "version", "severity", "operator", "settings", "threshold", "expected")


@dataclass(frozen=True, slots=True)
class CheckedCriterion:
    """One criterion that an operator checks."""

    id: str
    version: int | str
    severity: str
    condition: Condition

    def written(self) -> dict[str, Any]:
        """Write the criterion as JSON, from which an equal one is read."""
        return {"id": self.id, "version": self.version, "severity": self.severity, "operator": self.condition.written()}


def _read(value: Any) -> tuple[CheckedCriterion, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise SettingsError(f"criteria lists at least one criterion, got {shown(value, 80)}")
    found = tuple(one if isinstance(one, CheckedCriterion) else _criterion(one) for one in value)
    ids = [one.id for one in found]
    twice = [name for name in ids if ids.count(name) > 1]
    if twice:
        raise SettingsError(f"the criterion {twice[0]!r} occurs twice")
    return found


def _criterion(value: Any) -> CheckedCriterion:
    if not isinstance(value, Mapping):
        raise SettingsError(f"a criterion is a mapping, got {shown(value, 80)}")
    for key in value:
        if key not in _KEYS:
            raise SettingsError(f"a criterion has no key {key!r}.{allowed('key', key, _KEYS)}")
    name = value.get("id")
    if not isinstance(name, str) or not name:
        raise SettingsError(f"the id of a criterion is a text, got {shown(name, 80)}")
    severity = value.get("severity")
    if severity not in SEVERITIES:
        raise SettingsError(f"{name}: severity={severity!r} is unknown.{allowed('severity', severity, SEVERITIES)}")
    operator = value.get("operator")
    if isinstance(operator, str):
        extra = {key: value[key] for key in ("settings", "threshold") if key in value}
        operator = {"operator": operator, **extra}
    return CheckedCriterion(name, checked_version(value.get("version")), severity, read_condition(operator))


class CriteriaMatch(Operator):
    """Every criterion of a file is met, as far as its severity counts.

    Expected maps the ids of the criteria to expected values; observed is one value, checked against all of them. A criterion
    that asks for nothing, because a setting says what it wants, needs no expected value.

    Args:
        id: What the file is called.
        revision: The file's version.
        criteria: The criteria; each with ``id``, ``version``, ``severity``, ``operator`` and, if wanted, ``settings`` and
            ``threshold``.
        fail_on: The severities of which one unmet criterion fails the whole.

    Example:
        >>> criteria = [{"id": "polite", "version": 1, "severity": "minor", "operator": "contains_any",
        ...              "settings": {"substrings": ["please"]}}]
        >>> CriteriaMatch(id="tone", revision=1, criteria=criteria).evaluate({}, "Go.").details["unmet"]
        {'blocker': [], 'major': [], 'minor': ['polite']}
    """

    name: ClassVar[str] = "criteria"
    kind: ClassVar[str] = "aggregate"

    id: str
    revision: Annotated[Any, BeforeValidator(checked_version)]
    criteria: Annotated[Any, BeforeValidator(_read)]
    fail_on: tuple[Literal["blocker", "major", "minor"], ...] = ("blocker", "major")

    def needs_expected(self) -> bool:
        """Say whether one of the criteria needs it."""
        return any(one.condition.operator.needs_expected() for one in self.criteria)

    def settings(self) -> dict[str, Any]:
        """Give all settings as JSON; criteria as `CheckedCriterion.written` has them."""
        return {**super().settings(), "criteria": [one.written() for one in self.criteria]}

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Check every criterion; see the class."""
        given = expected if isinstance(expected, Mapping) else {}
        children = tuple(one.condition.compare(_wanted(one, given), observed, one.id) for one in self.criteria)
        unmet: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
        for one, child in zip(self.criteria, children, strict=True):
            if not child.passed:
                unmet[one.severity].append(one.id)
        broken = [child for child in children if child.error is not None]
        details = {
            "criteria_id": self.id,
            "criteria_version": self.revision,
            "criteria_sha256": digest(
                encode_text([self.id, self.revision, self.settings()["criteria"], encode(given)])
            ),
            "unmet": unmet,
        }
        score = 0.0 if broken or any(unmet[severity] for severity in self.fail_on) else 1.0
        return Outcome(score, notes=(CHILD_ERROR,) if broken else (), details=details, children=children)


def _wanted(one: CheckedCriterion, given: Mapping[str, Any]) -> Any:
    if one.id in given:
        return given[one.id]
    # A setting may say what is wanted; then nothing is missing.
    return None if one.condition.operator.effective_expected(None) is not None else ABSENT


@dataclass(frozen=True, slots=True)
class Criteria:
    """A file of criteria."""

    operator: CriteriaMatch
    expected: Mapping[str, Any]


def read_criteria(path: str | os.PathLike[str], *, fail_on: tuple[str, ...] = ("blocker", "major")) -> Criteria:
    """Read a file of criteria.

    Args:
        path: A YAML file with ``id``, ``version`` and ``criteria``; each criterion may have an ``expected`` value.
        fail_on: The severities of which one unmet criterion fails the whole.

    Returns:
        The operator and its expected values, for ``compare(criteria.operator, criteria.expected, observed)``.

    Raises:
        SettingsError: Something is missing, unknown or not allowed.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "criteria.yaml")
        ...     written = "{id: polite, version: 1, severity: minor, operator: contains_any, expected: please}"
        ...     _ = path.write_text(f"id: tone\\nversion: 2\\ncriteria: [{written}]")
        ...     read_criteria(path).expected
        {'polite': 'please'}
    """
    found = read_yaml(path)
    for key in found:
        if key not in _FILE_KEYS:
            raise SettingsError(f"{path}: there is no key {key!r}.{allowed('key', key, _FILE_KEYS)}")
    listed = found.get("criteria")
    settings: Any = {"id": found.get("id"), "revision": found.get("version"), "criteria": listed, "fail_on": fail_on}
    return Criteria(CriteriaMatch(**settings), dict(_expected(listed)))


def _expected(listed: Any) -> Iterator[tuple[str, Any]]:
    for one in listed:
        if "expected" in one:
            yield one["id"], one["expected"]


def checked_version(value: Any) -> int | str:
    """Refuse what is no version."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if whole or (isinstance(value, str) and value.strip()):
        return value  # type: ignore[no-any-return]
    raise SettingsError(f'the version is a whole number from 1 or a quoted text such as "2.1", got {shown(value, 80)}')
