"""Counting what gates select, and deciding by the operator that decides over data sets and repeats."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import similar
from pytest_verdict.gates.gate import CASE, KINDS, PINNED, Gate, read_gate
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.gate_lines import INCOMPLETE, MET, MISSED, UNDECIDED, named
from pytest_verdict.report.summary import VERDICTS, Summary, decisive_records

_Record = Mapping[str, Any]
_Named = Iterator[tuple[Sequence[str], str]]


def derive(asked: Iterable[Mapping[str, Any]], summary: Summary, records: Path) -> list[dict[str, Any]]:
    """Say of each gate what was counted, and whether it is met."""
    selections = [_Selection(read_gate(one["gate"])) for one in asked]
    markers = {test.final.test: test.final.markers or () for test in summary.tests}
    for record in decisive_records(records, summary):
        for selection in selections:
            selection.add(record, markers[record["test"]])
    # What a process took along when it died is in no record.
    is_whole = summary.complete and not any(test.decisive.crashed for test in summary.tests)
    return [selection.decided(markers, is_whole=is_whole) for selection in selections]


class _Selection:
    """The verdicts that a gate selects, counted by test."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._selects = gate.selector().fullmatch
        self._names = _NAMES[gate.kind]
        self._known: set[str] = set()
        self._counts: dict[str, Counter[str]] = {}

    def add(self, record: _Record, markers: Sequence[str]) -> None:
        """Count what is selected of a comparison."""
        if record["operator"] == PassRate.name != self._gate.pattern:
            # It decided over comparisons that are counted themselves.
            return
        for names, verdict in self._names(record, markers):
            self._known.update(names)
            if any(map(self._selects, names)):
                self._counts.setdefault(record["test"], Counter())[verdict] += 1

    def decided(self, tests: Iterable[str], *, is_whole: bool) -> dict[str, Any]:
        """Give the entry of the gate in ``report.json``."""
        gate, rate, confidence, missed = self._gate, self._gate.rate, self._gate.confidence, list[str]()
        if gate.kind == PINNED:
            # A pinned test that was skipped, or compared nothing, did not pass.
            for test in filter(self._selects, tests):
                self._counts.setdefault(test, Counter(error=1))
        if gate.kind in {PINNED, CASE}:
            missed = [test for test, counts in self._counts.items() if not _decision(rate, confidence, counts).passed]
        if gate.kind == CASE:
            of_cases = {test: "error" if self._counts[test]["error"] else "fail" for test in missed}
            total, rate, confidence = Counter(of_cases.get(test, "pass") for test in self._counts), 1.0, None
        else:
            total = sum(self._counts.values(), Counter())
        decision = _decision(rate, confidence, total)
        reason = "" if is_whole else INCOMPLETE
        reason = reason if self._counts else self._nothing()
        return {
            "gate": gate.text,
            "unit": "test" if gate.kind == CASE else "comparison",
            **{verdict: total[verdict] for verdict in VERDICTS},
            **decision.details,
            "verdict": UNDECIDED if reason else MET if decision.passed else MISSED,
            "notes": decision.notes if self._counts else [],
            **({"reason": reason} if reason else {}),
            **({"tests": missed} if missed else {}),
        }

    def _nothing(self) -> str:
        what, names = KINDS[self._gate.kind], sorted(self._known)
        if not names:
            return f"nothing was compared that has {what}"
        close = similar(self._gate.pattern, names, 1)
        return (
            f"no comparison belongs to {self._gate.pattern!r}{f', did you mean {close[0]!r}?' if close else ''}; the {what} of"
            f" this session are {named(names)}"
        )


def _decision(rate: float, confidence: float | None, counts: Mapping[str, int]) -> ComparisonResult:
    return _decided(rate, confidence, *(counts[verdict] for verdict in VERDICTS))


@functools.lru_cache(maxsize=1_000)
def _decided(rate: float, confidence: float | None, *counts: int) -> ComparisonResult:
    """Decide; very many tests have the same few counts."""
    rule = PassRate() if confidence is None else PassRate(confident=True, confidence=confidence)
    return run(rule, rate, dict(zip(VERDICTS, counts, strict=True)))


def _of_test(record: _Record, markers: Sequence[str]) -> _Named:
    del markers
    yield (record["test"],), record["verdict"]


def _of_markers(record: _Record, markers: Sequence[str]) -> _Named:
    yield markers, record["verdict"]


def _of_operator(record: _Record, markers: Sequence[str]) -> _Named:
    del markers
    # What could not be compared is an error of the operator that would have.
    instead_of = record["settings"].get("instead_of") if record["operator"] == "not_compared" else None
    yield tuple(filter(None, (record["operator"], instead_of))), record["verdict"]


def _of_fields(record: _Record, markers: Sequence[str]) -> _Named:
    for part in _parts(record, "answer_template"):
        yield from _of_children(part, part["settings"]["template"], part["settings"]["fields"])


def _of_criteria(record: _Record, markers: Sequence[str]) -> _Named:
    for part in _parts(record, "criteria"):
        yield from _of_children(part, part["settings"]["id"], [one["id"] for one in part["settings"]["criteria"]])


def _parts(record: _Record, operator: str) -> Iterator[_Record]:
    if record["operator"] == operator:
        yield record
    for child in record.get("children", ()):
        yield from _parts(child, operator)


def _of_children(record: _Record, whole: str, names: Iterable[str]) -> _Named:
    # Where the whole could not be compared, neither could its parts.
    verdicts = chain((child["verdict"] for child in record.get("children", ())), repeat("error"))
    for name, verdict in zip(names, verdicts, strict=False):
        yield (name, f"{whole}.{name}"), verdict


_NAMES: Final[Mapping[str, Callable[[_Record, Sequence[str]], _Named]]] = {
    CASE: _of_test,
    "criterion": _of_criteria,
    "field": _of_fields,
    "marker": _of_markers,
    "operator": _of_operator,
    PINNED: _of_test,
    "test": _of_test,
}
