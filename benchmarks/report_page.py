"""The page of a report in Chromium: its size, how long writing it takes, and how long a person waits.

Each record has about 700 bytes, and one of 33 did not pass. Needs playwright and Debian's Chromium:
``python benchmarks/report_page.py 100000 400000``. With ``--serve`` the page comes from the server, and
``--session`` measures what the page costs a session, whose output is no terminal.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from pytest_verdict import compare
from pytest_verdict.core.record import AttemptRecords, record_end

TEXT = "The answer: "
WORDS = ["".join(random.Random(number).choices("etaoinshrdlu", k=3 + number % 7)) for number in range(5_000)]
PER_TEST = 20
FILTER = "(() => { const t = performance.now(); %s; document.body.offsetHeight; return performance.now() - t; })()"


def variants():
    """Make the records that are written again and again: of some operators, most of which pass."""
    for number in range(330):
        expected = f"{number} {TEXT}"
        observed = expected if number % 33 else f"{number} An answer: "
        operator = ("exact", "normalized_exact", "contains_any", "text_similarity")[number % 4]
        yield compare(operator, expected, observed, name=f"field_{number % 12}").to_text()[1:-1]
        yield compare(
            "numeric_tolerance", number, number + (number % 33 == 0), tolerance=0.001, name="total"
        ).to_text()[1:-1]


def write_records(path: Path, count: int) -> None:
    """Write a file of records."""
    known, chance = list(variants()), random.Random(7)
    with path.open("w", encoding="ascii") as file:
        for number in range(count):
            test = f"tests/test_answers_{number // 20_000}.py::test_answer[{number // PER_TEST}]"
            ordinal = number % PER_TEST + 1
            # The lines do not repeat one another, as those of a real run do not.
            members = known[number * 7 % len(known)].replace(
                "answer: ", f"answer: {' '.join(chance.choices(WORDS, k=22))}"
            )
            file.write(AttemptRecords(test, 1).line(members, ordinal, record_end("tests/test_answers.py", 12)))


def figures(page: Page, address: str) -> list[float]:
    """Measure in milliseconds: ready, filter, open, search in all bodies."""
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=120_000)
    ready = page.evaluate("+document.documentElement.dataset.ready")
    page.evaluate("parsed")
    filters = [page.evaluate(FILTER % f"choose('operator', '{name}')") for name in ("exact", "contains_any", "exact")]
    page.evaluate("(state.chosen = {}, filter())")
    opened = page.evaluate(
        "(async () => { const t = performance.now(); open(rows - 5, true); await show(rows - 5);"
        " return performance.now() - t; })()"
    )
    searched = page.evaluate(
        "(async () => { const t = performance.now(); state.query = 'the answer: et'; found = inTexts(state.query);"
        " await inBodies((text) => text.includes(state.query), () => true); return performance.now() - t; })()"
    )
    return [ready, max(filters), opened, searched]


SUITE = """
import pytest
from pytest_verdict import compare

@pytest.mark.parametrize("number", range({tests}))
def test_many(number):
    for index in range(20):
        compare("exact", {text!r}, {text!r})

def test_one():
    assert compare("exact", 1, {last})
"""


def sessions(rounds: int = 5) -> None:
    """Print the CPU of sessions with and without the page, as the median of the ratios of runs that follow each other."""
    print("| session | comparisons | without the page | with it | ratio |")
    print("|---|---|---|---|---|")
    for label, tests, last, mode in (
        ("all passed", 2_000, 1, "auto"),
        ("one failed", 2_000, 2, "auto"),
        ("one failed", 200, 2, "auto"),
        ("one failed", 2, 2, "auto"),
        ("one failed", 2_000, 2, "always"),
    ):
        with tempfile.TemporaryDirectory() as name:
            Path(name, "test_many.py").write_text(
                SUITE.format(tests=tests, text=TEXT * 10, last=last), encoding="ascii"
            )
            pairs = [(cpu(name, "never"), cpu(name, mode)) for _ in range(rounds)]
        without, with_page = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
        ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
        print(
            f"| {label}, `{mode}` | {tests * 20 + 1:,} | {without:.2f} s | {with_page:.2f} s | {ratio:.2f} |",
            flush=True,
        )


def cpu(folder: str, mode: str) -> float:
    """Run a session, and give its user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    plugins = ["-p", "no:cacheprovider", "-p", "no:asyncio", "-q", "--verify-report", "-o", f"verdict_html={mode}"]
    subprocess.run([sys.executable, "-m", "pytest", *plugins], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a row for each number of records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=int, nargs="*")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--session", action="store_true")
    options = parser.parse_args()
    if options.session:
        sessions()
    if not options.counts:
        return
    print("| records | records.jsonl | page | written in | ready | filter | open one | search all bodies |")
    print("|---|---|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for count in options.counts:
            with tempfile.TemporaryDirectory() as name:
                print(row(browser.new_page(), Path(name), count, serve=options.serve), flush=True)


def row(page: Page, folder: Path, count: int, *, serve: bool) -> str:
    """Measure one number of records."""
    write_records(folder / "records.jsonl", count)
    command = [sys.executable, "-m", "pytest_verdict", "view", "--no-open", str(folder)]
    started = time.perf_counter()
    if serve:
        with subprocess.Popen([*command, "--serve"], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            took = time.perf_counter() - started
            found = figures(page, address)
            server.terminate()
        size = "served"
    else:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - started
        file = folder / "report.html"
        size = f"{file.stat().st_size / 1e6:.1f} MB"
        found = figures(page, file.as_uri())
    ready, filtered, opened, searched = found
    records = (folder / "records.jsonl").stat().st_size / 1e6
    return (
        f"| {count:,} | {records:.0f} MB | {size} | {took:.1f} s | {ready / 1000:.2f} s | {filtered:.0f} ms | {opened:.0f} ms |"
        f" {searched / 1000:.1f} s |"
    )


if __name__ == "__main__":
    main()
