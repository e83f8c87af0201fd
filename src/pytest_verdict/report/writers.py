"""Who writes the files of a report: ourselves, and other packages, which cannot harm what we write."""

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
"""The page for people, which is made of a report."""
_PLAIN_NAME: Final = re.compile(r"\w[\w.-]*(?<!\.new)")
_TAKEN: Final = (RECORDS, SHARD, *report_writers(), PAGE, "journal", "report.earlier")


def write_own(contents: Contents, new: NewFiles) -> list[str]:
    """Write our files, and give their names."""
    files: dict[str, Any] = {}
    contents = replace(contents, run={**contents.run, "files": files})
    for name, place in report_writers().items():
        path = new.write(name, load(place)(contents))
        if name == JUNIT:
            with path.open("rb") as lines:
                files[name] = junit_digests(lines)
    return list(report_writers())


def write_others(contents: Contents, new: NewFiles) -> list[str]:
    """Write the files of other packages and put them in place; give what they could not do."""
    files, problems = brought()
    for name, place in files.items():
        try:
            new.write(name, load(place)(contents))
            new.put_in_place([name])
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a writer may raise anything, and our own files are whole
            new.remove(name)
            problems.append(f"{name} was not written, because its writer {place} raised {visible(safe_repr(error))}")
    return problems


def brought() -> tuple[Mapping[str, str], list[str]]:
    """Find the files of other packages and their writers, and what is wrong with them."""
    try:
        found = FAMILIES.all("report_writers")
    except Exception as error:  # noqa: BLE001 - a hook of another package may raise anything
        return {}, [visible(str(error))]
    others = {name: place for name, place in found.items() if name not in report_writers()}
    refused = [name for name in others if not _PLAIN_NAME.fullmatch(name) or name.lower().startswith(_TAKEN)]
    problems = [f"a file of the report cannot be called {visible(repr(name))}" for name in refused]
    return {name: place for name, place in others.items() if name not in refused}, problems
