"""The operator on regular expressions, and matching them in bounded time.

Python's ``re`` backtracks: when the rest of a pattern fails, it tries every other way in which the part before can match. No
other thread runs meanwhile, so none can stop it. A match with few such ways is made here, any other in a second process.
Compiling takes its time too, most for wide sets of characters, so a long pattern is not even compiled here.
"""

import functools
import importlib
import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import FAIL, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NOT_TEXT, normalize_sides, not_text, unusable
from pytest_verdict.operators.regex_process import PROCESS, RegexTimeLimitError

INVALID_PATTERN: Final = "invalid_regex_pattern"

Spans = Sequence[Sequence[tuple[int, int]]]
"""Where each match and its groups begin and end; (-1, -1) for a group that took no part."""
Mode = Literal["search", "fullmatch", "match"]
_Made = TypeVar("_Made")
_Node = tuple[Any, Any]

FLAGS: Final = {name: re.RegexFlag[name] for name in ("ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE")}
"""The flags by name. ``LOCALE`` is not among them, because a verdict must not depend on the locale."""

SHORT_FLAGS: Final = {"A": "ASCII", "I": "IGNORECASE", "M": "MULTILINE", "S": "DOTALL", "X": "VERBOSE"}
"""The one-letter forms of the flags, as in ``re.I``."""

# As a plain number, because arithmetic with a flag takes longer than a short match.
_UNICODE: Final = int(re.UNICODE)

TIME_LIMIT: Final = 10
"""Seconds that a match in the second process may take."""

# Characters; a longer pattern is compiled and matched in the second process at once.
LONGEST_READ_HERE: Final = 1_000
# Measured, a step takes about a nanosecond where the bound is tight, and ten at most.
_HARMLESS_STEPS: Final = 100_000_000.0
_SHORT_TEXT: Final = 1_000
_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_SINGLE: Final = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY", "AT"})


class FoundMatch(NamedTuple):
    """One match of a regular expression."""

    start: int
    end: int
    text: str
    groups: tuple[str | None, ...]
    named_groups: dict[str, str | None]
    regions: Sequence[Sequence[int]]
    """Where the match and each of its groups begin and end."""

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


Flags = Annotated[tuple[str, ...], AfterValidator(flag_names)]
"""A setting that is a list of flags."""


@model_validator(mode="after")
def compiles(operator: Any) -> Any:
    """Refuse a pattern, given as a setting beside flags, that is empty or does not compile."""
    if operator.pattern == "":
        raise ValueError("pattern: it is empty and would match everything; leave it out to take it from expected")
    try:
        compile_pattern(operator.pattern or "", operator.flags)
    except (re.error, RegexTimeLimitError) as error:
        raise ValueError(f"pattern: {shown(operator.pattern)} is not a regular expression: {error}") from None
    return operator


class LongPattern(NamedTuple):
    """What is known here of a pattern that only the second process reads."""

    flags: int
    groups: int
    groupindex: dict[str, int]


def compile_pattern(pattern: str, flags: Sequence[str] = ()) -> re.Pattern[str] | LongPattern:
    """Compile a regular expression."""
    given = sum(FLAGS[name] for name in flag_names(flags)) if flags else 0
    return _compiled(pattern, given) if len(pattern) <= LONGEST_READ_HERE else _read_there(pattern, given)


@functools.lru_cache(maxsize=4)
def _read_there(pattern: str, flags: int) -> LongPattern:
    return LongPattern(*PROCESS.ask(pattern, flags, "read", "", None, TIME_LIMIT))


@functools.lru_cache(maxsize=1_024)
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    try:
        return _under_any_filter(lambda: re.compile(pattern, flags))
    except (OverflowError, RecursionError) as error:
        raise re.error(f"{type(error).__name__}: {error}") from None


