"""Normalizers: named steps for text before it is compared. They apply to both sides, and a record lists them."""

from __future__ import annotations

import decimal
import functools
import re
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.core.values.numerals import changes_number
from pytest_verdict.errors import allowed

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b\s*", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?<![\w.,])([+-]?[0-9]{1,3}(?:,[0-9]{3})+)(?!\w|,[0-9])")
_BLANKS: Final = r" _'\u2019\xa0\u2009\u202f"
_GROUPS: Final = re.compile(
    rf"(?<![\w.,])(?<![0-9][{_BLANKS}])([0-9]{{1,3}}(?:([{_BLANKS}])[0-9]{{3}})(?:\2[0-9]{{3}})*)(?!\w|[{_BLANKS}][0-9])"
)
_DECIMAL_COMMA: Final = re.compile(r"(?<![\w.,])(?:[0-9]{1,3}(?:\.[0-9]{3})++|[0-9]++)(?:,[0-9]++)?(?![.,]?\w)")
_PERCENT: Final = re.compile(r"(?<![\w.,])([0-9]{1,99}(?:\.[0-9]{1,99})?)[ \xa0\u202f]?%")
_VULGAR: Final = re.compile("([0-9]?)([\xbc-\xbe\u2150-\u215e\u2189])")
_FRACTION: Final = re.compile(r"(?<![\w.,/])(?:([0-9]{1,15}) )?([0-9]{1,15})[/\u2044]([0-9]{1,15})(?![\w/]|[.,][0-9])")
_CURRENCY: Final = r"[$\xa2-\xa5\u20a0-\u20cf]"
_QUANTITY: Final = re.compile(
    rf"\s*([+-]?)\s*(?:{_CURRENCY}|[A-Z]{{3}}\b)?\s*([+-]?[0-9][0-9.,{_BLANKS}]*+(?:[eE][+-]?[0-9]+(?![0-9.,]))?)"
    rf"[{_BLANKS}]*(?:{_CURRENCY}|([^\W\d_][^\s,;]*|\xb0\w?))?\s*"
)
_PAID: Final = re.compile(rf"\s*[+-]?\s*(?:{_CURRENCY}|[A-Z]{{3}}\b)")
_OTHER_BASE: Final = re.compile(r"h[0-9]|[xXbBoOeE][+-]?[0-9A-Fa-f]*[0-9][0-9A-Fa-f]*\b|[xX\xd7][0-9A-Fa-f]+\b")
_EMPHASIS: Final = re.compile(r"(?<![\w*~`])[*_~`]++(?=\S)|(?<=[^\s*_~`])[*_~`]++(?!\w)")
_ASCII: Final = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"), **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\xab\xbb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"), **dict.fromkeys("\u200b\u2060\ufeff\xad", ""),
    **dict.fromkeys("\xa0\u2002\u2003\u2007\u2009\u200a\u202f\u3000", " "), "\u2026": "...",
})  # fmt: skip
# A third has no last digit; 30 digits are enough for any tolerance.
_DIGITS: Final = decimal.Context(prec=30, traps=[])


def _expand_fraction(match: re.Match[str]) -> str:
    return " ".join(filter(None, (match[1], unicodedata.normalize("NFKC", match[2]))))


def _divide_fraction(match: re.Match[str]) -> str:
    whole, numerator, denominator = (int(part or 0) for part in match.groups())
    if denominator:
        return str(_DIGITS.divide(whole * denominator + numerator, denominator))
    return match.group()


def _strip_markdown_fence(text: str) -> str:
    opening, _, rest = text.strip().removeprefix("\ufeff").partition("\n")
    language = opening.removeprefix("```")
    if language == opening or "`" in language or not rest.endswith("```"):
        return text
    body = rest.removesuffix("```").rstrip(" \t").removesuffix("\n")
    # Another fence inside means more than one block.
    if any(line.lstrip().startswith("```") for line in body.split("\n")):
        return text
    return body


def _strip_unit(text: str) -> str:
    quantity = _QUANTITY.fullmatch(text)
    if quantity is None:
        return text
    sign, number, unit = quantity.groups()
    is_million = unit in {"m", "mm"} and _PAID.match(text)
    if unit and (is_million or _OTHER_BASE.match(unit) or changes_number(unit)):
        return text
    return f"{sign}{number.strip()}"


