"""What the history of a store costs: CPU and bytes of the site, and of the same cases in evaltrack.

evaltrack keeps one case with all its results; ``python benchmarks/history.py`` measures it only where it is installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from written_runs import write_run

SIZES = ((100, 500, 1.0, 1.0), (1_000, 500, 5.0, 5.0))


def write_store(place: Path, runs: int, tests: int) -> None:
    source = random.Random(1)
    names = [f"tests/test_area{number // 50}.py::test_case[{number}]" for number in range(tests)]
    rates = [source.choice([1.0, 1.0, 1.0, 0.97, 0.8]) for _ in names]
    for number in range(runs):
        outcomes = {name: "p" if source.random() < rate else "f" for name, rate in zip(names, rates, strict=True)}
        answers = {name: f"{name} {number}" for name in names}
        write_run(place, outcomes, number=number, commit=f"{source.getrandbits(160):040x}", answers=answers)


def site(place: Path) -> tuple[float, int]:
    """Return the seconds of CPU of the command in a process of its own, and the bytes of the site."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest_verdict", "trends", "--store", str(place), "-o", str(place / "site")]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, sum(path.stat().st_size for path in (place / "site").rglob("*") if path.is_file())


def main() -> None:
    print("| runs x tests | store | bytes of an index | CPU of `trends` | bytes of the site | limits |")
    print("|---|---|---|---|---|---|")
    for runs, tests, seconds, megabytes in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            write_store(place, runs, tests)
            sizes = [path.stat().st_size for path in place.rglob("*.json.gz")]
            indexes = [path.stat().st_size for path in place.rglob("index.json.gz")]
            cpu, size = site(place)
            limits = f"{seconds:g} s, {megabytes:g} MB"
            print(f"| {runs} x {tests} | {sum(sizes):,} | {max(indexes):,} | {cpu:.2f} s | {size:,} | {limits} |")
    if importlib.util.find_spec("evaltrack") is None:
        print("\nevaltrack is not installed; its figures are in docs/explanation/benchmarks.md")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
