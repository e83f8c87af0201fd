"""The operator on regular expressions, and matching them in bounded time.

Python's ``re`` backtracks: when the rest of a pattern fails, it tries every other way in which the part before can match. No
other thread runs meanwhile, so none can stop it. Only a match with few such ways is made in this process, any other in a
second one.
"""

import functools
import importlib
import itertools
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NOT_TEXT, normalize_sides, unusable
from pytest_verdict.operators.regex_process import RegexTimeLimitError, match_in_process

INVALID_PATTERN: Final = "invalid_regex_pattern"

Mode = Literal["search", "fullmatch", "match"]
_T = TypeVar("_T")
_Node = tuple[Any, Any]

FLAGS: Final = {name: re.RegexFlag[name] for name in ("ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE")}
"""The flags by name, without ``LOCALE``, because a verdict must not depend on the locale."""

SHORT_FLAGS: Final = {"A": "ASCII", "I": "IGNORECASE", "M": "MULTILINE", "S": "DOTALL", "X": "VERBOSE"}
"""The one-letter forms of the flags, as in ``re.I``."""

TIME_LIMIT: Final = 10
"""Seconds that a match in the second process may take."""

_UNICODE: Final = int(re.UNICODE)

# Compiling can be slow too, most for wide sets of characters.
LONGEST_PATTERN: Final = 10_000
# No everyday pattern that checks something matches these characters, its own and the empty text.
_MANY_CHARACTERS: Final = "".join(map(chr, [*range(10_000), *range(10_000, sys.maxunicode, 64)]))
# A step takes one to ten nanoseconds.
_HARMLESS_STEPS: Final = 100_000_000.0
_LONGEST_TEXT: Final = 2**30
_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_ENTERED_ONCE: Final = frozenset({"ASSERT", "ASSERT_NOT", "ATOMIC_GROUP", "POSSESSIVE_REPEAT"})
_SINGLE: Final = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY", "AT"})


class FoundMatch(NamedTuple):
    observed: str
    regions: Sequence[Sequence[int]]
    """The spans of the match and of each of its groups; (-1, -1) for a group that took no part."""
    names: Mapping[str, int]
    """The numbers of named groups."""

    @property
    def text(self) -> str:
        """The matched text."""
        return self.observed[slice(*self.regions[0])]

    @property
    def groups(self) -> list[str | None]:
        """The text of each group; None for a group that took no part."""
        return [None if start < 0 else self.observed[start:end] for start, end in self.regions[1:]]

    def details(self) -> dict[str, Any]:
        """Return the match as details of an outcome."""
        groups = self.groups
        details: dict[str, Any] = {"matched": self.text, "span": [*self.regions[0]]}
        if groups:
            details["groups"] = groups
        if self.names:
            details["named_groups"] = {name: groups[number - 1] for name, number in self.names.items()}
        return details


def flag_names(flags: Any) -> tuple[str, ...]:
    if not isinstance(flags, list | tuple):
        raise SettingsError(f"flags is a list of names such as [IGNORECASE], got {shown(flags, 80)}")
    for flag in flags:
        if not isinstance(flag, str) or flag not in {*FLAGS, *SHORT_FLAGS}:
            raise SettingsError(f"unknown flag: {flag!r}.{allowed('flag', flag, FLAGS)}")
    return tuple(sorted({str(SHORT_FLAGS.get(flag, flag)) for flag in flags}))


Flags = Annotated[tuple[str, ...], AfterValidator(flag_names)]
"""A setting that is a list of flags."""


@model_validator(mode="after")
def compiles(operator: Any) -> Any:
    """Refuse an operator whose setting ``pattern`` is empty or does not compile."""
    if operator.pattern == "":
        raise ValueError("pattern: it is empty and would match everything; leave it out to take it from expected")
    mode = getattr(operator, "mode", "search")
    try:
        is_useless = operator.pattern is not None and matches_every_text(operator.pattern, operator.flags, mode)
    except (re.error, RegexTimeLimitError) as error:
        raise ValueError(f"pattern: {shown(operator.pattern)} is not a regular expression: {error}") from None
    if is_useless:
        raise ValueError(f"pattern: {shown(operator.pattern)} matches every text in mode {mode}, so it checks nothing")
    return operator


@functools.lru_cache(maxsize=1_024)
def compile_pattern(pattern: str, flags: tuple[str, ...] = ()) -> re.Pattern[str]:
    if len(pattern) > LONGEST_PATTERN:
        raise re.error(f"it has {len(pattern)} characters, and at most {LONGEST_PATTERN} are allowed")
    flag_bits = sum(FLAGS[name] for name in flag_names(flags))
    try:
        return _ignore_warnings(lambda: re.compile(pattern, flag_bits))
    except OverflowError as error:
        raise re.error(f"OverflowError: {error}") from None
    except RecursionError:
        raise re.error("it is nested too deeply") from None


