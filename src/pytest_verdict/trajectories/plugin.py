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
        "trajectory_f1": f"{_HERE}precision_recall:TrajectoryF1",
        "trajectory_forbidden": f"{_HERE}limits:TrajectoryForbidden",
        "trajectory_in_order": f"{_HERE}order:TrajectoryInOrder",
        "trajectory_max_calls": f"{_HERE}limits:TrajectoryMaxCalls",
        "trajectory_only_from": f"{_HERE}limits:TrajectoryOnlyFrom",
        "trajectory_precision": f"{_HERE}precision_recall:TrajectoryPrecision",
        "trajectory_recall": f"{_HERE}precision_recall:TrajectoryRecall",
        "trajectory_similarity": f"{_HERE}edit_similarity:TrajectorySimilarity",
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
        "mcp": f"{_READERS}mcp",
        "vertex": f"{_READERS}vertex",
        "langgraph": f"{_READERS}langgraph",
        "openinference": f"{_READERS}openinference",
        "otel": f"{_READERS}otel",
        "pydantic_ai": f"{_READERS}pydantic_ai",
        "claude_code": f"{_READERS}claude_code",
        "langsmith": f"{_READERS}langsmith",
        "langfuse": f"{_READERS}langfuse",
        "vercel": f"{_READERS}vercel",
        "adk": f"{_READERS}adk",
        "inspect_ai": f"{_READERS}inspect_ai",
        "tau2": f"{_READERS}tau2",
        "openhands": f"{_READERS}openhands",
        "bedrock": f"{_READERS}bedrock",
        "langchain": f"{_READERS}langchain",
        "anthropic": f"{_READERS}anthropic",
        "gemini": f"{_READERS}gemini",
        "openai_responses": f"{_READERS}openai_responses",
        "openai_chat": f"{_READERS}openai_chat",
        "plain": f"{_READERS}plain",
    }
