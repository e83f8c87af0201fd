"""Results of checks that answer the expectations instead of the judge, as an option of a comparison or a file."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_verdict.blind.files import read_object
from pytest_verdict.blind.record import CheckResults
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import SettingsError


def read_check_results(results: Any, names: tuple[str, str], expectations: Sequence[str]) -> CheckResults | None:
    if results is None:
        return None
    if not isinstance(results, Mapping) or set(results) != set(names):
        got = list(results) if isinstance(results, Mapping) else results
        raise SettingsError(
            f"expectation_results are results by the names of the candidates, {names[0]!r} and {names[1]!r}, got {shown(got, 80)}"
        )
    first, second = (_read_side(results[name], f"expectation_results[{name!r}]", expectations) for name in names)
    return CheckResults(passed=(first, second)) if expectations else None


def _read_side(results: Any, where: str, expectations: Sequence[str]) -> tuple[bool, ...]:
    if isinstance(results, str | os.PathLike):
        where = f"{where}, {Path(results).as_posix()}"
        results = read_object(Path(results)).get("expectations")
    if not isinstance(results, list | tuple) or len(results) != len(expectations):
        raise SettingsError(
            f"{where} is a list of {format_count(len(expectations), 'result')}, one for each expectation, or the path of a"
            f" grading.json with such a list, got {shown(results, 200)}"
        )
    answers = []
    for number, (result, expectation) in enumerate(zip(results, expectations, strict=True)):
        passed = result
        if isinstance(result, Mapping) and result.get("text") == expectation:
            passed = result.get("passed")
        if not isinstance(passed, bool):
            raise SettingsError(
                f"{where}[{number}] is true or false, or an object with passed and the text {shown(expectation, 80)}, got"
                f" {shown(result, 200)}"
            )
        answers.append(passed)
    return tuple(answers)
