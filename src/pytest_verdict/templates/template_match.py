"""The operators of answer templates: `TemplateMatch` compares the fields, and a tree of `FieldCheck` combines their verdicts."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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

Fields = dict[str, ComparisonResult]
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
    """Return a strategy, or raise if it does not consist of checks of these fields."""
    if isinstance(node, FieldCheck):
        if node.field not in fields:
            hint = allowed("field", node.field, fields)
            raise TemplateError(f"the strategy checks {node.field!r}, which is not a verified field.{hint}")
        return node
    if isinstance(node, AllOf | AnyOf | AtLeastN) and isinstance(node.conditions, tuple):
        for part in _parts(node):
            check_strategy(part, fields)
        return node
    parts = "FieldCheck, AllOf, AnyOf and AtLeastN with a list of conditions"
    raise TemplateError(f"a strategy consists of {parts}, got {shown(node, 120)}")


def refuse_repeats(node: Operator) -> None:
    """Raise if a strategy counts a field twice, or gives it another operator than its own."""
    if isinstance(node, FieldCheck):
        if node.operator is not None:
            raise TemplateError(
                f"in a strategy, FieldCheck means the check of {node.field!r} itself; drop its operator"
            )
        return
    names: list[str] = []
    for part in _parts(node):
        refuse_repeats(part)
        if isinstance(part, FieldCheck):
            if part.field in names:
                raise TemplateError(f"the strategy has {part.field!r} twice in {node.name}, so one field counts twice")
            names.append(part.field)


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

    def _choose_cases(
        self, expected: Values, observed: Values
    ) -> tuple[dict[str, FieldRule], Values, list[ComparisonResult]]:
        """Return the rules and the ground truths in the cases that apply, and how each was chosen."""
        rules = dict(self.fields)
        truths = dict(expected)
        choices: list[ComparisonResult] = []
        context = observed.get(CONTEXT_KEY, {})
        for name, rule in self.fields.items():
            if rule.source:
                cases = expected[name]["cases"]
                choice = run(CaseChoice(), list(cases), context.get(rule.source), name=f"case of {name}")
                case: Any = choice.details.get("case")
                choices.append(choice)
                rules[name] = replace(rule, operator=rule.cases.get(case, rule.operator), source="", cases={})
                truths[name] = cases.get(case, expected[name]["default"])
        return rules, truths, choices

    def _compare_fields(self, expected: Values, observed: Values, recorded: Values | None) -> Fields:
        """Compare each field; with recorded details, no model is asked."""
        problems = read_problems(observed)
        results: Fields = {}
        for name, rule in self.fields.items():
            if rule.reads_trace:
                value = observed.get(TRACE_KEY)
                reason = problems.get(name) or (MISSING_TRACE if value is None else "")
            else:
                value = observed.get(name, ABSENT)
                reason = problems.get(name) or problems.get(WHOLE_REPLY, "")

            if reason:
                results[name] = rule.refuse(name, expected.get(name), None if value is ABSENT else value, reason)
            else:
                details = None if recorded is None else recorded.get(name, {})
                results[name] = rule.compare(name, expected.get(name), value, details)
        return results

    def _compare_quotes(self, observed: Values) -> Fields:
        """Look for the quotes of the fields that were answered in the raw response."""
        quotes: Fields = {}
        trace = observed.get(TRACE_KEY)
        for name, rule in self.fields.items():
            if not rule.quote or observed.get(name) is None:
                continue
            check = FieldRule(QuoteCheck(value=observed[name], classified=rule.quote == "choice"))
            label = f"quote of {name}"
            quote = observed.get(quote_key(name))
            if trace is None:
                quotes[name] = check.refuse(label, quote, trace, MISSING_TRACE)
            else:
                quotes[name] = run(check.operator, quote, trace, name=label)
        return quotes

    def _evaluate(self, expected: Any, observed: Any, recorded: Values | None) -> Outcome:
        if not isinstance(expected, Mapping) or not isinstance(observed, Mapping):
            return Outcome(0.0, notes=(NOT_AN_ANSWER,))
        rules, truths, choices = self._choose_cases(expected, observed)
        match = self.model_copy(update={"fields": rules}) if choices else self
        return match._evaluate_fields(truths, observed, recorded, choices)  # noqa: SLF001 - its own class

    def _evaluate_fields(
        self, expected: Values, observed: Values, recorded: Values | None, choices: list[ComparisonResult]
    ) -> Outcome:
        fields = self._compare_fields(expected, observed, recorded)
        checks = compare_all(self.regex, observed.get(TRACE_KEY))
        quotes: Fields = {}
        own: list[ComparisonResult] = []
        if PROBLEMS_KEY not in observed:
            quotes = self._compare_quotes(observed)
            if self.hand_written:
                own = [_compare_own_verdict(observed.get(VERIFY_KEY))]
        parts = [*fields.values(), *quotes.values(), *own, *checks]

        error = self._find_error(observed, own, parts) or first_error(choices)
        is_met = own[0].passed if own else holds(self.strategy, _verdicts_by_field(fields, quotes))
        by_meaning: Fields = {}
        if not is_met and not own and error is None:
            by_meaning = self._compare_by_meaning(expected, fields, recorded)
        verdicts = _verdicts_by_field({**fields, **by_meaning}, quotes)
        is_override = bool(by_meaning) and holds(self.strategy, verdicts)

        failed = [part for part in parts if not part.passed]
        details: dict[str, Any] = {
            "granular_score": self._granular_score(fields, quotes, observed) if error is None else None,
            "failed": [part.name for part in failed],
            "null_fields": [name for name, field in fields.items() if failed and NULL_OBSERVED in field.notes],
            **self._model_details(fields, by_meaning, is_override=is_override),
        }

        # No strategy says what the author's own verify() makes of a field without its quote.
        required = [*checks, *quotes.values()] if own else checks
        passes = (is_met or is_override) and error is None and all(part.passed for part in required)
        broken = [part for part in (*failed, *by_meaning.values()) if part.error is not None]
        if broken and not passes and error is None and self._may_hold(fields, quotes, by_meaning, required):
            error = first_error(broken)

        reply_notes = observed.get(NOTES_KEY)
        if not isinstance(reply_notes, list | tuple):
            reply_notes = []
        notes = {
            NULL_OBSERVED: details["null_fields"],
            QUOTE_NOT_FOUND: any(quote.verdict == "fail" for quote in quotes.values()),
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

    def _find_error(
        self, observed: Values, own: Sequence[ComparisonResult], parts: Sequence[ComparisonResult]
    ) -> str | None:
        problems = read_problems(observed)
        if problems:
            return f"the reply is no answer of {self.template or 'the template'}: {format_problems(problems)}"
        if not parts:
            return "nothing is verified: name fields, or regex checks of the trace"
        return own[0].error if own else None

    def _may_hold(
        self, fields: Fields, quotes: Fields, by_meaning: Fields, required: Sequence[ComparisonResult]
    ) -> bool:
        """Return whether enough would pass if all that could not be compared did."""
        may_pass = {}
        for name, field in fields.items():
            comparisons = [field, by_meaning.get(name, field)]
            may_pass[name] = any(map(_may_pass, comparisons)) and (name not in quotes or _may_pass(quotes[name]))
        return holds(self.strategy, may_pass) and all(map(_may_pass, required))

    def _compare_by_meaning(self, expected: Values, fields: Fields, recorded: Values | None) -> Fields:
        """Compare the texts that failed again; the first results stay in the record."""
        results: Fields = {}
        if self.embedding_check is None:
            return results
        rule = FieldRule(self.embedding_check)
        for name, field in fields.items():
            truth = expected.get(name)
            is_text = isinstance(truth, str) and isinstance(field.observed, str)
            if is_text and self.fields[name].operator.kind == "text" and field.verdict == "fail":
                label = f"embedding check of {name}"
                details = None if recorded is None else recorded.get(label, {})
                results[name] = rule.compare(label, truth, field.observed, details)
        return results

    def _granular_score(self, fields: Fields, quotes: Fields, observed: Values) -> float | None:
        if GRANULAR_KEY in observed or not self.fields:
            own: Any = observed.get(GRANULAR_KEY)
            return float(own) if type(own) in {int, float} and 0 <= own <= 1 else None
        shares: dict[str, float] = {**_verdicts_by_field(fields, quotes)}
        for name, rule in self.fields.items():
            # An operator with graded scores counts with its score.
            is_graded = getattr(rule.operator, "zero_at", None) is not None
            if is_graded and (name not in quotes or quotes[name].passed):
                shares[name] = fields[name].score
        return granular_score(self.strategy, shares, {name: rule.weight for name, rule in self.fields.items()})

    def _model_details(self, fields: Fields, by_meaning: Fields, *, is_override: bool) -> dict[str, Any]:
        """Return what models said, because a replay has the details of the aggregate only."""
        details: dict[str, Any] = {}
        by_model = [fields[name] for name, rule in self.fields.items() if rule.operator.asks_model]
        if by_meaning:
            looks = [
                {"field": name, "similarity": look.score, "threshold": look.threshold, "passed": look.passed}
                for name, look in by_meaning.items()
            ]
            details["embedding_check"] = {"verdict_before": "fail", "override": is_override, "looks": looks}
        if by_model or by_meaning:
            details[MODEL_EVIDENCE] = {str(part.name): part.details for part in (*by_model, *by_meaning.values())}
        return details


def _verdicts_by_field(fields: Fields, quotes: Fields) -> dict[str, bool]:
    return {name: field.passed and (name not in quotes or quotes[name].passed) for name, field in fields.items()}


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
