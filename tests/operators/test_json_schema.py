"""json_schema: valid, not valid, and schemas that are none."""

import subprocess
import sys

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.explanation import explain
from pytest_verdict.operators.json.schema import JsonSchema
from refusals import refused

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}


@pytest.mark.parametrize("schema", [PERSON, '{"properties": {"age": {"type": "integer"}}}'], ids=["mapping", "text"])
def test_schema_may_be_the_expected_value(schema):
    assert compare("json_schema", schema, '{"name": "Ada", "age": 36.0}').passed
    assert not compare("json_schema", schema, {"name": "Ada", "age": "36"}).passed


def test_violations_have_a_fixed_order():
    result = compare("json_schema", None, {"age": -1.5}, schema_document=PERSON)
    assert result.expected == PERSON
    assert result.details["differences"] == [
        {"path": "$", "kind": "changed", "observed": {"age": -1.5}, "reason": "'name' is a required property"},
        {"path": "$.age", "kind": "changed", "observed": -1.5, "reason": "-1.5 is less than the minimum of 0"},
        {"path": "$.age", "kind": "changed", "observed": -1.5, "reason": "-1.5 is not of type 'integer'"},
    ]


@pytest.mark.parametrize("schema", [{"type": "strin"}, [1], {"a": {1}}, 7, 1, "true", "{}"], ids=repr)
def test_invalid_schema_setting_is_rejected(schema):
    with pytest.raises(SettingsError, match="schema_document"):
        JsonSchema(schema_document=schema)


def test_references_are_not_fetched(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refuse)
    result = refused("json_schema", {"$ref": "https://example.org/person.json"}, {}, "unresolved_reference")
    assert result.notes == ["unresolved_reference"]


def test_library_error_is_refused_with_note():
    assert refused("json_schema", {"pattern": "("}, '"a"', "schema_failed").notes == ["schema_failed"]
    assert refused("json_schema", {"multipleOf": 2}, "1e999999", "schema_failed", verdict="fail").notes == [
        "schema_failed"
    ]
    assert refused("json_schema", 10**5000, 1, "invalid_schema").notes == ["invalid_schema"]


def test_unprintable_number_is_checked():
    assert compare("json_schema", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, 10**5000).passed
    result = compare("json_schema", {"type": "string"}, [10**5000])
    assert (result.verdict, result.notes) == ("fail", [])
    assert result.details["differences"][0]["observed"] == [10**5000]


def test_messages_write_numbers_as_json():
    [difference] = compare("json_schema", {"maximum": 0.5}, 1.25).details["differences"]
    assert difference["reason"] == "1.25 is greater than the maximum of 0.5"


def test_later_change_of_schema_has_no_effect():
    schema = {"properties": {"age": {"type": "integer"}}}
    operator = JsonSchema(schema_document=schema)
    schema["properties"]["age"]["type"] = "string"
    result = compare(operator, None, {"age": 1})
    assert result.passed
    assert result.expected == {"properties": {"age": {"type": "integer"}}}


def test_internal_references_are_resolved():
    schema = {"$defs": {"count": {"type": "integer"}}, "items": {"$ref": "#/$defs/count"}}
    assert compare("json_schema", schema, [1, 2]).passed
    assert not compare("json_schema", schema, [1, "2"]).passed
    assert compare("json_schema", {"$ref": "#"}, 1).notes == ["unresolved_reference"]


def test_missing_library_names_the_extra():
    script = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from pytest_verdict import compare\n"
        "from pytest_verdict.operators.json.schema import JsonSchema\n"
        "from pytest_verdict.errors import MissingExtraError\n"
        "try: JsonSchema(schema_document={})\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pytest-verdict[schema]" in done.stdout


def test_settings_round_trip():
    operator = JsonSchema(schema_document=PERSON)
    assert JsonSchema(**operator.settings()) == operator


