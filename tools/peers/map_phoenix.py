"""What docs/reference/scorer-names.md and docs/how-to/numbers.md teach for the metrics of phoenix-evals without a judge."""

import re
from typing import Any

from pytest_verdict import compare
from pytest_verdict.runs.labels import classify, format_label, read_labels
from tools.peers.case import REFUSED, Absent, Here, Statistic


def _score(theirs: Any) -> Any:
    return REFUSED if theirs is REFUSED else float(theirs[0].score)


def matches_regex(call: Any, theirs: Any) -> Any:
    pattern = call["self"].pattern
    flags = [flag.name for flag in re.RegexFlag(pattern.flags) if flag is not re.UNICODE]
    settings = {"mode": "search", "flags": flags}
    yield _score(theirs), Here("regex", pattern.pattern, call["eval_input"]["output"], settings)


def classification(call: Any, theirs: Any) -> Any:
    scorer, values = call["self"], call["eval_input"]
    if theirs is REFUSED:
        lengths = len(values["expected"]), len(values["output"])
        if lengths[0] != lengths[1]:
            reason = "a record has both sides of one row, so two lists cannot have different lengths"
        elif lengths[0]:
            reason = "a class that no row expects has no line, and nobody names one"
        else:
            reason = "a report without comparisons has no numbers"
        yield REFUSED, Absent(reason)
        return
    answers = []
    for expected, observed in zip(values["expected"], values["output"], strict=True):
        part = compare("exact", expected, observed).to_record()
        labels = read_labels(part)
        if labels is not None:
            answers.append(labels)
    numbers = classify(answers)
    scores = numbers[scorer.average]
    positive = scorer.positive_label
    if positive is None and scorer.average == "macro" and {*values["expected"], *values["output"]} <= {0, 1}:
        positive = 1
    if positive is not None:
        scores = next((one for one in numbers["classes"] if one["class"] == format_label(positive)), scores)
    reason = None
    if scorer.zero_division or {*values["output"]} - {*values["expected"]}:
        reason = "averages are over the expected classes, and a rate without a denominator is 0"
    for name, score in zip(("precision", "recall", "f1"), theirs, strict=True):
        if name == "f1" and scorer.beta != 1:
            yield float(score.score), Absent("of the F scores, there is F1")
        else:
            yield float(score.score), Statistic(scores[name], reason)


WATCHED = {
    "phoenix.evals.metrics.matches_regex:MatchesRegex._evaluate": matches_regex,
    "phoenix.evals.metrics.precision_recall:PrecisionRecallFScore._evaluate": classification,
}
