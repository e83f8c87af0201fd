"""Services as adapters: the input in a request, the output in the reply."""

import http.client
import json
import os
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.redaction import literals, redaction_of, without_url_secrets
from pytest_verdict.errors import AdapterError, MappingError
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.suites.adapters.request_template import filled, names_in, variable_of
from pytest_verdict.suites.adapters.time_limit import AdapterTimeoutError
from pytest_verdict.suites.agent_result import AgentResult, result_from_json
from pytest_verdict.suites.suite_model import HttpRequest

_USUAL_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json, text/plain"}


class RefusedError(AdapterError):
    """A service replied that it does not do what it is asked."""

    def __init__(self, message: str, status: int, headers: Any) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


class HttpAdapter:
    """Sends a request for each input: unless told otherwise, a POST of ``{"input": ..., "context": {...}}``.

    A reply of the type ``application/json`` is the JSON form of an `AgentResult`; any other is the output itself. What comes
    from environment variables is in no message and in no output.
    """

    def __init__(self, written: str | HttpRequest, _folder: Path) -> None:
        self._asked = HttpRequest(url=written) if isinstance(written, str) else written
        parts = urlsplit(self._asked.url)
        user, at, host = parts.netloc.rpartition("@")
        self._url = parts._replace(netloc=host).geturl()
        self._headers = {**_USUAL_HEADERS, **self._asked.headers}
        if at:
            self._headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
        self._shown = without_url_secrets("%20".join(self._asked.url.split()))
        named = (variable_of(name) for _, name in names_in(self._asked))
        names = {name for name in named if name is not None}
        missing = sorted(names - os.environ.keys())
        if missing:
            raise AdapterError(
                f"the adapter {self._shown} needs the environment variable {missing[0]}, which is not set"
            )
        self._variables = {name: os.environ[name] for name in names}
        self._hide = redaction_of(literals(self._variables.values())) if names else str
        self._parts = {name: read_input(name, source) for name, source in self._asked.reply.items()}
        # A redirection would take the headers along, to anywhere.
        self._open = urllib.request.build_opener(_NoRedirection).open

    def run(self, given: Any, context: Mapping[str, Any]) -> AgentResult:
        """Send one input."""
        content, kind = self._reply(self._request(given, context), context.get("timeout_seconds"))
        try:
            decoded = self._hide(content.decode("utf-8"))
            if not self._parts and not kind.endswith("json"):
                return AgentResult(decoded)
            document = parse_json_with_floats(decoded)
            found = {name: find(document) for name, find in self._parts.items()} or document
            return result_from_json(found, f"the reply of {self._shown}")
        except (ValueError, MappingError) as error:
            raise AdapterError(f"the reply of {self._shown} cannot be read: {self._hide(str(error))}") from None

    def _request(self, given: Any, context: Mapping[str, Any]) -> urllib.request.Request:
        values = {"input": given, "context": dict(context), "env": self._variables}
        has_body = self._asked.method not in {"GET", "HEAD"} or "body" in self._asked.model_fields_set
        body = filled(self._asked.body, values) if has_body else None
        if not isinstance(body, str | None):
            body = json.dumps(body, default=str)
        url = filled(self._url, values, lambda text: quote(text, safe=""))
        headers = {name: filled(text, values) for name, text in self._headers.items()}
        content = None if body is None else body.encode()
        return urllib.request.Request(url, content, headers, method=self._asked.method)  # noqa: S310 - http and https only

    def _reply(self, request: urllib.request.Request, seconds: float | None) -> tuple[bytes, str]:
        try:
            with self._open(request, timeout=seconds) as reply:
                return reply.read(), reply.headers.get_content_type()
        except urllib.error.HTTPError as error:
            with error:
                said = self._hide(shown(error.read(500).decode("utf-8", "backslashreplace"), 200))
                raise RefusedError(f"{self._shown} replied {error.code}: {said}", error.code, error.headers) from None
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise AdapterTimeoutError(seconds or 0.0) from None
            raise AdapterError(f"{self._shown} cannot be reached: {self._hide(str(reason))}") from None
        except (http.client.HTTPException, ValueError) as error:
            # The text of a refused header is its value.
            raise AdapterError(f"{self._shown} cannot be reached: {type(error).__name__}") from None


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_asked: Any) -> None:
        """Leave a redirection to be told as a reply."""
