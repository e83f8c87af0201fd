"""Services as adapters: the input in a request, the output in the reply."""

import contextlib
import json
import os
import time
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.redaction import literals, redaction_of, without_url_secrets
from pytest_verdict.errors import AdapterError, MappingError
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.judging.calls import CallTimeoutError
from pytest_verdict.suites.adapters.request_template import fill, names_in, variable_of
from pytest_verdict.suites.agent_result import AgentResult, result_from_json
from pytest_verdict.suites.suite_model import HttpRequest

_DEFAULT_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json, text/plain"}

_MOST_CONNECTIONS: Final = 128
_MOST_REDIRECTS: Final = 5
_BLOCK: Final = 1 << 16
LONGEST_REPLY: Final = 1 << 25
"""The longest body of a reply, in bytes."""


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
        self._connections = _open_pool(self._url)

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
        content, content_type = self._send(url, headers, body, context.get("timeout_seconds"))

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

    def _send(
        self, url: str, headers: Mapping[str, str], body: bytes | None, seconds: float | None
    ) -> tuple[bytes, str]:
        """Send a request, follow redirects to the same host, and return the body of the reply and its content type."""
        method = self._template.method
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                reply = self._connections.request(
                    method,
                    url,
                    body=body,
                    headers=headers,
                    timeout=seconds,
                    retries=False,
                    redirect=False,
                    preload_content=False,
                )
                # A body that was read to its end leaves the connection to the next request.
                with contextlib.closing(reply):
                    target = _redirect_of(reply, method, url)
                    if target is None:
                        return self._read(reply, deadline)
                    reply.drain_conn()
                url = target
        except (urllib3.exceptions.HTTPError, OSError) as error:
            # A connection that was refused counts as a timeout in the library.
            is_refused = isinstance(error, urllib3.exceptions.NewConnectionError)
            if isinstance(error, TimeoutError | urllib3.exceptions.TimeoutError) and not is_refused:
                raise CallTimeoutError from None
            raise AdapterError(f"{self._label} cannot be reached: {self._hide(_reason_of(error))}") from None
        except ValueError as error:
            # The message of a refused header contains its value.
            raise AdapterError(f"{self._label} cannot be reached: {type(error).__name__}") from None
        raise AdapterError(f"{self._label} redirected more than {_MOST_REDIRECTS} times")

    def _read(self, reply: urllib3.BaseHTTPResponse, deadline: float | None) -> tuple[bytes, str]:
        if not 200 <= reply.status < 300:
            message = self._hide(shown(reply.read(500).decode("utf-8", "backslashreplace"), 200))
            reply.drain_conn()
            if "Location" in reply.headers:
                message = self._hide(f"it redirects to {shown(reply.headers['Location'], 200)}; write that address")
            raise RefusedError(f"{self._label} replied {reply.status}: {message}", reply.status, reply.headers)
        content = bytearray()
        # Each block has the time limit of the connection, so a slow body needs one for the whole.
        while block := reply.read1(_BLOCK):
            content += block
            if len(content) > LONGEST_REPLY:
                raise AdapterError(f"the reply of {self._label} is longer than {LONGEST_REPLY:,} bytes")
            if deadline is not None and time.monotonic() > deadline:
                raise CallTimeoutError
        content_type = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return bytes(content), content_type


def _open_pool(url: str) -> urllib3.PoolManager:
    """Open a pool of connections, through the proxy that the environment names for a URL."""
    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return urllib3.PoolManager(maxsize=_MOST_CONNECTIONS)
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    user = urlsplit(proxy).netloc.rpartition("@")[0]
    headers = urllib3.make_headers(proxy_basic_auth=unquote(user)) if user else None
    return urllib3.ProxyManager(proxy, maxsize=_MOST_CONNECTIONS, proxy_headers=headers)


def _redirect_of(reply: urllib3.BaseHTTPResponse, method: str, url: str) -> str | None:
    """Return where a reply redirects to; None where the headers would go to another host, or a body would be lost."""
    keeps_method = reply.status in {307, 308} or method in {"GET", "HEAD"}
    if reply.status not in {301, 302, 303, 307, 308} or "Location" not in reply.headers or not keeps_method:
        return None
    target = urljoin(url, reply.headers["Location"])
    return target if urlsplit(target)[:2] == urlsplit(url)[:2] else None


def _reason_of(error: Exception) -> str:
    """Return the reason of the system, because the text of the library has addresses of objects."""
    for candidate in (error, error.__cause__, *error.args):
        if isinstance(candidate, OSError):
            return str(candidate)
    return type(error).__name__
