"""Installed but unused, the plugin is free, silent, offline and leaves no file; a session inside a test is on its own."""

from __future__ import annotations

import re

import pytest

PLAIN = {
    "conftest.py": """
import socket, sys

def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")

socket.socket = refuse

def pytest_unconfigure():
    heavy = ("pytest_verdict", "pydantic", "jsonpath_ng", "rapidfuzz", "dateutil", "yaml")
    found = [name for name in sys.modules if name.startswith(heavy)]
    print("\\nmodules:", *sorted(found))
""",
    "test_it.py": """
def test_passes(): assert True
def test_fails(): assert [1] == [2]
""",
}
LIGHT = {
    "pytest_verdict",
    "pytest_verdict.budget",
    "pytest_verdict.session",
    "pytest_verdict.pytest_plugin",
    "pytest_verdict.pytest_plugin.repeating",
    "pytest_verdict.pytest_plugin.unchecked",
    "pytest_verdict.pytest_plugin.hookspecs",
    "pytest_verdict.pytest_plugin.plugin",
}


def comparable(stdout: str) -> list[str]:
    lines = re.sub(r"in \d+\.\d+s|=+", "", stdout).splitlines()
    return [line for line in lines if not line.startswith(("plugins:", "modules:", "running:"))]


@pytest.mark.ci
def test_unused_plugin_imports_writes_and_prints_nothing(harness, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    harness.write(PLAIN)
    few = [
        argument
        for name in ("asyncio", "anyio", "hypothesispytest", "rerunfailures", "xdist")
        for argument in ("-p", f"no:{name}")
    ]
    shared = ["-p", "no:cacheprovider", "-s", *few]
    runs = [harness.pytester.runpytest_subprocess(*shared, *more) for more in ((), ("-p", "no:verdict"))]
    with_plugin, without = (str(run.stdout) for run in runs)
    assert "verdict" in re.search(r"plugins: (.*)", with_plugin).group(1)
    imported = set(re.search(r"modules: ?(.*)", with_plugin).group(1).split())
    assert imported == LIGHT
    assert comparable(with_plugin) == comparable(without)
    assert runs[0].ret == runs[1].ret == 1
    left = {path.name for path in harness.path.iterdir() if not path.name.startswith(("__pycache__", "runpytest"))}
    assert left <= {"conftest.py", "test_it.py", "stdout", "stderr"}


@pytest.mark.ci
def test_inner_session_does_not_disturb_outer(harness):
    run = harness.run(
        {
            "conftest.py": "pytest_plugins = ['pytester']\n",
            "test_it.py": """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.mark.parametrize("args", [(), ("--verify-report",), ("-vv", "-o", "verdict_advice=no")])
def test_it(pytester, args):
    compare("exact", "before", "before")
    pytester.makepyfile(test_inner="from pytest_verdict import compare\\ndef test_inner(): compare('exact', 'in', 'in')\\n")
    pytester.runpytest_inprocess("-p", "verdict", *args).assert_outcomes(passed=1)
    compare("exact", "after", "after")

def test_fails(): assert_matches("exact", "x" * 1000, "y")
""",
        },
        "--verify-report",
        process=True,
    )
    run.check_agreement()
    assert [record["observed"] for record in run.records] == ["before", "after"] * 3 + ["y"]
    assert "…" in run.stdout.split("FAILURES")[1]


@pytest.mark.ci
def test_asserts_of_helpers_are_rewritten(harness):
    run = harness.run(
        {
            "conftest.py": "import pytest\npytest.register_assert_rewrite('checks')\n",
            "checks.py": "from pytest_verdict import compare\ndef check(value): assert compare('exact', 'good', value)\n",
            "test_it.py": "from checks import check\ndef test_it(): check('bad')\n",
        },
        "-W",
        "error",
        process=True,
    )
    assert run.outcomes == {"failed": 1}
    assert "E   exact: expected 'good', got 'bad'" in run.stdout
