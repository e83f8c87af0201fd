"""YAML as people write it: read strictly, and with the line of each part."""

import datetime

import pytest
import yaml

from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError, read_yaml
from pytest_verdict.errors import SettingsError

TEXT = """\
# A comment.
name: a
items:
  - {x: 1}
  - x: 2
    no: "quoted"
base: &base {k: v}
more: {<<: *base, z: [1.5, ~, 2024-02-29]}
"""


def test_values_agree_with_pyyaml():
    found = YamlDocument(TEXT).value
    assert found == yaml.safe_load(TEXT)
    assert found["more"]["z"][2] == datetime.date(2024, 2, 29)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("items",), 3),
        (("items", 1), 5),
        (("items", 1, False), 6),
        (("more", "k"), 7),
        (("more", "z", 0), 8),
        (("items", 1, "absent"), 5),
        (("absent", 0, "x"), 2),
    ],
)
def test_line_of_a_part_or_its_parent(path, line):
    assert YamlDocument(TEXT).line(path) == line


def test_scalar_keeps_its_text():
    assert YamlDocument(TEXT).written(("items", 1, False)) == "quoted"
    assert YamlDocument(TEXT).written(("items",)) == ""
    assert YamlDocument(TEXT).lines_of_items(("items",)) == [4, 5]


WRONG = [
    ("a: 1\nb: {c: 1,\n c: 2}", 3, "the key 'c' occurs twice"),
    ("a: 1\n1: 2\n1.0: 3", 3, "the key 1.0 occurs twice"),
    ("a:\n\t- b", 2, "it is not YAML: while scanning"),
    ("a: b: c", 1, "it is not YAML: mapping values are not allowed"),
    ("- a\n---\n- b", 2, "it is not YAML: expected a single document"),
    ("a: *b", 1, "it is not YAML: found undefined alias"),
    ("a: 1\nb: !!python/object:os.system {}", 2, "the tag 'tag:yaml.org,2002:python/object:os.system' is not read"),
    ("a: 1\nb: !secret c", 2, "it is not YAML: could not determine a constructor"),
    ("a: 2024-02-30", 1, "2024-02-30 looks like a date and is none"),
    ("a: 1.0e+999", 1, "1.0e+999 is beyond what a float holds"),
    ("a: -1.0e-999", 1, "-1.0e-999 is beyond what a float holds"),
    ("[" * 1_000_000, 1, "it is nested too deeply"),
    ("- " * 1_000_000, 1, "it is nested too deeply"),
    ("? " * 1_000_000, 1, "it is nested too deeply"),
    ("[" * 2_000 + "]" * 2_000, 1, "it is nested too deeply"),
    ("", 1, "the file is empty"),
    ("# nothing", 1, "the file is empty"),
]


@pytest.mark.parametrize(("text", "line", "reason"), WRONG, ids=range(len(WRONG)))
def test_error_has_its_line(tmp_path, text, line, reason):
    with pytest.raises(YamlTextError) as error:
        YamlDocument(text)
    assert error.value.at("a.yaml").startswith(f"a.yaml:{line}: {reason}")
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(SettingsError) as refused:
        read_yaml(path)
    assert str(refused.value) == f"{path}: {error.value}, at line {line}"


def test_unreadable_file_is_rejected(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: \xff")
    with pytest.raises(SettingsError, match=r"a\.yaml: it is not UTF-8: invalid start byte at byte 3, at line 1"):
        read_yaml(path)
    path.write_text("- a")
    with pytest.raises(SettingsError, match="the top level is a mapping, got list"):
        read_yaml(path)
    with pytest.raises(SettingsError, match=r"absent\.yaml cannot be read: .*No such file"):
        read_yaml(tmp_path / "absent.yaml")


def test_alias_is_the_same_value():
    found = YamlDocument("a: &a [1]\nb: *a").value
    assert found["a"] is found["b"]


def test_many_siblings_are_not_deep():
    assert YamlDocument("- [a, {b: c}]\n" * 2_000).value == [["a", {"b": "c"}]] * 2_000
