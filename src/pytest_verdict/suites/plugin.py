"""What suites and data sets bring: scorers, adapters, readers of rows, commands, and tests without Python."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.suites."


@hookimpl
def adapters() -> Mapping[str, str]:
    """Name the kinds of adapters, by what stands before the colon."""
    return {
        **dict.fromkeys(("command", "command-json"), f"{_HERE}adapters.command:CommandAdapter"),
        **dict.fromkeys(("http", "https"), f"{_HERE}adapters.http:HttpAdapter"),
        "recorded": f"{_HERE}adapters.recorded:RecordedAdapter",
    }


@hookimpl
def scorers() -> Mapping[str, str]:
    """Name the scorers."""
    return {
        "exact": f"{_HERE}scorer:EXACT",
        "passfail": f"{_HERE}scorer:PASSFAIL",
        "regex": f"{_HERE}scorer:REGEX",
        "similarity": f"{_HERE}scorer:SIMILARITY",
    }


@hookimpl
def row_readers() -> Mapping[str, str]:
    """Name the suffixes of data sets."""
    return {
        **dict.fromkeys((".jsonl", ".ndjson"), f"{_HERE}rows.formats:read_jsonl"),
        ".json": f"{_HERE}rows.formats:read_list",
        **dict.fromkeys((".csv", ".tsv"), f"{_HERE}rows.formats:read_csv"),
        **dict.fromkeys((".yaml", ".yml"), f"{_HERE}rows.formats:read_yaml"),
        **dict.fromkeys((".parquet", ".arrow", ".feather"), f"{_HERE}rows.formats:read_arrow"),
    }


@hookimpl
def derivations() -> Mapping[str, str]:
    """Name what derives an extraction again, by the kind that its sources have in a record."""
    return {"input_mapping": f"{_HERE}mapping.input_mapping:derive"}


@hookimpl
def derived_columns() -> Mapping[str, str]:
    """Name what says where an extraction finds values that it takes as they are."""
    return {"input_mapping": f"{_HERE}mapping.input_mapping:column_paths"}


@hookimpl
def extractions() -> Mapping[str, str]:
    """Name what compares a part of an observed value."""
    return {"extract": f"{_HERE}mapping.evaluator:comparison_of_part"}


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {
        "init": Command("write a small suite that works, with its adapter", f"{_HERE}commands.init"),
        "import": Command("write a file of another tool as a suite or a test module", f"{_HERE}commands.import_"),
        "score": Command("compare the rows of a data set by an operator, without pytest", f"{_HERE}commands.score"),
        "check": Command("say whether suite files are written rightly, without running them", f"{_HERE}commands.check"),
    }


@hookimpl
def pytest_items() -> Mapping[str, str]:
    """Name suite files, and tests that run once for each row of a data set."""
    return {
        "verdict_suite_files": f"{_HERE}pytest_items:SuiteFile",
        "verdict_cases": f"{_HERE}pytest_cases:parametrize_cases",
    }
