"""The block of a comparison: what differs first, then the rest of the record."""

import contextlib
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.budget import Budget
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.explanation.differences import Side, draw_marked
from pytest_verdict.explanation.facts import build_explanation, draw_note, is_refusal, shows_sides
from pytest_verdict.explanation.lines import Block, Explanation, Line, Part, block, format_plain, indent, mark

# Details that the first line and the differences show.
_SHOWN_DETAILS: Final = frozenset(
    {
        "differences", "differences_omitted", "missing", "unexpected", "distance", "margin", "measured_in",
        "expected_date", "observed_date", "effective_normalization", "unreadable", "position",
    }
)  # fmt: skip
# Details that only -vv shows.
_MINOR_DETAILS: Final = frozenset(
    {
        "found", "common", "metric", "lengths", "cost", "expected_size", "observed_size",
        "missing_omitted", "common_omitted",
    }
)  # fmt: skip
# Settings that any step of an extraction may have beside its kind.
_STEP_SETTINGS: Final = ("many", "flags", "group", "dialect")


def failure_block(result: ComparisonResult, budget: Budget, advice: Sequence[str] = ()) -> Block:
    """Build the block that a failed comparison prints."""
    lines = list(draw_explanation(result, budget))
    if budget.lines and len(lines) > budget.lines:
        omitted = len(lines) - budget.lines
        lines[budget.lines :] = [(Part(f"  … {format_count(omitted, 'more line')}; -vv shows all"),)]
    for sentence in advice:
        text = f"  advice: {visible(sentence)}"
        rows = [text]
        if budget.width:
            rows = textwrap.wrap(text, budget.width, subsequent_indent="    ", break_on_hyphens=False)
        lines += [(Part(row),) for row in rows]
    return block(lines)


def explain(result: ComparisonResult, budget: Budget | None = None) -> Iterator[str]:
    """Yield lines that explain what was compared, how, and with which verdict.

    Args:
        result: Any comparison.
        budget: How much to show (default: ``Budget()``).

    Returns:
        An iterator of lines without control characters, so nothing in them moves the cursor or changes a colour.

    Example:
        >>> from pytest_verdict import compare
        >>> print(*explain(compare("normalized_exact", "Paris", " PARIS!")), sep="\\n")
        normalized_exact: expected 'Paris', got ' PARIS!'
          expected surface: 'paris'
          observed surface: 'paris!'
                                  ^
          normalization: lowercase, strip, collapse_whitespace
    """
    for line in draw_explanation(result, budget or Budget()):
        yield format_plain(line)


def headline(result: ComparisonResult, budget: Budget | None = None) -> Line:
    """Draw the first line of an explanation."""
    return _draw_headline(result, build_explanation(result, budget or Budget()))


