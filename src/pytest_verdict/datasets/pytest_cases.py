"""The marker ``verdict_cases``: one item for each row of a data set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.datasets.rows import NamedRow, check_count, read_named_rows
from pytest_verdict.datasets.selection import Selection, select_rows
from pytest_verdict.errors import ConfigurationError, MappingError
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import publish

CASE: Final = "case"
_PLUGIN: Final = "verdict-unreadable-rows"


class Unreadable(str):
    """Why a row could not be read, as a parameter in place of its value."""

    __slots__ = ()


class UnreadableRows:
    """A plugin that fails each item whose row could not be read."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse to run such an item."""
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        reason = next((value for value in parameters.values() if isinstance(value, Unreadable)), None)
        if reason is not None:
            publish(not_compared(str(reason)))
            raise pytest.fail.Exception(str(reason), pytrace=False)


def parametrize_cases(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test by the rows of a data set."""
    try:
        cases = _Cases(*marker.args, **marker.kwargs)
        names = cases.argument_names(metafunc.fixturenames)
        parameters = cases.parameters(names, metafunc.definition.path.parent)
    except (ValueError, OSError, TypeError) as error:
        text = str(error).removeprefix("_Cases.__init__() ")
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: verdict_cases: {text}") from None
    if not metafunc.config.pluginmanager.has_plugin(_PLUGIN):
        metafunc.config.pluginmanager.register(UnreadableRows(), _PLUGIN)
    metafunc.parametrize(names, parameters)


class _Cases:
    """The arguments of the marker."""

    def __init__(
        self,
        source: Any,
        mapping: InputMapping | Mapping[str, Any] | None = None,
        ids: Any = None,
        expect_rows: Any = None,
        min_rows: Any = None,
        limit: Any = None,
        sample: Any = None,
        seed: Any = 0,
    ) -> None:
        self._source = source
        self._mapping = None if mapping is None else InputMapping.read(mapping)
        self._ids = ids
        self._expect_rows = check_count("expect_rows", expect_rows)
        self._min_rows = check_count("min_rows", min_rows) or 1
        self._selection = Selection(limit, sample, seed)

    def argument_names(self, fixture_names: Sequence[str]) -> list[str]:
        """Return the arguments of a test that come from a row."""
        available = [CASE]
        if self._mapping is not None:
            available += self._mapping.fetch
        names = [name for name in available if name in fixture_names]
        if not names:
            raise ConfigurationError(f"the test takes none of the arguments {', '.join(available)}")
        return names

    def parameters(self, names: list[str], folder: Path) -> list[Any]:
        """Return the parameters of each selected row."""
        source = self._source
        if isinstance(source, str | Path):
            source = folder / source
        rows = select_rows(read_named_rows(source, self._ids), self._selection, self._expect_rows, self._min_rows)
        return [self._parameter(names, row) for row in rows]

    def _parameter(self, names: list[str], row: NamedRow) -> Any:
        error = row.error
        if error is None:
            try:
                values = {} if self._mapping is None else self._mapping.resolve(row.value)
                values = {CASE: row.value, **values}
                return pytest.param(*(values[name] for name in names), id=row.name)
            except MappingError as missing:
                error = str(missing)
        return pytest.param(*[Unreadable(f"{row.place}: {error}")] * len(names), id=row.place)
