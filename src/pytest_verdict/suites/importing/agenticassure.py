"""Suites of AgenticAssure, whose form is similar to ours."""

import functools
from typing import Final

from pytest_verdict.suites.importing import Entry, Imported, items_by_place, operator_scorer

# Other keys have no effect in AgenticAssure, but would have one here.
_SCENARIO: Final = (
    *("name", "input", "description", "expected_output", "expected_tools", "expected_tool_args", "tags", "metadata"),
)
# The behaviour of the scorer, which differs from its documentation.
_EXACT: Final[Entry] = operator_scorer("normalized_exact", normalize=["strip", "lowercase"])


def read(imported: Imported) -> None:
    document = imported.select((), imported.document.value, ("suite", "scenarios"))
    suite = document.get("suite") or {}
    imported.suite |= imported.select(("suite",), suite, ("name", "description"))
    for place, scenario in imported.parts("scenarios", (*_SCENARIO, "scorers")):
        scorers = items_by_place({place: {"scorers": scenario.pop("scorers", ["passfail"])}}, "scorers")
        is_lenient = scenario.get("metadata", {}).get("exact_normalize") is not False
        imported.add(place, scenario, scorers, functools.partial(_translate, is_lenient))


def _translate(is_lenient: bool, scorer: str) -> Entry:  # noqa: FBT001 - bound by position
    return _EXACT if is_lenient and scorer == "exact" else scorer
