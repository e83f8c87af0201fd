"""Services as adapters: the input in a POST, the output in the reply."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.redaction import without_url_secrets
from pytest_verdict.errors import AdapterError
from pytest_verdict.suites.adapters.time_limit import AdapterTimeoutError
from pytest_verdict.suites.agent_result import AgentResult, result_from_json
from pytest_verdict.suites.loading import read_json


class HttpAdapter:
    """Posts ``{"input": ..., "context": {...}}`` to a URL.

    A reply of the type ``application/json`` is the JSON form of an `AgentResult`; any other is the output itself.
    """

    def __init__(self, written: str, _folder: Path) -> None:
        parts = urlsplit(written)
        user, at, host = parts.netloc.rpartition("@")
        self._url = parts._replace(netloc=host).geturl()
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/plain"}
        if at:
            self._headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
        self._shown = without_url_secrets("%20".join(written.split()))

    def run(self, text: str, context: Mapping[str, Any]) -> AgentResult:
        """Post one input."""
        body = json.dumps({"input": text, "context": dict(context)}, default=str).encode("ascii")
        request = urllib.request.Request(self._url, body, self._headers)  # noqa: S310 - only http and https get here
        try:
            with urllib.request.urlopen(request, timeout=context.get("timeout_seconds")) as reply:  # noqa: S310 - likewise
                content, kind = reply.read(), reply.headers.get_content_type()
        except urllib.error.HTTPError as error:
            with error:
                raise AdapterError(f"{self._shown} replied {error.code}: {shown(error.read(500), 200)}") from None
        except (TimeoutError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise AdapterTimeoutError(context["timeout_seconds"]) from None
            raise AdapterError(f"{self._shown} cannot be reached: {reason}") from None
        except http.client.HTTPException as error:
            raise AdapterError(f"{self._shown} cannot be reached: {type(error).__name__}") from None
        try:
            decoded = content.decode("utf-8")
            if not kind.endswith("json"):
                return AgentResult(decoded)
            return result_from_json(read_json(decoded), f"the reply of {self._shown}")
        except ValueError as error:
            raise AdapterError(f"the reply of {self._shown} cannot be read: {error}") from None
