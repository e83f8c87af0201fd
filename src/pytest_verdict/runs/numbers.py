"""``pytest-verdict numbers``: pass rates, confusion matrices, reliability and equal failures of a session.

A pass rate has its exact 95 % interval; an error counts as not passed. Only the attempt of a test that decided counts, or
the last one, and no decision over rows or repeats (`pass_rate`, `row_count`). Without --by, rates are counted by operator, group,
marker, field and parameter.

A matrix is written for each operator or field whose expected values are labels: few and short values of `one_of`, `literal` and
`boolean`, and repeated short texts of `exact`. --labels selects others.

exit codes:
  0  the numbers were written
  2  there is nothing to count, or a file cannot be read
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.core.record import check_record
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.report.summary import MOST_NAMES, VERDICTS, Summary, decisive_records, is_answer
from pytest_verdict.runs.labels import AVERAGES, Labelled, classify, measure_reliability, read_labels
from pytest_verdict.runs.parts import intended_operator
from pytest_verdict.runs.run import read_run
from pytest_verdict.runs.tables import (
    PARAMETER,
    Part,
    Traits,
    add_file_argument,
    count_groups,
    format_markdown,
    join_fields,
    keys_of,
    parameter_names,
    parse_keys,
    parts_of_record,
)

_DIMENSIONS: Final = ("operator", "group", "marker", "field")
# Without a group; and markers that describe how a test runs, not what it is about.
_NO_GROUPS: Final = {"", "filterwarnings", "parametrize", "usefixtures"}
_LABELLED: Final = {"one_of", "literal", "boolean"}
_CONFIDENCE: Final = "confidence"
_MOST_GROUPS: Final = 50
_MOST_CLASSES: Final = 20
_MOST_CHOSEN_CLASSES: Final = 200
_MOST_DIFFERENCES: Final = 20
# Above this number, the end of a session would take noticeably longer.
_MOST_COMPARISONS: Final = 20_000
_INDEX: Final = re.compile(r"\[[0-9]+\]")


def derive_numbers(_requested: Any, summary: Summary, records: Path) -> dict[str, Any]:
    """Return the section ``numbers`` of a report; nothing for a very large session."""
    if not 0 < sum(summary.comparisons) <= _MOST_COMPARISONS:
        return {}
    traits = {}
    for test in summary.tests:
        of_test = test.final.traits or {}
        traits[test.final.test] = Traits(of_test.get("markers", ()), of_test.get("parameters", {}))
    names = parameter_names(traits)
    parts: list[Part] = []
    for record in decisive_records(records, summary):
        parts += _answers_of(parts_of_record(record, traits, names))
    return count_numbers(parts)


def _answers_of(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of records that are answers, or parts of such."""
    is_counted = False
    for row, record in parts:
        operator = intended_operator(record)
        if not row["field"]:
            is_counted = is_answer(operator)
        if is_counted:
            yield Part({**row, "operator": operator}, record)


def count_numbers(
    parts: Sequence[Part], by: Sequence[str] = (), labels: str = "", confidence: str = ""
) -> dict[str, Any]:
    """Count all numbers of answers, each for every group."""
    parameters = [name for name in (parts[0].row if parts else ()) if name.startswith(PARAMETER)]
    rates = []
    for names in [by] if by else [[name] for name in (*_DIMENSIONS, *parameters)]:
        groups = count_groups((part.row for part in parts), names)
        if not by:
            groups = [group for group in groups if group[names[0]] not in _NO_GROUPS]
        if groups and (by or len(groups) <= _MOST_GROUPS):
            entries = [
                {
                    "group": [group[name] for name in names],
                    **{name: group[name] for name in (*VERDICTS, "rate")},
                    "interval": [group["low"], group["high"]],
                }
                for group in groups
            ]
            rates.append({"by": list(names), "groups": entries})

    # A row with several markers belongs to several groups.
    grouped: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    for part in parts:
        for key in keys_of(part.row, by):
            grouped[key].append(part)
    matrices: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    for key, members in sorted(grouped.items()):
        matrices += [{**matrix, "group": list(key)} for matrix in _build_matrices(members, labels)]
        if answers := list(_find_confidences(members, confidence)):
            curves.append({"key": confidence or _CONFIDENCE, **measure_reliability(answers), "group": list(key)})
    if labels and not matrices:
        choices = {part.row[name] for part in parts for name in ("operator", "field")} - {""}
        hint = allowed("name", labels, choices)
        raise ConfigurationError(f"--labels {labels}: nothing of this name expects labels.{hint}")
    if confidence and not curves:
        raise ConfigurationError(
            f"--confidence {confidence}: no answer has a number of this name. It is a key of the mapped document or of the"
            f" observed value, such as output.confidence, or {PARAMETER}NAME for a parameter of the test."
        )
    sections = {"rates": rates, "labels": matrices, "reliability": curves, "failures": count_failures(parts)}
    return {name: section for name, section in sections.items() if section}


