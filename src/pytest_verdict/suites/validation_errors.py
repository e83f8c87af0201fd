"""What pydantic finds in a suite file, in words for the person who wrote it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from pydantic import BaseModel, ValidationError

from pytest_verdict.core.validation_messages import Problem, problems_in
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.yaml import YamlDocument
from pytest_verdict.errors import SuiteError, allowed
from pytest_verdict.suites import suite_model as form

_MODELS: Final[dict[str, type[BaseModel]]] = {
    "": form.SuiteFile,
    "adapter": form.HttpRequest,
    "suite": form.SuiteHead,
    "scenarios": form.Scenario,
    **dict.fromkeys(("scorer", "scorers", "default_scorers"), form.ScorerEntry),
    "pass": form.PassShare,
    "config": form.SuiteConfig,
    "dataset": form.Dataset,
    "rate_limit": form.RateLimit,
}
# Behind these keys pydantic names the kind of the value, where it may be of several.
_OF_SEVERAL_KINDS: Final = ("adapter", "expected_output", "input", "scorer", "scorers", "default_scorers", "pass")
_KINDS: Final = ("name", "service", "text", "structure", "operator", "word", "count", "share")
# What it puts last when a key is wrong and not its value.
_KEY: Final = "[key]"
_PATTERNS: Final = {
    "name": "a name is text without '::' and line breaks, because it becomes part of a node id",
    "tags": "a tag is letters, digits and _ . + - /, because it becomes a mark",
    "url": "a service has a URL with http:// or https://",
    "method": "a method is written in capitals, such as POST",
}
_MOST: Final = 20
_YAML_TYPES: Final = {bool: "a boolean", int: "a number", float: "a number", type(None): "null"}


class Form(NamedTuple):
    """A suite file without what is written wrongly, what that is by line, and the scenarios that miss it; None is the suite."""

    file: form.SuiteFile
    problems: set[tuple[int, str]]
    incomplete: set[int | None]


def read_form(document: YamlDocument) -> Form:
    """Read what has the right form, so that the rest of what is wrong is found in the same pass."""
    try:
        return Form(form.SuiteFile.model_validate(document.value), set(), set())
    except ValidationError as error:
        wrong = [(_place(problem), problem) for problem in problems_in(error)]
    problems = {(document.line(place), _sentence(problem, place, document)) for place, problem in wrong}
    whole = _copied(document.value)
    incomplete = {_leave_out(whole, place) for place, _ in wrong}
    return Form(form.SuiteFile.model_validate(whole), problems, incomplete)


def refuse(problems: Iterable[tuple[int, str]], label: str) -> NoReturn:
    """Raise one error that names each problem with its file and line."""
    lines = [f"{label}:{line}: {sentence}" for line, sentence in sorted(problems)]
    more = [f"... and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    raise SuiteError("\n".join([*lines[:_MOST], *more]))


def _copied(given: Mapping[Any, Any]) -> dict[Any, Any]:
    copied = dict(given)
    if isinstance(copied.get("suite"), dict):
        copied["suite"] = _copied(copied["suite"])
    if isinstance(copied.get("scenarios"), list):
        copied["scenarios"] = [dict(each) if isinstance(each, dict) else {} for each in copied["scenarios"]]
    return copied


def _leave_out(whole: dict[Any, Any], place: Sequence[Any]) -> int | None:
    """Leave out a wrong key, or stand in for it where it is required, and give the number of its scenario."""
    holder, steps, number, required = whole, place, None, {}
    if steps[0] == "suite" and len(steps) > 1:
        holder, steps, required = whole["suite"], steps[1:], {"name": "?"}
    if steps[0] == "scenarios" and len(steps) > 1:
        number, required = steps[1], {"name": f"?{place}", "input": ""}
        holder, steps = holder["scenarios"][number], steps[2:]
    for key in steps[:1] or required:
        holder.pop(key, None)
        holder.update({key: required[key]} if key in required else {})
    return number


def _place(problem: Problem) -> tuple[Any, ...]:
    """Give the keys and positions as they are in the document."""
    loc = problem.path
    if _is_about_key(problem):
        # For a key that is no text pydantic writes a number.
        loc = (*loc[: -2 if loc[-1] == _KEY else -1], problem.value)
    place: list[Any] = []
    for before, step in zip(("", *loc), loc, strict=False):
        holder = before if isinstance(before, str) else _last_key(place)
        if not (step in _KINDS and holder in _OF_SEVERAL_KINDS):
            place.append(step)
    return tuple(place)


def _is_about_key(problem: Problem) -> bool:
    return problem.kind == "invalid_key" or problem.path[-1] == _KEY


def _sentence(problem: Problem, place: Sequence[Any], document: YamlDocument) -> str:
    value, key = problem.value, _last_key(place)
    meaning = _YAML_TYPES.get(type(value), "a date")
    if _is_about_key(problem):
        return f"a key is text, and this one is {meaning} in YAML ({shown(value, 40)}); write it in quotes"
    if problem.is_unknown_name:
        holder = next((step for step in reversed(place[:-1]) if isinstance(step, str) and step in _MODELS), "")
        names = [field.alias or name for name, field in _MODELS[holder].model_fields.items()]
        return f"there is no key {place[-1]!r} here.{allowed('key', place[-1], names)}"
    if problem.kind == "string_type":
        return f"{key}: {_no_text(value, meaning, document.written(place))}"
    if problem.kind == "string_pattern_mismatch":
        return f"{key}: {shown(value, 80)} is not allowed; {_PATTERNS[key]}"
    if problem.is_missing:
        return problem.explain(str(place[-1]), "key", ())
    path = ".".join(step for step in place[-2:] if isinstance(step, str)) or "the file"
    return f"{path}: {problem.with_value()}"


def _last_key(place: Sequence[Any]) -> str:
    return next((step for step in reversed(place) if isinstance(step, str)), "the file")


def _no_text(given: Any, meaning: str, written: str) -> str:
    if isinstance(given, list | dict):
        return f"text is needed here, not {'a list' if isinstance(given, list) else 'a mapping'}"
    if given is None:
        return 'nothing after the colon, and null, is not a text in YAML; write "" or leave the key out'
    reading = f"{written} without quotes is {meaning} in YAML ({shown(given, 40)}), and this is compared as text"
    return f'{reading}; write "{written}"'
