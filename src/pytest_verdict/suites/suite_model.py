"""The model of a suite file, and the problems of a file that does not fit it, with their lines."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from pytest_verdict.core.strict_model import Problem, problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.redaction import without_url_secrets
from pytest_verdict.errors import allowed
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.suites.agent_result import RESULT_FIELDS

if TYPE_CHECKING:
    from pytest_verdict.core.values.yaml import YamlDocument

Name = Annotated[
    str,
    Field(
        min_length=1,
        pattern=r"^(?:[^\x00-\x1f\x7f:]|:[^\x00-\x1f\x7f:])+:?$",
        description="Unique in the file; without '::' and line breaks.",
    ),
]


def _check_tag(tag: str) -> str:
    if tag in {"filterwarnings", "parametrize", "skipif", "usefixtures", "verdict_cases", "verdict_unread"}:
        raise ValueError("this mark has arguments, and a tag has none")
    return tag


TagName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][\w.+/\-]*$", description="Becomes a mark for pytest -m."),
    AfterValidator(_check_tag),
]
_SECONDS = "How long the adapter may take, in seconds; at most a week."
Seconds = Annotated[float, Field(gt=0, le=604_800, description=_SECONDS)]
Share = Annotated[float, Field(gt=0, le=1)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_null(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse a key without a value, which would be as if it were not there."""
        if value is None and info.field_name not in {"context", "body"}:
            raise ValueError("null is no value here; leave the key out")
        return value


_COMBINATIONS: Final = ("all_of", "any_of", "none_of", "at_least_n", "weighted")


def _expand_combination(entry: Any) -> Any:
    """Expand ``{any_of: [...]}`` to the operator with its conditions, and the weight of each to a setting."""
    if not isinstance(entry, dict) or "operator" in entry or not isinstance(entry.get("settings", {}), dict):
        return entry
    name = next((name for name in _COMBINATIONS if isinstance(entry.get(name), list)), None)
    if name is None:
        return entry

    parts = [part if isinstance(part, dict) else {"operator": part} for part in entry[name]]
    for number, part in enumerate(parts):
        if part in parts[:number]:
            raise ValueError(f"{name} has {part.get('operator', 'a condition')!r} twice, so one verdict counts twice")
    settings = dict(entry.get("settings", {}))
    if any("weight" in part for part in parts):
        settings["weights"] = [part.get("weight", 1) for part in parts]
    settings["conditions"] = [
        _expand_combination({key: value for key, value in part.items() if key != "weight"}) for part in parts
    ]
    others = {key: value for key, value in entry.items() if key != name}
    return {**others, "operator": name, "settings": settings}


def _add_combinations(schema: dict[str, Any]) -> None:
    schema["properties"].update({key: {"type": "array", "minItems": 1} for key in _COMBINATIONS})
    schema["oneOf"] = [{"required": [name]} for name in ("operator", *_COMBINATIONS)]
    del schema["required"]


class ScorerEntry(_Form):
    """An operator as a scorer, or several that are combined."""

    model_config = ConfigDict(json_schema_extra=_add_combinations)

    operator: str
    settings: dict[str, Any] = Field(default_factory=dict)
    threshold: Share | None = None
    mapping: dict[str, Any] | None = None

    _read = model_validator(mode="before")(_expand_combination)


Scorer = Annotated[
    Annotated[str, Field(min_length=1), Tag("<name>")] | Annotated[ScorerEntry, Tag("<operator>")],
    Discriminator(lambda value: "<name>" if isinstance(value, str) else "<operator>"),
]


class PassShare(_Form):
    """A share of the repeats that must pass, with confidence."""

    rate: Share
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95


def _rule_kind(value: Any) -> str:
    if isinstance(value, dict | PassShare):
        return "<share>"
    return "<word>" if isinstance(value, str) else "<count>"


PassRule = Annotated[
    Annotated[Literal["all", "any"], Tag("<word>")]
    | Annotated[Annotated[int, Field(ge=1)], Tag("<count>")]
    | Annotated[PassShare, Tag("<share>")],
    Discriminator(_rule_kind),
]


class RateLimit(_Form):
    """How often the adapter is called, and how long the suite waits when it asks to, as by the status 429."""

    requests_per_second: Annotated[float, Field(gt=0)] | None = None
    max_retries: Annotated[int, Field(ge=0, le=100, description="More requests after it asked to wait.")] = 5
    max_delay_seconds: Annotated[float, Field(gt=0, le=3_600, description="The longest pause between two.")] = 60.0


