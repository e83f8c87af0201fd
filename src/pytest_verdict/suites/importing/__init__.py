"""Files of other tools, translated: a reader for each format. Nothing in them is executed."""

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
"""Each has a module of its name here with ``read``, which fills in an `Imported`."""

Entry = str | dict[str, Any]
"""A scorer as a suite has it."""


@dataclass
class Imported:
    """What becomes of a file: a suite or the text of a test module, and what could not be translated, with its line."""

    source: str
    document: YamlDocument
    suite: dict[str, Any] = field(default_factory=dict)
    scenarios: list[dict[str, Any]] = field(default_factory=list)
    module: str = ""
    left_out: list[tuple[int, str]] = field(default_factory=list)

    def leave_out(self, place: Place, what: str) -> None:
        """Say what is not translated."""
        self.left_out.append((self.document.line(place), what))

    def keep(self, place: Place, part: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
        """Give what is known of a part, and say what is not translated."""
        for key in [key for key, value in part.items() if key not in known and value not in (None, [], {})]:
            self.leave_out((*place, key), f"{key}: it is not translated")
        return {key: part[key] for key in known if part.get(key) is not None}

    def parts(self, key: str, known: Iterable[str]) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Give the parts in a list of the file, with what is known of each."""
        for number, part in enumerate(self.document.value[key]):
            yield (key, number), self.keep((key, number), part, known)

    def add(
        self, place: Place, scenario: dict[str, Any], checks: Mapping[Place, Any], translate: Callable[[Any], Entry]
    ) -> None:
        """Add a scenario with the checks that can be translated; without any it would pass unseen."""
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
        name = visible(str(scenario.get("name") or f"test {len(self.scenarios) + 1}")).replace("::", ": :")
        if name in {known["name"] for known in self.scenarios}:
            name = f"{name} (line {self.document.line(place)})"
        self.scenarios.append({**scenario, "name": name, "scorers": scorers})


def places(of: Mapping[Place, Mapping[str, Any]], key: str) -> dict[Place, Any]:
    """Give what stands in the lists that several parts have under a key, by place."""
    return {(*place, key, n): item for place, part in of.items() for n, item in enumerate(part.get(key) or ())}


_REASONS: Final[Mapping[str, str]] = {
    "a model decides it": "LLMJudge answer-relevance classifier context-faithfulness context-recall context-relevance"
    " conversation-relevance factuality g-eval llm-rubric model-graded-closedqa model-graded-factuality moderation pi"
    " search-rubric select-best similar",
    "it is code": "javascript python ruby webhook",
    "a result does not say it": "HasMatchingSpan cost finish-reason perplexity perplexity-score",
}


def untranslated(check: str, parts: Iterable[str] = ()) -> ConfigurationError:
    """Say that a check is not translated, or which of its parts are not, and why where a reason is known."""
    name = check.removeprefix("not-")
    reason = next((f", because {why}" for why, checks in _REASONS.items() if name in checks.split()), "")
    return ConfigurationError(f"{check}: {', '.join(parts) or 'it'} is not translated{reason}")


def fast_enough(milliseconds: Any) -> dict[str, Any]:
    """Write the scorer that bounds the latency which the adapter says."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        raise ConfigurationError(f"a time is a number, got {shown(milliseconds, 40)}")
    return operator("numeric_maximum", expected=milliseconds, observed="$.latency_ms")


def operator(name: str, *, expected: Any = None, observed: Any = None, **settings: Any) -> dict[str, Any]:
    """Write a scorer that is an operator; expected is a value of its own, whatever the scenario expects."""
    mapping = {"expected": None if expected is None else {"literal": expected}, "observed": observed}
    parts = {"settings": settings, "mapping": {key: value for key, value in mapping.items() if value is not None}}
    return {"operator": name, **{key: value for key, value in parts.items() if value}}
