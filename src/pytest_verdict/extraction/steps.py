"""Steps, written as data, that extract a part of a value; presets are steps with a name for the parts needed most often.

A preset searches the text after the last ``</think>``, in time proportional to its length.
"""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, documents_in, parse_json, split_documents
from pytest_verdict.core.values.numerals import find_numerals
from pytest_verdict.errors import MappingError, SettingsError, allowed
from pytest_verdict.extraction import answers
from pytest_verdict.extraction.answers import Part
from pytest_verdict.extraction.paths import MANY, Many, NothingFoundError, check_word, choose, read_path
from pytest_verdict.operators.regex import compile_pattern, find_matches, flag_names
from pytest_verdict.operators.regex_process import RegexTimeLimitError

# A tag in the middle of a line may be mentioned.
_THINKING: Final = re.compile(
    r"<(?P<close>/)(?:think|thinking|reasoning)>|^[^\S\n]*<(?:think|thinking|reasoning)>", re.MULTILINE
)
# These words also occur in the middle of a reasoning, so only the last two lines are searched for them.
_CONCLUDED: Final = re.compile(
    r"\b(?:therefore|thus|hence|overall|in (?:conclusion|summary|short|total|the end))\b|(?:^|[.!?]\s)so\b",
    re.IGNORECASE | re.MULTILINE,
)
_REST: Final = re.compile(r"[\s*_:,]*(\S.*)")
# A word that begins a sentence, and no name.
_BEGINS: Final = (
    r"(?:An?|And|As|Because|Both|But|For|He|Hence|Here|Her|His|However|I|If|In|Its?|Let|My|Note|Of|On|Only|Option|Or|She|Since"
    r"|So|That|The|Their|There|These|They|This|Those|To|We|When|While|You|Your)\b(?!\.)"
)
# Dots that end no sentence: in "D.C." and "Jr.", and behind an initial or a short title if a name follows. In "B. Dogs bark" and
# "option B. Dogs bark", the letter is no initial.
_ABBREVIATION: Final = re.compile(
    r"(?<!\w)(?:(?:(?:[A-Za-z]\.)+[A-Za-z]|Jr|Sr)\.|(?:(?<=[\w.,] )(?<!ption )(?<!hoice )(?<!nswer )[A-Z]|[G-Z]"
    r"|[A-F](?=\. +[A-Z](?:\.|[\w'\u2019-]+(?: [A-Z]|[^\w ]|$)))|(?!Yes|No\. \D)[A-Z][a-z]{1,2}"
    rf"|Capt|Msgr|Pres|Prof|Supt|vs?|cf|ca|approx)\.(?= +(?!{_BEGINS})\w))"
)
# Ends an answer before the end of its line. An abbreviation is hidden as NUL.
_END: Final = re.compile(
    rf"[.!?](?=[\"'\u201d\u2019*_)\]]{{0,4}}(?:\s+(?![a-z])|$))|(?<=\0) (?={_BEGINS})| [(\u2013\u2014]"
    r"|(?i:,? (?:because|since)\b|, (?:as|not|but|so|which|who)\b|(?:;|, and) (?:it|that|this|there|i|we|you|he|she|they)\b)"
)
_LINE: Final = re.compile(r"^(.*\S)", re.MULTILINE)
_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)\n? {0,3}^ {0,3}\1", re.MULTILINE | re.DOTALL)
_DECORATION: Final = " \t*_`\"'\u201c\u201d\u2018\u2019"


def _find_groups(pattern: re.Pattern[str], text: str, start: int = 0) -> Iterator[Part]:
    """Yield the last group of each match, without the blanks around it."""
    for match in pattern.finditer(text, start):
        group = match.lastindex or 0
        value = match[group].strip()
        begin = match.start(group) + len(match[group]) - len(match[group].lstrip())
        yield Part(value, begin, begin + len(value))


def _find_numbers(text: str) -> Iterator[Part]:
    return map(Part._make, find_numerals(text))