class HttpRequest(_Form):
    """A service as adapter; ``{{input}}``, ``{{context.scenario}}`` and ``{{env.NAME}}`` stand for values."""

    url: Annotated[str, Field(pattern=r"^https?://.")]
    method: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    body: JsonValue = {"input": "{{input}}", "context": "{{context}}"}
    reply: Annotated[
        dict[str, Any], Field(description="Where the output is in a JSON reply (default: the reply is the output).")
    ] = Field(default_factory=dict)

    @field_validator("reply")
    @classmethod
    def _check_reply(cls, reply: dict[str, Any]) -> dict[str, Any]:
        if reply and "output" not in reply:
            raise ValueError("say where its output is, such as output: $.answer")
        for name, source in reply.items():
            if name not in RESULT_FIELDS:
                raise ValueError(f"a result has no {shown(name, 40)}.{allowed('name', name, RESULT_FIELDS)}")
            read_input(name, source)
        return reply

    def __str__(self) -> str:
        return without_url_secrets(self.url)


Adapter = Annotated[
    Annotated[str, Field(min_length=1), Tag("<name>")] | Annotated[HttpRequest, Tag("<service>")],
    Discriminator(lambda value: "<name>" if isinstance(value, str) else "<service>"),
]


Value = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[dict[str, Any] | list[Any], Tag("<structure>")],
    Discriminator(lambda value: "<structure>" if isinstance(value, dict | list) else "<text>"),
]
"""Text, a mapping or a list; a number or a date needs quotes."""


class RunSettings(_Form):
    """Settings of a suite for all of its scenarios, or of one scenario."""

    scorer: Scorer | None = None
    scorers: Annotated[list[Scorer], Field(min_length=1)] | None = None
    timeout_seconds: Seconds | None = None
    retries: Annotated[int, Field(ge=0, description="More attempts after the adapter raised.")] | None = None
    repeats: Annotated[int, Field(ge=1, le=10_000)] | None = None
    pass_rule: PassRule | None = Field(default=None, alias="pass")
    threshold: Share | None = None
    tags: list[TagName] = Field(default_factory=list)


class Scenario(RunSettings):
    """One input and what its output is compared with."""

    name: Name
    input: Value
    context: Annotated[Any, Field(description="Material for the answer; the adapter and mappings see it.")] = None
    description: str = ""
    expected_output: Value | None = None
    expected_tools: list[str] = Field(default_factory=list)
    expected_tool_args: Annotated[dict[str, Any], Field(description="Arguments by tool.")] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name, for scorers that ask for an id."""
        return self.name


class SuiteConfig(_Form):
    """Settings where other tools have them."""

    default_timeout: Seconds | None = None
    retries: Annotated[int, Field(ge=0)] | None = None
    default_scorers: Annotated[list[Scorer], Field(min_length=1)] | None = None
    fail_fast: Annotated[bool, Field(description="Skip what follows a scenario that did not pass.")] = False


class Dataset(_Form):
    """Scenarios from a file of rows. A mapping has the paths of their keys in a row; without it a row has the keys itself."""

    file: Annotated[str, Field(min_length=1)]
    mapping: dict[str, Any] = Field(default_factory=dict)
    expect_rows: Annotated[int, Field(ge=1, description="How many rows the file has.")] | None = None
    limit: Annotated[int, Field(ge=1, description="Take at most this number of rows, from the start.")] | None = None
    sample: Annotated[int, Field(ge=1, description="Take a sample of this size, drawn by the seed.")] | None = None
    seed: int = 0


class SuiteHead(RunSettings):
    """What applies to all scenarios of a file."""

    name: Name
    description: str = ""
    adapter: Adapter | None = None
    max_concurrency: Annotated[int, Field(ge=1, le=1_000, description="Calls in flight at once.")] | None = None
    rate_limit: RateLimit = RateLimit()
    config: SuiteConfig = SuiteConfig()
    dataset: Dataset | None = None
    scenarios: Annotated[list[Scenario], Field(min_length=1)] | None = None

    @field_validator("config")
    @classmethod
    def _refuse_what_is_in_both_places(cls, config: SuiteConfig, info: ValidationInfo) -> SuiteConfig:
        places = {
            "default_timeout": ("timeout_seconds",),
            "retries": ("retries",),
            "default_scorers": ("scorer", "scorers"),
        }
        for key, others in places.items():
            for other in others:
                if getattr(config, key) is not None and info.data.get(other) is not None:
                    raise ValueError(f"{key} has no effect beside {other}; take one away")
        return config


_HAS_SCENARIOS: Final[Any] = [{"required": ["scenarios"]}, {"required": ["dataset"]}]


class SuiteFile(_Form):
    """A suite file: scenarios at the top or inside ``suite``."""

    model_config = ConfigDict(
        title="pytest-verdict suite",
        json_schema_extra={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            # A name instead of an address, so an editor needs no network to read the file that ``init`` writes.
            "$id": "urn:pytest-verdict:suite",
            "oneOf": [
                {"required": ["scenarios"]},
                {"required": ["suite"], "properties": {"suite": {"anyOf": _HAS_SCENARIOS}}},
            ],
        },
    )

    suite: SuiteHead | None = None
    scenarios: Annotated[list[Scenario], Field(min_length=1)] | None = None


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema of suite files, in an order that does not depend on the version of pydantic."""
    schema: dict[str, Any] = json.loads(json.dumps(SuiteFile.model_json_schema(), sort_keys=True))
    return schema


