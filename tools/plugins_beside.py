"""What other plugins do with xdist, CI, a killed session, a renamed test and two sessions at once, beside this one.

python -m tools.plugins_beside [--python PYTHON] runs the same small projects with every plugin that is installed for an
interpreter, and prints three tables in Markdown. A plugin that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ACCEPTING = ("syrupy", "inline-snapshot", "pytest-insta", "pytest-verdict")
REPEATING = ("pytest-repeat", "flaky", "pytest-rerunfailures", "pytest-agent-eval", "pytest-verdict")
STORING = ("evaltrack", "pytest-verdict")
PLUGINS = {
    "syrupy": "syrupy",
    "inline-snapshot": "inline_snapshot",
    "pytest-insta": "insta",
    "pytest-repeat": "pytest_repeat",
    "flaky": "flaky",
    "pytest-rerunfailures": "rerunfailures",
    "pytest-agent-eval": "agent_eval",
    "evaltrack": "evaltrack",
    "pytest-verdict": "verdict",
    "pytest-xdist": "xdist",
}
KILL = 'import os, signal\ndef test_z():\n    if os.environ.get("KILL"): os.kill(os.getpid(), signal.SIGKILL)\n'
COUNTS = re.compile(r"^=* ?(\d+ \w+.*?) in [\d.]+s", re.MULTILINE)


@dataclass
class Project:
    """A folder with tests of one plugin."""

    python: str
    tool: str
    folder: Path
    plugin: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        hidden = {"CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "PYTEST_ADDOPTS", "VERDICT_STORE"}
        variables = {name: value for name, value in os.environ.items() if name not in hidden}
        variables |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1", **environment}
        command = [self.python, "-m", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=variables, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )

    def run(self, *words: str, **environment: str) -> tuple[int, str]:
        process = self.start(*words, **environment)
        out, _ = process.communicate(timeout=300)
        return process.returncode, out

    def session(self, *words: str, **environment: str) -> str:
        """Run pytest, and return its outcomes in words."""
        xdist = ("-p", "xdist") if "-n2" in words else ()
        plugins = ("-p", self.plugin, *xdist)
        status, out = self.run("pytest", *plugins, "--color=no", *words, **environment)
        counts = COUNTS.findall(out)
        if counts:
            return str(counts[-1])
        errors = [line for line in out.splitlines() if "error" in line.lower()]
        return errors[0].strip()[:90] if errors else f"exit status {status}"

    def contents(self) -> dict[str, bytes]:
        """Return the files of values, which are no reports and caches."""
        skipped = ("verify-report", "__pycache__", ".pytest_cache", ".inline-snapshot")
        paths = [path for path in self.folder.rglob("*") if path.is_file() and not {*path.parts} & {*skipped}]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}


# ---- accepted values
SNAPSHOTS = {
    "syrupy": ('def test_b(snapshot): assert "two" == snapshot\n', ["--snapshot-update"]),
    "inline-snapshot": (
        'from inline_snapshot import snapshot\ndef test_b(): assert "two" == snapshot()\n',
        ["--inline-snapshot=create"],
    ),
    "pytest-insta": ('def test_b(snapshot): assert snapshot() == "two"\n', ["--insta=update"]),
    "pytest-verdict": (
        """from pytest_verdict import accepted, assert_matches
def test_b(): assert_matches("exact", accepted(), "two", name="value")
""",
        [],
    ),
}


def accept(project: Project, *words: str, **environment: str) -> str:
    """Write the missing value as the documentation of the plugin says, and return what came of it."""
    test, options = SNAPSHOTS[project.tool]
    if not (project.folder / "test_it.py").exists():
        project.write("test_it.py", test)
    before = project.contents()
    outcome = project.session(
        *options, *words, "--verify-report" if project.tool == "pytest-verdict" else "-q", **environment
    )
    if project.tool == "pytest-verdict":
        if "KILL" in environment:
            project.run("pytest_verdict", "report", "verify-report")
        status, out = project.run("pytest_verdict", "accept", "--all", **environment)
        outcome += f"; `accept`: {out.splitlines()[-1][:60]}" if status < 2 else "; `accept` refuses"
    changed = project.contents() != before
    return f"{outcome}; {'written' if changed else 'nothing written'}"


def rename(project: Project) -> str:
    accept(project)
    path = project.folder / "test_it.py"
    path.write_text(path.read_text().replace("test_b", "test_new"))
    outcome = project.session("--verify-report" if project.tool == "pytest-verdict" else "-q")
    if project.tool != "pytest-verdict":
        return outcome
    project.write("pytest.ini", "[pytest]\nverdict_renamed = test_it.py::test_b -> test_it.py::test_new\n")
    return f"{outcome}; with `verdict_renamed`: {project.session()}"


def kill_while_accepting(project: Project) -> str:
    project.write("test_z.py", KILL)
    return accept(project, KILL="1")


ACCEPTED: Mapping[str, Callable[[Project], str]] = {
    "`-n2`": lambda project: accept(project, "-n2"),
    "`CI=true`": lambda project: accept(project, CI="true"),
    "killed session": kill_while_accepting,
    "renamed test": rename,
}

# ---- repeats
BODY = """    with open("log", "a") as file: file.write(f"{os.getpid()}\\n")
    number = len(open("log").readlines())
    if os.environ.get("KILL") and number == 2: os.kill(os.getpid(), signal.SIGKILL)
    assert number != 1
