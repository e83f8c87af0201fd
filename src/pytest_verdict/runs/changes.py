"""What changed between two runs, each change with its class."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Final

from pytest_verdict.core.replay import Unverifiable
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.runs.causes import CHECKS, CODE, Sets, minimal_causes, rooms
from pytest_verdict.runs.run import Comparison, Pairs, Run, paired, read_run


class Kind(StrEnum):
    """The classes of changes, the gravest first; ``--fail-on`` calls them by their names here."""

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
        """What ``--fail-on`` calls it."""
        return self.name.lower().replace("_", "-")


FAIL_ON: Final = (Kind.REGRESSED.word, Kind.ALARM.word)
# What is observed may have a part in these, so a verdict that was lost by one of them is a regression.
_MAYBE_OBSERVED: Final = {Kind.SEVERAL, Kind.CODE, Kind.NOT_COMPARABLE}


@dataclass(frozen=True, slots=True)
class Change:
    """A comparison that is not in both runs, or whose verdict or check is another one."""

    kind: Kind
    old: Comparison | None
    new: Comparison | None
    sets: Sets = ()
    reason: str = ""

    @property
    def comparison(self) -> Comparison:
        """The comparison, as the later run has it where it is in both."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def causes(self) -> tuple[str, ...]:
        """What turned the verdict, each named once."""
        return tuple(dict.fromkeys(chain.from_iterable(self.sets)))

    @property
    def is_worse(self) -> bool:
        """Whether the comparison passed in the old run and does not in the new one."""
        return self.old is not None and self.new is not None and self.old.passed and not self.new.passed

    def words(self) -> set[str]:
        """Give what ``--fail-on`` may call this change."""
        found = {self.kind.word}
        is_edited = bool(self.sets) and set(self.causes) <= CHECKS | {"expected"}
        if self.is_worse and self.kind in _MAYBE_OBSERVED and not is_edited:
            found.add(Kind.REGRESSED.word)
        if not self.is_worse and CHECKS.intersection(self.causes):
            found.add(Kind.LOOSENED.word)
        return found


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs, compared.

    ``information`` has the pairs whose verdict is the same, and whose check or expectation is not.
    """

    old: Run
    new: Run
    pairs: Pairs
    changes: list[Change]
    information: list[Change]

    def counts(self) -> dict[str, int]:
        """Count the changes of each class that there are."""
        counted = Counter(change.kind for change in self.changes)
        return {kind: counted[kind] for kind in Kind if counted[kind]}

    def failing(self, fail_on: Collection[str] = FAIL_ON) -> list[Change]:
        """Give the changes that fail a diff."""
        return [change for change in (*self.changes, *self.information) if change.words().intersection(fail_on)]


def regressions(baseline: str | Path, session: str | Path) -> list[Change]:
    """Compare a session with an earlier one, and give the changes by which `pytest-verdict diff` would exit with 1.

    Args:
        baseline: The folder, file of records or bundle of the earlier session.
        session: The same of the later one.

    Raises:
        RecordError: A run cannot be read, or no comparison is in both.
    """
    return diff(read_run(baseline), read_run(session)).failing()


def diff(old: Run, new: Run) -> Diff:
    """Compare two runs."""
    pairs, removed, added = paired(old.comparisons, new.comparisons)
    if not pairs:
        raise RecordError(f"{old.place} and {new.place} have no comparison in common, so nothing was compared")
    found = Diff(old, new, pairs, [], [])
    for before, after in pairs:
        # Most pairs are the same bytes, or differ in what was observed alone.
        if before.passed is not after.passed:
            found.changes.append(_turned(old, new, before, after))
        elif new.is_flaky(after):
            found.changes.append(Change(Kind.FLAKY, before, after, (("observed",),)))
        elif before.check != after.check or before.expected != after.expected:
            found.information.append(_edited(before, after))
    found.changes.extend(Change(Kind.REMOVED, one, None) for one in removed)
    found.changes.extend(Change(Kind.ADDED, None, one) for one in added)
    found.changes.sort(key=lambda change: [*Kind].index(change.kind))
    return found


def checked_words(given: str) -> tuple[str, ...]:
    """Read what ``--fail-on`` names."""
    words, known = tuple(word.strip() for word in given.split(",")), [kind.word for kind in Kind]
    for word in words:
        if word not in known:
            raise ConfigurationError(f"--fail-on: unknown {word!r}.{allowed('class', word, known)}")
    return words


def _turned(old: Run, new: Run, before: Comparison, after: Comparison) -> Change:
    if old.is_flaky(before) or new.is_flaky(after):
        return Change(Kind.FLAKY, before, after, (("observed",),))
    try:
        sets = minimal_causes(before, after)
    except Unverifiable as reason:
        return Change(Kind.NOT_COMPARABLE, before, after, (), str(reason))
    return Change(_class(sets, is_worse=before.passed), before, after, sets)


def _class(sets: Sets, *, is_worse: bool) -> Kind:
    causes = set(chain.from_iterable(sets))
    if not causes:
        return Kind.ALARM
    if causes <= CHECKS:
        return Kind.TIGHTENED if is_worse else Kind.LOOSENED
    if len(causes) > 1:
        return Kind.SEVERAL
    alone = {"observed": Kind.REGRESSED if is_worse else Kind.FIXED, "expected": Kind.EDITED, CODE: Kind.CODE}
    # What a model says of the same values is another input that nobody chose.
    return alone.get(causes.pop(), Kind.ALARM)


def _edited(before: Comparison, after: Comparison) -> Change:
    if before.check == after.check:
        return Change(Kind.EDITED, before, after, (("expected",),))
    try:
        by_old, by_new = rooms(before, after)
    except Unverifiable as reason:
        return Change(Kind.CHECK, before, after, (), str(reason))
    return Change(
        Kind.LOOSENED if by_new > by_old else Kind.TIGHTENED if by_new < by_old else Kind.CHECK, before, after
    )
