"""`ModelJudge`: any model that pydantic-ai knows, as a judge of blind comparisons (extra ``judge``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_verdict.blind.request import INSTRUCTIONS, JudgeRequest
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.judging.pydantic_ai import PydanticAIModel


class ModelJudge(PydanticAIModel):
    """A judge that asks a model once for each call, through the adapter that answer templates use.

    Args:
        model: A model of pydantic-ai or its name, such as ``"openai:gpt-4o-mini"``.
        instructions: What the model is told before the question.
        settings: Model settings of pydantic-ai, such as ``{"temperature": 0}``.

    Raises:
        MissingExtraError: pydantic-ai is not installed.

    Example:
        >>> from pydantic_ai.models.test import TestModel
        >>> ModelJudge(TestModel()).judge_id[:16]
        'pydantic-ai test'
    """

    def __init__(
        self, model: Any, *, instructions: str = INSTRUCTIONS, settings: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(model, instructions=instructions, settings=settings)
        name = model if isinstance(model, str) else getattr(model, "model_name", type(model).__name__)
        told = digest(encode_text(instructions))[:8]
        # A calibration or a recording of one setting says nothing of another.
        self.judge_id = f"pydantic-ai {name} {json.dumps(dict(settings or {}), sort_keys=True, default=str)} {told}"

    async def __call__(self, request: JudgeRequest, /) -> str:
        """Ask the model."""
        return await self.ask(request.prompt)