def _find_final_answer(text: str) -> Iterator[Part]:
    """Yield the final answer: in a tag, in a box, after #### or after a word such as answer or result."""
    start, region = answers.find_marked(text)
    if region is not None:
        yield _strip_decoration(Part(region, start, start + len(region)))
        return
    last_lines = len(text) - sum(map(len, text.rstrip().rsplit("\n", 2)[-2:])) - 1
    for pattern, first in ((answers.ANNOUNCED, 0), (_CONCLUDED, max(last_lines, 0))):
        ends = [match.end() for match in pattern.finditer(text, first)]
        rest = _REST.match(text, ends[-1]) if ends else None
        if rest:
            yield _strip_decoration(Part(rest[1], rest.start(1), rest.end()))
            return


def _strip_decoration(part: Part) -> Part:
    """Remove what follows the answer on its line, and the quotes and emphasis around it."""
    end = _END.search(_ABBREVIATION.sub(lambda match: "\0" * len(match[0]), part.value))
    text = part.value if end is None else part.value[: end.start()]
    start = part.start + len(text) - len(text.lstrip(_DECORATION))
    text = text.strip(_DECORATION)
    return Part(text, start, start + len(text))


def _find_lines(text: str) -> Iterator[Part]:
    """Yield the lines that are not empty and not the end of a code block."""
    return (line for line in map(_strip_decoration, _find_groups(_LINE, text)) if line.value)


def _find_json(text: str) -> list[Part]:
    """Find objects and lists; those without an object come last, because a list in brackets may be a footnote."""
    parts = (Part(*document) for document in documents_in(text))
    return sorted(parts, key=lambda part: "{" not in text[part.start : part.end])


class Preset(NamedTuple):
    """A search for parts, and which of them is meant; the version rises when a change may find another part."""

    find: Callable[[str], Iterable[Part]]
    which: Literal["first", "last"]
    version: int = 1


PRESETS: Final[dict[str, Preset]] = {
    "after_thinking": Preset(lambda text: [Part(text, 0, len(text))], "first"),
    "answer_tag": Preset(functools.partial(_find_groups, answers.TAG), "last"),
    "date": Preset(answers.find_date, "first", 3),
    "fenced_block": Preset(functools.partial(_find_groups, _FENCED), "first"),
    "final_answer": Preset(_find_final_answer, "first", 2),
    "first_json": Preset(_find_json, "first"),
    "first_number": Preset(_find_numbers, "first", 2),
    "last_json": Preset(answers.find_last_json, "first", 3),
    "last_line": Preset(_find_lines, "last", 2),
    "last_number": Preset(_find_numbers, "last", 2),
    "list": Preset(answers.find_list, "first", 3),
    "one_number": Preset(answers.find_one_number, "first", 3),
}


def find_parts(name: str, text: str) -> list[Part]:
    """Return the part that a preset finds, or no part."""
    preset = PRESETS[name]
    parts = _find_after_thinking(preset.find, text)
    chosen = parts[:1] if preset.which == "first" else parts[-1:]
    # No other part takes the place of a number that is refused or of an empty text: it would be another answer.
    return [part for part in chosen if part.value is not None and str(part.value).strip()]


def _find_after_thinking(find: Callable[[str], Iterable[Part]], text: str) -> list[Part]:
    """Find parts behind the last thinking; thinking without an end takes the rest of the reply."""
    offset = 0
    # A tag inside of a JSON document is text of that.
    outside = split_documents(text)[1] if _THINKING.search(text) else text
    for tag in _THINKING.finditer(outside):
        offset = tag.end() if tag["close"] else len(text)
    return [Part(part.value, part.start + offset, part.end + offset) for part in find(text[offset:])]


class StepResult(NamedTuple):
    """The value of a step, and what the record says of it: its position, or the alternative that matched."""

    value: Any
    evidence: Mapping[str, Any] = {}


class ExtractionTimeLimitError(MappingError):
    """A step took too long; it may succeed another time."""


Step = Callable[[Any], StepResult]


