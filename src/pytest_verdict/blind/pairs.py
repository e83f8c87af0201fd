"""Pairs of outputs, each with a name of its own."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError

_MOST_BYTES: Final = 255
# Names that every system accepts for a folder; some ignore a period or a blank at the end.
_FOLDER_NAME: Final = re.compile(r'(?![. ])[^\0-\x1f/\\:*?"<>|]+(?<![. ])')


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outputs of one task.

    Args:
        name: The name of the pair, which is also its folder in an ``output``.
        outputs: The two outputs, each a `pathlib.Path` or the output itself.
        prompt: The task of both outputs.
        expectations: Statements that each output should meet.

    Example:
        >>> Pair(name="refund", outputs=("Use the form.", "Call us."), prompt="Say how to get a refund.").expectations
        ()
    """

    name: str
    outputs: tuple[Any, Any]
    prompt: str
    expectations: Sequence[str] = ()


def check_names(pairs: Sequence[Pair], *, are_folders: bool) -> None:
    """Refuse names that are no texts or occur twice; and as folders, those that lead elsewhere or to one place."""
    # Some file systems ignore case and how accents are written.
    places: dict[str, str] = {}
    names = []
    for pair in pairs:
        if not isinstance(pair, Pair) or not isinstance(pair.name, str):
            raise SettingsError(f"pairs are Pair objects with a text as name, got {shown(pair, 200)}")
        names.append(pair.name)
        if not are_folders:
            continue
        size = len(pair.name.encode("utf-8", "surrogatepass"))
        if size > _MOST_BYTES or not _FOLDER_NAME.fullmatch(pair.name):
            raise SettingsError(
                f"the name of a pair is its folder in output, which {shown(pair.name, 200)} cannot be; give it another name"
            )
        other = places.setdefault(unicodedata.normalize("NFC", pair.name).casefold(), pair.name)
        if other != pair.name:
            raise SettingsError(
                f"{shown(other, 200)} and {shown(pair.name, 200)} can be one folder in output; rename the pair"
            )
    if len(set(names)) < len(names):
        raise SettingsError(f"each pair has a name of its own, got {shown(names, 200)}")
