"""The model of a suite file."""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

from pytest_verdict.core.values.redaction import without_url_secrets

Name = Annotated[
    str,
    Field(
        min_length=1,
        pattern=r"^(?:[^\x00-\x1f\x7f:]|:[^\x00-\x1f\x7f:])+:?$",
        description="Unique in the file; without '::' and line breaks.",
    ),
]
TagName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.+/\-]*$", description="Becomes a mark for pytest -m.")]
_SECONDS = "How long the adapter may take, in seconds; at most a week."
Seconds = Annotated[float, Field(gt=0, le=604_800, description=_SECONDS)]
Share = Annotated[float, Field(gt=0, le=1)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_COMBINATIONS: Final = ("all_of", "any_of", "none_of", "at_least_n", "weighted")


def _expand_combination(entry: Any) -> Any:
    """Expand ``{any_of: [...]}`` to the operator with its conditions, and the weight of each to a setting."""
    if not isinstance(entry, dict) or not isinstance(entry.get("settings", {}), dict):
        return entry
    name = next((name for name in _COMBINATIONS if isinstance(entry.get(name), list)), None)
    if name is None:
        return entry

    parts = [part if isinstance(part, dict) else {"operator": part} for part in entry[name]]
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
    Annotated[str, Field(min_length=1), Tag("name")] | Annotated[ScorerEntry, Tag("operator")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "operator"),
]


class PassShare(_Form):
    """A share of the repeats that must pass, with confidence."""

    rate: Share
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95


def _rule_kind(value: Any) -> str:
    if isinstance(value, dict | PassShare):
        return "share"
    return "word" if isinstance(value, str) else "count"


PassRule = Annotated[
    Annotated[Literal["all", "any"], Tag("word")]
    | Annotated[Annotated[int, Field(ge=1)], Tag("count")]
    | Annotated[PassShare, Tag("share")],
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

    def __str__(self) -> str:
        return without_url_secrets(self.url)


Adapter = Annotated[
    Annotated[str, Field(min_length=1), Tag("name")] | Annotated[HttpRequest, Tag("service")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "service"),
]


Value = Annotated[
    Annotated[str, Tag("text")] | Annotated[dict[str, Any] | list[Any], Tag("structure")],
    Discriminator(lambda value: "structure" if isinstance(value, dict | list) else "text"),
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
