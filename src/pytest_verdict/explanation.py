"""Explanations: why a comparison came out as it did, as plain lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_verdict.core.operator import as_setting
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.session import Budget
from pytest_verdict.core.values.display import shortened, shown, visible
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ConfigurationError


def failure_block(result: ComparisonResult, budget: Budget, advice: Sequence[str] = ()) -> str:
    """Lay out the block that a failed comparison prints."""
    lines: list[str] = []
    dropped = 0
    for line in explain(result, budget):
        if budget.lines and len(lines) >= budget.lines:
            dropped += 1
        else:
            lines.append(line)
    if dropped:
        lines.append(f"  … {dropped} more lines")
    return "\n".join([*lines, *(f"  advice: {visible(sentence)}" for sentence in advice)])


def explain(result: ComparisonResult, budget: Budget | None = None) -> Iterator[str]:
    """Say what was compared, how, and what came out.

    Args:
        result: Any comparison.
        budget: How much may be shown; a default budget unless given.

    Returns:
        An iterator of lines, made as they are asked for. Nothing in them can move the cursor or change a colour.

    Example:
        >>> from pytest_verdict import compare
        >>> print(*explain(compare("normalized_exact", "Paris", " PARIS!")), sep="\\n")
        normalized_exact: fail, score 0.0 < threshold 1.0
          expected: 'Paris'
          observed: ' PARIS!'
          normalization: lowercase, strip, collapse_whitespace
          expected surface: 'paris'
          observed surface: 'paris!'
          difference: at character 5, the end is not '!'
    """
    return _lines(result, budget or Budget(), "")


def headline(result: ComparisonResult) -> str:
    """Say in one line what came out."""
    label = f" {shown(result.name, 80)}" if result.name is not None else ""
    sign = ">=" if result.passed else "<"
    return f"{visible(result.operator)}{label}: {result.verdict}, score {result.score!r} {sign} threshold {result.threshold!r}"


def _lines(result: ComparisonResult, budget: Budget, indent: str) -> Iterator[str]:
    yield indent + headline(result)
    inside = indent + "  "
    if result.error is not None:
        yield f"{inside}error: {visible(shortened(result.error, budget.characters))}"
    yield f"{inside}expected: {shown(result.expected, budget.characters)}"
    yield f"{inside}observed: {shown(result.observed, budget.characters)}"
    settings = _notable_settings(result)
    if settings:
        yield f"{inside}settings: {settings}"
    yield from _normalization(result, budget, inside)
    if not result.passed:
        yield from _differences(result, budget, inside)
    if result.notes:
        yield f"{inside}notes: {visible(', '.join(result.notes))}"
    for child in result.children:
        yield from _lines(child, budget, inside)


def _notable_settings(result: ComparisonResult) -> str:
    usual = _usual_settings(result.operator)
    notable = {name: value for name, value in result.settings.items() if value != usual.get(name, ABSENT)}
    return ", ".join(f"{visible(name)}={shown(value, 80)}" for name, value in notable.items() if name != "normalize")


def _usual_settings(operator: str) -> dict[str, Any]:
    try:
        fields = REGISTRY.find(operator).model_fields
    except (ConfigurationError, ImportError):
        # A record of elsewhere: its operator, or what its operator needs, is not installed here.
        return {}
    return {name: as_setting(field.get_default(call_default_factory=True)) for name, field in fields.items()}


def _normalization(result: ComparisonResult, budget: Budget, indent: str) -> Iterator[str]:
    if result.normalization:
        yield f"{indent}normalization: {visible(', '.join(result.normalization))}"
    surfaces = ("expected", result.expected_surface), ("observed", result.observed_surface)
    for changed, (side, surface) in zip(result.changed_sides, surfaces, strict=True):
        if changed:
            yield f"{indent}{side} surface: {shown(surface, budget.characters)}"


def _differences(result: ComparisonResult, budget: Budget, indent: str) -> Iterator[str]:
    details = result.details
    listed = details.get("differences")
    if isinstance(listed, list) and listed:
        omitted = details.get("differences_omitted")
        yield from _listed(listed, omitted if type(omitted) is int else 0, budget, indent)
        if "competing" in details:
            yield f"{indent}competing: {shown(details['competing'], budget.characters)}"
        return
    expected, observed = result.expected_surface, result.observed_surface
    if result.operator in {"exact", "normalized_exact"} and isinstance(expected, str) and isinstance(observed, str):
        yield f"{indent}difference: {_first_difference(expected, observed)}"
        return
    for name, value in details.items():
        if name not in {"differences", "differences_omitted", "effective_normalization"}:
            yield f"{indent}{visible(name.replace('_', ' '))}: {shown(value, budget.characters)}"


def _listed(listed: list[Any], omitted: int, budget: Budget, indent: str) -> Iterator[str]:
    most = budget.differences or len(listed)
    yield f"{indent}differences:"
    for difference in listed[:most]:
        yield f"{indent}  {_difference(difference, budget)}"
    left_out = max(len(listed) - most, 0) + omitted
    if left_out:
        yield f"{indent}  … {left_out} more"


def _difference(difference: Any, budget: Budget) -> str:
    limit = budget.characters and max(budget.characters // 4, 40)
    if not isinstance(difference, Mapping):
        return shown(difference, limit)
    path = visible(shortened(str(difference.get("path", "$")), limit))
    kind = difference.get("kind")
    if kind == "missing":
        return f"{path}: missing, expected {shown(difference.get('expected'), limit)}"
    if kind == "unexpected":
        return f"{path}: unexpected {shown(difference.get('observed'), limit)}"
    if isinstance(difference.get("reason"), str):
        return f"{path}: {visible(shortened(difference['reason'], limit))}"
    return f"{path}: expected {shown(difference.get('expected'), limit)}, observed {shown(difference.get('observed'), limit)}"


def _first_difference(expected: str, observed: str) -> str:
    pairs = enumerate(zip(expected, observed, strict=False))
    position = next((at for at, (left, right) in pairs if left != right), min(len(expected), len(observed)))
    return f"at character {position}, {_character(expected, position)} is not {_character(observed, position)}"


def _character(text: str, position: int) -> str:
    return shown(text[position]) if position < len(text) else "the end"
