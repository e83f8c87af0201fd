"""Mappings, paths and settings of files that no person would write: each is refused in one line."""

import pytest

from pytest_verdict.errors import ConfigurationError, MappingError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping

NINES = "9" * 5_000
PATHS = [
    f"$.a[{NINES}]", f"$.a[-{NINES}]", f"$.a[::{NINES}]", f"$.a * {NINES}", "$" + "[0]" * 3_000, "$." + "a." * 3_000 + "b",
    "(" * 2_000, "$.a[?(@.b > 1e999)", "$.\x00[", "", " ", "$['a'",
]  # fmt: skip
STANDARD_PATHS = [
    f"$.a[{'9' * 900}]",
    f"$[?@.a == {'9' * 900}]",
    "$.a[9007199254740993]",
    f"$.a[0:{'9' * 900}]",
    "$[?@.a == 1e999",
]
DOCUMENT = {"a": [1, 2], "b": "x"}


@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_a_path_that_cannot_be_read_is_refused_in_one_line(path):
    with pytest.raises(ConfigurationError) as error:
        InputMapping(observed=path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 2_000


@pytest.mark.parametrize("path", STANDARD_PATHS, ids=range(len(STANDARD_PATHS)))
def test_a_path_of_the_standard_that_cannot_be_read_is_refused_in_one_line(path):
    with pytest.raises(ConfigurationError, match="is not a JSONPath of RFC 9535"):
        InputMapping(observed={"path": path, "dialect": "rfc9535"})


@pytest.mark.parametrize("path", ["$.a[99999999]", "$.a[-1000000000]", "$.a[1000000:]", "$" + "[0]" * 300])
def test_a_large_index_matches_nothing_and_takes_no_memory(path):
    evaluator = Evaluator("exact", {"expected": "$.b", "observed": path})
    assert evaluator.evaluate(DOCUMENT).label is None
    with pytest.raises(MappingError):
        evaluator.mapping.resolve(DOCUMENT)


@pytest.mark.parametrize("name", ["mapping", "operator", "threshold", "expected", "observed", "self", 1, None])
def test_a_setting_with_the_name_of_an_argument_is_refused(name):
    entry = {"operator": "exact", "settings": {name: 1}}
    with pytest.raises(ConfigurationError, match="no setting of an operator; write it beside settings"):
        Evaluator({"a": entry}, {"group": "$.a", "expected": "$.b", "observed": "$.c"})


@pytest.mark.parametrize("path", ["$.a.`sorted`", "$.a.`len`", "$..a", "$.a[*]"])
def test_paths_that_the_library_cannot_write_are_compared(path):
    Evaluator("exact", {"expected": "$.b", "observed": path})
    with pytest.raises(ConfigurationError, match="the same value"):
        Evaluator("exact", {"expected": path, "observed": path})
