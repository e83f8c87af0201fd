"""json_canonical reads what Nicolas Seriot's JSONTestSuite says is JSON, and nothing that it says is not."""

import time

from public_data import JSON_TEST_SUITE
from pytest_verdict import compare

# Valid by the grammar; which of the two values counts is left open there, so they are refused by a rule of their own.
DUPLICATE_KEYS = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}


@JSON_TEST_SUITE.needed
def test_json_test_suite_is_followed():
    files = sorted(JSON_TEST_SUITE.path.glob("*.json"))
    wrong, slow = [], []
    # The first comparison imports the operator.
    compare("json_canonical", 1, 1)
    for file in files:
        content = file.read_bytes()
        start = time.process_time()
        result = compare("json_canonical", "null", content)
        if time.process_time() - start > 1:
            slow.append(file.name)
        wanted = {"y": not result.notes, "n": len(result.notes) == 1, "i": True}[file.name[0]]
        if file.name in DUPLICATE_KEYS:
            wanted = result.notes == ["json_duplicate_key"]
        if result.verdict == "error" or not wanted:
            wrong.append((file.name, result.verdict, result.notes))
    assert len(files) == 318
    assert (wrong, slow) == ([], [])
