"""Operators on the order of calls: the same calls in the same places, in the same order, or in any order.

The meaning of the three is that of Google's ADK and Vertex AI; whether further calls may occur is a setting of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.alignment import earliest_subsequence, longest_common_subsequence
from pytest_verdict.trajectories.candidates import candidates, same_tool
from pytest_verdict.trajectories.evidence import Row, aligned
from pytest_verdict.trajectories.operator import EMPTY_EXPECTED, TrajectoryOperator
from pytest_verdict.trajectories.pairing import competing, pair, pair_by_score
from pytest_verdict.trajectories.relation import Call, Relation
from pytest_verdict.trajectories.weighted import heaviest_subsequence

Extras = Literal["allow", "forbid"]

WRONG_ORDER: Final = "right_calls_wrong_order"
# Beyond these sizes the explanation would take longer than the comparison.
_MOST_CELLS: Final = 40_000
_MOST_BITS: Final = 4_000_000


class TrajectoryExact(TrajectoryOperator):
    """The same calls in the same places, and no others.

    ADK's EXACT, Vertex's trajectory_exact_match.

    Example:
        >>> TrajectoryExact().evaluate([("search", {"q": "tea"}), "book"], [("search", {"q": "tea"}), "book"]).score
        1.0
        >>> TrajectoryExact().evaluate(["search", "book"], ["book", "search"]).notes
        ('right_calls_wrong_order',)
    """

    name: ClassVar[str] = "trajectory_exact"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Compare place by place; see the class."""
        shorter = min(len(expected), len(observed))
        diverges = next((at for at in range(shorter) if not relation.accepts(expected[at], observed[at])), shorter)
        if diverges == len(expected) == len(observed):
            return Outcome(1.0)
        details = {"first_divergence": diverges, **in_order_evidence(expected, observed, relation)}
        return Outcome(0.0, notes=wrong_order(expected, observed, relation, extras="forbid"), details=details)


class TrajectoryInOrder(TrajectoryOperator):
    """All expected calls occur in their order.

    ADK's IN_ORDER, Vertex's trajectory_in_order_match.

    Args:
        extras: Whether other calls may lie before, between and after them; ``forbid`` makes it `TrajectoryExact`.

    Example:
        >>> TrajectoryInOrder().evaluate(["search", "book"], ["login", "search", "look", "book"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_in_order"

    extras: Extras = "allow"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Look for the expected calls one after the other; see the class."""
        places = earliest_subsequence(
            len(expected), len(observed), lambda i, j: relation.accepts(expected[i], observed[j])
        )
        complete = len(places) == len(expected)
        if complete and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, notes=empty_note(expected, self.extras), details=pairs_evidence(places))
        details = {"first_divergence": len(places), **in_order_evidence(expected, observed, relation)}
        if complete:
            details.pop("first_divergence")
        return Outcome(0.0, notes=wrong_order(expected, observed, relation, self.extras), details=details)


class TrajectoryAnyOrder(TrajectoryOperator):
    """All expected calls occur, in whatever order; each observed call counts for one expected call only.

    ADK's ANY_ORDER, Vertex's trajectory_any_order_match. With tolerant rules for arguments the pairing is a maximum matching, so
    the verdict does not depend on the order in which expected is written.

    Args:
        extras: Whether other calls may occur too. With ``forbid`` both sides are the same calls.

    Example:
        >>> TrajectoryAnyOrder(args="contains").evaluate(
        ...     [("search", {"q": "x"}), ("search", {"q": "x", "limit": 5})],
        ...     [("search", {"q": "x", "limit": 5}), ("search", {"q": "x"})],
        ... ).score
        1.0
    """

    name: ClassVar[str] = "trajectory_any_order"

    extras: Extras = "allow"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Pair the calls; see the class."""
        partners = pair(expected, observed, relation)
        complete = None not in partners
        if complete and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, notes=empty_note(expected, self.extras), details=pairs_evidence(partners))
        return Outcome(0.0, details=any_order_evidence(partners, expected, observed, relation, self.extras))


def empty_note(expected: Sequence[Call], extras: str) -> tuple[str, ...]:
    """Note a pass that says nothing, because nothing was expected."""
    return (EMPTY_EXPECTED,) if not expected and extras == "allow" else ()


def pairs_evidence(partners: Sequence[int | None]) -> dict[str, Any]:
    """Write which expected call was paired with which observed one, as far as they are not in the same places."""
    pairs = [[left, right] for left, right in enumerate(partners) if right is not None]
    if all(left == right for left, right in pairs):
        return {}
    return {"pairs": pairs[:100], **({"pairs_omitted": len(pairs) - 100} if len(pairs) > 100 else {})}


def wrong_order(expected: list[Call], observed: list[Call], relation: Relation, extras: str) -> tuple[str, ...]:
    """Note that the right calls were made in the wrong order."""
    complete = None not in pair(expected, observed, relation)
    enough = extras == "allow" or len(expected) == len(observed)
    return (WRONG_ORDER,) if expected and complete and enough else ()


def in_order_evidence(expected: list[Call], observed: list[Call], relation: Relation) -> dict[str, Any]:
    """Write how two trajectories differ when their order counts."""
    cells = len(expected) * len(observed)
    if cells <= _MOST_CELLS:
        near = same_tool(expected, observed)
        partners = heaviest_subsequence(
            near, len(observed), lambda i, j: _closeness(expected[i], observed[j], relation)
        )
    elif cells <= _MOST_BITS:
        partners = longest_common_subsequence(candidates(expected, observed, relation), len(observed))
    else:
        partners = [at if at < len(observed) else None for at in range(len(expected))]
    return aligned(_side_by_side(partners, len(observed)), expected, observed, relation)


def _side_by_side(partners: Sequence[int | None], observed: int) -> Iterator[Row]:
    following = 0
    for left, right in enumerate(partners):
        if right is not None:
            yield from ((None, at) for at in range(following, right))
            following = right + 1
        yield left, right
    yield from ((None, at) for at in range(following, observed))


def _closeness(expected: Call, observed: Call, relation: Relation) -> float:
    # An accepted call is a full match whatever its score, and a call of the right tool is nearer than one of another.
    if relation.accepts(expected, observed):
        return 1.0
    return 0.1 + 0.8 * relation.score(expected, observed) if expected.name == observed.name else 0.0


def any_order_evidence(
    partners: Sequence[int | None], expected: list[Call], observed: list[Call], relation: Relation, extras: str
) -> dict[str, Any]:
    """Write how two trajectories differ when their order does not count."""
    taken = {right for right in partners if right is not None}
    lefts = [at for at, right in enumerate(partners) if right is None]
    rights = [at for at in range(len(observed)) if at not in taken]
    nearest = _nearest([expected[at] for at in lefts], [observed[at] for at in rights], relation)
    near = {left: rights[at] for left, at in zip(lefts, nearest, strict=True) if at is not None}
    rows: list[Row] = [(left, near.get(left) if right is None else right) for left, right in enumerate(partners)]
    if extras == "forbid":
        used = set(near.values())
        rows += [(None, at) for at in rights if at not in used]
    details = aligned(rows, expected, observed, relation)
    if lefts and len(expected) * len(observed) <= _MOST_BITS:
        found = competing(candidates(expected, observed, relation), partners)
        if found is not None:
            details["competing"] = {"expected": found[0], "observed": found[1]}
    return details


def _nearest(expected: list[Call], observed: list[Call], relation: Relation) -> list[int | None]:
    if len(expected) * len(observed) > _MOST_CELLS:
        return [None] * len(expected)
    return pair_by_score(expected, observed, lambda left, right: _closeness(left, right, relation))
