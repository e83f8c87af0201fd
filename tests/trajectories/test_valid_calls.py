"""Calls against the definitions of their tools: each provider's form, each way to be wrong, and its place."""

import json
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from pytest_verdict import assert_matches, compare
from pytest_verdict.errors import MismatchError, SettingsError
from pytest_verdict.trajectories import TrajectoryValidCalls
from pytest_verdict.trajectories.definitions import read_definitions

PROPERTIES = {
    "query": {"type": "string", "minLength": 1},
    "limit": {"type": "integer", "minimum": 1},
    "sort": {"type": "string", "enum": ["new", "old"]},
    "tags": {"type": "array", "items": {"type": "string"}},
    "near": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["query"]}
GEMINI = {
    "type": "OBJECT",
    "properties": {
        "query": {"type": "STRING", "minLength": "1"},
        "limit": {"type": "INTEGER", "minimum": 1, "nullable": True},
        "sort": {"type": "STRING", "enum": ["new", "old"], "format": "enum", "nullable": True},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}},
        "near": {"type": "OBJECT", "properties": {"lat": {"type": "NUMBER"}}, "required": ["lat"]},
    },
    "required": ["query"],
}


class search(BaseModel):
    query: str
    limit: int = 5


DEFINITIONS = {
    "OpenAI": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA, "strict": False}}],
    "OpenAI Responses": [{"type": "function", "name": "search", "parameters": SCHEMA}, {"type": "web_search_preview"}],
    "OpenAI request": {
        "messages": [],
        "tools": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}],
    },
    "OpenAI functions": {"functions": [{"name": "search", "parameters": SCHEMA}]},
    "Anthropic": [{"name": "search", "description": "d", "input_schema": SCHEMA}],
    "Anthropic with a tool of its own": [
        {"name": "search", "input_schema": SCHEMA},
        {"type": "bash_20250124", "name": "bash"},
    ],
    "Gemini": [{"functionDeclarations": [{"name": "search", "parameters": GEMINI}]}],
    "Gemini, snake case": [{"function_declarations": [{"name": "search", "parameters": GEMINI}]}],
    "Gemini, one tool": {"functionDeclarations": [{"name": "search", "parameters": GEMINI}]},
    "Gemini, JSON Schema": [{"functionDeclarations": [{"name": "search", "parametersJsonSchema": SCHEMA}]}],
    "MCP": {"tools": [{"name": "search", "inputSchema": SCHEMA, "annotations": {"title": "Search"}}]},
    "MCP message": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "search", "inputSchema": SCHEMA}]}},
    "pydantic-ai": [SimpleNamespace(name="search", parameters_json_schema=SCHEMA)],
    "OpenAI Agents": [SimpleNamespace(name="search", params_json_schema=SCHEMA)],
    "MCP objects": [SimpleNamespace(name="search", inputSchema=SCHEMA, parameters=None)],
    "Bedrock": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": SCHEMA}}}]},
    "Bedrock request": {"toolConfig": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": SCHEMA}}}]}},
    "JSON Schema by name": {"search": SCHEMA},
    "JSON Schema with a title": [{**SCHEMA, "title": "search"}],
    "JSON text": json.dumps([{"name": "search", "input_schema": SCHEMA}]),
    "schema as text": [{"name": "search", "parameters": json.dumps(SCHEMA)}],
}  # fmt: skip
VALID = [
    {"query": "tea"},
    {"query": "tea", "limit": 3, "sort": "new", "tags": [], "near": {"lat": 1.5}},
    {"query": "tea", "limit": 3.0},
    {"query": "tea", "tags": ["a", "b"]},
]
# The arguments, and the path, kind and a part of the reason of each difference.
INVALID = [
    ({}, [("query", "missing", "required")]),
    (None, [("query", "missing", "required")]),
    ({"query": 5}, [("query", "changed", "not of type 'string'")]),
    ({"query": None}, [("query", "changed", "not of type 'string'")]),
    ({"query": ""}, [("query", "changed", "")]),
    ({"query": ["tea"]}, [("query", "changed", "not of type 'string'")]),
    ({"query": "tea", "limit": "3"}, [("limit", "changed", "not of type 'integer'")]),
    ({"query": "tea", "limit": 3.5}, [("limit", "changed", "not of type 'integer'")]),
    ({"query": "tea", "limit": True}, [("limit", "changed", "not of type 'integer'")]),
    ({"query": "tea", "limit": 0}, [("limit", "changed", "minimum")]),
    ({"query": "tea", "sort": "newest"}, [("sort", "changed", "is not one of")]),
    ({"query": "tea", "tags": "a"}, [("tags", "changed", "not of type 'array'")]),
    ({"query": "tea", "tags": ["a", 1]}, [("tags[1]", "changed", "not of type 'string'")]),
    ({"query": "tea", "near": {}}, [("near", "changed", "'lat' is a required property")]),
    ({"query": "tea", "near": {"lat": "1"}}, [("near.lat", "changed", "not of type 'number'")]),
    ({"query": "tea", "lmit": 3}, [("lmit", "unexpected", "has no argument 'lmit'. Did you mean 'limit'?")]),
    ({"qurey": "tea"}, [("query", "missing", "required"), ("qurey", "unexpected", "Did you mean 'query'?")]),
    ({"Query": "tea"}, [("query", "missing", "required"), ("Query", "unexpected", "")]),
]


