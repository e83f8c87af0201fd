"""What a session must not write down: patterns, and the values of environment variables."""

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import quote

import pytest

from pytest_verdict.core.values.redaction import Redaction, redaction_of
from pytest_verdict.pytest_plugin.names import REDACTED

USUAL_NAMES: Final = (
    *("*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*API_KEY*", "*APIKEY*", "*ACCESS_KEY*"),
    *("*PRIVATE_KEY*", "*CREDENTIAL*", "*_DSN", "*DATABASE_URL*"),
)
_SHORTEST: Final = 6


def session_redaction(config: pytest.Config) -> Redaction:
    """Make the function that replaces what must not be written down."""
    compiled = []
    for pattern in patterns(config):
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise pytest.UsageError(f"verdict_redact: {pattern!r} is not a regular expression: {error}") from None
    return redaction_of(compiled)


def patterns(config: pytest.Config) -> list[str]:
    """Give the patterns of a session; a worker may have found another configuration."""
    given: list[str] | None = getattr(config, "workerinput", {}).get(REDACTED)
    if given is None:
        return [*_values(config), *config.getini(REDACTED)]
    return given


def _values(config: pytest.Config) -> Iterator[str]:
    given = config.getini("verdict_redact_environment")
    names = [*given, *(USUAL_NAMES if "default" in given else ())]
    for variable, value in os.environ.items():
        if any(fnmatchcase(variable.upper(), name.upper()) for name in names):
            # The lines of a key may stand apart, as in a traceback.
            texts = {value, value.strip(), quote(value, safe=""), *value.splitlines()}
            yield from (re.escape(text) for text in texts if len(text) >= _SHORTEST)
