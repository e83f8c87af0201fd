"""What --verify-report costs: 5,000 tests with 20 comparisons each, whose records are 1 kB long, with and without the report.

CPU is user and system time of the session and its workers, memory the peak of the session's own process; the ratio is the median
over rounds in which both runs follow each other.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SUITE = """
import pytest
from pytest_verdict import compare

EXPECTED = "The quick brown fox jumps over the lazy dog. " * {repeats}

@pytest.mark.parametrize("number", range({tests}))
def test_many(number):
    for index in range({comparisons}):
        compare("exact", EXPECTED, EXPECTED)
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


def measure(folder: Path, *arguments: str) -> dict[str, float]:
    """Run the suite once in a process of its own."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": "0"}
    # Installed packages have their bytecode; without it both runs would compile this package anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    plugins = ["-p", "xdist.plugin", "-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-c", PROBE, str(folder / "figures.json"), "-q", *plugins, *arguments, str(folder)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)
    figures = json.loads((folder / "figures.json").read_text())
    if figures["status"] != 0:
        raise SystemExit(f"the suite did not pass: {figures}")
    return figures


def main() -> None:
    """Print one row for one process and one for two workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=5_000)
    parser.add_argument("--comparisons", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| session | CPU without | CPU with | ratio | memory of the session's process |")
    print("|---|---|---|---|---|")
    for label, arguments in (("one process", []), ("-n2", ["-n2"])):
        rounds = []
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                suite = SUITE.format(tests=options.tests, comparisons=options.comparisons, repeats=7)
                (folder / "test_many.py").write_text(suite)
                rounds.append((measure(folder, *arguments), measure(folder, "--verify-report", *arguments)))
        without, with_report = (statistics.median(pair[side]["cpu"] for pair in rounds) for side in (0, 1))
        ratio = statistics.median(pair[1]["cpu"] / pair[0]["cpu"] for pair in rounds)
        more = statistics.median(pair[1]["memory"] - pair[0]["memory"] for pair in rounds)
        print(f"| {label} | {without:.2f} s | {with_report:.2f} s | {ratio:.2f} | {more:+.1f} MB |", flush=True)


if __name__ == "__main__":
    main()
