"""`JudgeRequest` and `Judge`: one question, and whatever answers it; what it is called, and how a command line names it."""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import ConfigurationError


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
        return content_digest(dict(self.parts))


class Image(NamedTuple):
    """A picture: what it is called in the question, its media type, and its content."""

    name: str
    media_type: str
    content: bytes


def in_prompt(value: Any) -> str:
    """Write a value as JSON, as a prompt shows it."""
    return json.dumps(value, ensure_ascii=False)


Reply = Mapping[str, Any] | BaseModel | str
"""What a judge answers: values by name, as a mapping or a pydantic object, or the text of a JSON object."""

Request_contra = TypeVar("Request_contra", contravariant=True)


@runtime_checkable
class Judge(Protocol[Request_contra]):
    """Answers a request. It does not know what is correct or who made an output, and it does not decide.

    Any callable of one `JudgeRequest` is a judge. It may be async. It answers with a mapping, a pydantic object, of which
    fields that are None are left out, or JSON text as a model wrote it.

    A judge that opens the files of a `BlindRequest` itself, as a person or an agent does, has an attribute ``sees_files`` that
    is True. One that is shown pictures, as some models are, has ``sees_images``. Any other sees text alone. No judge gets outputs
    with a file that it cannot see.

    Example:
        >>> def judge(request):
        ...     return {"pair_count": 23}
        >>> isinstance(judge, Judge)
        True
    """

    def __call__(self, request: Request_contra, /) -> Reply | Awaitable[Reply]:
        """Answer a request."""
        ...


def sees_files(judge: Any) -> bool:
    """Say whether a judge opens files itself."""
    return getattr(judge, "sees_files", False) is True


def sees_images(judge: Any) -> bool:
    """Say whether a judge is shown pictures."""
    return getattr(judge, "sees_images", False) is True


def reply_text(reply: Any) -> str:
    """Write a reply as the text of a JSON object."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, BaseModel):
        return reply.model_dump_json(exclude_none=True)
    if isinstance(reply, Mapping):
        return json.dumps(reply, default=_plain, ensure_ascii=False, allow_nan=False)
    raise TypeError(f"a judge answers with a mapping, JSON text or a pydantic object, got {shown(reply, 80)}")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{shown(value, 80)} is no JSON value")


def judge_name(judge: Any) -> str:
    """Give the name under which a judge is recorded."""
    own = getattr(judge, "judge_id", None)
    if isinstance(own, str) and own:
        return own
    named = judge if hasattr(judge, "__qualname__") else type(judge)
    return f"{named.__module__}.{named.__qualname__}"


def own_name(judge: Any) -> str:
    """Give the name of a judge where it must tell the judge from others, in a recording or a calibration."""
    name = judge_name(judge)
    if name.endswith("<lambda>") or name == "functools.partial":
        raise ConfigurationError(
            f"{name} is the name of other judges as well; give this one an attribute judge_id, or write it as a function"
        )
    return name


def find_judge(text: str) -> Any:
    """Find the judge that a command line names: ``kind:text`` of a family, or ``package.module:name``."""
    kind, _, rest = text.partition(":")
    place = FAMILIES.find("judges", kind)
    found = _imported(text) if place is None else load(place)(rest)
    if not callable(found) or isinstance(found, type):
        raise ConfigurationError(f"--judge {text} is no judge: a function or an object that can be called is needed")
    return found


def _imported(text: str) -> Any:
    # As pytest does for tests: a judge beside them is found.
    sys.path.insert(0, str(Path.cwd()))
    try:
        return pkgutil.resolve_name(text)
    except (ImportError, AttributeError, ValueError) as error:
        kinds = ", ".join(sorted(FAMILIES.all("judges")))
        raise ConfigurationError(
            f"--judge {text} cannot be imported: {error}; write package.module:name, or KIND:TEXT with one of the kinds {kinds}"
        ) from None
    finally:
        sys.path.pop(0)
