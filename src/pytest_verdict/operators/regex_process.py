"""A second Python process that matches regular expressions, because a match cannot be interrupted in this one."""

import atexit
import marshal
import os
import re
import subprocess
import sys
import threading
from typing import IO, Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import VerdictError

# A message is its length in eight bytes and a value in marshal, which preserves lone surrogates. The watchdog of faulthandler
# needs no interpreter lock: at the time limit it writes "Timeout (0:00:10)!" and ends the process during the match.
_CODE: Final = """
import faulthandler, itertools, marshal, re, sys

def answer_to(pattern, flags, mode, text, limit):
    try:
        compiled = re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    if mode == "read":
        return compiled.flags, compiled.groups, dict(compiled.groupindex)
    if mode == "search":
        return [match.regs for match in itertools.islice(compiled.finditer(text), limit)]
    match = getattr(compiled, mode)(text)
    return [match.regs] if match else []

latest = ""
requests, answers = sys.stdin.buffer, sys.stdout.buffer
while length := requests.read(8):
    pattern, flags, mode, text, limit, seconds = marshal.loads(requests.read(int.from_bytes(length, "little")))
    faulthandler.dump_traceback_later(seconds, exit=True, file=answers)
    if len(pattern) > 100_000 and pattern != latest:
        re.purge()
    latest = pattern
    answer = marshal.dumps(answer_to(pattern, flags, mode, text, limit))
    faulthandler.cancel_dump_traceback_later()
    answers.write(len(answer).to_bytes(8, "little") + answer)
    answers.flush()
"""
_TIMED_OUT: Final = b"Timeout "


class RegexTimeLimitError(VerdictError):
    """A regular expression reached the time limit, or its process ended, so the comparison has no verdict."""


class RegexProcess:
    """A process for matches, started when it is first needed and again after it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, pattern: str, flags: int, mode: str, text: str, limit: int | None, seconds: float) -> Any:
        """Match a regular expression, or compile it in mode ``read``, within a number of seconds."""
        if not sys.executable:
            raise RegexTimeLimitError("regex time limit: there is no Python interpreter to run the match in")
        # marshal takes no subclass of str.
        message = str.__str__(pattern), flags, mode, str.__str__(text), limit, seconds
        answer = self._answer_in_turn(marshal.dumps(message))
        if not answer:
            raise RegexTimeLimitError(f"the process that matched {shown(pattern)} ended without an answer")
        if answer == _TIMED_OUT:
            raise RegexTimeLimitError(f"regex time limit of {seconds} seconds reached by {shown(pattern)}")
        content = marshal.loads(answer)  # noqa: S302 - written by a process of ours
        if isinstance(content, str):
            raise re.error(content)
        return content

    def _answer_in_turn(self, message: bytes) -> bytes:
        lock = self._lock
        if not lock.acquire(blocking=False):
            # The match of another thread may take up to the limit, so this one gets a process of its own.
            spare = RegexProcess()
            try:
                return spare._answer(message)
            finally:
                spare.stop()
        try:
            is_reused = self._process is not None
            answer = self._answer(message)
            if not answer and is_reused:
                # Something else may have ended the old process; a new one shows whether the match does.
                answer = self._answer(message)
            return answer
        finally:
            lock.release()

    def _answer(self, message: bytes) -> bytes:
        """Return the answer, ``_TIMED_OUT``, or nothing if the process ended before it answered."""
        answer = b""
        try:
            try:
                process = self._process = self._process or _start_process()
                assert process.stdin is not None
                assert process.stdout is not None
                rest = memoryview(len(message).to_bytes(8, "little") + message)
                while rest:
                    rest = rest[process.stdin.write(rest) :]
            except OSError:
                return b""
            header = _read(process.stdout, 8)
            if header == _TIMED_OUT:
                answer = header
            else:
                answer = _read(process.stdout, int.from_bytes(header, "little"))
        finally:
            # A signal may interrupt the exchange; the next message must not get its answer.
            if answer in {b"", _TIMED_OUT}:
                self.stop()
        return answer

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            with process:
                process.kill()

    def forget(self) -> None:
        """Drop the process of the parent in the child of a fork."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            # It is not a child of this process, which neither waits for it nor warns about it.
            process.returncode = 0
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()


def _start_process() -> subprocess.Popen[bytes]:
    # Windows removes no folder that a process is in. Unbuffered pipes hold no lock when another thread forks.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=os.sep,
    )


def _read(pipe: IO[bytes], size: int) -> bytes:
    content = bytearray()
    while len(content) < size and (part := pipe.read(size - len(content))):
        content += part
    return bytes(content) if len(content) == size else b""


PROCESS: Final = RegexProcess()
"""The process that all comparisons of this process share."""

atexit.register(PROCESS.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.forget)
