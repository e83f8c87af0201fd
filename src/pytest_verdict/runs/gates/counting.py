"""Counting what gates select, and deciding by the operator that decides over data sets and repeats."""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import similar
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.gate_lines import INCOMPLETE, MET, MISSED, UNDECIDED, named
from pytest_verdict.report.summary import VERDICTS, Summary, decisive_records
from pytest_verdict.runs.gates.gate import CASE, KINDS, PINNED, Gate, read_gate

_Record = Mapping[str, Any]
_Named = Iterator[tuple[Sequence[str], str]]
# The operators whose children have names of their own, and their settings with the name of the whole and those of the parts.
_INSTEAD: Final = {"not_compared", "nothing_found"}
WHOLES: Final = {"field": ("answer_template", "template", "fields"), "criterion": ("criteria", "id", "criteria")}


def derive(asked: Iterable[Mapping[str, Any]], summary: Summary, records: Path) -> list[dict[str, Any]]:
    """Say of each gate what was counted, and whether it is met."""
    selections = [_Selection(read_gate(one["gate"])) for one in asked]
    markers = {test.final.test: (test.final.traits or {}).get("markers", ()) for test in summary.tests}
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
        self._known: set[str] = set()
        self._counts: dict[str, Counter[str]] = {}

    def add(self, record: _Record, markers: Sequence[str]) -> None:
        """Count what is selected of a comparison."""
        if record["operator"] == PassRate.name != self._gate.pattern:
            # It decided over comparisons that are counted themselves.
            return
        for names, verdict in _selected_by(self._gate.kind, record, markers):
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
        reason = self._nothing() if not self._counts else "" if is_whole else INCOMPLETE
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


def _selected_by(kind: str, record: _Record, markers: Sequence[str]) -> _Named:
    """Give the names by which a gate of this kind selects a comparison, or each of its parts, and the verdict."""
    if kind in WHOLES:
        yield from parts_of(record, *WHOLES[kind])
    elif kind == "operator":
        # What could not be compared is an error of the operator that would have.
        instead_of = record["settings"].get("instead_of") if record["operator"] in _INSTEAD else None
        yield [name for name in (record["operator"], instead_of) if name], record["verdict"]
    else:
        yield markers if kind == "marker" else [record["test"]], record["verdict"]


def parts_of(record: _Record, operator: str, whole: str, parts: str) -> _Named:
    """Give the names of each part, alone and after that of the whole, and its verdict."""
    children = record.get("children", ())
    if record["operator"] == operator:
        settings = record["settings"]
        names = [one if isinstance(one, str) else one["id"] for one in settings[parts]]
        verdicts = [child["verdict"] for child in children[: len(names)]]
        # Where the whole could not be compared, neither could its parts.
        for name, verdict in zip_longest(names, verdicts, fillvalue="error"):
            yield [name, f"{settings[whole]}.{name}"], verdict
    for child in children:
        yield from parts_of(child, operator, whole, parts)
