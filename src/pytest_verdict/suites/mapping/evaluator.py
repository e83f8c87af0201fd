"""`Evaluator`: an operator with a mapping, and what it says of one example."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pytest_verdict.comparison import recorded
from pytest_verdict.core.kernel import checked_threshold, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.errors import ConfigurationError, MappingError, SettingsError
from pytest_verdict.explanation import explain
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.suites.mapping.input_mapping import EXPECTED, OBSERVED, InputMapping, mapped


class Label(str):
    """The label of an evaluation: a text, and no truth value."""

    __slots__ = ()

    def __bool__(self) -> bool:
        ways = "write .label == 'true', or take the evaluation as the truth value"
        raise TypeError(f"the label {self!s} is a text: {ways}")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator says of one example.

    It is true when the comparison passed and false when it failed. A comparison that could not be made is neither: `bool` of it
    raises `ErrorVerdict`. Nobody has looked at an evaluation until something takes its truth value or reads what came out.

    Args:
        result: The full record.

    Example:
        >>> evaluator = Evaluator("exact", {"expected": "$.reference", "observed": "$.output"})
        >>> evaluation = evaluator.evaluate({"reference": "Paris", "output": "paris"})
        >>> bool(evaluation), evaluation.label, evaluation.score, evaluation.error
        (False, 'false', 0.0, None)
        >>> print(evaluator.evaluate({"reference": "Paris"}).label)
        None
    """

    result: ComparisonResult

    direction: ClassVar[Literal["maximize"]] = "maximize"
    """Of two scores the higher is the better, always."""

    @property
    def label(self) -> Label | None:
        """``true`` or ``false``, a text and no truth value; None when the comparison could not be made."""
        return None if self.result.error is not None else Label("true" if self.result.passed else "false")

    @property
    def score(self) -> float | None:
        """From 0.0 to 1.0; None when the comparison could not be made."""
        return None if self.result.error is not None else self.result.score

    @property
    def explanation(self) -> str:
        """Why, as plain lines."""
        return "\n".join(explain(self.result))

    @property
    def error(self) -> str | None:
        """Why the comparison could not be made, or None."""
        return self.result.error

    def __bool__(self) -> bool:
        return bool(self.result)


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
        if self._operator is not None:
            self._refuse_without_expected(self._operator)

    def evaluate(self, document: Mapping[str, Any], *, name: str | None = None) -> Evaluation:
        """Compare what the mapping finds in a document, and record it.

        Args:
            document: By convention a dict with ``input``, ``output``, ``reference`` and ``metadata``.
            name: What to call the comparison in the report.

        Returns:
            The evaluation; an ``error`` when the mapping finds nothing or too much.
        """
        return Evaluation(self.compare(document, name=name))

    def compare(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare what the mapping finds in a document, and record it.

        Args:
            document: JSON values.
            name: What to call the comparison in the report.
            threshold: The lowest score that passes, where the evaluator has none of its own.

        Returns:
            The result; an ``error`` when the mapping finds nothing or too much.
        """
        return recorded(self.judge(document, name=name, threshold=threshold))

    def judge(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare as `compare` does, and record nothing.

        Args:
            document: JSON values.
            name: What to call the comparison.
            threshold: The lowest score that passes, where the evaluator has none of its own.

        Returns:
            The result; an ``error`` when the mapping finds nothing or too much.
        """
        # Without a path of its own the settings say what is expected, which __init__ has seen to.
        found, sources, reason = mapped(self.mapping, document)
        operator = self._operator
        if operator is None and reason is None:
            try:
                operator = self._built(found)
            except MappingError as error:
                reason, sources = str(error), None
        expected = found.get(EXPECTED)
        if operator is None or reason is not None:
            instead = self.operator_name
            return not_compared(str(reason), expected, instead_of=instead, name=name, sources=sources)
        limit = threshold if self.threshold is None else self.threshold
        return run(operator, expected, found[OBSERVED], threshold=limit, name=name, sources=sources)

    def __reduce__(self) -> tuple[Any, ...]:
        # What paths are compiled to cannot be pickled.
        given = {name: value for name, value in self._settings.items() if name not in self.mapping.literals}
        return functools.partial(Evaluator, **given), (self._name, self.mapping.inputs, self.threshold)

    @property
    def operator(self) -> Operator | None:
        """The operator; None when a setting comes from the document."""
        return self._operator

    @property
    def operator_name(self) -> str:
        """The name of the operator."""
        return self._operator.recorded_name() if self._operator is not None else str(self._name)

    def _built(self, found: Mapping[str, Any]) -> Operator:
        settings = {name: found[name] for name in self.mapping.settings}
        try:
            operator = REGISTRY.build(str(self._name), {**self._settings, **settings})
            self._refuse_without_expected(operator)
        except ConfigurationError as error:
            raise MappingError(f"the settings in the document are wrong: {error}") from None
        return operator

    def _refuse_without_expected(self, operator: Operator) -> None:
        if EXPECTED not in self.mapping.fetch and operator.needs_expected():
            way = "write a path such as 'expected': '$.reference', or {'literal': None} where null is expected"
            need = f"the mapping does not say where it comes from, and {operator.recorded_name()} needs it"
            raise SettingsError(f"expected: {need}; {way}")


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
