"""Slices: some rows of a data set, one behind the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RowSlice:
    """Rows as Python values.

    Args:
        numbers: Of each row its line in the file, or its position from 1.
        values: Of each row its value.
        errors: Why rows could not be read, by their position in the slice.
    """

    numbers: Sequence[int]
    values: Sequence[Any]
    errors: Mapping[int, str] = field(default_factory=dict)
