"""What the history of a store costs: CPU and bytes of the site, beside the history of as many cases in evaltrack."""

from __future__ import annotations

import contextlib
import datetime
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from written_runs import write_run

SIZES = ((100, 500), (1_000, 500))


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
    return seconds, bytes_of(place / "site")


def evaltrack(place: Path, runs: int, tests: int) -> tuple[float, int]:
    """Return the seconds of CPU and the bytes of the history that evaltrack serves to its page, over its last 50 runs."""
    from evaltrack.core.results import EvaluatorInfo, EvaluatorResult
    from evaltrack.core.run_record import (
        RUN_SCHEMA_VERSION,
        AttemptRecord,
        CaseRecord,
        MarkerSettings,
        RecordedBy,
        RecordedTest,
        RunRecord,
    )
    from evaltrack.repositories.file import open_from_path
    from evaltrack.views.mainline import load_run_history
    from ulid import ULID

    source = random.Random(1)
    place.mkdir(parents=True)
    repository = open_from_path(str(place))
    info = EvaluatorInfo(name="exact")
    for _ in range(runs):
        cases = {}
        for number in range(tests):
            outcome = "passed" if source.random() < 0.95 else "failed"
            results = {"exact": EvaluatorResult(value=outcome == "passed", verdict=outcome == "passed", evaluator=info)}
            attempt = AttemptRecord(outcome=outcome, output=f"answer {number}", results=results)
            counts = {"clean_attempts": 1, "passed_attempts": int(outcome == "passed")}
            cases[f"case {number}"] = CaseRecord(inputs=number, attempts=[attempt], outcome=outcome, **counts)
        run = RunRecord(
            run_schema_version=RUN_SCHEMA_VERSION,
            id=str(ULID()),
            created_at=datetime.datetime.now(datetime.UTC),
            recorded_by=RecordedBy.from_installed(),
            tests={
                "tests/test_area.py::test_case": RecordedTest(cases=cases, marker=MarkerSettings(), outcome="passed")
            },
        )
        repository.save_run(run)
        repository.move_ref("baseline", run.id)
    began = time.process_time()
    content = load_run_history(repository, viewed_run=None).model_dump_json()
    return time.process_time() - began, len(content)


def bytes_of(place: Path, pattern: str = "*") -> int:
    return sum(path.stat().st_size for path in place.rglob(pattern) if path.is_file())


def main() -> None:
    print("| runs x tests | tool | bytes of the store | CPU of the history | bytes of the history |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for runs, tests in SIZES:
            place = Path(folder) / f"store{runs}"
            write_store(place, runs, tests)
            stored = bytes_of(place, "*.gz")
            seconds, size = site(place)
            print(f"| {runs:,} x {tests} | `trends`, the whole site | {stored:,} | {seconds:.2f} s | {size:,} |")
        if importlib.util.find_spec("evaltrack") is None:
            print("\nevaltrack is not installed: pip install -r benchmarks/requirements.txt")
            return
        place = Path(folder) / "evaltrack"
        seconds, size = evaltrack(place, *SIZES[0])
        row = f"| {bytes_of(place):,} | {seconds:.2f} s | {size:,} |"
        print(f"| 100 x 500 | evaltrack {version('evaltrack')}, the data of its page, 50 runs {row}")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
