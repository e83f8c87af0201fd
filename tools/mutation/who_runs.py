"""A pytest plugin: writes which tests call which functions of the package, and runs the tests that are wanted alone."""

import json
import os
import sys
import threading
from pathlib import Path

WRITE = os.environ.get("WHO_RUNS_WRITE")
WANTED = os.environ.get("WHO_RUNS_WANTED")


class Calls:
    """By place of a function, the tests that call it."""

    def __init__(self) -> None:
        self.of_test: set[tuple[str, int]] = set()
        self.tests: dict[str, list[str]] = {}

    def trace(self, frame, _event, _argument):
        code = frame.f_code
        if "/pytest_verdict/" in code.co_filename:
            self.of_test.add((code.co_filename, code.co_firstlineno))

    def end(self, test: str) -> None:
        for path, line in self.of_test:
            inside = path.rpartition("/pytest_verdict/")[2]
            self.tests.setdefault(f"{inside}:{line}", []).append(test)
        self.of_test.clear()


CALLS = Calls()


def pytest_collection_modifyitems(items):
    if WANTED:
        wanted = set(json.loads(Path(WANTED).read_text("utf-8")))
        items[:] = [item for item in items if item.nodeid in wanted]


def pytest_runtest_logstart():
    if WRITE:
        threading.settrace(CALLS.trace)
        sys.settrace(CALLS.trace)


def pytest_runtest_logfinish(nodeid):
    if WRITE:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        CALLS.end(nodeid)


def pytest_sessionfinish():
    if WRITE:
        Path(WRITE).write_text(json.dumps(CALLS.tests), "utf-8")
