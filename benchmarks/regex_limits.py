"""What evil patterns, patterns of 5 MB and texts of 5 MB cost: time and memory, operator by operator.

Everything runs in a process of its own, so that its memory is its own. ``--seconds`` is the limit of one match in the first
table; the product's is 10.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

SIZE = 5_000_000
PATIENCE = 30

BODIES = (
    "(a+)+", "(a*)*", "(a|aa)+", "(a|a)*", "(?:a{0,2}){40}", "(a+a+)+", "(.*a){20}", "([a-z]+)*", r"(\w+\s?)*", "((a+)b?)+",
    "(a?){50}a{50}", r"(\w|\d|a)*", "(?:a|b|ab)*", "(x*a*)*", r"(a+)(\1)*", "(?:aa|aaa)*", "(?=(a+)+)a*", "(a(?:b|c)?)+",
    r"([\w.]+)+@", "(a*a*a*a*)*", "(?:[ab]|a)+", r"((?:\s*\w)*)*", "(a{1,30}){1,30}", "(?:a+b*)+", "(?:(?:a?)+)+",
)  # fmt: skip
ENDS = ("$", "!", "c$", r"\Z!", r"(?!.)x", "[^a]$", r"\d", "(?<=z)", "b{2}", "x|y$")


def evil_patterns() -> Iterator[str]:
    """Give 250 patterns that backtrack for ever on a text of one letter, or nearly so."""
    return (body + end for body, end in itertools.product(BODIES, ENDS))


def table_of_evil_patterns(seconds: float, at_once: int) -> None:
    """Match all of them, many at once, and tell how long a match took at most."""
    from pytest_verdict import compare
    from pytest_verdict.operators import regex

    regex.TIME_LIMIT = seconds  # type: ignore[misc]
    text, patterns = "a" * 5_000 + "?", [*evil_patterns()]
    times: list[float] = []
    verdicts: list[str] = []
    waiting = iter(patterns)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                pattern = next(waiting, None)
            if pattern is None:
                return
            started = time.monotonic()
            verdicts.append(compare("regex", pattern, text, mode="search").verdict)
            times.append(time.monotonic() - started)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("pass", "fail", "error"))
    found = f"{len(patterns)} | {at_once} | {seconds} s | {max(times):.1f} s | {counts}"
    print(f"| {found} | {memory(resource.RUSAGE_SELF)} | {memory(resource.RUSAGE_CHILDREN)} |")


def sides(operator: str, kind: str) -> tuple[Any, Any, dict[str, Any]]:
    """Give evidence of 5 MB and the settings that an operator needs."""
    make = {"text": lambda: "word, " * (SIZE // 6), "pattern": lambda: "a" * SIZE, "JSON": document}[kind]
    value = make()
    settings: dict[str, Any] = {
        "all_of": {"conditions": ["exact"]}, "any_of": {"conditions": ["exact"]}, "weighted": {"conditions": ["exact"]},
        "at_least_n": {"n": 1, "conditions": {"x": "exact"}}, "delta": {"pre": 1, "post": 2},
        "answer_template": {"fields": {"a": "exact"}}, "field_check": {"field": "a"},
        "derived": {"inner": "exact", "source": "spec"}, "numeric_tolerance": {"tolerance": 1, "mode": "absolute"},
        "date_tolerance": {"tolerance": 1},
        "set_containment": {"mode": "subset"}, "trace_length": {"max": 5}, "regex_check": {"pattern": "", "value": "x"},
        "scorer_verdict": {"scorer": "x"}, "criteria": {"id": "x", "revision": 1, "criteria": []},
    }.get(operator, {})  # fmt: skip
    if operator == "regex_check":
        settings["pattern"] = value
    return value, value[:-1] if kind == "pattern" else make(), settings


_CALL = '{"name": "n%s", "args": {"q": "xxxxxxxxxxxxxxxxxxxx"}}'


def document() -> str:
    """Give a JSON document of 5 MB."""
    return f"[{', '.join(_CALL % number for number in range(SIZE // len(_CALL)))}]"


def one(operator: str, kind: str) -> None:
    """Make one comparison and print its row."""
    from pytest_verdict import compare
    from pytest_verdict.errors import ConfigurationError
    from pytest_verdict.operators import regex_process

    expected, observed, settings = sides(operator, kind)
    started = time.monotonic()
    try:
        result = compare(operator, expected, observed, **settings)
        verdict, length = result.verdict, len(result.to_text())
    except ConfigurationError as error:
        verdict, length = type(error).__name__, 0
    seconds = time.monotonic() - started
    regex_process.PROCESS.stop()
    spent = f"{seconds:.2f} s | {memory(resource.RUSAGE_SELF)} | {memory(resource.RUSAGE_CHILDREN)}"
    print(f"| {operator} | {kind} | {spent} | {verdict} | {length:,} |")


def memory(who: int) -> str:
    """Tell the most memory that this process, or the second one, ever had."""
    return f"{resource.getrusage(who).ru_maxrss // 1024} MB"


def table_of_operators(names: list[str]) -> None:
    """Give every operator evidence of 5 MB on both sides."""
    print("\n| operator | 5 MB of | time | memory here | second process | verdict | characters of the record |")
    print("|---|---|---|---|---|---|---|")
    for name, kind in itertools.product(names, ("text", "pattern", "JSON")):
        command = [sys.executable, __file__, "--one", name, kind]
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            print(f"| {name} | {kind} | over {PATIENCE} s | | | | |", flush=True)
            continue
        print(
            made.stdout.strip() or f"| {name} | {kind} | {made.stderr.strip().splitlines()[-1][:80]} | | | | |",
            flush=True,
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--operators", nargs="*")
    arguments = parser.parse_args()
    if arguments.one:
        one(*arguments.one)
        return
    from pytest_verdict.core.registry import REGISTRY

    print("| evil patterns | at once | limit of each | the longest took | verdicts | memory here | second process |")
    print("|---|---|---|---|---|---|---|")
    table_of_evil_patterns(arguments.seconds, arguments.at_once)
    names = REGISTRY.names() if arguments.operators is None else arguments.operators
    table_of_operators([name for name in names if name != "semantic"])


if __name__ == "__main__":
    main()