"""
REPEATED = {
    "pytest-repeat": "@pytest.mark.repeat(4)\n",
    "flaky": "@flaky.flaky(max_runs=4, min_passes=3)\n",
    "pytest-rerunfailures": "@pytest.mark.flaky(reruns=3)\n",
    "pytest-verdict": "@pytest.mark.verdict_repeat(4, at_least=3)\n",
}
AGENT = """import os, signal, pytest
@pytest.fixture
def llm_eval_agent():
    async def agent(messages):
        with open("log", "a") as file: file.write(f"{os.getpid()}\\n")
        number = len(open("log").readlines())
        if os.environ.get("KILL") and number == 2: os.kill(os.getpid(), signal.SIGKILL)
        return ("no" if number == 1 else "yes"), []
    return agent
"""
TRANSCRIPT = """id: flaky
threshold: 0.75
runs: 4
turns:
  - user: hello
    expect:
      reply_contains_any: ["yes"]
"""


def repeat(project: Project, *words: str, **environment: str) -> str:
    """Run a test that fails in its first attempt only, and return how it counts."""
    if project.tool == "pytest-agent-eval":
        project.write("conftest.py", AGENT)
        project.write("evals/a.yaml", TRANSCRIPT)
        project.write("pyproject.toml", '[tool.agent_eval]\nlive = true\nyaml_dirs = ["evals"]\n')
    else:
        imports = "import os, signal, pytest\n" + ("import flaky\n" if project.tool == "flaky" else "")
        project.write("test_it.py", f"{imports}{REPEATED[project.tool]}def test_b():\n{BODY}")
    report = ["--verify-report"] if project.tool == "pytest-verdict" else []
    outcome = project.session("--junit-xml=junit.xml", *report, *words, **environment)
    log = project.folder / "log"
    workers = len(set(log.read_text().split())) if log.exists() else 0
    return f"{outcome}; {workers} {'process' if workers == 1 else 'processes'}" if words else outcome


def junit(project: Project) -> str:
    repeat(project, CI="true")
    path = project.folder / ("verify-report/junit.xml" if project.tool == "pytest-verdict" else "junit.xml")
    if not path.exists():
        return "no JUnit XML"
    tree = ElementTree.parse(path)
    names = ("failure", "flakyFailure", "rerunFailure")
    counts = {name: len(list(tree.iter(name))) for name in ("testcase", *names)}
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number or name in {"testcase", "failure"})


def kill_while_repeating(project: Project) -> str:
    repeat(project, KILL="1")
    if project.tool == "pytest-verdict":
        project.run("pytest_verdict", "report", "verify-report")
        report = json.loads((project.folder / "verify-report/report.json").read_text())
        (test,) = report["tests"]
        return f"test {test['outcome']}, attempts {', '.join(test['attempts'])}"
    left = [name for name in project.contents() if name.endswith((".xml", ".json"))]
    return ", ".join(left) or "nothing is left"


ATTEMPTS: Mapping[str, Callable[[Project], str]] = {
    "serial": repeat,
    "`-n2`": lambda project: repeat(project, "-n2"),
    "`CI=true`, JUnit XML": junit,
    "killed session": kill_while_repeating,
}

# ---- runs
RECORDED = {
    "evaltrack": """import pytest, evaltrack
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected
@pytest.mark.evaltrack
def test_b():
    dataset = Dataset(name="d", cases=[Case(name="c", inputs="a", expected_output="a")], evaluators=[EqualsExpected()])
    evaltrack.run(dataset.evaluate_sync, lambda text: text)
""",
    "pytest-verdict": """from pytest_verdict import assert_matches
