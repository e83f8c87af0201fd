"""What the writers of a report get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_verdict.report.summary import Summary


@dataclass(frozen=True, slots=True)
class Contents:
    """A session; all text is redacted already.

    Args:
        summary: All tests with their outcomes and counts.
        run: Times and environment, which differ from session to session.
        records: The path, number, SHA-256 and Merkle root of the records.
        inline: Lines of ``records.jsonl`` for a file that shows records; those that did not pass are chosen first.
        omitted: How many records are not among them.
        profile: The JUnit profile, ``ci`` or ``strict``.
        roots: The Merkle root over the records of each test, in the order of the summary.
        sections: What families derived from the records.
    """

    summary: Summary
    run: Mapping[str, Any]
    records: Mapping[str, Any]
    inline: Sequence[bytes]
    omitted: int
    profile: str
    roots: Sequence[str]
    sections: Mapping[str, Any] = field(default_factory=dict)
