"""The operators of answer templates: `TemplateMatch` compares the fields, and a tree of `FieldCheck` combines their verdicts."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, Field

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.aggregate import CHILD_ERROR, AllOf, AnyOf, AtLeastN, Condition, first_error
from pytest_verdict.operators.category import BooleanMatch
from pytest_verdict.operators.exact_number import ExactNumber, as_exact
from pytest_verdict.operators.text import Exact
from pytest_verdict.templates.conditional import CaseChoice
from pytest_verdict.templates.field import MISSING_TRACE, NULL_OBSERVED, FieldRule, read_rule
from pytest_verdict.templates.trace_checks import QuoteCheck, RegexCheck, compare_all

# Keys of the observed side besides the fields. They start with an underscore, which no pydantic field can.
TRACE_KEY: Final = "_trace"  # the raw response
CONTEXT_KEY: Final = "_context"  # the values that choose cases, by their path
PROBLEMS_KEY: Final = "_problems"  # why fields could not be read, by field
NOTES_KEY: Final = "_notes"  # codes that say how the reply was read
UNKNOWN_KEY: Final = "_unknown"  # members of the reply that are no fields
USAGE_KEY: Final = "_usage"  # tokens, cost and other amounts of the judge, as reported
REPLY_KEY: Final = "_reply"  # the reply, when no answer can be made of it
VERIFY_KEY: Final = "_verify"  # what the template's own verify() returned, or {"error": ...}
GRANULAR_KEY: Final = "_verify_granular"  # what the template's own verify_granular() returned
WHOLE_REPLY: Final = ""  # the name under which the problems have one of the reply as a whole

NOT_AN_ANSWER: Final = "not_an_answer"
MODEL_EVIDENCE: Final = "model_evidence"
EMBEDDING_OVERRIDE: Final = "embedding_override"
QUOTE_NOT_FOUND: Final = "quote_not_found"

_VERIFY: Final = FieldRule(BooleanMatch())

Values = Mapping[str, Any]


OptionalOperator = Annotated[
    Any, BeforeValidator(lambda value: None if value is None else operator_from_settings(value))
]


class FieldCheck(Operator):
    """One field of two mappings passes.

    In the strategy of an answer template it means the template's own check of that field.

    Args:
        field: The name of the field.
        operator: The operator that compares the field outside of a template (default: ``exact``, typed equality).

    Example:
        >>> compare("field_check", {"name": "a"}, {"name": "a", "year": 2016}, field="name").score
        1.0
    """

    name: ClassVar[str] = "field_check"
    kind: ClassVar[str] = "template"

    field: Annotated[str, Field(min_length=1)]
    operator: OptionalOperator = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected_value = expected.get(self.field, ABSENT) if isinstance(expected, Mapping) else ABSENT
        observed_value = observed.get(self.field, ABSENT) if isinstance(observed, Mapping) else ABSENT
        child = Condition(self.operator or Exact()).compare(expected_value, observed_value, self.field)
        if child.error is not None:
            return Outcome(0.0, notes=(CHILD_ERROR,), children=(child,), error=child.error)
        return Outcome(1.0 if child.passed else 0.0, children=(child,))


def check_strategy(node: Any, fields: Collection[str]) -> Operator:
    """Return a strategy, or raise if it does not consist of checks of these fields, or counts one of them twice."""
    if isinstance(node, FieldCheck):
        if node.field not in fields:
            hint = allowed("field", node.field, fields)
            raise TemplateError(f"the strategy checks {node.field!r}, which is not a verified field.{hint}")
        if node.operator is not None:
            reason = f"in a strategy, FieldCheck means the check of {node.field!r} itself"
            raise TemplateError(f"{reason}; drop its operator")
        return node
    if not isinstance(node, AllOf | AnyOf | AtLeastN) or not isinstance(node.conditions, tuple):
        parts = "FieldCheck, AllOf, AnyOf and AtLeastN with a list of conditions"
        raise TemplateError(f"a strategy consists of {parts}, got {shown(node, 120)}")
    names: list[str] = []
    for part in _parts(node):
        check_strategy(part, fields)
        if isinstance(part, FieldCheck):
            if part.field in names:
                raise TemplateError(f"the strategy has {part.field!r} twice in {node.name}, so one field counts twice")
            names.append(part.field)
    return node


def holds(node: Operator | None, passed: Mapping[str, bool]) -> bool:
    """Return whether a strategy holds for the verdicts of the fields; None needs every field."""
    if node is None:
        return all(passed.values())
    if isinstance(node, FieldCheck):
        return passed.get(node.field, False)
    parts = [holds(part, passed) for part in _parts(node)]
    return sum(parts) >= _count_needed(node, len(parts))


def fields_in(node: Operator) -> frozenset[str]:
    if isinstance(node, FieldCheck):
        return frozenset({node.field})
    return frozenset().union(*(fields_in(part) for part in _parts(node)))


def granular_score(node: Operator | None, shares: Mapping[str, float], weights: Mapping[str, ExactNumber]) -> float:
    """Return the weight of what is right divided by all weights; ``AnyOf`` and ``AtLeastN`` count their best fields."""
    # Whole numbers of one common unit, because sums of fractions are slow.
    exact = {name: Fraction(as_exact(weight)) for name, weight in weights.items()}
    denominator = math.lcm(*(weight.denominator for weight in exact.values()))
    units = {name: int(weight * denominator) for name, weight in exact.items()}
    total = sum(units.values())
    if not total:
        return 0.0
    fields = frozenset(weights)
    if isinstance(node, AnyOf | AtLeastN):
        fields = fields_in(node)
    scores = sorted((units[name] * shares[name] for name in weights if name in fields), reverse=True)
    return sum(scores[: _count_needed(node, len(scores))]) / total


def _count_needed(node: Operator | None, parts: int) -> int:
    if isinstance(node, AnyOf):
        return 1
    if isinstance(node, AtLeastN):
        return node.n
    return parts


def _parts(node: Any) -> Iterator[Operator]:
    return (condition.operator for condition in node.conditions)


class TemplateMatch(Operator):
    """An answer is what its template says: every field passes, or as many as the strategy needs.

    Expected maps each field to its ground truth, observed to its extracted value. All other keys of observed start with an
    underscore: ``_trace`` is the raw response, which fields with a trace operator and the regex checks read, and ``_context``
    has the values that choose a case, by path.

    The score is 1.0 or 0.0, because a strategy holds or does not; partial credit is ``details["granular_score"]``.

    Args:
        template: The name of the template.
        fields: A rule for each verified field: its operator and weight, whether it needs a quote, and the path in the context
            with the operator of each case, if expected has cases.
        strategy: How the fields are combined: `FieldCheck`, `AllOf`, `AnyOf`, `AtLeastN`. None needs every field.
        regex: Checks on the trace, all of which must pass.
        hand_written: Whether the template's own ``verify()`` decides; observed has its answer as ``_verify``.
        embedding_check: An operator that compares text that failed again, by meaning, or None.

    Example:
        >>> rules = {"a": "normalized_exact", "b": "exact"}
        >>> result = compare("answer_template", {"a": "x", "b": 1}, {"a": "X", "b": 2}, fields=rules)
        >>> result.details["granular_score"]
        0.5
    """

    name: ClassVar[str] = "answer_template"
    kind: ClassVar[str] = "template"
    version: ClassVar[int] = 2

    template: str = ""
    fields: dict[str, Annotated[FieldRule, BeforeValidator(read_rule)]] = {}  # noqa: RUF012 - pydantic copies defaults
    strategy: OptionalOperator = None
    regex: dict[str, Annotated[RegexCheck, BeforeValidator(operator_from_settings)]] = {}  # noqa: RUF012 - as above
    hand_written: bool = False
    embedding_check: OptionalOperator = None

    def model_post_init(self, context: Any, /) -> None:
        del context
        if self.strategy is not None:
            check_strategy(self.strategy, self.fields)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        return self._evaluate(expected, observed, None)

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again, with the evidence of models from the record."""
        return self._evaluate(expected, observed, details.get(MODEL_EVIDENCE, {}))

    def _evaluate(self, expected: Any, observed: Any, recorded: Values | None) -> Outcome:
        """Compare the fields; with recorded evidence, no model is asked."""
        if not isinstance(expected, Mapping) or not isinstance(observed, Mapping):
            return Outcome(0.0, notes=(NOT_AN_ANSWER,))
        choices: list[ComparisonResult] = []
        fields: dict[str, _Field] = {}
        for name, rule in self.fields.items():
            case = rule
            truth = expected.get(name)
            if rule.source:
                case, truth, choice = _choose_case(name, rule, expected[name], observed.get(CONTEXT_KEY, {}))
                choices.append(choice)
            fields[name] = _compare_field(name, case, truth, observed, recorded)
        checks = compare_all(self.regex, observed.get(TRACE_KEY))
        own: list[ComparisonResult] = []
        if self.hand_written and PROBLEMS_KEY not in observed:
            own = [_compare_own_verdict(observed.get(VERIFY_KEY))]
        quotes = [field.quote for field in fields.values() if field.quote is not None]
        parts = [*(field.result for field in fields.values()), *quotes, *own, *checks]

        error = self._find_error(observed, own, parts) or first_error(choices)
        is_met = own[0].passed if own else self._holds(fields, _passes)
        granular = self._granular_score(fields, observed) if error is None else None
        if not is_met and not own and error is None:
            self._compare_by_meaning(fields, recorded)
        by_meaning = {name: field.meaning for name, field in fields.items() if field.meaning is not None}
        is_override = bool(by_meaning) and self._holds(fields, _passes)

        failed = [part for part in parts if not part.passed]
        nulls = [name for name, field in fields.items() if failed and NULL_OBSERVED in field.result.notes]
        details: dict[str, Any] = {
            "granular_score": granular,
            "failed": [part.name for part in failed],
            "null_fields": nulls,
            **_model_details(fields, by_meaning, is_override=is_override),
        }

        # No strategy says what the author's own verify() makes of a field without its quote.
        required = [*checks, *quotes] if own else checks
        passes = (is_met or is_override) and error is None and all(map(_passes, required))
        broken = [part for part in (*failed, *by_meaning.values()) if part.error is not None]
        # Without errors, enough might pass.
        may_hold = self._holds(fields, _may_pass) and all(map(_may_pass, required))
        if broken and not passes and error is None and may_hold:
            error = first_error(broken)

        listed = observed.get(NOTES_KEY)
        reply_notes = listed if isinstance(listed, list | tuple) else ()
        notes = {
            NULL_OBSERVED: nulls,
            QUOTE_NOT_FOUND: any(quote.verdict == "fail" for quote in quotes),
            CHILD_ERROR: broken,
            EMBEDDING_OVERRIDE: is_override,
        }
        return Outcome(
            1.0 if passes else 0.0,
            notes=(*map(str, reply_notes), *(code for code, applies in notes.items() if applies)),
            details=details,
            children=(*parts, *choices, *by_meaning.values()),
            error=error,
        )

    def _holds(self, fields: Mapping[str, "_Field"], passes: Callable[[ComparisonResult], bool]) -> bool:
        return holds(self.strategy, {name: field.holds(passes) for name, field in fields.items()})

    def _find_error(
        self, observed: Values, own: Sequence[ComparisonResult], parts: Sequence[ComparisonResult]
    ) -> str | None:
        problems = read_problems(observed)
        if problems:
            return f"the reply is no answer of {self.template or 'the template'}: {format_problems(problems)}"
        if not parts:
            return "nothing is verified: name fields, or regex checks of the trace"
        return own[0].error if own else None

    def _compare_by_meaning(self, fields: Mapping[str, "_Field"], recorded: Values | None) -> None:
        """Compare the texts that failed again; the first results stay in the record."""
        if self.embedding_check is None:
            return
        for name, field in fields.items():
            is_text = isinstance(field.truth, str) and isinstance(field.result.observed, str)
            if is_text and field.rule.operator.kind == "text" and field.result.verdict == "fail":
                label = f"embedding check of {name}"
                details = None if recorded is None else recorded.get(label, {})
                rule = FieldRule(self.embedding_check)
                field.meaning = rule.compare(label, field.truth, field.result.observed, details)

    def _granular_score(self, fields: Mapping[str, "_Field"], observed: Values) -> float | None:
        if GRANULAR_KEY in observed or not self.fields:
            own: Any = observed.get(GRANULAR_KEY)
            return float(own) if type(own) in {int, float} and 0 <= own <= 1 else None
        shares: dict[str, float] = {}
        for name, field in fields.items():
            shares[name] = field.holds(_passes)
            # An operator with graded scores counts with its score.
            is_graded = getattr(field.rule.operator, "zero_at", None) is not None
            if is_graded and (field.quote is None or field.quote.passed):
                shares[name] = field.result.score
        return granular_score(self.strategy, shares, {name: rule.weight for name, rule in self.fields.items()})


