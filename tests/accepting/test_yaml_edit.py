"""Changes to the text of a file of accepted values: what changes, and that everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from pytest_verdict.accepting.editing import dump_value, edit_accepted, refuse_unwritable
from pytest_verdict.accepting.file import parse_accepted
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import RecordError

HAND_WRITTEN = """\
# Header of the file

# about b
test_b:   # beside the key
  # inside
  greeting:
    - Hello   # beside a value
    - |
      two
      lines

    - 'quoted'
  other: [1,   2]   # flow

# about a, which is not in order
"test_a": {x: ["one",  two]}
# at the end
"""


def changed_lines(before, after):
    old, new = before.splitlines(), after.splitlines()
    return [line for line in new if line not in old], [line for line in old if line not in new]


def edit(text, **changes):
    """Change entries by their path, such as b_greeting; None removes one."""
    values = {test: {name: [*items] for name, items in names.items()} for test, names in parse_accepted(text).items()}
    for path, new in changes.items():
        test, name = path.split("__")
        if new is None:
            values[test].pop(name)
            if not values[test]:
                del values[test]
        else:
            values.setdefault(test, {})[name] = new
    edited = edit_accepted(text, values)
    assert encode_text(parse_accepted(edited)) == encode_text(parse_accepted(edited))
    assert {test: dict(names) for test, names in parse_accepted(edited).items()} == values
    return edited


BEFORE = ["Hello", "two\nlines\n", "quoted"]


@pytest.mark.parametrize(
    ("changes", "added", "removed"),
    [
        (
            {"test_b__greeting": ["New", *BEFORE[1:]]},
            ['    - "New"   # beside a value'],
            ["    - Hello   # beside a value"],
        ),
        (
            {"test_b__greeting": ["a\nb", *BEFORE[1:]]},
            ['    - "a\\nb"   # beside a value'],
            ["    - Hello   # beside a value"],
        ),
        ({"test_b__greeting": ["Hello", "x", "quoted"]}, ['    - "x"'], ["    - |", "      two", "      lines"]),
        ({"test_b__greeting": [*BEFORE, "x"]}, ['    - "x"'], []),
        ({"test_b__greeting": [*BEFORE, "x\ny"]}, ["    - |-", "      x", "      y"], []),
        ({"test_b__other": [1, "2"]}, ['  other: [1,   "2"]   # flow'], ["  other: [1,   2]   # flow"]),
        (
            {"test_b__other": [1, 2, {"a": []}]},
            ['  other: [1,   2, {"a": []}]   # flow'],
            ["  other: [1,   2]   # flow"],
        ),
        ({"test_b__new": [1]}, ["  new:", "    - 1"], []),
        ({"test_b__aaa": [1]}, ["  aaa:", "    - 1"], []),
        ({"test_b__zzz": [1]}, ["  zzz:", "    - 1"], []),
        ({"test_b__other": None}, [], ["  other: [1,   2]   # flow"]),
        ({"test_c[x: y]__v": [None]}, ["'test_c[x: y]':", "  v:", "    - null"], []),
        ({"test_0__v": [1]}, ["test_0:", "  v:", "    - 1"], []),
        ({"test_a__x": ["one", "drei"]}, ['"test_a": {x: ["one",  "drei"]}'], ['"test_a": {x: ["one",  two]}']),
        ({"test_a__x": None}, [], ['"test_a": {x: ["one",  two]}']),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_entry_changes(changes, added, removed, newline):
    edited = edit(HAND_WRITTEN.replace("\n", newline), **changes)
    new, old = changed_lines(HAND_WRITTEN.replace("\n", newline), edited)
    assert [line for line in new if line.strip()] == added
    assert [line for line in old if line.strip()] == removed
    assert edited.count("\n") == edited.count(newline)


def test_file_without_a_final_line_break_or_with_comments_alone():
    assert edit("test_a:\n  v:\n    - 1", test_a__v=[1, 2]) == "test_a:\n  v:\n    - 1\n    - 2\n"
    assert edit("test_a: {v: [1]}", test_b__v=[2]) == "test_a: {v: [1]}\ntest_b:\n  v:\n    - 2\n"
    assert edit("", test_a__v=[1]) == "test_a:\n  v:\n    - 1\n"
    assert edit("# only this\n", test_a__v=[1]).startswith("# only this\n")


@pytest.mark.parametrize(
    "text",
    [
        "test_a:\n  v: &x [1, 2]\ntest_b:\n  v: *x\n",
        "base: &b {v: [1]}\ntest_b:\n  <<: *b\n  w: [2]\n",
        "? test_a\n: v: [1]\n",
        "{test_a: {v: [1]}}\n",
    ],
)
def test_unusual_form_is_changed_rightly_or_refused(text):
    values = {test: {name: [*items] for name, items in names.items()} for test, names in parse_accepted(text).items()}
    for test, names in values.items():
        changed = {**values, test: {**names, "v": [*names.get("v", ()), "new"]}}
        try:
            edited = edit_accepted(text, changed)
        except RecordError:
            continue
        assert {one: dict(names) for one, names in parse_accepted(edited).items()} == changed


@pytest.mark.parametrize(
    "text",
    [
        "test_a: {v: [1]}  # why\ntest_b: {v: [1]}\n",
        "test_a: {v: [1]} # why",
        "test_a: {v: [1],\n u: [3]}  # why\n",
        "test_a: {v: [1], # one\n  u: [2]}\n",
    ],
)
def test_entry_in_braces_gets_no_other_names(text):
    with pytest.raises(RecordError, match="write it in blocks"):
        edit(text, test_a__w=[2])


MISREAD = {
    "no": "no without quotes is false",
    "Yes": "Yes without quotes is true",
    "12:30": "12:30 without quotes is 750",
    "010": "010 without quotes is 8",
    "1_000": "1_000 without quotes is 1000",
    "~": "~ without quotes is null",
    "0x1F": "0x1F without quotes is 31",
    "1e3": "1e3 is a number for some readers",
    "0o7": "0o7 is a number for some readers",
    "2024-05-01": "2024-05-01 without quotes is a date",
    "&M stores": "is read as",
    "{a:1}": "nothing after the colon is null",
    "{no: 1}": "no without quotes is false",
}


@pytest.mark.parametrize("text", MISREAD)
@pytest.mark.parametrize("form", ["# one\ntest_a:\n  v: [{}]\n", "\ntest_a:\n  v: [x, {{k: [{}]}}]\n"])
def test_text_that_yaml_reads_as_another_value_is_an_error_with_its_line(text, form):
    with pytest.raises(YamlTextError) as refused:
        parse_accepted(form.format(text))
    assert MISREAD[text] in str(refused.value)
    assert refused.value.line == 3


def test_text_before_a_comment_without_a_blank_is_an_error():
    with pytest.raises(YamlTextError, match="#1 is a comment in YAML"):
        parse_accepted("test_a:\n  v:\n    - Paris #1\n")
    assert parse_accepted("test_a:\n  v:\n    - Paris # 1\n") == {"test_a": {"v": ["Paris"]}}


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("null", None), ("-5", -5), ("1.5e-7", 1.5e-7), (".inf", float("inf")), ("Norway", "Norway")],
)
def test_plain_values_are_read_as_they_are_written(text, value):
    assert parse_accepted(f"test_a: {{v: [{text}]}}") == {"test_a": {"v": [value]}}


ODD_TEXTS = [
    *MISREAD,
    "Paris #1",
    "true",
    "null",
    "-5",
    "1.5e-7",
    ".inf",
    "",
    " ",
    "=",
    "<<",
    "! x",
    "? a",
    "*a",
    "\ufeffa",
]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts_are_quoted_in_each_place(text):
    values = {text: {text: [text, [text], {text: text}]}, "test_a": {"v": [1], text: [2]}}
    assert parse_accepted(edit_accepted("test_a:\n  v: [1]\n", values)) == values


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a\nb", "\n", " a\n b\n", "x\n\n", "- a\n# b", *ODD_TEXTS]
)
items = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
evidence = st.recursive(
    items, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
lists = st.lists(evidence, min_size=1, max_size=3, unique_by=encode_text)
files = st.dictionaries(texts, st.dictionaries(texts, lists, min_size=1, max_size=3), max_size=3)


@pytest.mark.ci
@given(before=files, after=files, newline=st.sampled_from(["\n", "\r\n"]))
def test_any_file_can_become_any_other(before, after, newline):
    for values in (before, after):
        for names in values.values():
            for entry in names.values():
                for value in entry:
                    try:
                        refuse_unwritable(value)
                    except RecordError:
                        assume(condition=False)
    text = edit_accepted("# a comment\n", before).replace("\n", newline)
    # A text with the other line break is not the same text.
    assume(encode_text(parse_accepted(text)) == encode_text(parse_accepted(edit_accepted("", before))))
    # The command only adds and replaces values, and removes whole entries.
    for test in before.keys() & after.keys():
        for name in before[test].keys() & after[test].keys():
            after[test][name] += before[test][name][len(after[test][name]) :]
            assume(len(set(map(encode_text, after[test][name]))) == len(after[test][name]))
    merged = {test: {**before.get(test, {}), **after.get(test, {})} for test in {**before, **after}}
    for values in (merged, after):
        text = edit_accepted(text, values)
        assert "# a comment" in text
        assert {
            test: {name: encode_text([*entry]) for name, entry in names.items()}
            for test, names in parse_accepted(text).items()
        } == {test: {name: encode_text(entry) for name, entry in names.items()} for test, names in values.items()}


@given(value=evidence | st.lists(st.dates() | st.datetimes() | items, max_size=2))
def test_value_that_is_not_refused_is_given_back(value):
    try:
        refuse_unwritable(value)
    except RecordError:
        return
    for text in (f"- {dump_value(value, flow=False)}\n", f"[{dump_value(value, flow=True)}]"):
        document = YamlDocument(text)
        assert encode_text(document.value) == encode_text([value])
        assert [*document.misread()] == []
