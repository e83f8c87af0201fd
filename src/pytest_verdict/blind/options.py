"""`BlindOptions`: the options of a blind comparison, and their validation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypedDict

from pydantic import BeforeValidator, Field, InstanceOf, model_validator

from pytest_verdict.blind.candidates import EXCLUDED
from pytest_verdict.blind.files import read_json
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.reply import GATING
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Rubric
from pytest_verdict.core.strict_model import LISTED, NotBlank, StrictModel, Text, Texts
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import SettingsError, allowed

UNNAMED: Final = ("x", "y")
ExpectationResults = Sequence[bool | Mapping[str, Any]] | str | os.PathLike[str]


class BlindOptions(TypedDict, total=False):
    """Options of a blind comparison.

    Args:
        names: The names of the candidates in the record; the judge must not see them (default: ``("x", "y")``).
        identity: Texts that identify a system, such as model ids: a list, or lists by candidate (default: none).
        protocol: The number, the order and the rule of calls (default: both orders once).
        key: The text from which the assignment is drawn (default: 128 random bits).
        position: The number of the comparison in a series drawn from one key, which balances the series exactly.
        exclude: Patterns of file names to leave out of a directory (default: `candidates.EXCLUDED`).
        calibration: The path of a calibration, or its values; without a fresh one the verdict is ``informal``.
        output: A folder for ``commitment.json``, ``comparison.json`` and ``blind.json`` (default: no files).
        always_ask: Ask the judge even if both outputs are equal, to measure its bias (default: False).
        expectation_results: The results of checks by the name of a candidate: for each expectation a bool or an object
            ``{text, passed}``, or the path of a ``grading.json``. The judge is not asked about expectations then.
        tie: Whether a tie passes when a candidate is expected to win: ``fail`` or ``pass`` (default: ``fail``).
        gate: The contradictions of the judge that keep the comparison from passing (default: `reply.GATING`).
        name: The name of the comparison in the report.
        max_concurrency: How many calls the judge gets at once (default: 1); more need a judge that is thread-safe.

    Example:
        >>> options: BlindOptions = {"names": ("new", "old"), "key": "a fixed text", "tie": "pass"}
    """

    names: tuple[str, str]
    identity: Mapping[str, Sequence[str]] | Sequence[str]
    protocol: BlindProtocol | None
    key: str | None
    position: int | None
    exclude: Sequence[str]
    calibration: Any
    output: str | Path | None
    always_ask: bool
    expectation_results: Mapping[str, ExpectationResults] | None
    tie: Literal["fail", "pass"]
    gate: Sequence[str]
    name: str | None
    max_concurrency: int


class BlindInputs(StrictModel):
    """All arguments of a blind comparison except its candidates, validated before anything is read or asked."""

    subject: ClassVar[str] = "a blind comparison"
    part: ClassVar[str] = "option"

    eval_prompt: NotBlank = Field(description="the task that both outputs were made for")
    judge: Callable[..., Any] = Field(description="a function or another callable")
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    rubric: Rubric = DEFAULT_RUBRIC
    prefer: str | None = None
    names: Annotated[tuple[Text, Text], LISTED] = Field(default=UNNAMED, description="a pair of two different texts")
    identity: Any = ()
    protocol: Annotated[InstanceOf[BlindProtocol], BeforeValidator(lambda value: value or BlindProtocol())] = Field(
        default=BlindProtocol(), description="a BlindProtocol"
    )
    key: Text | None = Field(default=None, description="a text")
    position: Annotated[int, Field(ge=0)] | None = Field(default=None, description="a whole number from 0")
    exclude: Texts = Field(default=EXCLUDED, description='a list of patterns such as ["*.log"]')
    calibration: Any = None
    output: str | Path | None = Field(default=None, description="the path of a folder")
    always_ask: bool = Field(default=False, description="True or False")
    expectation_results: Any = None
    tie: Literal["fail", "pass"] = "fail"
    gate: Any = GATING
    name: str | None = Field(default=None, description="a text")
    max_concurrency: int = Field(default=1, ge=1, description="a whole number from 1")

    @model_validator(mode="after")
    def _check_consistency(self) -> BlindInputs:
        if self.names[0] == self.names[1]:
            raise ValueError(f"names is a pair of two different texts, got {self.names!r}")
        if {"A", "B", "TIE"} & set(self.names):
            raise ValueError(
                f"A, B and TIE are the labels of the judge; call the candidates something else than {self.names!r}"
            )
        if self.prefer is not None and self.prefer not in self.names:
            raise ValueError(f"prefer={self.prefer!r} is no candidate.{allowed('candidate', self.prefer, self.names)}")
        if self.position is not None and self.key is None:
            raise ValueError("position balances a series of comparisons drawn from one key: give key as well")
        return self


class _Result(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a result"

    text: str = Field(description="a text")
    passed: bool = Field(description="true or false")


class _Grading(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a grading.json"

    expectations: Annotated[tuple[_Result, ...], LISTED] = Field(description="a list of objects with text and passed")


def read_expectation_results(
    results: Any, names: tuple[str, str], expectations: Sequence[str]
) -> list[list[bool]] | None:
    """Return whether the first and the second candidate meet each expectation; None without results of checks."""
    if results is None:
        return None
    if not isinstance(results, Mapping) or set(results) != set(names):
        values = results if isinstance(results, Mapping) else [results]
        got = ", ".join(shown(value, 80) for value in values) or "none"
        raise SettingsError(
            f"expectation_results are results by the names of the candidates, for {names[0]!r} and {names[1]!r}, got {got}"
        )
    sides = [_read_side(results[name], f"expectation_results[{name!r}]", expectations) for name in names]
    return sides if expectations else None


def _read_side(results: Any, where: str, expectations: Sequence[str]) -> list[bool]:
    if isinstance(results, str | os.PathLike):
        where = f"{where}, {Path(results).as_posix()}"
        results = _Grading.read(read_json(Path(results), SettingsError, where), where).expectations
    if not isinstance(results, list | tuple):
        raise SettingsError(
            f"{where} is a list of results, one for each expectation, or the path of a grading.json, got {shown(results, 80)}"
        )
    if len(results) != len(expectations):
        raise SettingsError(
            f"{where} has {format_count(len(results), 'result')} for {format_count(len(expectations), 'expectation')};"
            " give one for each, in the same order"
        )

    answers = []
    for number, (result, expectation) in enumerate(zip(results, expectations, strict=True)):
        if isinstance(result, bool):
            answers.append(result)
            continue
        place = f"{where}[{number}]"
        if not isinstance(result, Mapping | _Result):
            raise SettingsError(f"{place} is true or false, or an object with text and passed, got {shown(result, 80)}")
        answer = _Result.read(result, place)
        if answer.text != expectation:
            raise SettingsError(
                f"{place} answers {shown(answer.text, 80)}, but expectation {number} is {shown(expectation, 80)};"
                " both texts must be identical"
            )
        answers.append(answer.passed)
    return answers
