"""`JudgeRequest`, `JudgeReply` and `Judge`: a question, its answer and who gives it; sums of usage; judges by name."""

from __future__ import annotations

import json
import math
import pkgutil
import re
import sys
from collections.abc import Awaitable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.core.values.jsontext import split_documents
from pytest_verdict.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One question to a judge.

    Answer templates ask with a `FormRequest`, blind comparisons with a `BlindRequest`; both have more fields. No request holds
    the correct answer or the author of an output.

    Args:
        prompt: The question in words, for a model.
        schema: The JSON schema of the answer.
        instructions: The system prompt of a model.
        parts: Everything that the answer depends on, by name: texts, or their digests.

    Example:
        >>> request = JudgeRequest(prompt="Which city?", schema={}, instructions="Answer in JSON.", parts={"text": "Paris"})
        >>> request.key[:8]
        'ea11a390'
    """

    # True if a recording also has failed calls, because a replay makes the next attempt as well.
    keeps_failures: ClassVar[bool] = False

    prompt: str
    schema: dict[str, Any]
    instructions: str
    parts: Mapping[str, str]

    @property
    def key(self) -> str:
        """The digest of all parts: equal for equal questions."""
        return content_digest(dict(self.parts))

    def is_answered_by(self, reply: Reply) -> bool:
        """Whether a reply answers the question; a judge that records asks again if not."""
        del reply
        return True


# Amounts by name, as a provider reports them.
Usage = Mapping[str, int | float]


def encode_for_prompt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


THINKING: Final = re.compile("</?think>")
_MOST_THOUGHTS: Final = 20
_OBJECT: Final = re.compile(r"\{\s*\"")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_END_BEFORE_OBJECT: Final = re.compile(rf"</think>(?=\s*(?:```\w*\s*)?{_OBJECT.pattern})")

# Values by name as a mapping or a pydantic object, or the text of a JSON object.
Reply = Mapping[str, Any] | BaseModel | str


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A reply, and what it took as its provider reports it.

    Args:
        reply: Values by name as a mapping or a pydantic object, or the text of a JSON object.
        usage: Tokens, cost and other amounts by name; an amount that is not reported is left out (default: nothing is reported).

    Raises:
        ConfigurationError: An amount is no number from 0.

    Example:
        >>> def judge(request):
        ...     return JudgeReply({"pair_count": 23}, {"input_tokens": 120, "output_tokens": 9, "cost": 0.0004})
        >>> judge(None).usage["cost"]
        0.0004
    """

    reply: Reply
    usage: Usage = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, amount in self.usage.items():
            if not isinstance(name, str) or type(amount) not in {int, float} or not 0 <= amount < math.inf:
                raise ConfigurationError(
                    f"usage[{name!r}] is a number from 0, got {shown(amount, 80)}; leave out what is not reported"
                )


Request_contra = TypeVar("Request_contra", contravariant=True)


@runtime_checkable
class Judge(Protocol[Request_contra]):
    """Answers a request. It does not know the correct answer or who made an output, and it does not decide.

    Any callable with one `JudgeRequest` argument is a judge. It may be async. It answers with a mapping, JSON text as a model
    wrote it, or a pydantic object, whose fields that are None or that nobody set are left out; or with a `JudgeReply`, which has
    one of these and what it took.

    A judge that opens the files of a `BlindRequest`, like a person or an agent, sets the attribute ``sees_files`` to True. A
    judge that receives pictures, like some models, sets ``sees_images`` to True. All others see text only. A judge never gets
    outputs with a file that it cannot see.

    Example:
        >>> def judge(request):
        ...     return {"pair_count": 23}
        >>> isinstance(judge, Judge)
        True
    """

    def __call__(self, request: Request_contra, /) -> Reply | JudgeReply | Awaitable[Reply | JudgeReply]:
        """Answer a request."""
        ...


def can_open_files(judge: Any) -> bool:
    return getattr(judge, "sees_files", False) is True


