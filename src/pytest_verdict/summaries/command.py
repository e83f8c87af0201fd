"""``pytest-verdict summary``: a report in the format that a CI or another tool reads.

markdown            counts, gates, and the differences of what failed, in at most 256 kB
github              annotations for the log of a GitHub workflow; the Markdown goes to the file that GITHUB_STEP_SUMMARY names
gitlab-codequality  what failed, as GitLab's code quality report
ctrf                all tests with their comparisons, in the Common Test Report Format
otel                an event gen_ai.evaluation.result for each comparison, sent to OTEL_EXPORTER_OTLP_ENDPOINT

exit codes:
  0  the report was told, whatever its verdicts
  2  there is no report, it cannot be read or sent, or a file cannot be written
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from pytest_verdict.core.families import load
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import reporting_damage
from pytest_verdict.summaries.reading import DAMAGED

_HERE: Final = "pytest_verdict.summaries."
FORMATS: Final = {
    "markdown": f"{_HERE}markdown:write",
    "github": f"{_HERE}github:write",
    "gitlab-codequality": f"{_HERE}gitlab:write",
    "ctrf": f"{_HERE}ctrf:write",
    "otel": f"{_HERE}opentelemetry:write",
}
"""Each format with a function from a report to the pieces of its text."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default="verify-report", help="a report's folder")
    parser.add_argument("--format", choices=FORMATS, default="markdown", help="who reads it, see below")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write; stdout unless given")
    parser.add_argument("--root", metavar="PATH", default="", help="the tests' root directory inside the repository")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.format == "otel" and arguments.output:
        raise ConfigurationError("the format otel is sent to OTEL_EXPORTER_OTLP_ENDPOINT; leave out --output")
    with reporting_damage(f"{Path(arguments.folder)}: {DAMAGED}"):
        pieces = load(FORMATS[arguments.format])(read_report(Path(arguments.folder), arguments.root))
        if arguments.output:
            # Whole before it is written: a file that is there is not cut by what cannot be read.
            Path(arguments.output).write_text("".join(pieces), encoding="utf-8", newline="\n")
        else:
            sys.stdout.writelines(pieces)
    return 0
