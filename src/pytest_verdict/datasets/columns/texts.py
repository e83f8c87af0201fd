"""Columns of texts and categories: normalization, equality, contained texts, booleans and accepted values."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.normalizers import SynonymMap, compile_steps, normalize
from pytest_verdict.datasets.columns.arrow import BOOLEAN, INTEGER, TEXT, Array, build_column, null_unless, scalar
from pytest_verdict.datasets.columns.table import GroupedRows, Path
from pytest_verdict.operators.synthetic_operators import is_blank_text

Steps = Sequence[str | SynonymMap]

# The ASCII characters that str.split() treats as whitespace.
BLANKS: Final = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
# A group number is an integer of 64 bits.
_MOST_FLAGS: Final = 62
_LARGEST: Final = 2**63 - 1
# The function that looks for a text, by the name of the operator; the default looks everywhere.
_FIND: Final = {"starts_with": compute.starts_with, "ends_with": compute.ends_with}
_CONTAINS: Final = {"starts_with": str.startswith, "ends_with": str.endswith}


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
        find = _FIND.get(operator.name, compute.match_substring)
        matches = [find(second.column, text) for text in substrings]
        return GroupedRows(number_groups(matches, second), {("observed_surface",): second.column})

    if expected is None or expected.type != TEXT:
        return None
    first = normalize_column(expected, steps)
    if first is None:
        return None

    texts = null_unless(first.column, compute.not_equal(first.column, scalar("")))
    pairs = zip(texts.to_pylist(), second.column.to_pylist(), strict=True)
    contains = _CONTAINS.get(operator.name, str.__contains__)
    is_contained = [None if text is None or whole is None else contains(whole, text) for text, whole in pairs]
    parts = {
        ("expected_surface", 0): texts,
        ("observed_surface",): second.column,
        ("details", "found", 0): texts,
        ("details", "missing", 0): texts,
    }
    return GroupedRows(number_groups([build_column(is_contained, BOOLEAN)], first, second), parts)


def group_by_visible_text(_operator: Any, _: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by whether a text is blank, which is decided for each distinct text once."""
    if observed.type != TEXT:
        return None
    encoded = observed.dictionary_encode()
    is_blank = build_column([*map(is_blank_text, encoded.dictionary.to_pylist())], BOOLEAN)
    return GroupedRows(number_groups([compute.take(is_blank, encoded.indices)]), {})


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
    """Normalize each distinct text of a column once; None if a step is a function of the user, which may remember calls."""
    if column.type != TEXT or not steps:
        return Side(column)
    if not all(isinstance(step, str | SynonymMap) for step in steps):
        return None

    encoded = column.dictionary_encode()
    original = current = encoded.dictionary.to_pylist()
    changed_by = []
    for apply in compile_steps(tuple(steps))[1]:
        following = [apply(text) for text in current]
        changed_by.append(_flag_changes(current, following, encoded.indices))
        current = following
    column = compute.take(build_column(current, TEXT), encoded.indices)
    return Side(column, changed_by, _flag_changes(original, current, encoded.indices))


def _flag_changes(before: Sequence[str], after: Sequence[str], indices: Array) -> Array:
    return compute.take(
        build_column([one != other for one, other in zip(before, after, strict=True)], BOOLEAN), indices
    )


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
