"""What the installed and unused plugin costs: user CPU of an empty session, with the plugin and with ``-p no:verdict``."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15


def user_seconds(folder: Path, *arguments: str) -> float:
    """Run one session with one empty test, and give its user CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(folder)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, cwd=folder)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    """Print the medians and their difference."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_empty.py").write_text("def test_empty(): pass\n")
        pairs = [
            (user_seconds(folder), user_seconds(folder, "-p", "pytest_verdict.pytest_plugin.plugin"))
            for _ in range(ROUNDS)
        ]
    without, with_plugin = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    difference = statistics.median(second - first for first, second in pairs)
    print("| without the plugin | with the plugin, unused | median difference |")
    print("|---|---|---|")
    print(f"| {without * 1000:.0f} ms | {with_plugin * 1000:.0f} ms | {difference * 1000:+.1f} ms |")


if __name__ == "__main__":
    main()
