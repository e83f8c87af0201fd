"""Gates of a session: which comparisons they select, what share of these must pass, and whether it did."""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, allowed, similar
from pytest_verdict.operators.pass_rate import PassRate, RowCount
from pytest_verdict.report.summary import (
    INCOMPLETE,
    MET,
    MISSED,
    UNDECIDED,
    VERDICTS,
    Summary,
    decisive_records,
    is_answer,
    list_names,
)
from pytest_verdict.runs.parts import WHOLES, intended_operator, parts_of

CASE: Final = "case"
PINNED: Final = "pinned"
KINDS: Final = {
    CASE: "tests",
    "criterion": "criteria",
    "field": "template fields",
    "marker": "markers",
    "operator": "operators",
    PINNED: "tests",
    "test": "tests",
}
"""The kinds of gates, and what their patterns name."""

_FORM: Final = re.compile(r"\s*(\w+)\s*:\s*(\S.*?)\s*(?:>=\s*([^\s@]+)\s*(?:@\s*(\S+)\s*)?)?")
_LONGEST: Final = 1_000
# Few digits, because a fraction with a huge exponent would take too long to compute.
_SHARE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:(%)|/([1-9][0-9]{0,8}))?")
_SYNTAX: Final = (
    "A gate is KIND:PATTERN >= RATE, such as 'operator:numeric_* >= 0.95'. With @ CONFIDENCE, such as"
    " 'operator:numeric_* >= 0.95 @ 0.9', the exact interval must reach the rate. A shell needs the quotes. A pinned test"
    " must pass as a whole, so it takes no rate: 'pinned:TEST'."
)


@dataclass(frozen=True, slots=True)
class Gate:
    """Which comparisons must pass, and how many of them."""

    text: str
    kind: str
    pattern: str
    rate: float
    confidence: float | None


def read_gate(text: str) -> Gate:
    """Parse a gate, or raise a `ConfigurationError`."""
    match = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    kind, pattern, rate_text, confidence_text = match.groups() if match else ("", "", None, None)
    if (rate_text is None) is not (kind == PINNED):
        raise ConfigurationError(f"{shown(text)} is not a gate. {_SYNTAX}")
    if kind not in KINDS:
        raise ConfigurationError(f"{shown(text)}: unknown kind of gate {kind!r}.{allowed('gate', kind, KINDS)}")

    rate = 1.0 if rate_text is None else _parse_share("rate", rate_text, text)
    confidence = None if confidence_text is None else _parse_share("confidence", confidence_text, text)
    if confidence is not None and max(rate, confidence) == 1.0:
        raise ConfigurationError(
            f"{shown(text)}: no number of passes can show a rate of 1 or give a confidence of 1; use a smaller number, or"
            " remove the confidence"
        )
    return Gate(text=text.strip(), kind=kind, pattern=pattern, rate=rate, confidence=confidence)


def _parse_share(name: str, text: str, gate_text: str) -> float:
    match = _SHARE.fullmatch(text)
    if match is not None:
        number, percent, denominator = match.groups()
        share = Fraction(number) / (100 if percent else int(denominator or 1))
        if 0 < share <= 1:
            return float(share)
    raise ConfigurationError(
        f"{shown(gate_text)}: the {name} must be above 0 and at most 1, written as 0.95, 95% or 2/3; got {shown(text, 40)}"
    )


def derive_gates(requested: Iterable[Mapping[str, Any]], summary: Summary, records: Path) -> list[dict[str, Any]]:
    """Return the section ``gates`` of a report: what each gate counted, and whether it is met."""
    counts = [_GateCounts(read_gate(entry["gate"])) for entry in requested]
    markers = {test.final.test: (test.final.traits or {}).get("markers", ()) for test in summary.tests}
    for record in decisive_records(records, summary):
        for gate_counts in counts:
            gate_counts.add(record, markers[record["test"]])
    # The comparisons of a process that crashed may be missing from the records.
    is_complete = summary.complete and not any(test.decisive.crashed for test in summary.tests)
    return [gate_counts.decide(markers, is_complete=is_complete) for gate_counts in counts]


