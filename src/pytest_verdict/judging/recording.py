"""`RecordedJudge`: keep the replies of a judge in files and replay them, so that a test run asks nobody."""

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

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
from pytest_verdict.judging.asking import ask
from pytest_verdict.judging.calls import get_loop, is_abandoned
from pytest_verdict.judging.protocol import (
    Judge,
    JudgeReply,
    JudgeRequest,
    Usage,
    can_open_files,
    get_unique_judge_name,
    serialize_reply,
)
from pytest_verdict.session import SESSION

MODES: Final = ("replay", "record", "rewrite")
_MEMBERS: Final = ("asked", "reply", "problem", "usage")
_LOCK: Final = threading.Lock()
# One for each question that is being asked.
_QUESTION_LOCKS: Final[WeakValueDictionary[Path, threading.Lock]] = WeakValueDictionary()


class RecordedProblem(Exception):  # noqa: N818 - its text is the error of the recorded call
    """The judge failed when its reply was recorded."""


class RecordedJudge:
    """A judge whose replies are kept in a folder, one file for each question.

    A file holds the judge's name, everything that the answer depends on, and the reply, so that a person can review it. When
    any of this changes, the question has no recording. Recordings of a blind comparison stay valid when the candidates
    exchange the labels A and B, provided both orders were asked.

    Args:
        folder: The folder of the replies; it belongs into version control.
        judge: The judge that gives the replies. An answer template can replay without it, because it does not record who
            was asked.
        mode: ``replay`` never asks: a missing reply is an error. ``record`` asks if a reply is missing, or if the judge failed or
            refused in an earlier run, so a run that was interrupted continues. ``rewrite`` asks each question, once in a run.

    Raises:
        ConfigurationError: The mode is unknown, the judge is missing, or its name fits other judges as well.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> request = JudgeRequest(prompt="How many?", schema={}, instructions="Answer in JSON.", parts={"text": "23 pairs"})
        >>> def judge(request):
        ...     return {"pair_count": 23}
        >>> RecordedJudge(folder, judge, mode="record")(request).reply
        {'pair_count': 23}
        >>> RecordedJudge(folder, judge)(request).reply
        {'pair_count': 23}
    """

    # The judge that it asks waits by itself.
    keeps_pace: Final = True

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
        self._name = None if judge is None else get_unique_judge_name(judge)
        # The questions that were asked in this run; each of them has one reply.
        self._asked: set[str] = set()

    @property
    def judge_id(self) -> str:
        if self._name is None:
            raise ConfigurationError(
                "a blind comparison records the judge's name; give the judge as well: RecordedJudge(folder, judge)"
            )
        return self._name

    @property
    def sees_files(self) -> bool:
        return can_open_files(self._judge)

    @property
    def sees_images(self) -> bool:
        return getattr(self._judge, "sees_images", False) is True

    def __call__(self, request: JudgeRequest, /) -> Any:
        path = self._folder / f"{request.key[:32]}.json"
        with _LOCK:
            lock = _QUESTION_LOCKS.setdefault(path.absolute(), threading.Lock())
        # Two equal questions at once are asked once; but the call that holds the lock may need the loop of this thread.
        is_locked = lock.acquire(blocking=get_loop() is None)
        try:
            recording = self._find_or_record(request, path)
        finally:
            if is_locked:
                lock.release()
        if recording["problem"] is not None:
            raise RecordedProblem(recording["problem"])
        return JudgeReply(recording["reply"], recording.get("usage", {}))

    def _find_or_record(self, request: JudgeRequest, path: Path) -> dict[str, Any]:
        recording = None
        is_of_this_run = path.name in self._asked
        if path.exists() and (is_of_this_run or self._mode != "rewrite"):
            recording = _read_file(path)
            changes = self._list_changes(recording, request)
            if changes == ["judge"] and "judge" not in request.parts:
                recording = None
            elif changes:
                # Replaying the reply for B and A as the reply for A and B would turn the verdict round.
                raise RecordError(
                    f"{path.as_posix()} holds the reply to another question; it was copied, renamed or altered. Record it again"
                    " with mode='rewrite'"
                )

        if self._mode == "replay" or self._judge is None:
            if recording is None:
                raise MissingRecordingError(
                    f"{path.as_posix()}: no reply is recorded for this question{self._explain_missing(request)}"
                )
            return recording
        if recording is not None and is_of_this_run:
            return recording
        # A failed call or a refusal is evidence for a replay, but no answer.
        if recording is None or recording["problem"] is not None or not request.is_answered_by(recording["reply"]):
            recording = self._record(request, path, self._judge)
        return recording

    def _list_changes(self, recording: Mapping[str, Any], request: JudgeRequest) -> list[str]:
        """Return the names of the parts in which a question differs from a recording."""
        question = _clean({"judge": self._name, **request.parts})
        recorded = recording["asked"]
        names = {*question, *recorded}
        if self._name is None:
            names.discard("judge")
        return sorted(name for name in names if question.get(name) != recorded.get(name))

    def _explain_missing(self, request: JudgeRequest) -> str:
        recordings = [_read_file(path) for path in sorted(self._folder.glob("*.json"))]
        changes = [self._list_changes(recording, request) or ["file name"] for recording in recordings]
        if not changes:
            return f", and none at all in {self._folder.as_posix()}; record it with mode='record'"
        nearest = min(changes, key=lambda names: (len(names), names))
        return (
            f"; the nearest recording has another {', '.join(nearest)}. If that is right, record it with mode='record'"
        )

    def _record(self, request: JudgeRequest, path: Path, judge: Judge[Any]) -> dict[str, Any]:
        reply = None
        usage: Usage = {}
        problem = None
        if is_abandoned():
            raise TimeoutError("another call with this question took longer than the time limit")
        try:
            judge_reply = ask(judge, request)
            usage = judge_reply.usage
            reply = _parse_reply(judge_reply.reply, request)
        except VerdictError:
            raise
        except Exception as error:
            if not request.keeps_failures:
                raise
            problem = error_outcome(error).error
        if is_abandoned():
            raise TimeoutError("the reply came after its time limit")

        question = {"judge": self._name, **request.parts}
        recording: dict[str, Any] = _clean({"asked": question, "reply": reply, "problem": problem})
        if usage:
            recording["usage"] = dict(usage)
        text = json.dumps({**recording, "sha256": _hash_recording(recording)}, indent=2, ensure_ascii=False)
        with _LOCK:
            if path.name in self._asked and path.exists():
                # An equal question in an event loop, which did not wait, was answered before.
                return _read_file(path)
            write_whole(path, f"{text}\n")
            self._asked.add(path.name)
        return recording


def _parse_reply(reply: Any, request: JudgeRequest) -> Any:
    try:
        text = serialize_reply(reply)
    except (TypeError, ValueError) as error:
        if request.keeps_failures:
            raise
        raise ParseError(f"a judge answers with JSON values; not recorded: {shown(reply, 80)}: {error}") from None
    if not isinstance(reply, Mapping):
        return text
    # A mapping is easier to review than text; keep it if JSON reads it back unchanged.
    values = json.loads(text)
    if serialize_reply(values) == text:
        return values
    return text


def _clean(value: Any) -> Any:
    """Return a value as JSON reads it back, without the secrets of the session."""
    value = json.loads(json.dumps(value))
    if SESSION.redaction is None:
        return value
    return redact_json(value, SESSION.redaction)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        recording: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        is_intact = recording["sha256"] == _hash_recording(recording) and isinstance(recording["asked"], dict)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path.as_posix()} is no recorded reply: {type(error).__name__}: {error}") from None
    if not is_intact:
        raise RecordError(f"{path.as_posix()} was altered: its SHA-256 does not match; record it again")
    return recording


def _hash_recording(recording: Mapping[str, Any]) -> str:
    return digest(json.dumps([recording[name] for name in _MEMBERS if name != "usage" or name in recording]))
