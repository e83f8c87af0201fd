"""Why an answer did not pass its template: a table of the fields, the strategy as a tree, and what could not be read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shorten, shown
from pytest_verdict.explanation.facts import build_default_explanation, build_explanation, is_refusal
from pytest_verdict.explanation.lines import Explanation, Line, Part, format_plain, indent, line, mark, table, wrap
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

# Reasons have a column of at least this width.
_NARROWEST: Final = 40
_COVERED_NAMES: Final = (
    *("template", "fields", "strategy", "regex", "hand_written", "embedding_check"),
    *("granular_score", "failed", "null_fields", "model_evidence", "normalization"),
)


def explain_template(result: ComparisonResult, budget: Budget) -> Explanation:
    """Explain an answer: the fields that did not pass, then a table of all of them."""
    lines = list(_draw_fields(result, budget))
    if result.settings["strategy"] is not None:
        passed = {child.name: child.passed for child in result.children}
        lines += wrap(line(f"strategy: {_format_strategy(result.settings['strategy'], passed)}"), budget.width)
    if REPLY_KEY in result.observed:
        lines.append((Part("reply: "), Part(shown(result.observed[REPLY_KEY], budget.room(9)), "observed")))
    if result.details["granular_score"] is not None:
        lines.append(line(f"granular score: {result.details['granular_score']:.2f}"))
    if UNKNOWN_KEY in result.observed:
        lines.append(line(f"keys of no field: {shown(list(result.observed[UNKNOWN_KEY]), budget.room(20))[1:-1]}"))
    shows_all = budget.lines == 0
    return Explanation(
        summary=_summarize(result, budget),
        lines=lines,
        sides=shows_all,
        children=shows_all,
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


def _draw_fields(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    # The problem of a whole reply is on the first line already.
    problem = read_problems(result.observed).get(WHOLE_REPLY)
    # Children begin with the fields, so the others have no rule, even if one is called like a field.
    rules = [*result.settings["fields"].values(), *[{}] * len(result.children)]
    children: list[ComparisonResult] = []
    cells: list[Line] = [line("", "field", "weight", "operator", " reason")]
    for child, rule in zip(result.children, rules, strict=False):
        if problem is None or child.error != problem:
            children.append(child)
            # The blank makes the table pad the operators; the reason follows it.
            texts = line(*(shorten(str(text), 40) for text in (child.name, rule.get("weight", ""), child.operator)))
            cells.append((Part(mark(child.verdict).text.rstrip(), "mark"), *texts, Part(" ")))
    if not children:
        return

    header, *rows = table(cells)
    column = max(len(format_plain(row)) for row in rows)
    narrower = budget.narrower(column + 2)
    yield header
    for child, row in zip(children, rows, strict=True):
        reason = _draw_reason(child, budget)
        lines: Sequence[Line] = ()
        if "…" in format_plain(reason):
            # The lines below show the values, as far as they fit.
            lines = build_explanation(child, budget.narrower(8)).lines
            reason = _draw_reason(child, narrower) if lines else reason
        first, *others = wrap(reason, max(narrower.width, _NARROWEST) if narrower.width else 0)
        yield *row, *first
        yield from indent(others, column)
        yield from indent(lines, 6)

    names: dict[tuple[str, ...], list[str]] = {}
    for child in children:
        if child.normalization:
            names.setdefault(tuple(child.normalization), []).append(str(child.name))
    for steps, fields in names.items():
        yield line(f"normalization of {', '.join(fields)}: {', '.join(steps)}")
    if not names:
        yield line("normalization: none")


def _draw_reason(child: ComparisonResult, budget: Budget) -> Line:
    if child.passed:
        return (Part(shown(child.observed, budget.room(40)), "observed"),)
    summary = build_explanation(child, budget).summary
    if child.error is None and not any(map(is_refusal, child.notes)):
        return summary
    return *summary, Part("; expected "), Part(shown(child.expected, 30), "expected")


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
