"""Suites and adapters for tests."""

import json

import yaml

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.scorer import find_scorer
from pytest_verdict.suites.suite_model import ScorerEntry

REPORT = "--verify-report"
RECORDED = ("--verify-adapter", "recorded:outputs.jsonl", REPORT)


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def outputs(**by_name):
    return jsonl(*({"name": name, "output": output} for name, output in by_name.items()))


def suite(*scenarios, **head):
    return yaml.safe_dump({"suite": {"name": "s", **head, "scenarios": list(scenarios)}}, sort_keys=False)


ADAPTERS = """
import asyncio, time
from pytest_verdict.suites.agent_result import AgentResult, ToolCall

class Echo:
    def run(self, input, context=None):
        return AgentResult(input, tool_calls=[ToolCall("search", {"q": "x", "limit": 5}), ToolCall("book")])

class Later:
    async def run(self, input, context):
        await asyncio.sleep(0)
        return f"{input} {context['scenario']}"

def shout(text):
    return text.upper()

def broken(text):
    raise RuntimeError("kaput")

def number(text):
    return 42

def no_text(text):
    return AgentResult(None)

def slow(text):
    time.sleep(60)

async def slow_later(text):
    await asyncio.sleep(60)

class KeepsItsLoop:
    loop = None
    async def run(self, input, context):
        running = asyncio.get_running_loop()
        KeepsItsLoop.loop = KeepsItsLoop.loop or running
        return str(KeepsItsLoop.loop is running)

async def blocks(text):
    time.sleep(2)

class Flaky:
    calls = 0
    def run(self, input, context):
        Flaky.calls += 1
        if context["attempt"] < 3:
            raise ConnectionError("again")
        return "done"

class Dice:
    def run(self, input, context):
        return "a" if context["repeat"] in context["metadata"]["good"] else "b"

class Theirs:
    def run(self, input, context=None):
        class Result:
            output = "theirs"
        return Result()

def meddles(text, context):
    context["metadata"]["regex_pattern"] = "."
    return text

def quits(text):
    raise SystemExit(3)
"""


def reads_output(scorer):
    """Whether a scorer compares with expected_output; a scenario that has it for nothing is warned of."""
    entry = scorer if isinstance(scorer, str) else ScorerEntry.model_validate(scorer)
    try:
        return "expected_output" in find_scorer(entry, ()).reads
    except ConfigurationError:
        return True


def run_with(harness, adapter, *args, **scenario):
    given = {"name": "x", "input": "i", "expected_output": "i", "scorer": "exact", **scenario}
    given = {key: value for key, value in given.items() if value is not None}
    if "expected_output" not in scenario and "scorer" in given and not reads_output(given["scorer"]):
        del given["expected_output"]
    files = {"conftest.py": "", "my_adapters.py": ADAPTERS, "a.verdict.yaml": suite(given, adapter=adapter)}
    return harness.run(files, REPORT, *args)
