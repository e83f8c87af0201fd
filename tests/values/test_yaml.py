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


def test_key_of_a_mapping_is_found_before_one_that_it_merges():
    assert YamlDocument("a: &a {n: 012}\nb: {<<: *a, n: x}").written(("b", "n")) == "x"


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


# What stands behind "a: " in a file, and what the complaint says of it; each holds inside of lists and mappings as well.
CHANGED = [
    *[(word, "is true in YAML; write true") for word in ("yes", "Yes", "YES", "on", "On", "ON")],
    *[(word, "is false in YAML; write false") for word in ("no", "No", "NO", "off", "Off", "OFF")],
    ("012", "is 10 in YAML"),
    ("-017", "is -15 in YAML"),
    ("00", "is 0 in YAML"),
    ("0x1F", "is 31 in YAML"),
    ("0b11", "is 3 in YAML"),
    ("1_000", "is 1000 in YAML"),
    ("1_000.5", "is 1000.5 in YAML"),
    ("12:30:00", "is 45000 in YAML"),
    ("12:30", "is 750 in YAML"),
    ("1:30.5", "is 90.5 in YAML"),
    ("-1:30", "is -90 in YAML"),
    ("2024-02-29", "is a date in YAML"),
    ("2024-02-29 10:00:00", "is a date in YAML"),
    ("2024-02-29T10:00:00Z", "is a date in YAML"),
    ("2024-2-9 1:00:00 +2", "is a date in YAML"),
    ("~", "is null in YAML"),
    ("", "nothing after the colon is null in YAML"),
    ("# Paris", "nothing after the colon is null in YAML"),
    ("#5", "nothing after the colon is null in YAML"),
    ("1e3", "is a number for some readers of YAML and a text for others"),
    ("-1E5", "is a number for some readers"),
    ("1.5e3", "is a number for some readers"),
    ("0o14", "is a number for some readers"),
    ("What is issue #5?", "#5? is a comment in YAML, so the text ends before it"),
    ("Paris #capital", "#capital is a comment in YAML"),
    ("C #", None),
    ("&M stores", "'&M stores' is read as 'stores'"),
    ("! stop", "'! stop' is read as 'stop'"),
    ("007.5", "is 7.5 in YAML"),
]
KEPT = [
    "true", "false", "True", "FALSE", "null", "NULL", "0", "-0", "7", "+7", "-12", "100000000000000000000", "1.5", "-0.25", "1.",
    ".5", "1.50", "1.0e+3", "-1.5E-3", ".inf", "-.inf", ".nan", "y", "n", "Y", "N", "yes please", "no.", "off-line", "on time",
    "12:30 h", "12:3x", "1_000_x", "v1_000", "0x", "08", "09", "0899", "2024-02", "29.02.2024", "2024-02-29 at noon", "~/file",
    "C#", "a#b", "Paris # capital", "Paris  # the capital", "5 # five", "A & B", "M&M", "a: &x b\nc: *x", "a!b", "!!str 012",
    "!!str yes", "!!int '12'", "'yes'", '"012"', "'2024-02-29'", '""', "''", "'~'", "'a #5'", '"&M stores"', "|\n  yes",
    ">-\n  012", "|\n  a #5", "1,000", "1 000", "50 %", "a@b", "1e", "e3", "0b", "1e3x", "https://a.b/c#d", "[a, 'no', 1]",
    "{b: 'no'}", "[]", "{}", "plain\n  text", "Ünï#x",
]  # fmt: skip
SHAPES = {
    "mapping": "a: {0}\n",
    "list": "- {0}\n",
    "deep": "x:\n  - y: 1\n    a: {0}\n",
    "flow": "x: [{{k: v, a: {0}}}]\n",
}


# A comment takes the brackets behind it with it, so that file is no YAML at all.
@pytest.mark.parametrize(
    ("text", "reason", "shape"),
    [(*case, shape) for case in CHANGED for shape in SHAPES if shape != "flow" or "#" not in case[0]],
)
def test_a_text_that_yaml_changes_is_refused_with_its_line(tmp_path, text, reason, shape):
    content = SHAPES[shape].format(text)
    path = tmp_path / "a.yaml"
    path.write_text(content)
    problems = [*YamlDocument.read(path).misread()]
    if reason is None:
        assert problems == []
        return
    ((line, sentence),) = problems
    assert line == content.rstrip("\n").count("\n") + 1
    assert reason in sentence
    with pytest.raises(YamlTextError) as error:
        YamlDocument.read_exactly(path)
    assert (error.value.line, str(error.value)) == (line, sentence)


@pytest.mark.parametrize("text", KEPT)
def test_a_text_that_is_what_it_seems_is_read(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text(text if "*x" in text else f"a: {text}\nb:\n  - c: 'd'\n", encoding="utf-8")
    assert [*YamlDocument.read(path).misread()] == []


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("no: x\n", [(1, "no without quotes is false in YAML")]),
        ("a: {b: {on: x}}\n", [(1, "on without quotes is true in YAML")]),
        ("a:\n  2024-01-01: x\n", [(2, "2024-01-01 without quotes is a date")]),
        ("a:\n  ~: x\n", [(2, "~ without quotes is null in YAML")]),
        ("a:\n  12: x\n", []),
        ("a: &x {b: no}\nc: *x\nd: *x\n", [(1, "no without quotes is false")]),
        ("a: &x no\nb: *x\n", [(1, "no without quotes is false")]),
        ("a: &x {b: 'no'}\nc: {<<: *x, d: 1}\n", []),
        ("a: yes\nb: 012\nc: ok\nd: 1:30\n", [(1, "yes"), (2, "012"), (4, "1:30")]),
        ("ä: ö # ü\nß: &M é\n", [(2, "'&M é' is read as 'é'")]),
        ("a: {b:1}\n", [(1, "nothing after the colon is null")]),
    ],
)
def test_keys_aliases_and_several_lines(text, problems):
    found = [*YamlDocument(text).misread()]
    assert [line for line, _ in found] == [line for line, _ in problems]
    assert all(sentence.startswith(start) for (_, sentence), (_, start) in zip(found, problems, strict=True)), found


@pytest.mark.parametrize("text", ["a: @b", "a: `b`", "a: %b", "a: b: c", "a: > 5", "a: |x", "%b"])
def test_a_character_that_needs_quotes_says_so(text):
    with pytest.raises(YamlTextError, match="write a text with such characters in quotes"):
        YamlDocument(text)
