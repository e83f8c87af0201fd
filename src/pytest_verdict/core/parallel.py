"""Work in several processes, with the results in the order of the work."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pickle import PicklingError
from threading import Thread
from typing import Any, Final, TypeVar

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
    from multiprocessing.connection import wait

    rest = enumerate(pieces)
    waiting = deque[tuple[int, Work]]()
    running: dict[Any, tuple[_Worker, int, Work]] = {}
    idle: list[_Worker] = []
    results: dict[int, Result] = {}
    position = 0
    deaths = 0
    try:
        while True:
            while position in results:
                yield results.pop(position)
                position += 1
            waiting.extend(islice(rest, _AHEAD * jobs - len(results) - len(running) - len(waiting)))
            while waiting and len(running) < jobs:
                worker = idle.pop() if idle else _Worker(function)
                number, piece = waiting.popleft()
                running[worker.connection] = worker, number, piece
                # A process that is dead already is noticed below.
                with suppress(OSError):
                    worker.connection.send(piece)
            if not running:
                return

            for connection in wait([*running]):
                worker, number, piece = running.pop(connection)
                try:
                    error, result = worker.connection.recv()
                except (EOFError, OSError):
                    worker.end()
                    waiting.appendleft((number, piece))
                    deaths += 1
                    if deaths == MOST_DEATHS:
                        problem = f"a process ended before its work was done, {deaths} times without a result between"
                        way = "perhaps because memory ran out; try fewer of them, or less for each"
                        raise VerdictError(f"{problem}, {way}") from None
                    continue
                deaths = 0
                idle.append(worker)
                if error is not None:
                    raise error
                results[number] = result
    finally:
        for worker in [*idle, *(worker for worker, _, _ in running.values())]:
            worker.end()


class _Worker:
    """A process with a pipe of its own. A lock or queue that processes share would block all when one of them is killed."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        from multiprocessing import get_context

        # Not forked, because this process may have threads, and files that only it may write to.
        context = get_context("spawn")
        self.connection, other_end = context.Pipe()
        self._process = context.Process(target=_work, args=(function, other_end))
        self._process.start()
        other_end.close()

    def end(self) -> None:
        """End the process after the piece that it works on."""
        self.connection.close()
        self._process.join()


def _work(function: Callable[[Any], Any], connection: Any) -> None:
    """Reply to each piece with an error or a result, until the other end is closed."""
    # The parent handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            piece = connection.recv()
            reply: tuple[BaseException | None, Any]
            try:
                reply = None, function(piece)
            except BaseException as error:  # noqa: BLE001 - raised again in the parent
                reply = error, None
            try:
                connection.send(reply)
            except (TypeError, AttributeError, PicklingError) as error:
                connection.send(
                    (VerdictError(f"a result cannot be sent: {error}; {reply[0] or type(reply[1])!r}"), None)
                )


def _end_with_parent() -> None:
    """End this process when the parent ends, even if the parent is killed."""
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
