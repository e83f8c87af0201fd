"""docs/how-to/where-to-add.md names places that exist, and every kind of thing that can be added."""

from __future__ import annotations

import ast
import re

import pytest

from pytest_verdict.core.families import Hooks
from tools.generate import REPOSITORY

PAGE = REPOSITORY / "docs" / "how-to" / "where-to-add.md"
PACKAGE = REPOSITORY / "src" / "pytest_verdict"
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| to add ")
]
# A path with a folder or a suffix, and perhaps a name in the file.
PLACE = re.compile(r"`(?P<path>[a-z_]+(?:/[\w.-]+)+|[\w]+\.py|[a-z]+)(?::(?P<name>\w+))?`")
ADDITIONS = {
    "an operator", "a wire format of trajectories", "a kind of judge", "the text of a kind of document", "a scorer", "an adapter",
    "an importer of another tool's files", "a data-set format", "a report file", "a command", "a summary format",
    "a page column", "a gate kind", "a normalizer", "an option of `score`",
}  # fmt: skip


def places(row):
    for match in PLACE.finditer(" ".join(row[1:3])):
        path = match["path"]
        base = REPOSITORY if path.startswith(("tests/", "docs/")) else PACKAGE
        if match["name"] or "/" in path or (base / path).exists():
            yield base / path, match["name"]


def names_in(path):
    """Return what a file defines at its top level."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return set(re.findall(r"^const (\w+)", text, re.MULTILINE))
    names = set()
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_place_exists(row):
    assert len(row) == 4, "a row has four cells"
    found = list(places(row))
    assert found
    for path, name in found:
        assert path.exists(), f"{path} does not exist"
        assert name is None or name in names_in(path), f"{path} has no {name}"


def test_everything_that_can_be_added_has_a_row():
    assert ADDITIONS - {row[0] for row in ROWS} == set()


def test_every_hook_is_named():
    hooks = {name for name in vars(Hooks) if not name.startswith("_")}
    named = {name for row in ROWS for _, name in places(row)}
    assert hooks - named == set()
