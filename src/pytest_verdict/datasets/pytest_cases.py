"""The marker ``verdict_cases``: one item per row of a dataset."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.datasets.row_selection import RowSelection, selected
from pytest_verdict.datasets.rows import checked_size, named_rows
from pytest_verdict.errors import ConfigurationError, MappingError
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.session import publish

CASE: Final = "case"
_PLUGIN: Final = "verdict-unreadable-rows"


class Unreadable(str):
    """Why a row could not be read, as a parameter in its place."""

    __slots__ = ()


class UnreadableRows:
    """Makes an error of each item whose row could not be read."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse to run such an item."""
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        unreadable = next((value for value in parameters.values() if isinstance(value, Unreadable)), None)
        if unreadable is not None:
            publish(not_compared(str(unreadable)))
            raise pytest.fail.Exception(str(unreadable), pytrace=False)


def parametrize_cases(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test by the rows of a dataset."""
    try:
        source, mapping, ids, selection, least = _arguments(*marker.args, **marker.kwargs)
        names = _names(metafunc.fixturenames, mapping)
        if isinstance(source, str | Path):
            source = metafunc.definition.path.parent / source
        cases = [_case(names, mapping, *row) for row in selected(named_rows(source, ids), selection, least)]
    except (ValueError, OSError, TypeError) as error:
        text = str(error).removeprefix("_arguments() ")
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: verdict_cases: {text}") from None
    if not metafunc.config.pluginmanager.has_plugin(_PLUGIN):
        metafunc.config.pluginmanager.register(UnreadableRows(), _PLUGIN)
    metafunc.parametrize(names, cases)


def _arguments(
    source: Any,
    mapping: InputMapping | Mapping[str, Any] | None = None,
    ids: Any = None,
    expect_rows: Any = None,
    min_rows: Any = None,
    limit: Any = None,
    sample: Any = None,
    seed: Any = 0,
) -> tuple[Any, InputMapping | None, Any, RowSelection, int]:
    sizes = {"expect_rows": expect_rows, "limit": limit, "sample": sample}
    selection = RowSelection(**{name: checked_size(name, size) for name, size in sizes.items()}, seed=seed)
    least = checked_size("min_rows", min_rows) or 1
    return source, None if mapping is None else InputMapping.read(mapping), ids, selection, least


def _names(taken: Sequence[str], mapping: InputMapping | None) -> list[str]:
    given = (CASE, *(mapping.fetch if mapping else ()))
    names = [name for name in given if name in taken]
    if not names:
        raise ConfigurationError(f"the test takes none of the arguments {', '.join(given)}")
    return names


def _case(names: list[str], mapping: InputMapping | None, place: str, name: str, value: Any, error: str | None) -> Any:
    if error is None:
        try:
            found = {CASE: value, **(mapping.resolve(value) if mapping else {})}
            return pytest.param(*(found[name] for name in names), id=name)
        except MappingError as missing:
            error = str(missing)
    return pytest.param(*[Unreadable(f"{place}: {error}")] * len(names), id=place)
