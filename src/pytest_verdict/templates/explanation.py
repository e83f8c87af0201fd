"""Why an answer did not pass its template: its parts, the strategy, and what could not be read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shorten, shown
from pytest_verdict.explanation.facts import build_default_explanation
from pytest_verdict.explanation.lines import Explanation, Line, Part, format_plain, line, wrap
from pytest_verdict.judging.protocol import format_usage
from pytest_verdict.operators.explanation import describe_failed_parts, explain_parts
from pytest_verdict.templates.template_match import (
    REPLY_KEY,
    UNKNOWN_KEY,
    USAGE_KEY,
    WHOLE_REPLY,
    is_abstention,
    read_problems,
)

__all__ = ["explain_parts", "explain_reason", "explain_template", "summarize_judges"]

_COVERED_NAMES: Final = (
    *("template", "fields", "strategy", "regex", "hand_written", "embedding_check"),
    *("granular_score", "failed", "null_fields", "model_evidence", "normalization"),
)


def explain_template(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain an answer: what did not pass, part by part, and what the judge replied beside the fields."""
    lines: list[Line] = []
    if result.settings["strategy"] is not None:
        passed = {child.name: child.passed for child in result.children}
        lines += wrap(line(f"strategy: {_format_strategy(result.settings['strategy'], passed)}"), budget.width)
    if REPLY_KEY in result.observed:
        lines.append((Part("reply: "), Part(shown(result.observed[REPLY_KEY], budget.room(9)), "observed")))
    if result.details["granular_score"] is not None:
        lines.append(line(f"granular score: {result.details['granular_score']:.2f}"))
    if UNKNOWN_KEY in result.observed:
        lines.append(line(f"keys of no field: {shown(list(result.observed[UNKNOWN_KEY]), budget.room(20))[1:-1]}"))
    return Explanation(
        summary=_summarize(result, budget),
        lines=lines,
        sides=budget.lines == 0,
        # The problem of a whole reply is on the first line already.
        children=budget.lines == 0 or WHOLE_REPLY not in read_problems(result.observed),
        covered_names=_COVERED_NAMES,
    )


def _summarize(result: ComparisonResult, budget: Budget) -> Line:
    checked = [child for child in result.children if not str(child.name).startswith("embedding check of ")]
    failed = [child for child in checked if not child.passed]
    if result.error is not None or not failed:
        return build_default_explanation(result, budget).summary
    if result.passed:
        names = ", ".join(str(child.name) for child in failed)
        return line(f"pass by the embedding check of {shorten(names, 80)}")
    if is_abstention(result.observed, result.settings["fields"]):
        names = ", ".join(name for name in result.settings["fields"] if name in result.observed)
        return line(f"the response states nothing of what was asked: {shorten(names, 80)}")
    return describe_failed_parts(result, failed, f"{len(failed)} of {len(checked)} failed: ", budget)


def _format_strategy(node: Mapping[str, Any], passed: Mapping[Any, bool]) -> str:
    settings = node["settings"]
    if node["operator"] == "field_check":
        return f"{settings['field']} {'ok' if passed.get(settings['field']) else 'FAIL'}"
    parts = [_format_strategy(part, passed) for part in settings["conditions"]]
    needed = {"all_of": len(parts), "any_of": 1}.get(node["operator"]) or settings["n"]
    return f"at least {needed} of ({', '.join(parts)})"


def explain_reason(result: ComparisonResult, budget: Budget) -> Explanation:
    explanation = build_default_explanation(result, budget)
    if result.error is not None or result.passed:
        return explanation
    reason = shorten(str(result.details.get("reason")), 200)
    pattern = ""
    if "pattern" in result.settings:
        pattern = f": pattern {shown(result.settings['pattern'], 60)}"
    head = line(f"{reason}{pattern}, got ")
    observed = Part(shown(result.observed, budget.room(len(format_plain(head)))), "observed")
    return replace(explanation, summary=(*head, observed), covered_names=("reason", "match_count"))


def summarize_judges(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return format_usage(record["observed"].get(USAGE_KEY, {}) for record in records)