def _build_matrices(parts: Iterable[Part], chosen: str) -> Iterator[dict[str, Any]]:
    """Yield a matrix for each operator, or field, whose expected values are labels."""
    tasks: dict[tuple[str, str], list[Labelled | None]] = defaultdict(list)
    for row, record in parts:
        if not chosen or chosen in {row["field"], row["operator"]}:
            tasks[row["field"] or row["operator"], row["operator"]].append(read_labels(record))
    for (name, operator), answers in sorted(tasks.items()):
        labelled = [answer for answer in answers if answer is not None]
        classes = len({answer.expected for answer in labelled})
        if chosen:
            has_labels = classes > 0
        elif len(labelled) < len(answers) or not 2 <= classes <= _MOST_CLASSES:
            has_labels = False
        else:
            # A text is a label if it is expected more than once.
            has_labels = operator in _LABELLED or (operator == "exact" and len(answers) >= 2 * classes)
        if has_labels and classes > _MOST_CHOSEN_CLASSES:
            raise ConfigurationError(f"--labels {chosen}: {classes} different expected values are no labels")
        if has_labels:
            yield {"of": name, "operator": operator, **classify(labelled)}


def _find_confidences(parts: Iterable[Part], key: str) -> Iterator[tuple[float, bool]]:
    for row, record in parts:
        if row["field"]:
            continue
        value = row.get(key) if key.startswith(PARAMETER) else _look_up(record, key or _CONFIDENCE)
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if 0 <= value <= 1:
            yield float(value), row["verdict"] == "pass"
        elif key:
            raise ConfigurationError(
                f"--confidence {key}: a confidence is from 0 to 1, got {shown(value, 40)} in {shown(row['test'], 80)}"
            )


def _look_up(record: Mapping[str, Any], key: str) -> Any:
    """Return the value at a dotted key of the mapped document or of the observed value, which may be JSON text."""
    for value in ((record.get("sources") or {}).get("document"), record["observed"]):
        place: Any = value
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                place = json.loads(value)
            except (ValueError, RecursionError):
                continue
        for step in key.split("."):
            place = place.get(step) if isinstance(place, Mapping) else None
        if place is not None:
            return place
    return None


