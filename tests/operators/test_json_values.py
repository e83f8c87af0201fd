"""JSON values: text that is parsed or not, and objects with fields."""

import dataclasses
import json
from enum import Enum, StrEnum

import pytest
from pydantic import BaseModel

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from refusals import refused

OPERATORS = ["json_canonical", "json_subset", "json_distance"]


class Size(StrEnum):
    SMALL = "small"


class Colour(Enum):
    RED = "red"


class Drug(BaseModel):
    name: str
    doses: list[float]
    size: Size = Size.SMALL


@dataclasses.dataclass
class Patient:
    age: int
    drugs: list[Drug]
    secret: str = dataclasses.field(default="", compare=False)


PATIENT = Patient(61, [Drug(name="imatinib", doses=[400, 600])])
AS_JSON = {"age": 61, "drugs": [{"name": "imatinib", "doses": [400, 600], "size": "small"}]}


@pytest.mark.parametrize("operator", OPERATORS)
def test_unparsed_text_is_a_json_string(operator):
    refused(operator, "Paris", "Paris", "json_parse_failed")
    for text in ("Paris", "1", "{", "\ud800", ""):
        assert compare(operator, text, text, parse=False).passed
    assert compare(operator, 1, "1").passed
    assert not compare(operator, 1, "1", parse=False)
    assert not compare(operator, "1", "1.0", parse=False)
    assert compare(operator, ["a", {"b": "1"}], ["a", {"b": "1"}], parse=False).passed
    refused(operator, "a", b"a", "not_json", verdict="fail", parse=False)


def test_schema_may_be_text_with_parse_off():
    schema = '{"type": "string", "minLength": 3}'
    assert compare("json_schema", schema, "Paris", parse=False).passed
    assert not compare("json_schema", schema, "no", parse=False)
    assert compare("json_schema", schema, '"Paris"').passed


@pytest.mark.parametrize("operator", [*OPERATORS, "json_schema"])
def test_parse_setting_is_recorded(operator):
    assert compare(operator, "{}", "{}").settings["parse"] is True
    assert compare(operator, "{}", "{}", parse=False).settings["parse"] is False


def test_json_distance_compares_unparsed_texts():
    result = compare("json_distance", "kitten", "sitting", parse=False, string_similarity="levenshtein", threshold=0.5)
    assert result.passed


@pytest.mark.parametrize("operator", OPERATORS)
def test_dataclasses_and_models_are_compared_by_fields(operator):
    assert compare(operator, AS_JSON, PATIENT).passed
    assert compare(operator, PATIENT, json.dumps(AS_JSON)).passed
    assert compare(operator, [PATIENT], [dataclasses.replace(PATIENT, secret="x")]).passed


def test_json_distance_of_nested_dataclasses():
    other = Patient(62, [Drug(name="imatinib", doses=[400, 800])])
    result = compare("json_distance", PATIENT, other)
    assert [found["path"] for found in result.details["differences"]] == ["$.age", "$.drugs[0].doses[1]"]
    assert 0.5 < result.score < 1.0
    assert compare("json_distance", PATIENT, other, ignore=["$.age", "$..doses"]).passed


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("observed", [PATIENT, Patient(1, [])], ids=["equal", "different"])
def test_records_of_dataclasses_replay_without_the_classes(operator, observed):
    result = compare(operator, PATIENT, observed)
    read = ComparisonResult.from_record(json.loads(result.to_text()))
    assert run(REGISTRY.build(operator), read.expected, read.observed).to_text() == result.to_text()


def test_enum_member_is_not_json():
    refused("json_distance", {}, Colour.RED, "not_json", verdict="fail")
    refused("json_distance", Patient(Colour.RED, []), {}, "not_json")


def test_json_subset_scalar_is_not_in_list():
    result = compare("json_subset", 1, [1, 2])
    assert (result.verdict, result.details) == (
        "fail",
        {"differences": [{"path": "$", "kind": "changed", "expected": 1, "observed": [1, 2]}]},
    )
    assert compare("json_subset", [1], 1).verdict == "fail"
