"""Properties and captured output of tests, as pytest's own JUnit file has them."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import pytest

from pytest_verdict.core.values.display import safe_repr, without_addresses
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.report.journal import Properties

_OUTPUT_LIMIT: Final = 1_000_000
# The key of a worker's output.
_OUTPUT: Final = "verdict_properties"
_PROPERTIES: Final = pytest.StashKey[set[tuple[str, str]]]()

_LOG: Final = ("Log", "caplog", "system-out")
_OUT: Final = ("Out", "capstdout", "system-out")
_ERR: Final = ("Err", "capstderr", "system-err")
_KINDS: Final = {
    "log": (_LOG,),
    "system-out": (_OUT,),
    "system-err": (_ERR,),
    "out-err": (_OUT, _ERR),
    "all": (_LOG, _OUT, _ERR),
}


class Captured:
    """Reads properties and output from the last report of a test, as the ini keys of pytest's own file say."""

    def __init__(self, config: pytest.Config, redaction: Redaction) -> None:
        self._config = config
        self._redaction = redaction
        has_keys = config.pluginmanager.has_plugin("junitxml")
        self._kinds = _KINDS.get(str(config.getini("junit_logging")), ()) if has_keys else ()
        self._includes_passed = bool(self._kinds) and bool(config.getini("junit_log_passing_tests"))

    def properties(self, pairs: Iterable[tuple[object, object]]) -> Properties:
        """Format the names and values of `record_property` or `record_testsuite_property`."""
        return [(self._safe(_as_text(name)), self._safe(_as_text(value))) for name, value in pairs]

    def output(self, report: pytest.TestReport, *, is_passed: bool) -> Mapping[str, str] | None:
        """Return the texts of the elements that hold captured output."""
        if not self._kinds or (is_passed and not self._includes_passed):
            return None
        texts: dict[str, str] = {}
        for kind, attribute, element in self._kinds:
            text = str(getattr(report, attribute))
            if text:
                header = f" Captured {kind} ".center(80, "-")
                texts[element] = texts.get(element, "") + f"{header}\n{self._safe(text)}\n"
        return texts or None

    def _safe(self, text: str) -> str:
        # Redacted before it is cut: half of a secret would match no pattern.
        safe = self._redaction(text)
        if len(safe) <= _OUTPUT_LIMIT:
            return safe
        return f"{safe[:_OUTPUT_LIMIT]}\n… of {len(safe)} characters"


def _as_text(value: object) -> str:
    """Format a value as pytest does, without memory addresses."""
    try:
        return without_addresses(str(value))
    except Exception:  # noqa: BLE001 - the class under test decides what it raises
        return safe_repr(value)


@pytest.fixture(scope="session")
def record_testsuite_property(
    pytestconfig: pytest.Config, record_testsuite_property: Callable[[str, object], None]
) -> Callable[[str, object], None]:
    """Record a property of the whole session, which pytest's own fixture forgets without ``--junit-xml``."""

    def record(name: str, value: object) -> None:
        record_testsuite_property(name, value)
        properties = pytestconfig.stash[_PROPERTIES] = suite_properties(pytestconfig) | {(name, _as_text(value))}
        if hasattr(pytestconfig, "workerinput"):
            # As JSON: execnet sends no lone surrogates.
            pytestconfig.workeroutput[_OUTPUT] = json.dumps(sorted(properties))  # type: ignore[attr-defined]

    return record


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    pairs = json.loads(getattr(node, "workeroutput", {}).get(_OUTPUT, "[]"))
    node.config.stash[_PROPERTIES] = suite_properties(node.config).union(map(tuple, pairs))


def suite_properties(config: pytest.Config) -> set[tuple[str, str]]:
    """Return what the session recorded, without order and number, which with workers are not those of the calls."""
    return config.stash.get(_PROPERTIES, set())
