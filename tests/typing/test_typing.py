"""A type checker reads the public functions as they are documented."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def test_the_public_functions_have_the_types_they_say(mypy_cache):
    pytest.importorskip("mypy.api")
    command = [
        *(
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--config-file",
            str(HERE.parents[1] / "pyproject.toml"),
        ),
        *("--cache-dir", str(mypy_cache), "--follow-imports", "silent", str(HERE / "public_api.py")),
    ]
    found = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parents[1])
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
