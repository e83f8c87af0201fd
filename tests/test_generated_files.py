"""Files that are made from something else are what ``make generate`` would write."""

from __future__ import annotations

import pytest

from tools.generate import GENERATORS, REPOSITORY, generator, missing, stale_files

# What a browser draws differs from machine to machine.
CHECKED = [name for name in GENERATORS if name != "page_pictures"]
# These start sessions of pytest; tests/docs/test_gallery.py checks our own blocks faster.
SLOW = {"gallery", "terminal_pictures"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.ci if name in SLOW else ()) for name in CHECKED])
def test_generated_files_are_current(name):
    module = generator(name)
    reason = missing(module) or (module.other_versions() if hasattr(module, "other_versions") else None)
    if reason:
        pytest.skip(reason)
    stale = [path.relative_to(REPOSITORY).as_posix() for path in stale_files(module) if is_checked(module, path)]
    assert stale == [], f"{', '.join(stale)} is stale: run make generate"


def is_checked(module, path):
    return path not in getattr(module, "UNCHECKED", ())


def test_stale_file_is_reported(monkeypatch):
    module = generator("signatures")
    path = next(iter(module.files()))
    monkeypatch.setattr(module, "files", lambda: {path: "other"})
    assert stale_files(module) == {path: b"other"}


def test_file_that_no_generator_writes_is_removed(tmp_path, monkeypatch):
    module = generator("signatures")
    left_over = tmp_path / "old.jsonl"
    left_over.touch()
    monkeypatch.setattr(module, "files", dict)
    monkeypatch.setattr(module, "FOLDER", tmp_path, raising=False)
    assert stale_files(module) == {left_over: None}
