"""The folder tests/conformance: reports and records that any reader, and every later version, must understand.

``session/`` is the report of a small session, ``expected.json`` what a reader derives from it, ``altered/`` single alterations of
its records, and ``corpus-1.jsonl`` a record of each case of each operator. Once a version is released its corpus is never written
again: the next format gets its own, and `CORPUS` names that one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.generate import REPOSITORY

HERE = REPOSITORY / "tests" / "conformance"
FOLDER = HERE / "altered"
CORPUS = HERE / "corpus-1.jsonl"
SESSION = HERE / "session"
# What pytest prints of a failed assertion, and their digests, differ between its versions.
UNCHECKED = {SESSION / "junit.xml", SESSION / "report.json"}

ENVIRONMENT = {
    "pytest_verdict": "0.1.0",
    "pytest": "9.0.0",
    "python": "3.11.0",
    "platform": "Linux",
    "arguments": [],
    "workers": 0,
}


def files() -> dict[Path, bytes]:
    sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "tests" / "report")]
    from conformance.reader import read

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "tools.generators.conformance", str(folder)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        report = folder / "verify-report"
        if not (report / "report.json").is_file():
            raise RuntimeError(f"the session wrote no report:\n{done.stdout}{done.stderr}")
        session = {
            SESSION / file: (report / file).read_bytes() for file in ("records.jsonl", "report.json", "junit.xml")
        }
        expected = json.dumps(read(report), indent=1) + "\n"
        return {**session, HERE / "expected.json": expected.encode(), **altered_records(report), CORPUS: corpus()}


def altered_records(report: Path) -> dict[Path, bytes]:
    """Return the alterations of the records, each as a file whose name says what was changed."""
    from altered_folder import ALTERATIONS, RECORDS

    records = (report / RECORDS).read_bytes()
    contents = {}
    for name, _, _, change in ALTERATIONS:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(report, folder, dirs_exist_ok=True)
            change(Path(folder))
            path = Path(folder) / RECORDS
            if path.is_file() and path.read_bytes() != records:
                contents[HERE / "altered" / f"{re.sub('[^a-z]+', '_', name)}.jsonl"] = path.read_bytes()
    return contents


def corpus() -> bytes:
    from operators.cases import CASES
    from test_replay import line_of

    # The name of a comparison says which row of the table it comes from.
    return b"".join(line_of(case.compare(name=f"{case.operator}-{number}")) for number, case in enumerate(CASES))


def run_session(folder: Path) -> None:
    """Run the session in this process with a fixed clock."""
    import time

    time.time = lambda: 1_767_225_600.0
    time.perf_counter = lambda: 0.0
    import pytest
    from altered_folder import SESSION as SOURCE

    from pytest_verdict.pytest_plugin import controller

    controller.describe_environment = lambda *_: dict(ENVIRONMENT)
    (folder / "test_it.py").write_text(SOURCE, encoding="utf-8")
    for name in ("PYTEST_ADDOPTS", "CI", "BUILD_NUMBER"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(folder)
    plugins = ["-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    pytest.main(["-q", "--rootdir=.", "--verify-report", *plugins])


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY / "tests" / "report"))
    run_session(Path(sys.argv[1]))
