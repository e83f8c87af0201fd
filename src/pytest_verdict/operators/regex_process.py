"""A second Python process that matches regular expressions, because a match cannot be interrupted in this one."""

import atexit
import contextlib
import marshal
import os
import re
import subprocess
import sys
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
    if mode == "search":
        return [match.regs for match in itertools.islice(compiled.finditer(text), limit)]
    match = getattr(compiled, mode)(text)
    return [match.regs] if match else []

requests, answers = sys.stdin.buffer, sys.stdout.buffer
while length := requests.read(8):
    pattern, flags, mode, text, limit, seconds = marshal.loads(requests.read(int.from_bytes(length, "little")))
    faulthandler.dump_traceback_later(seconds, exit=True, file=answers)
    answer = marshal.dumps(answer_to(pattern, flags, mode, text, limit))
    faulthandler.cancel_dump_traceback_later()
    answers.write(len(answer).to_bytes(8, "little") + answer)
    answers.flush()
"""
_TIMED_OUT: Final = b"Timeout "


class RegexTimeLimitError(VerdictError):
    """A regular expression reached the time limit, or its process ended, so the comparison has no verdict."""


# Taken from and returned to by one thread at a time, so none waits for the match of another one.
_IDLE: Final[list[subprocess.Popen[bytes]]] = []


def match_in_process(pattern: str, flags: int, mode: str, text: str, limit: int | None, seconds: float) -> Any:
    """Match a regular expression in a second process, within a number of seconds."""
    if not sys.executable:
        raise RegexTimeLimitError("regex time limit: there is no Python interpreter to run the match in")
    # marshal takes no subclass of str.
    message = marshal.dumps((str.__str__(pattern), flags, mode, str.__str__(text), limit, seconds))
    answer = b""
    is_reused = True
    while is_reused and not answer:
        # Something else may have ended an idle process; a new one shows whether the match does.
        try:
            process = _IDLE.pop()
        except IndexError:
            is_reused = False
            try:
                process = _start_process()
            except OSError:
                break
        answer = _exchange(process, message)
    if not answer:
        raise RegexTimeLimitError(f"the process that matched {shown(pattern)} ended without an answer")
    if answer == _TIMED_OUT:
        raise RegexTimeLimitError(f"regex time limit of {seconds} seconds reached by {shown(pattern)}")
    content = marshal.loads(answer)  # noqa: S302 - written by a process of ours
    if isinstance(content, str):
        raise re.error(content)
    return content


def _exchange(process: subprocess.Popen[bytes], message: bytes) -> bytes:
    """Return the answer, ``_TIMED_OUT``, or nothing if the process ended before it answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    answer = b""
    try:
        rest = memoryview(len(message).to_bytes(8, "little") + message)
        # The pipe of a process that ended is broken.
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[process.stdin.write(rest) :]
        header = _read(process.stdout, 8)
        if header == _TIMED_OUT:
            answer = header
        else:
            answer = _read(process.stdout, int.from_bytes(header, "little"))
    finally:
        # A signal may interrupt the exchange; the next message must not get its answer.
        if answer in {b"", _TIMED_OUT}:
            with process:
                process.kill()
        else:
            _IDLE.append(process)
    return answer


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


def stop_all() -> None:
    """End the idle processes."""
    while _IDLE:
        with _IDLE.pop() as process:
            process.kill()


def _forget_all() -> None:
    while _IDLE:
        # It is not a child of the forked process, which neither waits for it nor warns about it.
        with _IDLE.pop() as process:
            process.returncode = 0


atexit.register(stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
