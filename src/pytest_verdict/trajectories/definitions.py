"""The operator on calls and the definitions of their tools: from what providers take as tools to a JSON Schema for each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pydantic import field_validator

from pytest_verdict.core.kernel import run
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.operators.json.schema import INVALID_SCHEMA, JsonSchema, validator_class
from pytest_verdict.operators.normalized_sides import must_be
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import Difference, fail_on, format_unexpected, to_json
from pytest_verdict.trajectories.event import ARGS_MALFORMED
from pytest_verdict.trajectories.readers import decode_text
from pytest_verdict.trajectories.readers.common import get, has, parse_if_json
from pytest_verdict.trajectories.readers.unread import to_snake_case
from pytest_verdict.trajectories.trajectory_operator import ObservedTrajectory, Selected, UnusableError

NOT_A_DEFINITION: Final = "not_a_definition"

_LISTS: Final = ("tools", "functions", "functionDeclarations", "function_declarations")
_WRAPPERS: Final = ("function", "custom", "toolSpec", "tool_spec", "result", "toolConfig")
_SCHEMAS: Final = (
    *("parameters", "parametersJsonSchema", "parameters_json_schema", "params_json_schema"),
    *("inputSchema", "input_schema", "args_schema"),
)
# OpenAI calls its own tools by another name than their definition.
_PREVIEW: Final = re.compile(r"(_use)?_preview(_.*)?")
_NO_ARGUMENTS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_KEYWORDS: Final = ("properties", "required", "additionalProperties")
# Under these keywords another schema may have further properties.
_COMBINATIONS: Final = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties"})

Definitions = dict[str, Any]
"""The JSON Schema of the arguments by tool; None if a tool does not describe its arguments."""


def read_definitions(value: Any) -> Definitions:
    """Return a JSON Schema by tool, from definitions of providers, or a schema or Pydantic class for each tool."""
    definitions: Definitions = {}
    for name, schema in _iter_definitions(decode_text(value)):
        if schema is not None and not isinstance(schema, Mapping):
            raise TrajectoryError(f"has a schema of the tool {name!r} that is no object: {shown(schema, 80)}")
        if definitions.setdefault(name, schema) != schema:
            raise TrajectoryError(f"has two definitions of the tool {name!r}")
    if not definitions:
        raise TrajectoryError("has no definition of a tool")
    return definitions


def _iter_definitions(value: Any) -> Iterator[tuple[str, Any]]:
    inner = get(value, *_LISTS)
    if isinstance(value, list | tuple):
        inner = value
    if isinstance(inner, list | tuple):
        for item in inner:
            yield from _iter_definitions(item)
        return

    kind = get(value, "type")
    wrapped = get(value, *_WRAPPERS)
    name = get(value, "name")
    schema = get(value, *_SCHEMAS, default=getattr(value, "args_schema", None))
    if wrapped is not None and not isinstance(wrapped, str):
        yield from _iter_definitions({"type": "custom", **wrapped} if kind == "custom" else wrapped)
    elif isinstance(name, str) and name and not (schema is None and has(value, "inputs", "args")):
        # A function without parameters takes none; a tool that the provider runs itself does not describe its own.
        if schema is None and kind in (None, "function"):
            schema = _NO_ARGUMENTS
        yield name, _read_schema(schema)
    elif isinstance(value, type) or isinstance(get(value, "title"), str):
        schema = _read_schema(value)
        yield get(schema, "title"), schema
    elif isinstance(kind, str) and kind not in {"object", "function", "mcp"}:
        yield _PREVIEW.sub("", kind), None
    elif (
        schema is None
        and isinstance(value, Mapping)
        and all(isinstance(item, Mapping | type | None) for item in value.values())
    ):
        yield from ((str(key), _read_schema(item)) for key, item in value.items())
    else:
        raise TrajectoryError(
            f"has something that is no definition of a tool, or one without a name or a schema: {shown(value, 80)}"
        )


def _read_schema(value: Any) -> Any:
    schema = parse_if_json(value)
    if isinstance(schema, type) and hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    elif callable(getattr(schema, "model_dump", None)):
        schema = schema.model_dump(mode="json", by_alias=True, exclude_none=True)
    # Bedrock has the schema below its form.
    schema = get(schema, "json", default=schema)
    kind = get(schema, "type")
    return _convert_from_gemini(schema) if isinstance(kind, str) and kind.isupper() else schema


def _convert_from_gemini(schema: Any) -> Any:
    """Convert a schema of OpenAPI: types in upper case, keywords in snake case, limits as text, and null as a flag."""
    if isinstance(schema, list):
        return [_convert_from_gemini(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    converted: dict[str, Any] = {}
    for key, item in schema.items():
        first, *others = to_snake_case(key).split("_")
        keyword = first + "".join(map(str.capitalize, others))
        converted[keyword] = item
        if keyword == "properties" and isinstance(item, Mapping):
            converted[keyword] = {name: _convert_from_gemini(inner) for name, inner in item.items()}
        elif keyword == "type":
            converted[keyword] = str(item).lower()
        elif keyword.startswith(("min", "max")):
            converted[keyword] = parse_if_json(item)
        elif keyword in {"items", "anyOf"}:
            converted[keyword] = _convert_from_gemini(item)
    if converted.pop("nullable", None) is True:
        converted["type"] = [converted.get("type", "object"), "null"]
        if "enum" in converted:
            converted["enum"] = [*converted["enum"], None]
    return converted


class _Tool(NamedTuple):
    required: Sequence[str]
    rest: Mapping[str, Any]
    """The schema without what is said of missing and unknown arguments, which have places of their own."""
    names: Mapping[str, Any] | None = None
    """The arguments that are allowed; None if the schema itself says it."""


def _build_tool(name: str, schema: Any, *, is_closed: bool) -> _Tool | None:
    """Build the tool of a definition; `is_closed` refuses arguments that its schema neither names nor allows."""
    if schema is None:
        return None
    _run_schema(name, schema, {})
    for key in schema:
        close = get_close_matches(key, _KEYWORDS, n=1, cutoff=0.8)
        if close and close[0] != key:
            # JSON Schema ignores unknown keywords.
            raise UnusableError(INVALID_SCHEMA, f"the schema of {name} has {key!r}. Did you mean {close[0]!r}?")
    required = schema.get("required", ())
    rest = {key: item for key, item in schema.items() if key != "required"}
    if not is_closed or schema.get("additionalProperties", False) is not False:
        return _Tool(required, rest)
    combinations = _COMBINATIONS.intersection(schema)
    if not combinations:
        no_names: Any = {} if "additionalProperties" in schema else None
        rest.pop("additionalProperties", None)
        return _Tool(required, rest, schema.get("properties", no_names))
    if combinations == {"patternProperties"}:
        rest["additionalProperties"] = False
    elif "additionalProperties" not in schema:
        if "unevaluatedProperties" not in validator_class(schema).VALIDATORS:
            raise UnusableError(
                INVALID_SCHEMA,
                f"the schema of {name} has {min(combinations)}, which cannot be closed in its draft: name its arguments"
                " in properties, or set unknown_args='allow'",
            )
        rest.setdefault("unevaluatedProperties", False)
    return _Tool(required, rest)


def _run_schema(name: str, schema: Mapping[str, Any], args: Mapping[str, Any]) -> ComparisonResult:
    # A schema as expected is checked once, and one in the settings each time.
    result = run(JsonSchema(), schema, args)
    if result.error is not None:
        reason = result.details.get("reason", result.error)
        raise UnusableError(INVALID_SCHEMA, f"the schema of {name} cannot be used: {reason}")
    return result


class TrajectoryValidCalls(ObservedTrajectory):
    """Every observed call is one that the definitions of the tools allow.

    Expected is what the model got as tools: definitions of OpenAI, Anthropic, Gemini, Bedrock or MCP, or a JSON Schema or
    Pydantic class for each tool. A call fails if its tool is not defined, an argument is missing, unknown or of the wrong type,
    or its arguments are malformed or not recorded. Needs the library jsonschema: ``pip install "pytest-verdict[schema]"``.

    Args:
        definitions: The definitions; they take the place of expected.
        unknown_args: Whether a tool may have arguments that its schema does not name; ``forbid`` refuses them unless the schema
            has ``additionalProperties``, ``allow`` only if the schema forbids them.

    Example:
        >>> tools = {"search": {"properties": {"limit": {"type": "integer"}}}}
        >>> compare("trajectory_valid_calls", tools, [("search", {"limit": "5"})]).details["differences"]
        [{'path': '$[0].args.limit', 'kind': 'changed', 'observed': '5', 'reason': "'5' is not of type 'integer'"}]
    """

    name: ClassVar[str] = "trajectory_valid_calls"
    version: ClassVar[int] = 1
    expected_settings: ClassVar[tuple[str, ...]] = ("definitions",)

    definitions: dict[str, Any] | None = None
    unknown_args: Literal["forbid", "allow"] = "forbid"

    def __init__(self, /, **settings: Any) -> None:
        # Refuses if its library is missing.
        JsonSchema()
        super().__init__(**settings)

    @field_validator("definitions", mode="before")
    @classmethod
    def _parse_definitions(cls, definitions: Any) -> Any:
        if definitions is None:
            return None
        try:
            parsed = read_definitions(definitions)
            for name, schema in parsed.items():
                _build_tool(name, schema, is_closed=True)
        except TrajectoryError as error:
            raise ValueError(str(error)) from None
        return parsed

    def _parse_expected(self, expected: Any) -> dict[str, _Tool | None]:
        try:
            definitions = read_definitions(expected)
        except TrajectoryError as error:
            raise UnusableError(NOT_A_DEFINITION, f"{must_be('definitions of tools', expected)}: it {error}") from None
        is_closed = self.unknown_args == "forbid"
        return {name: _build_tool(name, schema, is_closed=is_closed) for name, schema in definitions.items()}

    def _check_calls(self, expected: dict[str, _Tool | None], observed: Selected) -> Outcome:
        tools = {self._get_tool_name(name): tool for name, tool in expected.items()}
        matcher = CallMatcher("equal")
        calls = [matcher.prepare(event, name) for event, name in observed.events]
        differences = [difference for at, call in enumerate(calls) for difference in self._check(at, call, tools)]
        notes = dict.fromkeys(call.event.args_note for call in calls if not call.has_args and tools.get(call.name))
        return fail_on(differences, calls=len(calls)).replace(notes=tuple(map(str, notes)))

    def _check(self, at: int, call: Call, tools: Mapping[str, _Tool | None]) -> Iterator[Difference]:
        """Yield what is wrong with a call."""
        if call.name not in tools:
            reason = f"there is no tool {call.name!r}.{allowed('tool', call.name, tools)}"
            yield {**format_unexpected(at, call), "reason": reason}
            return
        tool = tools[call.name]
        if tool is None:
            return
        path = f"$[{at}].args"
        if not call.has_args:
            reason = "the arguments were not recorded"
            if call.event.args_note == ARGS_MALFORMED:
                reason = f"the arguments are no object: {shown(call.event.args_text, 80)}"
            yield {"path": path, "kind": "changed", "reason": reason}
            return

        for name in tool.required:
            if name not in call.args:
                yield {"path": step(path, name), "kind": "missing", "reason": f"{name!r} is required"}
        unknown = [] if tool.names is None else sorted(call.args.keys() - tool.names.keys())
        for name in unknown:
            reason = f"{call.name} has no argument {name!r}.{allowed('argument', name, tool.names or ())}"
            value = to_json(call.args[name])
            yield {"path": step(path, name), "kind": "unexpected", "observed": value, "reason": reason}
        rest = {name: value for name, value in call.args.items() if name not in unknown}
        result = _run_schema(call.name, tool.rest, rest)
        for difference in result.details.get("differences", ()):
            yield {**difference, "path": path + difference["path"].removeprefix("$")}
