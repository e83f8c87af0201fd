"""Matching a regular expression in bounded time.

Python's ``re`` cannot be interrupted. A match that is certain to be short is made here; any other is made in a child
process, which is killed when it takes too long.
"""

from __future__ import annotations

import functools
import itertools
import json
import marshal
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_verdict.errors import SettingsError, VerdictError, allowed
from pytest_verdict.operators.regex_cost import estimated_steps, quietly

Mode = Literal["search", "fullmatch", "match"]

FLAGS: Final = {
    "ASCII": re.ASCII,
    "DOTALL": re.DOTALL,
    "IGNORECASE": re.IGNORECASE,
    "MULTILINE": re.MULTILINE,
    "VERBOSE": re.VERBOSE,
}
"""The flags by name. ``LOCALE`` is not among them, because a verdict must not depend on the locale."""

SHORT_FLAGS: Final = {"A": "ASCII", "I": "IGNORECASE", "M": "MULTILINE", "S": "DOTALL", "X": "VERBOSE"}
"""The one-letter forms of the flags, as in ``re.I``."""

TIME_LIMIT: Final = 10
"""Seconds that a child process may take."""

# Measured, a step of the estimate takes about a nanosecond where the bound is tight, so this is about half a second.
_HARMLESS_STEPS: Final = 500_000_000.0

# Spans travel back, not texts: the parent has the text. It went by marshal: JSON makes one character of two surrogates.
_CHILD: Final = """
import itertools, json, marshal, re, sys
task = marshal.load(sys.stdin.buffer)
compiled = re.compile(task["pattern"], task["flags"])
if task["mode"] == "search":
    found = itertools.islice(compiled.finditer(task["text"]), task["limit"])
else:
    match = getattr(compiled, task["mode"])(task["text"])
    found = [match] if match else []
json.dump([match.regs for match in found], sys.stdout)
"""


class RegexTimeLimitError(VerdictError):
    """A regular expression took longer than `TIME_LIMIT` or than its process lived: there is neither a match nor none."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """One match of a regular expression."""

    start: int
    end: int
    text: str
    groups: tuple[str | None, ...]
    named_groups: dict[str, str | None]

    def details(self) -> dict[str, Any]:
        """Write the match as the record has it."""
        found: dict[str, Any] = {"matched": self.text, "span": [self.start, self.end]}
        if self.groups:
            found["groups"] = list(self.groups)
        if self.named_groups:
            found["named_groups"] = dict(self.named_groups)
        return found


def flag_names(flags: Sequence[str]) -> tuple[str, ...]:
    """Give flags their long names."""
    for flag in flags:
        if flag not in FLAGS and flag not in SHORT_FLAGS:
            raise SettingsError(f"unknown flag: {flag!r}.{allowed('flag', flag, FLAGS)}")
    return tuple(sorted({SHORT_FLAGS.get(flag, flag) for flag in flags}))


def compile_pattern(pattern: str, flags: Sequence[str] = ()) -> re.Pattern[str]:
    """Compile a regular expression."""
    return _compiled(pattern, sum(FLAGS[name] for name in flag_names(flags)))


@functools.lru_cache(maxsize=1_024)
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    try:
        return quietly(lambda: re.compile(pattern, flags))
    except (OverflowError, RecursionError) as error:
        raise re.error(f"{type(error).__name__}: {error}") from None


def find_matches(
    pattern: str, flags: Sequence[str], mode: Mode, text: str, limit: int | None = 1
) -> tuple[FoundMatch, ...]:
    """Match a regular expression, in bounded time."""
    compiled = compile_pattern(pattern, flags)
    steps = estimated_steps(pattern, compiled.flags & ~re.UNICODE, len(text), mode)
    find_spans = _spans_here if steps <= _HARMLESS_STEPS else _spans_in_child
    return tuple(_found(compiled, text, regions) for regions in find_spans(compiled, mode, text, limit))


_Spans = Sequence[Sequence[Sequence[int]]]


def _spans_here(compiled: re.Pattern[str], mode: Mode, text: str, limit: int | None) -> _Spans:
    if mode == "search":
        return [match.regs for match in itertools.islice(compiled.finditer(text), limit)]
    match = compiled.match(text) if mode == "match" else compiled.fullmatch(text)
    return [match.regs] if match else []


def _spans_in_child(compiled: re.Pattern[str], mode: Mode, text: str, limit: int | None) -> _Spans:
    flags = int(compiled.flags & ~re.UNICODE)
    task = {"pattern": compiled.pattern, "flags": flags, "mode": mode, "text": text, "limit": limit}
    if not sys.executable:
        raise RegexTimeLimitError("regex time limit: there is no Python interpreter to run the match in")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=marshal.dumps(task),
            capture_output=True,
            timeout=TIME_LIMIT,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise RegexTimeLimitError(f"regex time limit of {TIME_LIMIT} seconds reached by {compiled.pattern!r}") from None
    except subprocess.CalledProcessError:
        raise RegexTimeLimitError(f"the process that matched {compiled.pattern!r} ended without an answer") from None
    spans: _Spans = json.loads(done.stdout)
    return spans


def _found(compiled: re.Pattern[str], text: str, regions: Sequence[Sequence[int]]) -> FoundMatch:
    parts = [None if start < 0 else text[start:end] for start, end in regions]
    named = {name: parts[number] for name, number in compiled.groupindex.items()}
    start, end = regions[0]
    return FoundMatch(start, end, text[start:end], tuple(parts[1:]), named)
