"""``pytest-verdict check``: suite files checked without running them.

exit codes:
  0  every file can be run
  1  a file has a mistake, or, with --strict, a scenario is doubtful or an environment variable is not set
  2  no file is named, or one cannot be read
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import SuiteError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of suite files, for your editor")
    scorer_help = "a scorer that conftest.py registers; may be repeated"
    parser.add_argument("--scorer", action="append", default=[], metavar="NAME", help=scorer_help)
    parser.add_argument("--strict", action="store_true", help="treat warnings as errors")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a suite file; adapters and scorers are not imported")


def run(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        from pytest_verdict.suites.suite_model import suite_schema

        say_json(suite_schema())
        return 0
    if not arguments.files:
        complain("name a suite file, such as pytest-verdict check capitals.verdict.yaml")
        return 2
    return max(_check(file, arguments.scorer, strict=arguments.strict) for file in arguments.files)


def _check(file: str, scorers: Sequence[str], *, strict: bool) -> int:
    from pytest_verdict.suites.suite_reader import read_suite

    try:
        suite = read_suite(Path(file), scorers=scorers)
    except SuiteError as error:
        say(*str(error).splitlines())
        return 1
    adapter = f"adapter {suite.head.adapter}" if suite.head.adapter else "no adapter of its own"
    say(f"{file}: {suite.head.name}, {format_count(len(suite.scenarios), 'scenario')}, {adapter}")

    unset = [name for name in suite.variables if name not in os.environ]
    warnings = [(suite.variables[name], f"the environment variable {name} is not set here") for name in unset]
    warnings += [
        (plan.line, f"the scenario {plan.scenario.name!r} {plan.doubt}") for plan in suite.scenarios if plan.doubt
    ]
    level = "error" if strict else "warning"
    say(*(f"{file}:{line}: {level}: {text}" for line, text in warnings))
    return 1 if strict and warnings else 0
