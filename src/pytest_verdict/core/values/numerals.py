"""Numbers in prose: what stands beside a number and may change it is read with it, or the number is refused.

"5 million" is 5,000,000, and "5²", "1/5" or "5 lakh" have no value; none of them is 5.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from pytest_verdict.core.values.numbers import EXACT

_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FACTORS: Final = {"dozen": 12, "hundred": 100, **_SCALES}
_SCALED_AND: Final = r"(?:hundred|thousand|[mbt]r?illion)(?:[ -]and)?"
_FRACTION: Final = (
    r"(?:hal(?:f|ves)|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|[a-z]+(?:dred|sand|illion)th)s?)"
)
# Words for powers of ten and for dozens, with their endings. Words in other scripts are all refused.
_MAGNITUDE: Final = re.compile(
    rf"{_FRACTION}|squared|cubed|factorial|gross(?:es)?|[a-z]*illi(?:on|ard)\w*|(?:m|b|tr)il[lijhy]*[oó]n\w*"
    r"|(?:m|b|tr)il(?:[lijhy]*ard|hão|hões|joen|yar)\w*|mill?|milles?|mila|cien(?:to?s?)?|bil|vạn|chục|tỷ"
    r"|(?:hundred|hundert|hundr|honderd|thousand|tausend|tusen|duizend|tysi|tisíc|tisuć|tūkst|tuha|hiljad|mijë|ezer"
    r"|dozen|dutzend|douzain|docen|dúzia|dozzin|tuzin|lakh|crore|kharab|myriad|googol|ribu|juta|nghìn|triệu|elfu|libo)\w*"
    r"|k|kk|lac|thou|tsd|tys|tis|mio|mln|mld|mrd|mn|bio|bln|bn|tn|trn",
    re.IGNORECASE,
)
# "m" is a metre far more often than a million, and "mm" a millimetre.
_SYMBOLS: Final = frozenset({"M", "MM", "Md", "B", "T", "L", "Cr", "cr", "tr", "grand", "i", "j"})
# The degree sign, the micro sign and the ohm.
_UNITS: Final = frozenset("\xb0\xb5\u03bc\u03a9\u2126")
_LATIN: Final = re.compile(r"[a-zA-Z\xc0-\u024f\u1e00-\u1eff]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")

# Beyond these, a product could be rounded.
_MAXIMUM_FACTOR: Final = 10**18
_MAXIMUM_DIGITS: Final = 1_000

_BLANKS: Final = " \t\u00a0\u2009\u202f"
_B: Final = f"[{_BLANKS}]"
_CURRENCY: Final = "$\xa2\xa3\xa4\xa5\u20ac\u20b9\u20bd\u20ba\u20a9\u20bf"
_MONEY: Final = rf"(?:[{_CURRENCY}]|(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?)\b)"
# A sign between two operands, as in 7-3, belongs to no number. A comma or narrow blank before three digits separates thousands.
_NUMBER: Final = re.compile(
    r"(?:(?<![\w)\]])(?P<sign>[-+\u2212])[$€£¥]?)?(?<![\w.])(?:"
    r"(?P<continental>[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9.,]*[0-9])|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![.,]?[0-9]))"
    r"|(?P<digits>[0-9]{1,3}(?:(?:[,\u00a0\u2009\u202f'\u2019]|\{,\}|\\,)[0-9]{3})+(?![0-9])|[0-9]+)"
    r"(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?P<spaced>(?: [0-9]{3})+(?![0-9]))?)"
)
# An operator, a sign or a bracket before a number that makes it a part of another number.
_CHANGED_BEFORE: Final = re.compile(
    rf"(?:(?<!\S)[\u2013\u2014\ufe63\uff0d]|(?:\w{_B}*\^|\w\*\*){_B}*[({{]?[-+\u2212]?|±|\+/-|[/\u2044\u2215√]{_B}?"
    rf"|[0-9]{_B}*(?:[\xd7·⋅✕x*]|\\(?:times|cdot)){_B}*|[0-9][.,:]|\\[dt]?(?:frac|sqrt)[^ ]*{{"
    rf"|\b(?:{_SCALED_AND}|minus|negative|out of|power of|half of|times ten to the){_B}+)[$€£¥]?$",
    re.IGNORECASE,
)
_CHANGED_AFTER: Final = re.compile(
    rf"[.,:_h'\u2019\u2032][0-9]|{_B}*[/\u2044\u2215]{_B}*[0-9]|{_B}*\^|\*\*[({{]?[-+]?[0-9]"
    rf"|{_B}*(?:[\xd7·⋅✕x*]|\\(?:times|cdot)){_B}*10(?![0-9.,])|[xXbBoO][0-9A-Fa-f]+\b|{_B}*[‰‱]|[-\u2212](?=[\s.,;)]|$)"
    rf"|{_B}+(?:out of|to the power of|times ten to|over){_B}+[0-9]|{_B}+(?:and{_B}+)?[0-9]{{1,15}}[/\u2044\u2215][0-9]"
    rf"|[-{_BLANKS}]+and[-{_BLANKS}]+(?:an?|one|two|three)[-{_BLANKS}]+{_FRACTION}\b|{_B}+per{_B}+(?:mil|thousand|hundred|myriad)"
    rf"|(?:{_B}*(?:°[CF]?|degrees?))?{_B}+below{_B}+(?:zero|freezing)"
    # An exponent is written to the number: "3 e2e tests" and "7 E4 cells" have names.
    rf"|\.e[+-]?[0-9]|{_B}+(?:e[+-][0-9]|(?:(?-i:e)[0-9]+|e[0-9]+(?!{_B}+[^\W\d_]{{3}}))(?![\w-]))",
    re.IGNORECASE,
)
# A magnitude in the head of a table or in a note, as in "(in thousands)", "($M)" and "in k€". A letter is one only with a
# currency, or in capitals after "in".
_SCALE: Final = rf"(?:{'|'.join(_FACTORS)}|lakh|crore)"
_LETTER: Final = r"(?-i:[kKmMbBT]|MM|mm|Mio\.?|Mrd\.?|mln|mn|bn)"
_PAID_LETTERS: Final = (
    rf"(?:(?<![\w$'\u2019]){_MONEY}{_B}?(?:in{_B}+)?{_LETTER}(?![\w$])"
    rf"|(?<![\w$'\u2019])(?-i:[kKM]|Mio\.?|Mrd\.?|mln|mn|bn){_B}?{_MONEY})"
)
_IN_LETTER: Final = rf"\bin{_B}+(?-i:[kKM])(?![\w&-])"
_SCALED_BEFORE: Final = re.compile(
    rf"(?:(?:{_PAID_LETTERS}|{_IN_LETTER}[{_BLANKS}:=]*)[){_BLANKS}:]*"
    rf"|(?:\b{_SCALE}s\b|(?:\bin{_B}+|\({_B}*)(?:{_MONEY}{_B}?)?{_SCALE}\b)[^.\d\n]{{0,30}})[{_CURRENCY}]?$",
    re.IGNORECASE,
)
_SCALED_AFTER: Final = re.compile(
    rf",?{_B}*(?:\(?{_B}*(?:{_IN_LETTER}|(?:in{_B}+)?{_PAID_LETTERS})"
    rf"|(?:\({_B}*(?:{_MONEY}{_B}?)?(?:in{_B}+)?|in{_B}+)(?:{_MONEY}{_B}?)?{_SCALE}s?\b)",
    re.IGNORECASE,
)
_PAID: Final = re.compile(rf"{_MONEY}{_B}?$")
_WORD: Final = re.compile(rf"[*_~`\"'\u201d\u2019)\\\]}}]*{_B}*[-\u2010\u2011]?[*_~`]*([^\W\d_]+)(-(?=[^\W\d_])|&)?")


class Numeral(NamedTuple):
    """A number in a text; the value is None if something around it changes it in a way that is not read."""

    value: str | None
    start: int
    end: int


def find_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers of a text, each with its sign, separators and magnitude."""
    position = 0
    while match := _NUMBER.search(text, position):
        numeral = _read(text, match)
        yield numeral
        position = numeral.end