def refuse_unknown_keys(what: str, value: Mapping[Any, Any], keys: Sequence[str]) -> None:
    for key in value:
        if key not in keys:
            raise SettingsError(f"{what} has no key {key!r}.{allowed('key', key, keys)}")


def apply_steps(steps: Sequence[Step], value: Any, trace: list[dict[str, Any]]) -> Any:
    """Apply steps to a value, and add the input and the evidence of each to a trace."""
    for step in steps:
        trace.append({"value": value})
        value, evidence = step(value)
        if "steps" in evidence:
            # The steps of an alternative start with the same value.
            trace[-1] = dict(evidence)
        else:
            trace[-1].update(evidence)
    return value


def read_steps(extract: Any) -> tuple[Step, ...]:
    if extract is None:
        return ()
    steps = extract if isinstance(extract, list | tuple) else [extract]
    return tuple(map(_read_step, steps))


def _read_step(step: Any) -> Step:
    if isinstance(step, str):
        if step not in PRESETS:
            raise SettingsError(f"unknown step of extract: {shown(step, 40)}.{allowed('step', step, PRESETS)}")
        return _parts_step(step, functools.partial(find_parts, step))
    kinds = [kind for kind in _KINDS if kind in step] if isinstance(step, Mapping) else []
    if len(kinds) != 1:
        ways = f"a name such as 'last_number', or a dict with one of {', '.join(_KINDS)}"
        raise SettingsError(f"a step of extract is {ways}, got {shown(step, 80)}")
    (kind,) = kinds
    build = _KINDS[kind]
    options = list(inspect.signature(build).parameters)[1:]
    refuse_unknown_keys("a step of extract", step, (kind, *options))
    # A key that is null has its default.
    return build(step[kind], **{key: value for key, value in step.items() if key != kind and value is not None})


def find_changed_presets(extract: Any) -> dict[str, int]:
    """Return the versions of the presets in some steps that are not the first version."""
    if isinstance(extract, str):
        version = PRESETS[extract].version
        return {extract: version} if version > 1 else {}
    parts = extract.get("first_of", ()) if isinstance(extract, Mapping) else extract or ()
    return {name: version for part in parts for name, version in find_changed_presets(part).items()}


def _require_text(value: Any, label: str) -> str:
    if not isinstance(value, str):
        raise MappingError(f"{label} needs text, got {shown(value, 80)}")
    return value


def _parts_step(label: str, find: Callable[[str], Sequence[Part]], many: Many = "error") -> Step:
    def extract(text: Any) -> StepResult:
        try:
            parts = find(_require_text(text, label))
        except RegexTimeLimitError as error:
            raise ExtractionTimeLimitError(str(error)) from None
        if not parts:
            raise NothingFoundError(f"{label} matches nothing in {shown(text, 80)}")

        part = choose(parts, many, label)
        if many == "list":
            return StepResult([part.value for part in parts], {"spans": [[part.start, part.end] for part in parts]})
        if part.value is None:
            raise NothingFoundError(f"{label} matches, but its group took no part")
        return StepResult(part.value, {"spans": [[part.start, part.end]]})

    return extract


def _name_step(labels: Any) -> Step:
    return _parts_step("name", functools.partial(_find_after_thinking, answers.name_finder(labels)))


def _first_of_step(alternatives: Any) -> Step:
    all_steps = [read_steps(steps) for steps in _read_list("first_of", alternatives, (str, Mapping, list, tuple))]

    def extract(value: Any) -> StepResult:
        for number, steps in enumerate(all_steps, 1):
            trace: list[dict[str, Any]] = []
            try:
                part = apply_steps(steps, value, trace)
            except ExtractionTimeLimitError:
                raise
            except MappingError:
                continue
            return StepResult(part, {"alternative": number, "steps": trace})
        raise NothingFoundError(f"none of {len(all_steps)} alternatives finds anything in {shown(value, 80)}")

    return extract


def _read_list(key: str, value: Any, types: tuple[type, ...] = (str,)) -> list[Any]:
    items = list(value) if isinstance(value, list | tuple) else []
    if not items or not all(item and isinstance(item, types) for item in items):
        raise SettingsError(f"{key} takes text or a list, of which nothing is empty, got {shown(value, 80)}")
    return items


