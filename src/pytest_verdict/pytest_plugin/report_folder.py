"""The folder of the report, and how pytest understands it on the command line."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

OPTION: Final = "--verify-report-dir"
_OWN_FILES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_SHARED_FILES: Final = {"pyproject.toml": "[tool.pytest", "tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}


def report_folder(config: pytest.Config) -> Path:
    """Return the folder of the report."""
    given = config.option.verify_report_dir
    if given == "":
        raise pytest.UsageError(
            f"{OPTION} is empty, perhaps because a variable is not set; name a folder or leave it out"
        )
    if given is None:
        return config.rootpath / str(config.getini("verdict_report_dir"))
    if is_apart(config, OPTION, given):
        _join(config, given)
    return Path(config.invocation_params.dir / given)


def is_apart(config: pytest.Config, option: str, given: str) -> bool:
    """Say whether a blank is between an option and its folder; refuse that where pytest missed its configuration by it."""
    if option not in (*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *config.invocation_params.args):
        return False
    # Before pytest knows this option, it takes an existing folder after a blank for a place of tests.
    missed = None
    if (config.invocation_params.dir / given).exists():
        missed = _missed_configuration(config)
    if missed is not None:
        raise pytest.UsageError(
            f"{option} {given} made pytest look for its configuration there and miss {missed}; write {option}={given}"
        )
    return True


def _missed_configuration(config: pytest.Config) -> Path | None:
    if config.option.inifilename:
        return None
    wanted = next(_configurations(_common_folder(config)), None)
    found = config.inipath and config.inipath.parent
    if wanted is not None and wanted.parent != found:
        return wanted
    return None


def _common_folder(config: pytest.Config) -> Path:
    start = config.invocation_params.dir
    places = [os.path.abspath(start / argument.split("::")[0]) for argument in config.args]  # noqa: PTH100 - as pytest does
    common = Path(os.path.commonpath([place for place in places if os.path.exists(place)] or [str(start)]))  # noqa: PTH110
    return common if common.is_dir() else common.parent


def _configurations(folder: Path) -> Iterator[Path]:
    """Give the files that configure pytest in a folder and those above it, the nearest first."""
    for place in (folder, *folder.parents):
        for name in (*_OWN_FILES, *_SHARED_FILES):
            path = place / name
            if path.is_file() and _SHARED_FILES.get(name, "") in path.read_text(encoding="utf-8", errors="replace"):
                yield path


def _join(config: pytest.Config, given: str) -> None:
    """Write the option as one argument, because the folder exists when workers read it."""
    before = config.invocation_params
    arguments = list(before.args)
    if OPTION in arguments[:-1]:
        at = arguments.index(OPTION)
        arguments[at : at + 2] = [f"{OPTION}={given}"]
    config.invocation_params = config.InvocationParams(args=arguments, plugins=before.plugins, dir=before.dir)