def _ignore_warnings(function: Callable[[], _T]) -> _T:
    try:
        return function()
    except Warning:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function()


def find_matches(
    pattern: str, flags: tuple[str, ...], mode: Mode, text: str, limit: int | None = 1
) -> list[FoundMatch]:
    """Match a regular expression, in bounded time."""
    matches = _find(pattern, flags, mode, text, limit)
    return [FoundMatch(text, match.regs, match.re.groupindex) for match in matches]


def _find(pattern: str, flags: tuple[str, ...], mode: Mode, text: str, limit: int | None) -> list[Any]:
    compiled, harmless_length = _prepare(pattern, flags, mode)
    if len(text) > harmless_length:
        spans = match_in_process(pattern, compiled.flags & ~_UNICODE, mode, text, limit, TIME_LIMIT)
        return [SimpleNamespace(regs=regions, re=compiled) for regions in spans]
    if mode == "search":
        return [*itertools.islice(compiled.finditer(text), limit)]
    match = compiled.fullmatch(text) if mode == "fullmatch" else compiled.match(text)
    return [match] if match else []


@functools.lru_cache(maxsize=1_024)
def _prepare(pattern: str, flags: tuple[str, ...], mode: Mode) -> tuple[re.Pattern[str], int]:
    """Compile a pattern, and find a length of texts up to which a match surely is fast: a power of two, or 0."""
    compiled = compile_pattern(pattern, flags)
    length = 1
    while length < _LONGEST_TEXT and most_steps(pattern, compiled.flags & ~_UNICODE, length, mode) <= _HARMLESS_STEPS:
        length *= 2
    return compiled, length // 2


@functools.lru_cache(maxsize=16)
def _parse(pattern: str, flags: int) -> Any:
    return _ignore_warnings(lambda: importlib.import_module("re._parser").parse(pattern, flags))


def most_steps(pattern: str, flags: int, length: int, mode: Mode) -> float:
    """Return an upper bound, often too high, of the steps that a match on a text of this length takes."""
    try:
        parsed = _parse(pattern, flags)
        start, end = (list(parsed), []) if mode == "fullmatch" else _split_optional_end(parsed)
        steps = _count_ways(start, length)[1] + sum(_count_ways([node], length)[1] for node in end)
    except (OverflowError, RecursionError):
        return math.inf
    if mode != "search":
        return steps
    first = str(parsed[0][1]) if len(parsed) else ""
    is_multiline = parsed.state.flags & re.MULTILINE
    if first == "AT_BEGINNING_STRING" or (first == "AT_BEGINNING" and not is_multiline):
        return steps
    return steps * max(length, 1)


def _split_optional_end(nodes: Iterable[_Node]) -> tuple[list[_Node], list[_Node]]:
    """Split off the optional end of a pattern: it never fails, so nothing before it is tried again."""
    start = list(nodes)
    end = []
    while start:
        kind, argument = start[-1]
        if str(kind) == "SUBPATTERN":
            start[-1:] = argument[3]
        elif str(kind) in _REPEATS and argument[0] == 0:
            end.append(start.pop())
        else:
            break
    return start, end


def _count_ways(nodes: Iterable[_Node], length: int) -> tuple[float, float]:
    """Count the ways in which nodes in a row can match from one place, and the steps to try them all."""
    ways = 1.0
    steps = 1.0
    for kind, argument in nodes:
        node_ways, node_steps = _count_ways_of_node(str(kind), argument, length)
        steps += ways * node_steps
        ways *= node_ways
    return ways, steps


def _count_ways_of_node(kind: str, argument: Any, length: int) -> tuple[float, float]:
    if kind in _SINGLE:
        return 1.0, 1.0
    if kind in _REPEATS:
        low, high, body = argument
        ways, steps = _count_ways(body, length)
        rounds = max(min(int(high), int(low) + length), 1)
        return (rounds - low + 1) * ways**rounds, rounds * ways ** (rounds - 1) * steps
    if kind == "SUBPATTERN":
        return _count_ways(argument[3], length)
    if kind in {"BRANCH", "GROUPREF_EXISTS"}:
        options = argument[1] if kind == "BRANCH" else argument[1:]
        counts = [_count_ways(option or (), length) for option in options]
        return sum(ways for ways, _ in counts), sum(steps for _, steps in counts)
    if kind in {"ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"}:
        # Never entered a second time after a match.
        return 1.0, _count_ways(argument if kind == "ATOMIC_GROUP" else argument[1], length)[1]
    # A reference compares up to the whole text. A node that a later Python adds may be harmful.
    return 1.0, float(length) if kind == "GROUPREF" else math.inf


