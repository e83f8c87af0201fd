"""The calls that the scenarios of a session make, some of them before their items run."""

from __future__ import annotations

import contextvars
import functools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.errors import AdapterError, ConfigurationError
from pytest_verdict.session import SESSION
from pytest_verdict.suites.adapters import open_adapter
from pytest_verdict.suites.adapters.rate_limit import Pace
from pytest_verdict.suites.adapters.recorded import Recording
from pytest_verdict.suites.adapters.time_limit import end_loop, in_thread
from pytest_verdict.suites.scenario_run import AdapterCalls, Run, run_once

if TYPE_CHECKING:
    import pytest

    from pytest_verdict.suites.pytest_items import ScenarioItem
    from pytest_verdict.suites.suite_model import HttpRequest
    from pytest_verdict.suites.suite_reader import Suite

# Of such an item nobody knows whether it will run.
_DOUBTFUL: Final = ("skip", "skipif", "xfail")
_MOMENT: Final = 0.2


class CallPool:
    """Makes calls in the order in which they are given, each when fewer are in flight than it allows.

    The executor of the standard library waits for its threads when the process ends, and a call may take for ever.
    """

    def __init__(self) -> None:
        self.closing: Final = threading.Event()
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()
        self._in_flight = 0

    def submit(self, most: int, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Make a call as soon as fewer than so many are in flight."""
        future = Future[Any]()
        future.add_done_callback(lambda _: self._start_waiting(ended=1))
        # What the session keeps in context variables holds for the adapter too.
        run = functools.partial(contextvars.copy_context().run, function, *arguments)
        self._waiting.append((most, functools.partial(in_thread, run, future)))
        self._start_waiting()
        return future

    def close(self) -> None:
        """Start no call any more; those in flight are abandoned."""
        with self._lock:
            self.closing.set()
            self._waiting.clear()

    def _start_waiting(self, ended: int = 0) -> None:
        with self._lock:
            self._in_flight -= ended
            while self._waiting and self._in_flight < self._waiting[0][0]:
                self._in_flight += 1
                self._waiting.popleft()[1]()


class ScenarioCalls:
    """Asks the adapters, for the scenario that runs and for those that follow it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
        self._pool = CallPool()
        self._adapters: dict[str, AdapterCalls] = {}
        self._started: dict[ScenarioItem, list[Future[Run]]] = {}
        self._positions: dict[pytest.Item, int] = {}
        config.add_cleanup(self._end)

    def runs_of(self, item: ScenarioItem) -> list[Run]:
        """Give what came of each repeat of a scenario, and let those that follow begin."""
        futures = self._started.pop(item, None) or self._start(item)
        self._look_ahead(item)
        # A wait without end would not see a Ctrl-C that came just before it began.
        while wait(futures, _MOMENT).not_done:
            pass
        return [future.result() for future in futures]

    def _start(self, item: ScenarioItem) -> list[Future[Run]]:
        call = functools.partial(self._pool.submit, self._most(item.suite), run_once)
        adapter = self._adapter(item)
        return [call(item.plan, item.suite.head.name, adapter, repeat) for repeat in range(1, item.plan.repeats + 1)]

    def _look_ahead(self, item: ScenarioItem) -> None:
        """Start the calls of the scenarios that run next, twice as many as are in flight at once."""
        for following in self._following(item):
            if not isinstance(following, type(item)) or following in self._started:
                continue
            if any(map(following.get_closest_marker, _DOUBTFUL)):
                continue
            if sum(map(len, self._started.values())) >= 2 * (self._most(following.suite) - 1):
                return
            try:
                self._started[following] = self._start(following)
            except (AdapterError, ConfigurationError):
                # Told when it runs.
                continue

    def _following(self, item: ScenarioItem) -> Iterator[pytest.Item]:
        """Give the items that this process runs after one."""
        items = item.session.items
        if not hasattr(self._config, "workerinput"):
            self._positions = self._positions or {each: position for position, each in enumerate(items)}
            yield from (items[position] for position in range(self._positions.get(item, len(items)) + 1, len(items)))
        elif self._scheduled is not None:
            with self._scheduled.torun.lock() as waiting:
                numbers = [self._scheduled.nextitem_index, *waiting]
            yield from (items[number] for number in numbers if isinstance(number, int))

    @functools.cached_property
    def _scheduled(self) -> Any:
        # What pytest-xdist has told this worker to run; it tells the rest when other workers have not taken it.
        plugins = self._config.pluginmanager.get_plugins()
        return next((plugin for plugin in plugins if hasattr(plugin, "torun")), None)

    def _most(self, suite: Suite) -> int:
        asked = self._config.getoption("verdict_concurrency")
        usual = str(self._config.getini("verdict_concurrency"))
        given = [most for most in (suite.head.max_concurrency, asked) if most is not None]
        most = min(given, default=int(usual) if usual.isdecimal() else 0)
        if most < 1:
            raise ConfigurationError(
                f"verdict_concurrency is a whole number from 1, got {usual if asked is None else asked}"
            )
        # All workers together do no more than one process would do.
        return max(most // self._workers, 1)

    def _adapter(self, item: ScenarioItem) -> AdapterCalls:
        written, folder = self._named_adapter(item)
        key = f"{folder}: {written!r}"
        if key not in self._adapters:
            opened, pace = open_adapter(written, folder), Pace(self._pool.closing, self._workers)
            self._adapters[key] = AdapterCalls(repr(written), opened, self._recording, pace)
        return self._adapters[key]

    @functools.cached_property
    def _recording(self) -> Recording | None:
        wanted = SESSION.journal if self._config.getoption("verdict_resume") else None
        return None if wanted is None else Recording(wanted.parent)

    def _named_adapter(self, item: ScenarioItem) -> tuple[str | HttpRequest, Path]:
        given = self._config.getoption("verdict_adapter")
        if given:
            return given, self._config.invocation_params.dir
        if item.suite.head.adapter:
            return item.suite.head.adapter, item.path.parent
        usual = str(self._config.getini("verdict_adapter"))
        if not usual:
            ways = "write adapter: into the suite, set verdict_adapter in the ini file, or give --verdict-adapter"
            raise AdapterError(f"no adapter is named: {ways}")
        return usual, self._config.rootpath

    def _end(self) -> None:
        self._pool.close()
        for calls in self._adapters.values():
            if hasattr(calls.adapter, "close"):
                calls.adapter.close()
        end_loop()
