"""What extraction brings: what derives an extracted part again, and what compares one."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.extraction."


@hookimpl
def derivations() -> Mapping[str, str]:
    """Name what derives an extraction again, by the kind that its sources have in a record."""
    return {"input_mapping": f"{_HERE}input_mapping:derive"}


@hookimpl
def derived_columns() -> Mapping[str, str]:
    """Name what says where an extraction finds values that it takes as they are."""
    return {"input_mapping": f"{_HERE}input_mapping:column_paths"}
