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
from pytest_verdict.suites.adapters.limits import AdapterTimeoutError
from pytest_verdict.suites.adapters.request_template import fill, names_in, variable_of
from pytest_verdict.suites.agent_result import AgentResult, result_from_json
from pytest_verdict.suites.suite_model import HttpRequest

_DEFAULT_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json, text/plain"}


class RefusedError(AdapterError):
    """A service replied with an error status."""

    def __init__(self, message: str, status: int, headers: Any) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


class HttpAdapter:
    """Sends a request for each input, and hides the values of environment variables in messages and outputs."""

    def __init__(self, adapter: str | HttpRequest, _folder: Path) -> None:
        self._template = HttpRequest(url=adapter) if isinstance(adapter, str) else adapter
        parts = urlsplit(self._template.url)
        user, at, host = parts.netloc.rpartition("@")
        self._url = parts._replace(netloc=host).geturl()
        self._headers = {**_DEFAULT_HEADERS, **self._template.headers}
        if at:
            self._headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
        self._label = without_url_secrets("%20".join(self._template.url.split()))
        self._variables: dict[str, str] = {}
        for name in sorted({variable_of(name) or "" for _, name in names_in(self._template)} - {""}):
            if name not in os.environ:
                raise AdapterError(f"the adapter {self._label} needs the environment variable {name}, which is not set")
            self._variables[name] = os.environ[name]
        self._hide = redaction_of(literals(self._variables.values())) if self._variables else str
        self._parts = {name: read_input(name, source) for name, source in self._template.reply.items()}
        # A redirect would send the headers to any other host.
        self._open = urllib.request.build_opener(_NoRedirect).open

    def run(self, text: Any, context: Mapping[str, Any]) -> AgentResult:
        template = self._template
        values = {"input": text, "context": dict(context), "env": self._variables}
        url = fill(self._url, values, lambda value: quote(value, safe=""))
        headers = {name: fill(header, values) for name, header in self._headers.items()}
        body = None
        if template.method not in {"GET", "HEAD"} or "body" in template.model_fields_set:
            body = fill(template.body, values)
        if not isinstance(body, str | None):
            body = json.dumps(body, default=str)
        if body is not None:
            body = body.encode()
        request = urllib.request.Request(url, body, headers, method=template.method)  # noqa: S310 - http and https only
        content, content_type = self._send(request, context.get("timeout_seconds"))

        try:
            decoded = self._hide(content.decode("utf-8-sig"))
            if not self._parts and not content_type.endswith("json"):
                return AgentResult(decoded)
            document = parse_json_with_floats(decoded)
            if self._parts:
                document = {name: fetch(document) for name, fetch in self._parts.items()}
            return result_from_json(document, f"the reply of {self._label}")
        except (ValueError, MappingError) as error:
            raise AdapterError(f"the reply of {self._label} cannot be read: {self._hide(str(error))}") from None

    def _send(self, request: urllib.request.Request, seconds: float | None) -> tuple[bytes, str]:
        try:
            with self._open(request, timeout=seconds) as reply:
                return reply.read(), reply.headers.get_content_type()
        except urllib.error.HTTPError as error:
            with error:
                message = self._hide(shown(error.read(500).decode("utf-8", "backslashreplace"), 200))
                status = f"{self._label} replied {error.code}: {message}"
                raise RefusedError(status, error.code, error.headers) from None
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise AdapterTimeoutError(seconds or 0.0) from None
            raise AdapterError(f"{self._label} cannot be reached: {self._hide(str(reason))}") from None
        except (http.client.HTTPException, ValueError) as error:
            # The message of a refused header contains its value.
            raise AdapterError(f"{self._label} cannot be reached: {type(error).__name__}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Return no request, so that a redirect is reported as the reply."""
