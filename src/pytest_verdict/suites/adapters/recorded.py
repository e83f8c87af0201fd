"""Recorded outputs as an adapter, so that a suite runs offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.agent_result import AgentResult, result_from_json
from pytest_verdict.suites.rows import named_rows

_HEAD: Final = ("suite", "name", "input")


class RecordedAdapter:
    """Gives the outputs of a file.

    A row holds ``output`` and, if wanted, the other fields of an `AgentResult`, under the ``name`` of its scenario or
    under its ``input``; with ``suite`` it belongs to that suite alone. Several rows for one scenario are its repeats in
    order, and the last one stands for those that follow.
    """

    def __init__(self, written: str, folder: Path) -> None:
        self._path = folder / written.partition(":")[2].strip()
        self._found: dict[tuple[Any, str, str], list[dict[str, Any]]] = {}
        try:
            for place, _, value, error in named_rows(self._path):
                self._add(place, value, error or _problem(value))
        except OSError as error:
            raise AdapterError(f"the recorded outputs {self._path} cannot be read: {error.strerror or error}") from None

    def _add(self, place: str, row: Any, problem: str | None) -> None:
        if problem is not None:
            raise AdapterError(f"{place}: {problem}")
        key = "name" if "name" in row else "input"
        rest = {name: value for name, value in row.items() if name not in _HEAD}
        self._found.setdefault((row.get("suite"), key, row[key]), []).append(rest)

    def run(self, text: str, context: Mapping[str, Any]) -> AgentResult:
        """Look up one output."""
        scenario = str(context.get("scenario"))
        kinds = ("name", scenario), ("input", text)
        keys = [(suite, *kind) for suite in (context.get("suite"), None) for kind in kinds]
        rows = next((self._found[key] for key in keys if key in self._found), None)
        if rows is None:
            raise AdapterError(f"{self._path.name} has no recorded output for the scenario {shown(scenario, 80)}")
        row = rows[min(int(context.get("repeat", 1)), len(rows)) - 1]
        return result_from_json(row, f"a row of {self._path.name}")


def _problem(row: Any) -> str | None:
    if not isinstance(row, dict) or "output" not in row:
        return f"a recorded row is an object with output, got {shown(row, 80)}"
    key = row.get("name", row.get("input"))
    return None if isinstance(key, str) else "a recorded row needs the name or the input of its scenario, as text"
