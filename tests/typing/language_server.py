"""A client of a language server, as far as a test needs one: what an editor would show."""

from __future__ import annotations

import json
import pathlib
import subprocess
from types import TracebackType
from typing import Any


class LanguageServer:
    """A language server that has opened a folder."""

    def __init__(self, command: list[str], folder: pathlib.Path) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked = 0
        folders = [{"uri": folder.as_uri(), "name": "folder"}]
        self._ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders})
        self._send({"method": "initialized", "params": {}})

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._process.kill()
        self._process.communicate()

    def completions(self, file: pathlib.Path, text: str) -> list[str]:
        """Give what is offered at the mark | in a text."""
        found = self._at_mark("completion", file, text)
        items = found["items"] if isinstance(found, dict) else found or []
        return [item["label"] for item in items]

    def hover(self, file: pathlib.Path, text: str) -> str:
        """Give what is shown over the name that the mark | stands in."""
        return self._at_mark("hover", file, text)["contents"]["value"]

    def _at_mark(self, method: str, file: pathlib.Path, text: str) -> Any:
        before, _, after = text.partition("|")
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": before + after}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        asked = {"textDocument": {"uri": file.as_uri()}, "position": position}
        found = self._ask(f"textDocument/{method}", asked)
        self._send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": file.as_uri()}}})
        return found

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" not in message and message.get("id") == self._asked:
                return message["result"]
            if "method" in message and "id" in message:
                # What it asks of the editor, such as for its settings, has no answer here.
                empty = [None] * len(message["params"].get("items", [])) if message.get("params") else None
                self._send({"id": message["id"], "result": empty})

    def _send(self, message: dict[str, Any]) -> None:
        written = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(written) + written)
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the language server ended"
        return json.loads(self._process.stdout.read(length))
