"""Explanations of operators that compare more than two sides: aggregates, traces, rates, scorers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.core.values.numbers import truth_value
from pytest_verdict.explanation.differences import draw_window
from pytest_verdict.explanation.facts import build_default_explanation, build_explanation, is_refusal
from pytest_verdict.explanation.lines import Explanation, Line, Part, cut, format_plain, line

_NARROWEST: Final = 40
_EXPLAINED: Final = (
    *("conditions", "criteria", "rules", "fields", "n", "passed", "total", "criteria_id", "criteria_version"),
    *("criteria_sha256", "length", "count", "matched", "position", "rate", "attempts", "score", "explanation"),
    *("similarity", "vectors", "dimensions", "inner", "best_index", "best", "type"),
)


def explain_parts(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain an aggregate: how many parts passed, how many are needed, and how the others failed."""
    default = replace(build_default_explanation(result, budget), covered_names=_EXPLAINED)
    if result.error is not None or result.passed or not result.children:
        return default
    if result.operator == "best_of":
        return replace(default, summary=_describe_best(result, budget), sides=False)

    is_none_of = result.operator == "none_of"
    failed = [child for child in result.children if not child.passed]
    if is_none_of:
        failed = [child for child in result.children if child.passed or any(map(is_refusal, child.notes))]
    # The details of criteria name the unmet ones by severity, the worst first.
    failed.sort(key=lambda child: str(result.details.get("unmet")).find(repr(child.name)))

    total = len(result.children)
    head = f"{sum(child.passed for child in result.children)} of {total} passed"
    if result.operator == "weighted":
        head = f"score {result.score:.6g}, {result.threshold:.6g} needed"
    elif is_none_of:
        head += ", none may"
    elif result.operator != "criteria":
        needed = next((number for number in range(1, total) if number / total >= result.threshold), total)
        head += f", {needed} needed"
    return replace(default, summary=describe_failed_parts(result, failed, f"{head}: ", budget), sides=False)


