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

# A message is its length in eight bytes and a value by marshal, which keeps lone surrogates apart. The watchdog of faulthandler
# needs no interpreter lock: at the time limit it writes "Timeout (0:00:10)!" and ends the process in the middle of the match.
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
    """A regular expression took longer than the time limit or than its process lived: there is neither a match nor none."""


class RegexProcess:
    """A process that makes one match after the other, started when it is first needed and again when it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, pattern: str, flags: int, mode: str, text: str, limit: int | None, seconds: float) -> Any:
        """Match a regular expression, or ``read`` what it consists of, and give up after so many seconds."""
        if not sys.executable:
            raise RegexTimeLimitError("regex time limit: there is no Python interpreter to run the match in")
        # marshal takes no subclass of str.
        message = str.__str__(pattern), flags, mode, str.__str__(text), limit, seconds
        answer = self._answer_in_turn(marshal.dumps(message))
        if not answer:
            raise RegexTimeLimitError(f"the process that matched {shown(pattern)} ended without an answer")
        if answer == _TIMED_OUT:
            raise RegexTimeLimitError(f"regex time limit of {seconds} seconds reached by {shown(pattern)}")
        found = marshal.loads(answer)  # noqa: S302 - written by a process of ours
        if isinstance(found, str):
            raise re.error(found)
        return found

    def _answer_in_turn(self, message: bytes) -> bytes:
        lock = self._lock
        if not lock.acquire(blocking=False):
            # The match of another thread may take up to the limit. Nobody waits for it.
            spare = RegexProcess()
            try:
                return spare._answer(message)
            finally:
                spare.stop()
        try:
            reused = self._process is not None
            # Something else may have ended the old process. Whether the match ends a process is seen in a new one.
            return self._answer(message) or (self._answer(message) if reused else b"")
        finally:
            lock.release()

    def _answer(self, message: bytes) -> bytes:
        answer = b""
        try:
            answer = self._exchange(message)
        finally:
            # Also when a signal interrupted the exchange: its answer must not be taken for that of the next message.
            if answer in {b"", _TIMED_OUT}:
                self.stop()
        return answer

    def _exchange(self, message: bytes) -> bytes:
        """Give the answer, ``_TIMED_OUT``, or nothing if the process ended before it answered."""
        try:
            process = self._process = self._process or _started()
            assert process.stdin is not None
            assert process.stdout is not None
            _write(process.stdin, len(message).to_bytes(8, "little") + message)
        except OSError:
            return b""
        length = _read(process.stdout, 8)
        if length == _TIMED_OUT:
            return length
        return _read(process.stdout, int.from_bytes(length, "little"))

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            with process:
                process.kill()

    def forget(self) -> None:
        """Let go of the process that a parent has started, in the child of a fork."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            # It is no child of this process, which neither waits for it nor is warned about it.
            process.returncode = 0
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()


def _started() -> subprocess.Popen[bytes]:
    # Windows removes no folder that a process is in. Unbuffered pipes hold no lock when another thread forks.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=os.sep,
    )


def _write(pipe: IO[bytes], content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[pipe.write(rest) :]


def _read(pipe: IO[bytes], size: int) -> bytes:
    found = bytearray()
    while len(found) < size and (part := pipe.read(size - len(found))):
        found += part
    return bytes(found) if len(found) == size else b""


PROCESS: Final = RegexProcess()
"""The process that all comparisons of this process share."""

atexit.register(PROCESS.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.forget)
