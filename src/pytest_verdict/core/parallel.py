"""Work spread over processes, with the results in the order of the work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")

# For each process: one piece that it works at, and one that waits.
_AHEAD: Final = 2


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
