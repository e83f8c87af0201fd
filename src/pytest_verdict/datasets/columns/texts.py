"""Columns of text: normalized, and sorted by equality and by the texts that they contain."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Columns
from pytest_verdict.core.normalizers import SynonymMap, normalize
from pytest_verdict.datasets.columns.arrow import TEXT, TRUTH, WHOLE, Array, column, literal, taken

Steps = Sequence[str | SynonymMap]

# What str.split takes for a blank, of ASCII.
_BLANK: Final = r"[\t-\r\x1c-\x1f ]"
BLANKS: Final = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
# Of a whole number of 64 bits.
_MOST_FLAGS: Final = 62


class Side(NamedTuple):
    """A column after normalization."""

    column: Array
    steps: Sequence[Array] = ()
    """Of each step the rows that it changed."""
    changed: Array | None = None
    """The rows that are another text now."""


def _collapsed(column: Array) -> Array:
    column = compute.ascii_trim(column, characters=BLANKS)
    rows = compute.match_substring_regex(column, r"[\t-\r\x1c-\x1f]|  ")
    if not compute.any(rows).as_py():
        return column
    found = compute.replace_substring_regex(column.filter(rows), f"{_BLANK}+", " ")
    return compute.replace_with_mask(column, rows, found)


def _without_thousands_separators(column: Array) -> Array:
    rows = compute.match_substring(column, ",")
    if not compute.any(rows).as_py():
        return column
    number = rf"^{_BLANK}*[+-]?[0-9]{{1,3}}(,[0-9]{{3}})+(\.[0-9]*)?{_BLANK}*$"
    column = taken(column, compute.or_(compute.invert(rows), compute.match_substring_regex(column, number)))
    return compute.replace_substring(column, ",", "")


def _replaced(pattern: str) -> Callable[[Array], Array]:
    return lambda column: compute.replace_substring_regex(column, pattern, "")


# On ASCII alone; the engine behind Arrow knows other classes of characters than Python.
_STEPS: Final[dict[str, Callable[[Array], Array]]] = {
    "casefold": compute.ascii_lower,
    "collapse_whitespace": _collapsed,
    "lowercase": compute.ascii_lower,
    "nfc": lambda column: column,
    "nfkc": lambda column: column,
    "remove_articles": _replaced(rf"(?i)\b(?:a|an|the)\b{_BLANK}*"),
    "remove_punctuation": _replaced(r"[!-/:-@\[-`{-~]"),
    "strip": lambda column: compute.ascii_trim(column, characters=BLANKS),
    "strip_markdown_fence": lambda column: taken(column, compute.invert(compute.match_substring(column, "```"))),
    "strip_thousands_separators": _without_thousands_separators,
}


def normalized(column: Array, steps: Steps) -> Side | None:
    """Normalize a column; None when a step is not known here."""
    if column.type != TEXT or not steps:
        return Side(column)
    known = [_STEPS.get(step) if isinstance(step, str) else None for step in steps]
    before = current = taken(column, compute.string_is_ascii(column))
    changed = []
    for step in known:
        if step is None:
            return None
        following = step(current)
        changed.append(compute.not_equal(current, following))
        current = following
    return Side(current, changed, compute.not_equal(before, current))


def kinds(decided: Sequence[Array], *sides: Side) -> Array:
    """Give a kind to rows of which the same was decided, and which the same steps changed."""
    effective = [side.steps for side in sides if side.steps]
    flags = [*decided]
    if effective:
        flags += effective[0] if len(effective) == 1 else map(compute.or_, *effective)
    flags += [side.changed for side in sides if side.changed is not None]
    if len(flags) > _MOST_FLAGS:
        return pyarrow.nulls(len(flags[0]), WHOLE)
    found = flags[0].cast(WHOLE)
    for place, flag in enumerate(flags[1:], 1):
        found = compute.add(found, compute.multiply(flag.cast(WHOLE), literal(1 << place)))
    return found


def normalized_equal(operator: Any, expected: Array | None, observed: Array) -> Columns | None:
    """Sort rows by equality after normalization."""
    return equal(operator, expected, observed, steps_of(operator))


def steps_of(operator: Any) -> Steps:
    """Give the normalizers of an operator, with the one that its setting ``case_sensitive`` stands for."""
    return operator.normalize if operator.case_sensitive else (*operator.normalize, "casefold")


def equal(_: Any, expected: Array | None, observed: Array, steps: Steps = ()) -> Columns | None:
    """Sort rows by equality."""
    if expected is None or expected.type != observed.type:
        return None
    left, right = normalized(expected, steps), normalized(observed, steps)
    if left is None or right is None:
        return None
    if left.changed is not None:
        # An expected text of which nothing is left is refused.
        left = left._replace(column=taken(left.column, compute.not_equal(left.column, literal(""))))
    decided = compute.equal(left.column, right.column)
    return Columns(
        kinds([decided], left, right), {("expected_surface",): left.column, ("observed_surface",): right.column}
    )


def contained(operator: Any, expected: Array | None, observed: Array) -> Columns | None:
    """Sort rows by the texts that they contain."""
    steps = steps_of(operator)
    right = normalized(observed, steps) if observed.type == TEXT else None
    if right is None:
        return None
    if operator.substrings is not None:
        return _constant_contained(right, [normalize(text, steps) for text in operator.substrings])
    left = normalized(expected, steps) if expected is not None and expected.type == TEXT else None
    if left is None:
        return None
    wanted = taken(left.column, compute.not_equal(left.column, literal("")))
    pairs = zip(wanted.to_pylist(), right.column.to_pylist(), strict=True)
    found = [None if text is None or inside is None else text in inside for text, inside in pairs]
    parts = {("expected_surface", 0): wanted, ("observed_surface",): right.column}
    parts |= {("details", "found", 0): wanted, ("details", "missing", 0): wanted}
    return Columns(kinds([column(found, TRUTH)], left, right), parts)


def _constant_contained(right: Side, wanted: Sequence[str]) -> Columns | None:
    if not are_utf8(wanted):
        return None
    found = [compute.match_substring(right.column, text) for text in wanted]
    return Columns(kinds(found, right), {("observed_surface",): right.column})


def are_utf8(texts: Sequence[str]) -> bool:
    """Say whether Arrow can hold the texts."""
    return not any("\ud800" <= character <= "\udfff" for text in texts for character in text)
