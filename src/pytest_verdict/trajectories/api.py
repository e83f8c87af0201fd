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
    """Compare two trajectories, and fail the test unless they match.

    Args:
        expected: The expected calls; see docs/how-to/trajectories.md for what is read.
        observed: The observed calls.
        threshold: The lowest score that passes, in (0, 1]; 1.0, or the comparator's default, unless given.
        order: ``any``, ``in_order`` or ``exact``: the operator ``trajectory_any_order``, ``trajectory_in_order`` or
            ``trajectory_exact``; or ``steps`` for ``trajectory_steps``.
        name: What to call this comparison in the report.
        comparator: The one whose defaults hold; inside its ``collect()`` the test fails at the end of the block. Without it
            there are no defaults.
        **settings: The operator's settings, such as ``extras`` and ``args``.

    Returns:
        The result, which passed; inside ``collect()`` it may be one that did not.

    Raises:
        MismatchError: The trajectories do not match, outside ``collect()``.
        ConfigurationError: The order, a setting or the threshold is wrong.

    Example:
        >>> assert_trajectory(["search", "book"], ["search", "look", "book"], order="in_order").score
        1.0
    """
    __tracebackhide__ = HIDDEN
    if order not in _OPERATORS:
        raise SettingsError(f"there is no order {order!r}.{allowed('order', order, _OPERATORS)}")
    chosen = comparator or Comparator()
    return chosen.assert_matches(OperatorName(_OPERATORS[order]), expected, observed, threshold, name=name, **settings)
