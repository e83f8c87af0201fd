"""What the closing section says of blind comparisons: verdicts, order flips, contradictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_verdict.core.values.display import counted


def blind_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Say what came of the blind comparisons of a session."""
    statuses: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    flips = first = decisive = informal = 0
    for record in records:
        details = record.get("details")
        if not isinstance(details, Mapping) or not isinstance(details.get("status"), str):
            statuses["unreadable"] += 1
            continue
        statuses[details["status"].lower()] += 1
        contradictions.update(
            {str(one.get("code")) for one in details.get("contradictions") or [] if isinstance(one, Mapping)}
        )
        flips += bool(details.get("order_flips"))
        informal += "informal" in record.get("notes", [])
        won = details.get("first_shown_won")
        if isinstance(won, list) and len(won) == 2 and all(type(number) is int for number in won):
            first, decisive = first + won[0], decisive + won[1]
    if statuses:
        yield f"{counted(statuses.total(), 'blind comparison')}: {_counts(statuses)}; {informal} informal"
    if flips:
        yield f"order flips: {flips}; the output shown first won {first} of {decisive} decisive calls"
    if contradictions:
        yield f"comparisons with contradictions of the judge: {_counts(contradictions)}"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
