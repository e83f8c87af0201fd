"""Soft checks: what did not pass inside a ``with`` block, raised once at its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pytest_verdict.comparison import HIDDEN
from pytest_verdict.errors import MismatchError
from pytest_verdict.result import ComparisonResult
from pytest_verdict.surroundings import SURROUNDINGS
from pytest_verdict.values.display import counted

if TYPE_CHECKING:
    from pytest_verdict.comparator import Comparator

_MOST_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not pass.

    Args:
        describe: Gives lines that say so.
        results: The comparisons.
    """

    describe: Callable[[], str]
    results: tuple[ComparisonResult, ...]


class Collection:
    """The ``with`` block of soft checks; made by `Comparator.collect`.

    Args:
        comparator: What ``as`` gives.
        collecting: The collections that are open, the innermost last.
    """

    __slots__ = ("_collecting", "_comparator", "_failures")

    def __init__(self, comparator: Comparator, collecting: list[list[Failure]]) -> None:
        self._collecting = collecting
        self._comparator = comparator
        self._failures: list[Failure] = []

    def __enter__(self) -> Comparator:
        self._collecting.append(self._failures)
        return self._comparator

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        __tracebackhide__ = HIDDEN
        _remove(self._collecting, self._failures)
        failures, self._failures = self._failures, []
        if not failures:
            return
        if error is not None and not _hides_failures(error):
            error.add_note(_describe_failures(failures))
            return
        results = [result for failure in failures for result in failure.results]
        raise MismatchError(_describe_failures(failures), results) from error


def _remove(collecting: list[list[Failure]], block: list[Failure]) -> None:
    # By identity: list.remove would take another block that is equal, such as an outer one that is empty as well.
    del collecting[next(position for position, other in enumerate(collecting) if other is block)]


def _hides_failures(error: BaseException) -> bool:
    """Say whether a test that raises this is shown as skipped or expected to fail."""
    # Not imported: where pytest is not loaded, nobody can have raised these.
    pytest, unittest = sys.modules.get("pytest"), sys.modules.get("unittest")
    kinds = [pytest.skip.Exception, pytest.xfail.Exception] if pytest else []
    return isinstance(error, (*kinds, unittest.SkipTest) if unittest else tuple(kinds))


def _describe_failures(failures: list[Failure]) -> str:
    shown = failures if SURROUNDINGS.budget.lines == 0 else failures[:_MOST_SHOWN]
    lines = [f"{counted(len(failures), 'comparison')} did not pass"]
    lines.extend(failure.describe() for failure in shown)
    if len(shown) < len(failures):
        lines.append(f"{len(failures) - len(shown)} more are in the report; -vv shows them here")
    return "\n".join(lines)
