"""A session of pytest as a test sees it: files and arguments in, everything that came out of it as one value."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lxml import etree

from pytest_verdict.report.json_report import record_schema, report_schema
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file

FOLDER = "verify-report"
RECORD, REPORT_FILE = (jsonschema.Draft202012Validator(schema()) for schema in (record_schema, report_schema))
# For the head of a test file. The peak that getrusage tells begins with that of the process which started this one.
PEAK = """
import re, resource, sys
from pathlib import Path

def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        # macOS tells bytes, the others kilobytes.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    return int(re.search(r"VmHWM:\\s*([0-9]+) kB", status.read_text())[1])
"""
REPORT = ("--verify-report",)
# What a session inside a test must not inherit: its plugins would run twice, and CI changes how much pytest shows.
HIDDEN_VARIABLES = ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", "CI", "BUILD_NUMBER", "PYTEST_CURRENT_TEST")
# Only the plugins that a test names: sessions start faster, and what other plugins warn of does not matter here.
FEW_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def import_for_good(*packages: str) -> None:
    """Import all modules of some packages: sessions inside a test forget those that they imported first."""
    importlib.import_module("pytest_verdict.comparator")
    for module in ("xdist.dsession", "xdist.looponfail"):
        importlib.import_module(module)
    for package in packages:
        home = importlib.import_module(f"pytest_verdict.{package}")
        for module in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            # Some modules need pyarrow, of an extra.
            with contextlib.suppress(ModuleNotFoundError):
                importlib.import_module(module.name)


@dataclass
class Run:
    """The result of a session."""

    path: Path
    status: int
    stdout: str
    stderr: str = ""
    outcomes: Mapping[str, int] | None = None
    folder_name: str = FOLDER

    @property
    def folder(self) -> Path:
        return self.path / self.folder_name

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    @cached_property
    def records_bytes(self) -> bytes:
        return (self.folder / "records.jsonl").read_bytes()

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.records_bytes.splitlines()]
        for record in found:
            RECORD.validate(record)
        return found

    @cached_property
    def report(self) -> dict[str, Any]:
        found = json.loads((self.folder / "report.json").read_bytes())
        REPORT_FILE.validate(found)
        return found

    @cached_property
    def junit(self) -> etree._Element:
        return etree.fromstring((self.folder / "junit.xml").read_bytes())

    def tests(self) -> dict[str, str]:
        """Outcomes by the last part of the node id."""
        return {test["test"].rpartition("::")[2]: test["outcome"] for test in self.report["tests"]}

    def case(self, name: str) -> etree._Element:
        (found,) = [case for case in self.junit.iter("testcase") if case.get("name") == name]
        return found

    def totals(self, *names: str) -> dict[str, int]:
        tests = self.report["totals"]["tests"]
        return {name: tests[name] for name in names or tests if name in names or tests[name]}

    def check_agreement(self) -> None:
        """Check that report, records and JUnit say the same, and the same as pytest itself."""
        tests = self.report["totals"]["tests"]
        assert sum(number for name, number in tests.items() if name != "total") == tests["total"]
        assert tests["total"] == len(self.report["tests"])
        cases = list(self.junit.iter("testcase"))
        assert len(cases) == tests["total"]
        assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
        counted = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error", "skipped")}
        assert counted["failure"] == tests["failed"] + tests["unfinished"]
        assert counted["error"] == tests["error"]
        assert counted["skipped"] == tests["skipped"] + tests["xfailed"]
        for case in cases:
            assert len(case.findall("failure") + case.findall("error") + case.findall("skipped")) <= 1
        suites = list(self.junit.iter("testsuite"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert sum(int(suite.get(attribute)) for suite in suites) == counted[tag]
        assert sum(int(suite.get("tests")) for suite in suites) == int(self.junit.get("tests")) == len(cases)
        self._check_records()
        self._check_folder()
        if self.outcomes is not None:
            self._check_outcomes(tests)

    def _check_records(self) -> None:
        assert self.report["records"]["count"] == len(self.records)
        assert len({record["id"] for record in self.records}) == len(self.records)
        final = {
            test["test"]: test.get("repeats", {}).get("attempt", len(test["attempts"])) for test in self.report["tests"]
        }
        last = [record for record in self.records if record["attempt"] == final[record["test"]]]
        comparisons = self.report["totals"]["comparisons"]
        assert comparisons["total"] == len(last)
        assert comparisons["pass"] == sum(record["verdict"] == "pass" for record in last)
        assert self.report["totals"]["comparisons_of_earlier_attempts"] == len(self.records) - len(last)
        assert len(self.report["comparisons"]) + self.report["comparisons_omitted"] == len(self.records)

    def _check_folder(self) -> None:
        """Check that replay would find nothing that was altered."""
        assert list(map(str, replay_file(RecordsFile(str(self.folder))).findings)) == []

    def _check_outcomes(self, tests: Mapping[str, int]) -> None:
        totals = self.report["totals"]
        # pytest's closing line counts every attempt that was not a rerun, and a repeated test once.
        again = Counter(
            outcome
            for test in self.report["tests"]
            for outcome in ([test["outcome"]] if "repeats" in test else test["attempts"])
        )
        again.subtract({outcome: tests[outcome] for outcome in again if outcome in tests})
        mine = {
            "failed": tests["failed"] + again["failed"] + totals["subtests"]["failed"],
            "skipped": tests["skipped"],
            "xfailed": tests["xfailed"],
            "xpassed": tests["xpassed"],
        }
        # A test whose teardown failed is one test here, and twice in pytest's closing line.
        torn = sum(test["outcome"] == "error" and test.get("teardown_error", False) for test in self.report["tests"])
        pytests = {name: self.outcomes.get(name, 0) for name in (*mine, "passed", "errors")}
        assert mine.items() <= pytests.items(), (mine, pytests)
        assert pytests["errors"] == tests["error"] - torn + totals["teardown_errors"]
        assert pytests["passed"] == tests["passed"] + again["passed"] + torn


Runner = Callable[..., Run]


class Harness:
    """Runs sessions in the folder of the fixture ``pytester``."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in HIDDEN_VARIABLES:
            monkeypatch.delenv(name, raising=False)
        for name, value in FEW_PLUGINS.items():
            monkeypatch.setenv(name, value)
        # A file that is written anew in the same second with the same size would be taken for the one before.
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        self.pytester = pytester
        self.path = pytester.path
        self.monkeypatch = monkeypatch

    def write(self, files: Mapping[str, str] | str) -> None:
        named = {"test_it.py": files} if isinstance(files, str) else files
        for name, content in named.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")

    def run(self, files: Mapping[str, str] | str = (), *args: str, process: bool = False) -> Run:
        """Run a session; in this process unless it needs one of its own. Workers always have theirs."""
        if files:
            self.write(files)
        distributed = any(argument.startswith("-n") for argument in args)
        args = ("-p", "verdict", *(("-p", "xdist") if distributed else ()), *args)
        run = self.pytester.runpytest_subprocess if process else self.pytester.runpytest_inprocess
        # Pytest refuses a test file if this process has already imported another one of that name, such as one of ours.
        for path in self.path.glob("test_*.py"):
            self.monkeypatch.delitem(sys.modules, path.stem, raising=False)
        result = run(*args)
        stdout, stderr = str(result.stdout), str(result.stderr)
        assert "INTERNALERROR" not in stdout + stderr, stdout + stderr
        try:
            outcomes = result.parseoutcomes()
        except ValueError:
            outcomes = None
        return Run(self.path, int(result.ret), stdout, stderr, outcomes)

    def start(self, files: Mapping[str, str] | str, *args: str) -> subprocess.Popen[str]:
        """Start a session that a test will send a signal to."""
        self.write(files)
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "verdict", "-p", "no:cacheprovider", *args],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**{name: value for name, value in os.environ.items() if name not in HIDDEN_VARIABLES}, **FEW_PLUGINS},
        )

    def interrupt(
        self, files: Mapping[str, str] | str, *args: str, by: signal.Signals, group: bool = False, at: str = "ready"
    ) -> Run:
        """Run a session until it makes the file ``at``, then send it a signal and wait for its end."""
        process = self.start(files, *args)
        deadline = time.monotonic() + 30
        while not (self.path / at).exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if group:
            os.killpg(process.pid, by)
        else:
            process.send_signal(by)
        stdout, _ = process.communicate(timeout=30)
        return Run(self.path, process.returncode, stdout)


def structure(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report without times and environment, which differ between runs."""
    return {name: value for name, value in report.items() if name != "run"}
