"""`ModelJudge`: any model that pydantic-ai knows, as a judge (extra ``judge``)."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import ConfigurationError, MissingExtraError
from pytest_verdict.judging.protocol import JudgeRequest


class ModelJudge:
    """A judge that asks a model through pydantic-ai, once for each request.

    The model answers with JSON text. So every provider can be used, whether it calls tools or not, and a broken reply is
    recorded as such instead of being repaired by another call.

    Args:
        model: A model of pydantic-ai or its name, such as ``"openai:gpt-4o-mini"``.
        instructions: What the model is told before the question, instead of the instructions of the request.
        settings: Model settings of pydantic-ai, such as ``{"temperature": 0}``.
        images: Whether the model sees pictures, and so is shown those of a question.

    Raises:
        MissingExtraError: pydantic-ai is not installed.

    Example:
        >>> from pydantic_ai.models.test import TestModel
        >>> judge = ModelJudge(TestModel(custom_output_text='{"pair_count": 23}'))
        >>> judge.judge_id
        'pydantic-ai test {}'
        >>> import asyncio
        >>> from pytest_verdict.judging import JudgeRequest
        >>> asyncio.run(judge(JudgeRequest(prompt="How many?", schema={}, instructions="Answer in JSON.", parts={})))
        '{"pair_count": 23}'
    """

    def __init__(
        self,
        model: Any,
        *,
        instructions: str | None = None,
        settings: Mapping[str, Any] | None = None,
        images: bool = False,
    ) -> None:
        try:
            from pydantic_ai import Agent
        except ImportError:
            raise MissingExtraError(type(self).__name__, "judge") from None
        # Where recorded replies are replayed, there is no key of the provider: the model is looked up when it is asked.
        self._agent: Any = Agent(model, model_settings=settings and dict(settings), defer_model_check=True)  # type: ignore[arg-type]
        self._instructions = instructions
        self.sees_images = images
        name = model if isinstance(model, str) else getattr(model, "model_name", type(model).__name__)
        told = "" if instructions is None else f" {content_digest(instructions)[:8]}"
        # A calibration or a recording of one setting says nothing of another.
        self.judge_id = f"pydantic-ai {name} {json.dumps(dict(settings or {}), sort_keys=True, default=str)}{told}"

    async def __call__(self, request: JudgeRequest, /) -> str:
        """Ask the model."""
        instructions = request.instructions if self._instructions is None else self._instructions
        # Entered for each question, so that no connection is left open when the session ends.
        async with self._agent:
            found = await self._agent.run(self._question(request), instructions=instructions)
        return str(found.output)

    def _question(self, request: JudgeRequest) -> Any:
        if not self.sees_images or not request.images:
            return request.prompt
        from pydantic_ai import BinaryContent

        pictures = [(f"{name}:", BinaryContent(content, media_type=kind)) for name, kind, content in request.images]
        return [request.prompt, *(part for picture in pictures for part in picture)]


def open_judge(model: str) -> ModelJudge:
    """Make the judge that a command line names, and find out before it is asked whether there is such a model."""
    judge = ModelJudge(model)
    from pydantic_ai.models import infer_model

    try:
        infer_model(model)
    except Exception as error:  # noqa: BLE001 - each provider has errors of its own
        raise ConfigurationError(f"the model {model} cannot be asked: {error}") from None
    return judge
