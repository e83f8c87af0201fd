"""What --verify-report costs: 5,000 tests with 20 comparisons each, whose records are 1 kB long, without a report, with it, and
with peers that keep operator, both sides, verdict and score of each comparison as they can.

CPU is user and system time of the session and its workers, memory the peak of the session's own process beyond that of the
session without a report; the ratio is the median over rounds, in each of which all sessions run one after another.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

SUITE = """
import json
import pytest
from pytest_verdict import compare
{imports}

EXPECTED = "The quick brown fox jumps over the lazy dog. " * {repeats}

@pytest.mark.parametrize("number", range({tests}))
def test_many(number{fixture}):
    for index in range({comparisons}):
        result = compare("exact", EXPECTED, EXPECTED)
        {keep}
"""

PROBE = """
import json, resource, sys
import pytest
status = pytest.main(sys.argv[2:])
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = sum(usage.ru_utime + usage.ru_stime for usage in (own, children))
with open(sys.argv[1], "w") as file:
    json.dump({"status": int(status), "cpu": cpu, "memory": own.ru_maxrss / 1024}, file)
"""

SAID = '{"operator": "exact", "expected": EXPECTED, "observed": EXPECTED, "verdict": result.verdict, "score": result.score}'
# A step keeps the arguments of a function.
STEP = """
import allure

@allure.step("comparison")
def kept(operator, expected, observed, verdict, score):
    pass
"""
# What no report with these records can do without: their bytes, the digest of the file and that of each record.
BARE = """
import hashlib
from json.encoder import encode_basestring_ascii as encode

FILE = open("records.jsonl", "ab")
WHOLE, LEAVES = hashlib.sha256(), []

def kept(number, index, result, rest="x" * 250):
    side = encode(EXPECTED)
    sides = f'"expected":{side},"observed":{side}'
    line = f'{{"id":"{number}-{index}","verdict":"{result.verdict}",{sides},"rest":"{rest}"}}\\n'.encode()
    FILE.write(line)
    WHOLE.update(line)
    LEAVES.append(hashlib.sha256(line).digest())
"""


class Contestant(NamedTuple):
    """A session: what is beside its comparisons, and what it is started with."""

    keeps: str
    arguments: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    keep: str = "pass"
    fixture: str = ""
    imports: str = ""


WITHOUT = Contestant("nothing")
CONTESTANTS = {
    "--verify-report": Contestant("replayable records with digests, report.json, junit.xml", ("--verify-report",)),
    "a bare loop": Contestant(
        "lines as long, with digests; no report", keep="kept(number, index, result)", imports=BARE
    ),
    "pytest-reportlog": Contestant(
        "a property each, in JSON lines as it goes",
        ("--report-log=log.jsonl",),
        ("pytest_reportlog.plugin",),
        f'record_property("comparison", {SAID})',
        ", record_property",
    ),
    "--junitxml": Contestant(
        "a property each, at the end",
        ("--junitxml=junit.xml",),
        (),
        f'record_property("comparison", json.dumps({SAID}))',
        ", record_property",
    ),
    "pytest-json-report": Contestant(
        "a property each, at the end",
        ("--json-report", "--json-report-file=report.json"),
        ("pytest_metadata.plugin", "pytest_jsonreport.plugin"),
        f'record_property("comparison", {SAID})',
        ", record_property",
    ),
    "allure-pytest": Contestant(
        "a step each, in a file for each test as it goes",
        ("--alluredir=allure",),
        ("allure_pytest.plugin",),
        'kept("exact", EXPECTED, EXPECTED, result.verdict, result.score)',
        imports=STEP,
    ),
}


def measure(contestant: Contestant, sizes: dict[str, int], *arguments: str) -> dict[str, float]:
    """Run the suite once in a process of its own."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": "0"}
    # Installed packages have their bytecode; without it both runs would compile this package anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    modules = ("no:cacheprovider", "xdist.plugin", "pytest_verdict.pytest_plugin.plugin", *contestant.plugins)
    plugins = [part for module in modules for part in ("-p", module)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = SUITE.format(**contestant._asdict(), **sizes)
        (folder / "test_many.py").write_text(suite)
        command = [sys.executable, "-c", PROBE, str(folder / "figures.json"), "-q", *plugins, *contestant.arguments]
        subprocess.run([*command, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)
        figures: dict[str, float] = json.loads((folder / "figures.json").read_text())
    if figures["status"] != 0:
        raise SystemExit(f"the suite did not pass: {figures}")
    return figures


def installed() -> dict[str, Contestant]:
    """Give the contestants that can run here, and name the others."""
    missing = {
        name
        for name, contestant in CONTESTANTS.items()
        if any(find_spec(module.partition(".")[0]) is None for module in contestant.plugins)
    }
    if missing:
        print(f"not installed: {', '.join(sorted(missing))}\n")
    return {name: contestant for name, contestant in CONTESTANTS.items() if name not in missing}


def main() -> None:
    """Print a row for each contestant, in one process and with two workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=5_000)
    parser.add_argument("--comparisons", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sizes = {"tests": options.tests, "comparisons": options.comparisons, "repeats": 7}
    contestants = installed()
    print("| session | recorded by | kept of each comparison | CPU without | CPU with | ratio | memory |")
    print("|---|---|---|---|---|---|---|")
    for label, arguments in (("one process", []), ("-n2", ["-n2"])):
        rounds = [
            {name: measure(one, sizes, *arguments) for name, one in {"": WITHOUT, **contestants}.items()}
            for _ in range(options.rounds)
        ]
        for name, contestant in contestants.items():
            without, cpu = (statistics.median(found[side]["cpu"] for found in rounds) for side in ("", name))
            ratio = statistics.median(found[name]["cpu"] / found[""]["cpu"] for found in rounds)
            more = statistics.median(found[name]["memory"] - found[""]["memory"] for found in rounds)
            figures = f"{without:.2f} s | {cpu:.2f} s | {ratio:.2f} | {more:+.0f} MB"
            print(f"| {label} | {name} | {contestant.keeps} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
