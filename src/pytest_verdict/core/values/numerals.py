"""Numbers in prose, and the words and signs around them that change their value.

A number is read together with its qualifiers, or refused as a whole: "5 million" is never 5.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from pytest_verdict.core.values.numbers import EXACT

_FACTORS: Final = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
# "m" is left out, because it is a metre far more often than a million.
_SYMBOLS: Final = frozenset({
    "k", "K", "M", "MM", "mm.", "mn", "Mn", "MN", "mio", "Mio", "MIO", "mil", "mln", "Mln", "mld", "Mld", "mrd", "Mrd",
    "MRD", "Md", "B", "bn", "Bn", "BN", "bil", "bln", "tn", "Tn", "TN", "trn", "T", "tr", "L", "lac", "Cr", "cr", "tsd",
    "Tsd", "TSD", "tys", "tis", "bio", "Bio", "grand", "i", "j", "kk", "KK", "thou",
})  # fmt: skip
# Stems, because most languages inflect the words for powers of ten.
_STEMS: Final = (
    "hundert", "cent", "cien", "hundr", "honderd", "сот", "tausend", "thousand", "mill", "miles", "mille", "mila", "mil",
    "tusen", "duizend", "tysi", "tisíc", "тыс", "тис", "million", "millión", "millon", "millón", "milhão", "milhões",
    "milion", "miljoen", "miljon", "miljard", "миллион", "мільйон", "млн", "milliard", "milijard", "миллиард", "млрд",
    "billion", "biljoen", "billón", "bilhão", "bilhões", "trillion", "trillón", "trilhão", "триллион", "трлн",
    "quadrillion", "quintillion", "lakh", "crore", "arab", "kharab", "myriad", "dozen", "dutzend", "douzaine", "docena",
    "dúzia", "dozzina", "tuzin", "дюжин", "score", "gross", "googol", "juta", "ribu", "milyar", "milyon", "bin", "triệu",
    "tỷ", "nghìn", "vạn", "chục", "ezer", "tuha", "mijë", "milionë", "elfu", "libo", "tūkst", "tisuć",
    "hiljad", "хиляд", "χιλι", "εκατομμ", "δισεκ", "אלף", "אלפ", "מיליון", "מיליארד", "พัน", "หมื่น",
    "แสน", "ล้าน", "हज़ार", "हजार", "लाख", "करोड़", "ألف", "مليون", "مليار",
)  # fmt: skip
_FRACTION_WORDS: Final = (
    "half", "halves", "third", "thirds", "quarter", "quarters", "fourth", "fourths", "fifth", "fifths", "sixth", "sixths",
    "seventh", "sevenths", "eighth", "eighths", "ninth", "ninths", "tenth", "tenths", "hundredth", "hundredths",
    "thousandth", "thousandths", "millionth", "millionths", "billionth", "billionths",
)  # fmt: skip
_POWER_WORDS: Final = ("squared", "cubed", "factorial")
_EAST_ASIAN: Final = "十百千万萬亿億兆천만억조십백"
_EXACT_WORDS: Final = frozenset({*_FACTORS, *_FRACTION_WORDS, *_POWER_WORDS})
# Words that begin like a stem of ours and are units or ordinary nouns.
_PLAIN_WORDS: Final = frozenset({
    "cent", "cents", "centavo", "centavos", "centime", "centimes", "center", "centers", "centre", "centres", "central",
    "century", "centuries", "centimeter", "centimeters", "centimetre", "centimetres", "centigrade", "centiliter",
    "centiliters", "centilitre", "centilitres", "centner", "centimo", "centimos", "mile", "miles", "mills",
    "milligram", "milligrams", "milligramme", "milligrammes", "milliliter", "milliliters", "millilitre", "millilitres",
    "millimeter", "millimeters", "millimetre", "millimetres", "millisecond", "milliseconds", "millivolt", "millivolts",
    "milliwatt", "milliwatts", "milliamp", "milliamps", "millibar", "millibars", "millimole", "millimoles", "millimolar",
    "millennium", "millennia", "millenniums", "miller", "millet", "milk", "military", "milestone", "milestones", "milieu",
    "bins", "bin", "bind", "binary", "bingo", "scores", "scored", "score", "scorer", "scorers", "grosses", "arabic",
    "arab", "arabs", "binding", "bindings", "milliequivalents", "milliequivalent", "millirem", "millihertz", "centipoise",
    "mileage", "milled", "milling", "millers", "millisiemens", "millis", "millikelvin", "cents/kwh",
})  # fmt: skip

# Beyond these, a product could be rounded.
_MAXIMUM_FACTOR: Final = 10**18
_MAXIMUM_DIGITS: Final = 1_000

_DECORATION: Final = "*_~`\"'\u201d\u2019)\\]}"
_BLANKS: Final = " \t\u00a0\u2009\u202f"
# A sign between two operands, as in 7-3, belongs to no number. A comma or narrow blank before three digits separates thousands.
_NUMBER: Final = re.compile(
    r"(?:(?<![\w)\]])(?P<sign>[-+\u2212])[$€£¥]?)?(?<![\w.])"
    r"(?P<digits>[0-9]{1,3}(?:(?:[,\u00a0\u2009\u202f'\u2019]|\{,\}|\\,)[0-9]{3})+(?![0-9])|[0-9]+)(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
)
# Blanks that separate thousands, or several numbers.
_SPACED: Final = re.compile(r"(?: [0-9]{3})+(?![0-9])")
_CONTINENTAL: Final = re.compile(
    r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9.,]*[0-9])|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![.,]?[0-9])"
)
# An operator, a sign or a bracket before a number that makes it a part of another number.
_CHANGED_BEFORE: Final = re.compile(
    rf"(?:(?<!\S)[\u2013\u2014\ufe63\uff0d]"
    rf"|\w[{_BLANKS}]*(?:\^|(?<=\w)\*\*)[{_BLANKS}]*[({{]?[-+\u2212]?|±|\+/-|[/\u2044\u2215][{_BLANKS}]?"
    rf"|[0-9][{_BLANKS}]*(?:[\xd7·⋅✕x*]|\\(?:times|cdot))[{_BLANKS}]*|[0-9][.,:]|√[{_BLANKS}]?|\\[dt]?(?:frac|sqrt)[^ ]*{{"
    rf"|\b(?:minus|negative|out of|to the power of|power of|half of|times ten to the)[{_BLANKS}]+)[$€£¥]?$",
    re.IGNORECASE,
)
# An exponent is written to the number: "3 e2e tests" and "7 E4 cells" have names.
_EXPONENT: Final = (
    rf"\.e[+-]?[0-9]|[{_BLANKS}]+(?:e[+-][0-9]|(?:(?-i:e)[0-9]+|e[0-9]+(?![{_BLANKS}]+[^\W\d_]{{3}}))(?![\w-]))"
)
_CHANGED_AFTER: Final = re.compile(
    rf"[.,:][0-9]|[{_BLANKS}]*\\(?:times|cdot)[{_BLANKS}]*10|[{_BLANKS}]*[/\u2044\u2215][{_BLANKS}]*[0-9]|[{_BLANKS}]*\^|\*\*[({{]?[-+]?[0-9]|[{_BLANKS}]*[\xd7·⋅✕x*][{_BLANKS}]*10(?![0-9.,])"
    rf"|[xXbBoO][0-9A-Fa-f]+\b|[{_BLANKS}]*[‰‱]|[{_BLANKS}]+(?:out of|to the power of|times ten to|over)[{_BLANKS}]+[0-9]"
    rf"|[{_BLANKS}]+[0-9]{{1,15}}[/\u2044\u2215][0-9]|[{_BLANKS}]+and[{_BLANKS}]+[0-9]+[/\u2044\u2215][0-9]|[-{_BLANKS}]+and[-{_BLANKS}]+(?:a|an|one|two|three)[-{_BLANKS}]+(?:half|third|quarter|fourth)"
    rf"|{_EXPONENT}|_[0-9]|[-\u2212](?=[\s.,;)]|$)|[h'\u2019\u2032][0-9]|[{_BLANKS}]+per[{_BLANKS}]+(?:mil|thousand|hundred|myriad)"
    rf"|(?:[{_BLANKS}]*(?:°[CF]?|degrees?))?[{_BLANKS}]+below[{_BLANKS}]+(?:zero|freezing)",
    re.IGNORECASE,
)
# A magnitude that stands beside a table or a sentence, as in "(in thousands)", "($M)" and "in k€". A letter is one only with
# a currency or after "in", where a small m is a metre.
_SCALED: Final = r"(?:hundreds?|thousands?|millions?|billions?|trillions?|dozens?|lakhs?|crores?)\b"
_MONEY: Final = r"(?:[$€£¥]|(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?)\b)"
_OF_MONEY: Final = rf"[{_BLANKS}]?(?-i:[kKmMbBT]|MM|mm|Mio\.?|Mrd\.?|mln|mn|bn)\b"
_MONEY_SCALE: Final = rf"(?:{_MONEY}{_OF_MONEY}|(?-i:[kKM]|Mio\.?|Mrd\.?|mln|mn|bn)[{_BLANKS}]?{_MONEY})"
_IN_LETTER: Final = rf"in[{_BLANKS}]+(?-i:[kKM])(?![\w&-])"
_NOTE: Final = (
    rf"\([{_BLANKS}]*(?:{_MONEY}[{_BLANKS}]?)?(?:in[{_BLANKS}]+)?(?:{_MONEY}[{_BLANKS}]?)?{_SCALED}[^()\n]{{0,20}}\)"
    rf"|\([{_BLANKS}]*(?:(?:(?:{_MONEY}[{_BLANKS}]?)?in[{_BLANKS}]+)?{_MONEY_SCALE}|(?:{_MONEY}[{_BLANKS}]?)?{_IN_LETTER})\)"
)
# "In hundreds of tests" counts tests, unless it is the head of a column.
_NO_COUNT: Final = rf"(?![{_BLANKS}]+of\b(?![{_BLANKS}]+{_MONEY}))"
_SCALED_BEFORE: Final = re.compile(
    rf"(?:(?<![\w'\u2019]){_MONEY_SCALE}[{_BLANKS}]?|(?:{_NOTE}|\bin[{_BLANKS}]+{_MONEY_SCALE}|\b{_IN_LETTER}[{_BLANKS}]*[:=]"
    rf"|\bin[{_BLANKS}]+(?:{_MONEY}[{_BLANKS}]?)?{_SCALED}(?:{_NO_COUNT}[^.\d\n]{{0,20}}|[^.\d\n]{{0,30}}[:=])"
    rf")[{_BLANKS}:=]*)[$€£¥]?$",
    re.IGNORECASE,
)
_SCALED_AFTER: Final = re.compile(
    rf",?[{_BLANKS}]*(?:{_NOTE})"
    rf"|,?[{_BLANKS}]+(?:{_IN_LETTER}|in[{_BLANKS}]+(?:{_MONEY_SCALE}|(?:{_MONEY}[{_BLANKS}]?)?{_SCALED}{_NO_COUNT}))",
    re.IGNORECASE,
)
# Most texts have none of the words, and the patterns above are slow.
_SCALE_SIGNS: Final = (
    *("hundred", "thousand", "illion", "dozen", "lakh", "crore", "in k", "in m", "in  k", "in  m", "$", "€", "£", "¥"),
    *("usd", "eur", "gbp", "chf", "dollar", "pound"),
)
_CURRENCY: Final = "$\xa2\xa3\xa4\xa5\u20ac\u20b9\u20bd\u20ba\u20a9\u20bf"
_SYMBOLS_BESIDE: Final = _SYMBOLS - {"L", "T", "B", "i", "j", "mil", "tr", "Cr", "cr"}
_PAID: Final = re.compile(rf"(?:[{_CURRENCY}]|\b(?:USD|EUR|GBP|CHF)) ?$")
_HEAD: Final = re.compile(r"([^\W\d_]+)[/+|=\u2013\u2014\u2192]")
_WORD: Final = re.compile(
    rf"[{_DECORATION}]*[{_BLANKS}]*[-\u2010\u2011]?[*_~`]*([^\W\d_][^\s\d,;:!?()\[\]{{}}*_~`\"'-]*)"
)


class Numeral(NamedTuple):
    """A number in a text; the value is None if something around it changes it in a way that is not read."""

    value: str | None
    start: int
    end: int


def find_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers of a text, each with its sign, separators and magnitude."""
    position = 0
    folded = text.casefold()
    may_be_scaled = any(sign in folded for sign in _SCALE_SIGNS)
    while match := _NUMBER.search(text, position):
        continental = _CONTINENTAL.match(text, match.start("digits"))
        end = continental.end() if continental else match.end()
        if continental:
            whole, _, fraction = continental[0].partition(",")
            digits = whole.replace(".", "") + (f".{fraction}" if fraction else "")
        else:
            digits = re.sub("[^0-9]", "", match["digits"]) + match["rest"]
        numeral = _read(text, match, digits, end)
        if may_be_scaled and _is_scaled(text, *numeral[1:]):
            numeral = numeral._replace(value=None)
        yield numeral
        position = numeral.end


