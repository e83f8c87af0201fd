"""The value that a reply claims, out of those that it mentions: one rule for numbers, dates and names.

A value is no claim where it is negated, asked, taken back or said of somebody else. What a reply announces ("the answer is")
comes before what it concludes ("so", "=", "that leaves"), and that before what it only says. Several values are no answer.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple


class Part(NamedTuple):
    value: Any
    start: int
    end: int


class Value(NamedTuple):
    """A value in a reply; two with the same key are the same answer, and one without a key cannot be read."""

    part: Part
    key: Hashable | None


# Markup without a meaning is replaced by as many blanks, so that positions stay.
_MARKUP: Final = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|mbox)\{|\\[()\[\]!;: {}]|\\,(?!\d)|(?<!\w)[*_]+|[*_]+(?!\w)|[`\"“”]"
    # The dollar between a sign and a number does not part them.
    r"|(?<![-+\u2212])\$|\$(?!\d)|(?<=\d)\\\$"
)
_HARD: Final = re.compile(r"\n|(?:[.!?\u2026]+(?=[\s)\]\"'}]|$))|;")
_SUBJECTS: Final = "it|that|this|there|the|i|we|you|he|she|they|so"
_SOFT: Final = re.compile(
    rf"(?<!\s),?\s++(?<!anything )(?<!everything )(?<!all )(?=(?:but|however|whereas|although|though"
    rf"|while|because|since|so|hence|which|and not|and (?:{_SUBJECTS}))\b)"
    rf"|,\s+(?=(?:{_SUBJECTS}|not|no|and|hence|thus|therefore|as|in|altogether)\b)"
    rf"|(?<!\s)\s++(?=(?:rather than|instead of|not)\b)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"\s[(\u2013\u2014-](?=[\s(]|\w)|:\s")
_NEGATED: Final = re.compile(
    r"\b(?:not(?! (?:sure|certain|mistaken|only|just|wrong)\b)|never|cannot|neither|nor"
    r"|no(?= \w)(?! doubt)|without|except|"
    r"excluding|unlike|rather than|instead of|(?:any|every)thing but|all but|other than|doubt"
    r"|incorrect|wrong|rul(?:e|ing) out|eliminate|contrary to|"
    r"(?:might|would|could|may) (?:expect|think)|many (?:think|believe)|some (?:say|think)|you said"
    r"|at first|initially|"
    r"i (?:first|thought|considered|said)|first i)\b|n['\u2019]t\b(?! (?:sure|certain))",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"\s*(?:because|since|as|while|although|though|whereas|given|of|after|if|when|counting)\b(?! i\b)", re.IGNORECASE
)
_DENIED: Final = re.compile(
    r"[\s)\]'\u2019]*(?:(?:is|are|was|were|would be)\b[^,;.!\n]{0,20}\b(?:wrong|incorrect|false|out"
    r"|not|tempting|close|distractor|unlikely)\b"
    r"|(?:is|are|was|would|ca|could|does|did)n['\u2019]t\b|(?:does|do|did|can|could|would) not\b|(?::"
    r"|\s-)\s+no\b|out\b|(?:looks?|seems?|sounds?|appears?|comes? to mind|fails?|contradicts?)\b)",
    re.IGNORECASE,
)
_CONFIRMED: Final = re.compile(
    r"[\s)\]'\u2019]*(?:is|was) (?:right|correct|the (?:\w+ )?(?:answer|option|choice|one))\b", re.IGNORECASE
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:answer|result|solution|conclusion|verdict|decision|label|category|classification|sentiment"
    r"|choice|option|pick|total"
    r"|guess|(?:correct|right|final|actual) (?:value|number|date|name|one))\b[^.:=\n]{0,60}?"
    r"(?:\b(?:is|are|was|be|equals|comes to|amounts to)\b|[:=\u2192]|[-=]>|[*_ ]*\n)|^[*_ ]*A:",
    re.IGNORECASE | re.MULTILINE,
)
_DIRECT: Final = (
    r"(?:\s|[({\[]|about|approximately|roughly|around|only|exactly|just|a|an|the"
    r"|you|him|her|us|with|at|to|of|on|-|\u2212)*$"
)
_CONCLUDED: Final = re.compile(
    r"^\W*(?:so|therefore|thus|hence|consequently|in (?:total|the end|summary|short|conclusion)"
    r"|overall|altogether|total)\b"
    rf"|(?:=|\u2192|->|\b(?:equals?|gives?|gets?|yields?|makes?|leaves?|leaving|comes to|comes out to"
    rf"|adds up to|works out to|"
    rf"end up|arrive|remaining)){_DIRECT}",
    re.IGNORECASE,
)
_STATED: Final = re.compile(rf"\b(?:is|are|was|be){_DIRECT}", re.IGNORECASE)
_REMAINS: Final = re.compile(r"[^,.;]{0,30}\b(?:remain|left|stay|in total|altogether|in all)\b", re.IGNORECASE)
_CORRECTION: Final = re.compile(
    r"(?:^\s*|(?<=[.!?,;:\n(\u2013\u2014\u2026-])\s*|(?<=[.!?,;:\n(\u2013\u2014\u2026-]\s))(?:(?:oh"
    r"|hmm|ah|um|but),? *)?(?P<word>no, wait|wait, no|wait|actually|correction"
    r"|corrected|updated|fixed|sorry|oops|scratch that|on reflection|on second thought|i meant?"
    r"|i made a mistake|no)\b[,:.!?\s]*",
    re.IGNORECASE,
)
_WITHDRAWN: Final = ("no, wait", "wait, no", "correction", "scratch that", "i made a mistake", "oops")
_NO_ANSWER: Final = re.compile(
    r"\b(?:i (?:do not|don['\u2019]t|can(?:no|['\u2019])t|could not) (?:\w+ )?(?:know|tell|say|answer|determine)|"
    r"cannot (?:be determined|say|tell|answer)|unknown|unclear|undetermined|none of (?:them|these|the)|it depends)\b",
    re.IGNORECASE,
)
# Words about something that is not said; they refuse the value of their sentence only.
_NOT_SAID: Final = re.compile(
    r"\b(?:(?:not|\w+n['\u2019]t) (?:known|stated|given|specified|clear)|no idea"
    r"|(?:hard|impossible|difficult) to (?:say|tell|know))\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|\n")
_GUESS: Final = re.compile(r"\b(?:guess|estimate|speculat|maybe|perhaps|possibly)", re.IGNORECASE)
# Words behind a value that make it another answer, and not a worse one.
_ALSO: Final = re.compile(
    r"[\s)]*(?:(?:is|are|(?:would|might|could|may) be|seems) (?:also|equally|just as|still)"
    r" (?:possible|plausible|valid|acceptable|correct|right|likely)"
    r"|(?:is|are|would be) (?:possible|plausible|valid|acceptable|correct|right),? (?:too|as well)"
    r"|(?:might|could|may|would|can) (?:also|equally|still|as well) (?:work|be|fit|apply)|(?:cannot|can['\u2019]t) be"
    r" (?:ruled out|excluded))\b",
    re.IGNORECASE,
)
_ALTERNATIVE: Final = re.compile(r"\b(?:or|alternatively|maybe|perhaps|could also|also|possibly)\b", re.IGNORECASE)


def hide_markup(text: str) -> str:
    return _MARKUP.sub(lambda match: " " * len(match[0]), text)


def is_denied(text: str, end: int) -> bool:
    """Return whether the words behind a value deny it."""
    return _DENIED.match(text.replace("`", " "), end) is not None


def find_claim(text: str, values: Sequence[Value], is_bound: Callable[[str, str], bool]) -> Part | None:
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
            or _SUBORDINATE.match(before)
            or text[end : end + 1] == "?"
        ):
            continue
        candidate = value
        if is_bound(before, text[value.part.end :]):
            candidate = value._replace(key=None)
        has_earlier = any(start <= other.part.start < value.part.start for other in values)
        is_stated = has_earlier and _STATED.search(before)
        is_concluded = _CONCLUDED.search(before) or _CONCLUDED.match(text[sentence:start]) or _REMAINS.match(after)
        line_before = text[text.rfind("\n", 0, value.part.start) + 1 : value.part.start]
        is_alone = not line_before.strip() and not after.strip()
        rank = 0
        if is_stated or is_concluded or is_alone:
            rank = 1
        if _CONFIRMED.match(after) or _is_announced(
            value, sentence, announced, [other for _, _, other in ranked], start
        ):
            rank = 2
        ranked.append((rank, start, candidate))
    claim = _choose(text, ranked)
    if claim is None or any(value.key != claim.key and _ALSO.match(text, value.part.end) for value in values):
        return None
    return claim.part


def _is_announced(value: Value, sentence: int, announced: Sequence[int], earlier: Sequence[Value], start: int) -> bool:
    """Whether a value is in the first clause with a value behind an announcement in its sentence."""
    places = [place for place in announced if sentence <= place <= value.part.start]
    return any(not any(place <= other.part.start < start for other in earlier) for place in places)


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
    beginning, ending = _find_sentence(text, last.part)
    is_guess = _GUESS.search(text, beginning, ending) is not None
    for refusal in (_NO_ANSWER.search(text), _NOT_SAID.search(text, beginning, ending)):
        if refusal and (not best or refusal.start() > last.part.start or is_guess):
            return None
    return last


def _find_sentence(text: str, part: Part) -> tuple[int, int]:
    """Return where the sentence of a part begins and ends."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    beginning = max((end for end in ends if end <= part.start), default=0)
    ending = min((end for end in ends if end >= part.end), default=len(text))
    return beginning, ending


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
