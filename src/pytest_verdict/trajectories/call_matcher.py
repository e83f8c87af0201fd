"""When an expected call accepts an observed one: rules for arguments, and `CallMatcher`, which applies them.

A rule is a mode or an operator, for all arguments of a tool together or for one; ``time.start`` is a part of an argument.
Under ``contains`` observed has every expected argument, and every key of an expected object, at any depth; ``within`` is its
mirror, and ``ignore`` accepts anything.
"""

import functools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BeforeValidator

from pytest_verdict.core.kernel import PartError, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import is_specification, operator_from_settings
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.equality import content_key, equal
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.trajectories.event import ARGS_NOT_RECORDED, Event

EQUAL: Final = "equal"
CONTAINS: Final = "contains"
WITHIN: Final = "within"
IGNORE: Final = "ignore"
MODES: Final = (EQUAL, CONTAINS, WITHIN, IGNORE)

OTHERS: Final = "*"
"""In a mapping of rules: every tool, or every argument, without a rule of its own."""

ArgumentRule = str | Operator
ToolRule = ArgumentRule | dict[str, ArgumentRule]

WHOLE: Final = ""
"""The name of the only part when an operator compares all arguments together."""

_ABSENT: Final = object()


def parse_rules(value: Any) -> str | dict[str, ToolRule]:
    if isinstance(value, str):
        if value not in MODES:
            raise ValueError(f"Unknown args mode: {value!r}.{allowed('mode', value, MODES)}")
        return value
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"takes {', '.join(MODES)} or rules by tool, got {value!r}")
    return {str(tool): _parse_tool_rule(tool, rule) for tool, rule in value.items()}


ArgumentRules = Annotated[str | dict[str, Any], BeforeValidator(parse_rules)]
"""The setting ``args`` of the trajectory operators."""


def _parse_tool_rule(tool: Any, rule: Any) -> ToolRule:
    if isinstance(rule, str | Operator | type) or is_specification(rule):
        return _parse_argument_rule(str(tool), rule)
    if not isinstance(rule, Mapping) or not rule:
        choices = f"{', '.join(MODES)}, an operator or rules by argument"
        raise ValueError(f"the rule of the tool {tool!r} is {choices}, got {rule!r}")
    return {str(argument): _parse_argument_rule(f"{tool}.{argument}", own) for argument, own in rule.items()}


def _parse_argument_rule(place: str, rule: Any) -> ArgumentRule:
    if isinstance(rule, str) and rule in MODES:
        return rule
    try:
        return operator_from_settings(rule)
    except ConfigurationError as error:
        message = f"the rule of {place} is a mode or an operator: {error}"
        if isinstance(rule, str):
            message += f" Modes:{allowed('mode', rule, MODES)}"
        raise ValueError(message) from None


class ArgumentResult(NamedTuple):
    """The comparison of one argument; `kind` is how it differs, or None."""

    argument: str
    score: float
    kind: str | None


def contains(part: Any, whole: Any) -> bool:
    """Return whether a value has at least the keys of another, at any depth."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        return all(key in whole and contains(item, whole[key]) for key, item in part.items())
    for kind in (list, tuple):
        if isinstance(part, kind) and isinstance(whole, kind):
            return len(part) == len(whole) and all(map(contains, part, whole))
    return equal(part, whole)


def get_argument_rule(rule: ToolRule, argument: str = OTHERS) -> ArgumentRule:
    """Return the rule of one argument, or of all arguments without a rule of their own."""
    if isinstance(rule, dict):
        return rule.get(argument, rule.get(OTHERS, EQUAL))
    return rule


def is_by_argument(rule: ToolRule) -> bool:
    """Return whether a rule compares each argument as a whole."""
    if isinstance(rule, dict):
        return not any("." in name for name in rule)
    return not isinstance(rule, Operator)


def split_arguments(rule: ToolRule, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Split arguments into the parts that the rule of a tool compares one by one."""
    if is_by_argument(rule):
        return args
    if isinstance(rule, dict):
        return dict(_iter_parts("", args.items(), rule))
    return {WHOLE: args}


def _iter_parts(
    prefix: str, items: Iterable[tuple[Any, Any]], rules: Mapping[str, ArgumentRule]
) -> Iterator[tuple[str, Any]]:
    for name, value in items:
        path = f"{prefix}{name}"
        is_divided = value and path not in rules and any(rule.startswith(f"{path}.") for rule in rules)
        if is_divided and isinstance(value, Mapping):
            yield from _iter_parts(f"{path}.", value.items(), rules)
        elif is_divided and isinstance(value, list):
            yield from _iter_parts(f"{path}.", enumerate(value), rules)
        else:
            yield path, value


