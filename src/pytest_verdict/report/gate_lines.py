"""What is said of a gate in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.values.display import counted, visible

MET: Final = "met"
MISSED: Final = "missed"
UNDECIDED: Final = "error"
INCOMPLETE: Final = "the session, or one of its tests, did not come to its end"

_SIX_DIGITS: Final = 1_000_000
_FOUR_DIGITS: Final = 10_000
_MOST_NAMED: Final = 8
_LONGEST_NAME: Final = 200


def verdict_line(found: Mapping[str, Any]) -> str:
    """Say what was counted and what follows, from the entry of a gate in ``report.json``."""
    total = found["pass"] + found["fail"] + found["error"]
    parts = []
    if total:
        rate, low, high = (round(share * _SIX_DIGITS) for share in (found["rate"], *found["interval"]))
        # A rate that was not reached is not rounded up to it.
        shares = (number / _FOUR_DIGITS for number in (rate // 100, low // 100, -(-high // 100)))
        parts = [f"{found['pass']} of {counted(total, found['unit'])} passed", counted(found["error"], "error")]
        parts.append("{:g} [{:g}, {:g}]".format(*shares))
    notes = "".join(f" ({note})" for note in found["notes"])
    more = found.get("reason") or named(found.get("tests", ()))
    parts.append(f"{found['verdict']}{notes}{more and f': {more}'}")
    return visible(f"gate {found['gate']}: {', '.join(parts)}")


def named(names: Sequence[str]) -> str:
    """Name the first of some things, and say how many more there are."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"{name:.{_LONGEST_NAME}}" for name in names[:_MOST_NAMED]) + more
