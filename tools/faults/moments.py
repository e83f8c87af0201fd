"""Ctrl-C at every line of the code that writes: either the report is whole and agrees with pytest, or its journal does.

``python -m tools.faults.moments`` tries each line the first time that it runs, the last, and once in between: in the session's
own process, with ``-n2`` also in a worker. With ``--all`` it tries every time, and with ``--step 50`` every fiftieth of them.
"""

from __future__ import annotations

import argparse
import contextlib
import linecache
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tools.faults.oracle import CONFTEST, TESTS, Finding, examine, noted

FILES = (
    *("recorder.py", "controller.py", "attempts.py", "deferred_signals.py", "report/journal.py"),
    *("building.py", "report/folder.py", "summary.py"),
)
CONTROL_C: Final = "SIGINT"
HIDDEN = ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "CI", "BUILD_NUMBER")


def run_at(moment: str, arguments: Sequence[str], project: Path, name: str = CONTROL_C) -> tuple[int | str, Finding]:
    """Run a session of its own in which a signal comes at a moment, such as ``controller:17``."""
    for file, content in {"conftest.py": CONFTEST, "fault.py": "def strike(place): pass\n", **TESTS}.items():
        (project / file).write_text(content)
    child = os.fork()
    if not child:
        _session(moment, arguments, project, name)
    _, status = os.waitpid(child, 0)
    ended = (project / "status").read_text() if (project / "status").exists() else f"killed {status}"
    outcome: int | str = int(ended) if ended.isdecimal() else ended
    return outcome, examine(project, outcome)


def _session(moment: str, arguments: Sequence[str], project: Path, signal_name: str) -> None:
    import pytest

    for name in HIDDEN:
        os.environ.pop(name, None)
    sys.settrace(None)
    os.environ |= {"FAULT_MOMENT": moment, "FAULT_FILES": " ".join(FILES), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "FAULT_SIGNAL": signal_name}
    os.chdir(project)
    with (project / "output").open("w") as output:
        for descriptor in (1, 2):
            os.dup2(output.fileno(), descriptor)
    try:
        status = str(int(pytest.main(["-p", "verdict", "-p", "no:cacheprovider", "--verify-report", *arguments])))
    except BaseException as error:
        status = f"{type(error).__name__} out of pytest.main"
    sys.settrace(None)
    (project / "status").write_text(status)
    os._exit(0)


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="moments"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def moments(who: str, arguments: Sequence[str]) -> list[list[int]]:
    """Return the moments of a session, grouped by line."""
    with _place() as project:
        run_at(f"{who}:0", arguments, project)
        return [list(line) for line in noted(project, "moments")[0][0]]


def _three(line: Sequence[int]) -> set[int]:
    return {line[0], line[len(line) // 2], line[-1]}


_AROUND_THE_WAIT: Final = (
    *("interrupted = False", "try:", "with ExitStack() as stack:"),
    *("if interrupted and session is not None:", "session.exitstatus = pytest.ExitCode.INTERRUPTED"),
)


def _is_around_the_wait(file: str, line: int) -> bool:
    # A hook that ends the session has not begun to wait for signals, or has ended: an exception comes out of pytest, and the
    # report or its journal is whole.
    text = linecache.getline(file, line)
    is_line_of_ours = "deferred_signals" in file and text.strip() in _AROUND_THE_WAIT
    return "interrupts_noted(" in text or "def pytest_" in text or is_line_of_ours


def failures(who: str, arguments: Sequence[str], moments: Sequence[int], name: str = CONTROL_C) -> Iterator[str]:
    """Send a signal at moments, and tell what went wrong at them."""
    for moment in moments:
        with _place() as project:
            status, finding = run_at(f"{who}:{moment}", arguments, project, name)
            struck = [f"{Path(file).name}:{line}" for file, line in noted(project, "struck")]
            faults = finding.faults
            if name != CONTROL_C and status == 0:
                faults = [*faults, f"{name}, and the session is green"]
            if (
                name == CONTROL_C
                and isinstance(status, str)
                and not any(_is_around_the_wait(*place) for place in noted(project, "struck"))
            ):
                faults = [*faults, status]
            if not struck:
                faults = [*faults, "no such moment"] if "-n2" not in arguments else faults
            yield from [f"moment {moment} at {''.join(struck)} ({finding.state}): {fault}" for fault in faults]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every moment, not the first, middle and last at each line")
    parser.add_argument("--step", type=int, default=1)
    given = parser.parse_args()
    step, chosen = given.step, (lambda line: line) if given.all else _three
    for who, arguments in (("controller", ()), ("controller", ("-p", "xdist", "-n2")), ("gw0", ("-p", "xdist", "-n2"))):
        lines = moments(who, arguments)
        every = sorted({moment for line in lines for moment in chosen(line)})
        tried, number = every[::step], sum(map(len, lines))
        found = list(failures(who, arguments, tried))
        print(f"{who} {' '.join(arguments)}: {len(tried)} of {number} moments, {len(found)} failures", flush=True)
        for line in found:
            print(f"  {line}")


if __name__ == "__main__":
    main()
