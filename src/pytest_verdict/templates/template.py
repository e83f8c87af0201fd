"""`AnswerTemplate`: verifies and records the answers of a template in a test, and asks its judge."""

import contextlib
import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.console import progress
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError, VerdictError
from pytest_verdict.judging.asking import ask, ask_async
from pytest_verdict.judging.calls import run_in_order
from pytest_verdict.judging.protocol import Judge, JudgeReply
from pytest_verdict.operators.semantic import SemanticMatch
from pytest_verdict.templates.answer import BaseAnswer, Definition, collect_values, refuse_unchecked
from pytest_verdict.templates.form import FormRequest, ParsedAnswer, form_request, parse_reply
from pytest_verdict.templates.template_match import (
    GRANULAR_KEY,
    NOTES_KEY,
    PROBLEMS_KEY,
    REPLY_KEY,
    TRACE_KEY,
    UNKNOWN_KEY,
    USAGE_KEY,
    VERIFY_KEY,
    WHOLE_REPLY,
    TemplateMatch,
    is_abstention,
    read_problems,
)
from pytest_verdict.templates.trace_checks import regex_checks


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """The result of verifying one answer: true when it passed, false when it failed. `bool` of an error raises `UndecidedError`.

    Args:
        comparison: The record: an aggregate of the operator ``answer_template`` with a child for each field.

    Example:
        >>> from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField
        >>> class Capital(BaseAnswer):
        ...     city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())
        >>> result = AnswerTemplate(Capital).verify({"city": "Lyon"})
        >>> result.passed, result.verdict
        (False, 'fail')
    """

    comparison: ComparisonResult

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the answer could not be read or ``verify()`` raised."""
        return self.comparison.verdict

    @property
    def passed(self) -> bool:
        """Whether the answer is correct, after the embedding check if there was one."""
        return self.comparison.passed

    @property
    def granular(self) -> float | None:
        """How much is correct, from 0.0 to 1.0, or None without a score. An embedding check does not change it."""
        score: float | None = self.comparison.details.get("granular_score")
        return score

    @property
    def fields(self) -> dict[str, ComparisonResult]:
        """The comparison of each verified field, by name."""
        return {str(child.name): child for child in self.comparison.children[: self._field_count]}

    @property
    def null_fields(self) -> list[str]:
        """The fields that the judge did not answer."""
        return list(self.comparison.details.get("null_fields", []))

    @property
    def abstained(self) -> bool:
        """Whether the response states nothing: every field that a judge fills in is null."""
        return is_abstention(self.comparison.observed, self.fields)

    @property
    def regex(self) -> dict[str, bool]:
        """Whether each regex check passed, by name."""
        others = self.comparison.children[self._field_count :]
        return {str(check.name): check.passed for check in others if check.operator == "regex_check"}

    @property
    def quotes(self) -> dict[str, bool]:
        """Whether the words that the judge copied are in the response, by field."""
        others = {child.name: child.passed for child in self.comparison.children[self._field_count :]}
        labels = {name: f"quote of {name}" for name in self.fields}
        return {name: others[label] for name, label in labels.items() if label in others}

    @property
    def notes(self) -> list[str]:
        """Codes such as ``null_observed``, ``unknown_keys`` and ``embedding_override``."""
        return self.comparison.notes

    @property
    def error(self) -> str | None:
        """Why there is no verdict, or None."""
        return self.comparison.error

    @property
    def problems(self) -> dict[str, str]:
        """Why fields could not be read, by field; under the empty name why the whole reply could not."""
        return {} if self.error is None else read_problems(self.comparison.observed)

    @property
    def usage(self) -> dict[str, int | float]:
        """Tokens, cost and other amounts of the judge, as reported; an amount that is not reported is missing."""
        return dict(self.comparison.observed.get(USAGE_KEY, {}))

    def describe(self) -> str:
        """Return the block that a failure prints: the strategy, unknown keys, and the fields with their reasons."""
        return describe_failure(self.comparison)

    @property
    def _field_count(self) -> int:
        # Children begin with the fields; a regex check may have the name of a field.
        return len(self.comparison.settings["fields"])

    def __bool__(self) -> bool:
        return bool(self.comparison)


class AnswerTemplate:
    """Verifies the answers of a template; the fixture ``answer_template`` returns one for a class.

    Args:
        template: The template.
        judge: A function of a `FormRequest`, sync or async, that fills in the form from a response; only `parse` needs it
            (default: None).
        embedding_check: Whether text that failed is compared again by meaning: True for the model all-MiniLM-L6-v2 and the
            threshold 0.85, or a `SemanticMatch` with others (default: False).
        extract_json: Whether the JSON object of a reply may be surrounded by prose or follow ``</think>`` (default: False).
        comparator: A comparator inside whose `Comparator.collect` `assert_verified` is soft (default: None).

    Raises:
        TemplateError: The template is not a class derived from `BaseAnswer`, has plain fields and no ``verify()``, or its
            ``ground_truth()`` does not set ``self.correct`` to a dict.

    Example:
        >>> from pytest_verdict.templates import NumericExact, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> print(AnswerTemplate(Answer).verify({"pair_count": 46}).describe())
        answer_template 'Answer': 1 of 1 failed: pair_count off by 23: expected 23, got 46
          granular score: 0.00
          FAIL  numeric_exact 'pair_count': off by 23: expected 23, got 46
                normalization: none
    """

    def __init__(
        self,
        template: type[BaseAnswer],
        judge: Any = None,
        *,
        embedding_check: bool | SemanticMatch = False,
        extract_json: bool = False,
        comparator: Comparator | None = None,
    ) -> None:
        if not isinstance(template, type) or not issubclass(template, BaseAnswer) or template is BaseAnswer:
            raise TemplateError(f"a template is a class derived from BaseAnswer, got {shown(template, 80)}")
        if not template.__pydantic_complete__ and template.model_rebuild(raise_errors=False):
            # Its types are known only now.
            refuse_unchecked(template)
        definition = template.__verdict_definition__
        if not definition.has_own_verify:
            definition.refuse_without_ground_truth()
        if definition.plain and not definition.verified:
            empty = None
            # A ground_truth() that reads the answer may raise anything without one.
            with contextlib.suppress(Exception):
                empty = template.model_construct()
            if empty is not None:
                _read_correct(empty, definition)
        self._template = template
        self._definition = definition
        self._judge = judge
        self._extract_json = extract_json
        self._comparator = comparator or Comparator()
        if embedding_check is True:
            embedding_check = SemanticMatch()
        self._embedding_check = embedding_check or None

    def verify(self, answer: Any = None, trace: str | None = None, context: Any = None) -> TemplateResult:
        """Verify an answer and record it: one aggregate with a child for each field.

        Args:
            answer: Values by field, the text of a JSON object, an instance of the template, or the result of `parse`. Not
                needed when there is nothing to extract (default: None).
            trace: The raw response. The result of `parse` has it already (default: None).
            context: What chooses the cases of a `ConditionalGroundTruth`, such as earlier results (default: None).

        Returns:
            The result. A reply that cannot be read is an ``error``, not a wrong answer.

        Raises:
            TemplateError: The answer belongs to another template, or the template reads a trace and there is none.
        """
        match, expected, observed = self.prepare(answer, trace, context)
        return TemplateResult(compare(match, expected, observed, name=self._definition.template))

    def prepare(
        self, answer: Any, trace: str | None = None, context: Any = None
    ) -> tuple[TemplateMatch, dict[str, Any], dict[str, Any]]:
        """Return the operator, expected and observed of `verify`, without comparing them."""
        definition = self._definition
        parsed = self._parse_answer(answer, trace)
        checks = regex_checks(definition.template, None if parsed.answer is None else parsed.answer.regex)
        readers = [*definition.trace_fields, *checks]
        if readers and parsed.trace is None:
            problem = f"{definition.template}: {', '.join(readers)} read the raw response"
            raise TemplateError(f"{problem}; pass trace=...")

        match = definition.match
        if checks or self._embedding_check is not None:
            match = definition.build_match(checks, self._embedding_check)
        expected: Mapping[str, Any] = definition.expected
        if not definition.verified and parsed.answer is not None:
            expected = _read_correct(parsed.answer, definition)
        return match, dict(expected), _build_observed(parsed, definition, context)

    def assert_verified(self, answer: Any = None, trace: str | None = None, context: Any = None) -> TemplateResult:
        """Verify an answer as `verify` does, and fail the test unless it passes; inside `collect`, at the end of the block.

        Raises:
            MismatchError: The answer is wrong or cannot be read, outside `collect`; the message explains each field.
        """
        __tracebackhide__ = HIDDEN
        result = self.verify(answer, trace, context)
        if not result.passed:
            self._comparator.fail(result.describe(), [result.comparison])
        return result

    def parse(self, response: str, *, attempt: int = 1) -> ParsedAnswer:
        """Ask the judge to fill in the form; no judge is asked when there is nothing to extract.

        Args:
            response: The raw response.
            attempt: The number of the attempt, if one response is judged several times (default: 1). A `RecordedJudge` keeps a
                reply for each.

        Returns:
            The extracted answer, with the response as its trace; pass it to `verify` or `assert_verified`.

        Raises:
            TemplateError: There is no judge, or the response is not text.
        """
        if not self._definition.extracted:
            return parse_reply(self._template, {}, response)
        return self._read(ask(*self._build_question(response, attempt)), response)

    async def parse_async(self, response: str, *, attempt: int = 1) -> ParsedAnswer:
        """Do what `parse` does, in a running event loop."""
        if not self._definition.extracted:
            return parse_reply(self._template, {}, response)
        return self._read(await ask_async(*self._build_question(response, attempt)), response)

    def parse_all(self, responses: Iterable[str], *, max_concurrency: int = 8, attempt: int = 1) -> list[ParsedAnswer]:
        """Do what `parse` does for many responses, several at once.

        Args:
            responses: The raw responses.
            max_concurrency: How many questions the judge gets at once (default: 8); 1 for a judge that is not thread-safe.
            attempt: As for `parse` (default: 1).

        Returns:
            The extracted answers in the order of the responses. One whose judge failed has the reason as a problem, so its
            verdict is an error.

        Raises:
            TemplateError: There is no judge, or a response is not text; no judge is asked then.

        Example:
            >>> from pytest_verdict.templates import NumericExact, VerifiedField
            >>> class Answer(BaseAnswer):
            ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
            >>> def judge(request):
            ...     return {"pair_count": int(request.response.split()[0])}
            >>> template = AnswerTemplate(Answer, judge)
            >>> [template.verify(answer).passed for answer in template.parse_all(["23 pairs", "46 chromosomes"])]
            [True, False]
        """
        responses = list(responses)
        if not self._definition.extracted:
            return [parse_reply(self._template, {}, response) for response in responses]
        questions = [self._build_question(response, attempt) for response in responses]
        calls = [partial(self._parse_or_explain, *question) for question in questions]
        answers: list[ParsedAnswer] = []
        with progress(len(calls), " responses") as show:
            for answer in run_in_order(calls, max_concurrency):
                answers.append(answer)
                show(len(answers), len(answers))
        return answers

    def _parse_or_explain(self, judge: Judge[FormRequest], request: FormRequest) -> ParsedAnswer:
        try:
            return self._read(ask(judge, request), request.response)
        except VerdictError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a judge raises is the reason of an error
            problem = f"the judge did not answer: {error_outcome(error).error}"
            return ParsedAnswer(self._template, None, {WHOLE_REPLY: problem}, trace=request.response)

    def _read(self, reply: JudgeReply, response: str) -> ParsedAnswer:
        answer = parse_reply(self._template, reply.reply, response, extract_json=self._extract_json)
        return replace(answer, usage=reply.usage)

    def _build_question(self, response: str, attempt: int) -> tuple[Judge[FormRequest], FormRequest]:
        if self._judge is None:
            raise TemplateError("there is no judge: define the fixture verdict_judge in conftest.py to return one")
        if not callable(self._judge):
            raise TemplateError(f"a judge is a function of a request, or a ModelJudge, got {shown(self._judge, 80)}")
        if not isinstance(response, str):
            raise TemplateError(f"a response is text, got {shown(response, 80)}")
        return self._judge, form_request(self._template, response, attempt)

    def _parse_answer(self, answer: Any, trace: str | None) -> ParsedAnswer:
        name = self._definition.template
        if isinstance(answer, BaseAnswer):
            answer = ParsedAnswer(type(answer), answer, trace=trace)
        elif isinstance(answer, ParsedAnswer) and trace is not None:
            answer = replace(answer, trace=trace)

        if isinstance(answer, ParsedAnswer):
            if not issubclass(answer.template, self._template):
                raise TemplateError(f"the answer is one of {answer.template.__name__}, not of {name}")
            return answer
        if answer is None and not self._definition.extracted:
            return parse_reply(self._template, {}, trace)
        if isinstance(answer, Mapping | str | bytes):
            return parse_reply(self._template, answer, trace, extract_json=self._extract_json)
        raise TemplateError(f"an answer of {name} is a mapping, JSON text or an instance, got {shown(answer, 80)}")


def _read_correct(answer: BaseAnswer, definition: Definition) -> Mapping[str, Any]:
    """Return what ``ground_truth()`` of a classic template set."""
    correct = getattr(answer, "correct", None)
    if isinstance(correct, Mapping):
        return correct
    if correct is None and not definition.plain:
        return {}
    rule = f"{definition.template}: ground_truth(self) sets self.correct to a dict of what is correct"
    raise TemplateError(f"{rule}, got {shown(correct, 80)}")


def _call_own_verify(answer: BaseAnswer) -> Any:
    """Return what the author's own ``verify()`` returns, or why it returns no verdict."""
    try:
        verdict: Any = answer.verify()
    except Exception as error:  # noqa: BLE001 - whatever the author's code raises is recorded
        return {"error": f"verify() raised {type(error).__name__}: {error}"}
    if isinstance(verdict, bool):
        return verdict
    return {"error": f"verify() returns True or False, got {shown(verdict, 80)}"}


