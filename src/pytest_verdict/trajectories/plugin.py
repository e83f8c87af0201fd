"""What trajectories bring: their operators, and a reader for each wire format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.trajectories."
_READERS: Final = f"{_HERE}readers."


@hookimpl
def operators() -> Mapping[str, str]:
    """Name the operators."""
    return {
        "trajectory_any_order": f"{_HERE}order:TrajectoryAnyOrder",
        "trajectory_exact": f"{_HERE}order:TrajectoryExact",
        "trajectory_f1": f"{_HERE}scores:TrajectoryF1",
        "trajectory_forbidden": f"{_HERE}limits:TrajectoryForbidden",
        "trajectory_in_order": f"{_HERE}order:TrajectoryInOrder",
        "trajectory_max_calls": f"{_HERE}limits:TrajectoryMaxCalls",
        "trajectory_only_from": f"{_HERE}limits:TrajectoryOnlyFrom",
        "trajectory_precision": f"{_HERE}scores:TrajectoryPrecision",
        "trajectory_recall": f"{_HERE}scores:TrajectoryRecall",
        "trajectory_similarity": f"{_HERE}scores:TrajectorySimilarity",
        "trajectory_single_tool_use": f"{_HERE}limits:TrajectorySingleToolUse",
        "trajectory_steps": f"{_HERE}steps:TrajectorySteps",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    """Explain every comparison of trajectories by a table of calls."""
    return dict.fromkeys(operators(), f"{_HERE}explanation:explain_trajectory")


@hookimpl
def trajectory_readers() -> Mapping[str, str]:
    """Name the wire formats in the order in which they are tried; one comes before those that would take its values too."""
    return {
        "mcp": f"{_READERS}mcp:MCP",
        "vertex": f"{_READERS}google:VERTEX",
        "langgraph": f"{_READERS}langchain:LANGGRAPH",
        "openinference": f"{_READERS}otel:OPENINFERENCE",
        "otel": f"{_READERS}otel:OTEL",
        "pydantic_ai": f"{_READERS}blocks:PYDANTIC_AI",
        "claude_code": f"{_READERS}blocks:CLAUDE_CODE",
        "langsmith": f"{_READERS}runs:LANGSMITH",
        "langfuse": f"{_READERS}runs:LANGFUSE",
        "vercel": f"{_READERS}vercel:VERCEL",
        "adk": f"{_READERS}google:ADK",
        "inspect_ai": f"{_READERS}inspect_ai:INSPECT_AI",
        "tau2": f"{_READERS}openai:TAU2",
        "openhands": f"{_READERS}openhands:OPENHANDS",
        "bedrock": f"{_READERS}blocks:BEDROCK",
        "langchain": f"{_READERS}langchain:LANGCHAIN",
        "anthropic": f"{_READERS}blocks:ANTHROPIC",
        "gemini": f"{_READERS}google:GEMINI",
        "openai_responses": f"{_READERS}openai:RESPONSES",
        "openai_chat": f"{_READERS}openai:CHAT",
        "plain": f"{_READERS}plain:PLAIN",
    }
