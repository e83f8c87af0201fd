"""Work spread over processes, with the results in the order of the work."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from pytest_verdict.errors import VerdictError

Work = TypeVar("Work")
Result = TypeVar("Result")

# For each process: one piece that it works at, and one that waits.
_AHEAD: Final = 2


def in_order(function: Callable[[Work], Result], pieces: Iterable[Work], jobs: int) -> Iterator[Result]:
    """Apply a function to each piece in so many processes; one is this process itself."""
    if jobs == 1:
        yield from map(function, pieces)
        return
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    waiting = deque[Any]()
    try:
        with ProcessPoolExecutor(jobs) as pool:
            for piece in pieces:
                waiting.append(pool.submit(function, piece))
                if len(waiting) > _AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool:
        what = "a process ended before its work was done, perhaps because memory ran out; try fewer of them"
        raise VerdictError(what) from None
