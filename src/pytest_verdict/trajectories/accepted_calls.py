"""The observed calls that each expected call accepts, found without comparing each with each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from pytest_verdict.core.operator import Operator
from pytest_verdict.trajectories.argument_index import ArgumentIndex
from pytest_verdict.trajectories.argument_rules import CONTAINS, EQUAL, IGNORE, OTHERS, WITHIN, rule_of_argument
from pytest_verdict.trajectories.call import Call, calls_of_each_tool
from pytest_verdict.trajectories.call_matcher import CallMatcher


def accepted_calls(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[list[int]]:
    """List the positions of the observed calls that each expected call accepts; equal expected calls share one list."""
    found: list[list[int]] = [[] for _ in expected]
    for lefts, rights in calls_of_each_tool(expected, observed):
        accepted = _of_one_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        distinct = {id(choices): choices for choices in accepted}
        positions = {key: [rights[at] for at in choices] for key, choices in distinct.items()}
        for left, choices in zip(lefts, accepted, strict=True):
            found[left] = positions[id(choices)]
    return found


def _of_one_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    if matcher.rule(expected[0].name) == WITHIN and all(call.known for call in (*expected, *observed)):
        return _within(expected, observed, matcher)
    index = ArgumentIndex(observed)
    known: dict[Hashable, list[int]] = {}
    found = []
    for call in expected:
        key = (call.key, call.unstated) if call.key is not None or call.unstated else object()
        if key not in known:
            known[key] = _accepted_by(call, observed, index, matcher)
        found.append(known[key])
    return found


def _within(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    # What observed has must be in expected, so here the observed calls look for their expected ones.
    index = ArgumentIndex(expected)
    found: list[list[int]] = [[] for _ in expected]
    for at, offer in enumerate(observed):
        values = (index.with_value(argument, value) for argument, value in offer.args.items())
        for left in _shortest(len(expected), values):
            if matcher.accepts(expected[left], offer):
                found[left].append(at)
    return found


def _accepted_by(call: Call, observed: list[Call], index: ArgumentIndex, matcher: CallMatcher) -> list[int]:
    verdicts: dict[Hashable, bool] = {}
    accepted = []
    for at in _likely(call, len(observed), index, matcher):
        offer = observed[at]
        verdict = verdicts.get(offer.key) if offer.key is not None else None
        if verdict is None:
            verdict = matcher.accepts(call, offer)
            if offer.key is not None:
                verdicts[offer.key] = verdict
        if verdict:
            accepted.append(at)
    return accepted


def _likely(call: Call, size: int, index: ArgumentIndex, matcher: CallMatcher) -> Sequence[int]:
    if not call.known or matcher.demands_nothing(call):
        return range(size)
    return sorted(_shortest(size, _shortcuts(call, index, matcher)))


def _shortest(size: int, shortcuts: Iterator[list[int] | None]) -> Sequence[int]:
    likely: Sequence[int] = range(size)
    for choices in shortcuts:
        if choices is not None and len(choices) < len(likely):
            likely = choices
    return likely


def _shortcuts(call: Call, index: ArgumentIndex, matcher: CallMatcher) -> Iterator[list[int] | None]:
    rule = matcher.rule(call.name)
    may_be_absent = rule_of_argument(rule, OTHERS) in (WITHIN, IGNORE)
    for argument, value in call.args.items():
        own = rule_of_argument(rule, argument)
        if own in (EQUAL, CONTAINS):
            yield index.with_value(argument, value)
        elif isinstance(own, Operator):
            choices = index.near(argument, value, own)
            yield [*choices, *index.without(argument)] if choices is not None and may_be_absent else choices
