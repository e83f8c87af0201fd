"""The hooks of data sets: readers of rows, a command, and tests that run once for each row."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.datasets."


@hookimpl
def row_readers() -> Mapping[str, str]:
    return {
        **dict.fromkeys((".jsonl", ".ndjson"), f"{_HERE}formats:read_jsonl"),
        ".json": f"{_HERE}formats:read_json",
        **dict.fromkeys((".csv", ".tsv"), f"{_HERE}formats:read_csv"),
        **dict.fromkeys((".yaml", ".yml"), f"{_HERE}formats:read_yaml"),
        **dict.fromkeys((".parquet", ".arrow", ".feather"), f"{_HERE}formats:read_arrow"),
    }


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"score": Command("compare the rows of a data set by an operator, without pytest", f"{_HERE}commands.score")}


@hookimpl
def pytest_items() -> Mapping[str, str]:
    return {"verdict_cases": f"{_HERE}pytest_cases:parametrize_cases"}
