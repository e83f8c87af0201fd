"""`TemplateMatch`: the operator that an answer template is, once its class is taken away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.operators.aggregate import CHILD_ERROR
from pytest_verdict.operators.category import BooleanMatch
from pytest_verdict.templates import evidence
from pytest_verdict.templates.regex_check import RegexCheck, compare_all
from pytest_verdict.templates.rule import FieldRule, read_rules
from pytest_verdict.templates.second_look import SecondLook, second_looks
from pytest_verdict.templates.strategy import check_strategy, granular_score, holds

NOT_AN_ANSWER: Final = "not_an_answer"
MODEL_EVIDENCE: Final = "model_evidence"
VERIFY: Final = FieldRule(BooleanMatch())

_NOTHING: Final[Mapping[str, Any]] = {}


def _operator(value: Any) -> Operator | None:
    return None if value is None else operator_from_settings(value)


def _checks(value: Any) -> dict[str, RegexCheck]:
    found = {name: operator_from_settings(check) for name, check in value.items()}
    return {name: check for name, check in found.items() if isinstance(check, RegexCheck)}


class TemplateMatch(Operator):
    """An answer is what its template says: every field passes, or as many as the strategy asks for.

    Expected maps each field to its ground truth, observed to its extracted value. What else is observed has a name that
    starts with an underscore (see ``evidence``): ``_trace`` is the raw response, which fields with a trace operator and the
    regex checks read.

    The score is 1.0 or 0.0, because a strategy holds or does not; partial credit is ``details["granular_score"]``.

    Args:
        template: The name of the template.
        fields: A rule for each verified field: its operator and weight.
        strategy: How the fields are combined: `FieldCheck`, `AllOf`, `AnyOf`, `AtLeastN`. None asks for every field.
        regex: Checks on the trace, all of which must pass.
        hand_written: Whether the template's own ``verify()`` decides, whose answer is then observed as ``_verify``.
        embedding_check: What takes a second look at text that failed, or None.

    Example:
        >>> match = TemplateMatch(fields={"target": "normalized_exact", "year": "numeric_exact"})
        >>> match.evaluate({"target": "BCL2", "year": 2016}, {"target": "bcl2", "year": 2017}).details["granular_score"]
        0.5
    """

    name: ClassVar[str] = "answer_template"
    kind: ClassVar[str] = "template"

    template: str = ""
    fields: Annotated[Any, BeforeValidator(read_rules)] = {}  # noqa: RUF012 - pydantic copies defaults
    strategy: Annotated[Any, BeforeValidator(_operator)] = None
    regex: Annotated[Any, BeforeValidator(_checks)] = {}  # noqa: RUF012 - pydantic copies defaults
    hand_written: bool = False
    embedding_check: Annotated[Any, BeforeValidator(_operator)] = None

    def model_post_init(self, context: Any, /) -> None:
        """Refuse a strategy over fields that are not verified."""
        del context
        if self.strategy is not None:
            check_strategy(self.strategy, self.fields)

    def settings(self) -> dict[str, Any]:
        """Give all settings as typed JSON; fields as `FieldRule.written` has them."""
        return {
            "template": self.template,
            "fields": {name: rule.written() for name, rule in self.fields.items()},
            "strategy": as_setting(self.strategy),
            "regex": {name: as_setting(check) for name, check in self.regex.items()},
            "hand_written": self.hand_written,
            "embedding_check": as_setting(self.embedding_check),
        }

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare the fields and combine their verdicts; see the class."""
        return self._outcome(expected, observed, None)

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again; embeddings come from the record.

        Args:
            expected: The recorded expected value.
            observed: The recorded observed value.
            details: The recorded details.

        Returns:
            The same outcome as `evaluate` gave.
        """
        return self._outcome(expected, observed, details.get(MODEL_EVIDENCE, _NOTHING))

    def compare_fields(
        self, expected: Mapping[str, Any], observed: Mapping[str, Any], recorded: Mapping[str, Any] | None = None
    ) -> list[ComparisonResult]:
        """Compare every field, each on its own.

        Args:
            expected: The ground truths by field.
            observed: The extracted values by field, and the trace.
            recorded: Details of an earlier comparison, by field, for operators that asked a model; None to compare anew.

        Returns:
            A result for each field, in the order of the template.
        """
        problems = evidence.problems_in(observed)
        found = []
        for name, rule in self.fields.items():
            truth = expected.get(name)
            reads_trace = rule.operator.kind == "trace"
            value = observed.get(evidence.TRACE if reads_trace else name)
            reason = problems.get(name) or ("" if reads_trace else problems.get(evidence.WHOLE))
            if reason:
                found.append(rule.refuse(name, truth, value, reason))
            elif reads_trace and value is None:
                found.append(rule.refuse(name, truth, value, evidence.MISSING_TRACE))
            else:
                details = None if recorded is None else recorded.get(name, _NOTHING)
                found.append(rule.compare(name, truth, value, details))
        return found

    def weighed(self, passed: Mapping[str, bool]) -> float:
        """Give the granular score.

        Args:
            passed: Whether each field passed, by name.

        Returns:
            From 0.0 to 1.0; see `granular_score`.
        """
        return granular_score(self.strategy, passed, {name: rule.exact_weight for name, rule in self.fields.items()})

    def _outcome(self, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> Outcome:
        if not isinstance(expected, Mapping) or not isinstance(observed, Mapping):
            return Outcome(0.0, notes=(NOT_AN_ANSWER,))
        fields = self.compare_fields(expected, observed, recorded)
        checks = compare_all(self.regex, observed.get(evidence.TRACE))
        own = [_hand_written(observed)] if self.hand_written and evidence.PROBLEMS not in observed else []
        error = _error(self.template, observed, own)
        passed = {str(one.name): one.passed for one in fields}
        met = own[0].passed if own else holds(self.strategy, passed)
        met_checks = all(check.passed for check in checks)
        looks = [] if met or error or own else self._second_looks(expected, fields, recorded)
        overridden = [look.field for look in looks if look.result.passed]
        rescued = bool(overridden) and holds(self.strategy, {**passed, **dict.fromkeys(overridden, True)})
        details = {
            "granular_score": self._granular(passed, observed, error),
            "failed": [one.name for one in (*fields, *own, *checks) if not one.passed],
            "null_fields": [one.name for one in fields if evidence.NULL_OBSERVED in one.notes],
        }
        if looks:
            details["embedding_check"] = {
                "verdict_before": "fail",
                "override": rescued,
                "looks": [look.written() for look in looks],
            }
        children = (*fields, *own, *checks, *(look.result for look in looks))
        details.update(_model_evidence(self.fields, children, looks))
        score = 1.0 if (met or rescued) and met_checks and error is None else 0.0
        notes = _notes(observed, children, details, overridden=rescued)
        return Outcome(score, notes=notes, details=details, children=children, error=error)

    def _second_looks(
        self, expected: Mapping[str, Any], fields: list[ComparisonResult], recorded: Mapping[str, Any] | None
    ) -> list[SecondLook]:
        return second_looks(self.embedding_check, self.fields, expected, fields, recorded)

    def _granular(self, passed: Mapping[str, bool], observed: Mapping[str, Any], error: str | None) -> Any:
        if error is not None:
            return None
        if evidence.HAND_WEIGHED in observed or not self.fields:
            return evidence.hand_weighed(observed)
        return self.weighed(passed)


def _hand_written(observed: Mapping[str, Any]) -> ComparisonResult:
    found = observed.get(evidence.HAND_WRITTEN)
    if isinstance(found, Mapping):
        return VERIFY.refuse("verify()", True, None, str(found.get("error")))  # noqa: FBT003 - expected is a value
    return VERIFY.compare("verify()", True, found, None)  # noqa: FBT003 - expected is a value


def _error(template: str, observed: Mapping[str, Any], own: list[ComparisonResult]) -> str | None:
    problems = evidence.problems_in(observed)
    if problems:
        named = "; ".join(f"{name}: {reason}" if name else reason for name, reason in problems.items())
        return f"the reply is no answer of {template or 'the template'}: {named}"
    return own[0].error if own else None


def _notes(
    observed: Mapping[str, Any], children: tuple[ComparisonResult, ...], details: Mapping[str, Any], *, overridden: bool
) -> tuple[str, ...]:
    notes = evidence.notes_in(observed)
    if details["null_fields"]:
        notes.append(evidence.NULL_OBSERVED)
    if any(child.error is not None for child in children):
        notes.append(CHILD_ERROR)
    if overridden:
        notes.append(evidence.EMBEDDING_OVERRIDE)
    return tuple(notes)


def _model_evidence(
    rules: Mapping[str, FieldRule], children: tuple[ComparisonResult, ...], looks: list[SecondLook]
) -> dict[str, Any]:
    # A replay has the details of the aggregate only, so what a model said has to be among them.
    asked = {name for name, rule in rules.items() if rule.operator.asks_model} | {look.result.name for look in looks}
    found = {str(child.name): child.details for child in children if child.name in asked}
    return {MODEL_EVIDENCE: found} if found else {}