def draw_explanation(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    """Draw all lines of an explanation."""
    explanation = build_explanation(result, budget)
    yield _draw_headline(result, explanation)
    if shows_sides(explanation.summary, result):
        explanation = replace(explanation, sides=False)
    yield from indent(_draw_body(result, explanation, budget))


def _draw_headline(result: ComparisonResult, explanation: Explanation) -> Line:
    return Part(f"{format_label(result.operator, result.name)}: "), *explanation.summary


def format_label(operator: str, name: str | None) -> str:
    """Format the operator and the name of a comparison, with which the headline of its failure begins."""
    if name is None:
        return visible(operator)
    return f"{visible(operator)} {shown(name, 80)}"


def _draw_body(result: ComparisonResult, explanation: Explanation, budget: Budget) -> Iterator[Line]:
    yield from explanation.lines
    if explanation.children:
        # The parts that decided the verdict come first.
        children = sorted(result.children, key=lambda child: (child.verdict != result.verdict, child.passed))
        narrower = budget.narrower(8, 40)
        for child in children:
            yield from _draw_child(child, narrower)
    yield from _draw_evidence(result, explanation, budget)


def _draw_child(child: ComparisonResult, budget: Budget) -> Iterator[Line]:
    if child.passed:
        label = f"{format_label(child.operator, child.name)}: got "
        yield mark(child.verdict), Part(label), Part(shown(child.observed, budget.room(len(label))), "observed")
        return

    explanation = build_explanation(child, budget)
    head = _draw_headline(child, explanation)
    yield mark(child.verdict), *head

    # The first line shows both sides, unless one could not be used or they were too long for it.
    shows_sides = child.error is None and not any(map(is_refusal, child.notes)) and "…" not in format_plain(head)
    if budget.lines and shows_sides:
        explanation = replace(explanation, sides=False)
    yield from indent(_draw_body(child, explanation, budget), 6)


def _draw_evidence(result: ComparisonResult, explanation: Explanation, budget: Budget) -> Iterator[Line]:
    shows_all = budget.lines == 0
    covered_names = () if shows_all else explanation.covered_names
    if explanation.sides:
        yield from _draw_sides(result, budget)
    if result.accepted and "entry" in result.accepted:
        place = [result.accepted.get(name) for name in ("entry", "of", "file")]
        yield (Part(visible("expected: accepted value {} of {} in {}".format(*place))),)
    if result.sources:
        # The sources of a record from elsewhere may have any form.
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            yield from list(_draw_sources(result.sources, budget))

    # The normalization of the parts is shown with each part.
    is_covered = (explanation.children and result.children) or "normalization" in explanation.covered_names
    if result.normalization or not is_covered:
        yield (Part(f"normalization: {visible(', '.join(result.normalization)) or 'none'}"),)

    defaults = {**default_settings(result.operator), "normalize": result.settings.get("normalize")}
    settings = [
        f"{visible(name)}={shown(value, 80)}"
        for name, value in result.settings.items()
        if value != defaults.get(name, ABSENT) and name not in covered_names
    ]
    if settings:
        yield (Part(f"settings: {', '.join(settings)}"),)

    if result.score not in {0.0, 1.0} or result.threshold < 1.0:
        sign = "<"
        if result.score >= result.threshold:
            sign = ">="
        yield (Part(f"score {result.score:.6g} {sign} threshold {result.threshold:.6g}"),)
    for code in result.notes:
        yield draw_note(code, budget)

    hidden = {*_SHOWN_DETAILS, *result.notes, *covered_names}
    if not shows_all:
        hidden |= _MINOR_DETAILS
    for name, value in result.details.items():
        if name not in hidden:
            label = f"{visible(name.replace('_', ' '))}: "
            yield Part(label), Part(shown(value, budget.room(len(label) + 2)))


def _draw_sides(result: ComparisonResult, budget: Budget) -> Iterator[Line]:
    sides: tuple[Side, Side] = ("expected", "observed")
    for side, is_changed in zip(sides, result.changed_sides, strict=True):
        yield Part(f"{side}: "), Part(shown(getattr(result, side), budget.room(12)), side)
        surface = getattr(result, f"{side}_surface")
        if is_changed and not isinstance(surface, str):
            yield Part(f"{side} surface: "), Part(shown(surface, budget.room(20)), side)


def _draw_sources(sources: Mapping[str, Any], budget: Budget) -> Iterator[Line]:
    """Draw the rest of the document, and the input of each extraction step with the part that the step extracted marked."""
    document = sources.get("document")
    if sources.get("kind") == "scenario":
        label = Part("asked: ")
        if isinstance(document, Mapping):
            yield label, Part(shown(document["input"], budget.room(7)))
        else:
            yield label, Part(f"{int(sources['document_size']):,} characters of JSON")
    elif isinstance(document, Mapping):
        paths = [one.get("path") if isinstance(one, Mapping) else one for one in sources["mapping"].values()]
        rest = {name: value for name, value in document.items() if not any(_is_member(name, path) for path in paths)}
        if rest:
            yield Part("document: "), Part(shown(rest, budget.room(12)))
    for name, steps in sources.get("steps", {}).items():
        mapping = sources["mapping"][name]
        side: Side = "expected" if name == "expected" else "observed"
        origin = f"{name} from {mapping['path']}"
        for settings, step in _pair_steps(mapping["extract"], steps):
            kind = ""
            if isinstance(settings, Mapping):
                kind = next((key for key in settings if key not in _STEP_SETTINGS), "")
            action = f"{kind} {settings[kind]}" if kind else settings
            label = Part(visible(f"{origin}, {action}: "))
            origin = "then"

            value = step["value"]
            room = budget.room(len(label.text) + 2)
            if isinstance(value, str):
                spans = [range(*span) for span in step.get("spans", ())]
                yield from draw_marked(value, spans, room, side, label)
            else:
                yield label, Part(shown(value, room), side)


def _is_member(name: Any, path: Any) -> bool:
    """Return whether a path begins at a member of the document."""
    return re.match(rf"\$(\.{re.escape(str(name))}\b|\['{re.escape(str(name))}'\])", str(path)) is not None


def _pair_steps(extract: Any, steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Pair each recorded step with its settings; alternatives are replaced by the steps of the one that matched."""
    if not isinstance(extract, list | tuple):
        extract = [extract]
    for settings, step in zip(extract, steps, strict=False):
        if "alternative" in step:
            alternative = settings["first_of"][step["alternative"] - 1]
            yield from _pair_steps(alternative, step["steps"])
        else:
            yield settings, step


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
