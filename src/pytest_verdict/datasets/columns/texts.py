"""Columns of texts and categories: normalization, equality, contained texts, booleans and accepted values."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.normalizers import SynonymMap, normalize
from pytest_verdict.datasets.columns.arrow import BOOLEAN, INTEGER, TEXT, Array, build_column, null_unless, scalar
from pytest_verdict.datasets.columns.table import GroupedRows, Path

Steps = Sequence[str | SynonymMap]

# The ASCII characters that str.split() treats as whitespace.
_BLANK: Final = r"[\t-\r\x1c-\x1f ]"
BLANKS: Final = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
# A group number is an integer of 64 bits.
_MOST_FLAGS: Final = 62
_LARGEST: Final = 2**63 - 1


class Side(NamedTuple):
    """A column after normalization."""

    column: Array
    changed_by: Sequence[Array] = ()
    """For each step, the rows that it changed."""
    changed: Array | None = None
    """The rows whose text differs from the original."""


def group_by_normalized_equality(operator: Any, expected: Array | None, observed: Array) -> GroupedRows | None:
    return group_by_equality(operator, expected, observed, list_steps(operator))


def group_by_equality(_: Any, expected: Array | None, observed: Array, steps: Steps = ()) -> GroupedRows | None:
    if expected is None or expected.type != observed.type:
        return None

    first = normalize_column(expected, steps)
    second = normalize_column(observed, steps)
    if first is None or second is None:
        return None

    if first.changed is not None:
        # An expected text that normalization empties is an error of the check.
        first = first._replace(column=null_unless(first.column, compute.not_equal(first.column, scalar(""))))

    groups = number_groups([compute.equal(first.column, second.column)], first, second)
    return GroupedRows(groups, {("expected_surface",): first.column, ("observed_surface",): second.column})


def group_by_contained_texts(operator: Any, expected: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by the expected texts that observed contains."""
    if observed.type != TEXT:
        return None
    steps = list_steps(operator)
    second = normalize_column(observed, steps)
    if second is None:
        return None
    if operator.substrings is not None:
        substrings = [normalize(text, steps) for text in operator.substrings]
        if not are_utf8(substrings):
            return None
        matches = [compute.match_substring(second.column, text) for text in substrings]
        return GroupedRows(number_groups(matches, second), {("observed_surface",): second.column})

    if expected is None or expected.type != TEXT:
        return None
    first = normalize_column(expected, steps)
    if first is None:
        return None

    texts = null_unless(first.column, compute.not_equal(first.column, scalar("")))
    pairs = zip(texts.to_pylist(), second.column.to_pylist(), strict=True)
    is_contained = [None if text is None or whole is None else text in whole for text, whole in pairs]
    parts = {
        ("expected_surface", 0): texts,
        ("observed_surface",): second.column,
        ("details", "found", 0): texts,
        ("details", "missing", 0): texts,
    }
    return GroupedRows(number_groups([build_column(is_contained, BOOLEAN)], first, second), parts)


def group_by_boolean(operator: Any, expected: Array | None, observed: Array) -> GroupedRows | None:
    if observed.type != BOOLEAN:
        return None
    return group_by_equality(operator, expected, observed)


