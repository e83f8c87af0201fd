"""Normalizers: the named steps that may be applied to text before it is compared.

A step is applied to both sides, left to right, and is recorded by name, so that no normalization is ever hidden.
"""

from __future__ import annotations

import functools
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from pytest_verdict.errors import allowed

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b\s*", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?<![\w.,])([+-]?[0-9]{1,3}(?:,[0-9]{3})+)(?!\w|,[0-9])")


def _strip_markdown_fence(text: str) -> str:
    opening, _, rest = text.strip().partition("\n")
    language = opening.removeprefix("```")
    if language == opening or "`" in language or not rest.endswith("```"):
        return text
    body = rest.removesuffix("```").rstrip(" \t").removesuffix("\n")
    # A fence inside means that this is more than one block.
    return text if any(line.lstrip().startswith("```") for line in body.split("\n")) else body


NORMALIZERS: Final[dict[str, Callable[[str], str]]] = {
    "casefold": str.casefold,
    "collapse_whitespace": lambda text: " ".join(text.split()),
    "lowercase": str.lower,
    "nfc": functools.partial(unicodedata.normalize, "NFC"),
    "nfkc": functools.partial(unicodedata.normalize, "NFKC"),
    "remove_articles": lambda text: _ARTICLES.sub("", text),
    "remove_punctuation": lambda text: text.translate(_PUNCTUATION),
    "strip": str.strip,
    "strip_markdown_fence": _strip_markdown_fence,
    "strip_thousands_separators": lambda text: _THOUSANDS.sub(lambda match: match.group(1).replace(",", ""), text),
}
"""Every named normalizer. What each does is written in docs/reference/normalizers.md."""


class SynonymMap(BaseModel):
    """A normalizer that replaces a whole text by its preferred spelling.

    Args:
        mapping: From a spelling to the preferred one. One look-up: a preferred spelling is not looked up again. Put
            ``lowercase`` before it when the keys are in lower case.

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


def _known(step: str | SynonymMap) -> str | SynonymMap:
    if isinstance(step, str) and step not in NORMALIZERS:
        raise ValueError(f"Unknown normalizer: {step!r}.{allowed('normalizer', step, NORMALIZERS)}")
    return step


def _as_tuple(steps: Any) -> Any:
    if isinstance(steps, str):
        _known(steps)
    if isinstance(steps, str | SynonymMap):
        raise ValueError(f"normalize takes a list of steps, such as [{steps!r}], not one step")  # noqa: TRY004
    if isinstance(steps, set | frozenset):
        raise ValueError("normalize takes a list of steps: their order matters, and a set has none")  # noqa: TRY004
    return tuple(steps) if isinstance(steps, list) else steps


NormalizerName = Literal[
    "casefold", "collapse_whitespace", "lowercase", "nfc", "nfkc", "remove_articles", "remove_punctuation", "strip",
    "strip_markdown_fence", "strip_thousands_separators",
]  # fmt: skip
# One step: a name of `NORMALIZERS` or a `SynonymMap`. Pydantic would complain of a wrong name in many lines.
if TYPE_CHECKING:
    Normalizer = NormalizerName | SynonymMap
else:
    Normalizer = Annotated[str | SynonymMap, AfterValidator(_known)]

Normalization = Annotated[Sequence[Normalizer], BeforeValidator(_as_tuple)]
"""The steps of an operator, in order of application; a list in code and in JSON, kept as a tuple."""


def step_names(steps: Sequence[str | SynonymMap]) -> tuple[str, ...]:
    """Name the steps as the record does."""
    return _compiled(tuple(steps))[0]


@functools.lru_cache(maxsize=1_000)
def _compiled(steps: tuple[str | SynonymMap, ...]) -> tuple[tuple[str, ...], tuple[Callable[[str], str], ...]]:
    # Names and functions, kept, because an operator takes the same steps in every comparison.
    names = tuple("synonym_map" if isinstance(step, SynonymMap) else step for step in steps)
    return names, tuple(step.apply if isinstance(step, SynonymMap) else NORMALIZERS[step] for step in steps)


def normalize(text: str, steps: Sequence[str | SynonymMap]) -> str:
    """Apply normalizers from left to right."""
    for apply in _compiled(tuple(steps))[1]:
        text = apply(text)
    return text


def normalize_all(texts: Sequence[str], steps: Sequence[str | SynonymMap]) -> tuple[list[str], tuple[str, ...]]:
    """Apply normalizers from left to right to several texts, and name the steps that changed any of them."""
    changed: list[str] = []
    current = list(texts)
    for name, apply in zip(*_compiled(tuple(steps)), strict=True):
        following = [apply(text) for text in current]
        if following != current:
            changed.append(name)
        current = following
    return current, tuple(changed)
