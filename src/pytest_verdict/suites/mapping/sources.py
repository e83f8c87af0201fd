"""What a mapping was applied to, for the record, and the same derived from the record again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.errors import MappingError, RecordError
from pytest_verdict.suites.mapping.extraction import ExtractionTimeLimitError
from pytest_verdict.suites.mapping.input_mapping import OBSERVED, InputMapping, Steps, resolve_into

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


def derive(sources: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find the inputs of a record again; what could not be found has the reason as observed."""
    if "document" not in sources:
        raise RecordError("source_not_kept")
    inputs, derived, error = mapped(InputMapping.read(sources["mapping"]), sources["document"])
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
