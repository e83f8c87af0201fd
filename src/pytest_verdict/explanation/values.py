"""Two values side by side: one line for each place in which they differ."""

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_verdict.budget import Budget
from pytest_verdict.core.values.differences import Difference
from pytest_verdict.core.values.display import counted, shortened, shown, visible
from pytest_verdict.core.values.placeholders import class_name
from pytest_verdict.explanation.lines import Line, Part, indented, plain
from pytest_verdict.explanation.text import changes, look_alike, text_difference, window


def difference_lines(found: Sequence[Difference], omitted: int, budget: Budget) -> Iterator[Line]:
    """Draw differences, as many as the budget allows."""
    most = budget.differences or len(found)
    for difference in found[:most]:
        yield from _drawn(difference, budget)
    left_out = max(len(found) - most, 0) + omitted
    if left_out:
        yield (Part(f"… {counted(left_out, 'more difference')}"),)


def _drawn(difference: Difference, budget: Budget) -> Iterator[Line]:
    expected, observed = difference.expected, difference.observed
    if difference.kind == "changed" and difference.reason is None and type(expected) is type(observed) is str:
        room = budget.room(len(difference.path) + 8)
        if "\n" in expected + observed or (room and len(expected) + len(observed) + 4 > room):
            yield (Part(f"{_path(difference, budget)}:"),)
            yield from indented(text_difference(expected, observed, budget, ("expected", "observed")))
            return
    yield one_line(difference, budget)


def one_line(difference: Difference, budget: Budget) -> Line:
    """Write one difference on one line."""
    place = "" if difference.path == "$" else f"{_path(difference, budget)}: "
    room = budget.room(len(place) + 16)
    if difference.reason is not None:
        return (Part(f"{place}{visible(shortened(difference.reason, room))}"),)
    if difference.kind == "missing":
        return Part(f"{place}missing "), Part(shown(difference.expected, room), "expected")
    if difference.kind == "unexpected":
        return Part(f"{place}unexpected "), Part(shown(difference.observed, room), "observed")
    left, right = both_sides(difference.expected, difference.observed, room // 2)
    if not place:
        return Part("expected "), *left, Part(", got "), *right
    return Part(place), *left, Part(" -> "), *right


def _path(difference: Difference, budget: Budget) -> str:
    limit = max(budget.width // 2, 40) if budget.width else 0
    path = visible(shortened(difference.path, limit))
    if difference.observed_path is None:
        return path
    return f"{path} (observed {visible(shortened(difference.observed_path, limit))})"


def both_sides(expected: Any, observed: Any, room: int) -> tuple[list[Part], list[Part]]:
    """Write two values that differ so that they do not look the same."""
    if type(expected) is type(observed) is str:
        found = changes(expected, observed)
        escaped = look_alike(expected, observed, found)
        left = window(expected, [change.expected for change in found], room, "expected", escaped=escaped)
        right = window(observed, [change.observed for change in found], room, "observed", escaped=escaped)
    else:
        left, right = [Part(shown(expected, room), "expected")], [Part(shown(observed, room), "observed")]
    if plain(left) != plain(right):
        return left, right
    kinds = _kind(expected), _kind(observed)
    if kinds[0] != kinds[1]:
        return [*left, Part(f" ({kinds[0]})")], [*right, Part(f" ({kinds[1]})")]
    return left, [*right, Part(" (the two look alike)")]


def _kind(value: Any) -> str:
    return visible(class_name(type(value)).removeprefix("builtins:").replace(":", "."))