def count_failures(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Count equal failures: those of the same operator, at the same place, with the same kind of difference."""
    tests: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row, record in parts:
        if row["field"]:
            continue
        test = str(row["test"] or "")
        for field, failure in _failures_in(record, ""):
            for path, kind in _differences_of(failure):
                place = ".".join(filter(None, [field, path.removeprefix("$").removeprefix(".")]))
                tests[intended_operator(failure), place or test.partition("[")[0], kind].append(test)
    ordered = sorted(tests.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {"operator": operator, "place": place, "difference": kind, "comparisons": len(names)}
        | {"tests": list(dict.fromkeys(names))[:MOST_NAMES]}
        for (operator, place, kind), names in ordered[:_MOST_GROUPS]
    ]


def _failures_in(record: Mapping[str, Any], field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the parts that explain why a comparison did not pass, or the comparison itself."""
    if record["verdict"] == "pass":
        return
    failed = [part for part in record.get("children", ()) if part["verdict"] != "pass"]
    for part in failed:
        yield from _failures_in(part, join_fields(field, part))
    if not failed:
        yield field, record


def _differences_of(record: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return the places and kinds of differences; indexes of lists are left out of places."""
    details = record.get("details") or {}
    differences = details.get("differences")
    if record["verdict"] != "error" and isinstance(differences, list) and differences:
        listed = [one for one in differences[:_MOST_DIFFERENCES] if isinstance(one, Mapping)]
        return {(_INDEX.sub("[*]", str(one.get("path", ""))), str(one.get("kind", ""))) for one in listed}
    if record["notes"]:
        return {("", ", ".join(record["notes"]))}
    if record["verdict"] == "error":
        return {("", "error")}
    return {("", _describe_difference(record["expected"], record["observed"]))}


def _describe_difference(expected: Any, observed: Any) -> str:
    if observed is None:
        return "missing"
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (expected, observed)]
    if all(numbers):
        return "too low" if observed < expected else "too high"
    if type(expected) is not type(observed) and not isinstance(expected, list | dict):
        return "another type"
    if not isinstance(expected, str) or not isinstance(observed, str):
        return "different"
    kinds = {
        "blank": not observed.strip(),
        "whitespace": "".join(expected.split()) == "".join(observed.split()),
        "case": expected.casefold() == observed.casefold(),
        "more text": expected in observed,
        "a part of it": observed in expected,
    }
    return next((kind for kind, applies in kinds.items() if applies), "different")


def read_answers(path: str) -> list[Part]:
    """Read the answers of the attempt of each test that decided, or of the last one, and their parts."""
    run = read_run(path)
    traits = {test.test: Traits(test.markers, test.parameters) for test in run.tests.values()}
    names = parameter_names(traits)
    answers: list[Part] = []
    for comparison in run.comparisons:
        record = comparison.record()
        try:
            check_record(record)
            answers += _answers_of(parts_of_record(record, traits, names))
        except (RecursionError, RecordError) as error:
            raise RecordError(f"{path}: {record.get('id')} is no whole record: {error}") from None
    return answers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file_argument(parser)
    parser.add_argument("--by", metavar="NAMES", help="names joined by commas, as in `pytest-verdict table --help`")
    labels = "an operator or field that expects labels"
    parser.add_argument("--labels", metavar="OPERATOR|FIELD", default="", help=labels)
    where = f"where answers have a confidence from 0 to 1, such as output.confidence or {PARAMETER}NAME"
    where += f" (default: {_CONFIDENCE}, if answers have it)"
    parser.add_argument("--confidence", metavar="KEY", default="", help=where)
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of tables")


def run(arguments: argparse.Namespace) -> int:
    by = [] if arguments.by is None else parse_keys(arguments.by)
    parts = read_answers(arguments.file)
    if not parts:
        complain(f"{arguments.file}: there is no answer to count")
        return 2
    numbers = count_numbers(parts, by, arguments.labels, arguments.confidence)
    if arguments.json:
        say_json(numbers)
    else:
        for title, rows in _format_tables(numbers):
            say(title, "", *format_markdown(rows).splitlines(), "")
    return 0


def format_percent(rate: float, interval: Sequence[float]) -> str:
    """Format a rate in percent, rounded down, and its interval, rounded outwards."""
    low, high = (round(share * 1_000_000) for share in interval)
    return f"{round(rate * 1_000_000) // 1_000 / 10:g} % ({low // 1_000 / 10:g} to {-(-high // 1_000) / 10:g})"


def _format_tables(numbers: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for section in numbers.get("rates", ()):
        rows = []
        for group in section["groups"]:
            names = dict(zip(section["by"], group["group"], strict=True))
            counts = {verdict: group[verdict] for verdict in VERDICTS}
            rows.append({**names, **counts, "rate": format_percent(group["rate"], group["interval"])})
        yield f"Pass rates by {', '.join(section['by'])}", rows
    for entry in numbers.get("labels", ()):
        task = " ".join([entry["of"], *entry["group"]])
        heads = [f"observed {one['class']}" for one in entry["classes"]]
        columns = zip(entry["classes"], entry["matrix"], entry["other"], entry["errors"], strict=True)
        yield (
            f"Labels of {task}",
            [
                {"expected": one["class"], **dict(zip(heads, counts, strict=True)), "other": other, "error": errors}
                for one, counts, other, errors in columns
            ],
        )
        averages = [{"class": f"{name} average", **entry[name], "support": ""} for name in AVERAGES]
        yield f"Scores of {task}", [*entry["classes"], *averages]
    for entry in numbers.get("reliability", ()):
        rows = []
        for one in entry["bins"]:
            row = {"confidence": f"{one['from']:g} to {one['to']:g}", "mean": one["confidence"]}
            row["rate"] = format_percent(one["rate"], one["interval"])
            rows.append({**row, "comparisons": one["comparisons"]})
        errors = f"calibration error {entry['calibration_error']:g}, Brier score {entry['brier']:g}"
        yield f"Reliability of {' '.join([entry['key'], *entry['group']])}: {errors}", rows
    if failures := numbers.get("failures"):
        yield "Equal failures", [{**one, "tests": ", ".join(one["tests"])} for one in failures]