def test_b(): assert_matches("exact", "a", "a", name="c")
""",
}


def store(project: Project, *words: str, **environment: str) -> str:
    """Run a session that keeps its run, and return the outcomes and the number of stored runs."""
    prepare(project)
    outcome = project.session(*words, **environment)
    return f"{outcome}; {count_runs(project)}"


def prepare(project: Project) -> None:
    if not (project.folder / "test_it.py").exists():
        project.write("test_it.py", RECORDED[project.tool])
    if project.tool == "evaltrack":
        project.write("pyproject.toml", '[tool.evaltrack]\nlocal = "store"\n')
    else:
        project.write("pytest.ini", "[pytest]\nverdict_store = store\naddopts = --verify-report\n")


def count_runs(project: Project) -> str:
    pattern = "**/index.json.gz" if project.tool == "pytest-verdict" else "**/runs/*.json"
    number = len(list(project.folder.glob(pattern)))
    return f"{number} {'run' if number == 1 else 'runs'} stored"


def kill_while_storing(project: Project) -> str:
    project.write("test_z.py", KILL)
    text = store(project, KILL="1")
    if project.tool == "pytest-verdict":
        project.run("pytest_verdict", "report", "verify-report")
        project.run("pytest_verdict", "push", "verify-report")
        _, out = project.run("pytest_verdict", "runs")
        mark = ", marked as a part" if "the session did not end" in out else ""
        text += f"; after `report` and `push`: {count_runs(project)}{mark}"
    return text


def run_at_once(project: Project) -> str:
    prepare(project)
    report = (f"--verify-report-dir=report{number}" for number in range(4))
    words = [("pytest", "-p", project.plugin, "-q", *extra) for extra in zip(report)]
    if project.tool == "evaltrack":
        words = [one[:-1] for one in words]
    processes = [project.start(*one) for one in words]
    for process in processes:
        process.communicate(timeout=120)
    return f"4 sessions: {count_runs(project)}"


def rename_stored(project: Project) -> str:
    store(project)
    path = project.folder / "test_it.py"
    path.write_text(path.read_text().replace("test_b", "test_new"))
    store(project)
    if project.tool == "evaltrack":
        runs = [json.loads(path.read_text()) for path in project.folder.glob("**/runs/*.json")]
        return f"{count_runs(project)}, of tests called {', '.join(sorted({test for run in runs for test in run['tests']}))}"
    _, out = project.run("pytest_verdict", "history", "--by", "test")
    lines = [line for line in out.splitlines() if "::" in line or "renamed" in line]
    return f"`history`: {len([line for line in lines if line[0] != ' '])} series, {lines[-1].strip()}"


STORED: Mapping[str, Callable[[Project], str]] = {
    "`-n2`": lambda project: store(project, "-n2"),
    "`CI=true`": lambda project: store(project, CI="true"),
    "killed session": kill_while_storing,
    "four sessions at once": run_at_once,
    "renamed test": rename_stored,
}
TABLES = (
    ("Accepting a value that is missing", ACCEPTING, ACCEPTED),
    ("A test that fails in the first of its attempts", REPEATING, ATTEMPTS),
    ("Keeping runs", STORING, STORED),
)


def versions_of(python: str) -> dict[str, str]:
    """Return the versions of the plugins that are installed for an interpreter."""
    code = (
        "import json, sys\nfrom importlib.metadata import PackageNotFoundError, version\nfound = {}\n"
        "for name in sys.argv[1:]:\n    try: found[name] = version(name)\n    except PackageNotFoundError: pass\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([python, "-c", code, *PLUGINS], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def entry_points_of(python: str) -> dict[str, str]:
    """Return the names by which pytest loads plugins, by distribution."""
    code = (
        "import json\nfrom importlib.metadata import distributions\n"
        "print(json.dumps({one.metadata['Name'].lower(): entry.name for one in distributions()"
        " for entry in one.entry_points if entry.group == 'pytest11'}))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def lines_of(python: str) -> Iterator[str]:
    versions = versions_of(python)
    names = {**PLUGINS, **entry_points_of(python)}
    for title, tools, scenarios in TABLES:
        installed = [tool for tool in tools if tool in versions]
        yield from (f"### {title}", "", f"| | {' | '.join(f'{tool} {versions[tool]}' for tool in installed)} |")
        yield f"|---{'|---' * len(installed)}|"
        for scenario, act in scenarios.items():
            cells = []
            for tool in installed:
                with tempfile.TemporaryDirectory() as folder:
                    cells.append(act(Project(python, tool, Path(folder), names[tool])).replace("|", "\\|"))
            yield f"| {scenario} | {' | '.join(cells)} |"
        missing = [tool for tool in tools if tool not in versions]
        if missing:
            yield from ("", f"Not installed, so not measured: {', '.join(missing)}.")
        yield ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="an interpreter with the plugins (default: this one)")
    for line in lines_of(parser.parse_args().python):
        print(line, flush=True)