def get_part_path(rule: ToolRule, part: str) -> str:
    """Return the JSONPath of a part below its call."""
    names = part.split(".")
    if is_by_argument(rule):
        names = [part]
    elif part == WHOLE:
        names = []
    path = ".args"
    for name in names:
        path = step(path, int(name) if name.isdecimal() else name)
    return path


@dataclass(eq=False)
class Call:
    event: Event
    name: str
    args: Mapping[str, Any]
    has_args: bool
    """Whether the arguments can be compared; an empty object can."""

    @functools.cached_property
    def key(self) -> Hashable | None:
        """A key that calls with equal arguments share, and no others; None if there is no such key."""
        return content_key(self.args) if self.has_args else None

    @property
    def is_bare(self) -> bool:
        """Whether the source did not record the arguments, as in a list of names."""
        return self.event.args_note == ARGS_NOT_RECORDED


@dataclass(frozen=True, slots=True)
class CallMatcher:
    """Compares calls by the rules for their arguments; unknown ones are accepted only if nothing is demanded of them."""

    rules: str | Mapping[str, ToolRule]
    ignored_args: Sequence[str] = ()
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def prepare(self, event: Event, name: str) -> Call:
        args = event.args
        has_args = event.args_note is None
        if has_args and name in self.defaults:
            args = {**self.defaults[name], **args}
        if has_args and self.ignored_args:
            args = {argument: value for argument, value in args.items() if argument not in self.ignored_args}
        return Call(event, name, args, has_args)

    def get_rule(self, tool: str) -> ToolRule:
        if isinstance(self.rules, str):
            return self.rules
        return self.rules.get(tool, self.rules.get(OTHERS, EQUAL))

    def accepts_any_args(self, expected: Call) -> bool:
        rule = self.get_rule(expected.name)
        return rule == IGNORE or expected.is_bare or (rule == CONTAINS and expected.has_args and not expected.args)

    def accepts(self, expected: Call, observed: Call) -> bool:
        if expected.name != observed.name:
            return False
        has_args = expected.has_args and observed.has_args
        if has_args and self.get_rule(expected.name) == EQUAL:
            return equal(expected.args, observed.args)
        if self.accepts_any_args(expected):
            return True
        return has_args and all(result.kind is None for result in self.compare_args(expected, observed))

    def score(self, expected: Call, observed: Call) -> float:
        """Return the mean score of the arguments that count."""
        if expected.name != observed.name:
            return 0.0
        if self.accepts_any_args(expected):
            return 1.0
        if not (expected.has_args and observed.has_args):
            return 0.0
        scores = [1.0 if result.kind is None else result.score for result in self.compare_args(expected, observed)]
        return sum(scores) / len(scores) if scores else 1.0

    def compare_args(self, expected: Call, observed: Call) -> Iterator[ArgumentResult]:
        rule = self.get_rule(expected.name)
        expected_args = split_arguments(rule, expected.args)
        observed_args = split_arguments(rule, observed.args)
        for argument in dict.fromkeys((*expected_args, *observed_args)):
            expected_value = expected_args.get(argument, _ABSENT)
            observed_value = observed_args.get(argument, _ABSENT)
            own = get_argument_rule(rule, argument)
            if isinstance(own, Operator):
                if expected_value is _ABSENT and own.effective_expected(_ABSENT) is not _ABSENT:
                    # The operator has its own expected value.
                    expected_value = None
                if expected_value is not _ABSENT and observed_value is not _ABSENT:
                    result = run(own, expected_value, observed_value)
                    if result.error is not None:
                        raise PartError(result.error)
                    yield ArgumentResult(argument, result.score, None if result.passed else "changed")
                    continue
                # An operator cannot compare an absent value, so the rule for all others decides.
                own = get_argument_rule(rule)

            if expected_value is _ABSENT:
                if own not in (IGNORE, CONTAINS):
                    yield ArgumentResult(argument, 0.0, "unexpected")
            elif observed_value is _ABSENT:
                if own not in (IGNORE, WITHIN):
                    yield ArgumentResult(argument, 0.0, "missing")
            elif own != IGNORE:
                is_accepted = _accepts(own, expected_value, observed_value)
                yield ArgumentResult(argument, float(is_accepted), None if is_accepted else "changed")


def _accepts(mode: ArgumentRule, expected: Any, observed: Any) -> bool:
    if mode == CONTAINS:
        return contains(expected, observed)
    if mode == WITHIN:
        return contains(observed, expected)
    return equal(expected, observed)
