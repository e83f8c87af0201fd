"""What comparing two trajectories costs, beside agentevals and ADK, and whether the verdicts agree where the meaning does.

The last table is about long trajectories, which only this package is asked for.
"""

from __future__ import annotations

import copy
import json
import random
import time
import warnings
from collections.abc import Callable

from side_by_side import microseconds

from pytest_verdict import compare
from pytest_verdict.operators import NumericTolerance

warnings.simplefilter("ignore")

SIZES = (5, 50, 500)
TOOLS = 8


def calls(count: int) -> list[dict]:
    return [{"name": f"tool_{at % TOOLS}", "args": {"query": f"query {at}", "limit": at}} for at in range(count)]


def variants(expected: list[dict]) -> dict[str, list[dict]]:
    shuffled = expected[:]
    random.Random(1).shuffle(shuffled)
    wrong = [*expected[:-1], {"name": "tool_0", "args": {"query": "another", "limit": -1}}]
    return {"equal": expected[:], "shuffled": shuffled, "last one wrong": wrong, "one extra": [*expected, wrong[-1]]}


def as_messages(made: list[dict]) -> list[dict]:
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": str(at),
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
                }
            ],
        }
        for at, call in enumerate(made)
    ]


def adk(match_type: str, *, from_messages: bool = False) -> Callable[[list[dict], list[dict]], Callable[[], bool]]:
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match_type)
    evaluator = TrajectoryEvaluator(
        eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion)
    )

    def invocation(made: list[dict]) -> Invocation:
        uses = [types.FunctionCall(name=call["name"], args=call["args"]) for call in made]
        return Invocation(user_content=types.Content(parts=[]), intermediate_data=IntermediateData(tool_uses=uses))

    def read(messages: list[dict]) -> Invocation:
        functions = [call["function"] for message in messages for call in message["tool_calls"]]
        return invocation([{"name": one["name"], "args": json.loads(one["arguments"])} for one in functions])

    def prepared(expected: list[dict], observed: list[dict]) -> Callable[[], bool]:
        if from_messages:
            wanted, given = as_messages(expected), as_messages(observed)
            return lambda: evaluator.evaluate_invocations([read(given)], [read(wanted)]).overall_score == 1.0
        left, right = [invocation(expected)], [invocation(observed)]
        return lambda: evaluator.evaluate_invocations(right, left).overall_score == 1.0

    return prepared


def agentevals(mode: str) -> Callable[[list[dict], list[dict]], Callable[[], bool]]:
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)

    def prepared(expected: list[dict], observed: list[dict]) -> Callable[[], bool]:
        # It writes into the messages it is given, so it gets its own.
        left, right = copy.deepcopy(as_messages(expected)), copy.deepcopy(as_messages(observed))
        return lambda: bool(evaluator(outputs=right, reference_outputs=left)["score"])

    return prepared


def ours(operator: str, **settings: str) -> Callable[[list[dict], list[dict]], Callable[[], bool]]:
    def prepared(expected: list[dict], observed: list[dict]) -> Callable[[], bool]:
        left, right = as_messages(expected), as_messages(observed)
        return lambda: compare(operator, left, right, **settings).passed

    return prepared


def plain(operator: str, **settings: str) -> Callable[[list[dict], list[dict]], Callable[[], bool]]:
    return lambda expected, observed: lambda: compare(operator, expected, observed, **settings).passed


def groups() -> dict[str, dict[str, Callable]]:
    """Give what means the same: for each question the contestants, ours on the same messages first."""
    return {
        "same calls in the same places": {
            "trajectory_exact, messages": ours("trajectory_exact"),
            "trajectory_exact, plain": plain("trajectory_exact"),
            "ADK EXACT, messages (wanted: 1)": adk("EXACT", from_messages=True),
            "ADK EXACT": adk("EXACT"),
            "agentevals strict": agentevals("strict"),
        },
        "all expected calls, in order": {
            "trajectory_in_order, messages": ours("trajectory_in_order"),
            "trajectory_in_order, plain": plain("trajectory_in_order"),
            "ADK IN_ORDER": adk("IN_ORDER"),
        },
        "all expected calls, in any order": {
            "trajectory_any_order, messages": ours("trajectory_any_order"),
            "trajectory_any_order, plain": plain("trajectory_any_order"),
            "ADK ANY_ORDER": adk("ANY_ORDER"),
            "agentevals superset": agentevals("superset"),
        },
        "the same calls, in any order": {
            "trajectory_any_order(extras=forbid), messages": ours("trajectory_any_order", extras="forbid"),
            "agentevals unordered": agentevals("unordered"),
        },
    }


def side_by_side() -> None:
    for question, contestants in groups().items():
        names = list(contestants)
        print(f"\n{question}; first the time of one call, then the ratio of each to it\n")
        print(f"| calls | observed | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
        for size in SIZES:
            expected = calls(size)
            for variant, observed in variants(expected).items():
                prepared = {name: contestant(expected, observed) for name, contestant in contestants.items()}
                verdicts = {name: contestant() for name, contestant in prepared.items()}
                assert len(set(verdicts.values())) == 1, (question, size, variant, verdicts)
                times = microseconds(prepared, rounds=5, number=max(1, 100 // size))
                ratios = [f"{times[name] / times[names[0]]:.2f}" for name in names[1:]]
                print(f"| {size} | {variant} | {times[names[0]]:,.0f} us | {' | '.join(ratios)} |")


def long_trajectories() -> None:
    dice = random.Random(1)

    def seconds(label: str, expected: list[dict], observed: list[dict], **settings: object) -> None:
        start = time.perf_counter()
        passed = compare("trajectory_any_order", expected, observed, **settings).passed
        print(f"| {label} | {time.perf_counter() - start:.3f} s | {'pass' if passed else 'fail'} |")

    print("\n| trajectory_any_order, shuffled | time | verdict |\n|---|---|---|")
    expected = calls(10_000)
    observed = dice.sample(expected, len(expected))
    seconds("10,000 x 10,000, equality", expected, observed)
    expected = [{"name": "tool", "args": {"query": f"Query {at}", "limit": at}} for at in range(1_000)]
    looser = [{"name": "tool", "args": {"query": f" query {at}", "limit": at + 1}} for at in range(1_000)]
    dice.shuffle(looser)
    tolerance = NumericTolerance(tolerance=1, mode="absolute")
    seconds("1,000 x 1,000 of one tool, a tolerance", expected, looser, args={"*": {"limit": tolerance, "*": "ignore"}})
    seconds(
        "the same, a tolerance and normalized text",
        expected,
        looser,
        args={"*": {"limit": tolerance, "query": "normalized_exact"}},
    )
    more = [{"name": "tool", "args": {**call["args"], "trace": "x"}} for call in expected]
    dice.shuffle(more)
    seconds("the same, contains", expected, more, args="contains")
    seconds(
        "the same, all calls wrong",
        expected,
        [{"name": "tool", "args": {"limit": -9 - at}} for at in range(1_000)],
        args={"*": {"limit": tolerance}},
    )


if __name__ == "__main__":
    side_by_side()
    long_trajectories()
