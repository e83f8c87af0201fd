"""What decides over a session beside its tests: what the options ask for, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.building import Built


def asked_gates(config: pytest.Config) -> list[dict[str, str]]:
    """Read the gates of the ini file and of the command line."""
    given = dict.fromkeys(config.getini("verdict_gate"), "verdict_gate")
    given |= dict.fromkeys(config.option.verify_gate, "--verify-gate")
    if given:
        from pytest_verdict.gates.gate import read_gate

        for text, place in given.items():
            try:
                read_gate(text)
            except ConfigurationError as error:
                raise pytest.UsageError(f"{place}: {error}") from None
    return [{"gate": text} for text in given]


def session_verdicts(built: Built, config: pytest.Config) -> Iterator[tuple[str, bool]]:
    """Say what was asked of the whole session, and whether it was met."""
    made, wanted = sum(built.summary.comparisons), config.option.verify_min_comparisons
    if made < wanted:
        yield f"{counted(made, 'comparison')} made, and at least {wanted} asked for: this session does not pass", False
    gates = built.sections.get("gates", ())
    if gates:
        from pytest_verdict.gates.verdict import MET, verdict_line

        yield from ((verdict_line(gate), gate["verdict"] == MET) for gate in gates)
