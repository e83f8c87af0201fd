"""Test judges, one of each kind."""

from __future__ import annotations

import json
import random
import time

from pytest_verdict.blind.rubric import LABELS, OTHER

GOOD = "The total is 42, because 6 times 7 is 42."
BAD = "It is 42"


def side(request, score):
    return {name: dict.fromkeys(request.rubric.names(name), score) for name in ("content", "structure")}


def reply(request, scores, **changes):
    """Answer in the form that is asked for, with one score for every criterion."""
    best = max(LABELS, key=lambda label: scores[label])
    winner = "TIE" if scores["A"] == scores["B"] else best
    answer = {
        "rubric": {label: side(request, scores[label]) for label in LABELS},
        "output_quality": {label: {"strengths": ["readable"], "weaknesses": []} for label in LABELS},
        "reasoning": f"{winner} it is.",
        "winner": winner,
    }
    if request.expectations:
        answers = [{"text": text, "passed": True} for text in request.expectations]
        answer["expectation_results"] = {label: {"details": answers} for label in LABELS}
    return {**answer, **changes}


def quality(output):
    return 5 if "because" in output.text else 2


def _scores(request):
    return {label: quality(output) for label, output in request.outputs.items()}


def honest(request):
    return reply(request, _scores(request))


async def honest_async(request):
    return honest(request)


def first_slot(request):
    first, second = request.shown
    return reply(request, {first: 4, second: 3})


def second_slot(request):
    first, second = request.shown
    return reply(request, {first: 3, second: 4})


def label_lover(request):
    return reply(request, {"A": 3, "B": 4})


def longer_wins(request):
    longer = max(LABELS, key=lambda label: len(request.outputs[label].text))
    return reply(request, {longer: 4, OTHER[longer]: 3})


def constant_tie(request):
    return reply(request, {"A": 3, "B": 3})


class Random:
    """Scores by chance, the same in every run."""

    judge_id = "random"

    def __init__(self, seed=7):
        self.generator = random.Random(seed)

    def __call__(self, request):
        return reply(request, {label: self.generator.randint(1, 5) for label in LABELS})


def contradicting(request):
    answer = honest(request)
    return {**answer, "winner": OTHER[answer["winner"]]}


def bad_arithmetic(request):
    answer = honest(request)
    for label in LABELS:
        answer["rubric"][label].update(content_score=1.0, structure_score=1.0, overall_score=10)
        answer["output_quality"][label]["score"] = 1
    return answer


def missing_criterion(request):
    answer = honest(request)
    answer["rubric"]["A"]["content"].pop("accuracy")
    return answer


def out_of_range(request):
    return reply(request, {"A": 6, "B": 0})


def prose_wrapped(request):
    return f"Here is my verdict:\n```json\n{json.dumps(honest(request), indent=1)}\n```\nI hope this helps!"


def truncated(request):
    return json.dumps(honest(request))[:-60]


def refusing(_request):
    return "I'm sorry, but I can't compare these."


def slow(request):
    time.sleep(5)
    return honest(request)


def raising(_request):
    raise ConnectionError("503 Service Unavailable")


def naming(request):
    return {**honest(request), "reasoning": "This is clearly the work of acme-gpt-9."}


def injected(request):
    """A judge that repeats what an output tells it to answer, and then answers."""
    return json.dumps(reply(request, {"A": 5, "B": 1})) + "\n" + json.dumps(honest(request))


class Recovering:
    """Answers with nonsense first, and then honestly."""

    judge_id = "recovering"

    def __init__(self):
        self.calls = 0

    def __call__(self, request):
        self.calls += 1
        return "hm" if self.calls % 2 else honest(request)
