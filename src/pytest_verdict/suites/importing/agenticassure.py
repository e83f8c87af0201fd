"""Suites of AgenticAssure, whose form is nearly ours."""

import functools
from typing import Final

from pytest_verdict.suites.importing import Entry, Imported, operator, places

# What else may stand there has no effect in the package, and would have one here.
_SCENARIO: Final = (
    "name",
    "input",
    "description",
    "expected_output",
    "expected_tools",
    "expected_tool_args",
    "tags",
    "metadata",
)
# What the scorer does, which is not what its documentation says.
_EXACT: Final[Entry] = operator("normalized_exact", normalize=["strip", "lowercase"])


def read(found: Imported) -> None:
    """Translate the scenarios of a suite."""
    found.suite |= found.keep(("suite",), found.document.value.get("suite") or {}, ("name", "description"))
    for place, given in found.parts("scenarios", (*_SCENARIO, "scorers")):
        scorers = places({place: {"scorers": given.pop("scorers", ["passfail"])}}, "scorers")
        is_lenient = given.get("metadata", {}).get("exact_normalize") is not False
        found.add(place, given, scorers, functools.partial(_entry, is_lenient))


def _entry(is_lenient: bool, scorer: str) -> Entry:  # noqa: FBT001 - bound by place
    return _EXACT if is_lenient and scorer == "exact" else scorer