@functools.lru_cache(maxsize=1_024)
def matches_every_text(pattern: str, flags: tuple[str, ...], mode: Mode) -> bool:
    """Return whether a pattern matches the empty text and a text of very many characters, whatever it excludes."""
    texts = ("", _MANY_CHARACTERS + pattern)
    if "(?!" not in pattern and "(?<!" not in pattern:
        return all(find_matches(pattern, flags, mode, text) for text in texts)
    compiled, harmless_length = _prepare(pattern, flags, "match")
    if len(texts[1]) > harmless_length:
        return False
    try:
        rest = _without_exclusions(_parse(pattern, compiled.flags & ~_UNICODE))
        matcher = importlib.import_module("re._compiler").compile(rest, compiled.flags)
    except RecursionError:
        return False
    match = matcher.fullmatch if mode == "fullmatch" else matcher.match
    return all(match(text) or (mode == "search" and match(text, len(text))) for text in texts)


def _without_exclusions(part: Any) -> Any:
    """Copy a part of a parsed pattern in which everything that excludes something matches nowhere."""
    if isinstance(part, tuple) and part and str(part[0]) in _ENTERED_ONCE and "ASSERT_NOT" in repr(part):
        return importlib.import_module("re._constants").FAILURE, ()
    if isinstance(part, tuple | list):
        return type(part)(map(_without_exclusions, part))
    if hasattr(part, "state"):
        return type(part)(part.state, [*map(_without_exclusions, part)])
    return part


def refuse_pattern(pattern: Any, flags: tuple[str, ...], mode: Mode = "search") -> Outcome | None:
    requirement = "a regular expression"
    if not isinstance(pattern, str):
        return unusable(NOT_TEXT, requirement, pattern)
    if not pattern:
        return unusable(EMPTY_EXPECTED, "a pattern that is not empty", pattern)
    try:
        is_useless = matches_every_text(pattern, flags, mode)
    except re.error as error:
        return unusable(INVALID_PATTERN, requirement, pattern, {"reason": str(error)})
    except RegexTimeLimitError as error:
        return Outcome(0.0, error=str(error))
    if is_useless:
        return unusable(EMPTY_EXPECTED, f"a pattern that some text does not match in mode {mode}", pattern)
    return None


class Regex(PassFailOperator):
    """Observed matches a regular expression, in the syntax of Python's ``re``.

    Expected is the pattern. A pattern that does not compile is an ``error`` with the note ``invalid_regex_pattern``; as
    the setting ``pattern`` it raises.

    Some patterns take practically forever on some texts. A pattern that might is matched in a second process, and after 10
    seconds the comparison is an ``error``: neither a pass nor a fail. No other comparison of this library depends on a
    clock. A pattern has at most 10,000 characters.

    Args:
        pattern: The regular expression, not empty; it replaces expected.
        mode: ``fullmatch`` matches only the whole text, ``search`` finds the pattern anywhere in observed, ``match`` at its
            start (default: ``fullmatch``).
        flags: Names of flags: ASCII, DOTALL, IGNORECASE, MULTILINE, VERBOSE, or their short forms A, S, I, M, X.
        normalize: Normalizers for observed, in order of application (default: none). The pattern is not normalized.

    Raises:
        SettingsError: The pattern is empty or does not compile, or a flag is unknown.

    Example:
        >>> compare("regex", ".*(?P<year>[0-9]{4})", "in 1928").details
        {'matched': 'in 1928', 'span': [0, 7], 'groups': ['1928'], 'named_groups': {'year': '1928'}}
    """

    name: ClassVar[str] = "regex"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "text"
    expected_settings: ClassVar[tuple[str, ...]] = ("pattern",)

    pattern: str | None = None
    mode: Mode = "fullmatch"
    flags: Flags = ()
    normalize: Normalization = ()

    _compiles = compiles

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pattern = self.effective_expected(expected) if self.replaces_expected else expected
        if refusal := refuse_pattern(pattern, self.flags, self.mode):
            return refusal
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        sides = normalize_sides(None, observed, self.normalize)
        try:
            matches = _find(pattern, self.flags, self.mode, sides.observed, 1)
        except RegexTimeLimitError as error:
            return sides.outcome(0.0, error=str(error))
        if not matches:
            return sides.outcome(0.0)
        match = matches[0]
        return sides.outcome(1.0, (), lambda: FoundMatch(sides.observed, match.regs, match.re.groupindex).details())
