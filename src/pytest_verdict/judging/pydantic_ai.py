"""`ModelJudge`: any model of pydantic-ai as a judge (extra ``judge``)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import ConfigurationError, MissingExtraError
from pytest_verdict.judging.protocol import JudgeReply, JudgeRequest

# Names in one or two braces, and tags of templates; not an argument of LaTeX, such as \\boxed{answer}.
_PLACEHOLDER: Final = re.compile(
    r"""\{\{-?\s*[^\W\d][^{}]*\}\}|\{%.*?%\}|(?<![\w\\^{}])\{\s*[^\W\d][\w.\[\]'"!:<>-]*\s*\}""", re.DOTALL
)


def find_placeholder(text: str) -> str | None:
    """Return the first placeholder in a text, such as ``{response}`` or ``{{response}}``."""
    placeholder = _PLACEHOLDER.search(text)
    return placeholder[0] if placeholder else None


class ModelJudge:
    """A judge that asks a model through pydantic-ai, once for each request.

    The model answers with JSON text, so any provider works, with or without tools. A broken reply is recorded as it is, and no
    second call repairs it. The tokens and the cost of a reply are those that its provider reports.

    Args:
        model: A model of pydantic-ai or its name, such as ``"openai:gpt-4o-mini"``.
        instructions: The system prompt (default: the instructions of the request).
        settings: Model settings of pydantic-ai, such as ``{"temperature": 0}``.
        images: Whether the model sees pictures and receives those of a question.

    Raises:
        ConfigurationError: The instructions have a placeholder such as ``{response}``, which nothing fills in.
        MissingExtraError: pydantic-ai is not installed.

    Example:
        >>> from pydantic_ai.models.test import TestModel
        >>> judge = ModelJudge(TestModel(custom_output_text='{"pair_count": 23}'))
        >>> judge.judge_id
        'pydantic-ai test {}'
        >>> import asyncio
        >>> from pytest_verdict.judging import JudgeRequest
        >>> request = JudgeRequest(prompt="How many?", schema={}, instructions="Answer in JSON.", parts={})
        >>> asyncio.run(judge(request)).reply
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
        placeholder = find_placeholder(instructions or "")
        if placeholder is not None:
            raise ConfigurationError(
                f"nothing fills in {placeholder} of the instructions, so the model would read it as it is; leave it out, because"
                " each request has the question with all texts, or write other brackets if the model is to read them"
            )
        try:
            from pydantic_ai import Agent
        except ImportError:
            raise MissingExtraError(type(self).__name__, "judge") from None
        # Look the model up when it is first asked, because a replay of recorded replies has no API key.
        self._agent: Any = Agent(model, model_settings=settings and dict(settings), defer_model_check=True)  # type: ignore[arg-type]
        self._instructions = instructions
        self.sees_images = images

        # A recording or a calibration is valid for one model with one configuration only.
        name = model if isinstance(model, str) else getattr(model, "model_name", type(model).__name__)
        # A model may have settings of its own, which those of the judge replace one by one.
        own_settings = getattr(model, "settings", None)
        all_settings = {**(own_settings if isinstance(own_settings, Mapping) else {}), **(settings or {})}
        self.judge_id = f"pydantic-ai {name} {json.dumps(all_settings, sort_keys=True, default=str)}"
        if instructions is not None:
            self.judge_id += f" {content_digest(instructions)[:8]}"

    async def __call__(self, request: JudgeRequest, /) -> JudgeReply:
        prompt: Any = request.prompt
        images = getattr(request, "images", ()) if self.sees_images else ()
        if images:
            from pydantic_ai import BinaryContent

            prompt = [request.prompt]
            for name, media_type, content in images:
                prompt += [f"{name}:", BinaryContent(content, media_type=media_type)]
        instructions = request.instructions if self._instructions is None else self._instructions
        # Enter the agent for each question, so that no connection stays open when the session ends.
        async with self._agent:
            response = await self._agent.run(prompt, instructions=instructions)
        return JudgeReply(str(response.output), dict(_read_usage(response.all_messages()[-1])))


def _read_usage(message: Any) -> Iterator[tuple[str, int | float]]:
    """Yield what a provider reports; pydantic-ai has 0 where it reports nothing, and computes its own prices."""
    for name in ("input_tokens", "output_tokens"):
        if getattr(message.usage, name):
            yield name, getattr(message.usage, name)
    cost = (message.provider_details or {}).get("cost")
    if cost is not None:
        yield "cost", float(cost)


def open_judge(model: str) -> ModelJudge:
    """Return the judge for the name of a model on a command line; check that the model exists."""
    judge = ModelJudge(model)
    from pydantic_ai.models import infer_model

    try:
        infer_model(model)
    except Exception as error:  # noqa: BLE001 - each provider has errors of its own
        raise ConfigurationError(f"the model {model} cannot be asked: {error}") from None
    return judge
