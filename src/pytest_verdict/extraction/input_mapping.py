"""`InputMapping`: where the inputs of an operator come from, how the record describes that, and how replay derives it again."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, digest, encode_text
from pytest_verdict.errors import MappingError, RecordError, SettingsError
from pytest_verdict.extraction import paths, steps

Trace = list[dict[str, Any]]
"""For each step of an extracted input, its value and its evidence."""
Fetch = Callable[..., Any]
"""Returns one input from a document; one with steps takes a trace as an optional second argument."""

EXPECTED: Final = "expected"
OBSERVED: Final = "observed"
GROUP: Final = "group"
LONGEST_DOCUMENT: Final = 65_536
"""The longest document that a record contains as a whole, in characters of JSON."""

_PART_KEYS: Final = ("path", "extract", "on_missing", "literal")
# A step of an extraction may have many and dialect as well.
_KEYS: Final = (*_PART_KEYS, "many", "dialect", "same")


class AnswerMissingError(paths.NothingFoundError):
    """The observed value is missing, and the mapping declares this a fail."""


class InputMapping:
    """Where each input of an operator comes from: a JSONPath or a literal.

    A text is a path. A dict is ``{"path": ...}``, optionally with ``many``, ``dialect``, ``extract`` and ``on_missing``, or
    ``{"literal": ...}``. The value that a path matches keeps its type; null is a value like any other. A mapping is compiled
    once and never changes.

    Args:
        expected: The expected value; optional if the settings of the operator contain it. An expected null is written
            ``{"literal": None}``.
        observed: The observed value.
        group: The kind of the document, by which it is counted and its operator may be chosen. It is no setting.
        **settings: Settings of the operator that come from the document, or literals.

    Raises:
        SettingsError: An input is wrong, or is both a path and a literal.

    Example:
        >>> mapping = InputMapping(expected="$.reference.label", observed="$.output.label")
        >>> mapping.resolve({"reference": {"label": "positive"}, "output": {"label": None}})
        {'expected': 'positive', 'observed': None}
    """

    def __init__(self, /, *, observed: Any, expected: Any = None, group: Any = None, **settings: Any) -> None:
        optional = {name: source for name, source in ((EXPECTED, expected), (GROUP, group)) if source is not None}
        self.inputs: dict[str, Any] = {**optional, OBSERVED: observed, **settings}
        self.fetch = {name: read_input(name, source) for name, source in self.inputs.items()}
        self._sources = {name: _as_dict(source) for name, source in self.inputs.items()}
        self.extracted = {name for name, source in self._sources.items() if source.get("extract") is not None}
        self.fails_where_missing = self._sources[OBSERVED].get("on_missing") == "fail"
        self.first_keys = {name: paths.first_key(source) for name, source in self._sources.items() if "path" in source}
        keys = tuple(dict.fromkeys(self.first_keys.values()))
        # The keys of a document that the record needs; None when a path may match anywhere.
        self.keys = None if None in keys else keys
        self.settings = tuple(settings)
        self.literals = {name: self._sources[name]["literal"] for name in settings if "literal" in self._sources[name]}
        self.presets = steps.find_changed_presets([source.get("extract") for source in self._sources.values()])
        # The members of the sources that all documents share.
        described = {"kind": "input_mapping", "mapping": self.inputs}
        if self.presets:
            described["presets"] = self.presets
        self.description = encode_text(described)[1:-1]

    @classmethod
    def read(cls, given: InputMapping | Mapping[str, Any]) -> InputMapping:
        """Read a mapping from a data file.

        Args:
            given: A dict with ``observed`` and, optionally, ``expected`` and settings; or a mapping.

        Returns:
            The mapping.

        Raises:
            SettingsError: It is neither, or an input is wrong.
        """
        if isinstance(given, InputMapping):
            return given
        if not isinstance(given, Mapping) or OBSERVED not in given:
            example = "{'expected': '$.a', 'observed': '$.b'}"
            raise SettingsError(f"a mapping names the inputs: {example}, got {shown(given, 80)}")
        for name in given:
            if not isinstance(name, str):
                raise SettingsError(f"the name of an input is text, got {shown(name, 80)}")
        return cls(**given)

    def resolve(self, document: Any) -> dict[str, Any]:
        """Return the value of every input.

        Args:
            document: JSON values, such as a row of a data set, or a dict with input, output, reference and metadata.

        Returns:
            The values by input, with the types that they have in the document.

        Raises:
            MappingError: A path matches nothing, or several values. The message has the path, the input, and the keys that
                the document has instead.
        """
        inputs: dict[str, Any] = {}
        _resolve_into(inputs, {}, self, document)
        return inputs

    def refuse_same_sides(self) -> None:
        """Refuse a mapping that compares a value with itself, or that compares nothing of the document.

        Raises:
            SettingsError: Observed and another input are the same value, and observed has no ``same: true``.
        """
        observed = self._sources[OBSERVED]
        others = {name: source for name, source in self._sources.items() if name not in {OBSERVED, GROUP}}
        if "literal" in observed and all("literal" in source for source in others.values()):
            raise SettingsError("observed is a literal, and so is everything that it is compared with; give it a path")
        for name, source in others.items():
            if "literal" in {*source, *observed} or not paths.are_same_place(source, observed):
                continue
            extracts = source.get("extract"), observed.get("extract")
            is_same_part = None in extracts or extracts[0] == extracts[1]
            if is_same_part and observed.get("same") is not True:
                raise SettingsError(
                    f"{name} and observed are the same value, {source['path']} and {observed['path']}, so the comparison"
                    f" shows nothing; name another path, or write observed: {{path: ..., same: true}} if this is meant"
                )

    def columns(self) -> dict[str, str] | None:
        """Return the key of the document that each input is; None when an input is anything else than the value of a key."""
        if GROUP in self.inputs:
            return None
        columns = {}
        for name, source in self._sources.items():
            if name in self.literals:
                continue
            if {*source} != {"path"}:
                return None
            key = paths.only_key(source["path"])
            if key is None:
                return None
            columns[name] = key
        return columns

    def __repr__(self) -> str:
        return f"InputMapping({', '.join(f'{name}={source!r}' for name, source in self.inputs.items())})"


def _resolve_into(inputs: dict[str, Any], traces: dict[str, Trace], mapping: InputMapping, document: Any) -> None:
    """Add the value and the trace of every input; after an error, those of the inputs before it remain."""
    for name, fetch in mapping.fetch.items():
        try:
            trace = [traces.setdefault(name, [])] if name in mapping.extracted else []
            inputs[name] = fetch(document, *trace)
        except MappingError as error:
            message = f"{name}: {error}"
            if name == OBSERVED and mapping.fails_where_missing and isinstance(error, paths.NothingFoundError):
                raise AnswerMissingError(message) from None
            raise type(error)(message) from None


def _as_dict(source: Any) -> Any:
    return {"path": source} if isinstance(source, str) else source


def read_input(name: str, source: Any) -> Fetch:
    source = _as_dict(source)
    if not isinstance(source, Mapping):
        ways = "a path such as $.output, {'path': ...} or {'literal': ...}"
        raise SettingsError(f"{name}: an input is {ways}, got {shown(source, 80)}")
    steps.refuse_unknown_keys(f"{name}: an input", source, _KEYS)
    if "literal" in source:
        for key in [key for key in source if key != "literal"]:
            raise SettingsError(f"{name}: an input is a path or a literal, not both; take {key!r} or 'literal' away")
        value = source["literal"]
        return lambda _document: value
    if "path" not in source:
        raise SettingsError(f"{name}: an input needs a path or a literal, got {shown(dict(source), 80)}")

    try:
        follow = paths.read_path(source["path"], source.get("many"), source.get("dialect"))
        extraction = steps.read_steps(source.get("extract"))
        on_missing = paths.check_word("on_missing", source.get("on_missing"), ("error", "fail"))
    except SettingsError as error:
        raise SettingsError(f"{name}: {error}") from None
    if "same" in source and (name != OBSERVED or type(source["same"]) is not bool):
        raise SettingsError(f"{name}: same is true or false, and only observed has it; got {shown(source['same'], 40)}")
    if on_missing == "fail" and name != OBSERVED:
        raise SettingsError(f"{name}: on_missing is for observed; without {name} there is nothing to compare with")
    if source.get("extract") is None:
        return follow
    return lambda document, trace=None: steps.apply_steps(extraction, follow(document), [] if trace is None else trace)


class MappedInputs(NamedTuple):
    """The inputs from a document, and their sources in the record, which are None when replay cannot derive them again."""

    inputs: dict[str, Any]
    sources: str | None
    """Typed JSON."""
    reason: str | None = None
    """Why an input is missing."""
    is_fail: bool = False
    """Whether a missing input is the fault of the reply, not of the check."""


def map_inputs(mapping: InputMapping, document: Any) -> MappedInputs:
    inputs: dict[str, Any] = {}
    traces: dict[str, Trace] = {}
    try:
        _resolve_into(inputs, traces, mapping, document)
    except steps.ExtractionTimeLimitError as error:
        # Another run may be fast enough, so replay derives nothing.
        return MappedInputs(inputs, None, str(error))
    except MappingError as error:
        # The message has keys of the whole document.
        sources = _describe_sources(mapping, document, traces, inputs)
        return MappedInputs(inputs, sources, str(error), isinstance(error, AnswerMissingError))

    if mapping.keys is not None and type(document) is dict:
        document = {key: document[key] for key in mapping.keys}
    return MappedInputs(inputs, _describe_sources(mapping, document, traces, inputs))


def mapping_of_part(extract: Any) -> InputMapping:
    """Return the mapping of a part of the observed value, from steps or from an input without a path."""
    if not isinstance(extract, Mapping) or extract.keys().isdisjoint(_PART_KEYS):
        extract = {"extract": extract}
    return InputMapping(observed={"path": "$", **extract})


@functools.lru_cache(maxsize=100)
def mapping_of(text: str) -> InputMapping:
    """Read the mapping of a record, which thousands of records share."""
    return InputMapping.read(decode(json.loads(text)))


def derive(sources: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Derive the inputs of a record again; if one was missing, the reason takes the place of observed."""
    if "document" not in sources:
        raise RecordError("source_not_kept")
    mapping = mapping_of(encode_text(sources["mapping"]))
    if mapping.presets != sources.get("presets", {}):
        raise RecordError("preset_changed")
    mapped = map_inputs(mapping, sources["document"])
    if mapped.sources is None:
        raise RecordError("time_limit")
    inputs = {name: value for name, value in mapped.inputs.items() if name != GROUP}
    if mapped.reason is not None:
        # A comparison that was not made does not have the settings of the mapping.
        inputs = {name: value for name, value in inputs.items() if name == EXPECTED} | {OBSERVED: mapped.reason}
    return inputs, mapped.sources


def _describe_sources(
    mapping: InputMapping, document: Any, traces: Mapping[str, Trace], inputs: Mapping[str, Any]
) -> str:
    members = f"{mapping.description},{write_source('document', document)}"
    if any(traces.values()):
        members += f",{write_source('steps', {name: trace for name, trace in traces.items() if trace})}"
    if GROUP in inputs:
        members += f',"{GROUP}":{encode_text(inputs[GROUP])}'
    return f"{{{members}}}"


def write_source(name: str, value: Any) -> str:
    """Write a member of sources as JSON, or the digest and the size of a long one."""
    text = encode_text(value)
    if len(text) <= LONGEST_DOCUMENT:
        return f'"{name}":{text}'
    return f'"{name}_sha256":"{digest(text)}","{name}_size":{len(text)}'
