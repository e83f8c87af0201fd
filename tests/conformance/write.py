"""Write this folder again, after a change of the format: `python tests/conformance/write.py`.

`session/` is the report of a small session, `expected.json` what a reader derives from it, `altered/` single alterations of its
records, and `corpus-1.jsonl` records of every operator, which later versions must still read: once a version is released its
corpus is never written again, and the next format gets its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "report"), str(HERE)]

ENVIRONMENT = {
    "pytest_verdict": "0.1.0",
    "pytest": "9.0.0",
    "python": "3.11.0",
    "platform": "Linux",
    "arguments": [],
    "workers": 0,
}


def write_session() -> None:
    """Run the session of the alterations in this process."""
    import pytest
    from altered_folder import SESSION

    from pytest_verdict.pytest_plugin import controller

    controller.describe_environment = lambda *_: dict(ENVIRONMENT)
    shutil.rmtree(HERE / "session", ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "test_it.py").write_text(SESSION)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        os.chdir(name)
        plugins = ["-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
        pytest.main(["-q", "--rootdir=.", "--verify-report", *plugins])
        (HERE / "session").mkdir()
        for file in ("records.jsonl", "report.json", "junit.xml"):
            shutil.copy(f"verify-report/{file}", HERE / "session")
        os.chdir(HERE)


def write_altered() -> None:
    """Write the alterations of the records, each as a file whose name says what was done."""
    from altered_folder import ALTERATIONS, RECORDS

    shutil.rmtree(HERE / "altered", ignore_errors=True)
    (HERE / "altered").mkdir()
    for name, _, _, change in ALTERATIONS:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE / "session", folder, dirs_exist_ok=True)
            change(Path(folder))
            path = Path(folder) / RECORDS
            if path.is_file() and path.read_bytes() != (HERE / "session" / RECORDS).read_bytes():
                shutil.copy(path, HERE / "altered" / f"{re.sub('[^a-z]+', '_', name)}.jsonl")


def write_corpus() -> None:
    """Write a record of every example of every operator."""
    from pytest_verdict import compare
    from test_replay import examples, line_of

    lines = []
    for example in examples():
        name, expected, observed, settings = example.values
        lines.append(line_of(compare(name, expected, observed, name=example.id, **settings)).strip() + b"\n")
    (HERE / "corpus-1.jsonl").write_bytes(b"".join(lines))


if __name__ == "__main__":
    from reader import read

    write_session()
    write_altered()
    write_corpus()
    (HERE / "expected.json").write_text(json.dumps(read(HERE / "session"), indent=1) + "\n")
