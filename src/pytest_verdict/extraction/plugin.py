"""The hooks of extraction: how an extracted input is derived again from its record."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import hookimpl

_HERE: Final = "pytest_verdict.extraction."


@hookimpl
def derivations() -> Mapping[str, str]:
    """Return the functions that derive inputs again, by the kind of the sources in a record."""
    return {"input_mapping": f"{_HERE}input_mapping:derive"}