def _is_scaled(text: str, start: int, end: int) -> bool:
    """Return whether a note beside a number multiplies it."""
    return bool(_SCALED_BEFORE.search(text[max(start - 60, 0) : start]) or _SCALED_AFTER.match(text, end))


def _read(text: str, match: re.Match[str], digits: str, end: int) -> Numeral:
    start = match.start()
    sign = "-" if match["sign"] in {"-", "\u2212"} else ""
    before = text[max(start - 40, 0) : start]
    after = text[end : end + 60]
    refused = Numeral(None, start, end)
    spaced = _SPACED.match(text, end)
    if spaced and len(match["digits"]) <= 3 and not match["rest"]:
        return Numeral(None, start, spaced.end())
    # Accounts write a negative number in brackets.
    is_in_brackets = re.search(r"\([$€£¥]?\s*$", before) and re.match(r"\s*[$€£¥]?\)", after)
    if _CHANGED_BEFORE.search(before) or _CHANGED_AFTER.match(after) or is_in_brackets:
        return refused
    # A digit of another script, a superscript or a vulgar fraction goes on with the number.
    following = after.lstrip(_BLANKS)[:1]
    if after[:1].isnumeric() or (
        following and not following.isalpha() and following.isnumeric() and not following.isdecimal()
    ):
        return refused

    factor = 1
    while word := _WORD.match(text, end):
        if word[1] in {"i", "j"} and word.start(1) > end:
            # Not the imaginary unit, as in "42 i think".
            break
        is_compound = len(word[1]) == 1 and text[word.end(1) : word.end(1) + 1] == "-"
        multiplier = 1 if is_compound else _multiplier_of(word[1])
        if word[1].casefold() in {"m", "mm"} and _PAID.search(before):
            multiplier = None
        if multiplier is None:
            return refused
        if multiplier == 1:
            break
        factor *= multiplier
        end = word.end(1)
    if factor == 1:
        return Numeral(f"{sign}{digits}", start, end)
    if factor > _MAXIMUM_FACTOR or len(digits) > _MAXIMUM_DIGITS or "e" in digits.casefold():
        return refused
    return Numeral(f"{sign}{EXACT.multiply(Decimal(digits), factor).normalize(EXACT):f}", start, end)


