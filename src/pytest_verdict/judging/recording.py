"""`RecordingJudge`: replies that are kept in files and given again, so that a test run asks no model."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Literal

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, MissingRecordingError, ParseError, RecordError, allowed
from pytest_verdict.judging.prompt import INSTRUCTIONS, question
from pytest_verdict.judging.protocol import Judge, Reply

MODES = ("record", "replay")


class RecordingJudge:
    """A judge that keeps the replies of another one in a folder, a file for each question.

    The name of a file is a digest of the schema, the prompt and the response: when one of them changes, the recording is
    missing. A file holds the question and the reply, so that a person can review both.

    Args:
        folder: Where the replies are; it belongs into version control.
        judge: Who is asked in mode ``record``.
        mode: ``replay`` gives recorded replies and never asks: a missing one is an error. ``record`` asks where a reply is
            missing and keeps the answer.
        instructions: The instructions of the judge, when it has no attribute ``instructions``; part of the prompt.

    Raises:
        ConfigurationError: The mode is unknown, or ``record`` has no judge.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> recording = RecordingJudge(folder, lambda schema, response, hints: {"pair_count": 23}, mode="record")
        >>> recording({"type": "object"}, "23 pairs", {})
        {'pair_count': 23}
        >>> RecordingJudge(folder)({"type": "object"}, "23 pairs", {})
        {'pair_count': 23}
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        judge: Judge | None = None,
        *,
        mode: Literal["record", "replay"] = "replay",
        instructions: str = INSTRUCTIONS,
    ) -> None:
        if mode not in MODES:
            raise ConfigurationError(f"mode={mode!r} is unknown.{allowed('mode', mode, MODES)}")
        if mode == "record" and judge is None:
            raise ConfigurationError(
                "mode='record' asks a judge where a reply is missing; give it: RecordingJudge(folder, judge)"
            )
        self._folder = Path(folder)
        self._judge = judge
        self._mode = mode
        self.instructions: str = getattr(judge, "instructions", instructions)

    def __call__(self, schema: dict[str, Any], response: str, hints: Mapping[str, str], /) -> Reply | Awaitable[Reply]:
        """Give the recorded reply, or record one."""
        prompt = f"{self.instructions}\n\n{question(schema, response, hints)}"
        path = self._folder / f"{_digest(schema, prompt, response)}.json"
        if path.exists():
            return _read(path, prompt)
        if self._mode == "replay" or self._judge is None:
            raise MissingRecordingError(
                f"{path.as_posix()}: no reply is recorded for this schema, prompt and response; record it with mode='record'"
            )
        reply = self._judge(schema, response, hints)
        return _kept_later(path, prompt, reply) if isinstance(reply, Awaitable) else _kept(path, prompt, reply)


def _digest(schema: Mapping[str, Any], prompt: str, response: str) -> str:
    key = json.dumps([schema, prompt, response], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(key.encode("ascii")).hexdigest()[:32]


def _read(path: Path, prompt: str) -> Reply:
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
        asked, reply = recording["prompt"], recording["reply"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path.as_posix()} is no recorded reply: {type(error).__name__}: {error}") from None
    # Through JSON, which joins the two halves of a character that a text may hold apart.
    if asked != json.loads(json.dumps(prompt)):
        raise RecordError(f"{path.as_posix()} holds the reply to another question; record it again with mode='record'")
    if not isinstance(reply, str | dict):
        raise RecordError(f"{path.as_posix()}: a reply is an object or text, got {type(reply).__name__}")
    return reply


async def _kept_later(path: Path, prompt: str, reply: Awaitable[Reply]) -> Reply:
    return _kept(path, prompt, await reply)


def _kept(path: Path, prompt: str, reply: Reply) -> Reply:
    text = _written(prompt, reply)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside first: workers that record the same question at once each put a whole file in place.
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    # Half of a surrogate pair, which a response may hold, has no UTF-8; the replacement is the escape of JSON.
    aside.write_text(text + "\n", encoding="utf-8", errors="backslashreplace", newline="\n")
    aside.replace(path)
    return reply


def _written(prompt: str, reply: Any) -> str:
    if not isinstance(reply, str | Mapping):
        raise ParseError(f"a judge answers with values by field or JSON text; not recorded: {shown(reply, 80)}")
    kept = reply if isinstance(reply, str) else dict(reply)
    try:
        return json.dumps({"prompt": prompt, "reply": kept}, indent=2, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise ParseError(f"a judge answers with JSON values; not recorded: {shown(kept, 80)}: {error}") from None
