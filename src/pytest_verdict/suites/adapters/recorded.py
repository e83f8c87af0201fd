"""Recorded outputs: as an adapter, so that a suite runs offline, and of sessions that go on where another one ended."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import content_digest, decode, encode
from pytest_verdict.core.values.redaction import redact
from pytest_verdict.datasets.rows import named_rows
from pytest_verdict.errors import AdapterError
from pytest_verdict.report.folder import EARLIER, INTERRUPTED
from pytest_verdict.report.journal import OUTPUTS
from pytest_verdict.session import SESSION
from pytest_verdict.suites.agent_result import CALL_FIELDS, AgentResult, ToolCall, called_tools, result_from_json
from pytest_verdict.suites.loading import as_text

_HEAD: Final = ("suite", "name", "input", "repeat", "asked")


class Recording:
    """Rows by scenario and repeat; a row without a repeat is the next one of its scenario.

    Of a folder it takes what sessions saved there, also those that were killed.
    """

    def __init__(self, path: Path) -> None:
        self._found: dict[tuple[Any, str, str], dict[int, dict[str, Any]]] = {}
        for file in _saved_in(path) if path.is_dir() else [path]:
            for place, _, value, error in named_rows(file):
                problem = error or _problem(value)
                if problem is None:
                    key = "name" if "name" in value else "input"
                    rows = self._found.setdefault((value.get("suite"), key, as_text(value[key])), {})
                    rows[value.get("repeat", len(rows) + 1)] = value
                elif file == path:
                    raise AdapterError(f"{place}: {problem}")

    def find(self, given: Any, context: Mapping[str, Any]) -> dict[str, Any] | None:
        """Find the row of a repeat; the last one stands for those that follow."""
        kinds = ("name", str(context.get("scenario"))), ("input", as_text(given))
        keys = [(suite, *kind) for suite in (context.get("suite"), None) for kind in kinds]
        rows = next((self._found[key] for key in keys if key in self._found), {})
        return rows.get(context.get("repeat", 1), rows.get(max(rows, default=0)))


class RecordedAdapter(Recording):
    """Gives the outputs of a file, or those that the session of a report got.

    A row holds ``output`` and, if wanted, the other fields of an `AgentResult`, under the ``name`` of its scenario or
    under its ``input``; with ``suite`` it belongs to that suite alone. Several rows for one scenario are its repeats in
    order, and the last one stands for those that follow.
    """

    def __init__(self, written: str, folder: Path) -> None:
        path = folder / written.partition(":")[2].strip()
        self._name = path.name
        try:
            super().__init__(path)
        except OSError as error:
            raise AdapterError(f"the recorded outputs {path} cannot be read: {error.strerror or error}") from None

    def run(self, given: Any, context: Mapping[str, Any]) -> AgentResult:
        """Look up one output."""
        row = self.find(given, context)
        if row is None:
            scenario = shown(str(context.get("scenario")), 80)
            raise AdapterError(f"{self._name} has no recorded output for the scenario {scenario}")
        return result_of_row(row, f"a row of {self._name}")


def result_of_row(row: Mapping[str, Any], source: str) -> AgentResult:
    """Read what a row says of the output."""
    said = {name: value for name, value in row.items() if name not in _HEAD}
    if "asked" not in row:
        return result_from_json(said, source)
    # What a session saved is written as in a record.
    read = decode(said)
    for number, call in enumerate(read["tool_calls"]):
        if isinstance(call, dict) and tuple(call) == CALL_FIELDS:
            read["tool_calls"][number] = ToolCall(**call)
    return result_from_json(read, source)


def question(adapter: Any, written: str, given: Any, context: Mapping[str, Any]) -> str:
    """Say by a digest what an output answers, so that no other question takes it for its own."""
    # A session that got its outputs from a recording can still go on from them.
    row = adapter.find(given, context) if isinstance(adapter, RecordedAdapter) else None
    if row is not None and row.get("asked") is not None:
        return str(row["asked"])
    asked = {name: value for name, value in context.items() if name not in {"attempt", "timeout_seconds"}}
    return content_digest([written, given, asked])


def save(result: AgentResult, asked: str, context: Mapping[str, Any]) -> None:
    """Add an output to those of the session, which a kill does not harm, unless some of it must not be written."""
    if SESSION.journal is None or not SESSION.journal.is_dir():
        return
    said = {part.name: getattr(result, part.name) for part in fields(result)}
    said["tool_calls"] = called_tools(result)
    head = {"suite": context["suite"], "name": context["scenario"], "repeat": context["repeat"], "asked": asked}
    line = {**head, **encode({name: value for name, value in said.items() if value is not None})}
    if SESSION.redaction is not None and redact(line, SESSION.redaction) != line:
        return
    # One write at the end of the file is whole, whichever processes write.
    with (SESSION.journal / OUTPUTS).open("ab", buffering=0) as file:
        file.write(f"{json.dumps(line)}\n".encode())


def _saved_in(folder: Path) -> list[Path]:
    """Find what the sessions of a report got, the latest last."""
    found = [folder / OUTPUTS, folder / EARLIER / OUTPUTS, *folder.glob(f"{INTERRUPTED}*/{OUTPUTS}")]
    return sorted((path for path in found if path.is_file()), key=lambda path: path.stat().st_mtime_ns)


def _problem(row: Any) -> str | None:
    if not isinstance(row, dict) or "output" not in row:
        return f"a recorded row is an object with output, got {shown(row, 80)}"
    key = row.get("name", row.get("input"))
    has_key = isinstance(key, str) or ("name" not in row and key is not None)
    return None if has_key else "a recorded row needs the name or the input of its scenario, as text"
