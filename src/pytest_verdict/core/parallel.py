"""Work in several processes, with the results in the order of the work."""

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

# For each process, one piece in work and two in the queue.
_AHEAD: Final = 3
MOST_DEATHS: Final = 3


def in_order(function: Callable[[Work], Result], pieces: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Apply a function to each piece in some processes (1: in this one); replace processes that die."""
    if jobs == 1:
        yield from map(function, pieces)
        return
    from concurrent.futures.process import BrokenProcessPool

    rest = iter(pieces)
    submitted = deque[Work]()
    deaths = 0
    while deaths < MOST_DEATHS:
        try:
            for result in _run_pool(function, submitted, rest, jobs):
                submitted.popleft()
                deaths = 0
                yield result
        except BrokenProcessPool:
            deaths += 1
        else:
            return
    problem = f"a process ended before its work was done, {deaths} times without a result between"
    raise VerdictError(f"{problem}, perhaps because memory ran out; try fewer of them, or less for each")


def _run_pool(
    function: Callable[[Work], Result], submitted: deque[Work], rest: Iterator[Work], jobs: int
) -> Iterator[Result]:
    """Yield the results of the pieces that an earlier pool did not finish, and of the rest."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not forked, because this process may have threads, and files that only it may write to.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _prepare)
    try:
        futures = deque[Any](pool.submit(function, piece) for piece in submitted)
        while True:
            for piece in islice(rest, _AHEAD * jobs - len(futures)):
                submitted.append(piece)
                futures.append(pool.submit(function, piece))
            if not futures:
                return
            yield futures.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Ignore Ctrl-C, which the parent handles, and end when the parent ends, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
