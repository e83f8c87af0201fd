"""`PydanticAIJudge`: any model that pydantic-ai knows, as a judge (extra ``judge``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_verdict.errors import MissingExtraError
from pytest_verdict.judging.prompt import INSTRUCTIONS, question


class PydanticAIModel:
    """A model that pydantic-ai knows; what judges of answers and of blind comparisons share."""

    def __init__(self, model: Any, *, instructions: str, settings: Mapping[str, Any] | None = None) -> None:
        try:
            from pydantic_ai import Agent
        except ImportError:
            raise MissingExtraError(type(self).__name__, "judge") from None
        self.instructions = instructions
        self._agent: Any = Agent(model, instructions=instructions, model_settings=settings and dict(settings))  # type: ignore[arg-type]

    async def ask(self, text: str) -> str:
        """Ask the model anything."""
        # Entered for each question, so that no connection is left open when the session ends.
        async with self._agent:
            found = await self._agent.run(text)
        return str(found.output)


class PydanticAIJudge(PydanticAIModel):
    """A judge that asks a model through pydantic-ai, once for each response.

    The model answers with JSON text, which the template reads: so every provider can be used, whether it calls tools or not,
    and a reply that is broken is recorded as such instead of being repaired by another call.

    Args:
        model: A model of pydantic-ai or its name, such as ``"openai:gpt-4o-mini"``.
        instructions: What the model is told before the question.
        settings: Model settings of pydantic-ai, such as ``{"temperature": 0}``.

    Raises:
        MissingExtraError: pydantic-ai is not installed.

    Example:
        >>> from pydantic_ai.models.test import TestModel
        >>> judge = PydanticAIJudge(TestModel(custom_output_text='{"pair_count": 23}'))
        >>> import asyncio
        >>> asyncio.run(judge({"type": "object"}, "23 pairs", {}))
        '{"pair_count": 23}'
    """

    def __init__(
        self, model: Any, *, instructions: str = INSTRUCTIONS, settings: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(model, instructions=instructions, settings=settings)

    async def __call__(self, schema: dict[str, Any], response: str, hints: Mapping[str, str], /) -> str:
        """Ask the model."""
        return await self.ask(question(schema, response, hints))
