"""Names and settings of operators are completed by editors, and wrong ones refused by type checkers.

CI runs type checkers and an editor's language server; `tests/test_generated_files.py` checks the stub itself.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from language_server import LanguageServer

import pytest_verdict
from pytest_verdict import OperatorName, OperatorRegistry, compare

HERE = pathlib.Path(__file__).parent
USER_FILE, PUBLIC_FILE = HERE / "user_file.py", HERE / "public_api.py"
SOURCE = pathlib.Path(pytest_verdict.__file__).parents[1]
REFUSED = {number for number, line in enumerate(USER_FILE.read_text().splitlines(), 1) if line.endswith("  # refused")}
# With what these import they are two thousand modules, of which neither file has anything.
NOT_READ = """
[[tool.mypy.overrides]]
module = ["pydantic_ai.*", "opentelemetry.*"]
follow_imports = "skip"
"""


@pytest.mark.ci
def test_mypy_refuses_only_wrong_calls(tmp_path):
    """Both in one run, because what mypy learns first of pydantic and pytest takes it some seconds."""
    pytest.importorskip("mypy.api")
    options = ["--strict", "--follow-imports", "silent", "--no-error-summary", "--hide-error-context"]
    (tmp_path / "pyproject.toml").write_text((HERE.parents[1] / "pyproject.toml").read_text() + NOT_READ)
    configuration = ["--config-file", str(tmp_path / "pyproject.toml"), "--cache-dir", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, *configuration, str(USER_FILE), str(PUBLIC_FILE)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parents[1])
    said = found.stdout.splitlines()
    assert ([line for line in said if USER_FILE.name not in line], found.stderr) == ([], "")
    errors = [line for line in said if ": error: " in line]
    assert {int(re.search(r":(\d+): error: ", line).group(1)) for line in errors} == REFUSED, found.stdout
    assert {line.rpartition("  ")[2] for line in errors} == {"[call-overload]", "[list-item]", "[call-arg]"}


@functools.cache
def pyright_runs() -> str | None:
    """Say why pyright cannot be run, if so; on its first run it fetches itself from npm."""
    if importlib.util.find_spec("pyright") is None:
        return "pyright is not installed; it is in the dependency group 'types'"
    tried = subprocess.run([sys.executable, "-m", "pyright", "--version"], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"pyright cannot be run: {tried.stderr[-300:]}"


def configured(folder: pathlib.Path) -> pathlib.Path:
    if reason := pyright_runs():
        pytest.skip(reason)
    settings = {"extraPaths": [str(SOURCE)], "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.ci
def test_pyright_refuses_only_wrong_calls(tmp_path):
    folder = configured(tmp_path)
    (folder / "user_file.py").write_text(USER_FILE.read_text())
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "user_file.py"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    errors = [one for one in json.loads(found.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    assert {one["range"]["start"]["line"] + 1 for one in errors} == REFUSED, errors
    assert {one["rule"] for one in errors} == {"reportArgumentType", "reportCallIssue"}
    # It says which of the arguments is wrong.
    sentences = [one["message"] for one in errors]
    assert any('Literal[\'exakt\']" is not assignable to "OperatorName"' in sentence for sentence in sentences)
    assert any("parameter \"mode\" of type \"Literal['relative', 'absolute']\"" in sentence for sentence in sentences)


BEGINNING = """\
from pytest_verdict import Comparator, compare, expect
from pytest_verdict.operators import Exact

comparator = Comparator()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return configured(tmp_path_factory.mktemp("editor"))


@pytest.fixture(scope="module")
def editor(folder):
    """One for all tests, as it takes seconds to read what a file imports."""
    with LanguageServer([sys.executable, "-m", "pyright.langserver", "--stdio"], folder) as server:
        yield server


@pytest.mark.ci
def test_editor_completes_names_and_settings(editor, folder):
    def offered(line: str) -> list[str]:
        return editor.completions(folder / "user.py", BEGINNING + line)

    for call in ("compare", "expect", "comparator", "comparator.assert_matches", "comparator.with_defaults"):
        names = offered(f'{call}("|")')
        assert {'"exact"', '"numeric_tolerance"', '"trajectory_f1"'} <= set(names), call
        assert '"answer_template"' not in names
    assert "tolerance=" in offered('compare("numeric_tolerance", 37.0, 36.8, to|)')
    assert "tolerance=" in offered('comparator.with_defaults("numeric_tolerance", to|)')
    assert offered('compare("numeric_tolerance", 1, 1, tolerance=1, mode="|")') == ['"relative"', '"absolute"']
    for call in ('compare("exact", "a", "A", normalize=["|"])', 'Exact(normalize=["|"])'):
        assert {'"lowercase"', '"strip"'} <= set(offered(call)), call


@pytest.mark.ci
def test_editor_shows_documentation(editor, folder):
    shown = {
        call: editor.hover(folder / "user.py", f"{BEGINNING}{call}|")
        for call in ("compare", "expect", "comparator.assert_matches", "comparator.with_defaults")
    }
    assert "Compare an observed value with an expected one by a named operator." in shown["compare"]
    assert "Return the right-hand side of an" in shown["expect"]
    assert "fail the test unless the comparison passes" in shown["comparator.assert_matches"]
    assert "Return a comparator with other defaults" in shown["comparator.with_defaults"]


def test_operator_name_works_like_any_name():
    result = compare(OperatorName("numeric_tolerance"), 37.0, 36.8, tolerance=0.5, mode="absolute")
    assert result == compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute")
    assert type(result.operator) is str
    registry = OperatorRegistry()
    registry.add(lambda expected, observed: True, name=OperatorName("always"))
    assert registry.names() == ["always"]
