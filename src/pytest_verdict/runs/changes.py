"""The changes between two runs, each with its class and its causes.

Members of one record are swapped into the other, and the verdict is derived again.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import operator_codes
from pytest_verdict.core.replay import Unverifiable, derive_result, find_operator
from pytest_verdict.core.values.encoding import is_replayable
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.report.renaming import present_names
from pytest_verdict.report.summary import is_answer
from pytest_verdict.runs.partitions import read_partitioned
from pytest_verdict.runs.run import Comparison, Pairs, Run, pair, read_run

Sets = tuple[tuple[str, ...], ...]


class Kind(StrEnum):
    """The classes of changes, the most severe first; ``--fail-on`` takes the names of the members."""

    ALARM = "same inputs but another verdict"
    REGRESSED = "regressed"
    TIGHTENED = "check tightened"
    SEVERAL = "several causes"
    CODE = "code changed"
    NOT_COMPARABLE = "not comparable"
    LOST = "no longer compared"
    NOT_RUN = "not run"
    FLAKY = "flaky"
    EDITED = "expectation edited"
    LOOSENED = "check loosened"
    CHECK = "check changed"
    FIXED = "fixed"
    REMOVED = "removed"
    ADDED = "added"

    @property
    def word(self) -> str:
        return self.name.lower().replace("_", "-")


FAIL_ON: Final = tuple(kind.word for kind in (Kind.REGRESSED, Kind.ALARM, Kind.LOST, Kind.NOT_RUN))
# The observed value may have a part in these, so a lost verdict of one of these classes is a regression.
_MAYBE_OBSERVED: Final = {Kind.SEVERAL, Kind.CODE, Kind.NOT_COMPARABLE}
_CHECKS: Final = frozenset({"operator", "settings", "threshold"})
_CODE: Final = "code"
_REPLY: Final = ("reply",)
_MEMBERS: Final = {
    "expected": ("expected",),
    "observed": ("observed",),
    # Settings belong to their operator, so both are swapped together.
    "operator": ("operator", "negated", "settings"),
    "settings": ("settings",),
    "threshold": ("threshold",),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A comparison that is in one run only, or whose verdict or check differs."""

    kind: Kind
    old: Comparison | None
    new: Comparison | None
    sets: Sets = ()
    reason: str = ""

    @property
    def comparison(self) -> Comparison:
        """The comparison of the later run, or of the earlier run if the later one does not have it."""
        comparison = self.new or self.old
        assert comparison is not None
        return comparison

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes of the change, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(self.sets)))

    @property
    def is_worse(self) -> bool:
        """Whether the comparison passed in the earlier run only."""
        return self.old is not None and self.new is not None and self.old.passed and not self.new.passed

    def words(self) -> set[str]:
        """Return the names in ``--fail-on`` that select this change."""
        words = {self.kind.word}
        is_edited = bool(self.sets) and set(self.causes) <= _CHECKS | {"expected"}
        if self.is_worse and self.kind in _MAYBE_OBSERVED and not is_edited:
            words.add(Kind.REGRESSED.word)
        if self.kind is Kind.CHECK or (not self.is_worse and _CHECKS.intersection(self.causes)):
            # A check that changed may be looser.
            words.add(Kind.LOOSENED.word)
        return words


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences of two runs; ``information`` has the pairs with equal verdicts whose check or expectation differs."""

    old: Run
    new: Run
    pairs: Pairs
    changes: list[Change]
    information: list[Change]
    equal: int = 0
    """The number of pairs besides these, whose records are too many to have them in memory; they are equal."""

    @property
    def pair_count(self) -> int:
        return len(self.pairs) + self.equal

    def counts(self) -> dict[str, int]:
        counts = Counter(change.kind for change in self.changes)
        return {kind: counts[kind] for kind in Kind if counts[kind]}

    def failing(self, fail_on: Collection[str] = FAIL_ON) -> list[Change]:
        return [change for change in (*self.changes, *self.information) if change.words().intersection(fail_on)]


def regressions(baseline: str | Path, session: str | Path) -> tuple[list[Change], int]:
    """Return the regressions of a session that may select tests, and the number of comparisons that it did not run."""
    changes = diff_runs(baseline, session).failing()
    regressed = [change for change in changes if change.kind is not Kind.NOT_RUN]
    return regressed, len(changes) - len(regressed)


def diff(old: Run, new: Run) -> Diff:
    """Compare two runs in memory."""
    present = {*new.tests, *new.compared_tests}
    names = present_names(old.compared_tests, new.renamed, present)
    if names:
        old = old.with_names(names)
    return classify_changes(old, new, *pair(old.comparisons, new.comparisons))


def diff_runs(old: str | Path, new: str | Path) -> Diff:
    """Compare two runs; those whose records are in parts are paired in partitions on disk."""
    partitioned = read_partitioned(old, new)
    if partitioned is None:
        return diff(read_run(old), read_run(new))
    return classify_changes(*partitioned)


def classify_changes(
    old: Run,
    new: Run,
    pairs: Pairs,
    removed: list[Comparison],
    added: list[Comparison],
    equal: int = 0,
) -> Diff:
    """Classify the changes between runs whose comparisons were paired, apart from pairs that are ``equal``."""
    if not pairs and not equal and not any(new.find_test(comparison.test) for comparison in removed):
        raise RecordError(f"{old.place} and {new.place} have no comparison in common, so nothing was compared")
    changes: list[Change] = []
    information: list[Change] = []
    for before, after in pairs:
        if before.passed is not after.passed:
            changes.append(_classify_turned_verdict(old, new, before, after))
        elif new.is_flaky(after):
            changes.append(Change(Kind.FLAKY, before, after, sets=(("observed",),)))
        elif before.check != after.check or before.expected != after.expected:
            is_edited = before.check == after.check and is_answer(after.operator)
            kind = Kind.EDITED if is_edited else Kind.CHECK
            information.append(Change(kind, before, after, sets=(("expected",),) if is_edited else ()))
    turned = {change.comparison.test for change in changes if change.is_worse}
    old_tests = old.compared_tests
    moved = {_content(comparison) for comparison in added if comparison.passed and comparison.test not in old_tests}
    new_tests = new.compared_tests
    for comparison in removed:
        kind, reason = Kind.REMOVED, ""
        if comparison.passed and comparison.test not in turned and _content(comparison) not in moved:
            kind, reason = _classify_loss(new, comparison.test, compares=comparison.test in new_tests)
        changes.append(Change(kind, comparison, None, reason=reason))
    changes.extend(Change(Kind.ADDED, None, comparison) for comparison in added)
    for listed in (changes, information):
        listed.sort(key=lambda change: [*Kind].index(change.kind))
    return Diff(old=old, new=new, pairs=pairs, changes=changes, information=information, equal=equal)


def _content(comparison: Comparison) -> tuple[str | None, str, str]:
    return comparison.name, comparison.operator, comparison.expected


def _classify_loss(new: Run, name: str, *, compares: bool) -> tuple[Kind, str]:
    """Classify a comparison that passed and that the later run does not have."""
    test = new.find_test(name)
    if test is None and not compares:
        if new.is_part:
            return Kind.REMOVED, "the later run is one part of a session"
        return Kind.NOT_RUN, "the later run has no such test: it was removed, renamed or not selected"
    if test is not None and not test.is_green:
        return Kind.REGRESSED, f"not reached, because the test did not pass: {test.reason}"
    if test is not None and test.outcome in {"skipped", "xfailed"}:
        return Kind.LOST, f"not reached, because the test was {test.outcome}: {test.message or 'no reason'}"
    if not compares:
        return Kind.LOST, "the test passed and compared nothing"
    return Kind.REMOVED, ""


def parse_fail_on(text: str) -> tuple[str, ...]:
    """Parse the argument of ``--fail-on``: names of classes joined by commas."""
    words = tuple(word.strip() for word in text.split(","))
    names = [kind.word for kind in Kind]
    for word in words:
        if word not in names:
            raise ConfigurationError(f"--fail-on: unknown {word!r}.{allowed('class', word, names)}")
    return words


def _classify_turned_verdict(old: Run, new: Run, before: Comparison, after: Comparison) -> Change:
    if old.is_flaky(before) or new.is_flaky(after):
        return Change(Kind.FLAKY, before, after, sets=(("observed",),))
    try:
        sets = _find_minimal_causes(before, after)
    except Unverifiable as reason:
        return Change(Kind.NOT_COMPARABLE, before, after, reason=str(reason))

    causes = set(chain.from_iterable(sets))
    if not causes:
        kind = Kind.ALARM
    elif causes <= _CHECKS or (causes == {"expected"} and not is_answer(after.operator)):
        # The expected value of a decision over others is the rate or the number that it demands.
        kind = Kind.TIGHTENED if before.passed else Kind.LOOSENED
    elif len(causes) > 1:
        kind = Kind.SEVERAL
    elif "observed" in causes:
        kind = Kind.REGRESSED if before.passed else Kind.FIXED
    else:
        # The reply of a model to the same values is an input that nobody chose, so it is an alarm.
        kind = {"expected": Kind.EDITED, _CODE: Kind.CODE}.get(causes.pop(), Kind.ALARM)
    return Change(kind, before, after, sets=sets)


class _Records(NamedTuple):
    """Both records of a pair, and the members that are swapped together, by the names of the differences that they hold."""

    lines: bytes
    before: dict[str, Any]
    after: dict[str, Any]
    factors: Mapping[tuple[str, ...], tuple[str, ...]]

    @property
    def has_other_code(self) -> bool:
        codes = [(one.get("operator_version"), *operator_codes(one)) for one in (self.before, self.after)]
        return self.before["operator"] == self.after["operator"] and codes[0] != codes[1]

    def derive(self, swapped: Iterable[tuple[str, ...]]) -> bool:
        """Return whether the old record passes after some of its members are replaced by those of the new record."""
        mixed = {key: value for key, value in self.before.items() if key != "sources"}
        for member in chain.from_iterable(self.factors[names] for names in swapped):
            mixed.pop(member, None)
            if member in self.after:
                mixed[member] = self.after[member]
        try:
            return derive_result(self.lines, mixed, find_operator(mixed).operator).verdict == "pass"
        except (RecordError, RecursionError) as error:
            raise Unverifiable(str(error)) from None


def _read_records(old: Comparison, new: Comparison) -> _Records:
    before = old.record()
    after = new.record()

    def differs(*members: str) -> bool:
        # repr() tells 1, 1.0 and True apart.
        return any(repr(before.get(member)) != repr(after.get(member)) for member in members)

    groups = dict(_MEMBERS)
    del groups["settings" if differs("operator", "negated") else "operator"]
    if old.expected == new.expected and differs("expected") and differs("observed"):
        # Of several accepted values the best decides, so it follows from the observed one.
        groups["observed"] = (*groups.pop("expected"), "observed")
    factors: dict[tuple[str, ...], tuple[str, ...]] = {
        (name,): members for name, members in groups.items() if differs(*members)
    }
    if _asks_model(before) or _asks_model(after):
        # The reply of a model depends on everything in its question, so both are swapped together.
        question = {name[0]: factors.pop(name) for name in [*factors] if name != ("threshold",)}
        if question or differs("details"):
            factors[tuple(question) or _REPLY] = ("details", *chain.from_iterable(question.values()))
    return _Records(old.line + new.line, before, after, factors)


def _asks_model(record: dict[str, Any]) -> bool:
    try:
        return find_operator(record).operator.asks_model
    except (Unverifiable, RecordError):
        return False


def _find_minimal_causes(old: Comparison, new: Comparison) -> Sets:
    """Find the smallest sets of differences that turn the verdict; no set if the records do not differ."""
    records = _read_records(old, new)
    if not records.has_other_code and records.factors.keys() <= {_REPLY}:
        if is_replayable(records.before) and is_replayable(records.after):
            return ()
        raise Unverifiable("not_encodable or redacted")

    derives_old = records.derive(()) is old.passed
    derives_new = records.derive(records.factors) is new.passed
    if not (derives_old and derives_new):
        # Only one version of the code is installed. If it derives one of the verdicts, the code is the cause.
        if records.has_other_code and (derives_old or derives_new):
            return ((_CODE,),)
        raise Unverifiable("the installed operator gives another verdict for the recorded values")

    sets: list[tuple[tuple[str, ...], ...]] = []
    for size in range(1, len(records.factors) + 1):
        for candidate in combinations(records.factors, size):
            has_smaller_set = any(set(smaller) <= set(candidate) for smaller in sets)
            if not has_smaller_set and records.derive(candidate) is new.passed:
                sets.append(candidate)
    return tuple(tuple(chain.from_iterable(names)) for names in sets)
