"""Work spread over processes, with the results in the order of the work."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

# For each process: one piece that it works at, and one that waits.
_AHEAD: Final = 2
# What Windows can wait for.
_MOST_JOBS: Final = 61


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Declare how many processes a command may use."""
    told = "how many processes work at it; 1 by default, and what is written is the same for every number"
    parser.add_argument("-j", "--jobs", metavar="N", type=_jobs, default=1, help=told)


def _jobs(given: str) -> int:
    if not (given.isascii() and given.isdecimal() and len(given) <= 2 and 0 < int(given) <= _MOST_JOBS):
        raise argparse.ArgumentTypeError(f"a number from 1 to {_MOST_JOBS} is needed, got {given!r}")
    return int(given)


def in_order(function: Callable[[Work], Result], pieces: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Apply a function to each piece in so many processes; one is this process itself."""
    if jobs == 1:
        yield from map(function, pieces)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = deque[Future[Result]]()
        for piece in pieces:
            waiting.append(pool.submit(function, piece))
            if len(waiting) > _AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