def _under_any_filter(make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except Warning:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()


def find_matches(
    pattern: str, flags: Sequence[str], mode: Mode, text: str, limit: int | None = 1
) -> tuple[FoundMatch, ...]:
    """Match a regular expression, in bounded time."""
    compiled = compile_pattern(pattern, flags)
    given = compiled.flags & ~_UNICODE
    if isinstance(compiled, re.Pattern) and most_steps(pattern, given, len(text), mode) <= _HARMLESS_STEPS:
        spans = _spans(compiled, mode, text, limit)
    else:
        spans = PROCESS.ask(pattern, given, mode, text, limit, TIME_LIMIT)
    return tuple([_found(compiled, text, regions) for regions in spans])


@functools.lru_cache(maxsize=1_024)
def _matcher_of_short(pattern: str, flags: tuple[str, ...], mode: Mode) -> Callable[[str], re.Match[str] | None] | None:
    """Give what matches a pattern in no time on every text up to a length, if there is such a thing."""
    if refused_pattern(pattern, flags) or isinstance(compiled := compile_pattern(pattern, flags), LongPattern):
        return None
    steps = most_steps(pattern, compiled.flags & ~_UNICODE, _SHORT_TEXT, mode)
    return getattr(compiled, mode) if steps <= _HARMLESS_STEPS else None


def _spans(compiled: re.Pattern[str], mode: Mode, text: str, limit: int | None) -> Spans:
    if mode == "search":
        return [match.regs for match in itertools.islice(compiled.finditer(text), limit)]
    match = compiled.match(text) if mode == "match" else compiled.fullmatch(text)
    return [match.regs] if match else []


def _found(compiled: re.Pattern[str] | LongPattern, text: str, regions: Sequence[Sequence[int]]) -> FoundMatch:
    parts = [None if start < 0 else text[start:end] for start, end in regions]
    named = {name: parts[number] for name, number in compiled.groupindex.items()}
    start, end = regions[0]
    return FoundMatch(start, end, text[start:end], tuple(parts[1:]), named, regions)


def _details(match: re.Match[str]) -> dict[str, Any]:
    if match.re.groups:
        return _found(match.re, match.string, match.regs).details()
    return {"matched": match.group(), "span": [*match.span()]}


def most_steps(pattern: str, flags: int, length: int, mode: Mode) -> float:
    """Give a bound, often too high, of the steps that a match on a text of this length can take."""
    # Rounded up by a quarter at most, so that a run over many texts looks at each pattern a few times only.
    unit = 1 << max(length.bit_length() - 3, 0)
    return _most_steps(pattern, flags, -(-max(length, 1) // unit) * unit, mode)


@functools.lru_cache(maxsize=1_024)
def _most_steps(pattern: str, flags: int, length: int, mode: Mode) -> float:
    parser = importlib.import_module("re._parser")
    try:
        parsed = _under_any_filter(lambda: parser.parse(pattern, flags))
        start, end = (list(parsed), []) if mode == "fullmatch" else _without_optional_end(parsed)
        steps = _sequence(start, length)[1] + sum(_sequence([node], length)[1] for node in end)
    except (OverflowError, RecursionError):
        return math.inf
    return steps * (length if mode == "search" and not _anchored(parsed) else 1)


def _without_optional_end(nodes: Iterable[_Node]) -> tuple[list[_Node], list[_Node]]:
    """Split off what may be left out at the end: it never fails, so nothing before it is tried again."""
    start, end = list(nodes), []
    while start:
        kind, argument = start[-1]
        if str(kind) == "SUBPATTERN":
            start[-1:] = argument[3]
        elif str(kind) in _REPEATS and argument[0] == 0:
            end.append(start.pop())
        else:
            break
    return start, end


def _anchored(parsed: Any) -> bool:
    first = str(parsed[0][1]) if len(parsed) else ""
    return first == "AT_BEGINNING_STRING" or (first == "AT_BEGINNING" and not parsed.state.flags & re.MULTILINE)


def _sequence(nodes: Iterable[_Node], length: int) -> tuple[float, float]:
    """Count the ways in which nodes in a row can match from one place, and the steps to try them all."""
    ways = steps = 1.0
    for kind, argument in nodes:
        more_ways, more_steps = _one(str(kind), argument, length)
        steps += ways * more_steps
        ways *= more_ways
    return ways, steps


def _one(kind: str, argument: Any, length: int) -> tuple[float, float]:
    if kind in _SINGLE:
        return 1.0, 1.0
    if kind in _REPEATS:
        low, high, body = argument
        ways, steps = _sequence(body, length)
        rounds = max(min(int(high), int(low) + length), 1)
        return (rounds - low + 1) * ways**rounds, rounds * ways ** (rounds - 1) * steps
    if kind == "SUBPATTERN":
        return _sequence(argument[3], length)
    if kind in {"BRANCH", "GROUPREF_EXISTS"}:
        options = argument[1] if kind == "BRANCH" else argument[1:]
        counted = [_sequence(option or (), length) for option in options]
        return sum(ways for ways, _ in counted), sum(steps for _, steps in counted)
    if kind in {"ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"}:
        # Never entered a second time once they have matched.
        return 1.0, _sequence(argument if kind == "ATOMIC_GROUP" else argument[1], length)[1]
    # A reference compares up to the whole text. A node of a later Python is not known to be harmless.
    return 1.0, float(length) if kind == "GROUPREF" else math.inf


def refused_pattern(pattern: Any, flags: Sequence[str]) -> Outcome | None:
    """Refuse an expected value that is no regular expression."""
    takes = "a regular expression"
    if not isinstance(pattern, str):
        return unusable(NOT_TEXT, takes, pattern)
    if not pattern:
        return unusable(EMPTY_EXPECTED, "a pattern that is not empty", pattern)
    try:
        compile_pattern(pattern, flags)
    except re.error as error:
        return unusable(INVALID_PATTERN, takes, pattern, {"reason": str(error)})
    except RegexTimeLimitError as error:
        return Outcome(0.0, error=str(error))
    return None


class Regex(Operator):
    """Observed matches a regular expression, in the syntax of Python's ``re``.

    Expected is the pattern. One that does not compile is an ``error`` with the note ``invalid_regex_pattern``; given as the
    setting ``pattern`` it is a wrong configuration.

    A pattern can take for ever on a text. When the pattern shows that it might, or has more than 1,000 characters, it is
    matched in a second process, and after 10 seconds the comparison is an ``error``: neither a pass nor a fail. No other
    comparison of this library consults a clock.

    Args:
        pattern: The regular expression, not empty. Given as a setting it takes the place of expected.
        mode: ``fullmatch`` matches only the whole text, and is the default; ``search`` finds the pattern anywhere in observed,
            ``match`` at its start.
        flags: Names of flags: ASCII, DOTALL, IGNORECASE, MULTILINE, VERBOSE, or their first forms A, S, I, M, X.
        normalize: Normalizers for observed, in order of application; none unless given. The pattern stays as it is.

    Raises:
        SettingsError: The pattern is empty or does not compile, or a flag is not known.

    Example:
        >>> compare("regex", ".*(?P<year>[0-9]{4})", "in 1928").details
        {'matched': 'in 1928', 'span': [0, 7], 'groups': ['1928'], 'named_groups': {'year': '1928'}}
    """

    name: ClassVar[str] = "regex"
    kind: ClassVar[str] = "text"
    expected_settings: ClassVar[tuple[str, ...]] = ("pattern",)

    pattern: str | None = None
    mode: Mode = "fullmatch"
    flags: Flags = ()
    normalize: Normalization = ()

    _compiles = compiles

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pattern = self.effective_expected(expected)
        if not self.normalize and type(pattern) is type(observed) is str and len(observed) <= _SHORT_TEXT:
            match_short = _matcher_of_short(pattern, self.flags, self.mode)
            if match_short is not None:
                match = match_short(observed)
                return Outcome(1.0, details=functools.partial(_details, match)) if match else FAIL
        if refusal := refused_pattern(pattern, self.flags) or not_text(pattern, observed):
            return refusal
        found = normalize_sides(None, observed, self.normalize)
        try:
            matches = find_matches(pattern, self.flags, self.mode, found.observed)
        except RegexTimeLimitError as error:
            return found.outcome(0.0, error=str(error))
        return found.outcome(1.0, details=matches[0].details()) if matches else found.outcome(0.0)
