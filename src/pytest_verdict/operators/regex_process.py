"""Other Python processes that match regular expressions, because a match cannot be interrupted in this one."""

import atexit
import contextlib
import marshal
import os
import subprocess
import sys
from binascii import a2b_base64, b2a_base64
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import VerdictError

# A message is a value in marshal, which preserves lone surrogates, as a line of base64. The watchdog of faulthandler needs no
# interpreter lock: at the time limit it ends the process during the match, with exit code 1.
_CODE: Final = """
import binascii, faulthandler, itertools, marshal, os, re, sys

try:
    for line in sys.stdin.buffer:
        pattern, flags, mode, text, limit, seconds = marshal.loads(binascii.a2b_base64(line))
        faulthandler.dump_traceback_later(seconds, exit=True)
        compiled = re.compile(pattern, flags)
        matches = compiled.finditer(text) if mode == "search" else filter(None, [getattr(compiled, mode)(text)])
        spans = [match.regs for match in itertools.islice(matches, limit)]
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.buffer.write(binascii.b2a_base64(marshal.dumps(spans)))
        sys.stdout.flush()
except BaseException:
    os._exit(3)
"""
_TIMED_OUT: Final = 1

# Taken from and returned to by one thread at a time, so none waits for the match of another one.
_IDLE: Final[list[subprocess.Popen[bytes]]] = []


class RegexTimeLimitError(VerdictError):
    """A regular expression reached the time limit, or its process ended, so the comparison has no verdict."""


def match_in_process(pattern: str, flags: int, mode: str, text: str, limit: int | None, seconds: float) -> Any:
    """Match a regular expression in another process, within a number of seconds."""
    if not sys.executable:
        raise RegexTimeLimitError("regex time limit: there is no Python interpreter to run the match in")
    # marshal takes no subclass of str.
    request = b2a_base64(marshal.dumps((str.__str__(pattern), flags, mode, str.__str__(text), limit, seconds)))
    answer = b""
    exit_code = None
    is_reused = True
    while is_reused and not answer and exit_code != _TIMED_OUT:
        # Something else may have ended an idle process; a new one shows whether the match does.
        try:
            process = _IDLE.pop()
        except IndexError:
            is_reused = False
            try:
                process = _start_process()
            except OSError:
                break
        answer = _exchange(process, request)
        exit_code = process.returncode
    if answer:
        return marshal.loads(a2b_base64(answer))  # noqa: S302 - written by a process of ours
    if exit_code == _TIMED_OUT:
        raise RegexTimeLimitError(f"regex time limit of {seconds} seconds reached by {shown(pattern)}")
    raise RegexTimeLimitError(f"the process that matched {shown(pattern)} ended without an answer")


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    """Return the answer; nothing if the process ended before it answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    answer = b""
    try:
        # The pipe of a process that ended is broken.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(request)
            process.stdin.flush()
        line = process.stdout.readline()
        if line.endswith(b"\n"):
            answer = line
    finally:
        # A signal may interrupt the exchange; the next request must not get its answer.
        if answer:
            _IDLE.append(process)
        else:
            _end(process)
    return answer


def _start_process() -> subprocess.Popen[bytes]:
    # Windows removes no folder that a process is in.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError), process:
        process.kill()


def stop_all() -> None:
    """End the idle processes."""
    while _IDLE:
        _end(_IDLE.pop())


def _forget_all() -> None:
    while _IDLE:
        # It is not a child of the forked process, which neither waits for it nor warns about it.
        with _IDLE.pop() as process:
            process.returncode = 0


atexit.register(stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
