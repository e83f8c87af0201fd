"""What decides over a session beside its tests: what the options ask for, and what came of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.pytest_plugin.report_folder import is_apart
from pytest_verdict.report.building import Built
from pytest_verdict.report.gate_lines import INCOMPLETE, MET, list_names, verdict_line
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.gates import read_gate
from pytest_verdict.session import SESSION

_OF_A_PART: Final = ", in this part alone: pytest-verdict merge decides"


def asked_gates(config: pytest.Config) -> list[dict[str, str]]:
    """Read the gates of the ini file and of the command line."""
    given = dict.fromkeys([*config.getini("verdict_gate"), *config.option.verify_gate])
    if SESSION.redaction is not None and any(SESSION.redaction(text) != text for text in given):
        raise pytest.UsageError("a gate of this session holds what verdict_redact matches, and the report has its text")
    try:
        return [{"gate": read_gate(text).text} for text in given]
    except ConfigurationError as error:
        raise pytest.UsageError(f"a gate of this session cannot be read: {error}") from None


def refuse_wrong_baseline(config: pytest.Config, folder: Path) -> None:
    """Refuse a baseline that is not there, or that this session would replace by its own report."""
    given = config.option.verify_baseline
    if given is None:
        return
    is_apart(config, "--verify-baseline", given)
    baseline = config.invocation_params.dir / given
    try:
        RecordsFile(str(baseline))
    except RecordError as error:
        raise pytest.UsageError(f"--verify-baseline: {error}") from None
    if folder.resolve() in {baseline.resolve(), baseline.resolve().parent}:
        raise pytest.UsageError(
            f"--verify-baseline: this session writes to {given} itself; keep the baseline in another folder, or write"
            " elsewhere with --verify-report-dir"
        )


def session_verdicts(built: Built, config: pytest.Config, place: str) -> Iterator[tuple[str, bool]]:
    """Say what was asked of the whole session, and whether it was met."""
    made = sum(built.summary.comparisons)
    wanted = config.option.verify_min_comparisons
    if made < wanted:
        yield f"{counted(made, 'comparison')} made, and at least {wanted} asked for: this session does not pass", False
    is_part = config.option.verify_shard is not None
    for gate in built.sections.get("gates", ()):
        yield f"{verdict_line(gate)}{_OF_A_PART if is_part else ''}", is_part or gate["verdict"] == MET
    if config.option.verify_baseline is not None:
        yield _against_baseline(built, config, place)


def _against_baseline(built: Built, config: pytest.Config, place: str) -> tuple[str, bool]:
    from pytest_verdict.runs.changes import regressions

    given = config.option.verify_baseline
    try:
        found = regressions(config.invocation_params.dir / given, built.folder)
    except RecordError as error:
        return visible(f"baseline {given}: error: {error}"), False
    if not found:
        if built.summary.complete:
            reason = "met"
        else:
            reason = f"error: {INCOMPLETE}"
        return visible(f"baseline {given}: 0 regressions, {reason}"), built.summary.complete
    comparisons = [change.comparison for change in found]
    names = list_names([f"{one.test} {one.name or one.operator}" for one in comparisons])
    diff = f"in full: pytest-verdict diff {given} {place}"
    return visible(f"baseline {given}: {counted(len(found), 'regression')}, missed: {names}; {diff}"), False