class _GateCounts:
    """The verdicts that a gate selects, counted by test."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        # Only * and ? are special, because names of tests contain brackets.
        self._is_selected = re.compile(translate(gate.pattern.replace("[", "[[]"))).fullmatch
        self._names: set[str] = set()
        self._counts: dict[str, Counter[str]] = {}

    def add(self, record: Mapping[str, Any], markers: Sequence[str]) -> None:
        """Count the parts of a comparison that the gate selects."""
        kind = self._gate.kind
        operator = record["operator"]
        misses_rows = operator == RowCount.name and record["verdict"] != "pass" and kind in {PINNED, CASE}
        if not (is_answer(operator) or misses_rows or operator == self._gate.pattern):
            # The comparisons over which an operator decides are counted themselves.
            return
        parts: Iterable[tuple[Sequence[str], str]]
        if kind in WHOLES:
            parts = parts_of(record, WHOLES[kind])
        elif kind == "operator":
            parts = [([operator, intended_operator(record)], record["verdict"])]
        elif kind == "marker":
            parts = [(markers, record["verdict"])]
        else:
            parts = [([record["test"]], record["verdict"])]

        for names, verdict in parts:
            self._names.update(names)
            if any(map(self._is_selected, names)):
                self._counts.setdefault(record["test"], Counter())[verdict] += 1

    def decide(self, tests: Iterable[str], *, is_complete: bool) -> dict[str, Any]:
        """Return the entry of the gate in ``report.json``."""
        gate = self._gate
        if gate.kind == PINNED:
            # A pinned test that was skipped or compared nothing did not pass.
            for test in filter(self._is_selected, tests):
                self._counts.setdefault(test, Counter(error=1))

        missed = [
            test
            for test, counts in self._counts.items()
            if gate.kind in {PINNED, CASE} and not _decide(gate.rate, gate.confidence, counts).passed
        ]
        if gate.kind == CASE:
            verdicts = {test: "error" if self._counts[test]["error"] else "fail" for test in missed}
            total = Counter(verdicts.get(test, "pass") for test in self._counts)
            decision = _decide(1.0, None, total)
        else:
            total = sum(self._counts.values(), Counter())
            decision = _decide(gate.rate, gate.confidence, total)

        reason = ""
        if not self._counts:
            kind = KINDS[gate.kind]
            names = sorted(self._names)
            reason = f"nothing was compared that has {kind}"
            if names:
                close = similar(gate.pattern, names, 1)
                hint = f", did you mean {close[0]!r}?" if close else ""
                listed = list_names(names)
                reason = f"no comparison belongs to {gate.pattern!r}{hint}; the {kind} of this session are {listed}"
        elif not is_complete:
            reason = INCOMPLETE
        verdict = MET if decision.passed else MISSED
        entry = {
            "gate": gate.text,
            "unit": "test" if gate.kind == CASE else "comparison",
            **{name: total[name] for name in VERDICTS},
            **decision.details,
            "verdict": UNDECIDED if reason else verdict,
            "notes": decision.notes if self._counts else [],
        }
        if reason:
            entry["reason"] = reason
        if missed:
            entry["tests"] = missed
        return entry


def _decide(rate: float, confidence: float | None, counts: Mapping[str, int]) -> ComparisonResult:
    return _decide_counts(rate, confidence, *(counts[verdict] for verdict in VERDICTS))


# Many tests have the same few counts, and an exact interval is slow to compute.
@functools.lru_cache(maxsize=1_000)
def _decide_counts(rate: float, confidence: float | None, *counts: int) -> ComparisonResult:
    operator = PassRate() if confidence is None else PassRate(confident=True, confidence=confidence)
    return run(operator, rate, dict(zip(VERDICTS, counts, strict=True)))
