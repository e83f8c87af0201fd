"""json_canonical reads what Nicolas Seriot's JSONTestSuite says is JSON, and nothing that it says is not."""

import time
from pathlib import Path

import pytest

from pytest_verdict import compare

FOLDER = Path(__file__).resolve().parents[2] / "../shared/data/json_test_suite/test_parsing"
# Valid by the grammar; which of the two values counts is left open there, so they are refused by a rule of their own.
DUPLICATE_KEYS = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
FILES = sorted(FOLDER.glob("*.json")) if FOLDER.is_dir() else []


def test_json_test_suite_is_followed():
    if not FILES:
        pytest.skip(f"JSONTestSuite is not at {FOLDER}")
    wrong, slow = [], []
    for file in FILES:
        content = file.read_bytes()
        start = time.perf_counter()
        result = compare("json_canonical", "null", content)
        if time.perf_counter() - start > 1:
            slow.append(file.name)
        wanted = {"y": not result.notes, "n": len(result.notes) == 1, "i": True}[file.name[0]]
        if file.name in DUPLICATE_KEYS:
            wanted = result.notes == ["json_duplicate_key"]
        if result.verdict == "error" or not wanted:
            wrong.append((file.name, result.verdict, result.notes))
    assert len(FILES) == 318
    assert (wrong, slow) == ([], [])
