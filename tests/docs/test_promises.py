"""Each promise of two pages names the tests that show it, and they exist."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tools.generate import REPOSITORY

PAGES = {"threat-model.md": "Promises", "reliability.md": "What is promised"}
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def promises(page):
    text = (REPOSITORY / "docs" / "explanation" / page).read_text("utf-8")
    section = re.search(rf"^## {PAGES[page]}\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1]
    return re.split(r"^- ", section, flags=re.MULTILINE)[1:]


@cache
def functions_of(path):
    tree = ast.parse((REPOSITORY / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES)
def test_every_promise_names_tests_that_exist(page):
    found = promises(page)
    assert len(found) >= 9
    for promise in found:
        said, _, shown = promise.partition("Shown by: ")
        named = TEST.findall(shown)
        assert named, said
        assert not [f"{path}::{name}" for path, name in named if name not in functions_of(path)]
