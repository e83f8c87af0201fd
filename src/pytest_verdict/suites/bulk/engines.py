"""Engines: what runs units, in processes of this machine or on a cluster; what comes out is the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from threading import Thread
from typing import Any, Final

from pytest_verdict.errors import ConfigurationError, MissingExtraError
from pytest_verdict.suites.bulk.fold import Fold
from pytest_verdict.suites.bulk.units import Unit

Run = Callable[[Callable[[Unit], Fold], Sequence[Unit]], Iterable[Fold]]
"""Calls a function for each unit, in any order and anywhere, as `map` does."""

_MOST_DEATHS: Final = 3


def run_here(score: Callable[[Unit], Fold], units: Sequence[Unit], jobs: int) -> Iterator[Fold]:
    """Score units in processes of this machine; in this one with one job."""
    if min(jobs, len(units)) == 1:
        yield from map(score, units)
        return
    left, deaths = list(units), 0
    while left:
        try:
            for unit, fold in _in_processes(score, left, jobs):
                left.remove(unit)
                deaths = 0
                yield fold
        except BrokenProcessPool:
            # A part is whole or not there. Where none gets through, the fault lies with the units.
            deaths += 1
            if deaths == _MOST_DEATHS:
                raise ConfigurationError(
                    f"processes that scored rows were killed {deaths} times without a result between, perhaps because memory"
                    " was short; try fewer jobs or smaller units"
                ) from None


def _in_processes(score: Callable[[Unit], Fold], units: Sequence[Unit], jobs: int) -> Iterator[tuple[Unit, Fold]]:
    # Not forked: this process may have threads, and files that only it may write to.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(units)), context, _prepare)
    try:
        units_of = {pool.submit(score, unit): unit for unit in units}
        for future in as_completed(units_of):
            yield units_of[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def run_on_ray(score: Callable[[Unit], Fold], units: Sequence[Unit], jobs: int, address: str | None) -> Iterator[Fold]:
    """Score units as tasks of Ray, so many at once; on a cluster of this machine where no address is given."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("scoring on Ray", "ray") from None
    ray.init(address, log_to_driver=False)
    task = ray.remote(max_retries=_MOST_DEATHS)(score)
    try:
        waiting, running = iter(units), list[Any]()
        while running := [*running, *map(task.remote, islice(waiting, jobs - len(running)))]:
            done, running = ray.wait(running)
            yield from ray.get(done)
    except ray.exceptions.RayTaskError as error:
        # Its own text is a traceback.
        raise error.cause from None
    finally:
        ray.shutdown()
