"""Work spread over processes, with the results in the order of the work."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from threading import Thread
from typing import Any, Final, TypeVar

from pytest_verdict.errors import VerdictError

Work = TypeVar("Work")
Result = TypeVar("Result")

# For each process: one piece that it works at, and two that wait.
_AHEAD: Final = 3
MOST_DEATHS: Final = 3


def in_order(function: Callable[[Work], Result], pieces: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Apply a function to each piece in so many processes; one is this process itself. Those that die are replaced."""
    if jobs == 1:
        yield from map(function, pieces)
        return
    from concurrent.futures.process import BrokenProcessPool

    rest = iter(pieces)
    taken = deque[Work]()
    deaths = 0
    while deaths < MOST_DEATHS:
        try:
            for result in _in_one_pool(function, taken, rest, jobs):
                taken.popleft()
                deaths = 0
                yield result
        except BrokenProcessPool:
            # Where no piece gets through, the fault lies with the pieces.
            deaths += 1
        else:
            return
    what = f"a process ended before its work was done, {deaths} times without a result between"
    raise VerdictError(f"{what}, perhaps because memory ran out; try fewer of them, or less for each")


def _in_one_pool(
    function: Callable[[Work], Result], taken: deque[Work], rest: Iterator[Work], jobs: int
) -> Iterator[Result]:
    """Begin with the pieces that were taken before, and take as many as are worked at."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not forked: this process may have threads, and files that only it may write to.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _prepare)
    try:
        waiting = deque[Any](pool.submit(function, piece) for piece in taken)
        while True:
            for piece in islice(rest, _AHEAD * jobs - len(waiting)):
                taken.append(piece)
                waiting.append(pool.submit(function, piece))
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