def _multiplier_of(word: str) -> int | None:
    """Return what a word multiplies the number before it by: 1 for a unit, None if it is unclear."""
    lower = word.casefold().rstrip("./")
    if lower in _FACTORS:
        return _FACTORS[lower]
    if changes_number(word):
        return None
    return 1


def changes_number(word: str) -> bool:
    """Return whether a word behind a number is a magnitude, a fraction or a power, and no unit."""
    plain = word.rstrip("./" + _CURRENCY)
    # What follows a magnitude directly, as in "5k/month", "5k+" and "5M\u20136M".
    head = _HEAD.match(plain)
    if plain in _SYMBOLS or (head and head[1] in _SYMBOLS_BESIDE) or plain[:1] in _EAST_ASIAN:
        return True
    # A superscript or a vulgar fraction is a letter to a regular expression.
    if plain and not plain[0].isalpha() and plain[0] != "°":
        return True
    lower = plain.casefold()
    if lower.removesuffix("s") in _EXACT_WORDS or lower in _EXACT_WORDS:
        return True
    return lower not in _PLAIN_WORDS and (lower.startswith(_STEMS) or lower.removesuffix("s").endswith("illion"))


# Cardinal numbers in English words, up to trillions.
_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_VALUES: Final = {
    "zero": 0,
    "a": 1,
    **{word: number for number, word in enumerate((*_UNITS, *_TEENS), 1)},
    **{word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)},
}
_GAP: Final = r"(?:[ \t\u00a0]+|-)"
_BELOW_100: Final = (
    rf"(?:(?:{'|'.join(_TENS)})(?:{_GAP}(?:{'|'.join(_UNITS)}))?\b|(?:{'|'.join((*_TEENS, *_UNITS))})\b)"
)
_BELOW_1000: Final = rf"(?:(?:a|{_BELOW_100}){_GAP}hundred\b(?:{_GAP}(?:and{_GAP})?{_BELOW_100})?|{_BELOW_100})"
_SCALED_WORDS: Final = rf"(?:a|{_BELOW_1000}){_GAP}(?:{'|'.join(_SCALES)})\b"
_NUMBER_IN_WORDS: Final = re.compile(
    rf"(?<![\w-])(?:(?P<sign>minus|negative) )?"
    rf"(?P<words>(?:a|{_BELOW_100}){_GAP}dozen\b|{_SCALED_WORDS}(?:(?:,? |,? and |-){_SCALED_WORDS})*(?:(?:,? "
    rf"|,? and |-){_BELOW_1000})?|{_BELOW_1000}|zero\b"
    r")",
    re.IGNORECASE,
)
_LETTERS: Final = re.compile(r"[a-z]+", re.IGNORECASE)
# Words beside a number that make it a part of another one, and one number behind another, as in "nineteen eighty-four".
_WORDS_CHANGED_BEFORE: Final = re.compile(
    r"(?:\b(?:half|thirds?|quarters?|fourths?|fifths?|tenths?|out of|point|power of|times|in|over"
    r"|plus or minus)(?: of)?(?: a)?"
    r"|[0-9]|\b(?:hundred|thousand|million|billion|trillion))[ -]$",
    re.IGNORECASE,
)
_WORDS_CHANGED_AFTER: Final = re.compile(
    r"[ -](?:and (?:a |an |one |three )?(?:half|quarters?|third)|(?:out of|in|over|to the|point|times) (?:\w)"
    r"|(?:hal(?:f|ves)|[a-z]*(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|quarter|hundredth"
    r"|thousandth|millionth)s?"
    r"|first|second|dozens?|scores?|gross|lakhs?|crores?|squared|cubed|hundreds?|thousands?"
    r"|[a-z]+illions?|factorial)\b"
    rf"|(?:{'|'.join((*_UNITS, *_TEENS, *_TENS))})\b)|-[0-9]| ?[/^²³]",
    re.IGNORECASE,
)


def find_number_words(text: str) -> Iterator[Numeral]:
    """Yield the numbers in words of a text; the value is None if a word beside them changes it."""
    for match in _NUMBER_IN_WORDS.finditer(text):
        value = _read_words(match["words"].casefold())
        is_changed = _WORDS_CHANGED_BEFORE.search(text, max(match.start() - 20, 0), match.start()) is not None
        if value is None or is_changed or _WORDS_CHANGED_AFTER.match(text, match.end()):
            yield Numeral(None, match.start(), match.end())
        else:
            sign = "-" if match["sign"] and value else ""
            yield Numeral(f"{sign}{value}", match.start(), match.end())


def _read_words(text: str) -> int | None:
    """Return the number, or None if its powers of a thousand do not descend."""
    total = 0
    part = 0
    smallest = 10**15
    for word in _LETTERS.findall(text):
        if word == "hundred":
            part *= 100
        elif word == "dozen":
            part *= 12
        elif word in _SCALES:
            if _SCALES[word] >= smallest:
                return None
            smallest = _SCALES[word]
            total += part * smallest
            part = 0
        elif word != "and":
            part += _VALUES[word]
    return total + part
