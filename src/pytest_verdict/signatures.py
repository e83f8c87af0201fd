"""The signatures of `compare` and similar functions; type checkers read signatures.pyi, which is generated."""

import inspect
from typing import Any

from pytest_verdict.core.values.placeholders import ABSENT


class OperatorName(str):
    """The name of an operator that type checkers do not have: one of your own, or one in a variable.

    Type checkers complete and check the names and settings of our operators, and refuse any other text. At run time, any text
    can be a name.

    Example:
        >>> from pytest_verdict import OperatorName, compare
        >>> name: str = "normalized_exact"
        >>> compare(OperatorName(name), "Paris", "paris").passed
        True
    """

    __slots__ = ()


def _with_optional_sides(function: Any) -> Any:
    """Let calls without operator, expected or observed reach a function, which explains them; keep its signature."""
    function.__signature__ = inspect.signature(function)
    sides = {"operator", "expected", "observed"} & {*function.__signature__.parameters}
    if "expected" in sides:
        function.__defaults__ = (*[ABSENT] * len(sides), None)
    return function


typed_compare = typed_comparator = typed_expect = typed_defaults = _with_optional_sides
