"""The block of a comparison: what differs first, then what else the record says."""

import contextlib
import itertools
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.explanation.facts import explanation_of
from pytest_verdict.explanation.lines import Block, Line, Part, block, indented, mark, plain
from pytest_verdict.explanation.model import Explanation
from pytest_verdict.explanation.notes import is_refusal, note_line
from pytest_verdict.explanation.text import Side, marked

# What the lines above say, and what only a second look needs.
_SAID: Final = (
    *("differences", "differences_omitted", "missing", "unexpected", "distance", "margin", "measured_in"),
    *("expected_date", "observed_date", "effective_normalization", "unreadable", "position"),
)
_FOR_A_SECOND_LOOK: Final = (
    *("found", "common", "metric", "lengths", "cost"),
    *("expected_size", "observed_size", "missing_omitted", "common_omitted"),
)


def failure_block(result: ComparisonResult, budget: Budget, advice: Sequence[str] = ()) -> Block:
    """Lay out the block that a failed comparison prints."""
    lines = list(explained(result, budget))
    left_out = len(lines) - budget.lines if budget.lines else 0
    if left_out > 0:
        lines[budget.lines :] = [(Part(f"  … {counted(left_out, 'more line')}; -vv shows all"),)]
    return block([*lines, *(line for sentence in advice for line in _advice(sentence, budget))])


def _advice(sentence: str, budget: Budget) -> Iterator[Line]:
    text = f"  advice: {visible(sentence)}"
    wrapped = (
        textwrap.wrap(text, budget.width, subsequent_indent="    ", break_on_hyphens=False) if budget.width else [text]
    )
    return ((Part(part),) for part in wrapped)


def explain(result: ComparisonResult, budget: Budget | None = None) -> Iterator[str]:
    """Say what was compared, how, and what came out.

    Args:
        result: Any comparison.
        budget: How much may be shown; a default budget unless given.

    Returns:
        An iterator of lines. Nothing in them can move the cursor or change a colour.

    Example:
        >>> from pytest_verdict import compare
        >>> print(*explain(compare("normalized_exact", "Paris", " PARIS!")), sep="\\n")
        normalized_exact: expected 'Paris', got ' PARIS!'
          expected surface: 'paris'
          observed surface: 'paris!'
                                  ^
          expected: 'Paris'
          observed: ' PARIS!'
          normalization: lowercase, strip, collapse_whitespace
    """
    for line in explained(result, budget or Budget()):
        yield plain(line)


def headline(result: ComparisonResult, budget: Budget | None = None) -> Line:
    """Say in one line what came out."""
    return _headline(result, explanation_of(result, budget or Budget()))


