"""The operator for an output of which nothing is expected but that there is one."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final

from pytest_verdict.core.operator import PASS, Operator
from pytest_verdict.core.result import Outcome

BLANK: Final = "blank"


class NotBlank(Operator):
    """Observed is there: not None, not NaN, no text of blanks alone, and no empty list or object.

    Zero and false are answers. Expected is not looked at, and is recorded as None.

    Example:
        >>> compare("not_blank", None, "Paris").score, compare("not_blank", None, {}).notes
        (1.0, ['blank'])
    """

    name: ClassVar[str] = "not_blank"
    kind: ClassVar[str] = "text"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Look whether there is anything; see the class."""
        del expected
        return Outcome(0.0, notes=(BLANK,)) if _is_blank(observed) else PASS

    def effective_expected(self, expected: Any) -> None:
        """Give None: that there is something is all that is expected."""
        del expected


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, bytes | dict | list | tuple | set | frozenset) and not value)
