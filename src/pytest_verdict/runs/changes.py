"""The changes between two runs, each with its class."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Final

from pytest_verdict.core.replay import Unverifiable
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.runs.causes import CHECKS, CODE, Sets, margins, minimal_causes
from pytest_verdict.runs.run import Comparison, Pairs, Run, pair, read_run


class Kind(StrEnum):
    """The classes of changes, the most severe first; ``--fail-on`` takes the names of the members."""

    ALARM = "same inputs but another verdict"
    REGRESSED = "regressed"
    TIGHTENED = "check tightened"
    SEVERAL = "several causes"
    CODE = "code changed"
    NOT_COMPARABLE = "not comparable"
    FLAKY = "flaky"
    EDITED = "expectation edited"
    LOOSENED = "check loosened"
    CHECK = "check changed"
    FIXED = "fixed"
    REMOVED = "removed"
    ADDED = "added"

    @property
    def word(self) -> str:
        """The name of the class in ``--fail-on``."""
        return self.name.lower().replace("_", "-")


FAIL_ON: Final = (Kind.REGRESSED.word, Kind.ALARM.word)
# The observed value may have a part in these, so a lost verdict of one of these classes is a regression.
_MAYBE_OBSERVED: Final = {Kind.SEVERAL, Kind.CODE, Kind.NOT_COMPARABLE}


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
        """Whether the comparison passes in the old run and not in the new one."""
        return self.old is not None and self.new is not None and self.old.passed and not self.new.passed

    def words(self) -> set[str]:
        """Return the names in ``--fail-on`` that select this change."""
        words = {self.kind.word}
        is_edited = bool(self.sets) and set(self.causes) <= CHECKS | {"expected"}
        if self.is_worse and self.kind in _MAYBE_OBSERVED and not is_edited:
            words.add(Kind.REGRESSED.word)
        if not self.is_worse and CHECKS.intersection(self.causes):
            words.add(Kind.LOOSENED.word)
        return words


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences of two runs.

    ``information`` has the pairs with equal verdicts whose check or expectation differs.
    """

    old: Run
    new: Run
    pairs: Pairs
    changes: list[Change]
    information: list[Change]

    def counts(self) -> dict[str, int]:
        """Count the changes of each class."""
        counts = Counter(change.kind for change in self.changes)
        return {kind: counts[kind] for kind in Kind if counts[kind]}

    def failing(self, fail_on: Collection[str] = FAIL_ON) -> list[Change]:
        """Return the changes whose class is in ``fail_on``."""
        return [change for change in (*self.changes, *self.information) if change.words().intersection(fail_on)]


def regressions(baseline: str | Path, session: str | Path) -> list[Change]:
    """Compare a session with an earlier one, and return the changes by which `pytest-verdict diff` would exit with 1.

    Args:
        baseline: The folder, file of records or bundle of the earlier session.
        session: The folder, file of records or bundle of the later session.

    Raises:
        RecordError: A run cannot be read, or the runs have no comparison in common.
    """
    return diff(read_run(baseline), read_run(session)).failing()


def diff(old: Run, new: Run) -> Diff:
    """Compare two runs."""
    pairs, removed, added = pair(old.comparisons, new.comparisons)
    if not pairs:
        raise RecordError(f"{old.place} and {new.place} have no comparison in common, so nothing was compared")
    changes: list[Change] = []
    information: list[Change] = []
    for before, after in pairs:
        if before.passed is not after.passed:
            changes.append(_classify_turned_verdict(old, new, before, after))
        elif new.is_flaky(after):
            changes.append(Change(Kind.FLAKY, before, after, sets=(("observed",),)))
        elif before.check != after.check or before.expected != after.expected:
            information.append(_classify_edit(before, after))
    changes.extend(Change(Kind.REMOVED, comparison, None) for comparison in removed)
    changes.extend(Change(Kind.ADDED, None, comparison) for comparison in added)
    changes.sort(key=lambda change: [*Kind].index(change.kind))
    return Diff(old=old, new=new, pairs=pairs, changes=changes, information=information)


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
        sets = minimal_causes(before, after)
    except Unverifiable as reason:
        return Change(Kind.NOT_COMPARABLE, before, after, reason=str(reason))
    return Change(_kind_of_causes(sets, is_worse=before.passed), before, after, sets=sets)


def _kind_of_causes(sets: Sets, *, is_worse: bool) -> Kind:
    causes = set(chain.from_iterable(sets))
    if not causes:
        return Kind.ALARM
    if causes <= CHECKS:
        return Kind.TIGHTENED if is_worse else Kind.LOOSENED
    if len(causes) > 1:
        return Kind.SEVERAL
    if "observed" in causes:
        return Kind.REGRESSED if is_worse else Kind.FIXED
    # The reply of a model to the same values is an input that nobody chose, so it is an alarm.
    return {"expected": Kind.EDITED, CODE: Kind.CODE}.get(causes.pop(), Kind.ALARM)


def _classify_edit(before: Comparison, after: Comparison) -> Change:
    if before.check == after.check:
        return Change(Kind.EDITED, before, after, sets=(("expected",),))
    try:
        old_margin, new_margin = margins(before, after)
    except Unverifiable as reason:
        return Change(Kind.CHECK, before, after, reason=str(reason))
    if new_margin > old_margin:
        return Change(Kind.LOOSENED, before, after)
    if new_margin < old_margin:
        return Change(Kind.TIGHTENED, before, after)
    return Change(Kind.CHECK, before, after)
