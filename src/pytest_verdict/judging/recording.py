"""`RecordedJudge`: replies that are kept in files and given again, so that a test run asks nobody."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import digest
from pytest_verdict.core.values.redaction import redact_json
from pytest_verdict.errors import (
    ConfigurationError,
    MissingRecordingError,
    ParseError,
    RecordError,
    VerdictError,
    allowed,
)
from pytest_verdict.judging.asking import ask, refuse_late_reply
from pytest_verdict.judging.protocol import Judge, JudgeRequest, own_name, reply_text, sees_files, sees_images
from pytest_verdict.session import SESSION

MODES: Final = ("replay", "record", "rewrite")


class RecordedJudge:
    """A judge whose replies are kept in a folder, a file for each question.

    A file holds the judge's name, everything that the answer depends on, and the reply, so that a person can review it. When
    any of it changes, the recording is missing. In a blind comparison it does not matter which candidate is A in this
    session, as long as both orders are asked.

    Args:
        folder: Where the replies are; it belongs into version control.
        judge: Whose replies they are. May be left out where an answer template replays, which does not say who was asked.
        mode: ``replay`` never asks: a missing reply is an error. ``record`` asks where one is missing. ``rewrite`` asks always.

    Raises:
        ConfigurationError: The mode is unknown, there is nobody to ask, or the judge has no name of its own.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> request = JudgeRequest(prompt="How many?", schema={}, instructions="Answer in JSON.", parts={"text": "23 pairs"})
        >>> def judge(request):
        ...     return {"pair_count": 23}
        >>> RecordedJudge(folder, judge, mode="record")(request)
        {'pair_count': 23}
        >>> RecordedJudge(folder, judge)(request)
        {'pair_count': 23}
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        judge: Judge[Any] | None = None,
        *,
        mode: Literal["replay", "record", "rewrite"] = "replay",
    ) -> None:
        if mode not in MODES:
            raise ConfigurationError(f"mode={mode!r} is unknown.{allowed('mode', mode, MODES)}")
        if judge is None and mode != "replay":
            raise ConfigurationError(
                f"mode={mode!r} asks a judge where a reply is missing; give it: RecordedJudge(folder, judge)"
            )
        if judge is not None and not callable(judge):
            raise ConfigurationError(f"a judge is a function or another callable, got {shown(judge, 80)}")
        self._folder = Path(folder)
        self._judge = judge
        self._mode = mode
        self._name = None if judge is None else own_name(judge)

    @property
    def judge_id(self) -> str:
        """The name of the judge whose replies these are."""
        if self._name is None:
            raise ConfigurationError(
                "a blind comparison records who judged; give the judge: RecordedJudge(folder, judge)"
            )
        return self._name

    @property
    def sees_files(self) -> bool:
        """Whether the judge whose replies these are opens files itself."""
        return sees_files(self._judge)

    @property
    def sees_images(self) -> bool:
        """Whether the judge whose replies these are is shown pictures."""
        return sees_images(self._judge)

    def __call__(self, request: JudgeRequest, /) -> Any:
        """Give the recorded reply, or record one."""
        path = self._folder / f"{request.key[:32]}.json"
        recording = None if self._mode == "rewrite" or not path.exists() else self._recording_of(request, path)
        if recording is None:
            if self._mode == "replay" or self._judge is None:
                raise MissingRecordingError(
                    f"{path.as_posix()}: no reply is recorded for this question{self._reason(request)}"
                )
            recording = self._record(request, path, self._judge)
        if recording["problem"] is not None:
            raise RecordedProblem(recording["problem"])
        return recording["reply"]

    def _recording_of(self, request: JudgeRequest, path: Path) -> dict[str, Any] | None:
        recording = _read(path)
        changed = self._changed(recording, request)
        if changed == ["judge"] and "judge" not in request.parts:
            return None
        if changed:
            # A reply for B and A that lies where the one for A and B should be would turn the verdict round.
            raise RecordError(
                f"{path.as_posix()} holds the reply to another question; it was copied, renamed or altered. Record it again"
                " with mode='rewrite'"
            )
        return recording

    def _changed(self, recording: Mapping[str, Any], request: JudgeRequest) -> list[str]:
        asked, recorded = _as_read(self._asked(request)), recording["asked"]
        if SESSION.redaction is not None:
            asked = redact_json(asked, SESSION.redaction)
        ignored = {"judge"} if self._name is None else set[str]()
        return sorted(name for name in {*asked, *recorded} - ignored if asked.get(name) != recorded.get(name))

    def _reason(self, request: JudgeRequest) -> str:
        recordings = map(_read, sorted(self._folder.glob("*.json")))
        changes = [self._changed(recording, request) or ["file name"] for recording in recordings]
        if not changes:
            return f", and none at all in {self._folder.as_posix()}; record it with mode='record'"
        nearest = min(changes, key=lambda names: (len(names), names))
        return (
            f"; the nearest recording has another {', '.join(nearest)}. If that is right, record it with mode='record'"
        )

    def _record(self, request: JudgeRequest, path: Path, judge: Judge[Any]) -> dict[str, Any]:
        reply = problem = None
        try:
            reply = _json_reply(ask(judge, request), request)
        except VerdictError:
            raise
        except Exception as error:
            if not request.keeps_failures:
                raise
            problem = error_outcome(error).error
        refuse_late_reply()
        recording: dict[str, Any] = _as_read({"asked": self._asked(request), "reply": reply, "problem": problem})
        if SESSION.redaction is not None:
            recording = redact_json(recording, SESSION.redaction)
        text = json.dumps({**recording, "sha256": _sha256(recording)}, indent=2, ensure_ascii=False)
        write_whole(path, f"{text}\n")
        return recording

    def _asked(self, request: JudgeRequest) -> dict[str, str | None]:
        return {"judge": self._name, **request.parts}


class RecordedProblem(Exception):  # noqa: N818 - its text is that of the problem that was recorded
    """The judge failed when its reply was recorded."""


def _json_reply(reply: Any, request: JudgeRequest) -> Any:
    try:
        text = reply_text(reply)
    except (TypeError, ValueError) as error:
        if request.keeps_failures:
            raise
        raise ParseError(f"a judge answers with JSON values; not recorded: {shown(reply, 80)}: {error}") from None
    if not isinstance(reply, Mapping):
        return text
    # A mapping is kept as one, which is easier to review, unless JSON reads it back as another one.
    again = json.loads(text)
    return again if reply_text(again) == text else text


def _as_read(value: Any) -> Any:
    # JSON joins the two halves of a character that a text may hold apart.
    return json.loads(json.dumps(value))


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        is_intact = found["sha256"] == _sha256(found) and isinstance(found["asked"], dict)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path.as_posix()} is no recorded reply: {type(error).__name__}: {error}") from None
    if not is_intact:
        raise RecordError(f"{path.as_posix()} was altered: the SHA-256 in it is another one")
    return found


def _sha256(recording: Mapping[str, Any]) -> str:
    return digest(json.dumps([recording[name] for name in ("asked", "reply", "problem")]))
