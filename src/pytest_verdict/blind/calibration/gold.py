"""The gold set: pairs of outputs that people have labelled, from a YAML file."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.criteria import checked_version

FIRST, SECOND, TIE = "first", "second", "tie"
LABELS: Final = (FIRST, SECOND, TIE)
_KEYS: Final = ("id", "version", "annotators", "rubric", "items")
_ITEM_KEYS: Final = ("id", "prompt", "first", "second", "label", "labels", "expectations")


@dataclass(frozen=True, slots=True)
class GoldItem:
    """One labelled pair."""

    id: str
    prompt: str
    first: Any
    second: Any
    label: str
    labels: Mapping[str, str]
    expectations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Labelled pairs."""

    id: str
    version: int | str
    annotators: str
    rubric: Path | None
    items: tuple[GoldItem, ...]
    sha256: str


def read_gold(path: str | os.PathLike[str]) -> GoldSet:
    """Read a gold set."""
    place = Path(path)
    found = read_yaml(place)
    try:
        return _gold(found, place)
    except SettingsError as error:
        raise SettingsError(f"{place}: {error}") from None


def _gold(found: Mapping[str, Any], place: Path) -> GoldSet:
    _refuse_unknown(found, _KEYS, "a gold set")
    if not isinstance(found.get("id"), str):
        raise SettingsError("a gold set has an id")
    if found.get("annotators") not in ("human", "model"):
        raise SettingsError(f"annotators is human or model, got {shown(found.get('annotators'), 80)}")
    items = found.get("items")
    if not isinstance(items, list) or not items:
        raise SettingsError("items lists at least one labelled pair")
    rubric = found.get("rubric")
    read = tuple(_items(items, place.parent))
    twice = [name for name, count in Counter(item.id for item in read).items() if count > 1]
    if twice:
        raise SettingsError(f"the item {twice[0]!r} occurs twice")
    return GoldSet(
        found["id"],
        checked_version(found.get("version")),
        found["annotators"],
        None if rubric is None else place.parent / str(rubric),
        read,
        hashlib.sha256(place.read_bytes()).hexdigest(),
    )


def _items(items: list[Any], folder: Path) -> Iterator[GoldItem]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            raise SettingsError(f"item {number} is a mapping, got {shown(item, 80)}")
        name = str(item.get("id", number))
        _refuse_unknown(item, _ITEM_KEYS, f"item {name}")
        for key in ("prompt", "first", "second"):
            if key not in item:
                raise SettingsError(f"item {name} needs the key {key!r}")
        labels = item.get("labels") or {}
        if not isinstance(labels, Mapping):
            raise SettingsError(f"item {name}: labels maps annotators to labels, got {shown(labels, 80)}")
        own = {str(who): _label(name, label) for who, label in labels.items()}
        label = _label(name, item["label"]) if "label" in item else _settled(name, own)
        first, second = (_output(item[key], folder) for key in ("first", "second"))
        yield GoldItem(name, str(item["prompt"]), first, second, label, own, tuple(item.get("expectations") or ()))


def _output(value: Any, folder: Path) -> Any:
    is_file = isinstance(value, Mapping) and set(value) == {"file"}
    return folder / str(value["file"]) if is_file else value


def _label(name: str, label: Any) -> str:
    if label not in LABELS:
        raise SettingsError(f"item {name}: the label {shown(label, 80)} is unknown.{allowed('label', label, LABELS)}")
    return str(label)


def _settled(name: str, labels: Mapping[str, str]) -> str:
    most = Counter(labels.values()).most_common(2)
    if not most or 2 * most[0][1] <= len(labels):
        raise SettingsError(f"item {name}: no label has a majority; settle it with label: first, second or tie")
    return most[0][0]


def _refuse_unknown(found: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in found:
        if key not in known:
            raise SettingsError(f"{what} has no key {key!r}.{allowed('key', key, known)}")