def _read(text: str, match: re.Match[str]) -> Numeral:
    start, end = match.span()
    before = text[max(start - 60, 0) : start]
    after = text[end : end + 60]
    # Accounts write a negative number in brackets.
    is_in_brackets = re.search(r"\([$€£¥]?\s*$", before) and re.match(r"\s*[$€£¥]?\)", after)
    # A digit of another script, a superscript or a vulgar fraction goes on with the number.
    following = after.lstrip(_BLANKS)[:1]
    goes_on = after[:1].isnumeric() or (following.isnumeric() and not following.isalpha() and not following.isdecimal())
    is_changed = _CHANGED_BEFORE.search(before) or _CHANGED_AFTER.match(after)
    if match["spaced"] or is_in_brackets or goes_on or is_changed:
        return Numeral(None, start, end)

    factor: int | None = 1
    first_digit = max(match.start("continental"), match.start("digits"))
    is_paid = _PAID.search(text, max(first_digit - 10, 0), first_digit)
    while factor is not None and (word := _WORD.match(text, end)):
        multiplier = _multiplier_of(word[1], is_compound=word[2] is not None)
        if is_paid and word[1].casefold() in {"m", "mm"}:
            multiplier = None
        if word[1] in {"i", "j"} and word.start(1) > end:
            # Not the imaginary unit, as in "42 i think".
            multiplier = 1
        if multiplier == 1:
            break
        factor = multiplier and factor * multiplier
        end = word.end(1)
    if end > match.end() and (_CHANGED_AFTER.match(text, end) or _GOES_ON.match(text, end)):
        factor = None
    if factor is None or _SCALED_BEFORE.search(before) or _SCALED_AFTER.match(text, end):
        return Numeral(None, start, end)

    digits = match["continental"]
    if digits:
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = re.sub("[^0-9]", "", match["digits"]) + match["rest"]
    sign = "-" if match["sign"] in {"-", "\u2212"} else ""
    if factor == 1:
        return Numeral(f"{sign}{digits}", start, end)
    if factor > _MAXIMUM_FACTOR or len(digits) > _MAXIMUM_DIGITS or "e" in digits.casefold():
        return Numeral(None, start, end)
    return Numeral(f"{sign}{EXACT.multiply(Decimal(digits), factor).normalize(EXACT):f}", start, end)


