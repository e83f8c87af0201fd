"""`InputMapping`: where the inputs of an operator come from, what the record says of it, and the same derived again."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, digest, encode_text
from pytest_verdict.errors import MappingError, RecordError, SettingsError
from pytest_verdict.extraction.paths import NothingFoundError, first_key, only_key, read_path, word
from pytest_verdict.extraction.steps import (
    ExtractionTimeLimitError,
    newer_presets,
    read_steps,
    refuse_unknown_keys,
    take,
)

Trace = list[dict[str, Any]]
"""Of an input that was extracted: what each step was given, and which part of it was taken."""
Fetch = Callable[..., Any]
"""From a document to the value of one input; what its steps did is added to a trace, where one is given."""

EXPECTED: Final = "expected"
OBSERVED: Final = "observed"
GROUP: Final = "group"

# A step of an extraction may have the last two as well.
_KEYS: Final = ("path", "extract", "on_missing", "literal", "many", "dialect")


class AnswerMissingError(NothingFoundError):
    """What is observed is missing, where the mapping says that this is a fail."""


class InputMapping:
    """Where each input of an operator comes from: a JSONPath or a literal.

    A text is a path. A dict is ``{"path": ...}``, with ``many``, ``dialect``, ``extract`` and ``on_missing`` if wanted, or
    ``{"literal": ...}``. What a path finds keeps its type; a null is found like any other value. It is compiled once and
    never changes.

    Args:
        expected: The expected value; left out only for an operator whose settings say what is expected. A null that is
            expected is written ``{"literal": None}``.
        observed: The observed value.
        group: What the document is counted with, and by which its operator may be chosen; no setting.
        **settings: Settings of the operator that come from the document, or literals.

    Raises:
        SettingsError: An input is written wrongly, or is a path and a literal at once.

    Example:
        >>> mapping = InputMapping(expected="$.reference.label", observed="$.output.label")
        >>> mapping.resolve({"reference": {"label": "positive"}, "output": {"label": None}})
        {'expected': 'positive', 'observed': None}
    """

    __slots__ = ("_sources", "fails_where_missing", "fetch", "inputs", "keys", "literals", "presets", "settings")

    def __init__(self, /, *, observed: Any, expected: Any = None, group: Any = None, **settings: Any) -> None:
        named = {name: source for name, source in ((EXPECTED, expected), (GROUP, group)) if source is not None}
        self.inputs: dict[str, Any] = {**named, OBSERVED: observed, **settings}
        self.fetch = {name: read_input(name, source) for name, source in self.inputs.items()}
        self._sources = {name: _spelled_out(source) for name, source in self.inputs.items()}
        keys = [first_key(source) for source in self._sources.values() if "path" in source]
        self.fails_where_missing = self._sources[OBSERVED].get("on_missing") == "fail"
        # Of the document, all that the paths go through; None when they may look elsewhere.
        self.keys = None if None in keys else tuple(dict.fromkeys(keys))
        self.settings = tuple(settings)
        self.literals = {name: self._sources[name]["literal"] for name in settings if "literal" in self._sources[name]}
        self.presets = newer_presets([source.get("extract") for source in self._sources.values()])

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

    def columns(self) -> dict[str, str] | None:
        """Give the keys of the document that inputs are, by input; None when one is more than the value of a key."""
        paths = {name: source for name, source in self._sources.items() if name not in self.literals}
        keys = {name: only_key(source["path"]) for name, source in paths.items() if {*source} == {"path"}}
        found = {name: key for name, key in keys.items() if key is not None}
        return found if len(found) == len(paths) and GROUP not in paths else None

    def __repr__(self) -> str:
        return f"InputMapping({', '.join(f'{name}={source!r}' for name, source in self.inputs.items())})"


def resolve_into(found: dict[str, Any], traces: dict[str, Trace], mapping: InputMapping, document: Any) -> None:
    """Add the value of every input and how it was extracted; those before one that cannot be found stay."""
    for name, fetch in mapping.fetch.items():
        try:
            found[name] = fetch(document, traces.setdefault(name, []))
        except MappingError as error:
            is_fail = name == OBSERVED and mapping.fails_where_missing and isinstance(error, NothingFoundError)
            raise (AnswerMissingError if is_fail else type(error))(f"{name}: {error}") from None


def _spelled_out(source: Any) -> Any:
    return {"path": source} if isinstance(source, str) else source


def read_input(name: str, source: Any) -> Fetch:
    """Read where one input comes from."""
    source = _spelled_out(source)
    if not isinstance(source, Mapping):
        ways = "a path such as $.output, {'path': ...} or {'literal': ...}"
        raise SettingsError(f"{name}: an input is {ways}, got {shown(source, 80)}")
    refuse_unknown_keys(f"{name}: an input", source, _KEYS)
    if "literal" in source:
        beside = next((key for key in source if key != "literal"), None)
        if beside is not None:
            raise SettingsError(f"{name}: an input is a path or a literal, not both; take {beside!r} or 'literal' away")
        value = source["literal"]
        return lambda _document, _trace=None: value
    if "path" not in source:
        raise SettingsError(f"{name}: an input needs a path or a literal, got {shown(dict(source), 80)}")
    try:
        follow = read_path(source["path"], source.get("many"), source.get("dialect"))
        steps = read_steps(source.get("extract"))
        missing = word("on_missing", source.get("on_missing"), ("error", "fail"))
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from None
    if missing == "fail" and name != OBSERVED:
        raise SettingsError(f"{name}: on_missing is for observed; without {name} there is nothing to compare with")
    return lambda document, trace=None: take(steps, follow(document), [] if trace is None else trace)


LONGEST_DOCUMENT: Final = 65_536
"""Of what a record has in full, in characters of JSON."""


class Mapped(NamedTuple):
    """The inputs found in a document, and what the record says of them."""

    inputs: dict[str, Any]
    sources: dict[str, Any] | None
    reason: str | None = None
    """Why not all were found."""
    is_fail: bool = False
    """Whether that says something of the reply, and not of the check."""


def mapped(mapping: InputMapping, document: Any) -> Mapped:
    """Find the inputs in a document."""
    inputs: dict[str, Any] = {}
    traces: dict[str, Trace] = {}
    try:
        resolve_into(inputs, traces, mapping, document)
    except ExtractionTimeLimitError as error:
        # Another time it may be fast enough, so there is nothing to derive again.
        return Mapped(inputs, None, str(error))
    except MappingError as error:
        # The message names keys of the whole document.
        sources = _sources(mapping, document, traces, inputs)
        return Mapped(inputs, sources, str(error), isinstance(error, AnswerMissingError))
    return Mapped(inputs, _sources(mapping, _part(mapping, document), traces, inputs))


def mapping_of_part(extract: Any) -> InputMapping:
    """Say where a part of an observed value is, by steps or by an input, which may leave out its path."""
    is_input = isinstance(extract, Mapping) and not extract.keys().isdisjoint(_KEYS[:4])
    return InputMapping(observed={"path": "$", **(extract if is_input else {"extract": extract})})


@functools.lru_cache(maxsize=100)
def mapping_of(text: str) -> InputMapping:
    """Read the mapping of a record, which thousands of records share."""
    return InputMapping.read(decode(json.loads(text)))


def derive(sources: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find the inputs of a record again; what could not be found has the reason as observed."""
    if "document" not in sources:
        raise RecordError("source_not_kept")
    mapping = mapping_of(encode_text(sources["mapping"]))
    if mapping.presets != sources.get("presets", {}):
        raise RecordError("preset_changed")
    inputs, derived, error, _ = mapped(mapping, sources["document"])
    inputs.pop(GROUP, None)
    if derived is None:
        raise RecordError("time_limit")
    if error is None:
        return inputs, derived
    # Of what was not compared the settings of the operator are not those of the mapping.
    return {**{name: inputs[name] for name in (EXPECTED,) if name in inputs}, OBSERVED: error}, derived


def _sources(
    mapping: InputMapping, document: Any, traces: Mapping[str, Trace], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    steps = {name: trace for name, trace in traces.items() if trace}
    extracted = _kept("steps", steps) if steps else {}
    more = {"presets": mapping.presets} if mapping.presets else {}
    group = {GROUP: inputs[GROUP]} if GROUP in inputs else {}
    head = {"kind": "input_mapping", "mapping": mapping.inputs, **more}
    return {**head, **_kept("document", document), **extracted, **group}


def _kept(name: str, value: Any) -> dict[str, Any]:
    text = encode_text(value)
    if len(text) <= LONGEST_DOCUMENT:
        return {name: value}
    return {f"{name}_sha256": digest(text), f"{name}_size": len(text)}


def _part(mapping: InputMapping, document: Any) -> Any:
    """Leave out what no path of the mapping goes through."""
    keys = mapping.keys
    return document if keys is None or type(document) is not dict else {key: document[key] for key in keys}
