"""The marker ``verdict_cases``: one item per row of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from pytest_verdict.errors import ConfigurationError, MappingError
from pytest_verdict.operators.not_compared import record_not_compared
from pytest_verdict.suites.mapping.input_mapping import EXPECTED, OBSERVED, InputMapping, read_source
from pytest_verdict.suites.rows import read_rows
from pytest_verdict.suites.rows.row import Row, name_of_row

CASE: Final = "case"
_PLUGIN: Final = "verdict-unreadable-rows"


class Unreadable(NamedTuple):
    """Stands in a parameter for what could not be read."""

    reason: str


class UnreadableRows:
    """Makes an error of each item whose row could not be read; registered when there is one."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse to run such an item."""
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        reasons = dict.fromkeys(value.reason for value in parameters.values() if isinstance(value, Unreadable))
        for reason in reasons:
            record_not_compared(reason)
            raise pytest.fail.Exception(reason, pytrace=False)


def parametrize_cases(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test by the rows of a dataset."""
    try:
        source, mapping, ids = _arguments(*marker.args, **marker.kwargs)
        inputs = (CASE, *((EXPECTED, OBSERVED, *mapping.settings) if mapping else ()))
        names = [name for name in inputs if name in metafunc.fixturenames]
        if not names:
            raise ConfigurationError(f"the test takes none of the arguments {', '.join(inputs)}")  # noqa: TRY301 - one place adds where
        label = _label(source)
        if isinstance(source, str | Path):
            source = metafunc.definition.path.parent / source
        fetch_id = read_source(ids, "ids") if ids is not None else None
        cases = [_case(row, label, names, mapping, fetch_id) for row in read_rows(source)]
    except (ConfigurationError, OSError, TypeError) as error:
        text = str(error).removeprefix("_arguments() ")
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: verdict_cases: {text}") from None
    if any(isinstance(value, Unreadable) for case in cases for value in case.values):
        _register(metafunc.config)
    metafunc.parametrize(names, cases)


def _arguments(
    source: Any, mapping: InputMapping | Mapping[str, Any] | None = None, ids: Any = None
) -> tuple[Any, InputMapping | None, Any]:
    return source, None if mapping is None else InputMapping.read(mapping), ids


def _label(source: Any) -> str:
    return Path(source).name if isinstance(source, str | Path) else "row"


def _case(row: Row, label: str, names: list[str], mapping: InputMapping | None, fetch_id: Any) -> Any:
    name = f"{label}:{row.number}"
    try:
        if row.error is not None:
            raise MappingError(row.error)  # noqa: TRY301 - one place adds where
        found = {CASE: row.value}
        if mapping is not None:
            found.update(mapping.resolve(row.value))
    except MappingError as error:
        return pytest.param(*[Unreadable(f"{name}: {error}")] * len(names), id=name)
    return pytest.param(*(found[key] for key in names), id=name_of_row(fetch_id, row.value, name))


def _register(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin(_PLUGIN):
        config.pluginmanager.register(UnreadableRows(), _PLUGIN)
