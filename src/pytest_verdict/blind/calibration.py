"""Calibration: measure on labelled pairs how far a judge, asked by the whole protocol, agrees with people."""

import hashlib
import json
import os
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import ge, le
from pathlib import Path
from statistics import quantiles
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, get_args

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from pytest_verdict.blind.evidence import collect_evidence, describe_binding
from pytest_verdict.blind.options import BlindInputs
from pytest_verdict.blind.preference import DerivedComparison, derive
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.request import BlindJudge
from pytest_verdict.blind.rubric import read_rubric
from pytest_verdict.console import progress
from pytest_verdict.core.strict_model import LISTED, NOT_EMPTY, NotBlank, StrictModel, Text
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging.protocol import get_unique_judge_name
from pytest_verdict.operators.criteria import Version, different_ids
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.runs.labels import Labelled, classify
from pytest_verdict.runs.significance import mcnemar

GoldLabel = Literal["first", "second", "tie"]
GOLD_LABELS: Final[tuple[GoldLabel, ...]] = get_args(GoldLabel)
FIRST, SECOND, TIE = GOLD_LABELS

_RESAMPLES: Final = 2_000


class GoldItem(StrictModel):
    """A labelled pair of outputs."""

    subject: ClassVar[str] = "an item"

    id: Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
    prompt: NotBlank = Field(description="a text")
    first: Any
    second: Any
    label: GoldLabel
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")


class GoldSet(StrictModel):
    """Labelled pairs; `read_gold_set` sets the digest of their file."""

    subject: ClassVar[str] = "a gold set"

    id: NotBlank = Field(description="a text")
    version: Version
    annotators: Literal["human", "model"]
    rubric: Path | None = Field(default=None, strict=False, description="the path of a rubric")
    items: Annotated[tuple[GoldItem, ...], NOT_EMPTY, AfterValidator(different_ids)] = Field(
        description="a list of at least one labelled pair"
    )
    sha256: str = ""

    @field_validator("items", mode="before")
    @classmethod
    def _number_items(cls, items: Any) -> Any:
        if not isinstance(items, list):
            return items
        numbered = enumerate(items, 1)
        return tuple({"id": str(number), **item} if isinstance(item, Mapping) else item for number, item in numbered)


def read_gold_set(path: str | os.PathLike[str]) -> GoldSet:
    """Read a gold set; paths in it are relative to its file."""
    path = Path(path)
    gold = GoldSet.read(read_yaml(path), path)
    items = []
    for item in gold.items:
        outputs = {"first": item.first, "second": item.second}
        for name, output in outputs.items():
            if isinstance(output, Mapping) and set(output) == {"file"}:
                outputs[name] = path.parent / str(output["file"])
        items.append(item.model_copy(update=outputs))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    rubric = gold.rubric and path.parent / gold.rubric
    return gold.model_copy(update={"items": tuple(items), "rubric": rubric, "sha256": sha256})


# The labels of a person and of the judge for each item.
LabelPairs = Sequence[tuple[str, str]]


def compute_kappa(pairs: LabelPairs) -> float | None:
    """Return Cohen's kappa (Cohen 1960), the agreement beyond chance; None if only one label occurs."""
    if not pairs:
        return None
    total = len(pairs)
    first_counts = Counter(first for first, _ in pairs)
    second_counts = Counter(second for _, second in pairs)
    agreement = Fraction(sum(first == second for first, second in pairs), total)
    chance = Fraction(sum(count * second_counts[label] for label, count in first_counts.items()), total * total)
    if chance == 1:
        return None
    return float((agreement - chance) / (1 - chance))


def describe_kappa(pairs: LabelPairs, seed: int = 0) -> dict[str, Any]:
    """Return kappa with its 95 % percentile bootstrap interval (Efron 1979), or the reason for its absence."""
    kappa: dict[str, Any] = {"value": compute_kappa(pairs), "interval": None, "seed": seed, "resamples": _RESAMPLES}
    if not pairs:
        kappa["reason"] = "there are no items"
    elif kappa["value"] is None:
        kappa["reason"] = "both gave one and the same label to every item"
    else:
        generator = random.Random(seed)  # noqa: S311 - resampling needs no secure generator
        kappas = [compute_kappa(generator.choices(pairs, k=len(pairs))) for _ in range(_RESAMPLES)]
        cuts = quantiles([value for value in kappas if value is not None], n=40, method="inclusive")
        kappa["interval"] = [cuts[0], cuts[-1]]
    return kappa


class Gate(StrictModel):
    """The limits that a judge must reach; they are fixed before the measurement and recorded with it."""

    subject: ClassVar[str] = "a gate"

    agreement: float = Field(default=0.70, ge=0, le=1, description="a number from 0 to 1")
    kappa: float = Field(default=0.40, ge=-1, le=1, description="a number from -1 to 1")
    items: int = Field(default=30, ge=1, description="a whole number from 1")
    flips: float = Field(default=0.20, ge=0, le=1, description="a number from 0 to 1")


