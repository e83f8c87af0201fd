"""``pytest-verdict coverage``: which criteria, fields and scores of a rubric ever told good from bad, over one run or many.

Give the runs of a history in their order: each is a column, each version of a criterion or a rubric a row. A criterion that
never failed, or never passed, may be too weak, too strong or about nothing that occurs. One that was never decided could not
be compared, or scores both outputs of every blind comparison alike.

exit codes:
  0  the table was written
  1  something never failed, always failed or was never decided
  2  there is nothing to count, or a file cannot be read
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.record import parse_record
from pytest_verdict.report.records_file import RecordsFile, damage_told
from pytest_verdict.report.summary import VERDICTS
from pytest_verdict.runs.gates.counting import WHOLES, parts_of
from pytest_verdict.runs.tables.files import markdown

_BLIND: Final = "blind_preference"
_APART, _ALIKE = "told apart", "alike"

_Part = tuple[str, str, str]
"""What it is a part of, its name, and the version."""


def coverage(runs: Sequence[str]) -> list[dict[str, Any]]:
    """Count by part and run what came out, and say which parts never told anything apart."""
    counts: dict[_Part, list[Counter[str]]] = {}
    for at, run in enumerate(runs):
        for line in RecordsFile(run).lines():
            with damage_told(f"{run}: a line is no whole record"):
                for part, found in _outcomes(parse_record(line)):
                    counts.setdefault(part, [Counter() for _ in runs])[at][found] += 1
    names = ("of", "part", "version")
    return [
        {
            **dict(zip(names, part, strict=True)),
            **dict(zip(runs, map(_cell, cells), strict=True)),
            "finding": _finding(cells),
        }
        for part, cells in sorted(counts.items())
    ]


def _outcomes(record: Mapping[str, Any]) -> Iterator[tuple[_Part, str]]:
    versions = {one["id"]: str(one["version"]) for one in record["settings"].get("criteria", ())}
    for whole in WHOLES.values():
        for (part, place), verdict in parts_of(record, *whole):
            yield (place.removesuffix(f".{part}"), part, versions.get(part, "")), verdict
    document = record["details"].get("comparison") if record["operator"] == _BLIND else None
    if document is not None:
        rubric = record["observed"]["comparison"]["rubric"]
        sides = document["rubric"]
        for dimension in ("content", "structure"):
            for name, score in sides["A"][dimension].items():
                found = _ALIKE if sides["B"][dimension].get(name) == score else _APART
                yield (str(rubric["id"]), f"{dimension}.{name}", str(rubric["version"])), found


def _cell(counts: Counter[str]) -> str:
    if not counts:
        return ""
    best = _APART if counts[_APART] + counts[_ALIKE] else VERDICTS[0]
    return f"{counts[best]} of {counts.total()}"


def _finding(cells: Sequence[Counter[str]]) -> str:
    total = sum(cells, Counter())
    passed, failed = total[VERDICTS[0]], total[VERDICTS[1]]
    if not passed + failed + total[_APART]:
        return "never decided"
    if total[_APART] or (passed and failed):
        return ""
    return "never failed" if passed else "always failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", default=["verify-report"], help="a report's folder or records"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if len(set(arguments.runs)) < len(arguments.runs):
        complain("a run is given twice; each is a column of its own")
        return 2
    rows = coverage(arguments.runs)
    if not rows:
        complain("there are no criteria, no fields of templates and no blind comparisons")
        return 2
    say(*markdown(rows).splitlines())
    return 1 if any(row["finding"] for row in rows) else 0
