"""`RecordedJudge`: replies of a judge kept in files, so that a test run asks nobody."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from pytest_verdict.blind.asking import Answer, BlindJudge, ask, own_name
from pytest_verdict.blind.request import JudgeRequest
from pytest_verdict.errors import ConfigurationError, MissingRecordingError, RecordError, allowed

MODES: Final = ("replay", "record", "rewrite")


class RecordedJudge:
    """A judge of blind comparisons whose replies are kept in a folder, a file for each question.

    What names a file is everything that the answer depends on: the judge, the form, task, expectations, rubric, both outputs
    with their labels, the order, the repetition and the attempt. It does not matter which candidate is A in this session as
    long as both orders are asked.

    Args:
        folder: Where the replies are; it belongs into version control.
        judge: Whose replies they are; asked in the modes ``record`` and ``rewrite``.
        mode: ``replay`` never asks: a missing reply is an error. ``record`` asks where one is missing. ``rewrite`` asks always.

    Raises:
        ConfigurationError: The mode is unknown, or the judge has no name of its own.

    Example:
        >>> RecordedJudge("judge-replies", judge=print, mode="always")
        Traceback (most recent call last):
            ...
        pytest_verdict.errors.ConfigurationError: mode='always' is unknown. Allowed: record, replay, rewrite.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        judge: BlindJudge,
        *,
        mode: Literal["replay", "record", "rewrite"] = "replay",
    ) -> None:
        if mode not in MODES:
            raise ConfigurationError(f"mode={mode!r} is unknown.{allowed('mode', mode, MODES)}")
        self._folder = Path(folder)
        self._judge = judge
        self._mode = mode
        self.judge_id = own_name(judge)

    def __call__(self, request: JudgeRequest, /) -> str:
        """Give the recorded reply, or record one."""
        path = self._folder / f"{request.key[:32]}.json"
        if self._mode != "rewrite" and path.exists():
            return _reply(_answering(path, request))
        if self._mode == "replay":
            raise MissingRecordingError(
                f"{path.as_posix()}: no reply is recorded for this question{self._reason(request)}"
            )
        answer = ask(self._judge, request, None)
        _write(path, request, answer)
        return _reply({"reply": answer.reply, "problem": answer.problem})

    def _reason(self, request: JudgeRequest) -> str:
        own = dict(request.parts)
        others = (recorded.get("asked", {}) for recorded in self._all())
        changes = [sorted(name for name in own if other.get(name) != own[name]) for other in others]
        if not changes:
            return f", and none at all in {self._folder.as_posix()}; record them with mode='record'"
        nearest = min(changes, key=lambda names: (len(names), names))
        return f"; the nearest recording has another {', '.join(nearest)}. Record it with mode='record'"

    def _all(self) -> Iterator[dict[str, Any]]:
        for path in sorted(self._folder.glob("*.json")):
            yield _read(path)


class RecordedProblem(Exception):  # noqa: N818 - its text is that of the problem that was recorded
    """The judge failed when its reply was recorded."""


def _answering(path: Path, request: JudgeRequest) -> dict[str, Any]:
    recorded = _read(path)
    if recorded.get("asked") != dict(request.parts):
        # A reply for B and A that lies where the one for A and B should be would turn the verdict round.
        raise RecordError(
            f"{path.as_posix()} holds the reply to another question; it was copied, renamed or altered. Record it again"
            " with mode='rewrite'"
        )
    return recorded


def _reply(recorded: dict[str, Any]) -> str:
    reply = recorded.get("reply")
    if isinstance(reply, str):
        return reply
    raise RecordedProblem(str(recorded.get("problem")))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        intact = found["reply"] is None or found["sha256"] == _sha(found["reply"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path.as_posix()} is no recorded reply: {error}") from None
    if not intact:
        raise RecordError(f"{path.as_posix()}: the reply was altered: the SHA-256 beside it is another one")
    return dict(found)


def _write(path: Path, request: JudgeRequest, answer: Answer) -> None:
    kept = {
        "asked": dict(request.parts),
        "reply": answer.reply,
        "problem": answer.problem,
        "sha256": None if answer.reply is None else _sha(answer.reply),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside first: workers that record the same question at once each put a whole file in place.
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    aside.replace(path)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
