"""A diff as lines for a terminal, as Markdown, as JSON and as a page."""

import json
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import counted, shown, visible
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.errors import RecordError
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from pytest_verdict.runs.changes import Change, Diff, Kind
from pytest_verdict.runs.run import Comparison
from pytest_verdict.runs.statistics import statistics_lines

_MOST_LISTED: Final = 20
_VALUE: Final = 80
_SHOWN: Final = ("operator", "threshold", "expected", "observed")
_IN_JSON: Final = ("id", "verdict", "score", *_SHOWN, "settings")
_SAME_VERDICT: Final = ", with the same verdict"
# As references no character is markup, not even the bar of a table or the sign before a name.
_REFERENCES: Final = {ord(character): f"&#{ord(character)};" for character in string.punctuation}


def as_json(diff: Diff, statistics: dict[str, Any] | None, failing: int) -> dict[str, Any]:
    """Give a diff as one JSON document."""
    return {
        "old": diff.old.place,
        "new": diff.new.place,
        "pairs": len(diff.pairs),
        "counts": diff.counts(),
        "failing": failing,
        "changes": list(map(_described, diff.changes)),
        "information": list(map(_described, diff.information)),
        **({"statistics": statistics} if statistics else {}),
    }


def _described(change: Change) -> dict[str, Any]:
    one, sides = change.comparison, {"old": change.old, "new": change.new}
    return {
        "test": one.test,
        "name": one.name,
        "operator": one.operator,
        "class": change.kind,
        "causes": list(change.causes),
        "minimal_sets": [list(names) for names in change.sets],
        **({"reason": change.reason} if change.reason else {}),
        **{side: _members(found, _IN_JSON) for side, found in sides.items() if found is not None},
    }


def _members(comparison: Comparison, names: tuple[str, ...]) -> dict[str, Any]:
    record = comparison.record()
    return {name: record.get(name) for name in names}


def write_html(diff: Diff, statistics: dict[str, Any] | None, path: Path) -> None:
    """Write a diff as a page that has both records of each pair."""
    facts = [["compared", line] for line in _head(diff, str)]
    facts += [["statistics", line] for line in statistics_lines(statistics, str)] if statistics else []
    # It opens at what changed.
    start = {"change": [f"{kind}{ending}" for kind in Kind for ending in ("", _SAME_VERDICT)]}
    title = f"{diff.old.place} and {diff.new.place}"
    write_page(_rows(diff), {"title": title, "facts": facts, "start": start}, path)


def _rows(diff: Diff) -> Iterator[Row]:
    # A pair is in one of the two lists.
    told = {id(one.comparison): (f"{one.kind}{_SAME_VERDICT}", one.causes) for one in diff.information}
    told |= {id(one.comparison): (one.kind, one.causes) for one in diff.changes}
    yield from (Row(new.line, old.line, *told.get(id(new), ())) for old, new in diff.pairs)
    yield from (Row(one.comparison.line, b"", one.kind) for one in diff.changes if None in (one.old, one.new))


def terminal_lines(diff: Diff, statistics: dict[str, Any] | None) -> Iterator[str]:
    """Write a diff for a terminal."""
    yield from _lines(diff, statistics, str, ("", "{title}"), "  {change}", "    {name}: {value}")


def markdown_lines(diff: Diff, statistics: dict[str, Any] | None) -> Iterator[str]:
    """Write a diff as Markdown, in which no text of a record is markup."""
    lines = _lines(diff, statistics, _code, ("", "### {title}", ""), "- {change}", "  - {name}: {value}")
    yield from (f"{line}<br>" if line and line[0] not in " -#" else line for line in lines)


def _code(text: str) -> str:
    return f"<code>{visible(text).translate(_REFERENCES)}</code>"


def _lines(
    diff: Diff,
    statistics: dict[str, Any] | None,
    write: Callable[[str], str],
    heading: tuple[str, ...],
    item: str,
    value: str,
) -> Iterator[str]:
    yield from _head(diff, write)
    for title, changes in _sections(diff):
        yield from (line.format(title=f"{title}: {len(changes)}") for line in heading)
        for change in changes[:_MOST_LISTED]:
            yield item.format(change=_title(change, write))
            yield from (value.format(name=write(name), value=write(text)) for name, text in _values(change))
        if len(changes) > _MOST_LISTED:
            yield item.format(change=f"... and {len(changes) - _MOST_LISTED} more")
    if statistics:
        yield from (line.format(title="statistics") for line in heading)
        yield from (item.format(change=line) for line in statistics_lines(statistics, write))


def _head(diff: Diff, write: Callable[[str], str]) -> Iterator[str]:
    for label, run in (("old", diff.old), ("new", diff.new)):
        yield f"{label}: {write(run.place)}, {counted(len(run.comparisons), 'comparison')}: {run.verdicts()}"
    counts = ", ".join(f"{number} {kind}" for kind, number in diff.counts().items())
    yield f"{counted(len(diff.pairs), 'pair')}: {counts or 'nothing changed'}"


def _sections(diff: Diff) -> Iterator[tuple[str, list[Change]]]:
    for ending, found in (("", diff.changes), (_SAME_VERDICT, diff.information)):
        for kind in Kind:
            if changes := [change for change in found if change.kind == kind]:
                yield kind + ending, changes


def _title(change: Change, write: Callable[[str], str]) -> str:
    one = change.comparison
    name = one.name or f"{one.operator} {_shown(json.loads(one.expected))}"
    verdicts = " -> ".join(dict.fromkeys(side.verdict for side in (change.old, change.new) if side is not None))
    causes = ", or ".join(" with ".join(names) for names in change.sets)
    because = f", because of {causes}" if causes else ""
    reason = f", not derived again: {write(change.reason)}" if change.reason else ""
    return f"{write(one.test)}, {write(name)}: {verdicts}{because}{reason}"


def _values(change: Change) -> Iterator[tuple[str, str]]:
    """Give what differs between both records, and both sides."""
    if change.old is None or change.new is None:
        return
    before, after = (_members(side, _IN_JSON) for side in (change.old, change.new))
    if before["operator"] == after["operator"]:
        before |= before.pop("settings")
        after |= after.pop("settings")
    for name in dict.fromkeys([*_SHOWN, *before]):
        texts = [_shown(side.get(name)) for side in (before, after)]
        if name not in {"id", "verdict", "score"} and (texts[0] != texts[1] or name in {"expected", "observed"}):
            yield name, " -> ".join(dict.fromkeys(texts))


def _shown(value: Any) -> str:
    try:
        return shown(decode(value), _VALUE)
    except (RecordError, RecursionError):
        return shown(value, _VALUE)
