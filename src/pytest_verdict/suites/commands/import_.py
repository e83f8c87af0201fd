"""``pytest-verdict import``: a file of another tool as a suite or a test module.

Nothing in the file is executed. Parts that are not translated are listed with their line.

exit codes:
  0  everything was translated
  1  a file was written, and something was left out
  2  nothing was written
"""

import argparse
import importlib
from pathlib import Path

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import SuiteError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from pytest_verdict.suites.importing import FORMATS

    parser.add_argument("format", choices=FORMATS, help="the tool that reads the file")
    parser.add_argument("file", type=Path, metavar="FILE", help="a configuration, data set, suite or checkpoint")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write (default: beside FILE)")


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
    from pytest_verdict.suites.importing import Imported, as_name, write_suite

    path: Path = arguments.file
    reader = importlib.import_module(f"pytest_verdict.suites.importing.{arguments.format.replace('-', '_')}")
    try:
        imported = Imported(path.name, YamlDocument.read_exactly(path, allows_blanks=True))
        reader.read(imported)
    except YamlTextError as error:
        raise SuiteError(error.at(str(path))) from None
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise SuiteError(f"{path}: it is not as {arguments.format} has it: {type(error).__name__}: {error}") from None

    left_out = sorted({*imported.left_out})
    for line, what in left_out:
        say(f"{path}:{line}: {what}")
    stem = path.name.partition(".")[0]
    default_name = f"test_{stem}.py" if imported.module else f"{stem}.verdict.yaml"
    output: Path = arguments.output or path.with_name(default_name)
    if output.exists():
        complain(f"{output} exists already; name another by -o")
        return 2
    if not (imported.module or imported.scenarios):
        complain("nothing could be translated")
        return 2

    head = {"name": as_name(stem), **{key: as_name(value) for key, value in imported.suite.items() if value}}
    output.write_text(imported.module or write_suite(head, imported.scenarios), encoding="utf-8")
    say(f"written: {output}, {format_count(len(left_out), 'part')} left out")
    return 1 if left_out else 0
