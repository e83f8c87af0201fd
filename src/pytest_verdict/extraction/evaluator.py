"""`Evaluator`: an operator with a mapping, and what it says of one example."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.kernel import checked_threshold, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr, shown
from pytest_verdict.errors import ConfigurationError, MappingError, SettingsError, allowed
from pytest_verdict.explanation import explain
from pytest_verdict.extraction.input_mapping import (
    EXPECTED,
    GROUP,
    OBSERVED,
    InputMapping,
    Mapped,
    mapped,
    mapping_of_part,
)
from pytest_verdict.extraction.paths import key_path
from pytest_verdict.extraction.steps import refuse_unknown_keys
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.session import publish

# Of those that documents name themselves.
_MOST_MADE: Final = 1_000


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
    raises `UndecidedError`. Nobody has looked at an evaluation until something takes its truth value or reads what came out.

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
        operator: The name of a registered operator, or an operator. Where documents need different ones: a path such as
            ``"$.op"`` to what names it, or a dict of the operators of each ``group`` of the mapping. One of these may also be a
            dict of ``operator``, ``settings``, ``threshold`` and the inputs that differ, as ``mapping``.
        mapping: Where its inputs come from; also a dict, see `InputMapping.read`.
        threshold: The lowest score that passes, in (0, 1]; the operator's own unless given.
        expected: The column, or key, with the expected value, where the mapping does not say it.
        observed: The column, or key, with the observed value, likewise.
        **settings: Settings of the operator, when it is given by name.

    Raises:
        ConfigurationError: The operator, a setting, the threshold or the mapping is wrong.

    Example:
        >>> evaluator = Evaluator("exact", {"expected": "$.reference.label", "observed": "$.output"}, case_sensitive=False)
        >>> evaluation = evaluator.evaluate({"reference": {"label": "Positive"}, "output": "positive"})
        >>> evaluation.label, evaluation.score, evaluation.direction
        ('true', 1.0, 'maximize')
    """

    __slots__ = ("_made", "_name", "_operator", "_settings", "is_by_row", "mapping", "threshold")

    def __init__(
        self,
        operator: str | Operator | Mapping[str, Any],
        mapping: InputMapping | Mapping[str, Any] | None = None,
        threshold: float | None = None,
        *,
        expected: str | None = None,
        observed: str | None = None,
        **settings: Any,
    ) -> None:
        given = mapping.inputs if isinstance(mapping, InputMapping) else mapping
        columns = {EXPECTED: expected, OBSERVED: observed}
        found = {side: key_path(column) for side, column in columns.items() if column is not None}
        if found and given is not None:
            given = _joined(given, found, "it is a column and an input of the mapping")
        self.is_by_row = isinstance(operator, Mapping) or (isinstance(operator, str) and operator.startswith("$"))
        if self.is_by_row and isinstance(operator, str):
            given = _joined(given or found, {GROUP: operator}, "the path of the operator is the group; take it away")
        self.mapping = InputMapping.read(given or found)
        self.threshold = None if threshold is None else checked_threshold(threshold)
        self._name, self._operator, self._settings = operator, None, {**settings, **self.mapping.literals}
        self._made: dict[str, Evaluator] = {}
        if self.is_by_row:
            self._read_table(operator)
            return
        _joined(
            settings, dict.fromkeys(self.mapping.settings), "it is a setting and an input of the mapping; take one away"
        )
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
        return publish(self.judge(document, name=name, threshold=threshold))

    def judge(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare as `compare` does, and record nothing.

        Args:
            document: JSON values.
            name: What to call the comparison.
            threshold: The lowest score that passes, where the evaluator has none of its own.

        Returns:
            The result; an ``error`` when the mapping finds nothing or too much.
        """
        if self.is_by_row:
            try:
                return self._of(document).judge(document, name=name, threshold=threshold)
            except MappingError as error:
                return not_compared(str(error), name=name)
        found, operator = mapped(self.mapping, document), self._operator
        if operator is None and found.reason is None:
            try:
                operator = self._built(found.inputs)
            except MappingError as error:
                found = found._replace(reason=str(error), sources=None)
        # Without a path of its own the settings say what is expected, which __init__ has seen to.
        expected, limit = found.inputs.get(EXPECTED), threshold if self.threshold is None else self.threshold
        return _compared(found, operator or self.operator_name, expected, limit, name)

    def __reduce__(self) -> tuple[Any, ...]:
        # What paths are compiled to cannot be pickled.
        given = {name: value for name, value in self._settings.items() if name not in self.mapping.literals}
        inputs = self.mapping.inputs
        if self.is_by_row and isinstance(self._name, str):
            inputs = {name: source for name, source in inputs.items() if name != GROUP}
        return functools.partial(Evaluator, **given), (self._name, inputs, self.threshold)

    @property
    def operator(self) -> Operator | None:
        """The operator; None when a setting comes from the document."""
        return self._operator

    @property
    def operator_name(self) -> str | None:
        """The name of the operator; None where it depends on the row."""
        if self._operator is not None:
            return self._operator.recorded_name()
        return None if self.is_by_row else str(self._name)

    def _read_table(self, given: Any) -> None:
        if self._settings:
            raise SettingsError(f"{next(iter(self._settings))}: settings stand with each operator of a group")
        if isinstance(given, Mapping):
            if GROUP not in self.mapping.inputs or not given:
                raise SettingsError(
                    "operators by group need a mapping with a path as 'group', and an operator for each"
                )
            self._made = {repr(group): self._evaluator(entry) for group, entry in given.items()}

    def _of(self, document: Any) -> Evaluator:
        """Find the evaluator of a document; what a document itself names is built when it is first seen."""
        group = self.mapping.fetch[GROUP](document)
        if repr(group) not in self._made:
            if isinstance(self._name, Mapping):
                known = allowed("group", group, map(str, self._name))
                raise MappingError(f"group: {shown(group, 60)} has no operator.{known}")
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            try:
                self._made[repr(group)] = self._evaluator(group)
            except (ConfigurationError, TypeError) as error:
                # A setting may have the name of an argument, or none.
                raise MappingError(f"the operator in the document is wrong: {error}") from None
        return self._made[repr(group)]

    def _evaluator(self, given: Any) -> Evaluator:
        entry: Any = {"operator": given} if isinstance(given, str | Operator) else given
        if not isinstance(entry, Mapping) or "operator" not in entry:
            raise SettingsError(f"an operator is a name, or a dict with 'operator', got {shown(given, 80)}")
        refuse_unknown_keys("an operator of a group", entry, ("operator", "settings", "threshold", "mapping"))
        settings, mapping = entry.get("settings", {}), entry.get("mapping", {})
        if not isinstance(settings, Mapping) or not isinstance(mapping, Mapping):
            raise SettingsError(f"settings and mapping of an operator are dicts, got {shown(given, 80)}")
        limit = entry.get("threshold", self.threshold)
        return Evaluator(entry["operator"], {**self.mapping.inputs, **mapping}, limit, **settings)

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


def _joined(one: Mapping[str, Any], other: Mapping[str, Any], twice: str) -> dict[str, Any]:
    both = sorted(one.keys() & other.keys())
    if both:
        raise SettingsError(f"{both[0]}: {twice}")
    return {**one, **other}


def comparison_of_part(extract: Any) -> Callable[..., ComparisonResult]:
    """Make what compares a part of an observed value, as `run` compares the whole."""
    mapping = mapping_of_part(extract)

    def compare_part(operator: Operator, expected: Any, observed: Any, **told: Any) -> ComparisonResult:
        return _compared(mapped(mapping, observed), operator, expected, **told)

    return compare_part


def _compared(
    found: Mapped,
    operator: Operator | str | None,
    expected: Any,
    threshold: float | None,
    name: str | None,
    *,
    negated: bool = False,
) -> ComparisonResult:
    if found.reason is None and isinstance(operator, Operator):
        told: dict[str, Any] = {"threshold": threshold, "name": name, "negated": negated, "sources": found.sources}
        return run(operator, expected, found.inputs[OBSERVED], **told)
    label = operator.recorded_name() if isinstance(operator, Operator) else operator
    more: dict[str, Any] = {"instead_of": label, "name": name, "sources": found.sources, "is_fail": found.is_fail}
    return not_compared(found.reason or "", expected, **more)


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