def group_by_accepted_value(operator: Any, _: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by whether observed is one of the accepted values."""
    values = operator.values
    steps = list_steps(operator)
    second = normalize_column(observed, steps)
    if second is None or values is None:
        return None
    if observed.type == TEXT:
        fits = all(type(value) is str for value in values) and are_utf8(values)
    else:
        fits = observed.type == INTEGER and all(type(value) is int and abs(value) <= _LARGEST for value in values)
    if not fits:
        return None

    indexes: dict[Any, int] = {}
    for index, value in enumerate(values):
        indexes.setdefault(normalize(value, steps) if observed.type == TEXT else value, index)

    position = compute.index_in(second.column, build_column([*indexes], observed.type), skip_nulls=True)
    matched_index = compute.take(build_column([*indexes.values()], INTEGER), position)
    passed = null_unless(compute.is_valid(matched_index), compute.is_valid(second.column))
    parts: dict[Path, Array] = {
        ("details", "matched_index"): matched_index,
        ("details", "matched"): compute.take(build_column(values, observed.type), matched_index),
        ("observed_surface", 0): second.column,
    }
    return GroupedRows(number_groups([passed], second), parts)


def list_steps(operator: Any) -> Steps:
    """List the normalizers of an operator, with casefold if it ignores case."""
    if operator.case_sensitive:
        return tuple(operator.normalize)
    return (*operator.normalize, "casefold")


def normalize_column(column: Array, steps: Steps) -> Side | None:
    """Normalize a column; None when Arrow cannot do one of the steps."""
    if column.type != TEXT or not steps:
        return Side(column)

    functions = [_STEPS.get(step) if isinstance(step, str) else None for step in steps]
    original = current = null_unless(column, compute.string_is_ascii(column))
    changed_by = []
    for function in functions:
        if function is None:
            return None
        following = function(current)
        changed_by.append(compute.not_equal(current, following))
        current = following
    return Side(current, changed_by, compute.not_equal(original, current))


def number_groups(flags: Sequence[Array], *sides: Side) -> Array:
    """Number the rows so that two have the same number when all flags agree and the same steps changed them."""
    flags = list(flags)
    changed_by = [side.changed_by for side in sides if side.changed_by]
    if len(changed_by) == 1:
        flags += changed_by[0]
    elif changed_by:
        flags += map(compute.or_, *changed_by)
    flags += [side.changed for side in sides if side.changed is not None]

    if len(flags) > _MOST_FLAGS:
        return pyarrow.nulls(len(flags[0]), INTEGER)
    numbers = flags[0].cast(INTEGER)
    for position, flag in enumerate(flags[1:], 1):
        numbers = compute.add(numbers, compute.multiply(flag.cast(INTEGER), scalar(1 << position)))
    return numbers


def are_utf8(texts: Sequence[str]) -> bool:
    """Return whether Arrow can hold the texts."""
    return not any("\ud800" <= character <= "\udfff" for text in texts for character in text)


def _collapse_whitespace(column: Array) -> Array:
    column = compute.ascii_trim(column, characters=BLANKS)
    has_more = compute.match_substring_regex(column, r"[\t-\r\x1c-\x1f]|  ")
    if not compute.any(has_more).as_py():
        return column
    collapsed = compute.replace_substring_regex(column.filter(has_more), f"{_BLANK}+", " ")
    return compute.replace_with_mask(column, has_more, collapsed)


def _strip_thousands_separators(column: Array) -> Array:
    has_comma = compute.match_substring(column, ",")
    if not compute.any(has_comma).as_py():
        return column
    number = rf"^{_BLANK}*[+-]?[0-9]{{1,3}}(,[0-9]{{3}})+(\.[0-9]*)?{_BLANK}*$"
    is_plain = compute.or_(compute.invert(has_comma), compute.match_substring_regex(column, number))
    return compute.replace_substring(null_unless(column, is_plain), ",", "")


def _strip_markdown_fence(column: Array) -> Array:
    return null_unless(column, compute.invert(compute.match_substring(column, "```")))


def _remove(pattern: str) -> Callable[[Array], Array]:
    return lambda column: compute.replace_substring_regex(column, pattern, "")


# For ASCII only: the regex engine of Arrow has other character classes than Python.
_STEPS: Final[dict[str, Callable[[Array], Array]]] = {
    "casefold": compute.ascii_lower,
    "collapse_whitespace": _collapse_whitespace,
    "lowercase": compute.ascii_lower,
    "nfc": lambda column: column,
    "nfkc": lambda column: column,
    "remove_articles": _remove(rf"(?i)\b(?:a|an|the)\b{_BLANK}*"),
    "remove_punctuation": _remove(r"[!-/:-@\[-`{-~]"),
    "strip": lambda column: compute.ascii_trim(column, characters=BLANKS),
    "strip_markdown_fence": _strip_markdown_fence,
    "strip_thousands_separators": _strip_thousands_separators,
}
