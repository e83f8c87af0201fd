"""`TemplateMatch`: the operator behind answer templates."""

import functools
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from pytest_verdict.core.kernel import result_from_outcome
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.operators.aggregate import CHILD_ERROR, undecided
from pytest_verdict.operators.category import BooleanMatch
from pytest_verdict.operators.exact_number import ExactNumber
from pytest_verdict.operators.text import ContainsAll
from pytest_verdict.templates import observed_keys as keys
from pytest_verdict.templates.field import MISSING_TRACE, NULL_OBSERVED, FieldRule, read_rule
from pytest_verdict.templates.regex_check import RegexCheck, compare_all
from pytest_verdict.templates.strategy import OptionalOperator, check_strategy, granular_score, holds

NOT_AN_ANSWER: Final = "not_an_answer"
MODEL_EVIDENCE: Final = "model_evidence"
EMBEDDING_OVERRIDE: Final = "embedding_override"
QUOTE_NOT_FOUND: Final = "quote_not_found"

_VERIFY: Final = FieldRule(BooleanMatch())
_QUOTE: Final = FieldRule(ContainsAll(normalize=("collapse_whitespace",)))
_NOTHING: Final[Mapping[str, Any]] = {}

Fields = dict[str, ComparisonResult]
Values = Mapping[str, Any]


