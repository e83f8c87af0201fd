"""Start the report of a session: check its options, and register who records and who writes."""

import os
import shlex
from pathlib import Path
from typing import Final

import pytest
from _pytest.config.findpaths import get_common_ancestor, get_dirs_from_args, locate_config

from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.pytest_plugin import captured
from pytest_verdict.pytest_plugin.recorder import JOURNAL_KEY, Recorder, RecordSender
from pytest_verdict.pytest_plugin.selection import SELECTION, Selection
from pytest_verdict.pytest_plugin.shards import WHOLE, CollectedTests, shard_of
from pytest_verdict.pytest_plugin.storing import ADDRESS, BASELINE, fetch_baseline, read_renames, session_tags
from pytest_verdict.report.journal import JOURNAL
from pytest_verdict.report.junit import check_profile
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.gates import read_gate
from pytest_verdict.session import SESSION

# Python refuses to read numbers of thousands of digits.
_MOST_DIGITS: Final = 18
_FOLDER_OPTION: Final = "--verify-report-dir"


def start(config: pytest.Config) -> None:
    """Register the recorder where tests run, and the controller where reports arrive."""
    if getattr(config.option, "dist", "no") == "each" and not hasattr(config, "workerinput"):
        raise pytest.UsageError("--dist=each runs every test in every worker; a report has one result of each")
    gates = _read_gates(config)
    flush = _choice(config, "verdict_flush", "test", "comparison")
    recorder = Recorder(config, SESSION.redaction, flush, SESSION.observer)
    # Restored with the rest of the slot when the session ends.
    SESSION.observer = recorder.observe
    SESSION.rows_observer = recorder.observe_rows
    config.pluginmanager.register(captured, "verdict-suite-properties")
    config.pluginmanager.register(Selection(config), SELECTION)
    if shard_of(config):
        config.pluginmanager.register(CollectedTests(config), WHOLE)
    if hasattr(config, "workerinput"):
        SESSION.journal = Path(config.workerinput[JOURNAL_KEY])
        config.pluginmanager.register(RecordSender(recorder), "verdict-record-sender")
    else:
        from pytest_verdict.pytest_plugin.controller import Controller

        folder = _report_folder(config)
        session_tags(config)
        read_renames(config)
        _check_baseline(config, folder)
        try:
            profile = check_profile(config.getini("verdict_junit_profile"))
        except ConfigurationError as error:
            raise pytest.UsageError(f"verdict_junit_profile: {error}") from None
        limit = str(config.getini("verdict_report_limit"))
        if not limit.isdecimal() or len(limit) > _MOST_DIGITS:
            raise pytest.UsageError(f"verdict_report_limit: a whole number from 0 is needed, got {limit!r}")
        header = {
            "profile": profile,
            "limit": int(limit),
            "asked": {"fields": [], "numbers": [], **({"gates": gates} if gates else {})},
        }
        html = _choice(config, "verdict_html", "auto", "always", "never")
        controller = Controller(config, recorder, folder, header=header, html=html)
        config.pluginmanager.register(controller, "verdict-controller")
        SESSION.journal = folder / JOURNAL
    config.pluginmanager.register(recorder, "verdict-recorder")


def _choice(config: pytest.Config, key: str, *choices: str) -> str:
    value = str(config.getini(key))
    if value not in choices:
        raise pytest.UsageError(f"{key}: {', '.join(choices[:-1])} or {choices[-1]} is needed, got {value!r}")
    return value


def _read_gates(config: pytest.Config) -> list[dict[str, str]]:
    """Read the gates of the ini file and of the command line."""
    texts = dict.fromkeys([*config.getini("verdict_gate"), *config.option.verify_gate])
    if SESSION.redaction is not None and any(SESSION.redaction(text) != text for text in texts):
        raise pytest.UsageError("a gate of this session holds what verdict_redact matches, and the report has its text")
    try:
        return [{"gate": read_gate(text).text} for text in texts]
    except ConfigurationError as error:
        raise pytest.UsageError(f"a gate of this session cannot be read: {error}") from None


def _check_baseline(config: pytest.Config, folder: Path) -> None:
    """Refuse a baseline that does not exist, or that the report of this session would replace."""
    name = config.option.verify_baseline
    if name is None:
        return
    if name.startswith(ADDRESS):
        config.stash[BASELINE] = fetch_baseline(config, name)
        return
    _is_separate_argument(config, "--verify-baseline", name)
    baseline = config.stash[BASELINE] = config.invocation_params.dir / name
    try:
        RecordsFile(str(baseline))
    except RecordError as error:
        raise pytest.UsageError(f"--verify-baseline: {error}") from None
    if folder.resolve() in {baseline.resolve(), baseline.resolve().parent}:
        raise pytest.UsageError(
            f"--verify-baseline: this session writes to {name} itself; keep the baseline in another folder, or write"
            f" elsewhere with {_FOLDER_OPTION}"
        )


def _report_folder(config: pytest.Config) -> Path:
    name = config.option.verify_report_dir
    if name == "":
        raise pytest.UsageError(
            f"{_FOLDER_OPTION} is empty, perhaps because a variable is not set; name a folder or leave it out"
        )
    if name is None:
        return config.rootpath / str(config.getini("verdict_report_dir"))
    call = config.invocation_params
    if _is_separate_argument(config, _FOLDER_OPTION, name) and _FOLDER_OPTION in call.args:
        # The folder exists when workers read the arguments, so the option becomes one argument.
        arguments = list(call.args)
        at = arguments.index(_FOLDER_OPTION)
        arguments[at : at + 2] = [f"{_FOLDER_OPTION}={name}"]
        config.invocation_params = config.InvocationParams(args=arguments, plugins=call.plugins, dir=call.dir)
    return Path(call.dir / name)


def _is_separate_argument(config: pytest.Config, option: str, name: str) -> bool:
    """Return whether option and folder are two arguments; raise if this made pytest miss its configuration."""
    call = config.invocation_params
    if option not in (*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *call.args):
        return False
    # Before pytest knows this option, it takes an existing folder in an argument of its own for a place of tests.
    if (call.dir / name).exists() and not config.option.inifilename:
        place = get_common_ancestor(call.dir, get_dirs_from_args(config.args))
        missed, values = locate_config(call.dir, [place])[1:3]
        if values and missed != config.inipath:
            raise pytest.UsageError(
                f"{option} {name} made pytest look for its configuration there and miss {missed}; write {option}={name}"
            )
    return True
