"""Why operators failed that have more to say than two sides: aggregates, traces, rates, scorers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.core.values.numbers import truth_value
from pytest_verdict.explanation.differences import draw_window
from pytest_verdict.explanation.facts import build_default_explanation, build_explanation
from pytest_verdict.explanation.lines import Explanation, Line, Part, cut, format_plain, line
from pytest_verdict.explanation.notes import is_refusal

_NARROWEST: Final = 40
_NEEDED: Final = {"criteria": "", "none_of": ", none may"}
_SAID: Final = (
    *("conditions", "criteria", "n", "passed", "total", "criteria_id", "criteria_version", "criteria_sha256"),
    *("length", "count", "matched", "position", "rate", "attempts", "score", "explanation"),
    *("similarity", "vectors", "dimensions", "inner", "best_index", "best", "type"),
)


def explain_parts(result: ComparisonResult, budget: Budget) -> Explanation:
    """Say how many parts passed, how many are needed, and how the others failed."""
    usual = replace(build_default_explanation(result, budget), covered_names=_SAID)
    if result.error is not None or result.passed or not result.children:
        return usual
    if result.operator == "best_of":
        return replace(usual, summary=_of_best(result, budget), sides=False)
    failed = [child for child in result.children if _is_against(result, child)]
    # Of criteria the details name those that failed by severity, the worst first.
    failed.sort(key=lambda child: str(result.details.get("unmet")).find(repr(child.name)))
    return replace(usual, summary=failed_parts(result, failed, f"{_counted(result)}: ", budget), sides=False)


def _is_against(result: ComparisonResult, child: ComparisonResult) -> bool:
    if result.operator == "none_of":
        return child.passed or any(map(is_refusal, child.notes))
    return not child.passed


def _of_best(result: ComparisonResult, budget: Budget) -> Line:
    best = result.children[result.details["best_index"]]
    count = counted(len(result.children), "reference")
    head = f"the best of {count}{f' scores {best.score:.6g}, {result.threshold:.6g} needed' if best.score else ''}: "
    sides = Part("expected "), Part(shown(best.expected, budget.room(len(head)) // 2), "expected"), Part(", got ")
    summary = build_explanation(best, budget.narrower(len(head))).summary
    return Part(head), *((*sides, _observed(best.observed, budget, len(head))) if best.passed else summary)


def _counted(result: ComparisonResult) -> str:
    if result.operator == "weighted":
        return f"score {result.score:.6g}, {result.threshold:.6g} needed"
    total = len(result.children)
    passed = sum(child.passed for child in result.children)
    needed = next((number for number in range(1, total) if number / total >= result.threshold), total)
    return f"{passed} of {total} passed" + _NEEDED.get(result.operator, f", {needed} needed")


def failed_parts(result: ComparisonResult, failed: Sequence[ComparisonResult], head: str, budget: Budget) -> Line:
    """Say on one line how parts failed, each behind its name, as many as there is room for."""
    found: Line = (Part(head),)
    for at, child in enumerate(failed):
        room = budget.width and budget.width - len(result.operator) - len(result.name or "") - 5 - len(
            format_plain(found)
        )
        if at and budget.width and room < _NARROWEST:
            return *found, Part("; …")
        room = room and max(room - (len("; …") if at + 1 < len(failed) else 0), _NARROWEST)
        # The parts of a list have numbers for names.
        if child.name is None or child.name.isdecimal():
            name = child.operator
        else:
            name = child.name
        label = line(f"{'; ' if at else ''}{shortened(name, 40)} ")
        found += cut((*label, *build_explanation(child, replace(budget, width=room and max(room, 50))).summary), room)
    return found


def explain_in_words(result: ComparisonResult, budget: Budget) -> Explanation:
    """Say in words what the operator found, unless a side could not be used."""
    usual = replace(build_default_explanation(result, budget), covered_names=_SAID)
    if result.error is not None or result.passed or any(map(is_refusal, result.notes)):
        return usual
    return replace(usual, summary=_WORDS[result.operator](result, budget))


def _of_length(result: ComparisonResult, budget: Budget) -> Line:
    low, high, unit = (result.settings[name] for name in ("min", "max", "unit"))
    if high is None:
        bounds = f"at least {low}"
    elif low is None:
        bounds = f"at most {high}"
    else:
        bounds = f"from {low} to {high}"
    length = result.details["length"]
    if unit == "chars":
        measured = f"length {length}"
    else:
        measured = f"{length} {unit}"
    wish = "needed"
    if truth_value(result.expected) is False:
        wish = "not wanted"
    return *line(shortened(f"{measured}, {bounds} {wish}", 80)), Part(", got "), _observed(result.observed, budget, 60)


def _of_search(result: ComparisonResult, budget: Budget) -> Line:
    settings = result.settings
    place = result.details.get("position")
    setting = settings.get("pattern", settings.get("substring"))
    wanted = result.expected if setting is None else setting
    least = settings.get("count_min") or 1
    times = ""
    if least != 1:
        times = f" {least} times (found {result.details['count']})"
    sought = Part(shown(wanted, budget.room(0) // 3), "expected")
    head = "expected "
    seen = [_observed(result.observed, budget, 60)]
    if setting is not None and truth_value(result.expected) is False:
        head = "expected no "
        if place is not None:
            seen = draw_window(result.observed, [range(place, place + len(wanted))], budget.room(60), "observed")
    return Part(head), sought, *line(shortened(f"{times} in the trace, got ", 80)), *seen


def _of_scorer(result: ComparisonResult, budget: Budget) -> Line:
    said = result.observed
    scorer = result.settings.get("scorer") or "the scorer"
    if said["passed"] is False:
        verdict = "says no"
    else:
        verdict = f"gave {result.score:.6g}, {result.threshold:.6g} needed"
    reason = ""
    if said["explanation"]:
        reason = f": {said['explanation']}"
    head = visible(shortened(f"{scorer} {verdict}{reason}", budget.room(50)))
    return Part(f"{head}, output "), _observed(said["output"], budget, len(head) + 30)


def _of_share(result: ComparisonResult, budget: Budget) -> Line:
    counts = result.observed
    rate = result.details["rate"]
    broken = ""
    if counts["error"]:
        broken = f", {counts['error']} could not be compared"
    head = f"{counts['pass']} of {sum(counts.values())} passed{broken}: a share of {rate}, at least {result.expected} needed"
    return line(shortened(head, budget.characters))


def _of_similarity(result: ComparisonResult, budget: Budget) -> Line:
    summary = build_default_explanation(result, budget).summary
    return *summary, Part(f": similarity {result.score:.6g}, {result.threshold:.6g} needed")


def _observed(value: object, budget: Budget, taken: int) -> Part:
    return Part(shown(value, budget.room(taken)), "observed")


def _of_unwanted(result: ComparisonResult, budget: Budget) -> Line:
    found = result.details["found"]
    text = result.observed_surface
    head = "expected no "
    unwanted = shown(found, budget.room(0) // 3)[1:-1]
    place = text.find(found[0])
    seen = draw_window(text, [range(place, place + len(found[0]))], budget.room(60), "observed")
    return Part(head), Part(unwanted, "expected"), Part(", got "), *seen


def _of_type(result: ComparisonResult, budget: Budget) -> Line:
    if isinstance(result.expected, list):
        wanted = result.expected
    else:
        wanted = [result.expected]
    head = f"expected {' or '.join(wanted)}, got {result.details.get('type', 'none of the types')} "
    return *line(head), _observed(result.observed, budget, len(head))


_WORDS: Final[dict[str, Callable[[ComparisonResult, Budget], Line]]] = {
    "is_type": _of_type,
    "not_contains": _of_unwanted,
    "pass_rate": _of_share,
    "scorer_verdict": _of_scorer,
    "semantic": _of_similarity,
    "trace_contains": _of_search,
    "trace_length": _of_length,
    "trace_regex": _of_search,
}