def _build_observed(parsed: ParsedAnswer, definition: Definition, context: Any) -> dict[str, Any]:
    """Return the values of an answer, how it was read, and what the author's own methods return."""
    observed: dict[str, Any] = {REPLY_KEY: parsed.reply}
    answer = None
    if parsed.answer is not None:
        # The author's own methods read the response and the context, which do not stay with the answer.
        answer = copy.copy(parsed.answer)
        if parsed.trace is not None:
            answer._raw_trace = parsed.trace  # noqa: SLF001 - a slot of the base class
        if context is not None:
            answer._scenario_context = context  # noqa: SLF001 - as above
        observed = collect_values(answer, None)
    members = {
        TRACE_KEY: parsed.trace,
        USAGE_KEY: dict(parsed.usage) or None,
        PROBLEMS_KEY: dict(parsed.problems) or None,
        NOTES_KEY: list(parsed.notes) or None,
        UNKNOWN_KEY: dict(parsed.unknown) or None,
    }
    observed.update({name: value for name, value in members.items() if value is not None})
    if answer is None or parsed.problems:
        return observed
    if definition.has_own_verify:
        observed[VERIFY_KEY] = _call_own_verify(answer)
    if definition.has_own_granular:
        try:
            observed[GRANULAR_KEY] = float(answer.verify_granular())
        except Exception:  # noqa: BLE001 - without a granular score there is still a verdict
            observed[NOTES_KEY] = [*parsed.notes, "verify_granular_failed"]
    return observed
