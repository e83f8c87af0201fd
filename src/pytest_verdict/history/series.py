"""Series: the results of each test over runs, cut where its checks changed, and the steps of its rate.

A step is found by Fisher's exact test, corrected for all places and all series.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.report.renaming import present_names
from pytest_verdict.runs.significance import LEVEL, benjamini_hochberg, fisher
from pytest_verdict.store.index import DECIDED, OUTCOME_LETTERS, StoredRun, split_digests

TAG: Final = "tag:"
PARAMETER: Final = "param:"
KEYS: Final = ("test", "function", "branch")
ABSENT: Final = " "
PASSED: Final = OUTCOME_LETTERS["passed"]
# A tag with more values is no series, but perhaps the number of a build.
_MOST_VALUES: Final = 20
_FEWEST_FLIPS: Final = 2


class Step(NamedTuple):
    """A change of the rate before the result at a position; the counts are of the results on both sides."""

    position: int
    p: float
    before: tuple[int, int]
    after: tuple[int, int]


class Rate(NamedTuple):
    passed: int
    total: int

    @property
    def interval(self) -> tuple[float, float]:
        return exact_interval(self.passed, self.total) if self.total else (0.0, 1.0)


@dataclass(slots=True)
class TestSeries:
    """A test in the runs of a view: a letter for each run, and the positions of runs at which something changed."""

    __test__ = False

    test: str
    parameters: Mapping[str, Any]
    letters: str
    cuts: list[int] = field(default_factory=list)
    """Where a check is not what it was before."""
    steps: list[Step] = field(default_factory=list)
    renamed: str = ""
    """The name that the test had before; empty if it had no other."""
    flaky: str = ""
    """Why the test is flaky since it changed for the last time; empty if it is not."""

    @property
    def first(self) -> int:
        return len(self.letters) - len(self.letters.lstrip(ABSENT))

    @property
    def start(self) -> int:
        """The position of the run since which neither check nor rate changed."""
        return max([self.first, *self.cuts, *(step.position for step in self.steps)])

    def changes(self) -> Iterator[dict[str, Any]]:
        """Yield the cuts and steps in order: at which run, the one before it that decided, and the counts of a step."""
        # No step is at a cut.
        steps = {step.position: step for step in self.steps}
        for position in sorted({*self.cuts, *steps}):
            decided = (place for place in range(position - 1, -1, -1) if self.letters[place] in DECIDED)
            change: dict[str, Any] = {"at": position, "from": next(decided, position)}
            if position in steps:
                step = steps[position]
                change |= {"before": step.before, "after": step.after, "p": float(f"{step.p:.2g}")}
            yield change

    def describe(self) -> dict[str, Any]:
        """Describe the series as JSON."""
        members = {"letters": self.letters, "changes": list(self.changes()), "renamed": self.renamed}
        return {**members, "flaky": self.flaky, "start": self.start}

    def rate(self, start: int) -> Rate:
        """Count the results from a position on."""
        counts = Counter(self.letters[start:])
        return Rate(counts[PASSED], sum(counts[letter] for letter in DECIDED))

    @property
    def last_cut(self) -> int:
        return self.cuts[-1] if self.cuts else 0


class View(NamedTuple):
    """Runs that are compared with one another, such as those with the same tags, and the series of their tests."""

    label: Mapping[str, str]
    runs: Sequence[StoredRun]
    series: Sequence[TestSeries]


@dataclass(slots=True)
class _CheckState:
    """The checks of a test that a run shows: all of them after a pass, because a failure may hide the last ones."""

    complete: frozenset[str] | None = None
    partial: frozenset[str] = frozenset()

    def accepts(self, checks: frozenset[str], is_passed: bool) -> bool:  # noqa: FBT001 - the outcome of a test
        """Add the checks of a run; return False if they contradict the earlier ones."""
        if self.complete is not None:
            return checks == self.complete if is_passed else checks <= self.complete
        if is_passed:
            self.complete = checks
            return self.partial <= checks
        is_consistent = checks <= self.partial or checks >= self.partial
        self.partial |= checks
        return is_consistent


def default_keys(runs: Iterable[StoredRun]) -> list[str]:
    """Return test and the names of tags: runs with different tags belong to different series."""
    tags = Counter(name for name, _ in {tag for stored in runs for tag in stored.index.tags.items()})
    return ["test", *(f"{TAG}{name}" for name in sorted(tags) if tags[name] <= _MOST_VALUES)]


def check_keys(keys: Sequence[str], runs: Sequence[StoredRun]) -> None:
    """Refuse keys that no run has."""
    tags = sorted({f"{TAG}{name}" for stored in runs for name in stored.index.tags})
    parameters = {f"{PARAMETER}{name}" for stored in runs for values in stored.table.parameters for name in values}
    choices = [*KEYS, *tags, *sorted(parameters)]
    for key in keys:
        if key not in choices:
            raise ConfigurationError(f"--by: unknown name {key!r}.{allowed('name', key, choices)}")
    if len(set(keys)) < len(keys):
        raise ConfigurationError(f"--by {','.join(keys)}: a name occurs twice")


def build_views(runs: Sequence[StoredRun], keys: Sequence[str]) -> list[View]:
    """Split runs by the keys that belong to runs, and build the series of each part with its steps."""
    names = [key for key in keys if key == "branch" or key.startswith(TAG)]
    parts: dict[tuple[str, ...], list[StoredRun]] = {}
    for stored in runs:
        tags = {"branch": stored.index.branch, **{f"{TAG}{tag}": value for tag, value in stored.index.tags.items()}}
        parts.setdefault(tuple(tags.get(name, "") for name in names), []).append(stored)
    views = [
        View(dict(zip(names, values, strict=True)), part, build_series(part)) for values, part in sorted(parts.items())
    ]
    add_steps(one for view in views for one in view.series)
    for view in views:
        for one in view.series:
            one.flaky = _find_flakiness(one, view.runs)
    return views


def build_series(runs: Sequence[StoredRun]) -> list[TestSeries]:
    """Build the series of each test of some runs; the tests of renamed ones are joined."""
    series: dict[str, TestSeries] = {}
    states: dict[str, _CheckState] = {}
    latest: dict[str, tuple[str, bool]] = {}
    renames = {old: new for stored in runs for old, new in stored.index.renamed.items()}
    for position, stored in enumerate(runs):
        table = stored.table
        names = present_names(table.tests, renames, runs[-1].table.positions) if renames else {}
        rows = zip(table.tests, table.parameters, stored.index.outcomes, table.checks, strict=True)
        for test, parameters, letter, checks in rows:
            name = names.get(test, test)
            if name not in series:
                series[name] = TestSeries(name, parameters, "")
            one = series[name]
            one.parameters = parameters
            one.letters = one.letters.ljust(position, ABSENT) + letter
            if name != test:
                one.renamed = test
            # Most runs have the checks of the run before.
            key = (checks, letter == PASSED)
            if letter not in DECIDED or key == ("", False) or latest.get(name) == key:
                continue
            latest[name] = key
            digests = frozenset(split_digests(checks))
            if not states.setdefault(name, _CheckState()).accepts(digests, letter == PASSED):
                one.cuts.append(position)
                states[name] = _CheckState()
                states[name].accepts(digests, letter == PASSED)
    for one in series.values():
        one.letters = one.letters.ljust(len(runs), ABSENT)
    return _join_renamed(series, states)


def _join_renamed(series: Mapping[str, TestSeries], states: Mapping[str, _CheckState]) -> list[TestSeries]:
    """Join a test that ended with the only one that began in the next run and has the same checks."""
    ended: dict[tuple[int, frozenset[str]], list[TestSeries]] = {}
    began: dict[tuple[int, frozenset[str]], list[TestSeries]] = {}
    for name, state in states.items():
        one = series[name]
        checks = state.complete or state.partial
        if checks:
            ended.setdefault((len(one.letters.rstrip(ABSENT)), checks), []).append(one)
            began.setdefault((one.first, checks), []).append(one)
    joined = set()
    for place, news in began.items():
        olds = ended.get(place, [])
        if len(olds) == len(news) == 1:
            old, new = olds[0], news[0]
            new.letters = old.letters[: place[0]] + new.letters[place[0] :]
            new.cuts = old.cuts + new.cuts
            new.renamed = old.test
            joined.add(old.test)
    return [one for one in series.values() if one.test not in joined]


def add_steps(series: Iterable[TestSeries]) -> None:
    """Find the steps of all series together.

    Each part of a series between two cuts is split where that fits best, and the p-value is multiplied by the number of
    places. The values of all parts are corrected together. A part with a significant step is split there, and searched again.
    """
    parts = []
    for one in series:
        for start, end in pairwise([0, *one.cuts, len(one.letters)]):
            parts.append((one, [place for place in range(start, end) if one.letters[place] in DECIDED]))
    while parts:
        splits = [
            (one, places, _best_split([int(one.letters[at] == PASSED) for at in places])) for one, places in parts
        ]
        candidates = [(one, places, step) for one, places, step in splits if step is not None]
        parts = []
        adjusted = benjamini_hochberg([step.p for *_, step in candidates])
        for (one, places, step), p in zip(candidates, adjusted, strict=True):
            if p < LEVEL:
                one.steps = sorted([*one.steps, step._replace(position=places[step.position], p=p)])
                parts += [(one, places[: step.position]), (one, places[step.position :])]


def _best_split(results: Sequence[int]) -> Step | None:
    """Return the most likely step; None if all results are equal."""
    total = len(results)
    sums = [0, *accumulate(results)]
    passed = sums[-1]
    if passed in {0, total}:
        return None

    # x log x of each number, from which the likelihood of a rate is a sum of three.
    logs = [0.0, *(number * math.log(number) for number in range(1, total + 1))]

    def likelihood(at: int) -> float:
        before = sums[at]
        after = passed - before
        later = total - at
        return (logs[before] + logs[at - before] - logs[at]) + (logs[after] + logs[later - after] - logs[later])

    # The best place is never between two equal results.
    places = [at for at in range(1, total) if results[at - 1] != results[at]]
    at = max(places, key=likelihood)
    counts = (sums[at], at, passed - sums[at], total - at)
    p = min(1.0, fisher(*counts) * (total - 1))
    return Step(at, p, counts[:2], counts[2:])


def _find_flakiness(one: TestSeries, runs: Sequence[StoredRun]) -> str:
    decided = [place for place in range(one.start, len(one.letters)) if one.letters[place] in DECIDED]
    flips = [pair for pair in pairwise(decided) if (one.letters[pair[0]] == PASSED) != (one.letters[pair[1]] == PASSED)]
    attempts = [runs[place].attempts(one.test) for place in decided if runs[place].index.attempts]
    has_mixed_attempts = any(0 < passed < number for number, passed in attempts)
    if len(flips) < _FEWEST_FLIPS and not has_mixed_attempts:
        return ""
    if any(runs[before].answer(one.test) == runs[after].answer(one.test) != "" for before, after in flips):
        return "same answers, another verdict: the check is not deterministic"
    return "its answers differ" if flips else "its attempts differ"


class Group(NamedTuple):
    """Tests of a view that share the values of the keys; ``counts`` has passed and decided tests of each run."""

    key: tuple[str, ...]
    view: View
    members: Sequence[TestSeries]
    counts: Sequence[Rate]
    rate: Rate


def build_groups(views: Iterable[View], keys: Sequence[str]) -> list[Group]:
    """Group series by keys; a rate counts each test since its check changed, a single test since its rate changed."""
    groups = []
    for view in views:
        members: dict[tuple[str, ...], list[TestSeries]] = {}
        for one in view.series:
            parameters = {f"{PARAMETER}{name}": str(value) for name, value in one.parameters.items()}
            values = {"test": one.test, "function": one.test.partition("[")[0], **parameters, **view.label}
            members.setdefault(tuple(values.get(name, "") for name in keys), []).append(one)
        for key, series in members.items():
            counts = []
            for position in range(len(view.runs)):
                letters = [one.letters[position] for one in series if position >= one.last_cut or len(series) == 1]
                counts.append(Rate(letters.count(PASSED), sum(letter in DECIDED for letter in letters)))
            rates = [one.rate(one.start if len(series) == 1 else one.last_cut) for one in series]
            rate = Rate(sum(one.passed for one in rates), sum(one.total for one in rates))
            groups.append(Group(key, view, series, counts, rate))
    return groups
