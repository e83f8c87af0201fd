"""Expected values that are derived before the draft is read."""

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
    """Observed is compared with an expected value that was derived first, from the question alone.

    The inner operator decides; the record also has the origin of the expected value.

    Args:
        inner: The operator that compares the two, or its name.
        source: The origin of the expected value: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How observed was extracted from the draft: ``programmatic`` or ``model_mediated``.

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
        return self.inner.effective_expected(expected)

    @property
    def is_graded(self) -> bool:
        return bool(self.inner.is_graded)

    def needs_expected(self) -> bool:
        return bool(self.inner.needs_expected())

    def default_threshold(self) -> float:
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
    """Derive the expected value from the question, then extract the observed one from the draft, and compare them.

    Args:
        operator: The operator that compares them, or its name.
        question: Everything that ``derive`` may know.
        derive: A function from the question to the expected value. It is called twice and must return the same value.
        draft: The text or object to check; ``derive`` never gets it.
        extract: A function from the draft to the observed value, called after the expected value is fixed.
        source: The origin of the expected value: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How the observed value is extracted: ``programmatic`` or ``model_mediated``.
        name: The name of this comparison in the report.

    Returns:
        The result, recorded as the operator ``derived``.

    Raises:
        ConfigurationError: ``derive`` takes more than the question, or returns two different values.

    Example:
        >>> compare_derived("numeric_exact", (6, 7), lambda pair: pair[0] * pair[1], "It is 42.", lambda text: text[6:8]).passed
        True
    """
    if len(inspect.signature(derive).parameters) != 1:
        raise ConfigurationError("derive takes the question and nothing else, so that it cannot see the draft")
    expected = derive(question)
    if not equal(expected, derive(question)):
        raise ConfigurationError(
            "derive returned two different values for the same question, so neither can be expected"
        )
    derived = DerivedMatch(inner=operator, source=source, extraction=extraction)
    return publish(run(derived, expected, extract(draft), name=name))
