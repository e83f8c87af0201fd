"""The command line as a whole."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_verdict import compare
from pytest_verdict.cli import main
from pytest_verdict.core import families
from pytest_verdict.core.families import FAMILIES


def test_installed_program_runs(records):
    program = shutil.which("pytest-verdict", path=str(Path(sys.executable).parent))
    assert program is not None
    found = subprocess.run([program, "replay", records(compare("exact", 1, 1))], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (0, "1 record: 1 identical\n", "")


@pytest.mark.parametrize("words", [["--help"], ["replay", "--help"], ["operators", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words):
    code = f"import sys; sys.argv[1:] = {words!r}\ntry:\n    import pytest_verdict.__main__\nexcept SystemExit: pass\n"
    code += "heavy = {'pydantic', 'pytest', 'hypothesis'} & set(sys.modules); assert not heavy, heavy"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    assert "pytest-verdict" in found.stdout


@pytest.mark.parametrize("command", FAMILIES.own("commands"))
def test_every_command_lists_its_exit_codes(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert "exit codes:" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["repaly"], ["replay"], ["operators", "--bad"]])
def test_invalid_arguments_exit_with_2(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.ci
def test_closed_pipe_prints_no_traceback():
    program = f"{sys.executable} -m pytest_verdict operators --json | head -c 10"
    found = subprocess.run(program, shell=True, capture_output=True, text=True)
    assert found.stderr == ""


@pytest.mark.ci
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["replay", "--help"], ["operators"]])
@pytest.mark.parametrize("buffering", ["", "1"], ids=["buffered", "unbuffered"])
def test_unread_pipe_prints_no_traceback(words, buffering):
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONUNBUFFERED": buffering}
    command = [sys.executable, "-m", "pytest_verdict", *words]
    found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writing)
    assert found.stderr == ""
    # What argparse writes by itself may have been refused without a word.
    assert found.returncode in ({0, 141} if "--help" in words else {141})


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="closes streams by the shell's syntax")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_exit_code_without_stdout_and_stderr(closed, records):
    path = records(compare("exact", 1, 1))
    for file, status in ((path, 0), (path.with_name("absent"), 2)):
        program = f"{shlex.quote(sys.executable)} -m pytest_verdict replay {shlex.quote(str(file))} {closed}"
        found = subprocess.run(program, shell=True, capture_output=True, text=True)
        assert found.returncode == status
        assert "Traceback" not in found.stderr


def test_missing_file_is_named_without_errno(command, tmp_path):
    absent = tmp_path / "absent.verdict.yaml"
    assert command("check", absent) == (2, "", f"pytest-verdict: {absent}: No such file or directory\n")


def test_narrow_encoding_does_not_break_output(records):
    path = records(compare("exact", "é" * 3, "…"))
    command = [sys.executable, "-X", "utf8=0", "-m", "pytest_verdict", "explain", path, "--id", "d502734708c1-1-1"]
    found = subprocess.run(command, capture_output=True, env={"PYTHONIOENCODING": "ascii"})
    assert (found.returncode, found.stderr) == (0, b"")
    assert rb"\xe9\xe9\xe9" in found.stdout


@pytest.mark.parametrize("words", [["repaly", "x"], ["repaly", "--help"], ["--json", "repaly"]])
def test_unknown_command_is_suggested(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert "usage: pytest-verdict" in err
    assert "unknown command 'repaly'. Did you mean 'replay'? Allowed: " in err


COMMAND = "def add_arguments(parser): parser.epilog = 'exit codes: 0'\ndef run(arguments): print('done'); return 3\n"


@pytest.fixture
def another_package(tmp_path, monkeypatch):
    """Install a package that brings two commands, one of which cannot be imported."""
    (tmp_path / "other_family.py").write_text(
        "from pytest_verdict import Command, hookimpl\n"
        "@hookimpl\n"
        "def commands(): return {'theirs': Command('do it', 'other_command'), 'gone': Command('no', 'no_such_module')}\n"
    )
    (tmp_path / "other_command.py").write_text(COMMAND)
    information = tmp_path / "other-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[pytest_verdict]\nother = other_family\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(FAMILIES, "_has_looked", False)


def test_commands_of_another_package_run(another_package, command, capsys):
    assert command("theirs") == (3, "done\n", "")
    assert command("gone")[::2] == (
        2,
        "pytest-verdict: the command gone (no_such_module) cannot be imported: No module named 'no_such_module'\n",
    )
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "do it" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["thiers"])
    assert "Did you mean 'theirs'?" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--version"], ["operators", "--help"], ["replay", "theirs"]])
def test_other_packages_are_loaded_only_on_demand(words, monkeypatch, capsys):
    monkeypatch.setattr(FAMILIES, "_has_looked", False)
    monkeypatch.setattr(families, "load_installed", lambda *_: pytest.fail("entry points were read"))
    with contextlib.suppress(SystemExit):
        main(words)
