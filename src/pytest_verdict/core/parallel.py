"""Work in several processes, with the results in the order of the work."""

from __future__ import annotations

import concurrent.futures
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from threading import Thread
from typing import Final, TypeVar

from pytest_verdict.errors import VerdictError

Work = TypeVar("Work")
Result = TypeVar("Result")

# For each process, one piece in work and two that are done before an earlier one.
_AHEAD: Final = 3
MOST_DEATHS: Final = 3


def in_order(function: Callable[[Work], Result], pieces: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Apply a function to each piece in some processes (1: in this one); replace processes that die."""
    if jobs == 1:
        yield from map(function, pieces)
        return
    from concurrent.futures.process import BrokenProcessPool

    rest = iter(pieces)
    waiting = deque[Work]()
    futures = deque[concurrent.futures.Future[Result]]()
    deaths = 0
    pool = _open_pool(jobs)
    try:
        while True:
            waiting.extend(islice(rest, _AHEAD * jobs - len(waiting)))
            if not waiting:
                return
            try:
                for piece in islice(waiting, len(futures), None):
                    futures.append(pool.submit(function, piece))
                result = futures[0].result()
            except BrokenProcessPool:
                deaths += 1
                if deaths == MOST_DEATHS:
                    problem = f"a process ended before its work was done, {deaths} times without a result between"
                    way = "perhaps because memory ran out; try fewer of them, or less for each"
                    raise VerdictError(f"{problem}, {way}") from None
                pool.shutdown()
                pool = _open_pool(jobs)
                # The pieces after the first are done again, too: work is a pure function of its piece.
                futures.clear()
                continue
            deaths = 0
            waiting.popleft()
            futures.popleft()
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def _open_pool(jobs: int) -> concurrent.futures.ProcessPoolExecutor:
    from multiprocessing import get_context

    # Not forked, because this process may have threads, and files that only it may write to.
    return concurrent.futures.ProcessPoolExecutor(jobs, get_context("spawn"), _start_process)


def _start_process() -> None:
    # The parent handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the parent ends, even if the parent is killed."""
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
