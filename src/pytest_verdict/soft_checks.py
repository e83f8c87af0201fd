"""Soft checks: what did not pass inside a ``with`` block, raised once at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_verdict.comparison import HIDDEN
from pytest_verdict.errors import MismatchError
from pytest_verdict.result import ComparisonResult

if TYPE_CHECKING:
    from pytest_verdict.comparator import Comparator


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not pass.

    Args:
        description: Lines that say so.
        results: The comparisons.
    """

    description: str
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
        if failures and error is not None:
            error.add_note(_describe_failures(failures))
        elif failures:
            results = [result for failure in failures for result in failure.results]
            raise MismatchError(_describe_failures(failures), results)


def _remove(collecting: list[list[Failure]], block: list[Failure]) -> None:
    # By identity: list.remove would take another block that is equal, such as an outer one that is empty as well.
    del collecting[next(position for position, other in enumerate(collecting) if other is block)]


def _describe_failures(failures: list[Failure]) -> str:
    head = f"{len(failures)} {'comparison' if len(failures) == 1 else 'comparisons'} did not pass"
    return "\n".join([head, *(failure.description for failure in failures)])
