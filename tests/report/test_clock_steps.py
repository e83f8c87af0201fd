"""A clock that steps back changes the times in a report, and nothing else."""

from __future__ import annotations

import hashlib
import re
import shutil

import pytest

from pytest_verdict.cli import main
from pytest_verdict.report import urls
from pytest_verdict.report.reading import read_report
from test_conformance import SESSION

COMMANDS = [
    "replay REPORT",
    "explain REPORT --failed",
    "summary REPORT --format markdown",
    "summary REPORT --format ctrf",
    "summary REPORT --format gitlab-codequality",
    "summary REPORT --format github",
    "table REPORT --by operator",
    "numbers REPORT",
    "view REPORT --no-open",
    "diff REPORT REPORT",
    "bundle REPORT -o evidence.zip",
    "push REPORT --store runs",
    "runs --store runs",
    "history --store runs",
]
# When it began and when it ended.
TIMES = [
    ("2026-06-01T12:00:00+00:00", "2026-06-01T11:00:00+00:00"),
    ("2026-06-01T12:00:00+00:00", "1970-01-01T00:00:00+00:00"),
    ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"),
    ("2026-06-01T12:00:00+14:00", "2026-06-01T12:00:00-12:00"),
    ("2026-06-01T12:00:00+00:00", "2026-06-01T12:00:00+00:00"),
]


def ended(folder, capsys):
    codes = {}
    for command in COMMANDS:
        codes[command] = main(command.replace("REPORT", str(folder)).split())
        assert "raised" not in capsys.readouterr().err
    return codes


@pytest.mark.parametrize(
    "times", [TIMES[0], *(pytest.param(times, marks=pytest.mark.ci) for times in TIMES[1:])], ids=str
)
def test_commands_read_a_session_that_ended_before_it_began(tmp_path, monkeypatch, capsys, times):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(urls.Path, "home", lambda: tmp_path / "home")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    shutil.copytree(SESSION, tmp_path / "before")
    usual = ended(tmp_path / "before", capsys)
    shutil.rmtree(tmp_path / "runs")
    shutil.copytree(SESSION, tmp_path / "after")
    content = (SESSION / "report.json").read_bytes()
    for name, time in zip(("started", "finished"), times, strict=True):
        content = re.sub(rb'("%b": ")[^"]*' % name.encode(), rb"\g<1>" + time.encode(), content)
    # The digest at the end is that of all before it.
    start = content.rfind(b'"sha256": "') + len(b'"sha256": ')
    own = hashlib.sha256(content[:start]).hexdigest().encode()
    (tmp_path / "after" / "report.json").write_bytes(content[: start + 1] + own + content[start + 65 :])
    # The times are in junit.xml as well, so replay and bundle see that only one of the files was changed.
    changed = ended(tmp_path / "after", capsys)
    assert changed == {**usual, "replay REPORT": 1, "bundle REPORT -o evidence.zip": 1}
    assert read_report(tmp_path / "after").milliseconds() is not None


STEPPING = """
import datetime, time
import pytest
from pytest_verdict import assert_matches

OFFSET = [0.0]
TIME = time.time

class Stepping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(TIME() + OFFSET[0], tz)

@pytest.fixture(autouse=True)
def step(monkeypatch):
    # An hour back with each test, for all that asks for the time.
    OFFSET[0] -= 3_600
    monkeypatch.setattr(time, "time", lambda: TIME() + OFFSET[0])
    monkeypatch.setattr(time, "time_ns", lambda: int((TIME() + OFFSET[0]) * 1e9))
    monkeypatch.setattr(datetime, "datetime", Stepping)

@pytest.mark.parametrize("number", range(4))
def test_it(number):
    assert_matches("exact", number % 2, 0)
"""


def test_session_whose_clock_steps_back_has_the_same_outcomes(pytester, few_plugins, capsys):
    pytester.makepyfile(test_it=STEPPING)
    for words in ((), ("--verify-report",)):
        result = pytester.runpytest_inprocess("-pno:cacheprovider", *words)
        result.assert_outcomes(passed=2, failed=2)
    report = read_report(pytester.path / "verify-report")
    assert report.complete
    assert all(seconds >= 0 for seconds in report.run.seconds.values())
    assert main(["replay", str(pytester.path / "verify-report")]) == 0
