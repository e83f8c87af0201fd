"""The examples of the documentation run and print what they show."""

import contextlib
import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import pytest_verdict
from pytest_verdict.cli import main
from tools.documentation import REPOSITORY, blocks_of, pages

PAGES = pages()
STORIES = [page for page in PAGES if any(list(block.commands()) for block in blocks_of(page))]
# Its sessions start workers.
SLOW = {"xdist.md"}
SCRIPTS = {"pytest": "pytest", "pytest-verdict": "pytest_verdict"}
# Plugins that these pages do not need and that take a while to load.
# Sessions inside a test forget the modules that they imported first; what is imported here stays one and the same.
for module in pkgutil.walk_packages(pytest_verdict.__path__, "pytest_verdict."):
    if "__main__" not in module.name:
        importlib.import_module(module.name)

QUIET = "-p no:cacheprovider -p no:asyncio -p no:anyio -p no:hypothesispytest -p no:rerunfailures"


def _name(page):
    return page.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_python_blocks_run(page):
    namespace = {"__name__": "page"}
    for block in blocks_of(page):
        if block.language != "python" or block.file_name:
            continue
        if ">>>" in block.content:
            test = doctest.DocTestParser().get_doctest(block.content, namespace, _name(page), str(page), block.line)
            printed = []
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
            assert runner.run(test, out=printed.append, clear_globs=False).failed == 0, "".join(printed)
        else:
            code = "\n" * (block.line - 1) + block.content
            exec(compile(code, str(page), "exec"), namespace)


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=_name(page), marks=pytest.mark.ci if page.name in SLOW else ()) for page in STORIES]
)
def test_console_blocks_print_their_output(page, pytester, monkeypatch, capsys):
    folder = pytester.path
    shutil.copytree(REPOSITORY / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setenv("COLUMNS", "80")
    # Nobody accepts values in CI.
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", QUIET)
    # A file that is written again in the same second must not be taken for the one before.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    that_exit = {block.file_name for block in blocks_of(page) if "os._exit" in block.content}
    for block in blocks_of(page):
        if block.file_name:
            _write(folder / block.file_name, block.content)
        elif block.language == "console":
            for command, shown in block.commands():
                words = shlex.split(command)
                run = _in_a_process if that_exit & {*words} else _in_this_process
                printed = run(words, pytester, capsys)
                missing = first_missing(shown, [line for line in printed.splitlines() if line.strip()])
                assert missing is None, f"{_name(page)}:{block.line}: $ {command}\nnot printed: {missing}\n{printed}"


def _write(path: Path, content: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".toml":
        path.with_name("pytest.ini").unlink(missing_ok=True)
    # Plain text has no comments, so there the name is no part of it.
    text = content.partition("\n")[2] if path.suffix in {".txt", ".md"} else content
    path.write_text(text, encoding="utf-8")


def _in_this_process(words, pytester, capsys):
    program, *arguments = words
    capsys.readouterr()
    if program == "pytest":
        # A module of this session may be called like one of the page; it is put back.
        own = {path.stem for path in pytester.path.glob("*.py")} & sys.modules.keys()
        hidden = {name: sys.modules.pop(name) for name in own}
        pytester.runpytest_inprocess(*arguments)
        sys.modules.update(hidden)
    else:
        # Modules of one page may be called like those of another.
        modules = {**sys.modules}
        with contextlib.suppress(SystemExit):
            main(arguments)
        for name in sys.modules.keys() - modules.keys():
            del sys.modules[name]
    printed = capsys.readouterr()
    return printed.out + printed.err


def _in_a_process(words, pytester, capsys):
    program, *arguments = words
    done = subprocess.run(
        [sys.executable, "-m", SCRIPTS[program], *arguments],
        cwd=pytester.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return done.stdout + done.stderr


def first_missing(shown, printed):
    """Find the first shown line that is not printed after the ones before it; directly after, unless ``...`` is between."""
    position, anywhere = 0, True
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        pattern = re.sub(r"([\[*?])", r"[\1]", line.rstrip()).replace("...", "*")
        candidates = range(position, len(printed)) if anywhere else range(position, min(position + 1, len(printed)))
        found = next((index for index in candidates if fnmatchcase(printed[index].rstrip(), pattern)), None)
        if found is None:
            return line
        position, anywhere = found + 1, False
    return None
