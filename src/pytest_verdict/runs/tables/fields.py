"""The section ``fields`` of a report: what passed of each field of a template and of each criterion."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.report.summary import VERDICTS, Summary, decisive_records

_WITH_PARTS: Final = {"answer_template", "criteria"}


def derive(_asked: Any, summary: Summary, records: Path) -> list[dict[str, Any]]:
    """Count the verdicts by part, name of the comparison and parameters of the test."""
    if not _WITH_PARTS.intersection(summary.operators):
        return []
    # Not before, because most sessions have no such comparison.
    from pytest_verdict.runs.gates.counting import WHOLES, parts_of

    parameters = {test.final.test: (test.final.traits or {}).get("parameters", {}) for test in summary.tests}
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for operator, whole, parts in WHOLES.values():
        for record in decisive_records(records, summary, operator):
            about = json.dumps(parameters[record["test"]], sort_keys=True)
            for (_, field), verdict in parts_of(record, operator, whole, parts):
                counts.setdefault((field, str(record.get("name") or ""), about), Counter())[verdict] += 1
    return [_entry(*key, counts[key]) for key in sorted(counts)]


def _entry(field: str, name: str, parameters: str, counts: Counter[str]) -> dict[str, Any]:
    more = {"name": name, "parameters": json.loads(parameters)}
    present = {member: value for member, value in more.items() if value}
    return {"field": field, **present, **{verdict: counts[verdict] for verdict in VERDICTS}}