def explained(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    """Give the lines of an explanation."""
    found = explanation_of(result, budget)
    yield _headline(result, found)
    yield from indented(_below(result, found, budget))


def _below(result: ComparisonResult, found: Explanation, budget: Budget) -> Iterator[Line]:
    yield from found.lines
    if found.children:
        # What decided comes first.
        narrower = budget.narrower(8, 40)
        for child in sorted(result.children, key=lambda child: (child.verdict != result.verdict, child.passed)):
            yield from _of_part(child, narrower)
    yield from _evidence(result, found, budget)


def _headline(result: ComparisonResult, found: Explanation) -> Line:
    return Part(f"{_label(result)}: "), *found.summary


def _label(result: ComparisonResult) -> str:
    return visible(result.operator) + ("" if result.name is None else f" {shown(result.name, 80)}")


def _of_part(child: ComparisonResult, budget: Budget) -> Iterator[Line]:
    if child.passed:
        label = f"{_label(child)}: got "
        yield mark(child.verdict), Part(label), Part(shown(child.observed, budget.room(len(label))), "observed")
        return
    found = explanation_of(child, budget)
    head = _headline(child, found)
    yield mark(child.verdict), *head
    # Both sides stand on the line above, unless one could not be used or they were too long for it.
    is_whole = child.error is None and not any(map(is_refusal, child.notes)) and "…" not in plain(head)
    sides = found.sides and (budget.lines == 0 or not is_whole)
    yield from indented(_below(child, replace(found, sides=sides), budget), 6)


def _evidence(result: ComparisonResult, found: Explanation, budget: Budget) -> Iterator[Line]:
    if found.sides:
        yield from _sides(result, budget)
    if result.outcome.sources:
        # A record of elsewhere may hold anything.
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            yield from list(_sources(result.outcome.sources, budget))
    # What parts were normalized by stands with each.
    if result.normalization or not ((found.children and result.children) or "normalization" in found.said):
        yield (Part(f"normalization: {visible(', '.join(result.normalization)) or 'none'}"),)
    settings = _notable_settings(result, () if budget.lines == 0 else found.said)
    if settings:
        yield (Part(f"settings: {settings}"),)
    if result.score not in {0.0, 1.0} or result.threshold < 1.0:
        sign = ">=" if result.score >= result.threshold else "<"
        yield (Part(f"score {result.score:.6g} {sign} threshold {result.threshold:.6g}"),)
    for code in result.notes:
        yield note_line(code, budget)
    yield from _other_details(result, found, budget)


_OF_ALL_STEPS: Final = ("many", "flags", "group", "dialect")


def _sources(sources: Mapping[str, Any], budget: Budget) -> Iterator[Line]:
    """Draw the text that each step of an extraction was given, with the part that it took marked."""
    for name, steps in sources.get("steps", {}).items():
        written = sources["mapping"][name]
        side: Side = "expected" if name == "expected" else "observed"
        origins = itertools.chain([f"{name} from {written['path']}"], itertools.repeat("then"))
        for how, step in _taken(written["extract"], steps):
            kind = next((key for key in how if key not in _OF_ALL_STEPS), "") if isinstance(how, Mapping) else ""
            label = Part(visible(f"{next(origins)}, {f'{kind} {how[kind]}' if kind else how}: "))
            value, spans = step["value"], [range(*span) for span in step.get("spans", ())]
            room = budget.room(len(label.text) + 2)
            text = isinstance(value, str)
            yield from marked(value, spans, room, side, label) if text else [(label, Part(shown(value, room), side))]


def _taken(extract: Any, steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Give each step as it was written, those of the alternative that was taken in the place of all alternatives."""
    for how, step in zip(extract if isinstance(extract, list | tuple) else [extract], steps, strict=False):
        if "alternative" in step:
            yield from _taken(how["first_of"][step["alternative"] - 1], step["steps"])
        else:
            yield how, step


def _sides(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    changed = result.changed_sides
    yield Part("expected: "), Part(shown(result.expected, budget.room(12)), "expected")
    if changed[0] and not isinstance(result.expected_surface, str):
        yield Part("expected surface: "), Part(shown(result.expected_surface, budget.room(20)), "expected")
    yield Part("observed: "), Part(shown(result.observed, budget.room(12)), "observed")
    if changed[1] and not isinstance(result.observed_surface, str):
        yield Part("observed surface: "), Part(shown(result.observed_surface, budget.room(20)), "observed")


def _notable_settings(result: ComparisonResult, said: Collection[str]) -> str:
    defaults = {**default_settings(result.operator), "normalize": result.settings.get("normalize")}
    notable = [(name, value) for name, value in result.settings.items() if value != defaults.get(name, ABSENT)]
    return ", ".join(f"{visible(name)}={shown(value, 80)}" for name, value in notable if name not in said)


def default_settings(operator: str) -> dict[str, Any]:
    """Return the settings that an operator has by default; none where it is not installed."""
    from pytest_verdict.core.operator import as_setting
    from pytest_verdict.core.registry import REGISTRY

    try:
        fields = REGISTRY.find(operator).model_fields
    except (ConfigurationError, ImportError):
        # A record of elsewhere: its operator, or what its operator needs, is not installed here.
        return {}
    return {name: as_setting(field.get_default(call_default_factory=True)) for name, field in fields.items()}


def _other_details(result: ComparisonResult, found: Explanation, budget: Budget) -> Iterator[Line]:
    hidden = {*_SAID, *(() if budget.lines == 0 else (*_FOR_A_SECOND_LOOK, *found.said))}
    for name, value in result.details.items():
        if name not in hidden and name not in result.notes:
            label = f"{visible(name.replace('_', ' '))}: "
            yield Part(label), Part(shown(value, budget.room(len(label) + 2)))
