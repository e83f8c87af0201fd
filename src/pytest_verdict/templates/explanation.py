"""Why an answer did not pass its template: a table of the fields, the strategy as a tree, what could not be read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shortened, shown
from pytest_verdict.explanation.facts import build_default_explanation, build_explanation
from pytest_verdict.explanation.lines import Line, Part, cut, format_plain, indent, line, mark, table
from pytest_verdict.explanation.model import Explanation
from pytest_verdict.explanation.notes import is_refusal
from pytest_verdict.operators.explanation import explain_parts, failed_parts
from pytest_verdict.templates import observed_keys as keys

__all__ = ["explain_parts", "explain_regex_check", "explain_template"]

_SAID: Final = (
    *("template", "fields", "strategy", "regex", "hand_written", "embedding_check"),
    *("granular_score", "failed", "null_fields", "model_evidence", "normalization"),
)


def explain_template(result: ComparisonResult, budget: Budget) -> Explanation:
    """Name the fields that did not pass, then draw all of them."""
    lines = [*_fields(result, budget), *_strategy(result), *_rest(result, budget)]
    everything = budget.lines == 0
    return Explanation(summary=_summary(result, budget), lines=lines, sides=everything, children=everything, covered_names=_SAID)


def _summary(result: ComparisonResult, budget: Budget) -> Line:
    checked = [child for child in result.children if not str(child.name).startswith("embedding check of ")]
    failed = [child for child in checked if not child.passed]
    if result.error is not None or not failed:
        return build_default_explanation(result, budget).summary
    if result.passed:
        return line(f"pass by the embedding check of {shortened(', '.join(str(one.name) for one in failed), 80)}")
    if keys.is_abstention(result.observed, result.settings["fields"]):
        names = [name for name in result.settings["fields"] if name in result.observed]
        return line(f"the response states nothing of what was asked: {shortened(', '.join(names), 80)}")
    return failed_parts(result, failed, f"{len(failed)} of {len(checked)} failed: ", budget)


def _fields(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    whole = keys.problems_in(result.observed).get(keys.WHOLE)
    # Where nothing could be read, that stands on the first line.
    # Children begin with the fields; a regex check may be called like one of them.
    rules = [*result.settings["fields"].values(), *[{}] * len(result.children)]
    pairs = zip(result.children, rules, strict=False)
    cells = [(child, _cells(child, rule)) for child, rule in pairs if whole is None or child.error != whole]
    if not cells:
        return
    rows = table([line("", "field", "weight", "operator", " reason"), *(row for _, row in cells)])
    narrower = budget.narrower(max(len(format_plain(row)) for row in rows[1:]) + 2)
    yield rows[0]
    for (child, _), row in zip(cells, rows[1:], strict=True):
        reason = _reason(child, narrower)
        yield *row, *reason
        if "…" in format_plain(reason):
            yield from indent(build_explanation(child, budget.narrower(8)).lines, 6)
    yield from _normalized([child for child, _ in cells])


def _normalized(children: Sequence[ComparisonResult]) -> Iterator[Line]:
    for steps in dict.fromkeys(tuple(child.normalization) for child in children if child.normalization):
        names = [str(child.name) for child in children if tuple(child.normalization) == steps]
        yield line(f"normalization of {', '.join(names)}: {', '.join(steps)}")
    if not any(child.normalization for child in children):
        yield line("normalization: none")


def _cells(child: ComparisonResult, rule: Mapping[str, Any]) -> Line:
    texts = (shortened(str(text), 40) for text in (child.name, rule.get("weight", ""), child.operator))
    # The blank has the operators padded; the reason follows it.
    return Part(mark(child.verdict).text.rstrip(), "mark"), *line(*texts), Part(" ")


def _reason(child: ComparisonResult, budget: Budget) -> Line:
    if child.passed:
        return (Part(shown(child.observed, budget.room(0)), "observed"),)
    summary = build_explanation(child, budget).summary
    if child.error is None and not any(map(is_refusal, child.notes)):
        return cut(summary, budget.width)
    wanted = Part(shown(child.expected, 30), "expected")
    return *cut(summary, budget.narrower(len(wanted.text) + 11).width), Part("; expected "), wanted


def _strategy(result: ComparisonResult) -> Iterator[Line]:
    if result.settings["strategy"] is not None:
        _, (head, *rest) = _tree(result.settings["strategy"], {child.name: child.passed for child in result.children})
        yield Part("strategy: "), *head
        yield from rest


def _tree(node: Mapping[str, Any], passed: Mapping[Any, bool]) -> tuple[bool, list[Line]]:
    settings = node["settings"]
    if node["operator"] == "field_check":
        return passed.get(settings["field"], False), [line(settings["field"])]
    parts = [_tree(part, passed) for part in settings["conditions"]]
    count = sum(met for met, _ in parts)
    needed = {"all_of": len(parts), "any_of": 1}.get(node["operator"]) or settings["n"]
    lines = [line(f"at least {needed} of {len(parts)}: {count} passed")]
    for met, (head, *rest) in parts:
        lines += indent([(mark("pass" if met else "fail"), *head), *indent(rest, 4)])
    return count >= needed, lines


def _rest(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    if keys.REPLY in result.observed:
        yield Part("reply: "), Part(shown(result.observed[keys.REPLY], budget.room(9)), "observed")
    if result.details["granular_score"] is not None:
        yield line(f"granular score: {result.details['granular_score']:.2f}")
    if keys.UNKNOWN in result.observed:
        yield line(f"keys of no field: {shown(list(result.observed[keys.UNKNOWN]), budget.room(20))[1:-1]}")


def explain_regex_check(result: ComparisonResult, budget: Budget) -> Explanation:
    """Say what a pattern found and should have found."""
    usual, reason = build_default_explanation(result, budget), result.details.get("reason")
    if result.error is not None or result.passed:
        return usual
    head = line(f"{shortened(str(reason), 200)}: pattern {shown(result.settings['pattern'], 60)}, got ")
    observed = Part(shown(result.observed, budget.room(len(format_plain(head)))), "observed")
    return replace(usual, summary=(*head, observed), covered_names=("reason", "match_count"))
