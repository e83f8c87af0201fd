"""What the tests of several runs share: runs as sessions would write them, made of results."""

from __future__ import annotations

import json

import pytest

from written_records import lines_of


@pytest.fixture
def write(tmp_path):
    """Write results as a file of records, each attempt or test of its own."""

    def write_run(name, *results, **place):
        path = tmp_path / f"{name}.jsonl"
        with path.open("ab") as file:
            file.write(lines_of(results, **place))
        return path

    return write_run


@pytest.fixture
def changes(command, write):
    """Compare two runs of one result each, or of lists of them, and give the changes and the exit code."""

    def run(old, new, *words):
        paths = [
            write(name, *one) if isinstance(one, list) else write(name, one)
            for name, one in (("old", old), ("new", new))
        ]
        status, out, _ = command("diff", *paths, "--format", "json", *words)
        found = json.loads(out)
        for path in paths:
            path.unlink()
        return status, found["changes"], found["information"]

    return run