def serialize_reply(reply: Any) -> str:
    if isinstance(reply, str):
        return reply
    if isinstance(reply, BaseModel):
        return reply.model_dump_json(exclude_none=True, exclude_unset=True)
    if isinstance(reply, Mapping):
        return json.dumps(reply, default=_encode_member, ensure_ascii=False, allow_nan=False)
    raise TypeError(f"a judge answers with a mapping, JSON text or a pydantic object, got {shown(reply, 80)}")


def strip_thinking(reply: str) -> str:
    """Return a reply without the thinking before its answer; a tag inside of a JSON document is text of that."""
    text = reply.removeprefix("\ufeff")
    for _ in range(_MOST_THOUGHTS):
        end = _find_end_of_thinking(text) if "</think>" in text else 0
        if end == 0:
            break
        text = text[end:]
    return text


def _find_end_of_thinking(text: str) -> int:
    _, outside = split_documents(text)
    if text.lstrip().startswith("<think>"):
        head, tag, _ = outside.partition("</think>")
        return len(head + tag) if tag else 0

    # The opening tag may be a part of the prompt. A closing tag in an object that is cut off may be a text of the object,
    # unless another object begins behind the tag.
    head, tag, _ = outside.rpartition("</think>")
    beginning = _OBJECT.search(head)
    brackets = "" if beginning is None else _STRING.sub("", head[beginning.start() :])
    if brackets.count("{") <= brackets.count("}"):
        return len(head + tag)
    ends = (match.end() for match in _END_BEFORE_OBJECT.finditer(text) if outside[match.start()] == "<")
    return next(ends, 0)


def _encode_member(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{shown(value, 80)} is no JSON value")


def sum_usage(reports: Iterable[Usage]) -> dict[str, dict[str, Any]]:
    """Sum each amount over the replies that report it, and count these."""
    values: dict[str, list[int | float]] = {}
    for report in reports:
        for name, amount in report.items():
            values.setdefault(name, []).append(amount)
    sums = {}
    for name, amounts in sorted(values.items()):
        # The sum of floats must not depend on their order.
        total = sum(amounts) if all(isinstance(amount, int) for amount in amounts) else math.fsum(amounts)
        sums[name] = {"sum": total, "replies": len(amounts)}
    return sums


def format_usage(reports: Iterable[Usage]) -> Iterator[str]:
    """Yield a line with the sums, if anything is reported."""
    sums = sum_usage(reports)
    # Many small costs add up to digits that nobody reads.
    texts = [f"{name} {total['sum']:,.10g} in {format_count(total['replies'], 'call')}" for name, total in sums.items()]
    if texts:
        yield f"reported by judges: {'; '.join(texts)}"


def get_judge_name(judge: Any) -> str:
    """Return the name that identifies a judge in a record."""
    judge_id = getattr(judge, "judge_id", None)
    if isinstance(judge_id, str) and judge_id:
        return judge_id
    definition = judge if hasattr(judge, "__qualname__") else type(judge)
    return f"{definition.__module__}.{definition.__qualname__}"


def get_unique_judge_name(judge: Any) -> str:
    """Return the name of a judge for a recording or a calibration, where it must not fit several judges."""
    name = get_judge_name(judge)
    if name.endswith("<lambda>") or name == "functools.partial":
        raise ConfigurationError(
            f"the judge's name {name} fits other judges as well; set its attribute judge_id, or write it as a function"
        )
    return name


def find_judge(text: str) -> Any:
    """Return the judge that a command line names: ``kind:text`` of a family, or ``package.module:name``."""
    kind, _, rest = text.partition(":")
    opener = FAMILIES.find("judges", kind)
    if opener is not None:
        judge = load(opener)(rest)
    else:
        # Like pytest, import from the current folder.
        sys.path.insert(0, str(Path.cwd()))
        try:
            judge = pkgutil.resolve_name(text)
        except (ImportError, AttributeError, ValueError) as error:
            kinds = ", ".join(sorted(FAMILIES.all("judges")))
            raise ConfigurationError(
                f"--judge {text} cannot be imported: {error}; write package.module:name, or KIND:TEXT with one of the kinds"
                f" {kinds}"
            ) from None
        finally:
            sys.path.pop(0)
    if not callable(judge) or isinstance(judge, type):
        raise ConfigurationError(f"--judge {text} is no judge: name a function or another callable object")
    return judge
