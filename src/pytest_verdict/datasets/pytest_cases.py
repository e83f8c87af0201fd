"""The marker ``verdict_cases``: one item for each row of a data set."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.datasets.rows import Selection, check_count, read_named_rows, select_rows
from pytest_verdict.errors import ConfigurationError, MappingError, allowed
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
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        reason = next((value for value in parameters.values() if isinstance(value, Unreadable)), None)
        if reason is not None:
            publish(not_compared(str(reason)))
            raise pytest.fail.Exception(str(reason), pytrace=False)


def parametrize_cases(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test by the rows of a data set."""
    arguments = [*inspect.signature(_read_cases).parameters][1:]
    try:
        for name in marker.kwargs.keys() - arguments:
            raise ConfigurationError(f"there is no argument {name!r}.{allowed('argument', name, arguments)}")
        names, parameters = _read_cases(metafunc, *marker.args, **marker.kwargs)
    except (ValueError, OSError, TypeError) as error:
        text = str(error).removeprefix("_read_cases() ")
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: verdict_cases: {text}") from None
    if not metafunc.config.pluginmanager.has_plugin(_PLUGIN):
        metafunc.config.pluginmanager.register(UnreadableRows(), _PLUGIN)
    metafunc.parametrize(names, parameters)


def _read_cases(
    metafunc: pytest.Metafunc,
    source: Any,
    mapping: InputMapping | Mapping[str, Any] | None = None,
    ids: Any = None,
    expect_rows: Any = None,
    min_rows: Any = None,
    limit: Any = None,
    sample: Any = None,
    seed: Any = 0,
) -> tuple[list[str], list[Any]]:
    """Return the arguments of the test that come from a row, and their values for each row."""
    inputs = None if mapping is None else InputMapping.read(mapping)
    if inputs is not None:
        inputs.refuse_same_sides()
    check_count("expect_rows", expect_rows)
    check_count("min_rows", min_rows)
    selection = Selection(limit, sample, seed)

    available = [CASE] if inputs is None else [CASE, *inputs.fetch]
    names = [name for name in available if name in metafunc.fixturenames]
    if not names:
        raise ConfigurationError(f"the test takes none of the arguments {', '.join(available)}")

    if isinstance(source, str | Path):
        source = metafunc.definition.path.parent / source
    parameters = []
    for row in select_rows(read_named_rows(source, ids), selection, expect_rows, min_rows or 1):
        reason = row.error
        values = {CASE: row.value}
        if reason is None and inputs is not None:
            try:
                values |= inputs.resolve(row.value)
            except MappingError as missing:
                reason = str(missing)
        if reason is None:
            parameters.append(pytest.param(*(values[name] for name in names), id=row.name))
        else:
            unreadable = Unreadable(f"{row.place}: {reason}")
            parameters.append(pytest.param(*[unreadable] * len(names), id=row.place))
    return names, parameters
