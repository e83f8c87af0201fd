"""``pytest-verdict summary``: write a report in the format of a CI system or another tool.

markdown            counts, gates, and the differences of failing comparisons, in at most 256 kB
github              annotations for the log of a GitHub workflow, and the Markdown in the file of GITHUB_STEP_SUMMARY
gitlab-codequality  failing comparisons as GitLab's code quality report
ctrf                all tests with their comparisons, in the Common Test Report Format
otel                an event gen_ai.evaluation.result for each comparison, sent to OTEL_EXPORTER_OTLP_ENDPOINT

exit codes:
  0  the summary was written or sent, whatever the verdicts
  2  there is no report, it cannot be read or sent, or a file cannot be written
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from pytest_verdict.core.families import load
from pytest_verdict.core.new_files import writing_output
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.compression import reporting_damage
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile, local_run
from pytest_verdict.summaries.reading import DAMAGED

_HERE: Final = "pytest_verdict.summaries."
# Each format with the function that yields the text of a report.
FORMATS: Final = {
    "markdown": f"{_HERE}markdown:write",
    "github": f"{_HERE}markdown:write_github",
    "gitlab-codequality": f"{_HERE}json_formats:write_gitlab",
    "ctrf": f"{_HERE}json_formats:write_ctrf",
    "otel": f"{_HERE}opentelemetry:write",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="DIR", nargs="?", default="verify-report", help="a report's folder (default: verify-report)")
    add("--format", choices=FORMATS, default="markdown", help="the format, see below (default: markdown)")
    add("-o", "--output", metavar="FILE", help="the file to write (default: standard output)")
    root = "the root directory of the tests inside the repository (default: the root of the repository)"
    add("--root", metavar="PATH", default="", help=root)


def run(arguments: argparse.Namespace) -> int:
    if arguments.format == "otel" and arguments.output:
        raise ConfigurationError(
            "--format otel sends events to OTEL_EXPORTER_OTLP_ENDPOINT and writes no file; leave out --output"
        )
    with reporting_damage(f"{Path(arguments.folder)}: {DAMAGED}"):
        report = read_report(local_run(arguments.folder), arguments.root)
        # Not every format reads the records.
        RecordsFile(str(report.folder))
        pieces = load(FORMATS[arguments.format])(report)
        if arguments.output:
            with writing_output(Path(arguments.output)) as path, path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
        else:
            sys.stdout.writelines(pieces)
    return 0
