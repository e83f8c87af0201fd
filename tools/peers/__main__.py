"""Compare the verdicts of other tools with ours: `python -m tools.peers FOLDER [TOOL ...] [--write]`.

FOLDER holds the sources of the tools, each unpacked into a folder of its own, the JSON-Schema-Test-Suite, and the
compliance suite of JSONPath as jsonpath/cts.json. A tool must be installed in this
environment; two tools that exclude each other are run one after the other, each by its name. The results stay in
FOLDER/results, and the table has all that are there. `--write` puts it into docs/explanation/peers.md.
"""

import argparse
import collections
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.peers import data_json_schema, data_jsonpath
from tools.peers.case import REFUSED, judge

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "peers.md"
BEGIN = "<!-- written by python -m tools.peers FOLDER --write -->"
END = "<!-- end of the table -->"
DIFFERENCES = ("passes here", "fails here", "refused here", "other score")


@dataclass(frozen=True)
class Tool:
    """A tool: its name and distribution, its tests in the folder, more arguments of pytest, and a folder to import from."""

    name: str
    distribution: str
    tests: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    imports: str = ""

    @property
    def mapping(self) -> str:
        return "map_" + self.name.replace("-", "_")


TOOLS = (
    Tool("adk", "google-adk", ("adk*/**/evaluation/test_trajectory_evaluator.py",)),
    Tool(
        "agentevals",
        "agentevals",
        ("agentevals/**/tests/test_trajectory.py", "agentevals/**/tests/test_trajectory_async.py"),
    ),
    Tool("autoevals", "autoevals", ("autoevals*/**/autoevals/test_values.py", "autoevals*/**/autoevals/test_json.py")),
    Tool("dirty-equals", "dirty-equals", ("dirty-equals/tests/test_[!d]*.py", "dirty-equals/tests/test_d[!o]*.py")),
    Tool("karenina", "karenina", ("karenina/tests/unit/schemas/**/test_*.py",)),
    Tool(
        "langchain",
        "langchain-classic",
        tuple(
            f"langchain_classic*/tests/unit_tests/evaluation/{kind}/test_*.py"
            for kind in ("exact_match", "regex_match", "parsing", "string_distance")
        ),
    ),
    Tool(
        "phoenix",
        "arize-phoenix-evals",
        ("phoenix/packages/phoenix-evals/tests/phoenix/evals/metrics/test_[mp]*.py",),
        ("--noconftest",),
    ),
    Tool(
        "phoenix-server",
        "arize-phoenix",
        ("phoenix/tests/unit/server/api/helpers/test_evaluators.py",),
        # The other tests of the file ask a model, or need the database of the server.
        ("--noconftest", "-k", "ApplyInputMapping or LevenshteinDistance or JsonDiff or JSONDistance or TestBuiltIn"),
        "phoenix",
    ),
    Tool(
        "pydantic-evals",
        "pydantic-evals",
        ("pydantic-ai*/tests/evals/test_agentic_evaluators.py", "pydantic-ai*/tests/evals/test_evaluator_common.py"),
        ("--noconftest",),
    ),
    Tool("ragas", "ragas", ("ragas*/tests/unit/test_tool_call_*.py",)),
)


@dataclass(frozen=True)
class Data:
    """Cases that are data: a name, the distribution that they need, and the function that reads them."""

    name: str
    distribution: str
    read: Callable[[Path], Iterator[tuple[str, Any, Any]]]


DATA = (
    Data("json-schema-required", "jsonschema", data_json_schema.read_required),
    Data("json-schema-optional", "jsonschema", data_json_schema.read_optional),
    Data("json-schema-formats", "jsonschema", data_json_schema.read_formats),
    Data("jsonpath-rfc9535", "jsonpath-rfc9535", data_jsonpath.read_standard),
    Data("jsonpath-default", "jsonpath-ng", data_jsonpath.read_default),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.peers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tools", nargs="*", choices=[[], *(one.name for one in (*TOOLS, *DATA))], metavar="TOOL")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/peers.md")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    (folder / "results").mkdir(exist_ok=True)
    for tool in TOOLS:
        if not arguments.tools or tool.name in arguments.tools:
            run(tool, folder)
    for data in DATA:
        if not arguments.tools or data.name in arguments.tools:
            compare_data(data, folder)
    table = format_table(folder / "results")
    print(table)
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{rest.partition(END)[2]}")
    return 0