class _JudgedItem(NamedTuple):
    item: GoldItem
    comparison: DerivedComparison
    label: str | None


def calibrate(
    gold: GoldSet,
    judge: BlindJudge,
    protocol: BlindProtocol | None = None,
    *,
    gate: Gate | None = None,
    key: str = "calibration",
    allow_model_labels: bool = False,
    max_concurrency: int = 1,
) -> dict[str, Any]:
    """Measure how far a judge agrees with people, and return the calibration as JSON values."""
    if gold.annotators != "human" and not allow_model_labels:
        raise ConfigurationError(
            "the labels of this gold set come from a model; calibrate against people, or set allow_model_labels to measure how"
            " far two models agree"
        )
    get_unique_judge_name(judge)
    questions = []
    for number, item in enumerate(gold.items):
        inputs = BlindInputs(
            candidates=(item.first, item.second),
            eval_prompt=item.prompt,
            judge=judge,
            expectations=item.expectations,
            rubric=read_rubric(gold.rubric),
            names=(FIRST, SECOND),
            protocol=protocol or BlindProtocol(),
            key=key,
            position=number,
        )
        questions.append(inputs)
    judged: list[_JudgedItem] = []
    with progress(len(questions), " items") as show:
        for number, evidence in collect_evidence(questions, max_concurrency):
            comparison = derive(evidence)
            label = TIE if comparison.vote.winner == "TIE" else comparison.winner
            judged.append(_JudgedItem(gold.items[number], comparison, label))
            show(number + 1, number + 1)

    # The last digits of a float differ between machines.
    figures = json.loads(json.dumps(_measure(judged)), parse_float=lambda text: round(float(text), 6))
    about = gold.model_dump(include={"id", "version", "sha256", "annotators"})
    return {
        "format": 1,
        "bound_to": describe_binding(judged[0].comparison.setup),
        "gold": {**about, "items": len(gold.items)},
        **figures,
        "gate": _apply_gate(figures, gate or Gate(), is_human=gold.annotators == "human"),
        "items": [
            {"id": item.id, "human": item.label, "judge": label, "status": comparison.vote.status}
            for item, comparison, label in judged
        ],
    }


def _measure(judged: Sequence[_JudgedItem]) -> dict[str, Any]:
    pairs = [(item.item.label, item.label) for item in judged if item.label is not None]
    calls = [call for item in judged for call in item.comparison.judgments]
    repetitions = [item.comparison.repetitions for item in judged]
    votes = [vote for repeated in repetitions for vote in repeated if vote.status != "INVALID"]
    return {
        "coverage": _compute_rate(item.label is not None for item in judged),
        "agreement": _compute_rate(human == judge for human, judge in pairs),
        "kappa": describe_kappa(pairs),
        "labels": classify([Labelled(*pair) for pair in pairs]) if pairs else None,
        "flips": _compute_rate(vote.status == "INCONSISTENT" for vote in votes),
        "repeats_alike": _compute_rate(
            len({vote.label for vote in repeated}) == 1 for repeated in repetitions if len(repeated) > 1
        ),
        "first_shown_wins": run_sign_test(call.first_shown for call in calls),
        "longer_wins": run_sign_test(item.comparison.is_longer_output(item.label) for item in judged),
        "longer_wins_with_people": run_sign_test(item.comparison.is_longer_output(item.item.label) for item in judged),
    }


def _compute_rate(outcomes: Iterable[bool]) -> dict[str, Any]:
    values = list(outcomes)
    count = sum(values)
    if not values:
        return {"count": 0, "of": 0, "rate": None, "interval": None}
    return {
        "count": count,
        "of": len(values),
        "rate": count / len(values),
        "interval": exact_interval(count, len(values)),
    }


def run_sign_test(outcomes: Iterable[bool | None]) -> dict[str, Any]:
    """Return the rate of true outcomes with the p-value of a sign test; None is no outcome."""
    values = [outcome for outcome in outcomes if outcome is not None]
    return {**_compute_rate(values), "p": mcnemar(values.count(False), values.count(True)) if values else None}


def _apply_gate(figures: dict[str, Any], gate: Gate, *, is_human: bool) -> dict[str, Any]:
    agreement_low, _ = figures["agreement"]["interval"] or (None, None)
    kappa_low, _ = figures["kappa"]["interval"] or (None, None)
    limits = (
        ("agreement, lower bound", agreement_low, gate.agreement, ge),
        ("kappa, lower bound", kappa_low, gate.kappa, ge),
        ("items with a verdict", figures["agreement"]["of"], gate.items, ge),
        ("flips", figures["flips"]["rate"], gate.flips, le),
    )
    checks = [
        {"name": name, "value": value, "limit": limit, "passed": value is not None and is_reached(value, limit)}
        for name, value, limit, is_reached in limits
    ]
    if not is_human:
        checks.append({"name": "labels given by people", "value": False, "limit": True, "passed": False})
    return {"passed": all(check["passed"] for check in checks), "checks": checks}
