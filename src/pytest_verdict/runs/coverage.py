"""``pytest-verdict coverage``: show which criteria, fields and rubric scores tell good from bad, over one run or many.

Pass the runs in chronological order. Each run is a column, and each version of a criterion or rubric is a row. A criterion
that never fails, or never passes, may be too weak or too strong, or may not apply to any case. A criterion that is never
decided could not be compared, or it scored both outputs of every blind comparison alike.

exit codes:
  0  the table was written
  1  a criterion, field or score never failed, always failed or was never decided
  2  there is nothing to count, or a file cannot be read
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.console import complain, say
from pytest_verdict.core.record import parse_record
from pytest_verdict.report.compression import reporting_damage
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.parts import WHOLES, parts_of
from pytest_verdict.runs.tables import format_markdown

_APART: Final = "told apart"
_ALIKE: Final = "alike"


class _Part(NamedTuple):
    """A criterion, a field or a score of a rubric."""

    of: str
    part: str
    version: str


def count_outcomes(runs: Sequence[str]) -> list[dict[str, Any]]:
    """Count the outcomes of each part in each run; the finding is about parts whose outcomes never differ."""
    counts: dict[_Part, list[Counter[str]]] = {}
    for index, run in enumerate(runs):
        for line in RecordsFile(run).lines():
            with reporting_damage(f"{run}: a line is no whole record"):
                for part, outcome in _outcomes_of(parse_record(line)):
                    counts.setdefault(part, [Counter() for _ in runs])[index][outcome] += 1

    rows: list[dict[str, Any]] = []
    for part, counts_by_run in sorted(counts.items()):
        total = sum(counts_by_run, Counter())
        is_score = total[_APART] + total[_ALIKE] > 0
        cells = [f"{one[_APART if is_score else 'pass']} of {one.total()}" if one else "" for one in counts_by_run]
        finding = ""
        if not total["pass"] + total["fail"] + total[_APART]:
            finding = "never decided"
        elif not total[_APART] and not (total["pass"] and total["fail"]):
            finding = "never failed" if total["pass"] else "always failed"
        rows.append({**part._asdict(), **dict(zip(runs, cells, strict=True)), "finding": finding})
    return rows


def _outcomes_of(record: Mapping[str, Any]) -> Iterator[tuple[_Part, str]]:
    versions = {criterion["id"]: str(criterion["version"]) for criterion in record["settings"].get("criteria", ())}
    for whole in WHOLES.values():
        for (name, qualified_name), verdict in parts_of(record, whole):
            of = qualified_name.removesuffix(f".{name}")
            yield _Part(of=of, part=name, version=versions.get(name, "")), verdict

    if record["operator"] != "blind_preference" or record["details"].get("comparison") is None:
        return
    rubric = record["observed"]["comparison"]["rubric"]
    sides = record["details"]["comparison"]["rubric"]
    for dimension in ("content", "structure"):
        for name, score in sides["A"][dimension].items():
            outcome = _ALIKE if sides["B"][dimension].get(name) == score else _APART
            yield _Part(of=str(rubric["id"]), part=f"{dimension}.{name}", version=str(rubric["version"])), outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "a report's folder, or a records.jsonl (default: verify-report)"
    parser.add_argument("runs", metavar="RUN", nargs="*", default=["verify-report"], help=about)


def run(arguments: argparse.Namespace) -> int:
    if len(set(arguments.runs)) < len(arguments.runs):
        complain("a run occurs twice; name each run once, because each is a column")
        return 2
    rows = count_outcomes(arguments.runs)
    if not rows:
        complain("there is nothing to count: no criteria, no fields of answer templates and no blind comparisons")
        return 2
    say(*format_markdown(rows).splitlines())
    return 1 if any(row["finding"] for row in rows) else 0
