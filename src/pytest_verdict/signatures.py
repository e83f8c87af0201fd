"""The signatures of `compare` and the like; type checkers read signatures.pyi, which is made from the operators."""

import inspect
from typing import Any

from pytest_verdict.core.values.placeholders import ABSENT


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


def _says_what_is_missing(function: Any) -> Any:
    """Let a call without operator, expected or observed reach the function; its signature stays the one that is written."""
    function.__signature__ = inspect.signature(function)
    sides = {"operator", "expected", "observed"} & {*function.__signature__.parameters}
    if "expected" in sides:
        function.__defaults__ = (*[ABSENT] * len(sides), None)
    return function


typed_compare = typed_comparator = typed_expect = typed_defaults = _says_what_is_missing
