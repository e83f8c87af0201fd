"""Long commands show count, rate and time left on a terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_verdict import compare

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "records.jsonl"
    members = compare("exact", "Paris", "Paris").to_text()[1:-1]
    place = '"test":"test_it.py::test_it","attempt":1,"ordinal":{0},"path":"test_it.py","line":1'
    line = f'{{{{"record":1,"id":"0123456789ab-1-{{0}}",{members.replace("{", "{{").replace("}", "}}")},{place}}}}}\n'
    path.write_text("".join(line.format(number) for number in range(1, 30_001)))
    return path


def replay(path, **streams):
    command = [sys.executable, "-m", "pytest_verdict", "replay", str(path)]
    return subprocess.run(command, check=False, env={**os.environ, "TERM": "xterm"}, **streams)


@pytest.mark.ci
def test_progress_on_a_terminal(records):
    controlling, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest_verdict", "replay", str(records)], stdout=subprocess.DEVNULL, stderr=terminal
    )
    os.close(terminal)
    shown = bytearray()
    try:
        while part := os.read(controlling, 1_000):
            shown += part
    except OSError:
        # The other end is closed.
        pass
    process.wait()
    os.close(controlling)
    text = shown.decode()
    assert "records: " in text
    assert "B/s" in text
    assert text.rstrip(" \r").count("\n") == 0


@pytest.mark.ci
def test_no_progress_outside_a_terminal(records):
    done = replay(records, capture_output=True)
    assert done.stderr == b""
    assert done.stdout == b"30000 records: 30000 identical\n"
