"""What pytest's own JUnit file says of a test besides its outcome: properties, and the output that was captured."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import pytest

from pytest_verdict.core.values.display import safe_repr, without_addresses
from pytest_verdict.report.journal import Properties

OUTPUT_LIMIT: Final = 1_000_000
# Key of what a worker tells the controller when it ends.
_OF_SUITE: Final = "verdict_properties"

_GIVEN: Final = pytest.StashKey[set[tuple[str, str]]]()

_LOG: Final = ("Log", "caplog", "system-out")
_OUT: Final = ("Out", "capstdout", "system-out")
_ERR: Final = ("Err", "capstderr", "system-err")
_WANTED: Final = {
    "log": (_LOG,),
    "system-out": (_OUT,),
    "system-err": (_ERR,),
    "out-err": (_OUT, _ERR),
    "all": (_LOG, _OUT, _ERR),
}


class Captured:
    """Reads properties and output from the last report of a test, as the ini keys of pytest's own file say."""

    def __init__(self, config: pytest.Config, written: Callable[[str], str]) -> None:
        self._config = config
        self._written = written
        has_keys = config.pluginmanager.has_plugin("junitxml")
        self._wanted = _WANTED.get(str(config.getini("junit_logging")), ()) if has_keys else ()
        self._of_passed = bool(self._wanted) and bool(config.getini("junit_log_passing_tests"))

    def texts(self, pairs: Iterable[tuple[object, object]]) -> Properties:
        """Write names and values that `record_property` or `record_testsuite_property` was given."""
        return [(self._safe(_as_text(name)), self._safe(_as_text(value))) for name, value in pairs]

    def of_suite(self) -> Properties:
        """Write what the session was given."""
        return self.texts(sorted(_given(self._config)))

    def output(self, report: pytest.TestReport, *, is_passed: bool) -> Mapping[str, str] | None:
        """Give the text of the elements that hold captured output."""
        if not self._wanted or (is_passed and not self._of_passed):
            return None
        found: dict[str, str] = {}
        for kind, attribute, element in self._wanted:
            text = str(getattr(report, attribute))
            if text:
                header = f" Captured {kind} ".center(80, "-")
                found[element] = found.get(element, "") + f"{header}\n{self._safe(text)}\n"
        return found or None

    def _safe(self, text: str) -> str:
        # Redacted before it is cut: half of a secret would match no pattern.
        written = self._written(text)
        if len(written) <= OUTPUT_LIMIT:
            return written
        return f"{written[:OUTPUT_LIMIT]}\n… of {len(written)} characters"


def _as_text(value: object) -> str:
    """Write a value as pytest does, whatever its class does, without memory addresses."""
    try:
        return without_addresses(str(value))
    except Exception:  # noqa: BLE001 - the class under test decides what it raises
        return safe_repr(value)


@pytest.fixture(scope="session")
def record_testsuite_property(
    request: pytest.FixtureRequest, record_testsuite_property: Callable[[str, object], None]
) -> Callable[[str, object], None]:
    """Record a property of the whole session, which pytest's own fixture forgets without ``--junit-xml``."""
    given = _given(request.config)
    config = request.config

    def record(name: str, value: object) -> None:
        record_testsuite_property(name, value)
        given.add((name, _as_text(value)))
        if hasattr(config, "workerinput"):
            # As JSON: execnet sends no lone surrogates.
            config.workeroutput[_OF_SUITE] = json.dumps(sorted(given))  # type: ignore[attr-defined]

    return record


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker was given."""
    _given(node.config).update(map(tuple, json.loads(getattr(node, "workeroutput", {}).get(_OF_SUITE, "[]"))))


def _given(config: pytest.Config) -> set[tuple[str, str]]:
    # Without order and number, which with workers are not those of the calls.
    return config.stash.setdefault(_GIVEN, set())
