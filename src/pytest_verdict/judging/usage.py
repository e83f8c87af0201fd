"""What judges took, as their providers report it: sums that say of how many replies they are."""

from collections.abc import Iterable, Iterator
from math import fsum
from typing import Any

from pytest_verdict.core.values.display import format_count
from pytest_verdict.judging.protocol import Usage


def sum_usage(reports: Iterable[Usage]) -> dict[str, dict[str, Any]]:
    """Sum each amount over the replies that report it, and count these."""
    values: dict[str, list[int | float]] = {}
    for report in reports:
        for name, amount in report.items():
            values.setdefault(name, []).append(amount)
    sums = {}
    for name, amounts in sorted(values.items()):
        # The sum of floats must not depend on their order.
        total = sum(amounts) if all(isinstance(amount, int) for amount in amounts) else fsum(amounts)
        sums[name] = {"sum": total, "replies": len(amounts)}
    return sums


def format_usage(reports: Iterable[Usage]) -> Iterator[str]:
    """Yield a line with the sums, if anything is reported."""
    sums = sum_usage(reports)
    # Many small costs add up to digits that nobody reads.
    texts = [f"{name} {total['sum']:,.10g} in {format_count(total['replies'], 'call')}" for name, total in sums.items()]
    if texts:
        yield f"reported by judges: {'; '.join(texts)}"
