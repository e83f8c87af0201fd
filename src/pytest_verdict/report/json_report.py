"""``report.json``: tests, comparisons, operators and totals of a session in one JSON document."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.new_files import write_whole
from pytest_verdict.report.journal import TestEntry
from pytest_verdict.report.summary import OUTCOMES, VERDICTS, Contents, Summary, TestSummary

REPORT: Final = "report.json"
SCHEMA_VERSION: Final = "1.1"
MESSAGE_LIMIT: Final = 1_000
SUBTEST_OUTCOMES: Final = ("passed", "failed", "skipped", "xfailed")


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``report.json``."""
    schema = _schema("report.schema.json")
    record = record_schema()
    schema["$defs"].update(record.pop("$defs"))
    del record["$schema"], record["title"], record["description"]
    schema["$defs"]["record"] = record
    return schema


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of one line of ``records.jsonl``."""
    return _schema("record.schema.json")


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    return schema


def write(contents: Contents) -> Iterator[str]:
    """Write ``report.json``; its last member is the SHA-256 of everything before it."""
    digest = hashlib.sha256()
    for piece in _pieces(contents):
        digest.update(piece.encode("ascii"))
        yield piece
    yield f'"{digest.hexdigest()}"}}\n}}\n'


def replace_exit_status(path: Path, status: int) -> None:
    """Write the status with which a session ends after its demands were decided, and the new SHA-256 of the report."""
    # The section of the run is the last one, on a line of its own.
    before, start, section = path.read_text("ascii").rpartition('\n"run": ')
    run = json.loads(section[: -len("\n}\n")])
    del run["sha256"]
    content = f'{before}{start}{_json({**run, "exit_status": status})[:-1]}, "sha256": '
    digest = hashlib.sha256(content.encode("ascii")).hexdigest()
    write_whole(path, f'{content}"{digest}"}}\n}}\n')


# The end of report.json, from its own digest in quotes.
_ENDING: Final = 64 + len('""}\n}\n')


def has_own_digest(content: bytes) -> bool:
    """Return whether a ``report.json`` ends with the SHA-256 of everything before it."""
    digest = hashlib.sha256(content[:-_ENDING]).hexdigest()
    return content[-_ENDING:] == f'"{digest}"}}\n}}\n'.encode("ascii")


def _pieces(contents: Contents) -> Iterator[str]:
    summary = contents.summary
    durations = {unique_name(test.final): test.seconds for test in summary.tests}
    yield f'{{\n"schema_version": "{SCHEMA_VERSION}",\n'
    yield f'"complete": {_json(summary.complete)},\n'
    yield f'"totals": {_json(_totals(summary))},\n'
    operators = [{"operator": name, **_verdicts(counts)} for name, counts in summary.operators.items()]
    yield f'"operators": {_json(operators)},\n'
    yield f'"records": {_json(dict(contents.records))},\n'
    for name, section in contents.sections.items():
        if isinstance(section, dict):
            yield f'"{name}": {_json(section)},\n'
        else:
            yield from _array(name, map(_json, section))
    yield from _array("tests", map(_test, summary.tests, contents.roots))
    yield f'"comparisons_omitted": {contents.omitted},\n'
    yield from _array("comparisons", (line.decode("ascii").rstrip("\n") for line in contents.inline))
    properties = {unique_name(test.final): test.final.properties for test in summary.tests if test.final.properties}
    run = {**contents.run, "seconds": durations}
    if properties:
        run["test_properties"] = properties
    yield f'"run": {_json(run)[:-1]}, "sha256": '


_json: Final = json.JSONEncoder(allow_nan=False, separators=(", ", ": ")).encode


def _array(name: str, items: Iterable[str]) -> Iterator[str]:
    yield f'"{name}": ['
    separator = "\n"
    for item in items:
        yield separator + item
        separator = ",\n"
    yield "\n],\n"


def unique_name(entry: TestEntry) -> str:
    """Return the name of a test in the run section, which no other test has."""
    return f"{entry.test} ({entry.worker})" if entry.worker else entry.test


def _totals(summary: Summary) -> dict[str, Any]:
    return {
        "tests": {"total": len(summary.tests), **{outcome: summary.outcomes[outcome] for outcome in OUTCOMES}},
        "teardown_errors": sum(test.decisive.teardown_error for test in summary.tests),
        "tests_without_result": summary.missing,
        "subtests": {outcome: summary.subtests[outcome] for outcome in SUBTEST_OUTCOMES},
        "comparisons": {"total": sum(summary.comparisons), **_verdicts(summary.comparisons)},
        "comparisons_expected_by_tests": summary.expected_by_tests,
        "comparisons_of_earlier_attempts": sum(summary.superseded),
    }


def _verdicts(counts: Iterable[int]) -> dict[str, int]:
    return dict(zip(VERDICTS, counts, strict=True))


def _test(test: TestSummary, root: str) -> str:
    entry = test.decisive
    always = {
        "test": entry.test,
        "path": entry.path,
        "line": entry.line,
        "outcome": entry.outcome,
        "attempts": [attempt.outcome for attempt in test.attempts],
        "comparisons": _verdicts(test.comparisons),
    }
    more = {
        "root": root if any(attempt.comparisons for attempt in test.attempts) else "",
        "message": entry.message[:MESSAGE_LIMIT],
        "crashed": entry.crashed,
        "teardown_error": entry.teardown_error,
        "subtests": test.final.subtests,
        "worker": entry.worker,
        "repeats": test.final.repeats if test.final.is_decided else None,
        **(test.final.traits or {}),
    }
    return _json(always | {name: value for name, value in more.items() if value})
