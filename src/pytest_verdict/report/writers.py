"""Writing the files of a report: our own, and those of plugins, whose errors do not affect ours."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.core.values.display import safe_repr, visible
from pytest_verdict.report.journal import RECORDS, SHARD
from pytest_verdict.report.junit import JUNIT, junit_digests
from pytest_verdict.report.plugin import report_writers
from pytest_verdict.report.summary import Contents

PAGE: Final = "report.html"
"""The page of a report."""
_PLAIN_NAME: Final = re.compile(r"\w[\w.-]*(?<!\.new)")
_RESERVED: Final = (RECORDS, SHARD, *report_writers(), PAGE, "journal", "report.earlier")


def write_own_files(contents: Contents, new: NewFiles) -> list[str]:
    """Write our own files, and return their names."""
    files: dict[str, Any] = {}
    contents = replace(contents, run={**contents.run, "files": files})
    for name, place in report_writers().items():
        path = new.write(name, load(place)(contents))
        if name == JUNIT:
            with path.open("rb") as lines:
                files[name] = junit_digests(lines)
    return list(report_writers())


def write_plugin_files(contents: Contents, new: NewFiles) -> list[str]:
    """Write the files of plugins and put them in place; return the problems."""
    files, problems = plugin_files()
    for name, place in files.items():
        try:
            new.write(name, load(place)(contents))
            new.put_in_place([name])
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a plugin may raise anything, and our own files are already whole
            new.remove(name)
            problems.append(f"{name} was not written, because its writer {place} raised {visible(safe_repr(error))}")
    return problems


def plugin_files() -> tuple[Mapping[str, str], list[str]]:
    """Return the files of plugins with their writers, and the problems of their names."""
    try:
        writers = FAMILIES.all("report_writers")
    except Exception as error:  # noqa: BLE001 - the hook of a plugin may raise anything
        return {}, [visible(str(error))]
    files = {}
    problems = []
    for name, place in writers.items():
        if name in report_writers():
            continue
        if _PLAIN_NAME.fullmatch(name) and not name.lower().startswith(_RESERVED):
            files[name] = place
        else:
            problems.append(f"a file of the report cannot be called {visible(repr(name))}")
    return files, problems