NORMALIZERS: Final[dict[str, Callable[[str], str]]] = {
    "ascii_punctuation": lambda text: text.translate(_ASCII),
    "casefold": str.casefold,
    "collapse_whitespace": lambda text: " ".join(text.split()),
    "decimal_comma": lambda text: _DECIMAL_COMMA.sub(lambda match: match[0].replace(".", "").replace(",", "."), text),
    "fraction_to_decimal": lambda text: _FRACTION.sub(_divide_fraction, _VULGAR.sub(_expand_fraction, text)),
    "lowercase": str.lower,
    "nfc": functools.partial(unicodedata.normalize, "NFC"),
    "nfkc": functools.partial(unicodedata.normalize, "NFKC"),
    "percent_to_decimal": lambda text: _PERCENT.sub(lambda match: f"{Decimal(match[1]).scaleb(-2, EXACT):f}", text),
    "remove_articles": lambda text: _ARTICLES.sub("", text),
    "remove_punctuation": lambda text: text.translate(_PUNCTUATION),
    "strip": str.strip,
    "strip_final_punctuation": lambda text: text.rstrip(".,;:!?\u2026\u3002\uff01\uff1f" + string.whitespace),
    "strip_markdown_emphasis": lambda text: _EMPHASIS.sub("", text),
    "strip_markdown_fence": _strip_markdown_fence,
    "strip_thousands_blanks": lambda text: _GROUPS.sub(lambda match: match[1].replace(match[2], ""), text),
    "strip_thousands_separators": lambda text: _THOUSANDS.sub(lambda match: match.group(1).replace(",", ""), text),
    "strip_unit": _strip_unit,
}
"""The normalizers by name; docs/reference/normalizers.md describes each."""


class SynonymMap(BaseModel):
    """A normalizer that replaces a whole text by its preferred spelling.

    Args:
        mapping: The preferred spelling of each spelling. A preferred spelling is not looked up again. Put ``lowercase``
            before this step if the keys are in lower case.

    Example:
        >>> SynonymMap(mapping={"nyc": "new york"}).apply("nyc")
        'new york'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mapping: dict[str, str]

    def apply(self, text: str) -> str:
        """Replace a text that is one of the keys.

        Args:
            text: Any text.

        Returns:
            The preferred spelling, or the same text.
        """
        return self.mapping.get(text, text)

    def __hash__(self) -> int:
        return hash(frozenset(self.mapping.items()))


def _read_step(step: Any) -> Any:
    if isinstance(step, str) and step not in NORMALIZERS:
        raise ValueError(f"Unknown normalizer: {step!r}.{allowed('normalizer', step, NORMALIZERS)}")
    if not isinstance(step, str | Mapping | SynonymMap):
        raise ValueError(f"a step is a name or a SynonymMap, got {shown(step, 80)}; for others, write an operator")  # noqa: TRY004
    return step


def _as_tuple(steps: Any) -> Any:
    if isinstance(steps, str):
        _read_step(steps)
    if isinstance(steps, str | SynonymMap) or callable(steps):
        raise ValueError(f"normalize takes a list of steps, such as [{shown(steps, 80)}], not one step")  # noqa: TRY004
    if isinstance(steps, set | frozenset):
        raise ValueError("normalize takes a list of steps: their order matters, and a set has none")  # noqa: TRY004
    return tuple(steps) if isinstance(steps, list) else steps


NormalizerName = Literal[
    "ascii_punctuation", "casefold", "collapse_whitespace", "decimal_comma", "fraction_to_decimal", "lowercase",
    "nfc", "nfkc", "percent_to_decimal", "remove_articles", "remove_punctuation", "strip", "strip_final_punctuation",
    "strip_markdown_emphasis", "strip_markdown_fence", "strip_thousands_blanks", "strip_thousands_separators",
    "strip_unit",
]  # fmt: skip
Step = str | SynonymMap
# A name of `NORMALIZERS` or a `SynonymMap`. Pydantic would complain of a wrong name in many lines.
if TYPE_CHECKING:
    Normalizer = NormalizerName | SynonymMap
else:
    Normalizer = Annotated[str | SynonymMap, BeforeValidator(_read_step)]

Normalization = Annotated[Sequence[Normalizer], BeforeValidator(_as_tuple)]
"""The steps of an operator, in order of application; a list in code and in JSON, kept as a tuple."""


def step_names(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the names of steps, as a record has them."""
    return compile_steps(tuple(steps))[0]


@functools.lru_cache(maxsize=1_000)
def compile_steps(steps: tuple[Step, ...]) -> tuple[tuple[str, ...], tuple[Callable[[str], str], ...]]:
    """Return the names and the functions of steps; cached, because an operator uses the same ones each time."""
    names = [step if isinstance(step, str) else "synonym_map" for step in steps]
    functions = [NORMALIZERS[step] if isinstance(step, str) else step.apply for step in steps]
    return tuple(names), tuple(functions)


def normalize(text: str, steps: Sequence[Step]) -> str:
    """Apply normalizers to a text, from left to right."""
    for apply in compile_steps(tuple(steps))[1]:
        text = apply(text)
    return text


def normalize_all(texts: Sequence[str], steps: Sequence[Step]) -> tuple[list[str], tuple[str, ...]]:
    """Apply normalizers to several texts; return these and the names of the steps that changed any of them."""
    current = list(texts)
    effective: list[str] = []
    for name, apply in zip(*compile_steps(tuple(steps)), strict=True):
        normalized = [apply(text) for text in current]
        if normalized != current:
            effective.append(name)
        current = normalized
    return current, tuple(effective)
