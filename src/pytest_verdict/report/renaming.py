"""Renamed tests: the ini key ``verdict_renamed``, and the present names of the tests of an earlier run."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError

_LINE: Final = re.compile(r"\s*(\S(?:.*\S)?)\s+->\s+(\S(?:.*\S)?)\s*")
# A name covers what is in its folder, module or class, and all parameters of its function.
_ENDINGS: Final = ("/", "::", "[")


def parse_renames(lines: Iterable[str]) -> dict[str, str]:
    """Parse lines such as ``tests/a.py::old -> tests/a.py::new``; return the new names by the old ones."""
    renames: dict[str, str] = {}
    for line in filter(str.strip, lines):
        match = _LINE.fullmatch(line)
        if match is None or line.count(" -> ") > 1:
            raise ConfigurationError(
                f"a line is OLD -> NEW, such as tests/a.py::old -> tests/a.py::new, got {shown(line)}"
            )
        old, new = match.groups()
        if old in renames or new in renames.values():
            twice = old if old in renames else new
            raise ConfigurationError(f"{shown(twice)} occurs twice; a test has one old and one new name")
        renames[old] = new
    for old in renames:
        name = old
        for _ in renames:
            name = renames.get(name, name)
        if name in renames:
            raise ConfigurationError(f"{shown(old)} has no new name, because the lines lead back to {shown(name)}")
    return renames


def present_name(test: str, renames: Mapping[str, str]) -> str:
    """Return the present name of a test, which may have been renamed several times; the oldest line is the first."""
    for old, new in renames.items():
        if test == old or test.startswith(tuple(old + end for end in _ENDINGS)):
            test = new + test.removeprefix(old)
    return test


def present_names(tests: Collection[str], renames: Mapping[str, str], present: Collection[str]) -> dict[str, str]:
    """Return the tests of an earlier run that were renamed, with their names in a later run that has the present tests.

    No test is renamed that still exists, or to the name of another test of the earlier run.
    """
    names: dict[str, str] = {}
    for test in tests:
        name = present_name(test, renames) if renames else test
        if test not in present and name not in tests and name not in names.values():
            names[test] = name
    return names
