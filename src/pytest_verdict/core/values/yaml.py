"""YAML files written by people, read strictly."""

from __future__ import annotations

import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any, cast

import yaml

from pytest_verdict.core.values.yaml_aliases import MOST_REPEATED, values_repeated
from pytest_verdict.errors import SettingsError


class _Strict(yaml.SafeLoader):
    """A loader that refuses a key that occurs twice, of which PyYAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        keys = [cast("Hashable", self.construct_object(key, deep=True)) for key, _ in node.value]
        for position, key in enumerate(keys):
            if key in keys[:position]:
                raise SettingsError(
                    f"the key {key!r} occurs twice, at line {node.value[position][0].start_mark.line + 1}"
                )
        return super().construct_mapping(node, deep)


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping."""
    try:
        found = _loaded(Path(path).read_text(encoding="utf-8"))
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path} cannot be read: it is nested too deeply") from None
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: the top level is a mapping, got {type(found).__name__}")
    return found


def _loaded(text: str) -> Any:
    loader = _Strict(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        if values_repeated(root) > MOST_REPEATED:
            raise SettingsError(f"its aliases repeat more than {MOST_REPEATED:,} values")
        return loader.construct_document(root)
    finally:
        loader.dispose()