@dataclass(slots=True)
class _Field:
    """A field that was compared: by its own operator, perhaps its quote, and perhaps by meaning."""

    rule: FieldRule
    truth: Any
    result: ComparisonResult
    quote: ComparisonResult | None = None
    meaning: ComparisonResult | None = None

    def holds(self, passes: Callable[[ComparisonResult], bool]) -> bool:
        results = [one for one in (self.result, self.meaning) if one is not None]
        return any(map(passes, results)) and (self.quote is None or passes(self.quote))


def _choose_case(name: str, rule: FieldRule, truth: Values, context: Values) -> tuple[FieldRule, Any, ComparisonResult]:
    """Return the rule and the ground truth in the case that applies, and how it was chosen."""
    choice = run(CaseChoice(), list(truth["cases"]), context.get(rule.source), name=f"case of {name}")
    case: Any = choice.details.get("case")
    chosen = replace(rule, operator=rule.cases.get(case, rule.operator), source="", cases={})
    return chosen, truth["cases"].get(case, truth["default"]), choice


def _compare_field(name: str, rule: FieldRule, truth: Any, observed: Values, recorded: Values | None) -> _Field:
    """Compare a field, and look for its quote in the raw response."""
    problems = read_problems(observed)
    trace = observed.get(TRACE_KEY)
    if rule.reads_trace:
        value = trace
        reason = problems.get(name) or (MISSING_TRACE if value is None else "")
    else:
        value = observed.get(name, ABSENT)
        reason = problems.get(name) or problems.get(WHOLE_REPLY, "")
    if reason:
        field = _Field(rule, truth, rule.refuse(name, truth, None if value is ABSENT else value, reason))
    else:
        details = None if recorded is None else recorded.get(name, {})
        field = _Field(rule, truth, rule.compare(name, truth, value, details))
    if rule.quote and observed.get(name) is not None and PROBLEMS_KEY not in observed:
        check = FieldRule(QuoteCheck(value=observed[name], classified=rule.quote == "choice"))
        label = f"quote of {name}"
        quote = observed.get(quote_key(name))
        if trace is None:
            field.quote = check.refuse(label, quote, trace, MISSING_TRACE)
        else:
            field.quote = run(check.operator, quote, trace, name=label)
    return field


