"""The published JSON Schemas, and a report of the first version that must stay readable."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from pytest_verdict import compare
from pytest_verdict.core.record import parse_record
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.report.json_report import SCHEMA_VERSION, record_schema, report_schema

GOLDEN = Path(__file__).parent / "golden"
REPORT = json.loads((GOLDEN / "report-1.0.json").read_text())
RECORDS = (GOLDEN / "records-1.jsonl").read_bytes().splitlines()

report_validator = jsonschema.Draft202012Validator(report_schema())
record_validator = jsonschema.Draft202012Validator(record_schema())


@pytest.mark.parametrize("schema", [report_schema(), record_schema()], ids=["report", "record"])
def test_the_schemas_are_schemas(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_golden_report_stays_readable():
    report_validator.validate(REPORT)
    assert REPORT["schema_version"].split(".")[0] == SCHEMA_VERSION.split(".")[0]
    assert REPORT["comparisons"] == [json.loads(line) for line in RECORDS]


@pytest.mark.parametrize("line", RECORDS, ids=lambda line: json.loads(line)["id"])
def test_the_golden_records_stay_readable_and_are_written_as_they_were(line):
    record = parse_record(line)
    record_validator.validate(record)
    assert ComparisonResult.from_record(record).to_text().strip("{}") in line.decode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["complete"], "yes"),
        (["more"], 1),
        (["schema_version"], "2.0"),
        (["totals", "tests", "broken"], 0),
        (["totals", "comparisons", "pass"], -1),
        (["tests", 0, "outcome"], "rerun"),
        (["tests", 0, "attempts"], []),
        (["comparisons", 0, "verdict"], "passed"),
        (["comparisons", 0, "actual"], 1),
        (["comparisons", 0, "threshold"], 0),
        (["comparisons", 0, "id"], "1"),
        (["records", "sha256"], "abc"),
        (["run", "seconds"], {"a": "long"}),
    ],
    ids=str,
)
def test_the_schema_refuses_what_a_report_never_says(path, value):
    report = copy.deepcopy(REPORT)
    place = report
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not report_validator.is_valid(report)


@pytest.mark.parametrize("key", ["record", "id", "verdict", "expected", "settings", "test", "line"])
def test_a_record_lacks_nothing(key):
    record = json.loads(RECORDS[0])
    del record[key]
    assert not record_validator.is_valid(record)


def test_schema_error_names_the_place():
    class Refuses:
        def __eq__(self, other):
            raise ValueError("no")

        __hash__ = None

    record = {**json.loads(RECORDS[0]), **compare("exact", "\ud83d\ude00", Refuses(), name="\ud83d\ude00").to_record()}
    record_validator.validate(record)
