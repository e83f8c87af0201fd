"""`Call`, an event as it is compared, and `CallMatcher`: whether an observed call matches an expected one, and how well.

Keys of values are equal exactly when the values are.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.equality import content_key, equal
from pytest_verdict.trajectories.argument_rules import (
    CONTAINS,
    EQUAL,
    IGNORE,
    OTHERS,
    ArgumentFinding,
    ToolRule,
    compare_arguments,
)
from pytest_verdict.trajectories.event import ARGS_NOT_RECORDED, Event

_NOT_ASKED: Final = object()


@dataclass(slots=True, eq=False)
class Call:
    """An event with the name and the arguments that are compared."""

    event: Event
    name: str
    args: Mapping[str, Any]
    known: bool
    """Whether the arguments can be compared."""
    _key: Any = _NOT_ASKED

    @property
    def key(self) -> Hashable | None:
        """A key that calls with equal arguments share, and no others."""
        if self._key is _NOT_ASKED:
            self._key = content_key(self.args) if self.known else None
        return self._key  # type: ignore[no-any-return]

    @property
    def unstated(self) -> bool:
        """Whether the source says nothing of the arguments."""
        return self.event.args_note == ARGS_NOT_RECORDED


def _by_tool(calls: Sequence[Call]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        found.setdefault(call.name, []).append(at)
    return found


def calls_of_each_tool(expected: Sequence[Call], observed: Sequence[Call]) -> Iterator[tuple[list[int], list[int]]]:
    """Give the positions of expected and observed calls of each tool that both sides call."""
    offered = _by_tool(observed)
    for name, lefts in _by_tool(expected).items():
        if name in offered:
            yield lefts, offered[name]


def calls_of_same_tool(expected: Sequence[Call], observed: Sequence[Call]) -> list[list[int]]:
    """List the positions of the observed calls of the tool of each expected call."""
    offered = _by_tool(observed)
    return [offered.get(call.name, []) for call in expected]


@dataclass(frozen=True, slots=True)
class CallMatcher:
    """Compares calls by the rules for their arguments.

    An expected call whose arguments are not stated, such as a name alone, accepts any arguments. An observed call whose
    arguments are unknown is accepted only where nothing is demanded of them.
    """

    rules: str | Mapping[str, ToolRule]
    ignored_args: Sequence[str] = ()
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def call(self, event: Event, name: str) -> Call:
        """Prepare an event for comparison."""
        args, known = event.args, event.args_note is None
        if known and name in self.defaults:
            args = {**self.defaults[name], **args}
        if known and self.ignored_args:
            args = {argument: value for argument, value in args.items() if argument not in self.ignored_args}
        return Call(event, name, args, known)

    def rule(self, tool: str) -> ToolRule:
        """Give the rule of a tool."""
        if isinstance(self.rules, str):
            return self.rules
        return self.rules.get(tool, self.rules.get(OTHERS, EQUAL))

    def demands_nothing(self, expected: Call) -> bool:
        """Say whether an expected call accepts any arguments of its tool."""
        rule = self.rule(expected.name)
        return rule == IGNORE or expected.unstated or (rule == CONTAINS and expected.known and not expected.args)

    def accepts(self, expected: Call, observed: Call) -> bool:
        """Say whether an expected call accepts an observed one."""
        if expected.name != observed.name:
            return False
        rule, known = self.rule(expected.name), expected.known and observed.known
        if rule == EQUAL and known:
            return equal(expected.args, observed.args)
        if self.demands_nothing(expected):
            return True
        return known and all(finding.kind is None for finding in compare_arguments(rule, expected.args, observed.args))

    def score(self, expected: Call, observed: Call) -> float:
        """Say how much of an expected call an observed one delivers: the mean over the arguments that count."""
        if expected.name != observed.name:
            return 0.0
        if self.demands_nothing(expected):
            return 1.0
        if not (expected.known and observed.known):
            return 0.0
        if self.rule(expected.name) == EQUAL:
            # The usual rule, without the detour over findings: alignments ask for every pair.
            both = [argument for argument in expected.args if argument in observed.args]
            count = len(expected.args) + len(observed.args) - len(both)
            matches = sum(equal(expected.args[argument], observed.args[argument]) for argument in both)
            return matches / count if count else 1.0
        return _mean(self.findings(expected, observed))

    def findings(self, expected: Call, observed: Call) -> list[ArgumentFinding]:
        """Compare the arguments of two calls of one tool, one by one."""
        return list(compare_arguments(self.rule(expected.name), expected.args, observed.args))


def _mean(findings: Sequence[ArgumentFinding]) -> float:
    scores = [1.0 if finding.kind is None else finding.score for finding in findings]
    return sum(scores) / len(scores) if scores else 1.0
