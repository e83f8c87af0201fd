"""Two values side by side: one line for each place in which they differ."""

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_verdict.budget import Budget
from pytest_verdict.core.values.differences import Difference
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.core.values.placeholders import class_name
from pytest_verdict.explanation.lines import Line, Part, format_plain, indent
from pytest_verdict.explanation.text import draw_text_difference, draw_window, find_changes, looks_alike


def draw_differences(differences: Sequence[Difference], omitted: int, budget: Budget) -> Iterator[Line]:
    """Draw differences up to the limit of the budget; ``omitted`` counts those that the record left out."""
    most = budget.differences or len(differences)
    for difference in differences[:most]:
        if _needs_text_difference(difference, budget):
            yield (Part(f"{_format_path(difference, budget)}:"),)
            texts = draw_text_difference(difference.expected, difference.observed, budget, ("expected", "observed"))
            yield from indent(texts)
        else:
            yield draw_difference(difference, budget)

    remaining = max(len(differences) - most, 0) + omitted
    if remaining:
        yield (Part(f"… {counted(remaining, 'more difference')}"),)


def _needs_text_difference(difference: Difference, budget: Budget) -> bool:
    """Whether both sides are texts that do not fit on one line."""
    expected = difference.expected
    observed = difference.observed
    if difference.kind != "changed" or difference.reason is not None:
        return False
    if type(expected) is not str or type(observed) is not str:
        return False
    if "\n" in expected or "\n" in observed:
        return True
    room = budget.room(len(difference.path) + 8)
    return room > 0 and len(expected) + len(observed) + 4 > room


def draw_difference(difference: Difference, budget: Budget) -> Line:
    """Draw one difference on one line."""
    place = ""
    if difference.path != "$":
        place = f"{_format_path(difference, budget)}: "
    room = budget.room(len(place) + 16)
    if difference.reason is not None:
        return (Part(f"{place}{visible(shortened(difference.reason, room))}"),)
    if difference.kind == "missing":
        return Part(f"{place}missing "), Part(shown(difference.expected, room), "expected")
    if difference.kind == "unexpected":
        return Part(f"{place}unexpected "), Part(shown(difference.observed, room), "observed")

    left, right = draw_both_sides(difference.expected, difference.observed, room // 2)
    if not place:
        return Part("expected "), *left, Part(", got "), *right
    return Part(place), *left, Part(" -> "), *right


def _format_path(difference: Difference, budget: Budget) -> str:
    limit = 0
    if budget.width:
        limit = max(budget.width // 2, 40)
    path = visible(shortened(difference.path, limit))
    if difference.observed_path is None:
        return path
    return f"{path} (observed {visible(shortened(difference.observed_path, limit))})"


def draw_both_sides(expected: Any, observed: Any, room: int) -> tuple[list[Part], list[Part]]:
    """Draw two values that differ so that they do not look the same."""
    if type(expected) is type(observed) is str:
        changes = find_changes(expected, observed)
        escaped = looks_alike(expected, observed, changes)
        left = draw_window(expected, [change.expected for change in changes], room, "expected", escaped=escaped)
        right = draw_window(observed, [change.observed for change in changes], room, "observed", escaped=escaped)
    else:
        left = [Part(shown(expected, room), "expected")]
        right = [Part(shown(observed, room), "observed")]
    if format_plain(left) != format_plain(right):
        return left, right

    expected_class = visible(class_name(type(expected)).removeprefix("builtins:").replace(":", "."))
    observed_class = visible(class_name(type(observed)).removeprefix("builtins:").replace(":", "."))
    if expected_class != observed_class:
        return [*left, Part(f" ({expected_class})")], [*right, Part(f" ({observed_class})")]
    return left, [*right, Part(" (the two look alike)")]
