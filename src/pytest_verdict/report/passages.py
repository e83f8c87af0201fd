"""Records that follow one another in one attempt of a test: what a folder is checked against, read in pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.merkle import leaf
from pytest_verdict.core.record import parse_record, verdict_in
from pytest_verdict.core.replay import Replayed
from pytest_verdict.errors import RecordError

_ATTEMPT: Final = b',"attempt":'
_TEXTS: Final = ("id", "test", "operator", "verdict")


@dataclass(slots=True)
class Passage:
    """Records with ordinals that follow one another; or one line that is no whole record, or has the id of another one."""

    test: str = ""
    digest: str = ""
    attempt: int = 0
    ordinal: int = 0
    has_own_id: bool = False
    is_whole: bool = True
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    leaves: list[bytes] = field(default_factory=list)

    def following(self) -> tuple[str, bytes]:
        """Give the id of a record that would follow, and how its place tells that."""
        ordinal = self.ordinal + len(self.leaves)
        return f"{self.digest}-{self.attempt}-{ordinal}", b'%b%d,"ordinal":%d,' % (_ATTEMPT, self.attempt, ordinal)


def passages(records: Iterable[tuple[bytes, Replayed]]) -> Iterator[Passage]:
    """Put together records that were replayed."""
    last = Passage()
    for line, answer in records:
        identifier, place = last.following()
        follows = (
            answer.status == "identical"
            and answer.id == identifier
            and answer.test == last.test
            and line.startswith(place, line.rindex(_ATTEMPT))
            and last.has_own_id
        )
        if follows:
            last.verdicts[answer.operator, str(verdict_in(line))] += 1
        else:
            if last.leaves:
                yield last
            last = _passage(line)
        last.leaves.append(leaf(line))
    if last.leaves:
        yield last


def _passage(line: bytes) -> Passage:
    try:
        record: dict[str, Any] = parse_record(line)
        identifier, test, operator, verdict = (record[key] for key in _TEXTS)
        attempt, ordinal = record["attempt"], record["ordinal"]
    except (RecordError, KeyError, RecursionError):
        return Passage(is_whole=False)
    texts, numbers = (identifier, test, operator, verdict), (attempt, ordinal)
    if {*map(type, texts)} != {str} or {*map(type, numbers)} != {int}:
        return Passage(is_whole=False)
    digest = identifier.partition("-")[0]
    has_own_id = identifier == f"{digest}-{attempt}-{ordinal}"
    return Passage(test, digest, attempt, ordinal, has_own_id, verdicts=Counter([(operator, verdict)]))