def _regex_step(pattern: Any, group: Any = None, flags: Any = (), many: Any = None) -> Step:
    """Return a step that finds a group of a pattern: the first one, or the whole match if it has none."""
    many = check_word("many", many, MANY)
    flags = flag_names(flags)
    if not isinstance(pattern, str) or not pattern:
        raise SettingsError(f"the regex of extract is a text that is not empty, got {shown(pattern, 80)}")
    try:
        compiled = compile_pattern(pattern, flags)
    except (re.error, RegexTimeLimitError) as error:
        raise SettingsError(f"{shown(pattern)} is not a regular expression: {error}") from None

    groups: dict[int | str, int] = {number: number for number in range(compiled.groups + 1)}
    groups.update(compiled.groupindex)
    if group is None:
        group = int(compiled.groups > 0)
    if type(group) not in {int, str} or group not in groups:
        names = ", ".join(map(str, groups))
        raise SettingsError(f"{pattern!r} has no group {shown(group, 40)}; it has the groups {names}")
    index = groups[group]
    limit = {"first": 1, "error": 2}.get(many)

    def find(text: str) -> list[Part]:
        spans = [match.regions[index] for match in find_matches(pattern, flags, "search", text, limit)]
        return [Part(text[start:end] if start >= 0 else None, start, end) for start, end in spans]

    return _parts_step(f"the regex {pattern}", find, many)


def _after_step(marker: Any, flags: Any = (), many: Any = None) -> Step:
    """Return a step that finds the rest of the line after a marker, or the next line if the marker ends its own."""
    (marker,) = _read_list("after", [marker])
    # The atomic group keeps the blanks, so no position is tried twice.
    return _regex_step(re.escape(marker) + r"(?>\s*)([^\n]*\S)", flags=flags, many=many)


def _choice_step(options: Any, flags: Any = (), many: Any = None) -> Step:
    """Return a step that finds one of the options as a word; naming one option twice is no ambiguity."""
    many = check_word("many", many, MANY)
    flags = flag_names(flags)
    # The longer of two options with the same beginning is tried first.
    options = sorted(_read_list("choice", options), key=len, reverse=True)
    groups = "|".join(f"({re.escape(option)})" for option in options)
    pattern = rf"(?<!\w)(?:{groups})(?!\w)"
    compile_pattern(pattern, flags)

    def find(text: str) -> list[Part]:
        matches = find_matches(pattern, flags, "search", text, None)
        parts = [Part(options[match.groups.index(match.text)], *match.regions[0]) for match in matches]
        if many != "error":
            return parts
        return [*{part.value: part for part in reversed(parts)}.values()]

    return _parts_step(f"the choice of {', '.join(options)}", find, many)


def _split_step(separators: Any) -> Step:
    """Return a step that splits a text at separators, without empty parts and the blanks around parts."""
    texts = [separators] if isinstance(separators, str) else separators
    pattern = "|".join(map(re.escape, _read_list("split", texts)))

    def extract(text: Any) -> StepResult:
        parts = (part.strip() for part in re.split(pattern, _require_text(text, "split")))
        return StepResult([part for part in parts if part])

    return extract


def _json_step(path: Any, many: Any = None, dialect: Any = None) -> Step:
    """Return a step that parses a text as JSON and follows a path in it."""
    follow = read_path(path, many, dialect)

    def extract(text: Any) -> StepResult:
        try:
            document = parse_json(_require_text(text, f"the step json {path}"))
        except JsonTextError as error:
            raise NothingFoundError(f"the text is not JSON: {error}") from None
        return StepResult(follow(document))

    return extract


_KINDS: Final[Mapping[str, Callable[..., Step]]] = {
    "regex": _regex_step,
    "after": _after_step,
    "choice": _choice_step,
    "name": _name_step,
    "split": _split_step,
    "json": _json_step,
    "first_of": _first_of_step,
}
"""Builds a step, by its key. The names of the other parameters are the other keys that the step may have."""
