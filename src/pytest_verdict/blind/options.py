"""`BlindOptions`: what can be said of a blind comparison besides its candidates, its task and its judge."""

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
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.errors import SettingsError, allowed

UNNAMED: Final = ("x", "y")
"""What candidates are called that were given no names."""

ExpectationResults = Sequence[bool | Mapping[str, Any]] | str | os.PathLike[str]
"""What checks have found about one candidate."""


class BlindOptions(TypedDict, total=False):
    """What else can be said of a blind comparison.

    Args:
        names: What the candidates are called in the record; names that say something are identity tokens as well.
        identity: Texts that would give a system away, such as model ids: a list, or lists by candidate.
        protocol: How often, in which order, and by which rule; both orders once unless given.
        key: What the assignment is drawn from; 128 fresh random bits unless given.
        position: The comparison's number in a series drawn from one key, which makes the series exactly balanced.
        exclude: Patterns of names to leave out in a directory; see `candidates.EXCLUDED`.
        calibration: The file of a calibration, or its values; without a fresh one the verdict is ``informal``.
        output: A folder for ``commitment.json``, ``comparison.json`` and ``blind.json``.
        always_ask: Whether the judge is asked also when both outputs are the same, to measure its bias.
        expectation_results: What checks have found, by the name of a candidate: for each expectation a bool or an object
            ``{text, passed}``, or the path of a ``grading.json``. The judge is not asked for expectations then.
        tie: Whether a tie passes where a candidate is expected to win: ``fail``, the default, or ``pass``.
        gate: Contradictions of the judge that keep the comparison from passing; see `reply.GATING`.
        name: What to call this comparison in the report.

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


class BlindInputs(StrictModel):
    """All that is said of a blind comparison besides its two candidates, checked before anything is read or asked."""

    subject: ClassVar[str] = "a blind comparison"
    part: ClassVar[str] = "option"

    eval_prompt: NotBlank = Field(description="the task that both outputs were made for")
    judge: Callable[..., Any] = Field(description="a function or another callable")
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")
    rubric: Rubric = DEFAULT_RUBRIC
    prefer: str | None = None
    names: Annotated[tuple[Text, Text], LISTED] = Field(default=UNNAMED, description="a pair of two different texts")
    identity: Any = ()
    protocol: Annotated[InstanceOf[BlindProtocol], BeforeValidator(lambda given: given or BlindProtocol())] = Field(
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

    @model_validator(mode="after")
    def _fits_together(self) -> BlindInputs:
        if self.names[0] == self.names[1]:
            raise ValueError(f"names is a pair of two different texts, got {self.names!r}")
        if {"A", "B", "TIE"} & set(self.names):
            raise ValueError(
                f"A, B and TIE are what the judge says; call the candidates something else than {self.names!r}"
            )
        if self.prefer is not None and self.prefer not in self.names:
            raise ValueError(f"prefer={self.prefer!r} is no candidate.{allowed('candidate', self.prefer, self.names)}")
        if self.position is not None and self.key is None:
            raise ValueError(
                "position balances a series, whose comparisons are all drawn from one key: give key as well"
            )
        return self


class _Result(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a result"

    text: str = Field(description="a text")
    passed: bool = Field(description="true or false")


class _Grading(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a grading.json"

    expectations: Annotated[tuple[_Result, ...], LISTED] = Field(description="a list of objects with text and passed")


def read_expectation_results(
    given: Any, names: tuple[str, str], expectations: Sequence[str]
) -> list[list[bool]] | None:
    """Read the results of checks: whether each expectation is met, by the first and by the second candidate."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != set(names):
        got = [shown(name, 80) for name in given] if isinstance(given, Mapping) else [shown(given, 80)]
        raise SettingsError(
            "expectation_results are results by the names of the candidates,"
            f" for {names[0]!r} and {names[1]!r}, got {', '.join(got) or 'none'}"
        )
    sides = [_side(given[name], f"expectation_results[{name!r}]", expectations) for name in names]
    return sides if expectations else None


def _side(given: Any, where: str, expectations: Sequence[str]) -> list[bool]:
    if isinstance(given, str | os.PathLike):
        where = f"{where}, {Path(given).as_posix()}"
        given = _Grading.read(read_json(Path(given), SettingsError, where), where).expectations
    if not isinstance(given, list | tuple):
        raise SettingsError(
            f"{where} is a list of results, one for each expectation, or the path of a grading.json, got {shown(given, 80)}"
        )
    if len(given) != len(expectations):
        raise SettingsError(
            f"{where} has {counted(len(given), 'result')} for {counted(len(expectations), 'expectation')};"
            " each has one, in the same order"
        )
    return [
        item if isinstance(item, bool) else _answer(item, f"{where}[{number}]", number, text)
        for number, (item, text) in enumerate(zip(given, expectations, strict=True))
    ]


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
