"""`Evaluator`: an operator with a mapping, and its evaluations of documents."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.kernel import check_threshold, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult, has_error
from pytest_verdict.core.values.display import safe_repr, shown
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.errors import ConfigurationError, MappingError, SettingsError, allowed
from pytest_verdict.explanation import explain
from pytest_verdict.extraction.input_mapping import (
    EXPECTED,
    GROUP,
    OBSERVED,
    InputMapping,
    MappedInputs,
    map_inputs,
    mapping_of_part,
)
from pytest_verdict.extraction.paths import key_path
from pytest_verdict.extraction.steps import refuse_unknown_keys
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import publish


class Label(str):
    """The label of an evaluation: a text that has no truth value."""

    __slots__ = ()

    def __bool__(self) -> bool:
        ways = "write .label == 'true', or take the evaluation as the truth value"
        raise TypeError(f"the label {self!s} is a text: {ways}")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation of one document.

    It is true when the comparison passed and false when it failed. A comparison that could not be made is neither: `bool` of it
    raises `UndecidedError`. A session counts an evaluation as checked once its truth value or one of its properties was read.

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
    """The higher of two scores is always the better one."""

    @property
    def label(self) -> Label | None:
        """``true`` or ``false``, a text without a truth value; None when the comparison could not be made."""
        if has_error(self.result):
            return None
        return Label("true" if self.result.passed else "false")

    @property
    def score(self) -> float | None:
        """From 0.0 to 1.0; None when the comparison could not be made."""
        return None if has_error(self.result) else self.result.score

    @property
    def explanation(self) -> str:
        """Why, in lines of plain text."""
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
        operator: The name of a registered operator, or an operator. If documents need different operators: a dict with an
            operator for each ``group`` of the mapping. Such an operator may also be a dict of ``operator``, ``settings``,
            ``threshold`` and, as ``mapping``, the inputs that differ.
        mapping: Where the inputs come from; also a dict, see `InputMapping.read`.
        threshold: The lowest score that passes, in (0, 1] (default: that of the operator).
        expected: The column, or key, with the expected value, if the mapping has none.
        observed: The column, or key, with the observed value, if the mapping has none.
        **settings: Settings of the operator, if it is a name.

    Raises:
        ConfigurationError: The operator, a setting, the threshold or the mapping is wrong.

    Example:
        >>> evaluator = Evaluator("exact", {"expected": "$.reference.label", "observed": "$.output"}, case_sensitive=False)
        >>> evaluation = evaluator.evaluate({"reference": {"label": "Positive"}, "output": "positive"})
        >>> evaluation.label, evaluation.score, evaluation.direction
        ('true', 1.0, 'maximize')
    """

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
        self.mapping = InputMapping.read(_inputs_of(mapping, {EXPECTED: expected, OBSERVED: observed}))
        self.threshold = None if threshold is None else check_threshold(threshold)
        self._name = operator
        self.operator: Operator | None = None
        """None when the operator depends on the group, or a setting of it on the document."""
        self._settings = {**settings, **self.mapping.literals}
        self._by_group: dict[str, Evaluator] = {}
        if isinstance(operator, Mapping):
            if self._settings:
                raise SettingsError(f"{next(iter(self._settings))}: settings stand with each operator of a group")
            if GROUP not in self.mapping.inputs or not operator:
                needs = "a mapping with a path as 'group', and an operator for each"
                raise SettingsError(f"operators by group need {needs}")
            self._by_group = {safe_repr(group): self._build_evaluator(entry) for group, entry in operator.items()}
            return

        self.mapping.refuse_same_sides()
        inputs_of_settings = dict.fromkeys(self.mapping.settings)
        _merge(settings, inputs_of_settings, "it is a setting and an input of the mapping; take one away")
        self.operator = self._build_operator()
        if self.operator is not None:
            self.operator.check_threshold(self.threshold)
            self._require_expected(self.operator)

    @property
    def is_by_row(self) -> bool:
        """Whether the operator depends on the group of a document."""
        return bool(self._by_group)

    def evaluate(self, document: Mapping[str, Any], *, name: str | None = None) -> Evaluation:
        """Compare the inputs from a document, and record the comparison.

        Args:
            document: By convention a dict with ``input``, ``output``, ``reference`` and ``metadata``.
            name: The name of the comparison in the report.

        Returns:
            The evaluation; an ``error`` when a path matches nothing or several values.
        """
        return Evaluation(self.compare(document, name=name))

    def compare(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare the inputs from a document, and record the comparison.

        Args:
            document: JSON values.
            name: The name of the comparison in the report.
            threshold: The lowest score that passes, if the evaluator has no threshold.

        Returns:
            The result; an ``error`` when a path matches nothing or several values.
        """
        return publish(self.judge(document, name=name, threshold=threshold))

    def judge(self, document: Any, *, name: str | None = None, threshold: float | None = None) -> ComparisonResult:
        """Compare as `compare` does, without a record."""
        if self.is_by_row:
            try:
                evaluator = self._find_evaluator(document)
            except MappingError as error:
                return not_compared(str(error), name=name)
            return evaluator.judge(document, name=name, threshold=threshold)

        mapped = map_inputs(self.mapping, document)
        operator = self.operator
        if operator is None and mapped.reason is None:
            settings = {name: mapped.inputs[name] for name in self.mapping.settings}
            try:
                operator = REGISTRY.build(str(self._name), {**self._settings, **settings})
                self._require_expected(operator)
            except ConfigurationError as error:
                operator = None
                mapped = mapped._replace(reason=f"the settings in the document are wrong: {error}", sources=None)
        # Without an input for it, settings take the place of expected.
        expected = mapped.inputs.get(EXPECTED)
        limit = threshold if self.threshold is None else self.threshold
        return _compare_mapped(mapped, operator or self.operator_name, expected, limit, name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled paths cannot be pickled.
        settings = {name: value for name, value in self._settings.items() if name not in self.mapping.literals}
        return functools.partial(Evaluator, **settings), (self._name, self.mapping.inputs, self.threshold)

    def describe(self) -> str:
        """Describe everything that verdicts depend on, the code of operators included, in the same way in each process."""
        how: Any
        if self.operator is not None:
            how = self.operator.identity.members
        elif isinstance(self._name, Mapping):
            how = [(group, evaluator.describe()) for group, evaluator in self._by_group.items()]
        else:
            # A setting in a document may name any operator.
            how = str(self._name), encode_text(self._settings), REGISTRY.describe_brought()
        return repr((how, self.mapping.description, self.threshold))

    @property
    def operator_name(self) -> str | None:
        """The name of the operator; None when it depends on the document."""
        if self.operator is not None:
            return self.operator.recorded_name()
        return None if self.is_by_row else str(self._name)

    def _find_evaluator(self, document: Any) -> Evaluator:
        group = self.mapping.fetch[GROUP](document)
        evaluator = self._by_group.get(safe_repr(group))
        if evaluator is None:
            groups = self._name if isinstance(self._name, Mapping) else ()
            hint = allowed("group", group, map(str, groups))
            raise MappingError(f"group: {shown(group, 60)} has no operator.{hint}")
        return evaluator

    def _build_evaluator(self, operator: Any) -> Evaluator:
        entry: Any = {"operator": operator} if isinstance(operator, str | Operator) else operator
        if not isinstance(entry, Mapping) or "operator" not in entry:
            raise SettingsError(f"an operator is a name, or a dict with 'operator', got {shown(operator, 80)}")
        refuse_unknown_keys("an operator of a group", entry, ("operator", "settings", "threshold", "mapping"))
        settings = entry.get("settings", {})
        mapping = entry.get("mapping", {})
        if not isinstance(settings, Mapping) or not isinstance(mapping, Mapping):
            raise SettingsError(f"settings and mapping of an operator are dicts, got {shown(operator, 80)}")
        threshold = entry.get("threshold", self.threshold)
        return build_evaluator(entry["operator"], {**self.mapping.inputs, **mapping}, threshold, settings)

    def _build_operator(self) -> Operator | None:
        """Build the operator; None when a setting comes from the document."""
        from_document = [name for name in self.mapping.settings if name not in self.mapping.literals]
        if isinstance(self._name, Operator):
            if self._settings or from_document:
                raise SettingsError(f"settings go into the operator: {type(self._name).__name__}(...)")
            return self._name
        if not isinstance(self._name, str):
            raise ConfigurationError(f"an operator is named, such as 'exact', or is one; got {safe_repr(self._name)}")
        REGISTRY.refuse_unknown_settings(self._name, from_document, others=(EXPECTED, OBSERVED))
        return None if from_document else REGISTRY.build(self._name, self._settings)

    def _require_expected(self, operator: Operator) -> None:
        if EXPECTED not in self.mapping.fetch and operator.needs_expected():
            way = "write a path such as 'expected': '$.reference', or {'literal': None} where null is expected"
            need = f"the mapping does not say where it comes from, and {operator.recorded_name()} needs it"
            raise SettingsError(f"expected: {need}; {way}")


def _inputs_of(mapping: Any, columns: Mapping[str, Any]) -> Any:
    """Return the inputs of a mapping, with those that are columns."""
    inputs: Any = mapping.inputs if isinstance(mapping, InputMapping) else mapping
    if mapping is None:
        inputs = {}
    if not isinstance(inputs, Mapping):
        # Whoever reads it refuses it.
        return inputs
    for side, column in columns.items():
        if not isinstance(column, str | None):
            raise ConfigurationError(f"{side} is the name of a column, got {shown(column, 60)}")
        if column is not None:
            inputs = _merge(inputs, {side: key_path(column)}, "it is a column and an input of the mapping")
    return inputs


def _merge(one: Mapping[str, Any], other: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """Merge two dicts, and refuse a key that is in both."""
    for name in sorted(one.keys() & other.keys()):
        raise SettingsError(f"{name}: {reason}")
    return {**one, **other}


def build_evaluator(
    operator: Any, mapping: InputMapping | Mapping[str, Any], threshold: float | None, settings: Mapping[Any, Any]
) -> Evaluator:
    """Build an evaluator with the settings of a file, of which none may have the name of an argument."""
    for name in settings:
        if not isinstance(name, str) or name in _ARGUMENTS:
            raise SettingsError(f"settings: {shown(name, 40)} is no setting of an operator; write it beside settings")
    return Evaluator(operator, mapping, threshold, **settings)


_ARGUMENTS: Final = {"self", *inspect.signature(Evaluator).parameters} - {"settings"}


def comparison_of_part(extract: Any) -> Callable[..., ComparisonResult]:
    """Return a function that compares a part of an observed value, as `run` compares the whole."""
    mapping = mapping_of_part(extract)
    return lambda operator, expected, observed, **arguments: _compare_mapped(
        map_inputs(mapping, observed), operator, expected, **arguments
    )


def _compare_mapped(
    mapped: MappedInputs,
    operator: Operator | str | None,
    expected: Any,
    threshold: float | None,
    name: str | None,
    *,
    negated: bool = False,
    accepted: Mapping[str, Any] | None = None,
) -> ComparisonResult:
    sources = mapped.sources
    if mapped.reason is None and isinstance(operator, Operator):
        observed = mapped.inputs[OBSERVED]
        return run(operator, expected, observed, threshold, name, negated=negated, sources=sources, accepted=accepted)
    label = None if operator is None else str(operator)
    reason = mapped.reason or ""
    return not_compared(reason, expected, instead_of=label, name=name, sources=sources, is_fail=mapped.is_fail)
