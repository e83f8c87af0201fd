"""Presets that read the answer that a reply claims, or none: a number, a date, a name, a list, or a JSON document.

A value is claimed if it is directly behind a mark ("the answer is 42", "= 42") or alone in its sentence. An announced claim ("the
answer is") counts before a concluded one ("=", "leaves"), and that before one that is only stated ("it is"). Without a claim, the
reply must have one value in all. A word that denies, doubts, supposes or limits, and another value, make it no answer.
"""

import functools
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.dates import ReadDate, read_date
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import last_document
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.errors import SettingsError


class Part(NamedTuple):
    value: Any
    start: int
    end: int


class Value(NamedTuple):
    """A value in a reply; two with the same key are the same answer, and one without a key cannot be read."""

    part: Part
    key: Hashable | None


TAG: Final = re.compile(r"<((?:final_)?answer)>((?:[^<]|<(?!/?\1>))*+)</\1>", re.IGNORECASE)
_MARKED: Final = (
    TAG,
    re.compile(r"(\\)boxed\{((?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\})*+)\}", re.DOTALL),
    re.compile(r"^(#{4,})[ \t]+(.+)$", re.MULTILINE),
)
# The claim of a longer reply is in its last characters, which bounds the time of the search.
_LONGEST: Final = 4_000
# Markup without a meaning is replaced by as many blanks, so that positions stay.
_MARKUP: Final = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|mbox)\{|\\[()\[\]!;: {}]|\\,(?!\d)|(?<!\w)[*_]+|[*_]+(?!\w)|[`\"\u201c\u201d]"
    # The dollar between a sign and a number does not part them, and beside a letter it makes a magnitude.
    r"|(?<![^\w$][kKM])(?:(?<![-+\u2212])\$(?![0-9.,]+ ?mm?\b)|\$(?!\d))(?! ?(?:[kKmMbBT]|MM|mm|bn|mn|mln)(?:\)| [0-9]))"
    r"|(?<=\d)\\\$"
)
_END: Final = re.compile(
    r"\n|[.!?\u2026]+(?=[\s)\]\"'}]|$)|;|(?<!thing)(?<!one)(?<!body)(?<!all),?\s+(?=(?:but|so|hence|therefore|thus|because)\b)",
    re.IGNORECASE,
)
# What is in front of the last of these was corrected.
_CORRECTION: Final = re.compile(
    r"(?i)\b(?:wait|actually|correction|corrected|updated|fixed|sorry|oops|scratch that|on reflection|i meant?|i made a mistake"
    r"|no(?=[,.:]))\b[,:.!?\s]*(?:no\b(?=[,.:])[,:.!?\s]*)?"
)
_FILLER: Final = (
    r"(?:\s|[-(\[{*_\u2013\u2014$\u20ac\xa3~\u2248,]|\b(?:about|approximately|roughly|around|exactly|only|just|probably"
    r"|most likely|clearly|but|so|a|an|the|on|us|you|option|label)\b)*"
)
# A value directly behind these is denied, and the reply is read without both.
_DENIAL: Final = re.compile(rf"(?:,|\band)?\s*\b(?:not|rather than|instead of){_FILLER}$", re.IGNORECASE)
# What says nothing about the claim of its sentence: a contrast, an operation on two values, a hedge, and the other values.
_OPERAND: Final = r"(?:(?!\b(?:or|is|was|were|had|not)\b)[^,.\n\ufffc]){1,40}\ufffc+"
_ASIDE: Final = re.compile(
    r"(?im)(?:^|(?<=[.!?] ))[ \t]*(?:(?:although|though|while|whereas|since|because|unlike|contrary to|despite"
    r"|(?:after|by|having) (?:rul|exclud|eliminat|discard)\w+)\b[^,\n]*(?:, \ufffc+(?: and \ufffc+)?)*"
    rf"|if{_OPERAND}{_OPERAND}[^,.\n\ufffc]{{0,20}}),(?: then\b)?"
    r"|\b(?:if|unless|as long as) (?:i|memory)\b[^,.;\n\ufffc]{0,40}\b(?:mistaken|wrong|correctly|right|recall|remember|error"
    r"|mistake|serves),|\b(?:no|without) (?:an?y? )?(?:doubt|question)\b"
    r"|\bthe (?:others?|rest)(?: \w+)? (?:(?:are|is) (?:wrong|incorrect|false)|(?:do|does)(?:n['\u2019]t| not) \w+)"
    r"(?!,? and|, \ufffc)|(?<=\ufffc),? because\b(?:(?!\bbut\b)[^.;\n])*"
)
# Words that make the values of their sentence no answer.
_REFUSED: Final = re.compile(
    r"(?i)\b(?:not|no|never|cannot|neither|nor|none|nothing|nobody|without|except|unlike|instead|rather than"
    r"|other than|(?:any|every)(?:thing|one|body) but|all but|doubt|wrong(?:ly)?|incorrect|false|hardly|barely"
    r"|scarcely|far from|lack\w*|fails?|failed to|too|so (?:is|are|was|does|much)|reject\w*|avoid|exclud\w+"
    r"|eliminat\w+|rul\w+ out|opposite|despite|devoid|contrary|than|or|either|maybe|perhaps|possibl[ey]|might|could"
    r"|may|also|unless|if|otherwise|suppos\w+|assum\w+|imagine|let|(?:w|sh)ould have|(?<!\bi )would (?:say|answer"
    r"|think)|(?:people|many|some|others) say|said|says|(?<!all )told|wrote|mention(?!ed in)\w*|claim\w*"
    r"|(?<!as )expect\w*|suggest\w*|thinks|thought|considered|tempting|naive|originally|initially|first|formerly"
    r"|used to|previous|your (?:answer|guess|result|value|\ufffc)|mistake|misprint|planned|until|unlikely|off by"
    r"|only (?:for|when)|(?:at|a) (?:an? |the )?(?:best|worst|most|least|latest|earliest|minimum|maximum)|max|min"
    r"|short of)\b|n['\u2019]t\b|\?|\ufffc['\u2019)]* (?:looks|seems|appears|is out)\b|\b(?:for|where|with) \w+ ?="
)
# Words behind a claim that take it back, and those that make a whole reply no answer.
_TAKEN_BACK: Final = re.compile(r"(?i)\b(?:wrong|incorrect|false|doubt|instead|or|also|off by)\b|n['\u2019]t be\b")
_NO_ANSWER: Final = re.compile(
    r"(?i)(?:\b(?:not|cannot)|n['\u2019]t) (?:(?:able|possible) to )?(?:\w+ )?(?:known?|tell|say|answer|determined?|confirm)\b"
    r"|\b(?:no idea|unknown|unclear|depends|refuse|decline|disagree|(?:hard|difficult|impossible) to)\b|~~"
    r"|<(?:s|del|strike)>|\\x?cancel\{|[\u2717\u2718\u274c]|\[ \]"
)
# Words that make the only value of a reply no answer, if nothing marks it.
_LIMITED: Final = re.compile(
    r"(?i)\b(?:up to|over|under|above|below|nearly|almost|close to|beyond|exceed\w*|maximum|minimum|upwards|double|twice"
    r"|triple|times (?:as|more)|such as|same|plus|minus|log|ln|add|multiply|divided?|subtract|had|bound|starts? with)\b"
    r"|(?<!looks )(?<!seems )\b(?:between|from|within|before|after|since|by|near|like|one in|of)(?: about| the)? \ufffc"
    r"|\bin \ufffc+ [a-z]|\ufffc(?:\.\.|\u2026)|[<>\u2264\u2265\xb1\u2260+]|!="
)
ANNOUNCED: Final = re.compile(
    r"(?im)\b(?:answer|result|solution|conclusion|verdict|decision|label|category|classification|sentiment|choice"
    r"|option|pick|total|guess|(?:correct|right|final|actual) (?:value|number|date|name"
    r"|one))\b[^.:=\n]{0,60}?(?:\b(?:is|are|was|be|equals|comes to|amounts to)\b|[:=\u2192]|[-=]>|[*_ ]*\n)|^[*_ ]*A:"
)
_CONCLUDED: Final = re.compile(
    r"(?i)(?:(?<![<>!])=|\u2192|->|\b(?:equals?|gets?|gives?|giving|obtain|makes?|yields?|choose|pick"
    rf"|option|(?:comes?|adds? up|works? out|amounts?) to|total of|arrive at|end up with"
    rf"|leaves|leaving|(?:leaves?|leaving|left)(?: \w+)? with)\b){_FILLER}$"
)
_SO: Final = re.compile(r"\s*(?:so|hence|therefore|thus|consequently)\b", re.IGNORECASE)
_STATED: Final = re.compile(
    rf"\b(?:is|are|was|were|be|has|have|(?:it|that|there)['\u2019]s)\b{_FILLER}$", re.IGNORECASE
)
_ONLY_FILLER: Final = re.compile(rf"{_FILLER}$", re.IGNORECASE)
_ALONE_AFTER: Final = re.compile(r"(?:[\s)\]}*_,%\xb0'\u2019-]*[^\W\d]*){0,3}[\s)\]}*_:,.-]*$")
_OPERATOR_AFTER: Final = re.compile(r"\s*(?:[-+*/\xd7\xf7^<>\u2264\u2265\xb1]|plus\b|minus\b|times\b|divided\b)")


def hide_markup(text: str) -> str:
    return _MARKUP.sub(lambda match: " " * len(match[0]), text)


def find_claim(text: str, values: Sequence[Value]) -> Part | None:
    """Return the value that a text claims; None if there is none, or if it is unreadable or one of several."""
    claimed: list[Value] = []
    for value in values:
        denial = _DENIAL.search(text, max(value.part.start - 60, 0), value.part.start)
        start = value.part.start if denial is None else denial.start()
        sign = "\ufffc" if denial is None else " "
        text = text[:start] + sign * (value.part.end - start) + text[value.part.end :]
        if denial is None:
            claimed.append(value)
    text = _ASIDE.sub(lambda match: " " * len(match[0]), text)
    corrected = max((match.end() for match in _CORRECTION.finditer(text)), default=0)
    text = " " * corrected + text[corrected:]
    claimed = [value for value in claimed if text[value.part.start] == "\ufffc"]
    if not claimed or _NO_ANSWER.search(text):
        return None

    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    announcements = [match.end() for match in ANNOUNCED.finditer(text)]
    claims: list[tuple[int, int, int, Value]] = []
    # By the start of a sentence.
    refused: dict[int, bool] = {}
    limited: dict[int, bool] = {}
    for value in claimed:
        start = max(end for end in ends if end <= value.part.start)
        end = min(end for end in ends if end >= value.part.end)
        if start not in refused:
            refused[start] = _REFUSED.search(text, start, end) is not None
            limited[start] = _LIMITED.search(text, start, end) is not None
        before = text[start : value.part.start]
        after = text[value.part.end : end].rstrip(".!?;\u2026\n ")
        places = [place for place in announcements if start <= place <= value.part.start]
        is_announced = any(_ONLY_FILLER.fullmatch(text[place : value.part.start]) for place in places)
        is_alone = _ONLY_FILLER.fullmatch(before) and _ALONE_AFTER.fullmatch(after)
        is_concluded = is_alone or _CONCLUDED.search(before)
        is_claim = is_announced or is_concluded or _STATED.search(before) or (_SO.match(before) and not limited[start])
        if not is_claim or refused[start] or _OPERATOR_AFTER.match(after):
            continue
        rank = 0
        if is_concluded:
            rank = 1
        if places:
            rank = 2
        claims.append((rank, start, end, value))
    if not claims and any([*refused.values(), *limited.values()]):
        return None
    # Without a claim, the only value counts.
    claims = claims or [(0, 0, claimed[-1].part.end, value) for value in claimed]

    best, start, end, _ = max(claims, key=lambda claim: claim[:2])
    # Of what is only stated, each sentence may be about something else.
    claim = _only_value([value for rank, place, _, value in claims if rank == best and (place == start or best != 1)])
    if claim is None or _TAKEN_BACK.search(text, end):
        return None
    later = {value.key for value in claimed if value.part.start >= claim.part.start}
    return claim.part if later == {claim.key} else None


def _only_value(values: Sequence[Value]) -> Value | None:
    keys = {value.key for value in values}
    return values[-1] if len(keys) == 1 and None not in keys else None


# Numbers that count or name something else: list markers, steps, references, ordinals and names such as GPT-4.
_NUMBERED: Final = (
    "(?:appendix|article|case|chapter|day|equation|error|example|exercise|fig(?:ure|\\.)|http|item|line|method|note|option"
    "|page|part|problem|question|room|rule|section|step|table|version)"
)
_MARKER_BEFORE: Final = re.compile(rf"(?i)(?:(?:\n|^)\s*\(?|\b(?:{_NUMBERED}|the|these|those)\s+|[A-Za-z]-|\w\s*\[)$")
_MARKER_AFTER: Final = re.compile(r"[.,):]\s+(?=\S)|[:.]? |(?=\])")
_REFERENCE: Final = re.compile(rf"(?i)\b(?:see|cf\.?|refer to|consult|check|per) (?:also )?(?:{_NUMBERED}\s+)?$")
_LIST_MARKER_AFTER: Final = re.compile(r"[.)]\s+\S")
_SAYS_ONE: Final = re.compile(r"(?:\b(?:is|are|be)|[:=]|^)\W*$")
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)\b")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_DATE: Final = re.compile(
    r"(?i)(?<![\w/.])(?<![\w]-)(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z"
    r"|[+-][0-9]{2}:?[0-9]{2})?)?"
    rf"|[0-9]{{4}}[/.][0-9]{{1,2}}[/.][0-9]{{1,2}}|[0-9]{{1,2}}([/.-])[0-9]{{1,2}}\1[0-9]{{2,4}}|{_DAY}(?: of"
    rf"|-)? ?{_MONTH},?[ -][0-9]{{4}}|{_MONTH} {_DAY},? [0-9]{{4}}|[0-9]{{4}} {_MONTH} {_DAY})(?![\w/]|[.-]\w)"
)
_DAY_BEFORE: Final = re.compile(r"[0-9](?:st|nd|rd|th)?\s*(?:and|or|to|through|[-\u2013/&,])\s*$")


def _claim_in(text: str, find: Callable[[str], Iterable[Value]]) -> list[Part]:
    """Return the claim in the last marked answer, or else in the whole text."""
    start, marked = find_marked(text)
    region = text if marked is None else marked
    if len(region) > _LONGEST:
        # The text is cut at a blank, so that no value is cut.
        cut = re.compile(r"\s|$").search(region, len(region) - _LONGEST)
        offset = cut.end() if cut else len(region)
        start += offset
        region = region[offset:]
    plain = hide_markup(region)
    claim = find_claim(plain, list(find(plain)))
    return [] if claim is None else [Part(claim.value, claim.start + start, claim.end + start)]


def find_marked(text: str) -> tuple[int, str | None]:
    """Return the last marked answer and its position; None if nothing is marked."""
    for pattern in _MARKED:
        matches = list(pattern.finditer(text))
        if matches:
            return matches[-1].start(2), matches[-1][2]
    return 0, None


def find_one_number(text: str) -> list[Part]:
    """Return the number that a reply claims, in digits or English words, as digits.

    A number that is a bound ("at least 5"), one of several ("5 or 6", "5 to 6"), or that something beside it changes and
    that cannot be read ("5²", "1/5") is no answer. "About 5" is 5: how near it must be is for the operator to say.
    """
    return _claim_in(text, _find_numbers)


def _find_numbers(text: str) -> Iterable[Value]:
    digits = list(find_numerals(text))
    words = [word for word in find_number_words(text) if not any(one.start <= word.start < one.end for one in digits)]
    previous = None
    for numeral in sorted([*digits, *words], key=lambda numeral: numeral.start):
        # "forty-two (42)" has no negative number.
        is_repeated = previous and text[previous.end : numeral.start] == " ("
        if is_repeated and text[numeral.start : numeral.end] == previous.value:
            continue
        previous = numeral
        before = text[max(numeral.start - 20, 0) : numeral.start]
        after = text[numeral.end : numeral.end + 10]
        word = text[numeral.start : numeral.end].casefold()
        begins_line = not text[text.rfind("\n", 0, numeral.start) + 1 : numeral.start].strip(" (\t")
        marker_after = _LIST_MARKER_AFTER if begins_line else _MARKER_AFTER
        is_marker = _MARKER_BEFORE.search(before) and marker_after.match(after)
        if is_marker or _ORDINAL.match(after) or _REFERENCE.search(before):
            continue
        # "One" is a pronoun, unless it is all that is said.
        if word == "one" and not (_SAYS_ONE.search(before) and re.match(r"\W*(?:\n|$)", after)):
            continue
        # None also for an exponent that no Decimal has.
        yield Value(Part(*numeral), as_decimal(numeral.value))


def find_date(text: str) -> list[Part]:
    """Return the whole date that a reply claims, as it is written there.

    A bound ("before March 5, 2024"), a range, and several dates are no answer; the same date in two forms is one.
    """
    return _claim_in(text, _find_dates)


def _find_dates(text: str) -> Iterable[Value]:
    for match in _DATE.finditer(text):
        date = read_date(match[0])
        key = None
        if isinstance(date, ReadDate) and not _DAY_BEFORE.search(text, max(match.start() - 20, 0), match.start()):
            key = date.day
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

    return functools.partial(_claim_in, find=find)


def _read_labels(labels: Any) -> dict[str, str]:
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
    if name not in {"A", "I"}:
        return f"(?i:{words})" if len(name) > 1 else words
    # "A" and "I" are also English words.
    return rf"{words}(?! (?!is|are|was|or|and|because|since|as|fits|fails|contradicts|looks|seems)[a-z])"


_ITEM: Final = re.compile(r"^(\s*)(?:[-*+\u2022\u2013]|\(?[0-9]+[.)]|\(?[a-z]\))\s+(\S.*)$")
_ROW: Final = re.compile(r"^\s*\|(.*)\|\s*$")
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$")
# Words that make a list incomplete.
_OPEN: Final = re.compile(
    r"(?i)\b(?:etc|such as|for example|e\.g|among|others?|more|some|a few|examples?|plus)\b|\.\.\.|\u2026"
)
# Behind a list: something that is added to it, or that takes it back.
_ADDED: Final = re.compile(
    r"(?im)^\W*(?:(?:no|oh|hmm|wait|actually|correction|and|also|plus|but|however|sorry|oops|as well as|there|not)\b"
    r"|i (?:forgot|missed|made|meant)\b)"
)
# The remark on an item, if the item does not belong to the list.
_STRUCK: Final = re.compile(r"\W*(?:no|not|wrong|incorrect|false|excluded|isn['\u2019]t)\b", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"^(?:(?:sure|of course|certainly)[!,.]\s*)?(?:.*(?::|\b(?:is|are|were|be|include|includes)\b)\s+(?=\S))?",
    re.IGNORECASE | re.DOTALL,
)
_BRACKETS: Final = re.compile(r"\\?[\[({]([^\[\](){}]*?)\\?[\])}]")
_SEPARATORS: Final = (
    r"\s*;\s*", r"\s*,\s*(?:and\s+)?|\s+and\s+(?=[^,]*$)", r"\s*\|\s*", r"\s*/\s*", r"\s+[&+]\s+", r"\s+and\s+",
)  # fmt: skip


def find_list(text: str) -> list[Part]:
    """Return the items of the one list in a reply, as texts: bullets, numbers, a table, brackets, lines or "a, b and c".

    A list with "or", a negation or an open end, and a second list, are no answer.
    """
    start, marked = find_marked(text)
    region = text if marked is None else marked
    # A fence of tildes strikes nothing out.
    is_read = len(region) <= _LONGEST and not _NO_ANSWER.search(region.replace("~~~", ""))
    items = _read_items(region) if is_read else []
    if len(items) < 2 or not all(items):
        return []
    return [Part(items, start, start + len(region))]


def _read_items(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip() and not _FENCE.match(line)]
    rows = [match[1].split("|") for line in lines if (match := _ROW.match(line))]
    if rows:
        return _read_table(rows)
    numbers = [number for number, line in enumerate(lines) if _ITEM.match(line)]
    if numbers:
        bullets = [match for line in lines if (match := _ITEM.match(line))]
        is_one_block = numbers[-1] - numbers[0] + 1 == len(numbers) and len({match[1] for match in bullets}) == 1
        behind = "\n".join(lines[numbers[-1] + 1 :])
        if not is_one_block or _is_refused(" ".join(lines[: numbers[0]])) or _ADDED.search(behind):
            return []
        return [_clean_item(match[2]) for match in bullets]
    if _is_refused(text):
        return []
    brackets = list(_BRACKETS.finditer(text))
    if len(brackets) == 1:
        return _split_items(brackets[0][1])
    if len(lines) > 1 and not any(re.search(r"[.:,;]\s*$|, ", line) for line in lines):
        return [_clean_item(line) for line in lines]
    return _split_items(_HEAD.sub("", lines[0], count=1)) if len(lines) == 1 else []


def _is_refused(text: str) -> bool:
    return bool(_REFUSED.search(text) or _OPEN.search(text))


def _read_table(rows: Sequence[list[str]]) -> list[str]:
    """Return the first column, or the second if the first has the numbers of the rows."""
    rules = [number for number, row in enumerate(rows) if all(set(cell.strip()) <= set("-:") for cell in row)]
    body = [[_clean_item(cell) for cell in row] for row in rows[rules[0] + 1 if rules else 0 :]]
    if len(rules) > 1 or any(_STRUCK.match(cell) for row in body for cell in row[1:]):
        return []
    column = 1 if all(row[0].isdigit() and len(row) > 1 for row in body) else 0
    return [row[column] for row in body]


def _split_items(text: str) -> list[str]:
    for separator in _SEPARATORS:
        items = re.split(separator, hide_markup(text).strip())
        if len(items) > 1:
            items = [_clean_item(item) for item in items]
            # A longer item is a sentence.
            return items if all(len(item.split()) <= 6 for item in items) else []
    return []


def _clean_item(item: str) -> str:
    item, *rest = re.split(r"\s[\u2013\u2014-]\s|:\s|\s\(", item.removeprefix("[x] "), maxsplit=1)
    # A list with an empty item is no answer.
    if any(map(_STRUCK.match, rest)):
        return ""
    bold = re.match(r"\s*(\*\*|__)(.+?)\1", item)
    if bold:
        item = bold[2]
    return hide_markup(item).strip(" .,:;'\u2018\u2019\t\n")


_REST_OF_SENTENCE: Final = re.compile(r"[\s`]*([a-z(,:][^.!?\n]*)?")


def find_last_json(text: str) -> list[Part]:
    """Return the last object in a reply, or the last list without one; nothing if it is denied, or a later one is broken."""
    document = last_document(text)
    if document is None:
        return []
    part = Part(*document)
    rest = _REST_OF_SENTENCE.match(text, part.end)
    return [] if rest and rest[1] and _REFUSED.search(rest[1]) else [part]