def run(tool: Tool, folder: Path) -> None:
    """Run the tests of a tool and keep its calls, or say what is missing."""
    try:
        version = importlib.metadata.version(tool.distribution)
    except importlib.metadata.PackageNotFoundError:
        print(f"{tool.name}: not run, because {tool.distribution} is not installed here", file=sys.stderr)
        return
    paths = [path for pattern in tool.tests for path in sorted(folder.glob(pattern))]
    if not paths:
        print(f"{tool.name}: not run, because {folder} has no {' or '.join(tool.tests)}", file=sys.stderr)
        return
    results = folder / "results"
    target = results / f"{tool.name}.jsonl"
    settings = results / "pytest.ini"
    settings.write_text("[pytest]\nasyncio_mode = auto\n")
    environment = {
        **os.environ,
        "PEERS_MAPPING": tool.mapping,
        "PEERS_TARGET": str(target),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder / tool.imports)]),
        # Plugins of other tools change sessions, and some of them call a service.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "LANGSMITH_TEST_TRACKING": "false",
        "LANGSMITH_TRACING": "false",
    }
    plugins = ["tools.peers.recording"]
    plugins += [name for name in ("pytest_asyncio.plugin", "anyio.pytest_plugin") if _is_installed(name)]
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(settings), "--rootdir", str(folder), "-W", "ignore"]
    command += [part for name in plugins for part in ("-p", name)]
    command += ["-p", "no:cacheprovider", *tool.arguments, *map(str, paths)]
    printed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    last = printed.stdout.strip().splitlines()[-1:]
    print(f"{tool.name} {version}: {''.join(last)}", file=sys.stderr)
    (results / f"{tool.name}.json").write_text(json.dumps({"tool": tool.name, "version": version}))


def compare_data(data: Data, folder: Path) -> None:
    """Compare each case with what its suite demands, and keep the results."""
    version = importlib.metadata.version(data.distribution)
    results = folder / "results"
    try:
        with (results / f"{data.name}.jsonl").open("w") as file:
            for name, theirs, here in data.read(folder):
                kind, reason, ours = judge(theirs, here)
                line = {"test": name, "kind": kind, "reason": reason, "ours": ours, "theirs": repr(theirs)}
                file.write(json.dumps(line) + "\n")
    except FileNotFoundError as error:
        print(f"{data.name}: not run, because {error.filename} is not there", file=sys.stderr)
        return
    (results / f"{data.name}.json").write_text(json.dumps({"tool": data.name, "version": version}))


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module.partition(".")[0]) is not None


def format_table(results: Path) -> str:
    """Return the tables of counts and of reasons, in Markdown."""
    columns = ("agree", *DIFFERENCES, "not expressible", "wrong")
    rows = [f"| tool | calls | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    reasons = ["| tool | calls | | reason |", "|---|---|---|---|"]
    for path in sorted(results.glob("*.json")):
        calls: list[dict[str, Any]] = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
        about = json.loads(path.read_text())
        kinds = collections.Counter(describe(call) for call in calls)
        counts = " | ".join(str(kinds[kind]) for kind in columns)
        rows.append(f"| {about['tool']} {about['version']} | {len(calls)} | {counts} |")
        counted = collections.Counter((describe(call), call["reason"]) for call in calls if call["kind"] != "agree")
        order = {kind: position for position, kind in enumerate(columns)}
        for (kind, reason), count in sorted(counted.items(), key=lambda item: (order[item[0][0]], -item[1])):
            reasons.append(f"| {about['tool']} | {count} | {kind} | {reason} |")
    return "\n".join([*rows, "", *reasons, ""])


def describe(call: dict[str, Any]) -> str:
    """Return in which column a call is counted."""
    if call["kind"] != "differ":
        return {"absent": "not expressible"}.get(call["kind"], call["kind"])
    ours = call["ours"].partition(" ")[0]
    if ours in ("error", "refused:"):
        return "refused here"
    if ours == "number" or call["theirs"] not in ("True", "False", "0.0", "1.0", repr(REFUSED)):
        return "other score"
    passes_there = call["theirs"] in ("True", "1.0")
    if passes_there == (ours == "pass"):
        return "other score"
    return "passes here" if ours == "pass" else "fails here"


if __name__ == "__main__":
    sys.exit(main())
