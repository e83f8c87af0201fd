"""The fault matrix: thirty causes, without workers, with two, and with two by file; what is left is compared with the oracle.

``python -m tools.faults.matrix`` prints the table of docs/explanation/reliability.md; ``pytest -m faults tests/faults`` runs it
as tests.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.faults.oracle import CONFTEST, TESTS, Finding, examine

MODES = {"-n0": (), "-n2": ("-p", "xdist", "-n2"), "loadfile": ("-p", "xdist", "-n2", "--dist=loadfile")}
LIMIT = 60

# In a victim's setup, call and teardown: what happens there. Once, where a worker that is started anew would die again.
FAULT = """
import ctypes, os, signal, sys, threading, time
from pathlib import Path
import pytest

ONCE = Path(__file__).with_name("struck-once")

def exit_now(number=1): os._exit(number)
def kill(number, process=None): os.kill(process or os.getpid(), number); time.sleep(5)
def controller(): return os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
def time_limit_by_alarm():
    def limit(number, frame): pytest.fail("time limit")
    signal.signal(signal.SIGALRM, limit); signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(5)
def time_limit_by_thread():
    threading.Timer(0.05, exit_now).start(); time.sleep(5)
def fork_and_end():
    child = os.fork()
    if not child:
        from pytest_verdict import compare
        compare("exact", "in the child", "in the child"); os._exit(0)
    os.waitpid(child, 0)
def fork_and_return():
    child = os.fork()
    if child: os.waitpid(child, 0)
    else: raise SystemExit("in the child")
def fill_disk():
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_500, 4_500))
def remove_folder():
    import shutil
    shutil.rmtree(Path(__file__).with_name("verify-report"))
def late_thread():
    from pytest_verdict import compare
    threading.Thread(target=lambda: [time.sleep(0.02), compare("exact", "late", "late")]).start()
def raise_(error): raise error

def strike(place):
    if place == "PLACE" and not ONCE.exists():
        ONCE.touch()
        ACTION
"""


@dataclass(frozen=True)
class Cause:
    """A fault, and the place where it strikes."""

    name: str
    place: str = ""
    action: str = "pass"
    conftest: str = ""
    arguments: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()


_HOOK = "\n@pytest.hookimpl(tryfirst=True)\ndef pytest_{}: {}\n"
_FULL = """
import fault
def pytest_sessionstart(session):
    if WHO == "controller": fault.fill_disk()
"""
_LINK = """
import pathlib
for name in ("records.jsonl", "report.json", "junit.xml"):
    link = pathlib.Path(HERE, "verify-report", name + ".new")
    if WHO == "controller" and link.parent.exists() and not link.is_symlink(): link.symlink_to(HERE + "/precious")
