"""Why a verdict changed: each thing that differs between two records is put into the other one, and the verdict derived again."""

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
from pytest_verdict.runs.run import PASS, Comparison

Sets = tuple[tuple[str, ...], ...]
CHECKS: Final = frozenset({"operator", "settings", "threshold"})
CODE: Final = "code"
_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (name,) for name in ("expected", "observed", "operator", "settings", "threshold")},
    # The settings of another operator come with it.
    "operator": ("operator", "negated", "settings"),
}


class _Factor(NamedTuple):
    """What is swapped at once: the names of what differs, and the members of a record that hold it."""

    names: tuple[str, ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Two records of one comparison, and what differs between them."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    lines: bytes
    factors: tuple[_Factor, ...]
    has_other_code: bool

    def derived(self, swapped: Iterable[_Factor]) -> ComparisonResult:
        """Derive the result of the old record with some of its members taken from the new one."""
        mixed = {key: value for key, value in self.before.items() if key != "sources"}
        for member in chain.from_iterable(factor.members for factor in swapped):
            mixed.pop(member, None)
            if member in self.after:
                mixed[member] = self.after[member]
        try:
            return derive_result(self.lines, mixed, find_operator(mixed).operator)
        except (RecordError, RecursionError) as error:
            raise Unverifiable(str(error)) from None

    def flips(self, swapped: Iterable[_Factor], before: str) -> bool:
        """Whether the verdict of the old record turns when some of its members are those of the new one."""
        return (self.derived(swapped).verdict == PASS) is not (before == PASS)


def counterfactual(old: Comparison, new: Comparison) -> Counterfactual:
    """Find what differs between two records."""
    before, after = old.record(), new.record()
    other_code = _codes(before) != _codes(after) and before["operator"] == after["operator"]
    kind = "operator" if _differs(before, after, ("operator", "negated")) else "settings"
    factors = [
        _Factor((name,), members)
        for name, members in _MEMBERS.items()
        if name not in {"operator", "settings"} - {kind} and _differs(before, after, members)
    ]
    if _asks_model(before) or _asks_model(after):
        factors = list(_with_the_reply(factors, before, after))
    return Counterfactual(before, after, old.line + new.line, tuple(factors), other_code)


def _with_the_reply(factors: list[_Factor], before: Any, after: Any) -> Iterator[_Factor]:
    # What a model said belongs to what it was asked.
    asked = [factor for factor in factors if factor.names != ("threshold",)]
    yield from (factor for factor in factors if factor not in asked)
    if asked or _differs(before, after, ("details",)):
        members = ("details", *chain.from_iterable(factor.members for factor in asked))
        yield _Factor(tuple(factor.names[0] for factor in asked) or ("reply",), members)


def minimal_causes(old: Comparison, new: Comparison) -> Sets:
    """Find the smallest sets of differences that turn the verdict; none where nothing differs."""
    found = counterfactual(old, new)
    if not found.has_other_code and all(factor.names == ("reply",) for factor in found.factors):
        if is_replayable(dict(found.before)) and is_replayable(dict(found.after)):
            return ()
        raise Unverifiable("not_encodable or redacted")
    agrees = not found.flips((), old.verdict), found.flips(found.factors, old.verdict)
    if all(agrees):
        return _minimal(found, old.verdict)
    # Only one code is installed here; where it cannot give both verdicts, it is the code that changed.
    if found.has_other_code and any(agrees):
        return ((CODE,),)
    raise Unverifiable("the installed operator gives another verdict for the recorded values")


def _minimal(found: Counterfactual, verdict: str) -> Sets:
    sets: list[tuple[_Factor, ...]] = []
    for size in range(1, len(found.factors) + 1):
        for chosen in combinations(found.factors, size):
            if not any({*known} <= {*chosen} for known in sets) and found.flips(chosen, verdict):
                sets.append(chosen)
    return tuple(tuple(chain.from_iterable(factor.names for factor in chosen)) for chosen in sets)


def rooms(old: Comparison, new: Comparison) -> tuple[tuple[float, Decimal], ...]:
    """Say how far the new values are from failing by the old check, and by the new one."""
    found = counterfactual(old, new)
    values = [factor for factor in found.factors if not CHECKS.issuperset(factor.names)]
    if any(CHECKS.intersection(factor.names) for factor in values):
        raise Unverifiable("a model would have to be asked")
    return tuple(_room(found.derived(swapped)) for swapped in (values, found.factors))


def _room(result: ComparisonResult) -> tuple[float, Decimal]:
    sign = -1 if result.outcome.negated else 1
    try:
        margin = Decimal(str(result.details.get("margin", 0)))
    except InvalidOperation:
        margin = Decimal(0)
    return sign * (result.score - result.threshold), sign * margin


def _differs(before: Mapping[str, Any], after: Mapping[str, Any], members: tuple[str, ...]) -> bool:
    # By their repr, because 1, 1.0 and True are equal.
    return any(repr(before.get(member)) != repr(after.get(member)) for member in members)


def _codes(record: Mapping[str, Any]) -> Any:
    return record.get("operator_version"), [*operator_codes(record)]


def _asks_model(record: Mapping[str, Any]) -> bool:
    try:
        return find_operator(dict(record)).operator.asks_model
    except (Unverifiable, RecordError):
        return False
