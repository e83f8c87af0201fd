"""Numbers over answers that are labels or have a confidence: confusion matrices, scores by class, and reliability."""

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.encoding import TYPE_KEY
from pytest_verdict.operators.pass_rate import exact_interval

LONGEST_LABEL: Final = 40
_NO_TEXT: Final = "\0"
# Groups that are counted beside the classes; no label contains the first character.
_OTHER: Final = f"{_NO_TEXT}other"
_ERROR: Final = f"{_NO_TEXT}error"
_SEPARATOR: Final = " | "
_BINS: Final = 10
_SCORES: Final = ("precision", "recall", "f1")
AVERAGES: Final = ("macro", "micro", "weighted")


class Labelled(NamedTuple):
    """The expected class of an answer, and the observed one."""

    expected: str
    observed: str


def read_labels(part: Mapping[str, Any]) -> Labelled | None:
    """Read the labels of a comparison, after normalization; None if the expected value is no label."""
    is_choice = part["operator"] == "one_of"
    value = part["expected"]
    # `one_of` may have its accepted values as a setting.
    if is_choice and part["settings"].get("values") is not None:
        value = part["settings"]["values"]
    value = part.get("expected_surface", value)
    accepted = value if isinstance(value, list) else [value]
    labels = [format_label(one) for one in accepted]
    if not labels or None in labels or part.get("negated"):
        return None
    expected = _SEPARATOR.join(map(str, labels))
    if part["verdict"] == "error":
        return Labelled(expected, _ERROR)
    if part["verdict"] == "pass":
        return Labelled(expected, expected)
    observed = part.get("observed_surface", part["observed"])
    if is_choice and isinstance(part.get("observed_surface"), list) and len(observed) == 1:
        observed = observed[0]
    label = format_label(observed)
    if label is None or label in labels or type(observed) not in map(type, accepted):
        # The text "true" is not the class true.
        label = _OTHER
    return Labelled(expected, label)


def format_label(value: Any) -> str | None:
    """Return the label of a recorded value: a short text, or the JSON of a number, a truth value or null."""
    if isinstance(value, Mapping) and value.get(TYPE_KEY) == "redacted":
        value = value.get("value")
    if isinstance(value, str):
        return value if len(value) <= LONGEST_LABEL and _NO_TEXT not in value else None
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    return None


def classify(answers: Sequence[Labelled]) -> dict[str, Any]:
    """Count expected and observed classes; the scores are those of scikit-learn over the expected classes."""
    pairs = Counter(answers)
    names = sorted({answer.expected for answer in answers})
    matrix = [[pairs[Labelled(row, column)] for column in names] for row in names]
    errors = [pairs[Labelled(name, _ERROR)] for name in names]
    supports = Counter(answer.expected for answer in answers)
    observed = Counter(answer.observed for answer in answers)
    hits = {name: pairs[Labelled(name, name)] for name in names}

    classes: list[dict[str, Any]] = []
    other: list[int] = []
    for name, row, missing in zip(names, matrix, errors, strict=True):
        scores = _score(hits[name], observed[name], supports[name])
        classes.append({"class": name, **scores, "support": supports[name]})
        other.append(supports[name] - sum(row) - missing)
    return {
        "classes": classes,
        "matrix": matrix,
        "other": other,
        "errors": errors,
        "macro": {score: round(fmean(one[score] for one in classes), 6) for score in _SCORES},
        "micro": _score(sum(hits.values()), sum(observed[name] for name in names), len(answers)),
        "weighted": {
            score: round(fmean((one[score] for one in classes), [one["support"] for one in classes]), 6)
            for score in _SCORES
        },
    }


def _score(hits: int, observed: int, support: int) -> dict[str, float]:
    """Return precision, recall and F1; one without a denominator is 0."""
    scores = (hits / max(observed, 1), hits / max(support, 1), 2 * hits / max(observed + support, 1))
    return {name: round(score, 6) for name, score in zip(_SCORES, scores, strict=True)}


def measure_reliability(answers: Iterable[tuple[float, bool]]) -> dict[str, Any]:
    """Compare confidences with pass rates, in bins of equal width."""
    answers = list(answers)
    edges = [index / _BINS for index in range(1, _BINS)]
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for answer in answers:
        bins[bisect_left(edges, answer[0])].append(answer)
    rows = []
    error = 0.0
    for index, members in sorted(bins.items()):
        confidence = fmean(one for one, _ in members)
        passed = sum(is_pass for _, is_pass in members)
        error += abs(passed - confidence * len(members)) / len(answers)
        row: dict[str, Any] = {"from": index / _BINS, "to": (index + 1) / _BINS, "comparisons": len(members)}
        row |= {"confidence": round(confidence, 6), "rate": round(passed / len(members), 6)}
        row["interval"] = list(exact_interval(passed, len(members)))
        rows.append(row)
    brier = fmean((one - is_pass) ** 2 for one, is_pass in answers)
    return {"bins": rows, "calibration_error": round(error, 6), "brier": round(brier, 6)}
