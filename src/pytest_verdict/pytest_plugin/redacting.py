"""The secrets of a session: texts that match its patterns, and values of environment variables."""

import os
import re
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import quote

import pytest

from pytest_verdict.core.values.redaction import Redaction, redaction_of

_DEFAULT_NAMES: Final = (
    *("*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*API_KEY*", "*APIKEY*", "*ACCESS_KEY*"),
    *("*PRIVATE_KEY*", "*CREDENTIAL*", "*_DSN", "*DATABASE_URL*"),
)
_SHORTEST: Final = 6


def session_redaction(config: pytest.Config) -> Redaction:
    """Return the function that replaces secrets in a text."""
    compiled = []
    for pattern in session_patterns(config):
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise pytest.UsageError(f"verdict_redact: {pattern!r} is not a regular expression: {error}") from None
    return redaction_of(compiled)


def session_patterns(config: pytest.Config) -> list[str]:
    """Return the patterns of a session; a worker gets them from the controller, as its configuration may differ."""
    sent: list[str] | None = getattr(config, "workerinput", {}).get("verdict_redact")
    if sent is not None:
        return sent
    patterns: list[str] = []
    names = list(config.getini("verdict_redact_environment"))
    if "default" in names:
        names += _DEFAULT_NAMES
    for variable, value in os.environ.items():
        if any(fnmatchcase(variable.upper(), name.upper()) for name in names):
            # A traceback shows the lines of a key one by one.
            texts = {value, value.strip(), quote(value, safe=""), *value.splitlines()}
            patterns += [re.escape(text) for text in texts if len(text) >= _SHORTEST]
    return [*patterns, *config.getini("verdict_redact")]
