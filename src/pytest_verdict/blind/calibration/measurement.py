"""Calibration: the whole protocol, not a single call, against what people said."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from operator import ge, le
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from pytest_verdict.blind.calibration import agreement
from pytest_verdict.blind.calibration.agreement import Pairs
from pytest_verdict.blind.calibration.files import FIRST, FORMAT, LABELS, SECOND, TIE, GoldItem, GoldSet, bound_to
from pytest_verdict.blind.comparing import collect_evidence
from pytest_verdict.blind.derivation import Comparison, derive
from pytest_verdict.blind.options import BlindInputs
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.request import BlindJudge
from pytest_verdict.blind.rubric import read_rubric
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging.protocol import get_unique_judge_name
from pytest_verdict.runs.significance import mcnemar


class Gate(StrictModel):
    """What a judge must reach; fixed before it is measured, and printed with the result."""

    subject: ClassVar[str] = "a gate"

    agreement: float = Field(default=0.70, ge=0, le=1, description="a number from 0 to 1")
    kappa: float = Field(default=0.40, ge=-1, le=1, description="a number from -1 to 1")
    items: int = Field(default=30, ge=1, description="a whole number from 1")
    flips: float = Field(default=0.20, ge=0, le=1, description="a number from 0 to 1")


class _Judged(NamedTuple):
    item: GoldItem
    found: Comparison
    label: str | None


def calibrate(
    gold: GoldSet,
    judge: BlindJudge,
    protocol: BlindProtocol | None = None,
    *,
    gate: Gate | None = None,
    key: str = "calibration",
    allow_model_labels: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Measure how far a judge agrees with people."""
    if gold.annotators != "human" and not allow_model_labels:
        raise ConfigurationError(
            "the labels are a model's, so this would measure how far two models agree; calibrate against people, or say"
            " allow_model_labels"
        )
    get_unique_judge_name(judge)
    asked: dict[str, Any] = {"judge": judge, "protocol": protocol, "key": key, "names": (FIRST, SECOND)}
    asked["rubric"] = read_rubric(gold.rubric)
    judged: list[_Judged] = []
    bound: dict[str, Any] = {}
    for number, item in enumerate(gold.items):
        inputs = BlindInputs(eval_prompt=item.prompt, expectations=item.expectations, position=number, **asked)
        evidence = collect_evidence(item.first, item.second, inputs)
        found = derive(evidence)
        judged.append(_Judged(item, found, TIE if found.vote.winner == "TIE" else found.winner))
        bound = bound or bound_to(evidence["comparison"])
        progress(number + 1)
    figures = _rounded(_figures(judged))
    described = {name: getattr(gold, name) for name in ("id", "version", "sha256")}
    return {
        "format": FORMAT,
        "bound_to": bound,
        "gold": {**described, "items": len(gold.items), "annotators": gold.annotators},
        **figures,
        "gate": _gated(figures, gate or Gate(), is_human=gold.annotators == "human"),
        "items": [
            {"id": item.id, "human": item.label, "judge": label, "status": found.vote.status}
            for item, found, label in judged
        ],
    }


def _figures(judged: Sequence[_Judged]) -> dict[str, Any]:
    pairs = [(one.item.label, one.label) for one in judged if one.label is not None]
    votes = [vote for one in judged for vote in one.found.repetitions if vote.status != "INVALID"]
    calls = [call for one in judged for call in one.found.judgments]
    decisive = [call.first_shown for call in calls if call.first_shown is not None]
    repeated = [one for one in judged if len(one.found.repetitions) > 1]
    stable = sum(len({vote.label for vote in one.found.repetitions}) == 1 for one in repeated)
    annotators = ([one.item.labels[who] for who in sorted(one.item.labels)] for one in judged)
    contradictions = Counter(found.code for one in judged for found in one.found.contradictions)
    return {
        "coverage": _rate(len(pairs), len(judged)),
        "agreement": _rate(sum(human == judge for human, judge in pairs), len(pairs)),
        "kappa": _kappa(pairs),
        "confusion": agreement.confusion(pairs, LABELS),
        "labels": {
            label: dict(zip(("precision", "recall"), agreement.precision_and_recall(pairs, label), strict=True))
            for label in LABELS
        },
        "flips": _rate(sum(vote.status == "INCONSISTENT" for vote in votes), len(votes)),
        "order_sensitive": _rate(sum(vote.order_sensitive for vote in votes), len(votes)),
        "repeats_alike": _rate(stable, len(repeated)),
        "first_shown_wins": _tested(sum(decisive), len(decisive)),
        "longer_wins": _longer([(one, one.label) for one in judged]),
        "longer_wins_with_people": _longer([(one, one.item.label) for one in judged]),
        "invalid_calls": _rate(sum(call.reply is None for call in calls), len(calls)),
        "contradictions": dict(sorted(contradictions.items())),
        "people_among_themselves": _kappa([pair for labels in annotators for pair in combinations(labels, 2)]),
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    # The last digits of a square root may differ between machines; nothing depends on them.
    return round(value, 6) if isinstance(value, float) else value


def _rate(count: int, total: int) -> dict[str, Any]:
    rate = count / total if total else None
    return {"count": count, "of": total, "rate": rate, "interval": agreement.wilson(count, total)}


def _tested(count: int, total: int) -> dict[str, Any]:
    return {**_rate(count, total), "p": mcnemar(total - count, count) if total else None}


def _kappa(pairs: Pairs) -> dict[str, Any]:
    value = agreement.kappa(pairs)
    found = {"value": value, "interval": agreement.kappa_interval(pairs), "seed": 0, "resamples": agreement.RESAMPLES}
    reason = "both gave one and the same label to every item" if pairs else "there are no items"
    return found if value is not None else {**found, "reason": reason}


def _longer(labelled: Sequence[tuple[_Judged, str | None]]) -> dict[str, Any]:
    won = [found for one, label in labelled if (found := one.found.longer_won(label)) is not None]
    return _tested(sum(won), len(won))


def _gated(figures: dict[str, Any], gate: Gate, *, is_human: bool) -> dict[str, Any]:
    alike, agreed = (figures[name]["interval"] or [None] for name in ("agreement", "kappa"))
    limits: list[tuple[str, Any, Any, Callable[[Any, Any], bool]]] = [
        ("agreement, lower bound", alike[0], gate.agreement, ge),
        ("kappa, lower bound", agreed[0], gate.kappa, ge),
        ("items with a verdict", figures["agreement"]["of"], gate.items, ge),
        ("flips", figures["flips"]["rate"], gate.flips, le),
    ]
    if not is_human:
        limits.append(("labels given by people", False, True, ge))
    checks = [
        {"name": name, "value": value, "limit": limit, "passed": value is not None and reached(value, limit)}
        for name, value, limit, reached in limits
    ]
    return {"passed": all(check["passed"] for check in checks), "checks": checks}
