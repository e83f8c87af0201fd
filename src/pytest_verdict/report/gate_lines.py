"""The decision of a gate in one line."""

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


def verdict_line(gate: Mapping[str, Any]) -> str:
    """Format the entry of a gate in ``report.json``: its counts, its rate with the interval, its verdict."""
    total = gate["pass"] + gate["fail"] + gate["error"]
    parts = []
    if total:
        parts.append(f"{gate['pass']} of {counted(total, gate['unit'])} passed")
        parts.append(counted(gate["error"], "error"))
        rate, low, high = (round(share * _SIX_DIGITS) for share in (gate["rate"], *gate["interval"]))
        # The rate and the lower end are rounded down, so a missed rate never looks reached.
        shares = [number / _FOUR_DIGITS for number in (rate // 100, low // 100, -(-high // 100))]
        parts.append("{:g} [{:g}, {:g}]".format(*shares))
    verdict = gate["verdict"] + "".join(f" ({note})" for note in gate["notes"])
    reason = gate.get("reason") or list_names(gate.get("tests", ()))
    parts.append(f"{verdict}: {reason}" if reason else verdict)
    return visible(f"gate {gate['gate']}: {', '.join(parts)}")


def list_names(names: Sequence[str]) -> str:
    """List the first names, and count the others."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"{name:.{_LONGEST_NAME}}" for name in names[:_MOST_NAMED]) + more
