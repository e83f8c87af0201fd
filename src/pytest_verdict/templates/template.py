"""`AnswerTemplate`: a template at work in a test. It verifies answers, records them, and asks the judge."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError
from pytest_verdict.judging.asking import ask, ask_async
from pytest_verdict.judging.protocol import Judge
from pytest_verdict.operators.semantic import SemanticMatch
from pytest_verdict.templates import observed_keys as keys
from pytest_verdict.templates.answer import BaseAnswer, Definition, observed_values
from pytest_verdict.templates.parsing import ParsedAnswer, parse_reply
from pytest_verdict.templates.regex_check import regex_checks
from pytest_verdict.templates.request import FormRequest, form_request
from pytest_verdict.templates.template_match import EMBEDDING_OVERRIDE, TemplateMatch


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """What came of verifying one answer; true when it passed, false when it failed. `bool` of an error raises `ErrorVerdict`.

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
    def template(self) -> str:
        """The name of the template."""
        return str(self.comparison.settings["template"])

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the answer could not be read or ``verify()`` raised."""
        return self.comparison.verdict

    @property
    def passed(self) -> bool:
        """Whether the answer is correct, after the embedding check where there was one."""
        return self.comparison.passed

    @property
    def granular(self) -> float | None:
        """How much is correct, from 0.0 to 1.0; None when it is not known. An embedding check does not change it."""
        found: float | None = self.comparison.details.get("granular_score")
        return found

    @property
    def fields(self) -> dict[str, ComparisonResult]:
        """The comparison of each verified field, by name."""
        return {str(child.name): child for child in self.comparison.children[: self._count()]}

    @property
    def null_fields(self) -> list[str]:
        """The fields that the judge did not answer."""
        return list(self.comparison.details.get("null_fields", []))

    @property
    def abstained(self) -> bool:
        """Whether the response stated nothing: every field that a judge fills in is null."""
        return keys.is_abstention(self.comparison.observed, self.fields)

    @property
    def regex(self) -> dict[str, bool]:
        """Whether each regex check passed, by name."""
        others = self.comparison.children[self._count() :]
        return {str(check.name): check.passed for check in others if check.operator == "regex_check"}

    @property
    def quotes(self) -> dict[str, bool]:
        """Whether the words that the judge copied are in the response, by field."""
        others = {check.name: check.passed for check in self.comparison.children[self._count() :]}
        return {name: others[label] for name in self.fields if (label := f"quote of {name}") in others}

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
        return {} if self.error is None else keys.problems_in(self.comparison.observed)

    @property
    def unknown(self) -> dict[str, Any]:
        """What the reply held besides the fields to extract."""
        return dict(self.comparison.observed.get(keys.UNKNOWN, {}))

    @property
    def embedding_override(self) -> bool:
        """Whether the embedding check turned a fail into a pass; ``comparison.details["embedding_check"]`` has the scores."""
        return EMBEDDING_OVERRIDE in self.notes

    def describe(self) -> str:
        """Lay the fields out as a table.

        Returns:
            The block that the failure prints: what failed first, a line for each field and check with the reason, the strategy,
            and the keys that belong to no field, in plain text in which nothing can move the cursor.
        """
        return describe_failure(self.comparison)

    def _count(self) -> int:
        # Children begin with the fields; a regex check may be called like one of them.
        return len(self.comparison.settings["fields"])

    def __bool__(self) -> bool:
        # An answer that could not be read is neither right nor wrong, so this raises, and no negation passes on it.
        return bool(self.comparison)

    def __repr__(self) -> str:
        # Not loaded while all answers pass.
        from pytest_verdict.explanation import headline
        from pytest_verdict.explanation.lines import plain

        # Of a copy, because printing is no look.
        return f"<{plain(headline(copy.copy(self.comparison)))}>"


class AnswerTemplate:
    """A template at work: what the fixture ``answer_template`` gives for a class.

    Args:
        template: The template.
        judge: Who fills in the form from a response: a callable, sync or async, of a `FormRequest`. Needed by `parse` only.
        embedding_check: Whether text that failed is compared again by meaning. True for the model all-MiniLM-L6-v2 and the
            threshold 0.85, or a `SemanticMatch` with other ones.
        extract_json: Whether the JSON object of a reply may stand in prose or behind ``<think>``; the first one is read.
        comparator: Whose `Comparator.collect` makes `assert_verified` soft; None lets it always fail at once.

    Raises:
        TemplateError: The template is no class derived from `BaseAnswer`, has plain fields and no ``verify()``, or its
            ``ground_truth()`` does not set ``self.correct`` to a dict.

    Example:
        >>> from pytest_verdict.templates import NumericExact, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> print(AnswerTemplate(Answer).verify({"pair_count": 46}).describe())
        answer_template 'Answer': 1 of 1 failed: pair_count expected 23, got 46: off by 23
                field       weight  operator        reason
          FAIL  pair_count  1       numeric_exact   expected 23, got 46: off by 23
          normalization: none
          granular score: 0.00
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
        if not template.__verdict_definition__.own_verify:
            template.__verdict_definition__.refuse_without_ground_truth()
        _refuse_without_correct(template)
        self._template = template
        self._judge = judge
        self._extract_json = extract_json
        self._comparator = comparator or Comparator()
        self._embedding_check = SemanticMatch() if embedding_check is True else embedding_check or None

    def verify(self, answer: Any = None, trace: str | None = None) -> TemplateResult:
        """Verify an answer and record it: one aggregate with a child for each field.

        Args:
            answer: Values by field, the text of a JSON object, an instance of the template, or what `parse` returned. May be
                left out when nothing has to be extracted.
            trace: The raw response. What `parse` returned has one already.

        Returns:
            The result. A reply that cannot be read is an ``error``, not a wrong answer.

        Raises:
            TemplateError: The answer belongs to another template, or the template reads a trace and none is given.
        """
        match, expected, observed = self.prepared(answer, trace)
        return TemplateResult(compare(match, expected, observed, name=self._template.__name__))

    def prepared(self, answer: Any, trace: str | None = None) -> tuple[TemplateMatch, dict[str, Any], dict[str, Any]]:
        """Give what `verify` compares, without comparing or recording."""
        parsed = self._parsed(answer, trace)
        checks = regex_checks(self._template.__name__, None if parsed.answer is None else parsed.answer.regex)
        definition = self._template.__verdict_definition__
        if parsed.trace is None and (definition.traced or checks):
            readers = f"{self._template.__name__}: {', '.join([*definition.traced, *checks])}"
            raise TemplateError(f"{readers} read the raw response; give trace=... (--trace FILE for audit)")
        is_plain = not checks and self._embedding_check is None
        match = definition.match if is_plain else definition.make_match(checks, self._embedding_check)
        is_classic = not definition.verified and parsed.answer is not None
        expected = _correct(parsed.answer, definition) if is_classic else definition.expected
        return match, dict(expected), _observed(parsed, definition)

    def assert_verified(self, answer: Any = None, trace: str | None = None) -> TemplateResult:
        """Verify an answer as `verify` does, and fail the test unless it passes; inside `collect`, at the end of the block.

        Args:
            answer: As for `verify`.
            trace: As for `verify`.

        Returns:
            The result; inside `Comparator.collect` it may be one that did not pass.

        Raises:
            MismatchError: The answer is wrong or cannot be read, outside `collect`; the message is a table of the fields.
            TemplateError: As for `verify`.
        """
        __tracebackhide__ = HIDDEN
        result = self.verify(answer, trace)
        if not result.passed:
            self._comparator.fail(result.describe(), [result.comparison])
        return result

    def parse(self, response: str) -> ParsedAnswer:
        """Let the judge fill in the form.

        Args:
            response: The raw response.

        Returns:
            What the judge extracted, with the response as its trace; give it to `verify` or `assert_verified`. No judge is
            asked when nothing has to be extracted.

        Raises:
            TemplateError: There is no judge, or the response is no text.
        """
        if not self._template.__verdict_definition__.parsed:
            return parse_reply(self._template, {}, response)
        return self._read(ask(*self._question(response)), response)

    async def parse_async(self, response: str) -> ParsedAnswer:
        """Let the judge fill in the form, in an event loop that is running.

        Args:
            response: The raw response.

        Returns:
            As `parse`.

        Raises:
            TemplateError: There is no judge, or the response is no text.
        """
        if not self._template.__verdict_definition__.parsed:
            return parse_reply(self._template, {}, response)
        return self._read(await ask_async(*self._question(response)), response)

    def _question(self, response: str) -> tuple[Judge[FormRequest], FormRequest]:
        if self._judge is None:
            way = "define the fixture verdict_judge in conftest.py and return one from it"
            raise TemplateError(f"there is no judge: {way}")
        if not callable(self._judge):
            raise TemplateError(f"a judge is a function of a request, or a ModelJudge, got {shown(self._judge, 80)}")
        if not isinstance(response, str):
            raise TemplateError(f"a response is text, got {shown(response, 80)}")
        return self._judge, form_request(self._template, response)

    def _read(self, reply: Any, trace: str | None) -> ParsedAnswer:
        return parse_reply(self._template, reply, trace, extract_json=self._extract_json)

    def _parsed(self, answer: Any, trace: str | None) -> ParsedAnswer:
        wanted = self._template.__name__
        if isinstance(answer, BaseAnswer):
            answer = ParsedAnswer(type(answer), answer, trace=trace)
        elif isinstance(answer, ParsedAnswer) and trace is not None:
            answer = replace(answer, trace=trace)
        if isinstance(answer, ParsedAnswer):
            if not issubclass(answer.template, self._template):
                raise TemplateError(f"the answer is one of {answer.template.__name__}, not of {wanted}")
            return answer
        if answer is None and not self._template.__verdict_definition__.parsed:
            return parse_reply(self._template, {}, trace)
        if isinstance(answer, Mapping | str | bytes):
            return self._read(answer, trace)
        raise TemplateError(f"an answer of {wanted} is a mapping, JSON text or an instance, got {shown(answer, 80)}")


