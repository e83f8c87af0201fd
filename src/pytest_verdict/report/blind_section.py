"""What the closing section says of blind comparisons: verdicts, order flips, contradictions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.report.summary import Summary

OPERATOR: Final = "blind_preference"
_MARK: Final = f'"operator":"{OPERATOR}"'.encode()


def blind_lines(records: Path, summary: Summary) -> Iterator[str]:
    """Say what came of the blind comparisons of a session.

    Args:
        records: A ``records.jsonl``.
        summary: The session, of which the last attempts count.

    Returns:
        An iterator of lines; none when there are no such comparisons.
    """
    statuses: Counter[str] = Counter()
    contradictions: Counter[str] = Counter()
    flips = first = decisive = informal = 0
    last = {test.final.test: test.final.attempt for test in summary.tests}
    for record in _records(records):
        if record.get("attempt") != last.get(record.get("test", "")):
            continue
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
        yield f"{statuses.total()} blind comparisons: {_counts(statuses)}; {informal} informal"
    if flips:
        yield f"order flips: {flips}; the output shown first won {first} of {decisive} decisive calls"
    if contradictions:
        yield f"comparisons with contradictions of the judge: {_counts(contradictions)}"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))


def _records(records: Path) -> Iterator[dict[str, Any]]:
    with records.open("rb") as file:
        for line in file:
            # In the evidence of others the quotes would be escaped, so that is not parsed.
            if _MARK in line:
                record = json.loads(line)
                if record.get("operator") == OPERATOR:
                    yield record
