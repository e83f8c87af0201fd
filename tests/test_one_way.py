"""Some acts have one implementation, and only its module uses the function behind it."""

from __future__ import annotations

import pathlib
import re

import pytest

SOURCE = pathlib.Path(__file__).parents[1] / "src" / "pytest_verdict"


@pytest.mark.parametrize(
    ("pattern", "modules"),
    [
        (r"object_pairs_hook|parse_constant=", {"core/values/jsontext.py"}),
        (r"yaml\.(safe_)?(load|compose|parse)", {"core/values/yaml.py"}),
        (r"\.errors\(", {"core/strict_model.py"}),
        (r"\.hex\}\.new|f\"\{name\}\.new", {"core/new_files.py"}),
        (r"digest\(encode_text\(", {"core/values/encoding.py"}),
        (r"os\.(replace|rename)\(", set()),
        (r"SequenceMatcher\(", {"core/values/opcodes.py"}),
    ],
)
def test_only_one_module_does_it(pattern, modules):
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    assert {name for name, text in texts.items() if re.search(pattern, text)} == modules


def test_report_json_is_parsed_by_its_reader_alone():
    parses = re.compile(r"json\.loads\([^\n]*(REPORT|report\.json)")
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    assert not [name for name, text in texts.items() if parses.search(text)]
    assert "def read_document(" in texts["report/reading.py"]
