"""Files of other tools, translated to suites: a reader for each format. Nothing in them is executed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.suite_reader import Place, plan_suite

FORMATS: Final = ("agenticassure", "karenina", "promptfoo", "pydantic-evals")
"""Each format has a module here with ``read``, which fills an `Imported`."""

_LIKE_A_NUMBER: Final = re.compile("[-+.]?[0-9]")
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
        names = {other["name"] for other in self.scenarios}
        name = as_name(scenario.get("name") or f"test {len(self.scenarios) + 1}")
        if name in names:
            name = f"{name} (line {self.document.line(place)})"
        while name in names:
            name = f"{name} again"

        scenario = {**scenario, "name": name}
        scorers = []
        for where, check in checks.items():
            try:
                entry = translate(check)
                # The command check reads this text again.
                text = write_suite({"name": "imported"}, [{**scenario, "scorers": [entry]}])
                plan_suite(YamlDocument(text), "imported", Path("imported"))
                # The same check twice asks nothing new.
                if entry not in scorers:
                    scorers.append(entry)
            except (ConfigurationError, YamlTextError, yaml.YAMLError) as error:
                self.leave_out(where, re.sub("^imported:[0-9]+: ", "", str(error).splitlines()[0]))
        if scorers:
            self.scenarios.append({**scenario, "scorers": scorers})
        else:
            self.leave_out(place, "no check of it is translated, so it is not in the suite")


def as_name(value: Any) -> str:
    """Return a value as the name of a suite or scenario."""
    return re.sub(":(?=:)", ": ", visible(str(value)))


class _Dumper(yaml.SafeDumper):
    """Writes texts that begin as numbers do in quotes, because readers of YAML differ about them."""


def _represent_text(dumper: Any, text: str) -> Any:
    style = "'" if _LIKE_A_NUMBER.match(text) and "\n" not in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write_suite(head: Mapping[str, Any], scenarios: Sequence[Mapping[str, Any]]) -> str:
    """Write a suite as YAML."""
    document = {"suite": {**head, "scenarios": scenarios}}
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=100)
    return text


def items_by_place(parts: Mapping[Place, Mapping[str, Any]], key: str) -> dict[Place, Any]:
    """Return the items of the lists under a key of several parts, by their place."""
    return {
        (*place, key, number): item for place, part in parts.items() for number, item in enumerate(part.get(key) or ())
    }


def translation_error(check: str, parts: Iterable[str] = ()) -> ConfigurationError:
    """Build the error for a check, or for some parts of it, that is not translated."""
    return ConfigurationError(f"{check}: {', '.join(parts) or 'it'} is not translated")


def latency_scorer(milliseconds: Any) -> dict[str, Any]:
    """Build the scorer that limits the latency of the adapter."""
    number = None if isinstance(milliseconds, str) else as_decimal(milliseconds)
    if number is None or not number.is_finite():
        raise ConfigurationError(f"a time is a finite number, got {shown(milliseconds, 40)}")
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
