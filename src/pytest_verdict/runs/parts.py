"""The parts of comparisons, which are fields of answer templates and criteria, and the section ``fields`` of a report."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

# This module is imported at the end of every session with a report, so it imports no operator.
from pytest_verdict.report.summary import VERDICTS, Summary, decisive_records


@dataclass(frozen=True, slots=True)
class Whole:
    """An operator whose children have names: two of its settings name the whole and list the parts."""

    operator: str
    name_setting: str
    parts_setting: str


WHOLES: Final = {
    "field": Whole(operator="answer_template", name_setting="template", parts_setting="fields"),
    "criterion": Whole(operator="criteria", name_setting="id", parts_setting="criteria"),
}


# These operators replace one that could not run; a setting has its name.
_REPLACEMENTS: Final = {"not_compared", "nothing_found"}


def intended_operator(record: Mapping[str, Any]) -> str:
    """Return the operator of a comparison; if it could not be made, the operator it was meant for."""
    operator = str(record["operator"])
    replaced = record["settings"].get("instead_of") if operator in _REPLACEMENTS else None
    return str(replaced or operator)


def parts_of(record: Mapping[str, Any], whole: Whole) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the names of each part, without and with the name of the whole, and its verdict."""
    children = record.get("children", ())
    if record["operator"] == whole.operator:
        settings = record["settings"]
        names = [part if isinstance(part, str) else part["id"] for part in settings[whole.parts_setting]]
        verdicts = [child["verdict"] for child in children[: len(names)]]
        # If the whole could not be compared, its parts could not either.
        for name, verdict in zip_longest(names, verdicts, fillvalue="error"):
            yield [name, f"{settings[whole.name_setting]}.{name}"], verdict
    for child in children:
        yield from parts_of(child, whole)


def derive_fields(_requested: Any, summary: Summary, records: Path) -> list[dict[str, Any]]:
    """Count verdicts by part, name of the comparison and parameters of the test."""
    parameters = {test.final.test: (test.final.traits or {}).get("parameters", {}) for test in summary.tests}
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for whole in WHOLES.values():
        if whole.operator not in summary.operators:
            continue
        for record in decisive_records(records, summary, whole.operator):
            parameters_text = json.dumps(parameters[record["test"]], sort_keys=True)
            for (_, field), verdict in parts_of(record, whole):
                key = (field, str(record.get("name") or ""), parameters_text)
                counts.setdefault(key, Counter())[verdict] += 1

    entries: list[dict[str, Any]] = []
    for (field, name, parameters_text), verdicts in sorted(counts.items()):
        entry: dict[str, Any] = {"field": field}
        if name:
            entry["name"] = name
        if parameters_of_test := json.loads(parameters_text):
            entry["parameters"] = parameters_of_test
        entries.append(entry | {verdict: verdicts[verdict] for verdict in VERDICTS})
    return entries
