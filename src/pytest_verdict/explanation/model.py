"""What an explanation consists of: the facts of why a comparison did not pass, before anything is drawn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pytest_verdict.explanation.lines import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a comparison came out as it did.

    Args:
        summary: The first line, behind the operator.
        lines: What differs, as lines below the first.
        sides: Whether expected and observed are still to be shown.
        children: Whether the parts of the comparison are still to be explained.
        said: Settings and details that the lines above say; only -vv shows them again.
    """

    summary: Line
    lines: Sequence[Line] = field(default_factory=list)
    sides: bool = True
    children: bool = True
    said: Collection[str] = ()
