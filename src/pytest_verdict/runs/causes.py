"""Why a verdict changed: members of one record are swapped into the other, and the verdict is derived again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain, combinations
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import operator_codes
from pytest_verdict.core.replay import Unverifiable, derive_result, find_operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import is_replayable
from pytest_verdict.errors import RecordError
from pytest_verdict.runs.run import Comparison

Sets = tuple[tuple[str, ...], ...]
CHECKS: Final = frozenset({"operator", "settings", "threshold"})
CODE: Final = "code"
_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (name,) for name in ("expected", "observed", "operator", "settings", "threshold")},
    # Settings belong to their operator, so both are swapped together.
    "operator": ("operator", "negated", "settings"),
}


class _Factor(NamedTuple):
    """Members of a record that are swapped together, and the names of the differences that they hold."""

    names: tuple[str, ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Two records of one comparison, and their differences."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    lines: bytes
    factors: tuple[_Factor, ...]
    has_other_code: bool

    def derive(self, swapped: Iterable[_Factor]) -> ComparisonResult:
        """Derive the result of the old record after some of its members are replaced by those of the new record."""
        mixed = {key: value for key, value in self.before.items() if key != "sources"}
        for member in chain.from_iterable(factor.members for factor in swapped):
            mixed.pop(member, None)
            if member in self.after:
                mixed[member] = self.after[member]
        try:
            return derive_result(self.lines, mixed, find_operator(mixed).operator)
        except (RecordError, RecursionError) as error:
            raise Unverifiable(str(error)) from None

    def flips(self, swapped: Iterable[_Factor], verdict: str) -> bool:
        """Whether swapping these members turns a verdict of the old record."""
        return (self.derive(swapped).verdict == "pass") is not (verdict == "pass")


def counterfactual(old: Comparison, new: Comparison) -> Counterfactual:
    """Compare two records."""
    before = old.record()
    after = new.record()
    other_code = _codes(before) != _codes(after) and before["operator"] == after["operator"]
    kind = "operator" if _differs(before, after, ("operator", "negated")) else "settings"
    factors = [
        _Factor((name,), members)
        for name, members in _MEMBERS.items()
        if name not in {"operator", "settings"} - {kind} and _differs(before, after, members)
    ]
    if _asks_model(before) or _asks_model(after):
        factors = list(_join_reply(factors, before, after))
    return Counterfactual(
        before=before, after=after, lines=old.line + new.line, factors=tuple(factors), has_other_code=other_code
    )


def _join_reply(factors: list[_Factor], before: Any, after: Any) -> Iterator[_Factor]:
    # The reply of a model depends on everything in its question, so both are swapped together.
    question = [factor for factor in factors if factor.names != ("threshold",)]
    yield from (factor for factor in factors if factor not in question)
    if question or _differs(before, after, ("details",)):
        names = tuple(factor.names[0] for factor in question) or ("reply",)
        yield _Factor(names, ("details", *chain.from_iterable(factor.members for factor in question)))


def minimal_causes(old: Comparison, new: Comparison) -> Sets:
    """Find the smallest sets of differences that turn the verdict; no set if the records do not differ."""
    records = counterfactual(old, new)
    if not records.has_other_code and all(factor.names == ("reply",) for factor in records.factors):
        if is_replayable(dict(records.before)) and is_replayable(dict(records.after)):
            return ()
        raise Unverifiable("not_encodable or redacted")

    derives_old = not records.flips((), old.verdict)
    derives_new = records.flips(records.factors, old.verdict)
    if derives_old and derives_new:
        return _minimal_sets(records, old.verdict)
    # Only one version of the code is installed. If it derives one of the verdicts, the code is the cause.
    if records.has_other_code and (derives_old or derives_new):
        return ((CODE,),)
    raise Unverifiable("the installed operator gives another verdict for the recorded values")


def _minimal_sets(records: Counterfactual, verdict: str) -> Sets:
    sets: list[tuple[_Factor, ...]] = []
    for size in range(1, len(records.factors) + 1):
        for candidate in combinations(records.factors, size):
            has_smaller_set = any(set(smaller) <= set(candidate) for smaller in sets)
            if not has_smaller_set and records.flips(candidate, verdict):
                sets.append(candidate)
    return tuple(tuple(chain.from_iterable(factor.names for factor in factors)) for factors in sets)


def margins(old: Comparison, new: Comparison) -> tuple[tuple[float, Decimal], ...]:
    """Return how far the new values are from failing by the old check, and by the new check."""
    records = counterfactual(old, new)
    values = [factor for factor in records.factors if not CHECKS.issuperset(factor.names)]
    if any(CHECKS.intersection(factor.names) for factor in values):
        raise Unverifiable("a model would have to be asked")
    return tuple(_margin(records.derive(swapped)) for swapped in (values, records.factors))


def _margin(result: ComparisonResult) -> tuple[float, Decimal]:
    sign = -1 if result.negated else 1
    try:
        margin = Decimal(str(result.details.get("margin", 0)))
    except InvalidOperation:
        margin = Decimal(0)
    return sign * (result.score - result.threshold), sign * margin


def _differs(before: Mapping[str, Any], after: Mapping[str, Any], members: tuple[str, ...]) -> bool:
    # repr() tells 1, 1.0 and True apart.
    return any(repr(before.get(member)) != repr(after.get(member)) for member in members)


def _codes(record: Mapping[str, Any]) -> Any:
    return record.get("operator_version"), [*operator_codes(record)]


def _asks_model(record: Mapping[str, Any]) -> bool:
    try:
        return find_operator(dict(record)).operator.asks_model
    except (Unverifiable, RecordError):
        return False
