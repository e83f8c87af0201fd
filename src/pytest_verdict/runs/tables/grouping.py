"""Counts, rates and scores of groups of comparisons."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.operators.pass_rate import exact_interval
from pytest_verdict.report.summary import VERDICTS
from pytest_verdict.runs.tables.rows import PARAMETER

KEYS: Final = ("test", "function", "name", "field", "group", "operator", "note")
"""What comparisons are grouped by, besides parameters of tests."""

_Cell = str | int | float | None


def table(rows: Iterable[Mapping[str, Any]], by: Sequence[str]) -> list[dict[str, _Cell]]:
    """Count the comparisons of each group; a comparison with several notes is in several groups by note."""
    verdicts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    scores: dict[tuple[str, ...], float] = defaultdict(float)
    parts_wanted = "field" in by
    known: set[str] | None = None
    for row in rows:
        if known is None:
            # All rows have the same columns.
            known = {name for name in row if name.startswith(PARAMETER)}
        # By field the parts count; otherwise the comparisons that tests made.
        if bool(row["field"]) is parts_wanted:
            for key in _keys(row, by):
                verdicts[key][row["verdict"]] += 1
                scores[key] += row["score"]
    for name in by:
        if name.startswith(PARAMETER) and name not in (known or ()):
            given = allowed("parameter", name, known or ())
            raise ConfigurationError(f"--by {name}: no test has this parameter.{given}")
    return [{**dict(zip(by, key, strict=True)), **_cells(verdicts[key], scores[key])} for key in sorted(verdicts)]


def _cells(verdicts: Counter[str], scores: float) -> dict[str, _Cell]:
    total, counts = verdicts.total(), {verdict: verdicts[verdict] for verdict in VERDICTS}
    low, high = exact_interval(counts["pass"], total)
    rate, mean = (round(number / total, 6) for number in (counts["pass"], scores))
    return {"comparisons": total, **counts, "rate": rate, "low": low, "high": high, "score": mean}


def checked_keys(given: str) -> list[str]:
    """Read what to group by."""
    names = [name.strip() for name in given.split(",")]
    for name in names:
        if name not in KEYS and not (name.startswith(PARAMETER) and name != PARAMETER):
            known = [*KEYS, f"{PARAMETER}NAME"]
            raise ConfigurationError(f"--by {name!r} is nothing to group by.{allowed('name', name, known)}")
    if len(set(names)) < len(names):
        raise ConfigurationError(f"--by {given}: a name stands there twice")
    return names


def _keys(row: Mapping[str, Any], by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for note in (row["notes"] or [""]) if "note" in by else [""]:
        yield tuple(note if name == "note" else _cell(row, name) for name in by)


def _cell(row: Mapping[str, Any], name: str) -> str:
    if name == "function":
        return str(row["test"] or "").partition("[")[0]
    found = row.get(name)
    return "" if found is None else str(found)
