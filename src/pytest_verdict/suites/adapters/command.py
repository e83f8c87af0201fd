"""Programs as adapters: the input on stdin, the output on stdout."""

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.errors import AdapterError, SuiteError
from pytest_verdict.judging.calls import CallTimeoutError
from pytest_verdict.suites.adapters.request_template import as_text
from pytest_verdict.suites.agent_result import AgentResult, result_from_json

_LONGEST_MESSAGE: Final = 500


class CommandAdapter:
    """Starts a program for each input, without a shell; ``command-json`` prints the JSON form of an `AgentResult`."""

    keeps_time = True
    """It ends the program itself, so the session waits for that."""

    def __init__(self, name: str, folder: Path) -> None:
        kind, _, line = name.partition(":")
        try:
            self._words = shlex.split(line)
        except ValueError as error:
            raise SuiteError(f"the adapter {name!r} is no command line: {error}") from None
        self._folder = folder
        self._is_json = kind == "command-json"
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, text: Any, context: Mapping[str, Any]) -> AgentResult:
        program = self._words[0]
        seconds = context.get("timeout_seconds")
        # Bytes, because the text mode of Python would change line ends.
        content = as_text(text).encode("utf-8")
        try:
            process = subprocess.Popen(
                self._words,
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise AdapterError(f"{program} cannot be started: {error.strerror}") from None

        self._running.add(process)
        with process:
            try:
                out, err = process.communicate(content, timeout=seconds)
            except subprocess.TimeoutExpired:
                _kill(process)
                raise CallTimeoutError from None
            finally:
                self._running.discard(process)

        if process.returncode:
            message = shown(err.decode("utf-8", "backslashreplace")[-_LONGEST_MESSAGE:], _LONGEST_MESSAGE)
            raise AdapterError(f"{program} ended with status {process.returncode}: {message}")
        try:
            printed = out.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            reason = f"{error.reason} at byte {error.start}"
            raise AdapterError(f"{program} printed something that is not UTF-8: {reason}") from None

        if not self._is_json:
            return AgentResult(printed.removesuffix("\n").removesuffix("\r"))
        try:
            return result_from_json(parse_json_with_floats(printed), f"what {program} prints")
        except ValueError as error:
            raise AdapterError(f"{program} must print JSON: {error}; it printed {shown(printed, 80)}") from None

    def close(self) -> None:
        """Kill the running programs, for example when the session is interrupted."""
        for process in tuple(self._running):
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    # The whole group, because other programs that it started would keep the pipes open.
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