def _model_details(
    fields: Mapping[str, _Field], by_meaning: Mapping[str, ComparisonResult], *, is_override: bool
) -> dict[str, Any]:
    """Return what models said, because a replay has the details of the aggregate only."""
    details: dict[str, Any] = {}
    by_model = [field.result for field in fields.values() if field.rule.operator.asks_model]
    if by_meaning:
        looks = [
            {"field": name, "similarity": look.score, "threshold": look.threshold, "passed": look.passed}
            for name, look in by_meaning.items()
        ]
        details["embedding_check"] = {"verdict_before": "fail", "override": is_override, "looks": looks}
    if by_model or by_meaning:
        details[MODEL_EVIDENCE] = {str(part.name): part.details for part in (*by_model, *by_meaning.values())}
    return details


def _passes(result: ComparisonResult) -> bool:
    return result.passed


def _may_pass(result: ComparisonResult) -> bool:
    return result.passed or result.error is not None


def _compare_own_verdict(verdict: Any) -> ComparisonResult:
    if isinstance(verdict, Mapping):
        return _VERIFY.refuse("verify()", True, None, str(verdict.get("error")))  # noqa: FBT003 - expected is a value
    return _VERIFY.compare("verify()", True, verdict, None)  # noqa: FBT003 - expected is a value


def quote_key(field: str) -> str:
    """Return the key under which a judge copies the words that state a field."""
    return f"{field}_quote"


def is_abstention(observed: Values, fields: Iterable[str]) -> bool:
    """Return whether all of the fields that a judge fills in are null."""
    values = [observed[name] for name in fields if name in observed]
    return bool(values) and all(value is None for value in values)


def read_problems(observed: Values) -> dict[str, str]:
    problems = observed.get(PROBLEMS_KEY)
    if not isinstance(problems, Mapping):
        return {}
    return {str(name): str(reason) for name, reason in problems.items()}


def format_problems(problems: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" if name else reason for name, reason in problems.items())
