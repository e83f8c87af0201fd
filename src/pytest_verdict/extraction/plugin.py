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
def extractions() -> Mapping[str, str]:
    """Name what compares a part of an observed value."""
    return {"extract": f"{_HERE}evaluator:comparison_of_part"}
