"""`BlindOptions`: the options of a blind comparison, and their validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypedDict

from pydantic import BeforeValidator, Field, InstanceOf, model_validator

from pytest_verdict.blind.candidates import EXCLUDED
from pytest_verdict.blind.files import read_object
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.record import CheckResults
from pytest_verdict.blind.reply import GATING
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Rubric
from pytest_verdict.core.strict_model import LISTED, NotBlank, StrictModel, Text, Texts
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError, allowed

UNNAMED: Final = ("x", "y")


class BlindOptions(TypedDict, total=False):
    """Options of a blind comparison.

    Args:
        names: The names of the candidates in the record; the judge must not see them (default: ``("x", "y")``).
        identity: A list of texts that identify a system, such as model ids (default: none).
        protocol: The number, the order and the rule of calls (default: both orders once).
        key: The text from which the assignment is drawn (default: 128 random bits).
        position: The number of the comparison in a series drawn from one key, which balances the series exactly.
        exclude: Patterns of file names to leave out of a directory (default: `candidates.EXCLUDED`).
        calibration: The path of a calibration; without a fresh one the verdict is ``informal``.
        output: A folder for ``commitment.json``, ``comparison.json`` and ``blind.json`` (default: no files).
        always_ask: Ask the judge even if both outputs are equal, to measure its bias (default: False).
        expectation_results: The results of checks by the name of a candidate: for each expectation a bool or an object
            ``{text, passed}``, or the path of a ``grading.json``. The judge is not asked about expectations then.
        tie: Whether a tie passes when a candidate is expected to win: ``fail`` or ``pass`` (default: ``fail``).
        gate: The contradictions of the judge that keep the comparison from passing (default: `reply.GATING`).
        name: The name of the comparison in the report.

    Example:
        >>> options: BlindOptions = {"names": ("new", "old"), "key": "a fixed text", "tie": "pass"}
    """

    names: tuple[str, str]
    identity: Sequence[str]
    protocol: BlindProtocol | None
    key: str | None
    position: int | None
    exclude: Sequence[str]
    calibration: str | Path | None
    output: str | Path | None
    always_ask: bool
    expectation_results: Mapping[str, Any] | None
    tie: Literal["fail", "pass"]
    gate: Sequence[str]
    name: str | None


class BlindInputs(StrictModel):
    """All arguments of a blind comparison, validated before anything is read or asked."""

    subject: ClassVar[str] = "a blind comparison"
    part: ClassVar[str] = "option"

    candidates: Annotated[tuple[Any, Any], LISTED] = Field(description="a pair of two outputs")
    eval_prompt: NotBlank = Field(description="the task that both outputs were made for")
    judge: Callable[..., Any] = Field(description="a function or another callable")
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    rubric: Rubric = DEFAULT_RUBRIC
    prefer: str | None = None
    names: Annotated[tuple[Text, Text], LISTED] = Field(default=UNNAMED, description="a pair of two different texts")
    identity: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    protocol: Annotated[InstanceOf[BlindProtocol], BeforeValidator(lambda value: value or BlindProtocol())] = Field(
        default=BlindProtocol(), description="a BlindProtocol"
    )
    key: Text | None = Field(default=None, description="a text")
    position: Annotated[int, Field(ge=0)] | None = Field(default=None, description="a whole number from 0")
    exclude: Texts = Field(default=EXCLUDED, description='a list of patterns such as ["*.log"]')
    calibration: str | Path | None = Field(default=None, description="the path of a calibration")
    output: str | Path | None = Field(default=None, description="the path of a folder")
    always_ask: bool = Field(default=False, description="True or False")
    expectation_results: Any = None
    tie: Literal["fail", "pass"] = "fail"
    gate: Any = GATING
    name: str | None = Field(default=None, description="a text")

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


def read_check_results(results: Any, names: tuple[str, str], expectations: Sequence[str]) -> CheckResults | None:
    if results is None:
        return None
    if not isinstance(results, Mapping) or set(results) != set(names):
        got = shown(list(results) if isinstance(results, Mapping) else results, 80)
        raise SettingsError(f"expectation_results are results by the names of the candidates, {names}, got {got}")
    sides = []
    for name in names:
        values = results[name]
        if isinstance(values, str | Path):
            values = read_object(Path(values)).get("expectations")
        answers = []
        for value, text in zip_longest(values if isinstance(values, list | tuple) else (), expectations):
            is_object = isinstance(value, Mapping) and value.get("text") == text
            answers.append(value.get("passed") if is_object else value)
        if len(answers) != len(expectations) or not all(isinstance(answer, bool) for answer in answers):
            raise SettingsError(
                f"expectation_results[{name!r}] is a list with true, false or an object of text and passed for each of"
                f" {shown(list(expectations), 200)}, or the path of a grading.json, got {shown(values, 200)}"
            )
        sides.append(tuple(answers))
    return CheckResults(passed=(sides[0], sides[1])) if expectations else None
