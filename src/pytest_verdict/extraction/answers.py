"""Presets that read one answer or none: a number, a date, a name, a list, or a JSON document."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.values.dates import ReadDate, read_date
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import last_document
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.errors import SettingsError
from pytest_verdict.extraction.claims import Part, Value, find_claim, hide_markup, is_denied

# The claim of a longer reply is in its last characters, which bounds the time of the search.
_LONGEST: Final = 4_000
_MARKED: Final = (
    re.compile(r"<((?:final_)?answer)>((?:[^<]|<(?!/?\1>))*+)</\1>", re.IGNORECASE),
    re.compile(r"(\\)boxed\{((?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\})*+)\}", re.DOTALL),
    re.compile(r"^(#{4,})[ \t]+(.+)$", re.MULTILINE),
)
# Numbers that count or name something else: list markers, steps, references, ordinals and names such as GPT-4.
_MARKER_BEFORE: Final = re.compile(
    r"(?:(?:\n|^)\s*\(?|\b(?:step|question|problem|part|chapter|page|line|case|method|the|these"
    r"|those)\s+|[A-Za-z]-|\w\s*\[)$",
    re.IGNORECASE,
)
_MARKER_AFTER: Final = re.compile(r"[.):]\s+(?=\S)|[:.]? |(?=\])")
_SAYS_ONE: Final = re.compile(r"(?:\b(?:is|are|be)|[:=]|^)\W*$")
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)\b")
_NUMBER_BOUND: Final = re.compile(
    r"(?:\b(?:at (?:the )?(?:least|most)|anywhere from|double|twice|triple|times|per|(?:more|less"
    r"|fewer|greater|higher|lower|larger|smaller|bigger) than(?: or equal to)?|"
    r"up to|over|under|above|below|nearly|almost|close to|beyond|exceed(?:s|ing)?|just|maxim(?:um|al)(?: of| is)?|"
    r"minim(?:um|al)(?: of| is)?|upwards of|max|min|(?:half|thirds?|quarters?|fourths?|fifths?"
    r"|tenths?|percent|%) (?:of|in)|(?:one|two|three|four|five|[0-9]|\ufffc) (?:in|of|out of))"
    r"|[<>\u2264\u2265\xb1])[\s$\u20ac\xa3:]*$",
    re.IGNORECASE,
)
_DATE_BOUND: Final = re.compile(
    r"\b(?:(?:week|month|year|days?|weeks|months|years) (?:of|from)|within|(?:around the time|start"
    r"|end) of|before|after|by|until|till|since|prior to|following|than|latest|earliest"
    r"|at (?:the )?(?:least|most)|early|late)[\s:,]*$"
    r"|[0-9](?:st|nd|rd|th)?\s*(?:and|or|to|through|[-\u2013/&,])\s*$|[<>\u2264\u2265]\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER: Final = re.compile(
    r"[\s)]*(?:(?:or|and) (?:[0-9]{4}\b|more|less|fewer|above|below|higher|lower|over|under|up|later"
    r"|earlier|before|after)\b|\+|\u2265|\xb1"
    r"|(?:\.{2,}|\u2026)\s*[0-9]|(?:at (?:the )?(?:most|least|latest|earliest)|minimum|maximum|max"
    r"|min|per thousand|times as|times more)\b|[\u2013\u2014-]\s*[0-9])",
    re.IGNORECASE,
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_DATE: Final = re.compile(
    r"(?<![\w/.])(?<![\w]-)(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    rf"|[0-9]{{4}}[/.][0-9]{{1,2}}[/.][0-9]{{1,2}}|[0-9]{{1,2}}([/.-])[0-9]{{1,2}}\1[0-9]{{2,4}}"
    rf"|{_DAY}(?: of|-)? ?{_MONTH},?[ -][0-9]{{4}}|{_MONTH} {_DAY},? [0-9]{{4}}"
    rf"|[0-9]{{4}} {_MONTH} {_DAY})(?![\w/]|[.-]\w)",
    re.IGNORECASE,
)


def _is_bound(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda before, after: pattern.search(before) is not None or _BOUND_AFTER.match(after) is not None


def _claim_in(text: str, find: Callable[[str], Iterable[Value]], bound: re.Pattern[str]) -> list[Part]:
    """Return the claim in the last marked answer, or else in the whole text."""
    start, region = _marked_region(text)
    if len(region) > _LONGEST:
        # The text is cut at a blank, so that no value is cut.
        cut = re.compile(r"\s|$").search(region, len(region) - _LONGEST)
        offset = cut.end() if cut else len(region)
        start += offset
        region = region[offset:]
    plain = hide_markup(region)
    claim = find_claim(plain, list(find(plain)), _is_bound(bound))
    if claim is None:
        return []
    return [Part(claim.value, claim.start + start, claim.end + start)]


def _marked_region(text: str) -> tuple[int, str]:
    for pattern in _MARKED:
        matches = list(pattern.finditer(text))
        if matches:
            return matches[-1].start(2), matches[-1][2]
    return 0, text


def find_one_number(text: str) -> list[Part]:
    """Return the number that a reply claims, in digits or English words, as digits.

    A number that is a bound ("at least 5"), one of several ("5 or 6", "5 to 6"), or that something beside it changes and
    that cannot be read ("5²", "1/5") is no answer. "About 5" is 5: how near it must be is for the operator to say.
    """
    return _claim_in(text, _find_numbers, _NUMBER_BOUND)


def _find_numbers(text: str) -> Iterable[Value]:
    digits = list(find_numerals(text))
    words = [word for word in find_number_words(text) if not any(one.start <= word.start < one.end for one in digits)]
    for numeral in sorted([*digits, *words], key=lambda numeral: numeral.start):
        before = text[max(numeral.start - 20, 0) : numeral.start]
        after = text[numeral.end : numeral.end + 10]
        word = text[numeral.start : numeral.end].casefold()
        if _ORDINAL.match(after) or (_MARKER_BEFORE.search(before) and _is_marker(text, numeral.start, after)):
            continue
        # "One" is a pronoun, unless it is all that is said.
        if word == "one" and not (_SAYS_ONE.search(before) and re.match(r"\W*(?:\n|$)", after)):
            continue
        # None also for an exponent that no Decimal has.
        key = as_decimal(numeral.value)
        yield Value(Part(numeral.value, numeral.start, numeral.end), key)


def _is_marker(text: str, start: int, after: str) -> bool:
    begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip(" (\t")
    if begins_line:
        return re.match(r"[.)]\s+\S", after) is not None
    return _MARKER_AFTER.match(after) is not None


def find_date(text: str) -> list[Part]:
    """Return the whole date that a reply claims, as it is written there.

    A bound ("before March 5, 2024"), a range, and several dates are no answer; the same date in two forms is one.
    """
    return _claim_in(text, _find_dates, _DATE_BOUND)


def _find_dates(text: str) -> Iterable[Value]:
    for match in _DATE.finditer(text):
        date = read_date(match[0])
        key = date.day if isinstance(date, ReadDate) else None
        yield Value(Part(match[0], match.start(), match.end()), key)


def name_finder(labels: Any) -> Callable[[str], list[Part]]:
    """Return a function that returns the label that a reply claims, by the label or another name of it.

    A label is found as a whole word, whatever its case; a label of one letter only as it is written. A reply that claims
    several labels, or denies the only one, has no answer.
    """
    names = _read_labels(labels)
    # The longer of two names with the same beginning is tried first.
    alternatives = "|".join(_name_pattern(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?<!\w-)(?:{alternatives})(?!\w|-\w)")
    by_case = {name.casefold(): label for name, label in names.items()}

    def find(text: str) -> Iterable[Value]:
        for match in pattern.finditer(text):
            label = names.get(match[0]) or by_case[" ".join(match[0].split()).casefold()]
            yield Value(Part(label, match.start(), match.end()), label)

    return functools.partial(_claim_in, find=find, bound=re.compile(r"(?!)"))


def _read_labels(labels: Any) -> dict[str, str]:
    """Return the label of each name."""
    entries = labels
    if isinstance(labels, Sequence) and not isinstance(labels, str):
        entries = {label if isinstance(label, str) else "": () for label in labels}
    is_valid = isinstance(entries, Mapping) and len(entries) > 0
    names: dict[str, str] = {}
    for label, others in entries.items() if is_valid else ():
        aliases = [others] if isinstance(others, str) else others
        if not isinstance(aliases, Sequence) or not all(
            isinstance(name, str) and name.strip() for name in (label, *aliases)
        ):
            is_valid = False
            break
        for name in (label, *aliases):
            if names.setdefault(name, label) != label:
                raise SettingsError(f"name: {name!r} is a name of both {names[name]!r} and {label!r}; take one away")
    if not is_valid:
        forms = "a list of labels, or a dict from each label to its other names"
        raise SettingsError(f"name takes {forms}, and no name is empty, got {shown(labels, 80)}")
    return names


def _name_pattern(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split()))
    if len(name) > 1:
        return f"(?i:{words})"
    # "A" and "I" are also English words.
    return rf"{words}(?! (?!is|was|or|and|because|since|as|fits|fails|contradicts|looks|seems)[a-z])"


_ITEM: Final = re.compile(r"^(\s*)(?:[-*+\u2022\u2013]|\(?[0-9]+[.)]|\(?[a-z]\))\s+(\S.*)$")
_ROW: Final = re.compile(r"^\s*\|(.*)\|\s*$")
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$")
_OPEN: Final = re.compile(
    r"\b(?:or|not|neither|nor|except|without|etc|such as|for example|e\.g|among others|and (?:so on"
    r"|more|others)|never|either)\b"
    r"|n['\u2019]t\b|\.\.\.|\u2026|\?",
    re.IGNORECASE,
)
# Behind a list: something that is added to it, or that takes it back.
_ADDED: Final = re.compile(
    r"^\W*(?:(?:(?:no|oh|hmm),? )?wait|actually|correction|and|also|plus|but|however|sorry|oops|as well as"
    r"|there (?:is|are) (?:also|more|another|others)|i (?:forgot|missed|made|meant))\b",
    re.IGNORECASE | re.MULTILINE,
)
# Behind an item, or before it: it does not belong to the list.
_STRUCK: Final = re.compile(
    r"\W*(?:no|not|wrong|incorrect|false|excluded|isn['\u2019]t)\b|\s*[\u2717\u2718\u274c]", re.IGNORECASE
)
_CROSSED: Final = re.compile(r"~~|[\u2717\u2718\u274c]")
_CHECKED: Final = re.compile(r"\s*\[([ xX])\]\s")
_HEAD: Final = re.compile(r"^.*(?::|\b(?:is|are|were|be|include|includes)\b)\s+(?=\S)", re.IGNORECASE | re.DOTALL)
_BRACKETS: Final = re.compile(r"\\?[\[({]([^\[\](){}]*?)\\?[\])}]")
_SEPARATORS: Final = (
    r"\s*;\s*",
    r"\s*,\s*(?:and\s+)?|\s+and\s+(?=[^,]*$)",
    r"\s*\|\s*",
    r"\s*/\s*",
    r"\s+[&+]\s+",
    r"\s+and\s+",
)


def find_list(text: str) -> list[Part]:
    """Return the items of the one list in a reply, as texts: bullets, numbers, a table, brackets, lines or "a, b and c".

    A list with "or", a negation or an open end, and a second list, are no answer.
    """
    start, region = _marked_region(text)
    items = _read_items(region) if len(region) <= _LONGEST else []
    if len(items) < 2 or not all(items):
        return []
    return [Part(items, start, start + len(region))]


def _read_items(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.match(line)]
    bullets = [match for line in lines if (match := _ITEM.match(line))]
    rows = [match[1].split("|") for line in lines if (match := _ROW.match(line))]
    if rows:
        rules = [number for number, row in enumerate(rows) if all(set(cell.strip()) <= set("-:") for cell in row)]
        body = [[_clean_item(cell) for cell in row] for row in rows[rules[0] + 1 if rules else 0 :]]
        if any(_STRUCK.match(cell) for row in body for cell in row[1:]):
            return []
        column = 1 if all(row[0].isdigit() and len(row) > 1 for row in body) else 0
        return [row[column] for row in body] if len(rules) < 2 else []
    if bullets:
        numbers = [number for number, line in enumerate(lines) if _ITEM.match(line)]
        is_one_block = numbers[-1] - numbers[0] + 1 == len(numbers) and len({match[1] for match in bullets}) == 1
        introduction = " ".join(lines[: numbers[0]])
        if not is_one_block or _OPEN.search(introduction) or _ADDED.search("\n".join(lines[numbers[-1] + 1 :])):
            return []
        return [_clean_item(match[2]) for match in bullets]
    brackets = list(_BRACKETS.finditer(text))
    if len(brackets) == 1 and not _OPEN.search(text):
        end = brackets[0].end()
        return [] if _ADDED.match(text[end:]) or is_denied(text, end) else _split_items(brackets[0][1])
    if len(lines) > 1 and not any(re.search(r"[.:,;]\s*$|, ", line) for line in lines):
        return [_clean_item(line) for line in lines]
    if len(lines) != 1 or _OPEN.search(lines[0]):
        return []
    line = re.sub(r"^(?:sure|of course|certainly)[!,.]\s*", "", lines[0], flags=re.IGNORECASE)
    return _split_items(_HEAD.sub("", line))


def _split_items(text: str) -> list[str]:
    for separator in _SEPARATORS:
        items = re.split(separator, hide_markup(text).strip())
        if len(items) > 1:
            items = [_clean_item(item) for item in items]
            # A longer item is a sentence.
            return items if all(len(item.split()) <= 6 for item in items) else []
    return []


def _clean_item(item: str) -> str:
    box = _CHECKED.match(item)
    item, *rest = re.split(r"\s[\u2013\u2014-]\s|:\s|\s\(", item[box.end() if box else 0 :], maxsplit=1)
    # A list with an empty item is no answer.
    if _CROSSED.search(item) or (box and box[1] == " ") or any(map(_STRUCK.match, rest)):
        return ""
    bold = re.match(r"\s*(\*\*|__)(.+?)\1", item)
    if bold:
        item = bold[2]
    return hide_markup(item).strip(" .,:;'\u2018\u2019\t\n")


def find_last_json(text: str) -> list[Part]:
    """Return the last object in a reply, or the last list without one; nothing if it is denied, or a later one is broken."""
    document = last_document(text)
    if document is None:
        return []
    part = Part(*document)
    return [] if is_denied(text, part.end) else [part]
