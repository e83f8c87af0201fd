"""Presets that read the answer that a reply claims, or none: a number, a date, a name, a list, or a JSON document.

A value is no claim where it is negated, asked, taken back or said of somebody else. What a reply announces ("the answer is")
comes before what it concludes ("so", "=", "that leaves"), and that before what it only says. Several values are no answer.
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


# Markup without a meaning, and what is struck out, is replaced by as many blanks, so that positions stay.
_MARKUP: Final = re.compile(
    r"~~[^~\n]+~~|<(?P<tag>s|del|strike)>[^<]*</(?P=tag)>|\\x?cancel\{[^{}]*\}|"
    r"\\(?:text|textbf|mathrm|mathbf|mbox)\{|\\[()\[\]!;: {}]|\\,(?!\d)|(?<!\w)[*_]+|[*_]+(?!\w)|[`\"“”]"
    # The dollar between a sign and a number does not part them.
    r"|(?<![-+\u2212])\$(?![0-9.,]+ ?mm?\b)|\$(?!\d)|(?<=\d)\\\$"
)
_HARD: Final = re.compile(r"\n|(?:[.!?\u2026]+(?=[\s)\]\"'}]|$))|;")
_SUBJECTS: Final = "it|that|this|there|the|i|we|you|he|she|they|so"
_SOFT: Final = re.compile(
    rf"(?i)(?<!\s),?\s++(?<!anything )(?<!everything )(?<!all )(?=(?:but|however|whereas|although|though|while"
    rf"|because|since|so|hence|which|and not|and (?:{_SUBJECTS}))\b)|,\s+(?=(?:{_SUBJECTS}|not|no|and|hence|thus"
    rf"|therefore|as|in|altogether)\b)|(?<!\s)\s++(?=(?:rather than|instead of|not)\b)"
)
_ASIDE: Final = re.compile(r"\s[(\u2013\u2014-](?=[\s(]|\w)|:\s")
_NEGATED: Final = re.compile(
    r"(?i)\b(?:not(?! (?:sure|certain|mistaken|only|just|wrong)\b)|never|cannot|neither|nor|no(?= \w|\s*$)(?! doubt)"
    r"|without(?! (?:a |any )?doubt)|except|exclud(?:e|ing)|unlike|rather than|instead of|(?:any|every)(?:thing|one) but"
    r"|all but|other than|(?<!no )(?<!without )(?<!without a )(?<!without any )doubt|avoid|nobody|few"
    r"|incorrect|wrong|rul(?:e|ing) out|eliminate|contrary to|(?:might|would|could|may) (?:expect|think|answer|guess)"
    r"|(?:some|many|most|people|others) (?:people )?(?:may |might |would |could )?(?:say|think|believe|answer|claim)"
    r"|hardly|barely"
    r"|scarcely|far from|less than|lack(?:s|ing)?|nothing|fail(?:s|ed)? to|opposite of|devoid of|despite"
    r"|at first|initially|i (?:first|thought|considered|said)|first i|would have (?:been|said)|was going to|used to be|formerly"
    r"|originally|(?:moved|postponed|rescheduled|changed) from|tempting|naive|intuitive"
    r"|common (?:error|mistake)|previous (?:answer|guess|result)|your (?:answer|guess|result|value)"
    r"|expected(?=\W*$))\b|n['\u2019]t\b(?! (?:sure|certain))"
    # What is only supposed, and what somebody else says.
    r"|\b(?:suppos(?:e|ing)|assum(?:e|ing)|imagine|had (?:i|it|she|he|they|we|you)|let \w+ ?(?:=|be|equal))\b"
    r"|\b(?:you|someone|somebody|they|the (?:prompt|question|user)|(?:my|our|your|his|her|a) (?:friend|colleague"
    r"|teacher))\b[^,.;\n]{0,20}\b(?:said|says?|told|wrote|mention(?:s|ed)?|claim(?:s|ed)?|expect(?:s|ed)?"
    r"|suggest(?:s|ed)?|thinks?|thought|guess(?:ed)?|answer(?:s|ed))\b|\b(?:for|where|with) \w+ ?=\s*$"
)
_DIRECT: Final = (
    r"(?:\s|[({\[]|about|approximately|roughly|around|only|exactly|just|a|an|the|you|him|her|us|with|at|to|of|on|-"
    r"|\u2212)*$"
)
_SUBORDINATE: Final = re.compile(
    r"(?i)\s*(?:(?:because|since|as|while|although|though|whereas|given|if|only if|unless)\b(?! i\b)"
    r"|(?:out )?of (?:all |the |these )*$"
    rf"|(?:add|after|counting|divide|multiply|subtract|when)\b(?! i\b)(?!.*\b(?:get|have|obtain|end up|arrive){_DIRECT}))"
)
_CONCEDED: Final = re.compile(r"\s*(?:although|as|because|since|though|whereas|while)\b.*,\s*$", re.IGNORECASE)
_PREDICATE: Final = re.compile(r"\s+(?:is|are|was|were|has|had|fits|matches)\b", re.IGNORECASE)
_UNREAL: Final = re.compile(r"[^,.;\n]{0,20}\b(?:if|unless|had)\b", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"(?i)[\s)\]'\u2019]*(?:(?:[^,.;\n]{0,20} )?if\b[^,.;\n]{0,40}\b(?:were|had)\b"
    r"|,?(?: which| that| but)? ?(?:is|are|was|were|would be)\b[^,;.!\n]{0,20}\b(?:wrong|incorrect|false|out|not|tempting"
    r"|close|distractor|unlikely|cancell?ed|eliminated|excluded|mis(?:print|take)"
    r"|too (?:big|few|high|large|little|low|many|much|small))\b"
    r"|(?:is|are|was|would|ca|could|does|did)n['\u2019]t\b|(?:does|do|did|can|could|would) not\b"
    r"|(?::|=|\s[-\u2013\u2014])\s*(?:no|false|incorrect|wrong)\b|\((?:false|incorrect|wrong)\b|[\u2717\u2718\u274c]|out\b"
    r"|(?:looks?|seems?|sounds?|appears?|comes? to mind|fails?|contradicts?)\b)"
)
_CONFIRMED: Final = re.compile(
    r"[\s)\]'\u2019]*(?:is|was) (?:right|correct|the (?:\w+ )?(?:answer|option|choice|one))\b", re.IGNORECASE
)
_ANNOUNCED: Final = re.compile(
    r"(?im)\b(?:answer|result|solution|conclusion|verdict|decision|label|category|classification|sentiment|choice"
    r"|option|pick|total|guess|(?:correct|right|final|actual) (?:value|number|date|name"
    r"|one))\b[^.:=\n]{0,60}?(?:\b(?:is|are|was|be|equals|comes to|amounts to)\b|[:=\u2192]|[-=]>|[*_ ]*\n)|^[*_ ]*A:"
)
_CONCLUDED: Final = re.compile(
    r"(?i)^\W*(?:so|therefore|thus|hence|consequently|in (?:total|the end|summary|short|conclusion)|overall"
    r"|altogether|total)\b"
    rf"|(?:=|\u2192|->|\b(?:equals?|gives?|gets?|yields?|makes?|leaves?|leaving|comes to|comes out to|adds up to"
    rf"|total of|works out to|end up|arrive|remaining)){_DIRECT}"
)
_STATED: Final = re.compile(rf"\b(?:is|are|was|be){_DIRECT}", re.IGNORECASE)
_REMAINS: Final = re.compile(r"[^,.;]{0,30}\b(?:remain|left|stay|in total|altogether|in all)\b", re.IGNORECASE)
_CORRECTION: Final = re.compile(
    r"(?i)(?:^\s*|(?<=[.!?,;:\n(\u2013\u2014\u2026-])\s*|(?<=[.!?,;:\n(\u2013\u2014\u2026-]\s))(?:(?:oh|hmm|ah|um"
    r"|but),? *)?(?P<word>no, wait|wait, no|wait|actually|correction|corrected|updated|fixed|sorry|oops|scratch that"
    r"|on reflection|on second thought|i meant?|i made a mistake|no(?! (?!it|that|the)\w))\b[,:.!?\s]*"
)
_WITHDRAWN: Final = ("no, wait", "wait, no", "correction", "scratch that", "i made a mistake", "oops")
_NO_ANSWER: Final = re.compile(
    r"(?i)\b(?:i (?:refuse|decline|disagree)|(?:i would|i['\u2019]d) (?:prefer|rather) not"
    r"|i (?:do not|don['\u2019]t|can(?:no|['\u2019])t"
    r"|could not) (?:\w+ )?(?:know|tell|say|answer|determine)|cannot (?:be determined|say|tell|answer)|unknown"
    r"|unclear|undetermined|none of (?:them|these|the)|it depends)\b"
)
# Words about something that is not said; they refuse the value of their sentence only.
_NOT_SAID: Final = re.compile(
    r"(?i)\b(?:(?:not|\w+n['\u2019]t) (?:known|stated|given|specified|clear)|no idea|(?:hard|impossible"
    r"|difficult) to (?:say|tell|know))\b"
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|\n")
_GUESS: Final = re.compile(r"\b(?:guess|estimate|speculat|maybe|perhaps|possibly)", re.IGNORECASE)
# Words behind a value that make it another answer, and not a worse one.
_ALSO: Final = re.compile(
    r"(?i)[\s)]*(?:(?:is|are|(?:would|might|could|may) be|seems) (?:also|equally|just as|still) (?:possible|plausible"
    r"|valid|acceptable|correct|right|likely)|(?:is|are|would be) (?:possible|plausible|valid|acceptable|correct"
    r"|right),? (?:too|as well)|(?:might|could|may|would|can) (?:also|equally|still|as well) (?:work|be|fit|apply)"
    r"|(?:cannot|can['\u2019]t) be (?:ruled out|excluded))\b"
)
_ALTERNATIVE: Final = re.compile(r"\b(?:or|alternatively|maybe|perhaps|could also|also|possibly)\b", re.IGNORECASE)


def hide_markup(text: str) -> str:
    return _MARKUP.sub(lambda match: " " * len(match[0]), text)


def is_denied(text: str, end: int) -> bool:
    """Return whether the words behind a value deny it."""
    return _DENIED.match(text.replace("`", " "), end) is not None


def find_claim(text: str, values: Sequence[Value], bound: re.Pattern[str]) -> Part | None:
    """Return the value that a text claims; None if there is none, or if it is a bound, unreadable or one of several."""
    if not values:
        return None
    # A text with more values is a reasoning, and only its end counts.
    values = _without_corrected(text, values[-200:])
    starts = _find_clauses(text, values)
    announced = [match.end() for match in _ANNOUNCED.finditer(text)]
    ranked: list[tuple[int, int, Value]] = []
    # The label "no" denies nothing.
    context = text
    for value in values:
        start, end, sentence = _clause_of(value, starts, text)
        before = context[start : value.part.start]
        context = (
            context[: value.part.start] + "\ufffc" * (value.part.end - value.part.start) + context[value.part.end :]
        )
        after = text[value.part.end : end]
        if (
            _NEGATED.search(before)
            or is_denied(text, value.part.end)
            or (_SUBORDINATE.match(before) and not (_CONCEDED.match(before) and _PREDICATE.match(after)))
            or (re.search(r"(?i)\bwould\b", before) and _UNREAL.match(after))
            or text[end : end + 1] == "?"
        ):
            continue
        candidate = value
        if bound.search(before) or _BOUND_AFTER.match(text, value.part.end):
            candidate = value._replace(key=None)
        has_earlier = any(start <= other.part.start < value.part.start for other in values)
        is_stated = has_earlier and _STATED.search(before)
        is_concluded = _CONCLUDED.search(before) or _CONCLUDED.match(text[sentence:start]) or _REMAINS.match(after)
        line_before = text[text.rfind("\n", 0, value.part.start) + 1 : value.part.start]
        is_alone = not line_before.strip() and not after.strip()
        rank = 0
        if is_stated or is_concluded or is_alone:
            rank = 1
        # The first clause with a value behind an announcement in its sentence.
        earlier = [other.part.start for _, _, other in ranked if other.part.start < start]
        places = [place for place in announced if sentence <= place <= value.part.start]
        if _CONFIRMED.match(after) or any(not any(place <= other for other in earlier) for place in places):
            rank = 2
        ranked.append((rank, start, candidate))
    claim = _choose(text, ranked)
    if claim is None or any(value.key != claim.key and _ALSO.match(text, value.part.end) for value in values):
        return None
    return claim.part


def _choose(text: str, ranked: Sequence[tuple[int, int, Value]]) -> Value | None:
    if not ranked:
        return None
    best = max(rank for rank, _, _ in ranked)
    top = [(start, value) for rank, start, value in ranked if rank == best]
    if best:
        top = [(start, value) for start, value in top if start == top[-1][0]]
    chosen = [value for _, value in top]
    last = chosen[-1]
    if best and len(chosen) > 1:
        between = text[chosen[-2].part.end : last.part.start]
        is_stated = _CONCLUDED.search(between) or _STATED.search(between)
        if is_stated and not re.search(r"[,;]\s|\b(?:and|or)\b", between):
            chosen = [last]
    if last.key is None or any(value.key != last.key for value in chosen):
        return None
    for _, start, value in ranked:
        if start > top[-1][0] and value.key != last.key and _ALTERNATIVE.search(text[start : value.part.start]):
            return None
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    beginning = max((end for end in ends if end <= last.part.start), default=0)
    ending = min((end for end in ends if end >= last.part.end), default=len(text))
    is_guess = _GUESS.search(text, beginning, ending) is not None
    for refusal in (_NO_ANSWER.search(text), _NOT_SAID.search(text, beginning, ending)):
        if refusal and (not best or refusal.start() > last.part.start or is_guess):
            return None
    return last


def _without_corrected(text: str, values: Sequence[Value]) -> Sequence[Value]:
    """Leave out the values before the last correction."""
    for match in reversed(list(_CORRECTION.finditer(text))):
        earlier = [value for value in values if value.part.start < match.end()]
        later = [value for value in values if value.part.start >= match.end()]
        word = match["word"].casefold()
        if word == "wait, no" and not later:
            later = [value for value in values if value.part.start > match.start("word")]
        if not earlier or (word == "no" and any(match.start() <= value.part.start for value in earlier)):
            continue
        if later or word in _WITHDRAWN:
            return later
    return values


def _find_clauses(text: str, values: Sequence[Value]) -> list[tuple[int, bool]]:
    """Return the start of each clause, and whether it starts a sentence."""
    spans = [(value.part.start, value.part.end) for value in values]
    starts = {0: True}
    for pattern in (_ASIDE, _SOFT, _CORRECTION, _HARD):
        for match in pattern.finditer(text):
            if not any(start <= match.start() < end for start, end in spans):
                starts[match.end()] = pattern is _HARD
    asides = {match.end() for match in _ASIDE.finditer(text)}
    clauses: list[tuple[int, bool]] = []
    for start in sorted(starts):
        # An aside ends a clause only where the clause has a value.
        if start in asides and not starts[start] and not any(clauses[-1][0] <= first < start for first, _ in spans):
            continue
        clauses.append((start, starts[start]))
    return clauses


def _clause_of(value: Value, clauses: Iterable[tuple[int, bool]], text: str) -> tuple[int, int, int]:
    """Return where the clause of a value starts and ends, and where its sentence starts."""
    begin = sentence = 0
    end = len(text)
    for start, is_sentence in clauses:
        if start > value.part.start:
            end = start
            break
        begin = start
        if is_sentence:
            sentence = start
    while end > value.part.end and end < len(text) and text[end - 1].isspace():
        end -= 1
    if end > value.part.end and text[end - 1] == "?":
        end -= 1
    return begin, end, sentence


# The claim of a longer reply is in its last characters, which bounds the time of the search.
_LONGEST: Final = 4_000
TAG: Final = re.compile(r"<((?:final_)?answer)>((?:[^<]|<(?!/?\1>))*+)</\1>", re.IGNORECASE)
_MARKED: Final = (
    TAG,
    re.compile(r"(\\)boxed\{((?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\})*+)\}", re.DOTALL),
    re.compile(r"^(#{4,})[ \t]+(.+)$", re.MULTILINE),
)
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
_NUMBER_BOUND: Final = re.compile(
    r"(?i)(?:\b(?:at (?:the )?(?:least|most)|anywhere from|double|twice|triple|times|per|(?:more|less|fewer|greater"
    r"|higher|lower|larger|smaller|bigger) than(?: or equal to)?|up to|over|under|above|below|nearly|almost|close to"
    r"|beyond|exceed(?:s|ing)?|just|maxim(?:um|al)(?: of| is)?|minim(?:um|al)(?: of| is)?|upwards of|max|min|(?:half"
    r"|thirds?|quarters?|fourths?|fifths?|tenths?|percent|%) (?:of|in)|(?:one|two|three|four|five|[0-9]|\ufffc) (?:in"
    r"|of|out of))|at best|at worst|otherwise|else|(?:root|logarithm|log|ln|factorial|square|cube|inverse|reciprocal)(?: of)?"
    r"|[<>\u2264\u2265\xb1\u2260]|[<>!]=)[,\s$\u20ac\xa3:]*$"
)
_DATE_BOUND: Final = re.compile(
    r"(?i)\b(?:(?:week|month|year|days?|weeks|months|years) (?:of|from)|within|(?:around the time|start|end|eve) of"
    r"|before|after|by|until|till|since|prior to|following|than|latest|earliest|through|up to|on or about"
    r"|at (?:the )?(?:least|most)|early|late)[\s:,]*$"
    r"|[0-9](?:st|nd|rd|th)?\s*(?:and|or|to|through|[-\u2013/&,])\s*$|[<>\u2264\u2265]\s*$"
)
_BOUND_AFTER: Final = re.compile(
    r"(?i)[\s)]*(?:(?:or|and) (?:[0-9]{4}\b|more|less|fewer|above|below|higher|lower|over|under|up|later|earlier"
    r"|before|after|the (?:day|week|month|year) (?:after|before))\b|\+|\u2265|\xb1|(?:\.{2,}|\u2026)\s*[0-9]"
    r"|(?:at (?:an? |the )?(?:best|worst|most|least|latest|earliest|minimum|maximum)|minimum|maximum|max|min|plus"
    r"|until|per thousand|times as|times more|short of"
    r"|(?:less|more|fewer|greater|higher|lower|larger|smaller) than)\b|[\u2013\u2014-]\s*[0-9])"
)
_NAME_BOUND: Final = re.compile(
    r"(?i)(?:\b(?:near|close to|(?:north|south|east|west) of|outside(?: of)?|like|such as|e\.g\.|than|rival of|same \w+ as)"
    r"|[\u2717\u2718\u274c]|\[ \])\s*(?:the\s+)?$"
)
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
    claim = find_claim(plain, list(find(plain)), bound)
    return [] if claim is None else [Part(claim.value, claim.start + start, claim.end + start)]


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

    return functools.partial(_claim_in, find=find, bound=_NAME_BOUND)


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
    if len(name) > 1:
        return f"(?i:{words})"
    # "A" and "I" are also English words.
    return rf"{words}(?! (?!is|was|or|and|because|since|as|fits|fails|contradicts|looks|seems)[a-z])"


_ITEM: Final = re.compile(r"^(\s*)(?:[-*+\u2022\u2013]|\(?[0-9]+[.)]|\(?[a-z]\))\s+(\S.*)$")
_ROW: Final = re.compile(r"^\s*\|(.*)\|\s*$")
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$")
_OPEN: Final = re.compile(
    r"(?i)\b(?:or|not|neither|nor|except|without|etc|such as|for example|e\.g|among others|and (?:so on|more|others)"
    r"|never|either)\b|n['\u2019]t\b|\.\.\.|\u2026|\?"
)
# Before a list: it is no answer, or only a part of one.
_NO_ANSWER_FOLLOWS: Final = re.compile(
    r"(?i)\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|some of|a few|examples?|among|at least|wrong|incorrect|excluded"
    r"|eliminated|avoid|unlike|you said|possibl[ey]|maybe|perhaps)\b"
)
# Behind a list: something that is added to it, or that takes it back.
_ADDED: Final = re.compile(
    r"(?im)^\W*(?:(?:(?:no|oh|hmm),? )?wait|actually|correction|and|also|plus|but|however|sorry|oops|as well as"
    r"|there (?:is|are) (?:also|more|another|others)|i (?:forgot|missed|made|meant))\b"
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
        is_open = _OPEN.search(introduction) or _NO_ANSWER_FOLLOWS.search(introduction)
        if not is_one_block or is_open or _ADDED.search("\n".join(lines[numbers[-1] + 1 :])):
            return []
        return [_clean_item(match[2]) for match in bullets]
    brackets = list(_BRACKETS.finditer(text))
    if len(brackets) == 1 and not _OPEN.search(text):
        start, end = brackets[0].span()
        if _NO_ANSWER_FOLLOWS.search(text[:start]) or _ADDED.match(text[end:]) or is_denied(text, end):
            return []
        return _split_items(brackets[0][1])
    if len(lines) > 1 and not any(re.search(r"[.:,;]\s*$|, ", line) for line in lines):
        return [_clean_item(line) for line in lines]
    if len(lines) != 1 or _OPEN.search(lines[0]):
        return []
    line = re.sub(r"^(?:sure|of course|certainly)[!,.]\s*", "", lines[0], flags=re.IGNORECASE)
    head = _HEAD.match(line)
    if head and _NO_ANSWER_FOLLOWS.search(head[0]):
        return []
    return _split_items(line[head.end() :] if head else line)


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
