"""Recorded outputs: an adapter that makes a suite run offline, and the saved outputs of interrupted sessions."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import content_digest, decode, encode
from pytest_verdict.core.values.redaction import redact
from pytest_verdict.datasets.rows import read_named_rows
from pytest_verdict.errors import AdapterError
from pytest_verdict.report.folder import EARLIER, INTERRUPTED
from pytest_verdict.report.journal import OUTPUTS
from pytest_verdict.session import SESSION
from pytest_verdict.suites.adapters.request_template import as_text
from pytest_verdict.suites.agent_result import CALL_FIELDS, AgentResult, ToolCall, called_tools, result_from_json

_HEAD: Final = ("suite", "name", "input", "repeat", "asked")


class Recording:
    """Rows by scenario and repeat, from a file or from the saved outputs in the folder of a report."""

    def __init__(self, path: Path) -> None:
        self._rows: dict[tuple[Any, str, str], dict[int, dict[str, Any]]] = {}
        files = [path]
        is_folder = path.is_dir()
        if is_folder:
            # The latest last, because its rows replace earlier ones.
            saved = [path / OUTPUTS, path / EARLIER / OUTPUTS, *path.glob(f"{INTERRUPTED}*/{OUTPUTS}")]
            files = sorted(filter(Path.is_file, saved), key=lambda file: file.stat().st_mtime_ns)
        for file in files:
            for place, _, value, error in read_named_rows(file):
                problem = error or _find_problem(value)
                if problem is None:
                    key = "name" if "name" in value else "input"
                    rows = self._rows.setdefault((value.get("suite"), key, as_text(value[key])), {})
                    repeat = value.get("repeat", len(rows) + 1)
                    if repeat in rows and not is_folder:
                        problem = f"repeat {repeat} of this scenario is recorded twice"
                    rows[repeat] = value
                if problem is not None and not is_folder:
                    raise AdapterError(f"{place}: {problem}")

    def find(self, text: Any, context: Mapping[str, Any]) -> dict[str, Any] | None:
        """Find the row of a repeat."""
        kinds = ("name", str(context.get("scenario"))), ("input", as_text(text))
        keys = [(suite, *kind) for suite in (context.get("suite"), None) for kind in kinds]
        rows = next((self._rows[key] for key in keys if key in self._rows), {})
        return rows.get(context.get("repeat", 1))


class RecordedAdapter(Recording):
    """Returns the outputs in a file, or those that the session of a report saved."""

    def __init__(self, text: str, folder: Path) -> None:
        path = folder / text.partition(":")[2].strip()
        self._name = path.name
        try:
            super().__init__(path)
        except OSError as error:
            raise AdapterError(f"the recorded outputs {path} cannot be read: {error.strerror or error}") from None

    def run(self, text: Any, context: Mapping[str, Any]) -> AgentResult:
        row = self.find(text, context)
        if row is None:
            scenario = shown(str(context.get("scenario")), 80)
            repeat = context.get("repeat", 1)
            ending = f", repeat {repeat}; record an output for each repeat" if repeat > 1 else ""
            raise AdapterError(f"{self._name} has no recorded output for the scenario {scenario}{ending}")
        if "name" in row and "asked" not in row and as_text(row.get("input", text)) != as_text(text):
            given = f"{shown(row['input'], 80)}, and the scenario asks {shown(text, 80)}"
            raise AdapterError(f"{self._name}: the output of {shown(row['name'], 80)} was recorded for {given}")
        return result_of_row(row, f"a row of {self._name}")


def result_of_row(row: Mapping[str, Any], source: str) -> AgentResult:
    members = {name: value for name, value in row.items() if name not in _HEAD}
    if "asked" not in row:
        return result_from_json(members, source)

    # A session saves results with the encoding of records.
    members = decode(members)
    calls = members.get("tool_calls") or []
    for number, call in enumerate(calls):
        if isinstance(call, dict) and tuple(call) == CALL_FIELDS:
            calls[number] = ToolCall(**call)
    return result_from_json(members, source)


def question_digest(adapter: Any, name: str, text: Any, context: Mapping[str, Any]) -> str:
    """Return the digest of a question, which is the key of its saved output."""
    # A session that reads its outputs from a recording can be continued too.
    row = adapter.find(text, context) if isinstance(adapter, RecordedAdapter) else None
    if row is not None and row.get("asked") is not None:
        return str(row["asked"])
    stable = {key: value for key, value in context.items() if key not in {"attempt", "timeout_seconds"}}
    return content_digest([name, text, stable])


def save(result: AgentResult, question: str, context: Mapping[str, Any]) -> None:
    """Append a result to the saved outputs of the session, unless it contains something that must be redacted."""
    if SESSION.journal is None or not SESSION.journal.is_dir():
        return
    members = {part.name: getattr(result, part.name) for part in fields(result)}
    if result.tool_calls is not None:
        members["tool_calls"] = called_tools(result)
    head = {"suite": context["suite"], "name": context["scenario"], "repeat": context["repeat"], "asked": question}
    line = {**head, **encode({name: value for name, value in members.items() if value is not None})}
    if SESSION.redaction is not None and redact(line, SESSION.redaction) != line:
        return
    # One unbuffered write is whole, even if several processes append.
    with (SESSION.journal / OUTPUTS).open("ab", buffering=0) as file:
        file.write(f"{json.dumps(line)}\n".encode())


def _find_problem(row: Any) -> str | None:
    if not isinstance(row, dict) or "output" not in row:
        return f"a recorded row is an object with output, got {shown(row, 80)}"
    repeat = row.get("repeat", 1)
    if type(repeat) is not int or repeat < 1:
        return f"repeat is a whole number from 1, got {shown(repeat, 40)}"
    key = row.get("name", row.get("input"))
    if isinstance(key, str) or ("name" not in row and key is not None):
        return None
    return "a recorded row needs the name or the input of its scenario, as text"
