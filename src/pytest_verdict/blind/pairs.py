"""Pairs of outputs: in a test, or from two folders."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, SettingsError

SUMMARY: Final = "summary.json"
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
    places = {SUMMARY: SUMMARY}
    names = []
    for pair in pairs:
        if not isinstance(pair, Pair) or not isinstance(pair.name, str):
            raise SettingsError(f"pairs are Pair objects with a text as name, got {shown(pair, 200)}")
        names.append(pair.name)
        is_output_itself = pair.name == "" and len(pairs) == 1
        if not are_folders or is_output_itself:
            continue
        size = len(pair.name.encode("utf-8", "surrogatepass"))
        if size > _MOST_BYTES or not _FOLDER_NAME.fullmatch(pair.name):
            raise SettingsError(
                f"the name of a pair is its folder in output, which {shown(pair.name, 200)} cannot be; give it another name"
            )
        other = places.setdefault(unicodedata.normalize("NFC", pair.name).casefold(), pair.name)
        if other != pair.name or pair.name == SUMMARY:
            raise SettingsError(
                f"{shown(other, 200)} and {shown(pair.name, 200)} can be one folder in output; rename the pair"
            )
    if len(set(names)) < len(names):
        raise SettingsError(f"each pair has a name of its own, got {shown(names, 200)}")


def pair_by_name(first: Path, second: Path, prompts: Path, expectations: tuple[str, ...]) -> list[Pair]:
    """Return the entries of two folders, paired by name; ``prompts`` is the task of all pairs, or a folder of tasks."""
    first_entries = _list_entries(first)
    second_entries = _list_entries(second)
    unpaired = sorted(first_entries.keys() ^ second_entries.keys())
    if unpaired:
        raise ConfigurationError(
            f"{unpaired[0]!r} is in one of {first} and {second} only; add an output of the same name to the other folder"
        )
    prompt_files = {}
    if prompts.is_dir():
        prompt_files = {file.stem: file for file in prompts.iterdir()}
    pairs = []
    for name in sorted(first_entries):
        path = prompts
        if prompts.is_dir():
            path = prompt_files.get(Path(name).stem, prompts / f"{Path(name).stem}.txt")
        outputs = (first_entries[name], second_entries[name])
        pairs.append(Pair(name=name, outputs=outputs, prompt=read_text(path), expectations=expectations))
    return pairs


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None


def _list_entries(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder of outputs")
    entries = {entry.name: entry for entry in folder.iterdir() if not entry.name.startswith(".")}
    if not entries:
        raise ConfigurationError(f"{folder} has no outputs")
    return entries