_MODELS: Final[dict[str, type[BaseModel]]] = {
    "": SuiteFile,
    "adapter": HttpRequest,
    "suite": SuiteHead,
    "scenarios": Scenario,
    **dict.fromkeys(("scorer", "scorers", "default_scorers"), ScorerEntry),
    "pass": PassShare,
    "config": SuiteConfig,
    "dataset": Dataset,
    "rate_limit": RateLimit,
}
# The end of a path if the key is wrong, not its value.
_KEY: Final = "[key]"
_PATTERNS: Final = {
    "name": "a name is text without '::' and line breaks, because it becomes part of a node id",
    "tags": "a tag is letters, digits and _ . + - /, because it becomes a mark",
    "url": "a service has a URL with http:// or https://",
    "method": "a method is written in capitals, such as POST",
}
_YAML_TYPES: Final = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
    bytes: "bytes",
    list: "a list",
    dict: "a mapping",
}


def read_form(document: "YamlDocument") -> tuple[SuiteFile | None, set[tuple[int, str]]]:
    """Validate a suite file; return it, or None, and the problems with their lines."""
    file = None
    problems: set[tuple[int, str]] = set()
    try:
        file = SuiteFile.model_validate(document.value)
    except ValidationError as error:
        for problem in problems_in(error):
            place = _find_place(problem)
            problems.add((document.line(place), _describe(problem, place, document)))
    # One problem of a line is enough, and the first says what is needed there.
    lines = {line for line, _ in problems}
    return file, problems | {(line, reason) for line, reason in document.misread() if line not in lines}


def _find_place(problem: Problem) -> tuple[Any, ...]:
    """Return the keys and positions of a problem in the document."""
    path = problem.path
    if _is_about_key(problem):
        # If a key is not text, pydantic replaces it by a number.
        path = (*path[: -2 if path[-1] == _KEY else -1], problem.value)
    return tuple(step for step in path if not str(step).startswith("<"))


def _is_about_key(problem: Problem) -> bool:
    return problem.kind == "invalid_key" or problem.path[-1] == _KEY


def _describe(problem: Problem, place: Sequence[Any], document: "YamlDocument") -> str:
    value = problem.value
    keys = [step for step in place if isinstance(step, str)]
    key = keys[-1] if keys else "the file"
    kind = _YAML_TYPES.get(type(value), "a date")
    if _is_about_key(problem):
        return f"a key is text, and this one is {kind} in YAML ({shown(value, 40)}); write it in quotes"
    if problem.is_unknown_name:
        parent = next((step for step in reversed(keys[:-1]) if step in _MODELS), "")
        names = [field.alias or name for name, field in _MODELS[parent].model_fields.items()]
        return problem.explain(key, "key", names)
    if problem.kind == "string_type":
        text = document.written(place)
        if not text:
            return f"{key}: text is needed here, not {kind}"
        return f'{key}: {text} without quotes is {kind} in YAML ({shown(value, 40)}); write "{text}"'
    if problem.kind == "string_pattern_mismatch":
        return f"{key}: {shown(value, 80)} is not allowed; {_PATTERNS[key]}"
    if problem.is_missing:
        return problem.explain(key, "key", ())
    return problem.explain(".".join(step for step in place[-2:] if isinstance(step, str)) or "the file", "key", ())