"""
CAUSES = (
    Cause("nothing"),
    Cause("KeyboardInterrupt in a setup", "setup", "raise KeyboardInterrupt"),
    Cause("KeyboardInterrupt in a test", "call", "raise KeyboardInterrupt"),
    Cause("KeyboardInterrupt in a teardown", "teardown", "raise KeyboardInterrupt"),
    Cause("SIGINT to the process of the test", "call", "kill(signal.SIGINT)"),
    Cause("SIGINT to the whole session", "call", "os.killpg(0, signal.SIGINT); time.sleep(5)"),
    Cause("SIGTERM to the process of the test", "call", "kill(signal.SIGTERM)"),
    Cause("SIGHUP to the process of the test", "call", "kill(signal.SIGHUP)"),
    Cause("SIGKILL in a setup", "setup", "kill(signal.SIGKILL)"),
    Cause("SIGKILL in a test", "call", "kill(signal.SIGKILL)"),
    Cause("SIGKILL in a teardown", "teardown", "kill(signal.SIGKILL)"),
    Cause("SIGKILL of the session's own process", "call", "kill(signal.SIGKILL, controller())"),
    Cause("segmentation fault", "call", "ctypes.string_at(0)"),
    Cause("os.abort", "call", "os.abort()"),
    Cause("os._exit(0) in a test", "call", "exit_now(0)"),
    Cause("os._exit(1) in a teardown", "teardown", "exit_now()"),
    Cause("time limit by a thread that ends the process", "call", "time_limit_by_thread()"),
    Cause("time limit by SIGALRM", "call", "time_limit_by_alarm()"),
    Cause("sys.exit in a test", "call", "sys.exit(3)"),
    Cause("pytest.exit in a test", "call", "pytest.exit('enough')"),
    Cause("MemoryError in a test", "call", "raise_(MemoryError())"),
    Cause("child that is forked and compares", "call", "fork_and_end()"),
    Cause("child that is forked and returns into pytest", "call", "fork_and_return()"),
    Cause("thread that compares after its test", "call", "late_thread()"),
    Cause("full disk", conftest=_FULL),
    Cause("report folder removed", "call", "remove_folder()"),
    Cause("stop at the first failure", arguments=("-x",)),
    Cause("module that cannot be collected", files=(("test_broken.py", "import does_not_exist\n"),)),
    Cause("plugin that raises with a report", conftest=_HOOK.format("runtest_logfinish()", "raise OSError('plugin')")),
    Cause("plugin that raises at the end", conftest=_HOOK.format("sessionfinish()", "raise OSError('plugin')")),
    Cause("link in place of a new file", conftest=_LINK),
)  # fmt: skip


@dataclass
class Cell:
    """How one session ended, and what it left."""

    status: int | None
    finding: Finding

    def __str__(self) -> str:
        ended = "hangs" if self.status is None else f"exit {self.status}"
        wrong = "; ".join(self.finding.faults)
        return f"{ended}, {self.finding.state}" + (f", WRONG: {wrong}" if wrong else "")


def older_report(folder: Path) -> bytes:
    """Make the report of an earlier session."""
    (folder / "test_older.py").write_text(
        "from pytest_verdict import compare\ndef test_older(): compare('exact', 'older', 'older')\n"
    )
    _run(folder, ("test_older.py",))
    (folder / "test_older.py").unlink()
    return (folder / "verify-report" / "report.json").read_bytes()


def run(cause: Cause, mode: str, project: Path, older: bytes) -> Cell:
    """Run a session in a folder that holds the report of an earlier one."""
    fault = FAULT.replace("PLACE", cause.place or "nowhere").replace("ACTION", cause.action)
    files = {"conftest.py": CONFTEST + cause.conftest, "fault.py": fault, **TESTS, **dict(cause.files)}
    for name, content in files.items():
        (project / name).write_text(content)
    (project / "precious").write_text("precious")
    status = _run(project, (*MODES[mode], *cause.arguments))
    finding = examine(project, 1 if status is None else status, older)
    if (project / "precious").read_text() != "precious":
        finding.faults.append("a file outside of the report was written to")
    return Cell(status, finding)


def _run(project: Path, arguments: tuple[str, ...]) -> int | None:
    hidden = ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "CI", "BUILD_NUMBER")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "verdict", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    with (project / "output").open("w") as output:
        process = subprocess.Popen(
            [*command, "--verify-report", *arguments],
            cwd=project,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            return process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def cell(cause: Cause, mode: str) -> Cell:
    """Run a session in a place of its own."""
    project = Path(tempfile.mkdtemp(prefix="faults"))
    try:
        return run(cause, mode, project, older_report(project))
    finally:
        shutil.rmtree(project, ignore_errors=True)


def table(pattern: str = "") -> list[str]:
    """Run the causes whose name is found, and write the table."""
    rows = [f"| what happens | {' | '.join(MODES)} |", f"|---|{'---|' * len(MODES)}"]
    for cause in CAUSES:
        if re.search(pattern, cause.name):
            rows.append(f"| {cause.name} | {' | '.join(str(cell(cause, mode)) for mode in MODES)} |")
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    print("\n".join(table(*sys.argv[1:])))