def test_failure_block_has_the_reasons():
    lines = list(explain(compare("json_schema", {"required": ["id"]}, {})))
    assert lines[0] == "json_schema: 'id' is a required property"


SLOW = "(a|a)*b"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("schema", "document"),
    [
        pytest.param({"properties": {"name": {"pattern": SLOW}}}, {"name": "a" * 60}, id="pattern"),
        pytest.param({"patternProperties": {SLOW: True}}, {"a" * 60: 1}, id="patternProperties"),
        pytest.param(
            {"additionalProperties": False, "patternProperties": {SLOW: True}}, {"a" * 60: 1}, id="additionalProperties"
        ),
        pytest.param(
            {"unevaluatedProperties": False, "patternProperties": {SLOW: True}},
            {"a" * 60: 1},
            id="unevaluatedProperties",
        ),
    ],
)
def test_catastrophic_pattern_is_an_error(schema, document, monkeypatch):
    monkeypatch.setattr("pytest_verdict.operators.regex.TIME_LIMIT", 0.5)
    result = compare("json_schema", schema, document)
    assert (result.verdict, "regex time limit" in result.error) == ("error", True)


def test_patterns_match_like_the_library():
    schema = {"patternProperties": {"^x-": {"type": "string", "pattern": "^[a-z]+$"}}, "additionalProperties": False}
    assert compare("json_schema", schema, {"x-a": "abc"}).passed
    found = compare("json_schema", schema, {"x-a": "ABC", "y": 1}).details["differences"]
    assert [difference["path"] for difference in found] == ["$", "$['x-a']"]


POINT = {"type": "object", "properties": {"x": {"$ref": "number.json"}}, "required": ["x"]}
SCHEMAS = {"https://example.org/point.json": POINT, "https://example.org/number.json": {"type": "number"}}


def test_referenced_schemas_are_resolved_from_setting():
    schema = {"items": {"$ref": "https://example.org/point.json"}}
    assert compare("json_schema", schema, [{"x": 1}]).notes == ["unresolved_reference"]
    assert compare("json_schema", schema, [{"x": 1}], schemas=SCHEMAS).passed
    found = compare("json_schema", schema, [{"x": "1"}], schemas=SCHEMAS)
    assert found.details["differences"][0]["path"] == "$[0].x"
    assert "schemas" not in compare("json_schema", schema, [], schemas={}).settings
    partly = compare("json_schema", schema, [{"x": 1}], schemas={"https://example.org/point.json": POINT})
    assert (partly.verdict, partly.notes) == ("error", ["unresolved_reference"])


@pytest.mark.parametrize("dialect", ["draft-07/schema#", "draft/2019-09/schema", "draft/2020-12/schema"])
def test_referenced_schema_inherits_dialect(dialect):
    place = "http" if "07" in dialect else "https"
    schema = {"$schema": f"{place}://json-schema.org/{dialect}", "$ref": "urn:pair"}
    pair = {"$id": "urn:pair", "items": [{"type": "string"}, {"type": "null"}]}
    if "2020" in dialect:
        pair = {"$id": "urn:pair", "prefixItems": pair["items"]}
    elif "$schema" not in pair:
        pair["$schema"] = schema["$schema"]
    assert compare("json_schema", schema, ["a", None], schemas={"urn:pair": pair}).passed
    assert compare("json_schema", schema, ["a", 5], schemas={"urn:pair": pair}).verdict == "fail"


def test_referenced_schema_is_validated_and_copied():
    with pytest.raises(SettingsError, match=r"schemas\.a: is not a valid JSON Schema"):
        JsonSchema(schemas={"a": {"type": "strin"}})
    given = {"a": {"type": "string"}}
    operator = JsonSchema(schemas=given)
    given["a"]["type"] = "null"
    assert compare(operator, {"$ref": "a"}, "null").verdict == "fail"
    assert operator.settings()["schemas"] == {"a": {"type": "string"}}
