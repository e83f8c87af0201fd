"""Argument rules: when an expected call accepts the arguments of an observed one.

A rule is a mode or any operator, for all arguments of a tool together or for one; ``time.start`` is a part of an argument. What a
mode demands is always said from the expected side:

- ``equal``: the same arguments with equal values;
- ``contains``: every expected argument is there; inside it, every expected key of an object, at any depth;
- ``within``: nothing is there that expected does not have; the mirror of ``contains``;
- ``ignore``: anything.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from pytest_verdict.core.kernel import PartError, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import is_specification, operator_from_settings
from pytest_verdict.core.values.differences import step
from pytest_verdict.core.values.equality import equal
from pytest_verdict.errors import ConfigurationError, allowed

EQUAL: Final = "equal"
CONTAINS: Final = "contains"
WITHIN: Final = "within"
IGNORE: Final = "ignore"
MODES: Final = (EQUAL, CONTAINS, WITHIN, IGNORE)

OTHERS: Final = "*"
"""In a mapping of rules: every tool, or every argument, that has no rule of its own."""

ArgumentRule = str | Operator
ToolRule = ArgumentRule | dict[str, ArgumentRule]

WHOLE: Final = ""
"""The name of what an operator compares that is the rule of all arguments together."""

_ABSENT: Final = object()


def read_rules(value: Any) -> str | dict[str, ToolRule]:
    """Read the setting ``args``."""
    if isinstance(value, str):
        return _mode(value)
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"takes {', '.join(MODES)} or rules by tool, got {value!r}")
    return {str(tool): _tool_rule(tool, rule) for tool, rule in value.items()}


ArgumentRules = Annotated[str | dict[str, Any], BeforeValidator(read_rules)]
"""The setting ``args`` of the trajectory operators."""


def _tool_rule(tool: Any, rule: Any) -> ToolRule:
    if isinstance(rule, str) and rule in MODES:
        return rule
    if isinstance(rule, str | Operator | type) or is_specification(rule):
        return _argument_rule(str(tool), rule)
    if not isinstance(rule, Mapping) or not rule:
        wanted = f"{', '.join(MODES)}, an operator or rules by argument"
        raise ValueError(f"the rule of the tool {tool!r} is {wanted}, got {rule!r}")
    return {str(argument): _argument_rule(f"{tool}.{argument}", own) for argument, own in rule.items()}


def _argument_rule(place: str, rule: Any) -> ArgumentRule:
    if isinstance(rule, str) and rule in MODES:
        return rule
    try:
        return operator_from_settings(rule)
    except ConfigurationError as error:
        hint = allowed("mode", rule, MODES) if isinstance(rule, str) else ""
        raise ValueError(f"the rule of {place} is a mode or an operator: {error}{hint and ' Modes:' + hint}") from None


def _mode(mode: str) -> str:
    if mode not in MODES:
        raise ValueError(f"Unknown args mode: {mode!r}.{allowed('mode', mode, MODES)}")
    return mode


@dataclass(frozen=True, slots=True)
class ArgumentFinding:
    """What came out for one argument."""

    argument: str
    score: float
    kind: str | None


def compare_arguments(
    rule: ToolRule, expected: Mapping[str, Any], observed: Mapping[str, Any]
) -> Iterator[ArgumentFinding]:
    """Compare the arguments of two calls of one tool."""
    expected, observed = parts_of(rule, expected), parts_of(rule, observed)
    for argument in (*expected, *(argument for argument in observed if argument not in expected)):
        own = rule_of_argument(rule, argument)
        finding = _compare_one(own, rule, argument, expected.get(argument, _ABSENT), observed.get(argument, _ABSENT))
        if finding is not None:
            yield finding


def rule_of_argument(rule: ToolRule, argument: str = OTHERS) -> ArgumentRule:
    """Give the rule of one argument, or of those that have none of their own."""
    return rule.get(argument, rule.get(OTHERS, EQUAL)) if isinstance(rule, dict) else rule


def is_by_argument(rule: ToolRule) -> bool:
    """Say whether every argument is compared by itself, and as it stands."""
    return not isinstance(rule, Operator) and (isinstance(rule, str) or not any("." in name for name in rule))


def parts_of(rule: ToolRule, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what the rule of a tool compares one by one."""
    if is_by_argument(rule):
        return args
    return dict(_parts("", args.items(), rule)) if isinstance(rule, dict) else {WHOLE: args}


def path_of(rule: ToolRule, part: str) -> str:
    """Give the JSONPath of a part below its call."""
    names = [part] if is_by_argument(rule) else part.split(".") if part else []
    return functools.reduce(lambda path, name: step(path, int(name) if name.isdecimal() else name), names, ".args")


def _parts(
    prefix: str, items: Iterable[tuple[Any, Any]], rules: Mapping[str, ArgumentRule]
) -> Iterator[tuple[str, Any]]:
    for name, value in items:
        path = f"{prefix}{name}"
        inside = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
        if value and path not in rules and any(own.startswith(f"{path}.") for own in rules):
            yield from _parts(f"{path}.", inside, rules) if inside else [(path, value)]
        else:
            yield path, value


def _compare_one(
    own: ArgumentRule, rule: ToolRule, argument: str, expected: Any, observed: Any
) -> ArgumentFinding | None:
    if isinstance(own, Operator):
        if expected is not _ABSENT and observed is not _ABSENT:
            return _compare_by_operator(own, argument, expected, observed)
        if expected is _ABSENT and own.effective_expected(_ABSENT) is not _ABSENT:
            return _compare_by_operator(own, argument, None, observed)
        # An operator says nothing of absence; there the rule for all others holds.
        own = rule_of_argument(rule)
    if own == IGNORE:
        return None
    if expected is _ABSENT:
        return None if own == CONTAINS else ArgumentFinding(argument, 0.0, "unexpected")
    if observed is _ABSENT:
        return None if own == WITHIN else ArgumentFinding(argument, 0.0, "missing")
    accepted = _ACCEPTS[own](expected, observed)
    return ArgumentFinding(argument, 1.0 if accepted else 0.0, None if accepted else "changed")


def _compare_by_operator(operator: Operator, argument: str, expected: Any, observed: Any) -> ArgumentFinding:
    made = run(operator, expected, observed)
    if made.error is not None:
        raise PartError(made.error)
    return ArgumentFinding(argument, made.score, None if made.passed else "changed")


def contains(part: Any, whole: Any) -> bool:
    """Say whether a value has at least the keys of another, at any depth."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        return all(key in whole and contains(item, whole[key]) for key, item in part.items())
    for kind in (list, tuple):
        if isinstance(part, kind) and isinstance(whole, kind):
            return len(part) == len(whole) and all(map(contains, part, whole))
    return equal(part, whole)


_ACCEPTS: Final[Mapping[Any, Callable[[Any, Any], bool]]] = {
    EQUAL: equal,
    CONTAINS: contains,
    WITHIN: lambda expected, observed: contains(observed, expected),
}
