"""What is known of one run of a scenario, as JSON values that operators and mappings read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pytest_verdict.suites.agent_result import AgentResult, ToolCall
from pytest_verdict.suites.model import Scenario


def called_tools(result: AgentResult) -> list[Any]:
    """Give the calls of tools."""
    return [asdict(call) if isinstance(call, ToolCall) else call for call in result.tool_calls]


def name_of_call(call: Any) -> Any:
    """Give the name of a call."""
    if isinstance(call, str):
        return call
    return call.get("name") if isinstance(call, Mapping) else getattr(call, "name", None)


def expected_calls(scenario: Scenario) -> list[Any]:
    """Give the expected calls as trajectory operators read them."""
    arguments = scenario.expected_tool_args
    return [{"name": tool, "args": arguments[tool]} if tool in arguments else tool for tool in scenario.expected_tools]


def document_of(scenario: Scenario, result: AgentResult) -> dict[str, Any]:
    """Give the document that the mapping of a scorer reads."""
    return {
        "input": scenario.input,
        "output": result.output,
        "reference": scenario.expected_output,
        "metadata": scenario.metadata,
        "expected_tools": scenario.expected_tools,
        "expected_tool_args": scenario.expected_tool_args,
        "tool_calls": called_tools(result),
        "latency_ms": result.latency_ms,
        "token_usage": result.token_usage,
        "raw_response": result.raw_response,
    }
