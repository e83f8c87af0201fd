"""`InputMapping`: where the inputs of an operator come from, what the record says of it, and the same derived again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.errors import MappingError, RecordError, SettingsError
from pytest_verdict.suites.mapping.extraction import (
    ExtractionTimeLimitError,
    Step,
    first_key,
    read_path,
    read_steps,
    refuse_unknown_keys,
)

Fetch = Callable[[Any], Any]
"""From a document to the value of one input."""

Steps = dict[str, list[dict[str, Any]]]
"""Of the inputs that were extracted: what each step was given, and which part of it was taken."""

EXPECTED: Final = "expected"
OBSERVED: Final = "observed"

_KEYS: Final = ("path", "many", "extract", "literal")


class InputMapping:
    """Where each input of an operator comes from: a JSONPath or a literal.

    A text is a path. A dict is ``{"path": ...}``, with ``many`` and ``extract`` if wanted, or ``{"literal": ...}``. What a
    path finds keeps its type; a null is found like any other value. It is compiled once and never changes.

    Args:
        expected: The expected value; left out only for an operator whose settings say what is expected. A null that is
            expected is written ``{"literal": None}``.
        observed: The observed value.
        **settings: Settings of the operator that come from the document, or literals.

    Raises:
        SettingsError: An input is written wrongly, or is a path and a literal at once.

    Example:
        >>> mapping = InputMapping(expected="$.reference.label", observed="$.output.label")
        >>> mapping.resolve({"reference": {"label": "positive"}, "output": {"label": None}})
        {'expected': 'positive', 'observed': None}
    """

    __slots__ = ("fetch", "inputs", "keys", "literals", "settings")

    def __init__(self, /, *, observed: Any, expected: Any = None, **settings: Any) -> None:
        named = {} if expected is None else {EXPECTED: expected}
        self.inputs: dict[str, Any] = {**named, OBSERVED: observed, **settings}
        self.fetch = {name: read_input(name, source) for name, source in self.inputs.items()}
        sources = [{"path": source} if isinstance(source, str) else source for source in self.inputs.values()]
        keys = [first_key(source["path"]) for source in sources if "path" in source]
        # Of the document, all that the paths go through; None when they may look elsewhere.
        self.keys = None if None in keys else tuple(dict.fromkeys(keys))
        self.settings = tuple(settings)
        written = {name: source for name, source in settings.items() if isinstance(source, Mapping)}
        self.literals = {name: source["literal"] for name, source in written.items() if "literal" in source}

    @classmethod
    def read(cls, given: InputMapping | Mapping[str, Any]) -> InputMapping:
        """Read a mapping as data files have it.

        Args:
            given: A dict with ``observed`` and, if wanted, ``expected`` and settings; or a mapping.

        Returns:
            The mapping.

        Raises:
            SettingsError: It is neither, or an input is written wrongly.
        """
        if isinstance(given, InputMapping):
            return given
        if not isinstance(given, Mapping) or OBSERVED not in given:
            example = "{'expected': '$.a', 'observed': '$.b'}"
            raise SettingsError(f"a mapping names the inputs: {example}, got {shown(given, 80)}")
        wrong = next((name for name in given if not isinstance(name, str)), None)
        if wrong is not None:
            raise SettingsError(f"the name of an input is text, got {shown(wrong, 80)}")
        return cls(**given)

    def resolve(self, document: Any) -> dict[str, Any]:
        """Give the value of every input.

        Args:
            document: JSON values, such as a row of a dataset, or a dict with input, output, reference and metadata.

        Returns:
            The values by input, typed as they are in the document.

        Raises:
            MappingError: A path matches nothing, or several values; it names the path, the input and the keys that are there.
        """
        found: dict[str, Any] = {}
        resolve_into(found, {}, self, document)
        return found

    def __repr__(self) -> str:
        return f"InputMapping({', '.join(f'{name}={source!r}' for name, source in self.inputs.items())})"


def resolve_into(found: dict[str, Any], steps: Steps, mapping: InputMapping, document: Any) -> None:
    """Add the value of every input and how it was extracted; those before one that cannot be found stay."""
    for name, fetch in mapping.fetch.items():
        try:
            if isinstance(fetch, _Extraction):
                found[name] = fetch.traced(document, steps.setdefault(name, []))
            else:
                found[name] = fetch(document)
        except MappingError as error:
            raise type(error)(f"{name}: {error}") from None


def read_input(name: str, source: Any) -> Fetch:
    """Read where one input comes from."""
    if isinstance(source, str):
        source = {"path": source}
    if not isinstance(source, Mapping):
        ways = "a path such as $.output, {'path': ...} or {'literal': ...}"
        raise SettingsError(f"{name}: an input is {ways}, got {shown(source, 80)}")
    refuse_unknown_keys(f"{name}: an input", source, _KEYS)
    if "literal" in source:
        beside = next((key for key in source if key != "literal"), None)
        if beside is not None:
            raise SettingsError(f"{name}: an input is a path or a literal, not both; take {beside!r} or 'literal' away")
        value = source["literal"]
        return lambda _document: value
    if "path" not in source:
        raise SettingsError(f"{name}: an input needs a path or a literal, got {shown(dict(source), 80)}")
    try:
        follow, steps = read_path(source["path"], source.get("many")), read_steps(source.get("extract"))
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from None
    return _Extraction(follow, steps) if steps else follow  # type: ignore[return-value]


class _Extraction(NamedTuple):
    """Takes a part out of what a path found."""

    follow: Fetch
    steps: tuple[Step, ...]

    def __call__(self, document: Any) -> Any:
        return self.traced(document, [])

    def traced(self, document: Any, trace: list[dict[str, Any]]) -> Any:
        """Extract, and note what each step was given."""
        value = self.follow(document)
        for step in self.steps:
            trace.append({"value": value})
            value, spans = step(value)
            if spans is not None:
                trace[-1]["spans"] = [list(span) for span in spans]
        return value


# Of what is written in full, in characters of JSON.
_LONGEST: Final = 65_536


def mapped(mapping: InputMapping, document: Any) -> tuple[dict[str, Any], dict[str, Any] | None, str | None]:
    """Find the inputs in a document; give what the record says of it, and why not all were found."""
    inputs: dict[str, Any] = {}
    steps: Steps = {}
    try:
        resolve_into(inputs, steps, mapping, document)
    except ExtractionTimeLimitError as error:
        # Another time it may be fast enough, so there is nothing to derive again.
        return inputs, None, str(error)
    except MappingError as error:
        # The message names keys of the whole document.
        return inputs, _sources(mapping, document, steps), str(error)
    return inputs, _sources(mapping, _part(mapping, document), steps), None


# The mappings of records, which thousands of records share.
_recorded: Final[dict[str, InputMapping]] = {}
_MOST_RECORDED: Final = 100


def derive(sources: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find the inputs of a record again; what could not be found has the reason as observed."""
    if "document" not in sources:
        raise RecordError("source_not_kept")
    key = encode_text(sources["mapping"])
    if key not in _recorded:
        if len(_recorded) >= _MOST_RECORDED:
            _recorded.clear()
        _recorded[key] = InputMapping.read(sources["mapping"])
    inputs, derived, error = mapped(_recorded[key], sources["document"])
    if derived is None:
        raise RecordError("time_limit")
    return (inputs if error is None else {**inputs, OBSERVED: error}), derived


def _sources(mapping: InputMapping, document: Any, steps: Steps) -> dict[str, Any]:
    extracted = _kept("steps", steps) if steps else {}
    return {"kind": "input_mapping", "mapping": mapping.inputs, **_kept("document", document), **extracted}


def _kept(name: str, value: Any) -> dict[str, Any]:
    text = encode_text(value)
    if len(text) <= _LONGEST:
        return {name: value}
    return {f"{name}_sha256": hashlib.sha256(text.encode()).hexdigest(), f"{name}_size": len(text)}


def _part(mapping: InputMapping, document: Any) -> Any:
    """Leave out what no path of the mapping goes through."""
    keys = mapping.keys
    return document if keys is None or type(document) is not dict else {key: document[key] for key in keys}
