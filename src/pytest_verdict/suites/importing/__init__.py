"""Files of other tools, translated to suites: a reader for each format. Nothing in them is executed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.yaml import YamlDocument
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.scorer import find_scorer
from pytest_verdict.suites.suite_model import ScorerEntry
from pytest_verdict.suites.suite_reader import Place

FORMATS: Final = ("agenticassure", "karenina", "promptfoo", "pydantic-evals")
"""Each format has a module here with ``read``, which fills an `Imported`."""

Entry = str | dict[str, Any]
"""A scorer of a suite."""


@dataclass
class Imported:
    """The translation of a file: a suite or the text of a test module, and the lines that could not be translated."""

    source: str
    document: YamlDocument
    suite: dict[str, Any] = field(default_factory=dict)
    scenarios: list[dict[str, Any]] = field(default_factory=list)
    module: str = ""
    left_out: list[tuple[int, str]] = field(default_factory=list)

    def leave_out(self, place: Place, what: str) -> None:
        """Report a part that is not translated."""
        self.left_out.append((self.document.line(place), what))

    def select(self, place: Place, part: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
        """Return some keys of a part, and report the others."""
        for key, value in part.items():
            if key not in keys and value not in (None, [], {}):
                self.leave_out((*place, key), f"{key}: it is not translated")
        return {key: part[key] for key in keys if part.get(key) is not None}

    def parts(self, name: str, keys: Iterable[str]) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield the parts in a list of the file, with some keys of each."""
        for number, part in enumerate(self.document.value[name]):
            yield (name, number), self.select((name, number), part, keys)

    def add(
        self, place: Place, scenario: dict[str, Any], checks: Mapping[Place, Any], translate: Callable[[Any], Entry]
    ) -> None:
        """Add a scenario with the checks that can be translated; a scenario without any is left out."""
        scorers = []
        for where, check in checks.items():
            try:
                entry = translate(check)
                find_scorer(ScorerEntry(**entry) if isinstance(entry, dict) else entry, ())
                scorers.append(entry)
            except ConfigurationError as error:
                self.leave_out(where, str(error))
        if not scorers:
            self.leave_out(place, "no check of it is translated, so it is not in the suite")
            return

        name = format_name(scenario.get("name") or f"test {len(self.scenarios) + 1}")
        if any(other["name"] == name for other in self.scenarios):
            name = f"{name} (line {self.document.line(place)})"
        self.scenarios.append({**scenario, "name": name, "scorers": scorers})


def format_name(value: Any) -> str:
    """Return the name of a suite or a scenario, which becomes part of a node id."""
    return visible(str(value)).replace("::", ": :")


def items_by_place(parts: Mapping[Place, Mapping[str, Any]], key: str) -> dict[Place, Any]:
    """Return the items of the lists under a key of several parts, by their place."""
    return {
        (*place, key, number): item for place, part in parts.items() for number, item in enumerate(part.get(key) or ())
    }


_REASONS: Final[Mapping[str, str]] = {
    "a model decides it": "LLMJudge answer-relevance classifier context-faithfulness context-recall context-relevance"
    " conversation-relevance factuality g-eval llm-rubric model-graded-closedqa model-graded-factuality moderation pi"
    " search-rubric select-best similar",
    "it is code": "javascript python ruby webhook",
    "a result does not say it": "HasMatchingSpan cost finish-reason perplexity perplexity-score",
}


def translation_error(check: str, parts: Iterable[str] = ()) -> ConfigurationError:
    """Build the error for a check, or for some parts of it, that is not translated."""
    name = check.removeprefix("not-")
    reason = next((f", because {why}" for why, checks in _REASONS.items() if name in checks.split()), "")
    return ConfigurationError(f"{check}: {', '.join(parts) or 'it'} is not translated{reason}")


def latency_scorer(milliseconds: Any) -> dict[str, Any]:
    """Build the scorer that limits the latency of the adapter."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        raise ConfigurationError(f"a time is a number, got {shown(milliseconds, 40)}")
    return operator_scorer("numeric_maximum", expected=milliseconds, observed="$.latency_ms")


def operator_scorer(name: str, *, expected: Any = None, observed: Any = None, **settings: Any) -> dict[str, Any]:
    """Build a scorer from an operator, with an expected value of its own."""
    mapping = {}
    if expected is not None:
        mapping["expected"] = {"literal": expected}
    if observed is not None:
        mapping["observed"] = observed
    entry: dict[str, Any] = {"operator": name}
    if settings:
        entry["settings"] = settings
    if mapping:
        entry["mapping"] = mapping
    return entry
