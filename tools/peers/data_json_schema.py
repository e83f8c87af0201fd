"""The JSON-Schema-Test-Suite: each test is one call of `json_schema`, of `format: assert` for the tests of formats."""

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.peers.case import Here

_HOST = "http://localhost:1234/"
_DIALECTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft3": "http://json-schema.org/draft-03/schema#",
}
# What a name has, the verdict here, and why it differs; None for any verdict.
_REASONS = (
    ("/(vocabulary|format-assertion): ", "error", "a dialect of one's own is refused"),
    ("/(pattern|patternProperties): ", "error", "a pattern is one of Python, which has no `\\p`: it is refused"),
    (
        "/ecmascript-regex: ",
        None,
        "a pattern, also as the format `regex`, is one of Python, where `\\d` has all digits",
    ),
    ("/dependencies-compatibility: ", "pass", "the keyword `dependencies` is not in this dialect"),
    ("/content: ", "pass", "`contentEncoding` and `contentMediaType` are not checked"),
    ("/zeroTerminatedFloats: ", "pass", "1.0 is an integer, as in later drafts"),
    ("/unevaluatedProperties: .*adjacent non-bool", "fail", "jsonschema overlooks a schema in `additionalProperties`"),
    ("/unknown: ", "error", "a format that cannot be checked is refused"),
    ("leap second", "fail", "a leap second is no time"),
    ("/(iri|relative-json-pointer|uri-template): ", "fail", "the library that checks the format refuses a rare form"),
    ("/idn-hostname: .*Bidi", "pass", "the library idna does not check the direction of a whole name"),
    ("/hostname: .*RFC1123", "fail", "two hyphens in the third and fourth place are left to Punycode"),
)


def read_required(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    return _read(folder, "*.json", {})


def read_optional(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    return _read(folder, "optional/*.json", {})


def read_formats(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    return _read(folder, "optional/format/*.json", {"format": "assert"})


def _read(folder: Path, pattern: str, settings: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name of each case, what the suite demands, and the comparison here."""
    suite = folder / "JSON-Schema-Test-Suite"
    for draft, dialect in _DIALECTS.items():
        for path in sorted((suite / "tests" / draft).glob(pattern)):
            for group in json.loads(path.read_text()):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema = {"$schema": dialect, **schema}
                more = {"schemas": _read_remotes(suite, draft)} if _HOST in json.dumps(schema) else {}
                place = f"{draft}/{path.stem}: {group['description']}"
                for test in group["tests"]:
                    name = f"{place}, {test['description']}"
                    reason, verdict = _find_reason(name)
                    here = Here(
                        "json_schema",
                        schema,
                        test["data"],
                        {"parse": False, **settings, **more},
                        reason=reason,
                        reason_for=verdict,
                    )
                    yield name, test["valid"], here


def _find_reason(name: str) -> tuple[str | None, str | None]:
    """Return why a case differs, and the verdict for which this counts."""
    for pattern, verdict, reason in _REASONS:
        if re.search(pattern, name):
            return reason, verdict
    return None, None


@functools.cache
def _read_remotes(suite: Path, draft: str) -> dict[str, Any]:
    """Return the schemas that others refer to; one in a dialect of its own is left out."""
    remotes = {}
    for path in sorted((suite / "remotes").rglob("*.json")):
        place = path.relative_to(suite / "remotes")
        schema = json.loads(path.read_text())
        if isinstance(schema, dict):
            schema = {"$schema": _DIALECTS.get(place.parts[0], _DIALECTS[draft]), **schema}
            if schema["$schema"] not in _DIALECTS.values():
                continue
        remotes[_HOST + place.as_posix()] = schema
    return remotes
