"""A disk that is read-only or full, mounted for one command in a namespace of its own."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys

import pytest

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
TESTS = """
import pytest
from pytest_verdict import accepted, assert_matches

@pytest.mark.parametrize("number", range(12))
def test_city(number):
    assert_matches("exact", "Paris " * 9, "Paris " * 9 if number % 3 else "Rome", name="city")

def test_reply():
    assert_matches("exact", accepted(), "new", name="reply")
"""
ROWS = '{"id": "r1", "expected": "a", "observed": "a"}\n{"id": "r2", "expected": "a", "observed": "b"}\n'
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--verify-report"]
COMMAND = [sys.executable, "-m", "pytest_verdict"]
SCORE = ["score", "rows.jsonl", "--operator", "exact", "--expected", "$.expected", "--observed", "$.observed"]
# The command, and what it says before the reason of the system.
COMMANDS = {
    "session": ([*PYTEST, "--verify-report-dir=new"], "the verification report cannot be written to"),
    "session with workers": (
        [*PYTEST, "--verify-report-dir=new", "-n2"],
        "the verification report cannot be written to",
    ),
    "session over an earlier report": (PYTEST, "the verification report cannot be written to"),
    "score": ([*COMMAND, *SCORE, "-o", "new"], "new"),
    "score in parts": ([*COMMAND, *SCORE, "-o", "new", "--layout", "parts"], "new"),
    "bundle": ([*COMMAND, "bundle", "verify-report", "-o", "new.zip"], "new.zip: "),
    "push": ([*COMMAND, "push", "verify-report", "--store", "store"], "store"),
    "accept": ([*COMMAND, "accept", "--all"], "test_it.accepted.yaml: nothing was written: "),
    "init": ([*COMMAND, "init", "new"], "new"),
}
DISKS = {
    "read-only": ("Read-only file system", "mount -o remount,ro ."),
    "full": ("No space left on device", "dd if=/dev/zero of=filling bs=4096 2> /dev/null"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with the report of a session."""
    if shutil.which("unshare") is None or subprocess.run([*NAMESPACE, "true"], check=False).returncode:
        pytest.skip("needs unshare, and a system on which a user may make namespaces")
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_it.py").write_text(TESTS)
    (folder / "test_it.accepted.yaml").write_text("test_reply:\n  reply: [old]\n")
    (folder / "rows.jsonl").write_text(ROWS)
    subprocess.run(PYTEST, cwd=folder, check=False, capture_output=True)
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    return folder


@pytest.mark.ci
@pytest.mark.parametrize("disk", DISKS)
@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_so_and_changes_no_file(project, tmp_path, monkeypatch, name, disk):
    command, problem = COMMANDS[name]
    reason, make_so = DISKS[disk]
    (tmp_path / "disk").mkdir()
    copy = tmp_path / "copy"
    steps = [
        # So small that a few files fill it, and a whole page for each of them.
        f"mount -t tmpfs -o size=512k none {tmp_path}/disk && cd {tmp_path}/disk && cp -r {project}/. . || exit 99",
        make_so,
        '"$@"',
        "status=$?",
        f"cp -r . {copy}",
        "exit $status",
    ]
    monkeypatch.delenv("CI", raising=False)
    ended, output = run_steps(monkeypatch, steps, command)
    assert ended.returncode == (pytest.ExitCode.USAGE_ERROR if command[: len(PYTEST)] == PYTEST else 2), output
    lines = [line for line in output.splitlines() if reason in line]
    assert len(lines) == 1, output
    assert problem in lines[0]
    assert ".new: " not in lines[0]
    assert "Traceback" not in output
    before = digests(project)
    assert {path: digest for path, digest in digests(copy).items() if path in before} == before


@pytest.mark.ci
@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["serial", "workers"])
@pytest.mark.parametrize("rest", [16, 256])
def test_disk_that_fills_up_in_a_session_fails_it(project, tmp_path, monkeypatch, rest, workers):
    (tmp_path / "disk").mkdir()
    (tmp_path / "test_many.py").write_text(
        "from pytest_verdict import assert_matches\n"
        "def test_many():\n"
        "    for number in range(200): assert_matches('exact', 'x' * 2_000, 'x' * 2_000)\n"
    )
    steps = [
        f"mount -t tmpfs -o size=2m none {tmp_path}/disk && cd {tmp_path}/disk && cp {tmp_path}/test_many.py . || exit 99",
        f"dd if=/dev/zero of=filling bs=1024 2> /dev/null; truncate -s -{rest}K filling",
        'exec "$@"',
    ]
    ended, output = run_steps(monkeypatch, steps, [*PYTEST, *workers])
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, output
    assert "the verification report in verify-report is not complete, so this session does not pass" in output
    assert "No space left on device" in output
    assert "Traceback" not in output


def run_steps(monkeypatch, steps, command):
    """Run shell commands in a namespace, in which ``"$@"`` is the command."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    ended = subprocess.run(
        [*NAMESPACE, "sh", "-c", "\n".join(steps), "sh", *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ended, ended.stdout + ended.stderr


def digests(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
