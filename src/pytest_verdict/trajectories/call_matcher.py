"""`Call`, an event in the form that is compared, and `CallMatcher`: whether an observed call matches an expected one.

Two values have the same key exactly if they are equal.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.numbers import as_decimal, is_number
from pytest_verdict.trajectories.argument_rules import (
    CONTAINS,
    EQUAL,
    IGNORE,
    OTHERS,
    ArgumentResult,
    ToolRule,
    compare_arguments,
)
from pytest_verdict.trajectories.event import ARGS_NOT_RECORDED, Event

_NOT_COMPUTED: Final = object()


@dataclass(slots=True, eq=False)
class Call:
    """An event with the name and the arguments that are compared."""

    event: Event
    name: str
    args: Mapping[str, Any]
    has_args: bool
    """Whether the arguments can be compared; an empty object can."""
    _key: Any = _NOT_COMPUTED

    @property
    def key(self) -> Hashable | None:
        """A key that calls with equal arguments share, and no others; None if there is no such key."""
        if self._key is _NOT_COMPUTED:
            self._key = build_key(self.args) if self.has_args else None
        return self._key  # type: ignore[no-any-return]

    @property
    def is_bare(self) -> bool:
        """Whether the source did not record the arguments, as in a list of names."""
        return self.event.args_note == ARGS_NOT_RECORDED


def group_by_tool(expected: Sequence[Call], observed: Sequence[Call]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of the expected and the observed calls of each tool that both sides call."""
    observed_by_tool = _positions_by_tool(observed)
    for name, lefts in _positions_by_tool(expected).items():
        if name in observed_by_tool:
            yield lefts, observed_by_tool[name]


def find_calls_of_same_tool(expected: Sequence[Call], observed: Sequence[Call]) -> list[list[int]]:
    """Return for each expected call the positions of the observed calls of its tool."""
    observed_by_tool = _positions_by_tool(observed)
    return [observed_by_tool.get(call.name, []) for call in expected]


def _positions_by_tool(calls: Sequence[Call]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        positions.setdefault(call.name, []).append(at)
    return positions


def build_key(value: Any) -> Hashable | None:
    """Return a key by which equal values are found without comparing every pair; None if there is no such key."""
    try:
        return _build_key(value)
    except (_NoKeyError, RecursionError):
        return None


class _NoKeyError(Exception):
    pass


def _build_key(value: Any) -> Hashable:
    kind = type(value)
    if kind is str:
        return ("text", value)
    if kind is int:
        return ("number", value)
    if value is None or kind is bool:
        return ("constant", repr(value))
    if kind is dict or isinstance(value, Mapping):
        return ("object", frozenset([(_build_key(name), _build_key(item)) for name, item in value.items()]))
    if kind is list or kind is tuple:
        return (kind.__name__, tuple([_build_key(item) for item in value]))
    number = as_decimal(value) if is_number(value) else None
    if number is None or number.is_nan():
        raise _NoKeyError
    return ("number", number)


@dataclass(frozen=True, slots=True)
class CallMatcher:
    """Compares calls by the rules for their arguments.

    An expected call without arguments, such as a name alone, accepts any arguments. An observed call whose arguments are
    unknown is accepted only if nothing is demanded of them.
    """

    rules: str | Mapping[str, ToolRule]
    ignored_args: Sequence[str] = ()
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def prepare(self, event: Event, name: str) -> Call:
        """Build the call that is compared."""
        args = event.args
        has_args = event.args_note is None
        if has_args and name in self.defaults:
            args = {**self.defaults[name], **args}
        if has_args and self.ignored_args:
            args = {argument: value for argument, value in args.items() if argument not in self.ignored_args}
        return Call(event, name, args, has_args)

    def get_rule(self, tool: str) -> ToolRule:
        """Return the rule of a tool."""
        if isinstance(self.rules, str):
            return self.rules
        return self.rules.get(tool, self.rules.get(OTHERS, EQUAL))

    def accepts_any_args(self, expected: Call) -> bool:
        """Return whether an expected call accepts any arguments of its tool."""
        rule = self.get_rule(expected.name)
        return rule == IGNORE or expected.is_bare or (rule == CONTAINS and expected.has_args and not expected.args)

    def accepts(self, expected: Call, observed: Call) -> bool:
        """Return whether an expected call accepts an observed one."""
        if expected.name != observed.name:
            return False
        rule = self.get_rule(expected.name)
        has_args = expected.has_args and observed.has_args
        if rule == EQUAL and has_args:
            return equal(expected.args, observed.args)
        if self.accepts_any_args(expected):
            return True
        if not has_args:
            return False
        return all(result.kind is None for result in compare_arguments(rule, expected.args, observed.args))

    def score(self, expected: Call, observed: Call) -> float:
        """Return the mean score of the arguments that count."""
        if expected.name != observed.name:
            return 0.0
        if self.accepts_any_args(expected):
            return 1.0
        if not (expected.has_args and observed.has_args):
            return 0.0

        if self.get_rule(expected.name) == EQUAL:
            # Alignments score every pair under the default rule, so it is computed without a result for each argument.
            shared = [argument for argument in expected.args if argument in observed.args]
            count = len(expected.args) + len(observed.args) - len(shared)
            matches = sum(equal(expected.args[argument], observed.args[argument]) for argument in shared)
            return matches / count if count else 1.0

        results = self.compare_args(expected, observed)
        scores = [1.0 if result.kind is None else result.score for result in results]
        return sum(scores) / len(scores) if scores else 1.0

    def compare_args(self, expected: Call, observed: Call) -> list[ArgumentResult]:
        """Compare the arguments of two calls of one tool, one by one."""
        return list(compare_arguments(self.get_rule(expected.name), expected.args, observed.args))
