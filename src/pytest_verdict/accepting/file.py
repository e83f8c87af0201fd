"""The file with the accepted values of a test module, read strictly."""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import content_digest, encode_text
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError, decode_text
from pytest_verdict.errors import RecordError, similar
from pytest_verdict.session import AcceptedEntry

SUFFIX: Final = ".accepted.yaml"
_CONFLICT: Final = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?:[ \t].*)?$", re.MULTILINE)
_CONTENT: Final = re.compile(r"^[ \t]*[^ \t\r\n#]", re.MULTILINE)

AcceptedValues = Mapping[str, Mapping[str, Sequence[Any]]]
"""Accepted values by test and by the name of the comparison."""


def file_of(module: Path) -> Path:
    """Return the file with the accepted values of a test module."""
    return module.with_name(f"{module.stem}{SUFFIX}")


def parse_accepted(text: str) -> AcceptedValues:
    """Parse a file of accepted values; raise YamlTextError for anything that the command would not write."""
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        raise YamlTextError(line, "a conflict of a merge is not resolved")
    if not _CONTENT.search(text):
        return {}
    document = YamlDocument(text)
    tests = document.value
    if not isinstance(tests, dict):
        raise YamlTextError(1, f"the top level is a mapping of tests, got {shown(tests, 40)}")
    for test, names in tests.items():
        if not isinstance(test, str) or not isinstance(names, dict) or not names:
            reason = f"a test is a text with a mapping of the names of comparisons, got {shown({test: names}, 80)}"
            raise YamlTextError(document.line([test]), reason)
        for name, values in names.items():
            line = document.line([test, name])
            if not isinstance(name, str) or not isinstance(values, list) or not values:
                reason = f"a name is a text with a list of accepted values [...], got {shown({name: values}, 80)}"
                raise YamlTextError(line, reason)
            if len(set(map(encode_text, values))) < len(values):
                raise YamlTextError(line, f"{name} has the same value twice")
    for line, reason in document.misread():
        raise YamlTextError(line, reason)
    return tests


def read_accepted(path: Path, label: str = "") -> AcceptedValues:
    """Read a file of accepted values; an absent file has none."""
    with naming_file(label or str(path)):
        try:
            stat = path.stat()
        except FileNotFoundError:
            return {}
        return _read(path, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(maxsize=100)
def _read(path: Path, _time: int, _size: int) -> AcceptedValues:
    return parse_accepted(decode_text(path.read_bytes()))


@contextmanager
def naming_file(label: str) -> Iterator[None]:
    """Raise RecordError with the name of the file, and the line, for a file that cannot be read."""
    try:
        yield
    except YamlTextError as error:
        raise RecordError(error.at(label)) from None
    except OSError as error:
        raise RecordError(f"{label} cannot be read: {error.strerror}") from None


def find_entry(
    root: Path, module: Path, test: str, name: str, *, old_names: Sequence[str] = (), redaction: Redaction = str
) -> AcceptedEntry:
    """Return the accepted values of a comparison in a test of a module, which may have had other names before."""
    path = file_of(module)
    # A file outside of the root directory is read, but no command writes it.
    file = path.relative_to(root).as_posix() if path.is_relative_to(root) else f"../{path.name}"
    try:
        tests = read_accepted(path, file)
    except RecordError as error:
        return AcceptedEntry(file, test, problem=str(error))
    for owner in (test, *old_names):
        values = tests.get(owner, {}).get(name, ())
        if values:
            # Of a single value, the record has the value itself.
            several = content_digest(redaction(encode_text(values))) if len(values) > 1 else ""
            return AcceptedEntry(file, owner, values, digest=several[:16])
    names = tests.get(test, {})
    close = similar(name, list(names), 1) if names else similar(test, list(tests), 1)
    hint = f" (the nearest is {close[0]!r})" if close else ""
    command = "run pytest with --verify-report, then `pytest-verdict accept --review`"
    return AcceptedEntry(file, test, problem=f"{file} has no accepted value {name!r} of {test}{hint}; {command}")
