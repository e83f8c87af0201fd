"""Expectations that were answered before the judge is asked: by checks in a test, or in a ``grading.json``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import ConfigDict, Field

from pytest_verdict.core.strict_model import LISTED, StrictModel
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import SettingsError

CHECKS: Final = "checks"
JUDGE: Final = "judge"

Passed = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Whether each expectation is met, by the first and by the second candidate."""


class _Result(StrictModel):
    model_config = ConfigDict(extra="ignore")
    subject: ClassVar[str] = "a result"

    text: str = Field(description="a text")
    passed: bool = Field(description="true or false")


class _Grading(StrictModel):
    model_config = ConfigDict(extra="ignore")
    subject: ClassVar[str] = "a grading.json"

    expectations: Annotated[tuple[_Result, ...], LISTED] = Field(description="a list of objects with text and passed")


def read_expectation_results(given: Any, names: tuple[str, str], expectations: Sequence[str]) -> Passed | None:
    """Read the results of checks."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != set(names):
        got = [shown(name, 80) for name in given] if isinstance(given, Mapping) else [shown(given, 80)]
        raise SettingsError(
            "expectation_results are results by the names of the candidates,"
            f" for {names[0]!r} and {names[1]!r}, got {', '.join(got) or 'none'}"
        )
    first, second = (_side(given[name], f"expectation_results[{name!r}]", expectations) for name in names)
    return (first, second) if expectations else None


def _side(given: Any, where: str, expectations: Sequence[str]) -> tuple[bool, ...]:
    if isinstance(given, str | os.PathLike):
        where = f"{where}, {Path(given).as_posix()}"
        given = _graded(Path(given), where)
    if not isinstance(given, list | tuple):
        raise SettingsError(
            f"{where} is a list of results, one for each expectation, or the path of a grading.json, got {shown(given, 80)}"
        )
    if len(given) != len(expectations):
        raise SettingsError(
            f"{where} has {counted(len(given), 'result')} for {counted(len(expectations), 'expectation')};"
            " each has one, in the same order"
        )
    return tuple(
        item if isinstance(item, bool) else _answer(item, f"{where}[{number}]", number, text)
        for number, (item, text) in enumerate(zip(given, expectations, strict=True))
    )


def _answer(item: Any, where: str, number: int, expectation: str) -> bool:
    if not isinstance(item, Mapping | _Result):
        raise SettingsError(f"{where} is true or false, or an object with text and passed, got {shown(item, 80)}")
    found = _Result.read(item, where)
    if found.text != expectation:
        raise SettingsError(
            f"{where} answers {shown(found.text, 80)}, but expectation {number} is {shown(expectation, 80)};"
            " the texts are identical"
        )
    return found.passed


def _graded(path: Path, where: str) -> tuple[_Result, ...]:
    try:
        found = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, JsonTextError, ValueError) as error:
        raise SettingsError(f"{where} cannot be read: {error}") from None
    return _Grading.read(found, where).expectations
