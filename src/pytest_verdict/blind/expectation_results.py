"""Expectations that were answered before the judge is asked: by checks in a test, or in a ``grading.json``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.scoring import LABELS, Label
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import ConfigurationError

CHECKS: Final = "checks"
JUDGE: Final = "judge"

Passed = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Whether each expectation is met, by the first and by the second candidate."""

_ITEM: Final = "an object with a text and passed, which is true or false"


def read_expectation_results(given: Any, names: tuple[str, str], expectations: Sequence[str]) -> Passed | None:
    """Read the results of checks."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f"expectation_results are results by the names of the candidates, {names[0]!r} and {names[1]!r},"
            f" got {shown(given, 80)}"
        )
    if set(given) != set(names):
        got = ", ".join(shown(name, 80) for name in given) or "none"
        raise ConfigurationError(f"expectation_results are for {names[0]!r} and {names[1]!r}, got {got}")
    first, second = (_side(given[name], f"expectation_results[{name!r}]", expectations) for name in names)
    return (first, second) if expectations else None


def written_results(passed: Passed) -> dict[str, Any]:
    """Write results as JSON, for what is settled before the judge is asked."""
    return {"source": CHECKS, "passed": [list(side) for side in passed]}


def recorded_results(settled: Mapping[str, Any]) -> Passed | None:
    """Read results back from what was settled."""
    if "expectation_results" not in settled:
        return None
    written, total = settled["expectation_results"], len(settled["expectations"])
    sides = written["passed"]
    if written["source"] != CHECKS or not isinstance(sides, list) or len(sides) != len(LABELS):
        raise ValueError("the results of checks are a list for each of two candidates")
    if not all(is_answered(side, total) for side in sides):
        raise ValueError(f"each of {total} expectations has one result, which is true or false")
    return tuple(sides[0]), tuple(sides[1])


def is_answered(side: Any, total: int) -> bool:
    """Say whether a value answers so many expectations."""
    return isinstance(side, list | tuple) and len(side) == total and all(isinstance(answer, bool) for answer in side)


def by_label(passed: Passed, slots: Mapping[Label, int]) -> dict[Label, tuple[bool, ...]]:
    """Give the results as a call of the judge has the outputs."""
    return {label: passed[slots[label]] for label in LABELS}


def _side(given: Any, where: str, expectations: Sequence[str]) -> tuple[bool, ...]:
    is_file = isinstance(given, str | os.PathLike)
    if is_file:
        where = f"{where}, {Path(given).as_posix()},"
        given = _graded(Path(given), where)
    if not isinstance(given, list | tuple):
        raise ConfigurationError(
            f"{where} is a list of results, one for each expectation, or the path of a grading.json, got {shown(given, 80)}"
        )
    if len(given) != len(expectations):
        raise ConfigurationError(
            f"{where} has {counted(len(given), 'result')} for {len(expectations)} expectations; each has one, in the same order"
        )
    return tuple(
        _answer(item, f"{where}[{number}]", number, text, is_file=is_file)
        for number, (item, text) in enumerate(zip(given, expectations, strict=True))
    )


def _answer(item: Any, where: str, number: int, expectation: str, *, is_file: bool) -> bool:
    if isinstance(item, bool) and not is_file:
        return item
    text, passed = (item.get("text"), item.get("passed")) if isinstance(item, Mapping) else (None, None)
    if not isinstance(text, str) or not isinstance(passed, bool):
        known = _ITEM if is_file else f"true or false, or {_ITEM}"
        raise ConfigurationError(f"{where} is {known}, got {shown(item, 80)}")
    if text != expectation:
        raise ConfigurationError(
            f"{where} answers {shown(text, 80)}, but expectation {number} is {shown(expectation, 80)}; the texts are identical"
        )
    return passed


def _graded(path: Path, where: str) -> list[Any]:
    try:
        found = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, JsonTextError, UnicodeError, ValueError) as error:
        raise ConfigurationError(f"{where} cannot be read: {error}") from None
    listed = found.get("expectations") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ConfigurationError(f"{where} has no list 'expectations' of objects with text and passed")
    return listed
