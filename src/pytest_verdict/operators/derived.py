"""Expected values that are derived without a look at the draft, and derived first."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.equality import equal
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.session import publish

Source = Literal["spec", "reference", "blind_rederivation"]
Extraction = Literal["programmatic", "model_mediated"]


class DerivedMatch(Operator):
    """Observed compares to an expected value that was derived before, from the question alone.

    It decides as the operator inside does; what it adds is where the expected value came from.

    Args:
        inner: What compares the two; an operator or its name.
        source: Where the expected value came from: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How the observed value was extracted from the draft: ``programmatic`` or ``model_mediated``.

    Example:
        >>> compare("derived", 42, "42", inner="numeric_exact", source="spec").score
        1.0
    """

    name: ClassVar[str] = "derived"
    kind: ClassVar[str] = "aggregate"

    inner: Annotated[Any, BeforeValidator(operator_from_settings)]
    source: Source
    extraction: Extraction = "programmatic"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        return run(self.inner, expected, observed).outcome

    def effective_expected(self, expected: Any) -> Any:
        """Give what the operator inside records."""
        return self.inner.effective_expected(expected)

    def needs_expected(self) -> bool:
        """Say whether the operator inside needs it."""
        return bool(self.inner.needs_expected())

    def default_threshold(self) -> float:
        """Give that of the operator inside."""
        return float(self.inner.default_threshold())


def compare_derived(
    operator: str | Operator,
    question: Any,
    derive: Callable[[Any], Any],
    draft: Any,
    extract: Callable[[Any], Any],
    *,
    source: Source = "blind_rederivation",
    extraction: Extraction = "programmatic",
    name: str | None = None,
) -> ComparisonResult:
    """Derive the expected value from the question, then extract the observed one from the draft, then compare.

    Args:
        operator: What compares them.
        question: All that may be known when the expected value is derived.
        derive: From the question to the expected value. It is called twice, and must give the same both times.
        draft: What is checked; ``derive`` never gets it.
        extract: From the draft to the observed value; called after the expected value is settled.
        source: Where the expected value comes from: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How the observed value is extracted: ``programmatic`` or ``model_mediated``.
        name: What to call this comparison in the report.

    Returns:
        The result, recorded as the operator ``derived``.

    Raises:
        ConfigurationError: ``derive`` takes more than the question, or does not give the same twice.

    Example:
        >>> compare_derived("numeric_exact", (6, 7), lambda pair: pair[0] * pair[1], "It is 42.", lambda text: text[6:8]).passed
        True
    """
    if len(inspect.signature(derive).parameters) != 1:
        raise ConfigurationError("derive takes the question and nothing else, so that it cannot see the draft")
    expected = derive(question)
    if not equal(expected, derive(question)):
        raise ConfigurationError("derive gave two different values for the same question, so neither can be expected")
    matching = DerivedMatch(inner=operator, source=source, extraction=extraction)
    return publish(run(matching, expected, extract(draft), name=name))
