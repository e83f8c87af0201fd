"""The signatures of `compare` and the like; type checkers read signatures.pyi, which is made from the operators."""

from __future__ import annotations

from typing import TypeVar

_Function = TypeVar("_Function")


class OperatorName(str):
    """The name of an operator that a type checker cannot know: of one of your own, or out of a variable.

    Type checkers complete and check the names of our operators, with their settings, and refuse any other text. Nothing else
    depends on this class: at run time every text is a name.

    Example:
        >>> from pytest_verdict import OperatorName, compare
        >>> name: str = "normalized_exact"
        >>> compare(OperatorName(name), "Paris", "paris").passed
        True
    """

    __slots__ = ()


def _as_it_is(function: _Function) -> _Function:
    return function


typed_compare = typed_comparator = typed_expect = typed_defaults = _as_it_is
