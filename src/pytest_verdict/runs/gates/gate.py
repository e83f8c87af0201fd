"""A gate as it is written: which comparisons it counts, and what share of them must pass."""

import re
from dataclasses import dataclass
from fnmatch import translate
from fractions import Fraction
from typing import Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, allowed

CASE: Final = "case"
PINNED: Final = "pinned"
KINDS: Final = {
    CASE: "tests",
    "criterion": "criteria",
    "field": "template fields",
    "marker": "markers",
    "operator": "operators",
    PINNED: "tests",
    "test": "tests",
}
"""What the patterns of each kind of gate name."""

_FORM: Final = re.compile(r"\s*(\w+)\s*:\s*(\S.*?)\s*(?:>=\s*([^\s@]+)\s*(?:@\s*(\S+)\s*)?)?")
_LONGEST: Final = 1_000
# Few digits, because a fraction with a huge exponent would never be computed.
_SHARE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:(%)|/([1-9][0-9]{0,8}))?")
_EXPLAINED: Final = (
    "A gate is KIND:PATTERN >= RATE, such as 'operator:numeric_* >= 0.95' or, where the exact interval must reach the rate with a"
    " confidence of 0.9, 'operator:numeric_* >= 0.95 @ 0.9'; a shell needs the quotes. A pinned test must pass whole, so it"
    " takes no rate: 'pinned:TEST'."
)


@dataclass(frozen=True, slots=True)
class Gate:
    """Which comparisons must pass, and how many of them."""

    text: str
    kind: str
    pattern: str
    rate: float
    confidence: float | None

    def selector(self) -> re.Pattern[str]:
        """Give what the selected names match, in which only ``*`` and ``?`` are special: names of tests have brackets."""
        return re.compile(translate(self.pattern.replace("[", "[[]")))


def read_gate(text: str) -> Gate:
    """Read a gate.

    Raises:
        ConfigurationError: It is written wrongly.
    """
    found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    kind, pattern, rate, confidence = found.groups() if found else ("", "", None, None)
    if (rate is None) is not (kind == PINNED):
        raise ConfigurationError(f"{shown(text)} is no gate. {_EXPLAINED}")
    if kind not in KINDS:
        raise ConfigurationError(f"{kind!r} in {shown(text)} is no kind of gate.{allowed('gate', kind, KINDS)}")
    share = 1.0 if rate is None else _share("rate", rate, text)
    sure = None if confidence is None else _share("confidence", confidence, text)
    if sure is not None and max(share, sure) == 1.0:
        raise ConfigurationError(
            f"{shown(text)}: no number of passes shows a rate of 1, or anything with a confidence of 1; give less, or leave"
            " out what follows the rate"
        )
    return Gate(text.strip(), kind, pattern, share, sure)


def _share(name: str, written: str, text: str) -> float:
    found = _SHARE.fullmatch(written)
    if found is not None:
        number, percent, of = found.groups()
        share = Fraction(number) / (100 if percent else int(of or 1))
        if 0 < share <= 1:
            return float(share)
    raise ConfigurationError(
        f"{shown(text)}: a {name} is above 0 and at most 1, written as 0.95, 95% or 2/3; got {shown(written, 40)}"
    )
