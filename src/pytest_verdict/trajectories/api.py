"""`assert_trajectory`: the assertion for tests."""

from typing import Any, Final

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.signatures import OperatorName

_OPERATORS: Final = {
    "any": "trajectory_any_order",
    "exact": "trajectory_exact",
    "in_order": "trajectory_in_order",
    "steps": "trajectory_steps",
}


def assert_trajectory(
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    order: str = "any",
    name: str | None = None,
    comparator: Comparator | None = None,
    **settings: Any,
) -> ComparisonResult:
    """Compare two trajectories, and fail the test if they do not match.

    Args:
        expected: The expected calls, in one of the formats of docs/how-to/trajectories.md.
        observed: The observed calls.
        threshold: The lowest score that passes, in (0, 1] (default: that of the comparator, or 1.0).
        order: ``any``, ``in_order``, ``exact`` or ``steps`` for the operator ``trajectory_any_order``,
            ``trajectory_in_order``, ``trajectory_exact`` or ``trajectory_steps``.
        name: The name of this comparison in the report.
        comparator: The comparator whose defaults apply; inside its ``collect()`` the test fails at the end of the block.
        **settings: The operator's settings, such as ``extras`` and ``args``.

    Returns:
        The result, which passed; inside ``collect()`` it may have failed.

    Raises:
        MismatchError: The trajectories do not match, outside ``collect()``.
        ConfigurationError: The order, a setting or the threshold is wrong.

    Example:
        >>> assert_trajectory(["search", "book"], ["search", "look", "book"], order="in_order").score
        1.0
    """
    __tracebackhide__ = HIDDEN
    if order not in _OPERATORS:
        raise SettingsError(f"Unknown order: {order!r}.{allowed('order', order, _OPERATORS)}")
    operator = OperatorName(_OPERATORS[order])
    comparator = comparator or Comparator()
    return comparator.assert_matches(operator, expected, observed, threshold, name=name, **settings)