def differences(expected, observed, **settings):
    return compare("trajectory_valid_calls", expected, observed, **settings).details.get("differences", [])


@pytest.mark.parametrize("form", DEFINITIONS)
def test_every_form_of_definition_is_read(form):
    schema = read_definitions(DEFINITIONS[form])["search"]
    if "Gemini" not in form or "JSON" in form:
        assert {key: item for key, item in schema.items() if key != "title"} == SCHEMA
    else:
        assert schema["properties"]["query"] == PROPERTIES["query"]
        assert schema["properties"]["limit"] == {"type": ["integer", "null"], "minimum": 1}
        assert schema["properties"]["sort"]["enum"] == ["new", "old", None]
    assert compare("trajectory_valid_calls", DEFINITIONS[form], [("search", {"query": "tea"})]).passed


@pytest.mark.parametrize("form", ["OpenAI", "Gemini", "JSON Schema by name"])
def test_calls_are_checked_against_each_part_of_a_schema(form):
    for args in VALID:
        assert compare("trajectory_valid_calls", DEFINITIONS[form], [("search", args)]).passed
    for args, expected in INVALID:
        result = compare("trajectory_valid_calls", DEFINITIONS[form], [("search", {"query": "tea"}), ("search", args)])
        assert result.verdict == "fail"
        places = [(one["path"].removeprefix("$[1].args."), one["kind"]) for one in result.details["differences"]]
        assert places == [(path, kind) for path, kind, _ in expected]
        reasons = [one["reason"] for one in result.details["differences"]]
        assert all(part in reason for reason, (_, _, part) in zip(reasons, expected, strict=True))


@pytest.mark.parametrize("form", DEFINITIONS)
@pytest.mark.parametrize("tool", ["serch", "Search", "delete", "mcp__shop__search"])
def test_unknown_tool_fails(form, tool):
    (difference,) = differences(DEFINITIONS[form], [("search", {"query": "tea"}), (tool, {"query": "tea"})])
    assert (difference["path"], difference["kind"]) == ("$[1]", "unexpected")
    assert difference["reason"].startswith(f"there is no tool '{tool}'.")


@pytest.mark.parametrize(
    "tools",
    [[search], {"search": search}, [SimpleNamespace(name="search", args_schema=search)]],
    ids=["list", "by name", "tool of LangChain"],
)
def test_pydantic_classes_are_definitions(tools):
    assert compare("trajectory_valid_calls", tools, [("search", {"query": "tea", "limit": 3})]).passed
    assert differences(tools, [("search", {"query": "tea", "limit": "x"})])[0]["path"] == "$[0].args.limit"
    assert differences(tools, [("search", {"q": "tea"})])[0]["kind"] == "missing"


def tool(**schema):
    return {"search": schema}


