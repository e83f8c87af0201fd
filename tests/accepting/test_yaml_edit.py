"""Changes to the text of a file of accepted values: what changes, and that everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from pytest_verdict.accepting.file import parse_accepted
from pytest_verdict.accepting.yaml_edit import dump_value, edit_accepted, refuse_unwritable
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.yaml import YamlDocument
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


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a\nb", "\n", " a\n b\n", "x\n\n", "- a\n# b"]
)
items = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | st.dates() | st.datetimes()
evidence = st.recursive(
    items, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
lists = st.lists(evidence, min_size=1, max_size=3, unique_by=encode_text)
files = st.dictionaries(texts, st.dictionaries(texts, lists, min_size=1, max_size=3), max_size=3)


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


@given(value=evidence)
def test_value_that_is_not_refused_is_given_back(value):
    try:
        refuse_unwritable(value)
    except RecordError:
        return
    for text in (f"- {dump_value(value, flow=False)}\n", f"[{dump_value(value, flow=True)}]"):
        assert encode_text(YamlDocument(text).value) == encode_text([value])
