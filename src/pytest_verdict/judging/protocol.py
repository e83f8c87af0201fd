"""`Judge`: whatever answers a request, what it may answer, what it is called, and the one that a command line names."""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError

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
