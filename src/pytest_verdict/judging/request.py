"""`JudgeRequest`: one question to a judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from pytest_verdict.core.values.encoding import digest, encode_text


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One question to a judge.

    Answer templates ask with a `FormRequest`, blind comparisons with a `BlindRequest`; both have more than is listed here.
    What is correct, or who made an output, is in none of them.

    Args:
        prompt: The question in words, for a model.
        schema: The JSON schema of the answer.
        instructions: What a model is told before the question.
        parts: Everything that the answer depends on, by name: texts, or their digests.

    Example:
        >>> request = JudgeRequest(prompt="Which city?", schema={}, instructions="Answer in JSON.", parts={"text": "Paris"})
        >>> request.key[:8]
        'ea11a390'
    """

    keeps_failures: ClassVar[bool] = False
    """Whether a recording keeps calls that failed too, because a call that is made again is another question."""

    prompt: str
    schema: dict[str, Any]
    instructions: str
    parts: Mapping[str, str]

    @property
    def images(self) -> Sequence[Image]:
        """The pictures that belong to the question, for a judge that sees them."""
        return ()

    @property
    def key(self) -> str:
        """One digest of all the parts: equal for equal questions."""
        return digest(encode_text(dict(self.parts)))


class Image(NamedTuple):
    """A picture: what it is called in the question, its media type, and its content."""

    name: str
    media_type: str
    content: bytes


def in_prompt(value: Any) -> str:
    """Write a value as JSON, as a prompt shows it."""
    return json.dumps(value, ensure_ascii=False)