class TemplateMatch(Operator):
    """An answer is what its template says: every field passes, or as many as the strategy asks for.

    Expected maps each field to its ground truth, observed to its extracted value. What else is observed has a name that
    starts with an underscore: ``_trace`` is the raw response, which fields with a trace operator and the regex checks read.

    The score is 1.0 or 0.0, because a strategy holds or does not; partial credit is ``details["granular_score"]``.

    Args:
        template: The name of the template.
        fields: A rule for each verified field: its operator and weight, and whether it needs a quote.
        strategy: How the fields are combined: `FieldCheck`, `AllOf`, `AnyOf`, `AtLeastN`. None asks for every field.
        regex: Checks on the trace, all of which must pass.
        hand_written: Whether the template's own ``verify()`` decides, whose answer is then observed as ``_verify``.
        embedding_check: What compares text that failed again, by meaning, or None.

    Example:
        >>> rules = {"a": "normalized_exact", "b": "exact"}
        >>> found = compare("answer_template", {"a": "x", "b": 1}, {"a": "X", "b": 2}, fields=rules)
        >>> found.details["granular_score"]
        0.5
    """

    name: ClassVar[str] = "answer_template"
    kind: ClassVar[str] = "template"

    template: str = ""
    fields: dict[str, Annotated[FieldRule, BeforeValidator(read_rule)]] = {}  # noqa: RUF012 - pydantic copies defaults
    strategy: OptionalOperator = None
    regex: dict[str, Annotated[RegexCheck, BeforeValidator(operator_from_settings)]] = {}  # noqa: RUF012 - as above
    hand_written: bool = False
    embedding_check: OptionalOperator = None

    def model_post_init(self, context: Any, /) -> None:
        """Refuse a strategy over fields that are not verified."""
        del context
        if self.strategy is not None:
            check_strategy(self.strategy, self.fields)

    def settings(self) -> dict[str, Any]:
        """Give all settings as typed JSON; fields as `FieldRule.written` has them."""
        fields = {name: rule.written() for name, rule in self.fields.items()}
        return {
            name: fields if name == "fields" else as_setting(getattr(self, name)) for name in type(self).model_fields
        }

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare the fields and combine their verdicts; see the class."""
        return self._outcome(expected, observed, None)

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again; what a model said comes from the record."""
        return self._outcome(expected, observed, details.get(MODEL_EVIDENCE, _NOTHING))

    def compare_fields(self, expected: Values, observed: Values, recorded: Values | None = None) -> Fields:
        """Compare every field on its own, anew or from the recorded details of operators that asked a model."""
        problems = keys.problems_in(observed)
        found: Fields = {}
        for name, rule in self.fields.items():
            truth, value = expected.get(name), observed.get(keys.TRACE if rule.reads_trace else name)
            reason = problems.get(name) or ("" if rule.reads_trace else problems.get(keys.WHOLE))
            if rule.reads_trace and value is None:
                reason = reason or MISSING_TRACE
            if reason:
                found[name] = rule.refuse(name, truth, value, reason)
            else:
                details = None if recorded is None else recorded.get(name, _NOTHING)
                found[name] = rule.compare(name, truth, value, details)
        return found

    @functools.cached_property
    def _weights(self) -> dict[str, ExactNumber]:
        return {name: rule.weight for name, rule in self.fields.items()}

    @functools.cached_property
    def _graded(self) -> list[str]:
        # Of these, what is left of the score counts, and not all or nothing.
        return [name for name, rule in self.fields.items() if getattr(rule.operator, "zero_at", None) is not None]

    @functools.cached_property
    def _asking(self) -> list[str]:
        return [name for name, rule in self.fields.items() if rule.operator.asks_model]

    def compare_quotes(self, observed: Values) -> Fields:
        """Look in the response for the words that are said to be there, for each field that was answered."""
        return {
            name: _compare_quote(name, observed.get(keys.quote_of(name)), observed.get(keys.TRACE))
            for name, rule in self.fields.items()
            if rule.quote and observed.get(name) is not None
        }

    def weighed(self, fields: Fields, quotes: Fields, passed: Mapping[str, bool] | None = None) -> float:
        """Give the granular score."""
        shares: dict[str, float] = {**(passed or _passed(fields, quotes))}
        for name in self._graded:
            if name not in quotes or quotes[name].passed:
                shares[name] = fields[name].score
        return granular_score(self.strategy, shares, self._weights)

    def holds(self, fields: Fields, quotes: Fields) -> bool:
        """Say whether enough fields passed."""
        return holds(self.strategy, _passed(fields, quotes))

    def _outcome(self, expected: Any, observed: Any, recorded: Values | None) -> Outcome:
        if not isinstance(expected, Mapping) or not isinstance(observed, Mapping):
            return Outcome(0.0, notes=(NOT_AN_ANSWER,))
        fields = self.compare_fields(expected, observed, recorded)
        is_read = keys.PROBLEMS not in observed
        own = [_hand_written(observed)] if self.hand_written and is_read else []
        checks = compare_all(self.regex, observed.get(keys.TRACE))
        quotes = self.compare_quotes(observed) if is_read else {}
        decided = [*fields.values(), *quotes.values(), *own, *checks]
        failed = [one for one in decided if not one.passed]
        error = self._error(observed, own, decided)
        passed = _passed(fields, quotes)
        met = own[0].passed if own else holds(self.strategy, passed)
        again = {} if met or own or error else self._compare_by_meaning(expected, fields, recorded)
        override = bool(again) and self.holds({**fields, **again}, quotes)
        details = {
            "granular_score": self._granular(fields, quotes, passed, observed) if error is None else None,
            "failed": [one.name for one in failed],
            "null_fields": [name for name in fields if failed and NULL_OBSERVED in fields[name].notes],
            **self._model_details(fields, again, override=override),
        }
        # No strategy says what the author's own verify() makes of a field without its quote.
        musts = [*checks, *quotes.values()] if own else checks
        passes = (met or override) and error is None and all(must.passed for must in musts)
        broken = [one for one in (*failed, *again.values()) if one.error is not None]
        if broken and not passes and error is None and self._may_hold(fields, quotes, again, musts):
            error = undecided(broken)
        notes = {
            NULL_OBSERVED: details["null_fields"],
            QUOTE_NOT_FOUND: any(quote.verdict == "fail" for quote in quotes.values()),
            CHILD_ERROR: broken,
            EMBEDDING_OVERRIDE: override,
        }
        return Outcome(
            1.0 if passes else 0.0,
            notes=(*keys.notes_in(observed), *(note for note, is_so in notes.items() if is_so)),
            details=details,
            children=(*decided, *again.values()),
            error=error,
        )

    def _may_hold(self, fields: Fields, quotes: Fields, again: Fields, musts: list[ComparisonResult]) -> bool:
        """Say whether enough would pass if what could not be compared did."""
        may_pass = {
            name: (_may_pass(field) or _may_pass(again.get(name, field)))
            and (name not in quotes or _may_pass(quotes[name]))
            for name, field in fields.items()
        }
        return holds(self.strategy, may_pass) and all(map(_may_pass, musts))

    def _compare_by_meaning(self, expected: Values, fields: Fields, recorded: Values | None) -> Fields:
        """Compare text that failed again, which never hides the first verdict."""
        found: Fields = {}
        if self.embedding_check is None:
            return found
        for name, field in fields.items():
            truth, value = expected.get(name), field.observed
            # Closeness in meaning says nothing of other values.
            is_text = self.fields[name].operator.kind == "text" and isinstance(truth, str) and isinstance(value, str)
            if is_text and field.verdict == "fail":
                label = f"embedding check of {name}"
                details = None if recorded is None else recorded.get(label, _NOTHING)
                found[name] = FieldRule(self.embedding_check).compare(label, truth, value, details)
        return found

    def _error(self, observed: Values, own: list[ComparisonResult], decided: list[ComparisonResult]) -> str | None:
        problems = keys.problems_in(observed)
        if problems:
            return f"the reply is no answer of {self.template or 'the template'}: {keys.named_problems(problems)}"
        if not decided:
            return "nothing is verified: name fields, or regex checks of the trace"
        return own[0].error if own else None

    def _granular(self, fields: Fields, quotes: Fields, passed: Values, observed: Values) -> float | None:
        if keys.HAND_WEIGHED in observed or not self.fields:
            own: Any = observed.get(keys.HAND_WEIGHED)
            is_share = isinstance(own, int | float) and not isinstance(own, bool) and 0 <= own <= 1
            return float(own) if is_share else None
        return self.weighed(fields, quotes, passed)

    def _model_details(self, fields: Fields, again: Fields, *, override: bool) -> dict[str, Any]:
        # A replay has the details of the aggregate only, so what a model said has to be among them.
        asked = [fields[name] for name in self._asking]
        if not asked and not again:
            return {}
        evidence = {str(one.name): one.details for one in (*asked, *again.values())}
        looks = [
            {"field": name, "similarity": one.score, "threshold": one.threshold, "passed": one.passed}
            for name, one in again.items()
        ]
        checked = {"verdict_before": "fail", "override": override, "looks": looks}
        found = {"embedding_check": checked if looks else {}, MODEL_EVIDENCE: evidence}
        return {name: value for name, value in found.items() if value}


def _passed(fields: Fields, quotes: Fields) -> dict[str, bool]:
    passed = {name: field.passed for name, field in fields.items()}
    return {**passed, **{name: passed[name] and quote.passed for name, quote in quotes.items()}}


def _may_pass(one: ComparisonResult) -> bool:
    return one.passed or one.error is not None


def _compare_quote(name: str, quote: Any, trace: Any) -> ComparisonResult:
    label = f"quote of {name}"
    if trace is None:
        return _QUOTE.refuse(label, quote, trace, MISSING_TRACE)
    if not isinstance(quote, str) or not quote.strip():
        return result_from_outcome(_QUOTE.operator, quote, trace, Outcome(0.0, notes=(QUOTE_NOT_FOUND,)), name=label)
    return _QUOTE.compare(label, quote, trace, None)


def _hand_written(observed: Mapping[str, Any]) -> ComparisonResult:
    found = observed.get(keys.HAND_WRITTEN)
    if isinstance(found, Mapping):
        return _VERIFY.refuse("verify()", True, None, str(found.get("error")))  # noqa: FBT003 - expected is a value
    return _VERIFY.compare("verify()", True, found, None)  # noqa: FBT003 - expected is a value
