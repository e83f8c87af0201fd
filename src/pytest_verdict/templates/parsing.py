"""Reading a reply: from what a judge wrote to an answer, with everything that is wrong named by its field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Union

from pydantic import Field, ValidationError, create_model

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.validation_messages import problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, documents_in, parse_json
from pytest_verdict.core.values.snapshot import PLAIN, snapshot
from pytest_verdict.errors import ParseError
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.field import types_of
from pytest_verdict.templates.observed_keys import WHOLE, named_problems

FENCE_REMOVED: Final = "markdown_fence_removed"
JSON_EXTRACTED: Final = "json_extracted"
UNKNOWN_KEYS: Final = "unknown_keys"
NOT_AN_OBJECT: Final = "not_an_object"

_NUMBERS: Final = (int, float, Decimal)
_USUAL: Final = {str, int, float, type(None)}
_MOST_DIGITS: Final = 4300  # as many as Python reads of a whole number in text


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A reply, read by a template.

    Args:
        template: The template.
        answer: The answer; None when no answer can be made of the reply.
        problems: Why a field could not be read, by field; under the empty name why the whole reply could not.
        unknown: What the reply holds besides the fields to extract; it never becomes part of the answer.
        notes: Codes that say how the reply was read: ``markdown_fence_removed``, ``json_extracted``, ``unknown_keys``,
            ``json_parse_failed``, ``json_duplicate_key``, ``json_not_finite``, ``json_too_deep``, ``not_an_object``.
        trace: The raw response from which the reply was made, or None.
        reply: The reply, verbatim.

    Example:
        >>> from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField, parse_reply
        >>> class Capital(BaseAnswer):
        ...     city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())
        >>> parse_reply(Capital, '{"city": "Paris", "mood": "sure"}').unknown
        {'mood': 'sure'}
    """

    template: type[BaseAnswer]
    answer: BaseAnswer | None
    problems: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trace: str | None = None
    reply: Any = None

    def required(self) -> BaseAnswer:
        """Give the answer, or say what is wrong."""
        if self.problems or self.answer is None:
            raise ParseError(f"the reply is no answer of {self.template.__name__}: {named_problems(self.problems)}")
        return self.answer


def parse_reply(
    template: type[BaseAnswer], reply: Any, trace: str | None = None, *, extract_json: bool = False
) -> ParsedAnswer:
    """Read a reply by a template.

    A field with ground truth that is null or left out is a null answer. Any other field must have a value of its type.

    Args:
        template: The template.
        reply: A mapping from field to value, or the text of a JSON object, which may stand in one markdown fence.
        trace: The raw response from which the reply was made, or None.
        extract_json: Whether the object may stand in prose, behind the last ``</think>``; the first one there is read.

    Returns:
        What was read. A reply that is broken does not raise; see `ParsedAnswer.required`.

    Example:
        >>> from pytest_verdict.templates import NumericExact, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> parse_reply(Answer, '{"pair_count": 23, "verify": true}').unknown
        {'verify': True}
        >>> parse_reply(Answer, '{"pair_count": "many"}').problems["pair_count"]
        "Input should be a valid integer, unable to parse string as an integer, got 'many'"
    """
    notes: list[str] = []
    try:
        found = _mapping(reply, notes, extract_json=extract_json)
    except JsonTextError as error:
        return ParsedAnswer(template, None, {WHOLE: str(error)}, {}, (*notes, error.note), trace, reply)
    wanted = template.__verdict_definition__.form
    unknown = {key: found.pop(key) for key in [*found] if key not in wanted}
    if unknown:
        notes.append(UNKNOWN_KEYS)
    answer, problems = _validated(template, found)
    return ParsedAnswer(template, answer, problems, unknown, tuple(notes), trace, reply)


def _mapping(reply: Any, notes: list[str], *, extract_json: bool) -> dict[str, Any]:
    if isinstance(reply, Mapping):
        return {str(key): value if type(value) in PLAIN else snapshot(value) for key, value in reply.items()}
    if not isinstance(reply, str | bytes):
        raise JsonTextError(NOT_AN_OBJECT, f"a reply is a JSON object, got {shown(reply, 80)}")
    text = reply if isinstance(reply, str) else reply.decode("utf-8", errors="replace")
    inside = normalize(text, ["strip_markdown_fence"])
    if inside != text:
        notes.append(FENCE_REMOVED)
    found = _extracted(text) if extract_json and not _is_braced(inside) else None
    if found is None:
        found = parse_json(inside)
    else:
        notes[:] = [JSON_EXTRACTED]
    if not isinstance(found, dict):
        raise JsonTextError(NOT_AN_OBJECT, f"a reply is a JSON object, got {shown(found, 80)}")
    return {key: plain_numbers(value) for key, value in found.items()}


