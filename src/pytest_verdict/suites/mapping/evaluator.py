"""`Evaluator`: an operator with a mapping, and what it says of one example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_verdict.comparison import compare
from pytest_verdict.core.kernel import checked_threshold
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.errors import ConfigurationError, MappingError, SettingsError
from pytest_verdict.explanation import explain
from pytest_verdict.operators.not_compared import record_not_compared
from pytest_verdict.suites.mapping.input_mapping import EXPECTED, OBSERVED, InputMapping, resolve_into


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator says of one example.

    Args:
        label: ``true`` or ``false``; None when the comparison could not be made.
        score: From 0.0 to 1.0; None when the comparison could not be made.
        explanation: Why, as plain lines.
        error: Why the comparison could not be made, or None.
        result: The full record.
        direction: Always ``maximize``: of two scores the higher is the better.

    Example:
        >>> evaluator = Evaluator("exact", {"expected": "$.reference", "observed": "$.output"})
        >>> evaluation = evaluator.evaluate({"reference": "Paris", "output": "paris"})
        >>> evaluation.label, evaluation.score, evaluation.error
        ('false', 0.0, None)
        >>> print(evaluator.evaluate({"reference": "Paris"}).label)
        None
    """

    label: Literal["true", "false"] | None
    score: float | None
    explanation: str
    error: str | None
    result: ComparisonResult
    direction: Literal["maximize"] = "maximize"


class Evaluator:
    """An operator whose inputs come from a document by a mapping.

    Args:
        operator: The name of a registered operator, or an operator.
        mapping: Where its inputs come from; also a dict, see `InputMapping.read`.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        **settings: Settings of the operator, when it is given by name.

    Raises:
        ConfigurationError: The operator, a setting, the threshold or the mapping is wrong.

    Example:
        >>> evaluator = Evaluator("exact", {"expected": "$.reference.label", "observed": "$.output"}, case_sensitive=False)
        >>> evaluation = evaluator.evaluate({"reference": {"label": "Positive"}, "output": "positive"})
        >>> evaluation.label, evaluation.score, evaluation.direction
        ('true', 1.0, 'maximize')
    """

    __slots__ = ("_name", "_operator", "_settings", "mapping", "threshold")

    def __init__(
        self,
        operator: str | Operator,
        mapping: InputMapping | Mapping[str, Any],
        threshold: float | None = None,
        **settings: Any,
    ) -> None:
        self.mapping = InputMapping.read(mapping)
        self.threshold = None if threshold is None else checked_threshold(threshold)
        both = sorted({*settings} & {*self.mapping.settings})
        if both:
            raise SettingsError(f"{both[0]}: it is a setting and an input of the mapping; take one away")
        self._name, self._settings = operator, {**settings, **self.mapping.literals}
        from_document = [name for name in self.mapping.settings if name not in self.mapping.literals]
        self._operator = _operator(operator, self._settings, from_document)

    def evaluate(self, document: Mapping[str, Any], *, name: str | None = None) -> Evaluation:
        """Compare what the mapping finds in a document, and record it.

        Args:
            document: By convention a dict with ``input``, ``output``, ``reference`` and ``metadata``.
            name: What to call the comparison in the report.

        Returns:
            The evaluation; an ``error`` when the mapping finds nothing or too much.
        """
        result = self.compare(document, name=name)
        explanation = "\n".join(explain(result))
        if result.error is not None:
            return Evaluation(None, None, explanation, result.error, result)
        return Evaluation("true" if result.passed else "false", result.score, explanation, None, result)

    def compare(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare what the mapping finds in a document, and record it.

        Args:
            document: JSON values.
            name: What to call the comparison in the report.
            threshold: The lowest score that passes, where the evaluator has none of its own.

        Returns:
            The result; an ``error`` when the mapping finds nothing or too much.
        """
        found: dict[str, Any] = {}
        try:
            resolve_into(found, self.mapping, document)
            operator = self._operator if self._operator is not None else self._built(found)
        except MappingError as error:
            return record_not_compared(str(error), found.get(EXPECTED), instead_of=self.operator_name, name=name)
        limit = threshold if self.threshold is None else self.threshold
        return compare(operator, found[EXPECTED], found[OBSERVED], limit, name=name)

    @property
    def operator_name(self) -> str:
        """The name of the operator."""
        return self._operator.recorded_name() if self._operator is not None else str(self._name)

    def _built(self, found: Mapping[str, Any]) -> Operator:
        settings = {name: found[name] for name in self.mapping.settings}
        try:
            return REGISTRY.build(str(self._name), {**self._settings, **settings})
        except ConfigurationError as error:
            raise MappingError(f"the settings in the document are wrong: {error}") from None


def _operator(operator: Any, settings: Mapping[str, Any], from_document: list[str]) -> Operator | None:
    """Make the operator; None when a setting comes from the document."""
    if isinstance(operator, Operator):
        if settings or from_document:
            raise SettingsError(f"settings go into the operator: {type(operator).__name__}(...)")
        return operator
    if not isinstance(operator, str):
        raise ConfigurationError(f"an operator is named, such as 'exact', or is one; got {safe_repr(operator)}")
    REGISTRY.refuse_unknown_settings(operator, from_document)
    return None if from_document else REGISTRY.build(operator, settings)
