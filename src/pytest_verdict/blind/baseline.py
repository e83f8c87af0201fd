"""`Baseline`: a measurement before and after a block, for the operator ``delta``."""

from collections.abc import Callable
from typing import Any, Self

from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ConfigurationError


class Baseline:
    """Measures before and after a ``with`` block with the same function.

    The first measurement is made when the block begins. `change` is the observed value for ``delta``.

    Args:
        measure: A function without arguments that returns a number.

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

    def __init__(self, measure: Callable[[], Any]) -> None:
        if not callable(measure):
            raise ConfigurationError(f"a baseline needs a function without arguments, got {measure!r}")
        self._measure = measure
        self._values: list[Any] = []

    @property
    def change(self) -> dict[str, Any]:
        """The two measurements, as ``before`` and ``after``.

        Raises:
            ConfigurationError: The block has not ended.
        """
        if len(self._values) < 2:
            raise ConfigurationError("there is no change before the end of the with block; read it after the block")
        return dict(zip(("before", "after"), self._values, strict=True))

    def __enter__(self) -> Self:
        self._values = [snapshot(self._measure())]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # A failing measurement would hide the exception of the block.
        if kind is None:
            self._values.append(snapshot(self._measure()))
