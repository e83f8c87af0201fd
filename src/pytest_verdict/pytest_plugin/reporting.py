"""Start the report of a session: who records, who writes, and where."""

from pathlib import Path
from typing import Final

import pytest

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.pytest_plugin import captured
from pytest_verdict.pytest_plugin.recorder import Recorder
from pytest_verdict.pytest_plugin.report_folder import report_folder
from pytest_verdict.pytest_plugin.session_gates import asked_gates, refuse_wrong_baseline
from pytest_verdict.pytest_plugin.shards import WHOLE, Whole, shard_of
from pytest_verdict.pytest_plugin.xdist_transport import PENDING_COUNT, RecordSender, mapped_counts, place_of_worker
from pytest_verdict.report.compression import FORMS
from pytest_verdict.report.journal import JOURNAL
from pytest_verdict.report.junit import Profile, checked_profile
from pytest_verdict.session import SESSION

# Python refuses to read numbers of thousands of digits.
_MOST_DIGITS: Final = 18


def start(config: pytest.Config) -> None:
    """Register the recorder where tests run, and the controller where reports arrive."""
    redaction = SESSION.redaction
    gates = asked_gates(config)
    flush = _chosen(config, "verdict_flush", "test", "comparison")
    recorder = Recorder(config, redaction, flush, SESSION.observer, with_markers=bool(gates))
    # Restored with the rest of the slot when the session ends.
    SESSION.observer = recorder.observe
    SESSION.rows_observer = recorder.observe_rows
    SESSION.next_place = recorder.next_place
    config.pluginmanager.register(captured, "verdict-suite-properties")
    if shard_of(config):
        config.pluginmanager.register(Whole(config), WHOLE)
    if hasattr(config, "workerinput"):
        path = config.workerinput[PENDING_COUNT]
        SESSION.journal = Path(path).parent
        recorder.pending = mapped_counts(path)[place_of_worker(config.workerinput["workerid"]) :]
        config.pluginmanager.register(RecordSender(recorder), "verdict-record-sender")
    else:
        from pytest_verdict.pytest_plugin.controller import Controller

        folder = report_folder(config)
        refuse_wrong_baseline(config, folder)
        header = {
            "profile": _profile(config),
            "limit": _limit(config),
            "records": _chosen(config, "verdict_records", *FORMS),
            "asked": {"fields": [], **({"gates": gates} if gates else {})},
        }
        html = _chosen(config, "verdict_html", "auto", "always", "never")
        controller = Controller(config, recorder, folder, header=header, html=html, redaction=redaction)
        config.pluginmanager.register(controller, "verdict-controller")
        SESSION.journal = folder / JOURNAL
    config.pluginmanager.register(recorder, "verdict-recorder")


def _profile(config: pytest.Config) -> Profile:
    try:
        return checked_profile(config.getini("verdict_junit_profile"))
    except ConfigurationError as error:
        raise pytest.UsageError(f"verdict_junit_profile: {error}") from None


def _chosen(config: pytest.Config, key: str, *choices: str) -> str:
    given = str(config.getini(key))
    if given not in choices:
        known = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise pytest.UsageError(f"{key}: {known} is needed, got {given!r}")
    return given


def _limit(config: pytest.Config) -> int:
    given = str(config.getini("verdict_report_limit"))
    if not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise pytest.UsageError(f"verdict_report_limit: a whole number from 0 is needed, got {given!r}")
    return int(given)
