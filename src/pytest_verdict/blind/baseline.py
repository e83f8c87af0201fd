"""A measurement before and after, for the operator ``delta``."""

from collections.abc import Callable
from typing import Any, Self

from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ConfigurationError


class Baseline:
    """Measures before and after a ``with`` block, by the same measure.

    The measurement before is taken when the block begins and never again. `change` is what ``delta`` observes.

    Args:
        measure: A function without arguments that gives a number.

    Raises:
        ConfigurationError: The measure cannot be called.

    Example:
        >>> from pytest_verdict import compare
        >>> basket = ["tea"]
        >>> with Baseline(lambda: len(basket)) as baseline:
        ...     basket.append("milk")
        >>> baseline.change
        {'before': 1, 'after': 2}
        >>> compare("delta", 1, baseline.change).passed
        True
    """

    __slots__ = ("_measure", "_measured")

    def __init__(self, measure: Callable[[], Any]) -> None:
        if not callable(measure):
            raise ConfigurationError(f"a baseline measures by a function without arguments, got {measure!r}")
        self._measure = measure
        self._measured: list[Any] = []

    @property
    def change(self) -> dict[str, Any]:
        """The two measurements, as ``before`` and ``after``.

        Raises:
            ConfigurationError: The block has not ended.
        """
        if len(self._measured) < 2:
            raise ConfigurationError("there is no change before the end of the with block")
        return dict(zip(("before", "after"), self._measured, strict=True))

    def __enter__(self) -> Self:
        if self._measured:
            raise ConfigurationError("a baseline is measured once; make another one for another block")
        self._measured.append(snapshot(self._measure()))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # After an exception there is no change to speak of, and a measure that fails then would hide it.
        if kind is None:
            self._measured.append(snapshot(self._measure()))