def _is_braced(text: str) -> bool:
    return text.lstrip()[:1] == "{" and text.rstrip()[-1:] == "}"


def _extracted(text: str) -> dict[str, Any] | None:
    """Find the first object in a text that holds other things too."""
    answer = text.rpartition("</think>")[2]
    return next((found for found, _, _ in documents_in(answer) if isinstance(found, dict)), None)


def plain_numbers(value: Any) -> Any:
    """Turn the exact numbers of a JSON document into floats, where a float can hold them."""
    if isinstance(value, Decimal):
        number = float(value)
        # 1e999 is a number, but no float; whatever is done with it, it must not become infinity.
        return number if abs(number) != float("inf") else value
    if isinstance(value, dict):
        return {key: plain_numbers(item) for key, item in value.items()}
    return [plain_numbers(item) for item in value] if isinstance(value, list) else value


def _validated(template: type[BaseAnswer], values: dict[str, Any]) -> tuple[BaseAnswer | None, dict[str, str]]:
    definition = template.__verdict_definition__
    given = {name: value for name, value in values.items() if value is not None or name in definition.plain}
    problems = {
        name: f"Input should be a number that its type can hold, got {value!r}"
        for name, value in given.items()
        if type(value) not in _USUAL
        and (
            _has_huge_number(value)
            or (name in definition.parsed and _is_wrong_number(value, template.model_fields[name].annotation))
        )
    }
    while True:
        rest = {name: value for name, value in given.items() if name not in problems}
        # A default is for whoever makes an instance; a judge that leaves a field out has given no answer.
        is_complete = definition.filled <= rest.keys()
        try:
            return (template if is_complete else nullable(template)).model_validate(rest), problems
        except ValidationError as error:
            fresh = {name: reason for name, reason in _reasons(error).items() if name not in problems}
            problems.update(fresh)
            if not fresh or WHOLE in fresh or not {*fresh} <= {*given}:
                return None, problems
        except Exception as error:  # noqa: BLE001 - a validator or ground_truth() of the author may raise anything
            return None, {**problems, WHOLE: f"{type(error).__name__}: {error}"}


def _reasons(error: ValidationError) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for problem in problems_in(error):
        name, *inside = map(str, problem.path or (WHOLE,))
        place = f"at {'.'.join(inside)}: " if inside else ""
        message = problem.message if problem.is_missing else problem.with_value()
        reasons.setdefault(name, f"{place}{message}")
    return reasons


def _is_wrong_number(value: Any, annotation: Any) -> bool:
    if annotation is type(value):
        return False
    # Pydantic would take true for 1, and 1e999 for infinity.
    kinds = types_of(annotation)
    if isinstance(value, bool):
        return bool not in kinds and any(kind in _NUMBERS for kind in kinds)
    return isinstance(value, Decimal) and float in kinds and Decimal not in kinds and abs(float(value)) == float("inf")


def _has_huge_number(value: Any) -> bool:
    # Written in a few characters, such as 1e999999999, but pydantic would write out every digit of it.
    waiting = [value]
    seen: set[int] = set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, Decimal) and item.is_finite() and item.adjusted() >= _MOST_DIGITS:
            return True
        if isinstance(item, Mapping | list | tuple) and id(item) not in seen:
            seen.add(id(item))
            waiting.extend(item.values() if isinstance(item, Mapping) else item)
    return False


def nullable(template: type[BaseAnswer]) -> type[BaseAnswer]:
    """Give the class that reads replies: the template with every verified field optional."""
    known: type[BaseAnswer] | None = template.__dict__.get("_verdict_nullable")
    if known is None:
        definition = template.__verdict_definition__
        fields: dict[str, Any] = {}
        for name in (name for name in definition.parsed if name in definition.verified):
            info = template.model_fields[name]
            default: Any = Field(default=None, description=info.description)
            default.metadata = list(info.metadata)
            fields[name] = (Union[info.annotation, None], default)  # noqa: UP007 - the annotation is a value here
        known = create_model(template.__name__, __base__=template, __module__=template.__module__, **fields)
        type.__setattr__(template, "_verdict_nullable", known)
    return known