def _describe_best(result: ComparisonResult, budget: Budget) -> Line:
    best = result.children[result.details["best_index"]]
    head = f"the best of {format_count(len(result.children), 'reference')}"
    if best.score:
        head += f" scores {best.score:.6g}, {result.threshold:.6g} needed"
    head += ": "
    if not best.passed:
        return Part(head), *build_explanation(best, budget.narrower(len(head))).summary
    expected = Part(shown(best.expected, budget.room(len(head)) // 2), "expected")
    return Part(head), Part("expected "), expected, Part(", got "), _draw_observed(best.observed, budget, len(head))


def describe_failed_parts(
    result: ComparisonResult, failed: Sequence[ComparisonResult], head: str, budget: Budget
) -> Line:
    """Describe failed parts on one line, each after its name, as many as fit."""
    parts: Line = (Part(head),)
    prefix = len(result.operator) + len(result.name or "") + 5
    for index, child in enumerate(failed):
        room = 0
        if budget.width:
            room = budget.width - prefix - len(format_plain(parts))
            if index and room < _NARROWEST:
                return *parts, Part("; …")
            if index + 1 < len(failed):
                room -= len("; …")
            room = max(room, _NARROWEST)
        # The parts of a list have numbers for names.
        name = child.operator if child.name is None or child.name.isdecimal() else child.name
        label = line(f"{'; ' if index else ''}{shorten(name, 40)} ")
        summary = build_explanation(child, replace(budget, width=room and max(room, 50))).summary
        parts += cut((*label, *summary), room)
    return parts


def explain_in_words(result: ComparisonResult, budget: Budget) -> Explanation:
    """Describe what the operator observed, unless a side could not be used."""
    default = replace(build_default_explanation(result, budget), covered_names=_EXPLAINED)
    if result.error is not None or result.passed or any(map(is_refusal, result.notes)):
        return default
    return replace(default, summary=_DESCRIPTIONS[result.operator](result, budget))


def _describe_length(result: ComparisonResult, budget: Budget) -> Line:
    low, high, unit = (result.settings[name] for name in ("min", "max", "unit"))
    bounds = f"from {low} to {high}"
    if high is None:
        bounds = f"at least {low}"
    elif low is None:
        bounds = f"at most {high}"
    length = result.details["length"]
    measured = f"length {length}" if unit == "chars" else f"{length} {unit}"
    wish = "not wanted" if truth_value(result.expected) is False else "needed"
    head = line(shorten(f"{measured}, {bounds} {wish}", 80))
    return *head, Part(", got "), _draw_observed(result.observed, budget, 60)


def _describe_search(result: ComparisonResult, budget: Budget) -> Line:
    settings = result.settings
    setting = settings.get("pattern", settings.get("substring"))
    target = result.expected if setting is None else setting
    count = settings.get("count_min") or 1
    times = "" if count == 1 else f" {count} times (found {result.details['count']})"
    is_forbidden = setting is not None and truth_value(result.expected) is False
    observed = [_draw_observed(result.observed, budget, 60)]
    if is_forbidden and "position" in result.details:
        observed = _draw_window(result.observed, result.details["position"], target, budget)
    head = Part("expected no " if is_forbidden else "expected ")
    tail = line(shorten(f"{times} in the trace, got ", 80))
    return head, Part(shown(target, budget.room(0) // 3), "expected"), *tail, *observed


def _describe_scorer(result: ComparisonResult, budget: Budget) -> Line:
    reply = result.observed
    verdict = "says no" if reply["passed"] is False else f"gave {result.score:.6g}, {result.threshold:.6g} needed"
    head = f"{result.settings.get('scorer') or 'the scorer'} {verdict}"
    if reply["explanation"]:
        head += f": {reply['explanation']}"
    head = visible(shorten(head, budget.room(50)))
    return Part(f"{head}, output "), _draw_observed(reply["output"], budget, len(head) + 30)


def _describe_rate(result: ComparisonResult, budget: Budget) -> Line:
    counts = result.observed
    text = f"{counts['pass']} of {sum(counts.values())} passed"
    if counts["error"]:
        text += f", {counts['error']} could not be compared"
    text += f": a share of {result.details['rate']}, at least {result.expected} needed"
    return line(shorten(text, budget.characters))


def _describe_similarity(result: ComparisonResult, budget: Budget) -> Line:
    summary = build_default_explanation(result, budget).summary
    return Part(f"similarity {result.score:.6g}, {result.threshold:.6g} needed: "), *summary


def _describe_forbidden(result: ComparisonResult, budget: Budget) -> Line:
    texts = result.details["found"]
    text = result.observed_surface
    forbidden = Part(shown(texts, budget.room(0) // 3)[1:-1], "expected")
    observed = _draw_window(text, text.find(texts[0]), texts[0], budget)
    return Part("expected no "), forbidden, Part(", got "), *observed


def _describe_type(result: ComparisonResult, budget: Budget) -> Line:
    names = result.expected if isinstance(result.expected, list) else [result.expected]
    head = f"expected {' or '.join(names)}, got {result.details.get('type', 'none of the types')} "
    return *line(head), _draw_observed(result.observed, budget, len(head))


def _draw_observed(value: object, budget: Budget, used: int) -> Part:
    return Part(shown(value, budget.room(used)), "observed")


def _draw_window(text: str, position: int, target: str, budget: Budget) -> list[Part]:
    return draw_window(text, [range(position, position + len(target))], budget.room(60), "observed")


def _describe_row_count(result: ComparisonResult, budget: Budget) -> Line:
    least = "at least " if result.settings["at_least"] else ""
    return line(f"{format_count(result.observed, 'row')}, {least}{result.expected} expected")


_DESCRIPTIONS: Final[dict[str, Callable[[ComparisonResult, Budget], Line]]] = {
    "is_type": _describe_type,
    "not_contains": _describe_forbidden,
    "pass_rate": _describe_rate,
    "row_count": _describe_row_count,
    "scorer_verdict": _describe_scorer,
    "semantic": _describe_similarity,
    "trace_contains": _describe_search,
    "trace_length": _describe_length,
    "trace_regex": _describe_search,
}
