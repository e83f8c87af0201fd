"""`Judge`: whatever fills in a form from a response."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, runtime_checkable

Reply = Mapping[str, Any] | str
"""What a judge answers: values by field, or the text of a JSON object as a model wrote it."""


@runtime_checkable
class Judge(Protocol):
    """Reads a response and fills in a form. It does not know what is correct, and does not decide.

    Any function of these three arguments is a judge; it may be async.

    Example:
        >>> def judge(schema, response, hints):
        ...     return {"pair_count": 23}
        >>> isinstance(judge, Judge)
        True
    """

    def __call__(self, schema: dict[str, Any], response: str, hints: Mapping[str, str], /) -> Reply | Awaitable[Reply]:
        """Fill in the form."""
        ...