@pytest.mark.parametrize(
    ("definitions", "args", "passes"),
    [
        (tool(properties={"a": {}}), {"b": 1}, False),
        (tool(properties={"a": {}}, additionalProperties=False), {"b": 1}, False),
        (tool(properties={"a": {}}, additionalProperties=True), {"b": 1}, True),
        (tool(properties={"a": {}}, additionalProperties={"type": "string"}), {"b": 1}, False),
        (tool(properties={"a": {}}, additionalProperties={"type": "integer"}), {"b": 1}, True),
        (tool(properties={"a": {}}, patternProperties={"^b": {}}), {"b": 1}, True),
        (tool(properties={"a": {}}, patternProperties={"^b": {}}, additionalProperties=False), {"c": 1}, False),
        (tool(properties={"a.b": {"type": "string"}}), {"a.b": 1}, False),
        (tool(properties={"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"type": "string"}}}), {"a": 1}, False),
        (tool(required=["b"]), {"a": 1}, False),
        (tool(properties={"a": {}}, patternProperties={"^b": {}}), {"c": 1}, False),
        (tool(allOf=[{"properties": {"a": {}}}, {"properties": {"b": {}}}]), {"b": 1}, True),
        (tool(allOf=[{"properties": {"a": {}}}, {"properties": {"b": {}}}]), {"c": 1}, False),
        (tool(anyOf=[{"required": ["a"]}, {"required": ["b"]}], properties={"a": {}, "b": {}}), {"b": 1}, True),
        (tool(anyOf=[{"required": ["a"]}, {"required": ["b"]}], properties={"a": {}, "b": {}}), {}, False),
        ({"search": {"$ref": "#/$defs/S", "$defs": {"S": {"properties": {"a": {}}}}}}, {"a": 1}, True),
        ({"search": {"$ref": "#/$defs/S", "$defs": {"S": {"properties": {"a": {}}}}}}, {"b": 1}, False),
        (tool(type="object"), {"b": 1}, True),
        (tool(), {"b": 1}, True),
        (tool(type="object", properties={}), {"b": 1}, False),
        ({"search": None}, {"b": 1}, True),
        ([{"type": "function", "function": {"name": "search"}}], {}, True),
        ([{"type": "function", "function": {"name": "search"}}], {"b": 1}, False),
        ([{"type": "custom", "custom": {"name": "search"}}], {"input": "x"}, True),
        ([{"type": "search_20250101", "name": "search"}], {"b": 1}, True),
        ([{"type": "search"}], {"b": 1}, True),
    ],
)
def test_arguments_that_a_schema_does_not_name(definitions, args, passes):
    result = compare("trajectory_valid_calls", definitions, [("search", args)])
    assert result.verdict == ("pass" if passes else "fail")


A = {"properties": {"a": {"type": "integer"}}}
B = {"properties": {"b": {}}}
REFERENCE = {"$ref": "#/definitions/S"}


@pytest.mark.parametrize("dialect", [f"http://json-schema.org/draft-0{number}/schema#" for number in (4, 6, 7)])
@pytest.mark.parametrize(
    ("schema", "args", "verdict"),
    [
        ({"allOf": [A]}, {"a": 1}, "error"),
        ({"anyOf": [A, B]}, {"b": 1}, "error"),
        ({**A, "allOf": [{"required": ["a"]}]}, {"a": 1}, "error"),
        ({**REFERENCE, "definitions": {"S": A}}, {"a": 1}, "error"),
        ({**A, "additionalProperties": False, "allOf": [{"required": ["a"]}]}, {"a": 1}, "pass"),
        ({**A, "additionalProperties": False, "allOf": [{"required": ["a"]}]}, {"a": 1, "b": 1}, "fail"),
        ({**A, "additionalProperties": True, "allOf": [{"required": ["a"]}]}, {"a": 1, "b": 1}, "pass"),
        ({**A, "patternProperties": {"^x-": {}}}, {"x-1": 1}, "pass"),
        ({**A, "patternProperties": {"^x-": {}}}, {"y-1": 1}, "fail"),
        (A, {"a": 1}, "pass"),
        (A, {"b": 1}, "fail"),
    ],
)
def test_schemas_of_older_drafts(dialect, schema, args, verdict):
    definitions = tool(**{"$schema": dialect, **schema})
    result = compare("trajectory_valid_calls", definitions, [("search", args)])
    assert result.verdict == verdict
    if verdict == "error":
        assert result.notes == ["invalid_schema"]
        assert "cannot be closed in its draft" in result.error
        assert compare("trajectory_valid_calls", definitions, [("search", args)], unknown_args="allow").passed


@pytest.mark.parametrize("extra", [{}, {"type": "object"}, {"properties": {}}])
def test_closed_schema_without_arguments(extra):
    closed = tool(additionalProperties=False, **extra)
    assert compare("trajectory_valid_calls", closed, [("search", {})]).passed
    assert not compare("trajectory_valid_calls", closed, [("search", {"b": 1})]).passed


def test_unknown_arguments_may_be_allowed():
    definitions = tool(properties={"a": {"type": "integer"}})
    assert compare("trajectory_valid_calls", definitions, [("search", {"b": 1})], unknown_args="allow").passed
    assert not compare("trajectory_valid_calls", definitions, [("search", {"a": "1"})], unknown_args="allow").passed


@pytest.mark.parametrize(
    "definitions",
    [
        [], {}, None, "search", "[]", 5, ["search"], [None], {"tools": []}, {"search": "x"}, {"search": 5},
        [{"description": "d"}], [{"name": "search", "inputs": {"query": {"type": "string"}}}],
        [{"nmae": "search", "parameters": SCHEMA}], {"parameters": SCHEMA}, SCHEMA,
        [{"name": "", "parameters": SCHEMA}], [{"type": "function"}], [{"type": "mcp", "server_url": "x"}],
        [{"name": "search", "parameters": [1]}], [{"name": "search", "parameters": "x"}],
        [{"name": "search", "parameters": SCHEMA}, {"name": "search", "parameters": {}}],
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_definition_is_an_error(definitions):
    result = compare("trajectory_valid_calls", definitions, [("search", {"query": "tea"})])
    assert (result.verdict, result.notes) == ("error", ["not_a_definition"])
    if definitions is not None:
        with pytest.raises(SettingsError, match="definitions"):
            compare("trajectory_valid_calls", None, [], definitions=definitions)


@pytest.mark.parametrize(
    "schema",
    [{"type": "objekt"}, {"properties": 5}, {"required": "query"}, {"$ref": "https://example.com/a"}, {"$ref": "#"}],
    ids=str,
)
def test_schema_that_cannot_be_applied_is_an_error(schema):
    result = compare("trajectory_valid_calls", {"search": schema}, [("search", {"query": "tea"})])
    assert (result.verdict, result.notes) == ("error", ["invalid_schema"])


@pytest.mark.parametrize(
    ("observed", "notes"),
    [(["search"], ["args_not_recorded"]), ([("search", "{bad")], ["args_malformed"])],
)
def test_unknown_arguments_of_a_call_fail(observed, notes):
    result = compare("trajectory_valid_calls", {"search": SCHEMA}, observed)
    assert (result.verdict, result.notes) == ("fail", notes)
    assert result.details["differences"][0]["path"] == "$[0].args"
    assert compare("trajectory_valid_calls", {"search": None}, observed).passed


def test_prefixes_aliases_and_selections_apply():
    observed = [("mcp__shop__find", {"query": "tea"}), ("log", {})]
    settings = {"mcp_servers": "any", "aliases": {"find": "search"}, "except_tools": ["log"]}
    assert compare("trajectory_valid_calls", {"search": SCHEMA}, observed, **settings).passed
    assert compare("trajectory_valid_calls", {"find": SCHEMA}, observed, **settings).passed
    assert not compare("trajectory_valid_calls", {"search": SCHEMA}, observed)


def test_no_calls_are_valid_and_a_value_that_is_no_trajectory_fails():
    assert compare("trajectory_valid_calls", {"search": SCHEMA}, []).details == {"calls": 0}
    assert compare("trajectory_valid_calls", {"search": SCHEMA}, "x").notes == ["trajectory_unreadable"]


def test_definitions_of_a_setting_are_recorded_in_one_form():
    results = [
        compare("trajectory_valid_calls", None, [("search", {"query": "tea"})], definitions=DEFINITIONS[form])
        for form in ("OpenAI", "Anthropic", "MCP", "Bedrock", "JSON Schema by name")
    ]
    assert all(result.settings["definitions"] == {"search": SCHEMA} for result in results)


def test_failure_names_each_place():
    with pytest.raises(MismatchError) as failure:
        assert_matches("trajectory_valid_calls", {"search": SCHEMA}, [("search", {"query": 1, "z": 2}), "serch"])
    text = str(failure.value)
    assert "$[0].args.query: 1 is not of type 'string'" in text
    assert "$[0].args.z: search has no" in text
    assert "$[1]: there is no tool 'serch'. Did you mean 'search'?" in text


def test_definitions_may_be_read():
    assert read_definitions(DEFINITIONS["OpenAI Responses"]) == {"search": SCHEMA, "web_search": None}


@pytest.mark.parametrize(
    "keyword", ["propertys", "Properties", "propertie", "requird", "require", "additionalproperties"]
)
def test_misspelt_keyword_of_a_schema_is_an_error(keyword):
    schema = {"type": "object", keyword: {}}
    result = compare("trajectory_valid_calls", {"search": schema}, [("search", {"query": 1})])
    assert (result.verdict, result.notes) == ("error", ["invalid_schema"])
    assert "Did you mean" in result.error
    with pytest.raises(SettingsError, match="Did you mean"):
        TrajectoryValidCalls(definitions={"search": schema})


@pytest.mark.parametrize("keyword", ["propertyNames", "patternProperties", "minProperties", "x-required-by", "strict"])
def test_other_keywords_of_a_schema_are_accepted(keyword):
    schema = {"type": "object", keyword: {"propertyNames": {}, "minProperties": 1}.get(keyword, {}), "properties": {}}
    assert compare("trajectory_valid_calls", {"search": schema}, [("search", {"a": 1})]).verdict == "fail"
