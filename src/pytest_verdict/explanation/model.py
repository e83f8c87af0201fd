"""`Explanation`: why a comparison did not pass, before anything is drawn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pytest_verdict.explanation.lines import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a comparison came out as it did.

    Args:
        summary: The first line, after the operator.
        lines: The differences, below the first line.
        sides: Whether the block also shows expected and observed.
        children: Whether the block also explains the parts of the comparison.
        covered_names: Settings and details that the lines above show already; only ``-vv`` repeats them.
    """

    summary: Line
    lines: Sequence[Line] = field(default_factory=list)
    sides: bool = True
    children: bool = True
    covered_names: Collection[str] = ()
