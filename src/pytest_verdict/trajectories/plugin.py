"""The hooks of trajectories: operators, explanations, and a reader for each wire format."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.trajectories."
_READERS: Final = f"{_HERE}readers."


@hookimpl
def operators() -> Mapping[str, str]:
    """Return the operators by name."""
    return {
        "run_limits": f"{_HERE}run_limits:RunLimits",
        "trajectory_any_order": f"{_HERE}operators:TrajectoryAnyOrder",
        "trajectory_exact": f"{_HERE}operators:TrajectoryExact",
        "trajectory_f1": f"{_HERE}operators:TrajectoryF1",
        "trajectory_forbidden": f"{_HERE}operators:TrajectoryForbidden",
        "trajectory_in_order": f"{_HERE}operators:TrajectoryInOrder",
        "trajectory_max_calls": f"{_HERE}operators:TrajectoryMaxCalls",
        "trajectory_only_from": f"{_HERE}operators:TrajectoryOnlyFrom",
        "trajectory_precision": f"{_HERE}operators:TrajectoryPrecision",
        "trajectory_recall": f"{_HERE}operators:TrajectoryRecall",
        "trajectory_similarity": f"{_HERE}operators:TrajectorySimilarity",
        "trajectory_single_tool_use": f"{_HERE}operators:TrajectorySingleToolUse",
        "trajectory_steps": f"{_HERE}steps:TrajectorySteps",
        "trajectory_valid_calls": f"{_HERE}definitions:TrajectoryValidCalls",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    """Return the function that explains a comparison as a table of calls, for each operator."""
    names = (name for name in operators() if name.startswith("trajectory_"))
    return dict.fromkeys(names, f"{_HERE}explanation:explain_trajectory")


@hookimpl
def trajectory_readers() -> Mapping[str, str]:
    """Return the wire formats in the order of recognition; a format comes before those that would read its values, too."""
    return {
        "mcp": f"{_READERS}messages:mcp",
        "vertex": f"{_READERS}messages:vertex",
        "langgraph": f"{_READERS}messages:langgraph",
        "openinference": f"{_READERS}traces:openinference",
        "otel": f"{_READERS}traces:otel",
        "pydantic_ai": f"{_READERS}messages:pydantic_ai",
        "claude_code": f"{_READERS}messages:claude_code",
        "langsmith": f"{_READERS}logs:langsmith",
        "langfuse": f"{_READERS}logs:langfuse",
        "vercel": f"{_READERS}messages:vercel",
        "adk": f"{_READERS}messages:adk",
        "inspect_ai": f"{_READERS}logs:inspect_ai",
        "tau2": f"{_READERS}messages:tau2",
        "openhands": f"{_READERS}logs:openhands",
        "bedrock": f"{_READERS}messages:bedrock",
        "langchain": f"{_READERS}messages:langchain",
        "anthropic": f"{_READERS}messages:anthropic",
        "gemini": f"{_READERS}messages:gemini",
        "openai_responses": f"{_READERS}messages:openai_responses",
        "openai_chat": f"{_READERS}messages:openai_chat",
        "plain": f"{_READERS}plain:plain",
    }