def _multiplier_of(word: str, *, is_compound: bool) -> int | None:
    """Return what a word multiplies the number before it by: 1 for a unit, None if it is not read."""
    if is_compound and len(word) == 1:
        # As in "5 K-pop songs" and "5 M&Ms".
        return 1
    if word.casefold() in _FACTORS:
        # "5 hundred-dollar bills" are not 500.
        return None if is_compound else _FACTORS[word.casefold()]
    return None if changes_number(word) else 1


def changes_number(word: str) -> bool:
    """Return whether a word behind a number is a magnitude, a fraction or a power, and no unit."""
    if word[:1] in _UNITS:
        return False
    if not _LATIN.match(word):
        # A superscript or a vulgar fraction is a letter to a regular expression, too.
        return True
    # A superscript behind a magnitude is a letter to a regular expression, too.
    letters = "".join(itertools.takewhile(str.isalpha, word))
    return letters in _SYMBOLS or _MAGNITUDE.fullmatch(letters) is not None


# Cardinal numbers in English words.
_BELOW_20: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES: Final = dict(zip((*_BELOW_20, *_TENS), (*range(20), *range(20, 100, 10)), strict=True))
_FIRST_WORD: Final = rf"(?:{'|'.join(_VALUES)}|a(?=[ -](?:{'|'.join(_FACTORS)})\b))\b"
_NEXT_WORD: Final = rf"(?:{'|'.join([*_VALUES, *_FACTORS])})\b"
# "And" and a comma go on with a number only behind a power of ten.
_LARGE: Final = "|".join(f"(?<={word})" for word in _SCALES)
# Behind a magnitude: the rest of the number.
_GOES_ON: Final = re.compile(rf"[ -](?:and[ -])?(?:[0-9]|{_NEXT_WORD})", re.IGNORECASE)
_NUMBER_IN_WORDS: Final = re.compile(
    rf"(?<![\w-])(?:(minus|negative) )?({_FIRST_WORD}"
    rf"(?:(?:[ \t\u00a0]+|-|(?:(?<=hundred)|{_LARGE})(?:,? and |-and-)|(?:{_LARGE}), ){_NEXT_WORD})*)",
    re.IGNORECASE,
)
_WORDS_CHANGED_BEFORE: Final = re.compile(
    rf"(?:\b(?:{_FRACTION}|{'|'.join(_FACTORS)}|out of|point|power of|times|in|over|plus or minus)(?: of)?(?: a)?|[0-9])[ -]$",
    re.IGNORECASE,
)
_WORDS_CHANGED_AFTER: Final = re.compile(
    rf"[ -](?:(?:and (?:an? |one |three )?)?{_FRACTION}\b|(?:out of|over|to the|point|times) \w"
    rf"|in (?:\w+ )?(?:[0-9]|{_NEXT_WORD})"
    r"|(?:[a-z]*(?:first|second)|dozens|scores?|gross|lakhs?|crores?|squared|cubed|hundreds|thousands|[a-z]+illions?"
    r"|factorial)\b)|-[0-9]| ?[/^\xb2\xb3]",
    re.IGNORECASE,
)


def find_number_words(text: str) -> Iterator[Numeral]:
    """Yield the numbers in words of a text; the value is None if a word beside them changes it."""
    for match in _NUMBER_IN_WORDS.finditer(text):
        value = _read_words(_LETTERS.findall(match[2].casefold()))
        is_changed = _WORDS_CHANGED_BEFORE.search(text, max(match.start() - 20, 0), match.start()) is not None
        # "Five hundred-dollar bills" are not 500.
        is_compound = text.startswith("-", match.end()) and match[2].casefold().endswith(tuple(_FACTORS))
        if value is None or is_changed or is_compound or _WORDS_CHANGED_AFTER.match(text, match.end()):
            yield Numeral(None, match.start(), match.end())
        else:
            sign = "-" if match[1] and value else ""
            yield Numeral(f"{sign}{value}", match.start(), match.end())


def _read_words(words: Sequence[str]) -> int | None:
    """Return the number, or None if the words are not one number, as in "nineteen eighty-four"."""
    total = 0
    part = 0
    # The next word must be smaller than this: "five" may follow "twenty" and "hundred", and nothing follows "five".
    room = 1_000
    scale = 10**15
    for word in words:
        if word in _SCALES:
            if not part or _SCALES[word] >= scale:
                return None
            scale = _SCALES[word]
            total += part * scale
            part = 0
            room = 1_000
        elif word in _FACTORS:
            if not 0 < part < 100:
                return None
            part *= _FACTORS[word]
            room = 100 if word == "hundred" else 0
        elif word != "and":
            value = _VALUES.get(word, 1)
            if value >= room or (value == 0 and len(words) > 1):
                return None
            part += value
            room = 10 if value >= 20 else 0
    return total + part