def _refuse_without_correct(template: type[BaseAnswer]) -> None:
    """Refuse, before a judge is asked, a classic template that does not say what is correct."""
    definition = template.__verdict_definition__
    if definition.verified or not definition.plain:
        return
    try:
        answer = template.model_construct()
    except Exception:  # noqa: BLE001 - ground_truth() that reads the answer may raise anything without one
        return
    _correct(answer, definition)


def _correct(answer: BaseAnswer | None, definition: Definition) -> Mapping[str, Any]:
    correct = getattr(answer, "correct", None)
    if isinstance(correct, Mapping):
        return correct
    if correct is None and not definition.plain:
        return {}
    rule = f"{definition.template}: ground_truth(self) sets self.correct to a dict of what is correct"
    raise TemplateError(f"{rule}, got {shown(correct, 80)}")


def _observed(parsed: ParsedAnswer, definition: Definition) -> dict[str, Any]:
    answer = parsed.answer
    found = {keys.REPLY: parsed.reply} if answer is None else dict(observed_values(answer, None))
    extras = {
        keys.TRACE: parsed.trace,
        keys.PROBLEMS: dict(parsed.problems) or None,
        keys.NOTES: list(parsed.notes) or None,
        keys.UNKNOWN: dict(parsed.unknown) or None,
    }
    found.update({name: value for name, value in extras.items() if value is not None})
    if answer is not None and not parsed.problems:
        found.update(_asked_author(answer, parsed, definition))
    return found


def _asked_author(answer: BaseAnswer, parsed: ParsedAnswer, definition: Definition) -> dict[str, Any]:
    if parsed.trace is not None or definition.own_verify or definition.own_granular:
        answer._trace = parsed.trace  # noqa: SLF001 - the slot that verify() of the base class reads
    found: dict[str, Any] = {}
    if definition.own_verify:
        found[keys.HAND_WRITTEN] = _verdict_of(answer)
    if definition.own_granular:
        try:
            found[keys.HAND_WEIGHED] = float(answer.verify_granular())
        except Exception:  # noqa: BLE001 - without a granular score there is still a verdict
            found[keys.NOTES] = [*parsed.notes, "verify_granular_failed"]
    return found


def _verdict_of(answer: BaseAnswer) -> Any:
    try:
        verdict = answer.verify()
    except Exception as error:  # noqa: BLE001 - whatever the author's code raises is recorded
        return {"error": f"verify() raised {type(error).__name__}: {error}"}
    if isinstance(verdict, bool):
        return verdict
    return {"error": f"verify() returns True or False, got {shown(verdict, 80)}"}
