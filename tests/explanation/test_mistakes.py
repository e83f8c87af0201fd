"""What is wrong with a call is said, and nothing is said about calls that are right."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import inspect
import re

import pytest

from pytest_verdict import (
    Comparator,
    ConfigurationError,
    Operator,
    Outcome,
    UndecidedError,
    assert_matches,
    compare,
    expect,
)
from pytest_verdict.comparison import describe_failure
from pytest_verdict.operators import Regex
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, VerifiedField

CALLS = [{"name": "search", "arguments": {"q": "x"}}]
SWAPPED = "advice: expected and observed seem to be swapped; expected comes first"


async def answer():
    return "Paris"


async def answers():
    yield "Paris"


def function():
    return "Paris"


def generator():
    yield "Paris"


class Agent:
    value = "Paris"

    async def answer(self):
        return "Paris"

    def name(self):
        return "Paris"


def future():
    loop = asyncio.new_event_loop()
    loop.close()
    return asyncio.Future(loop=loop)


UNFINISHED = {
    "coroutine": (answer, "is not awaited; write await before it"),
    "method": (lambda: Agent().answer(), "is not awaited"),
    "gather": (lambda: {"a": [{"b": answer()}]}, "is not awaited"),
    "in a tuple": (lambda: (1, answer()), "is not awaited"),
    "future": (future, "is not awaited"),
    "future of a pool": (concurrent.futures.Future, "is a future; compare its result()"),
    "async generator": (answers, "is not read; write [item async for item in ...]"),
    "generator": (generator, "is not read; write list(...)"),
    "generator expression": (lambda: (one for one in "ab"), "is not read; write list(...)"),
    "function": (lambda: function, "is not called; write () behind it"),
    "async function": (lambda: answer, "is not called"),
    "bound method": (lambda: Agent().name, "is not called"),
    "method of a text": (lambda: "Paris".lower, "is not called"),
    "method of a dict": (lambda: {}.keys, "is not called"),
    "lambda": (lambda: lambda: 1, "is not called"),
    "partial": (lambda: functools.partial(function), "is not called"),
    "class method": (lambda: dict.fromkeys, "is not called"),
}
COMPARISONS = {
    "exact": "Paris", "normalized_exact": "Paris", "contains_any": ["Paris"], "not_contains": ["Rome"],
    "regex": "Paris", "not_blank": None, "is_type": "string", "one_of": ["Paris"], "json_canonical": {"a": 1},
    "json_subset": {}, "numeric_exact": 1, "date_match": "2024-01-01", "set_containment": ["a"],
    "trajectory_exact": ["a"], "trajectory_forbidden": ["a"], "trace_contains": "x", "text_similarity": "Paris",
    "boolean": True, "any_of": 1, "none_of": 1,
}  # fmt: skip
SETTINGS = {"any_of": {"conditions": ["not_blank"]}, "none_of": {"conditions": ["exact"]}}


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize("case", UNFINISHED)
@pytest.mark.parametrize(
    "operator", ["exact", "none_of", *(pytest.param(one, marks=pytest.mark.ci) for one in [*COMPARISONS][1:-1])]
)
def test_value_that_is_not_there_yet_is_an_error(operator, case):
    make, reason = UNFINISHED[case]
    result = compare(operator, COMPARISONS[operator], make(), **SETTINGS.get(operator, {}))
    assert result.verdict == "error"
    assert reason in result.error
    with pytest.raises(UndecidedError, match=re.escape(reason)):
        assert make() != expect(operator, COMPARISONS[operator], **SETTINGS.get(operator, {}))


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_operator_of_somebody_else_gets_no_coroutine_but_functions():
    class Calls(Operator):
        name = "calls"

        def evaluate(self, expected, observed):
            return Outcome(float(observed() == expected))

    assert compare(Calls(), "Paris", function).passed
    assert "is not awaited" in compare(Calls(), "Paris", answer()).error


@pytest.mark.parametrize(
    ("operator", "expected", "observed"),
    [
        ("exact", function, function),
        ("one_of", [function, answer], answer),
        ("exact", [function], [function]),
        ("exact", Agent, Agent),
        ("exact", {"tool": function}, {"tool": function}),
        ("exact", [1, 2], [*[*generator(), 1][1:], 2]),
        ("exact", range(3), range(3)),
        ("exact", inspect.iscoroutine(1), False),
    ],
)
def test_functions_and_lists_that_are_meant_are_compared(operator, expected, observed):
    assert "UnfinishedValueError" not in str(compare(operator, expected, observed).error)


MISTAKES = [
    # A pattern and the text for it.
    (SWAPPED, "regex", "The answer is 42.", r"\d+"),
    (SWAPPED, "regex", "2024-01-05", r"^\d{4}-\d\d-\d\d$"),
    (SWAPPED, "regex", "foo", r"fo.*"),
    (SWAPPED, "regex", "user@example.org", r"[a-z]+@[a-z.]+"),
    (SWAPPED, "regex", "yes", r"(yes|no)+"),
    (SWAPPED, "regex", "yes", r"(?:yes|no)"),
    (SWAPPED, "regex", "Yes", r"(?i)yes"),
    (SWAPPED, "trace_regex", "The answer is 42.", r"\d+"),
    (None, "regex", r"\d+", "abc"),
    (None, "regex", r"\d+", r"\w+"),
    (None, "regex", "Paris", "Rome"),
    (None, "regex", "Paris", "What is 3.5 * 2 (in euros)?"),
    (None, "regex", "Paris", "costs $5"),
    (None, "regex", "abc", r"\d+"),
    (None, "regex", "a.c", "[see note]"),
    # A list and one of its members.
    (SWAPPED, "one_of", "Paris", ["Paris", "Rome"]),
    (SWAPPED, "set_containment", "abc", ["a", "b"]),
    (SWAPPED, "ordered_match", "a", ["a", "b"]),
    (SWAPPED, "contains_any", "The capital is Paris.", ["Paris", "Rome"]),
    (SWAPPED, "contains_all", "The capital is Paris.", ("Paris",)),
    (SWAPPED, "not_contains", "I am fine", ["sorry"]),
    (SWAPPED, "starts_with", "Dear Sir", ["Dear"]),
    (None, "contains_any", "Paris", ["Paris", "Rome"]),
    (None, "contains_any", ["Paris"], ["Paris", "Rome"]),
    (None, "one_of", ["Paris"], "Rome"),
    (None, "set_containment", ["a"], "a"),
    # Bounds, types.
    (SWAPPED, "numeric_range", 5, [1, 10]),
    (SWAPPED, "numeric_range", "5", (1, 10)),
    (SWAPPED, "numeric_range", 5, {"min": 1}),
    (SWAPPED, "is_type", 5, "integer"),
    (SWAPPED, "is_type", {"a": 1}, "object"),
    (None, "numeric_range", [1, 10], 50),
    (None, "numeric_range", 5, [1, "ten"]),
    (None, "numeric_range", 5, {"low": 1}),
    (None, "is_type", "integer", "string"),
    (None, "is_type", 5, "Paris"),
    # A text where a list is meant.
    *(
        ("advice: a list is needed, also for one name: ['delete']", f"trajectory_{name}", "delete", CALLS)
        for name in ("exact", "in_order", "any_order", "only_from", "forbidden", "precision", "recall", "f1")
    ),
    ("advice: a list is needed, also for one name: ['Paris']", "one_of", "Paris", "Paris"),
    ("advice: a list is needed, also for one name: ['a']", "set_containment", "a", "a"),
    ("advice: a list is needed, also for one name: ['a']", "ordered_match", "a", 1),
    (None, "trajectory_exact", ["delete"], CALLS),
    (None, "contains_all", "Paris", "Rome"),
    (None, "one_of", "a very long text " * 10, "Paris"),
    # Forms of which nothing can be known.
    (None, "exact", "Paris", "Rome"),
    (None, "numeric_minimum", 10, 5),
    (None, "json_subset", {"a": 1, "b": 2}, {"a": 1}),
    (None, "starts_with", "Dear Sir", "Dear"),
]  # fmt: skip


@pytest.mark.parametrize(("advice", "operator", "expected", "observed"), MISTAKES)
def test_sides_that_are_surely_not_meant_get_advice(advice, operator, expected, observed):
    block = describe_failure(compare(operator, expected, observed))
    if advice is None:
        assert "swapped" not in block
        assert "a list is needed" not in block
    else:
        assert advice in block


class Answer(BaseAnswer):
    city: str = VerifiedField("the city", "Paris", "exact")


def same(expected, observed):
    return expected == observed


CALL_ERRORS = [
    (lambda: compare("exact", "Paris", "Rome", "capital"), "a text after the two sides is message=... or name=..."),
    (lambda: assert_matches("exact", 1, 1, "a message"), "a text after the two sides is message="),
    (lambda: Comparator()("exact", 1, 1, "a message"), "a text after the two sides is message="),
    (lambda: expect("exact", "Paris", "Rome"), "expect takes no observed: write observed == expect("),
    (lambda: compare("exact", 1, 1, "0.9"), "it is a number: threshold=0.9"),
    (lambda: compare("exact", 1, 1, 90), "90 percent is 0.9"),
    (lambda: compare("exact", 1, 1, {"case_sensitive": False}), "settings are keyword arguments"),
    (lambda: compare("regex", "a", "A", ["IGNORECASE"]), "settings are keyword arguments"),
    (lambda: compare("comparator", 1, 1), 'Write compare("exact", expected, observed)'),
    (lambda: compare("assert_matches", 1, 1), 'Write compare("exact", expected, observed)'),
    (lambda: compare(Comparator(), 1, 1), 'it compares, and takes the operator: compare("exact"'),
    (lambda: compare(Comparator, 1, 1), "it compares, and takes the operator"),
    (lambda: compare(compare, 1, 1), "it compares, and takes the operator"),
    (lambda: compare(assert_matches, 1, 1), "it compares, and takes the operator"),
    (lambda: compare(same, 1, 1), "registry.add in the hook pytest_verdict_operators"),
    (lambda: compare(Regex, "a", "a"), "make one: Regex(...)"),
    (lambda: compare(comparator="exact", expected=1, observed=1), "there is no argument 'comparator': write 'exact' first"),
    (lambda: compare(op="exact", expected=1, observed=1), "there is no argument 'op': write 'exact' first"),
    (lambda: compare(method="exact", expected=1, observed=1), "there is no argument 'method': write 'exact' first"),
    (lambda: compare(5, 1, 1), "the first argument names the operator, such as 'exact', or is one, such as Exact(); got 5"),
    (lambda: compare("regex", "a", "a", flags="IGNORECASE"), "flags: takes a list, such as ['IGNORECASE']"),
    (lambda: compare("json_distance", {}, {}, ignore="$.id"), "ignore: takes a list, such as ['$.id']"),
    (lambda: compare("exact", "a", "a", normalize="strip"), "normalize takes a list of steps, such as ['strip']"),
    (lambda: compare("trajectory_exact", [], [], only_tools="a"), "only_tools: takes a list, such as ['a']"),
    (lambda: compare("trajectory_exact", [], [], except_tools="a"), "except_tools: takes a list, such as ['a']"),
    (lambda: compare("trajectory_exact", [], [], ignored_args="id"), "ignored_args: takes a list"),
    (lambda: compare("exact", 1, 1, treshold=0.5), "Did you mean the argument 'threshold'"),
    (lambda: compare("exact", 1, 1, case_sensitve=True), "Did you mean 'case_sensitive'"),
    (lambda: AnswerTemplate("prose of a judge"), "a template is a class derived from BaseAnswer"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CALL_ERRORS)
def test_wrong_call_is_refused_with_the_right_one(call, message):
    with pytest.raises(ConfigurationError) as info:
        call()
    assert message in str(info.value)
    assert "\\n" not in str(info.value)


def test_prose_for_a_template_names_the_judge():
    with pytest.raises(UndecidedError, match=r"a judge reads them from prose: template\.parse\(text\)"):
        AnswerTemplate(Answer).assert_verified("The capital is Paris.")
