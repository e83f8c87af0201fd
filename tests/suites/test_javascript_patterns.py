"""Regular expressions of promptfoo mean in Python what they mean in JavaScript, or are left out."""

import json
import random
import re
import shutil
import subprocess

import pytest

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.importing.promptfoo import _translate_pattern

MEANINGS = [
    ("^42$", "42\n", False),
    ("^42$", "42", True),
    ("\\d", "\u0663", False),
    ("\\w", "\u00e9", False),
    ("[\\w]", "\u00e9", False),
    ("\\W", "\u00e9", True),
    ("\\s", "\ufeff", True),
    ("\\s", "\x1c", False),
    ("\\bb", "\u00e9b", True),
    ("\\B", "", True),
    (".", "\r", False),
    (".", "\u2028", False),
    ("[.]", "x", False),
    ("[$]", "$", True),
    ("\\$5", "$5", True),
]
LEFT_OUT = [
    *("(?<year>a)", "[]a]", "a{,3}", "\\Z", "\\A", "(a)\\1", "[\\D]", "[\\w-z]", "[a-\\d]", "a++", "a*+", "(?i)a"),
    *("{x}", "\\p{L}", "\\cA", "\\0", "(?P<a>b)", "(?#c)", "(?>a)", "\\k<a>", "\\u{61}", "\\N{DIGIT ONE}", "\\a"),
    *("[a[b]", "(?<=a)b"),
]  # fmt: skip
ATOMS = [
    *("a", "b", "1", "\\d", "\\w", "\\s", "\\S", "\\D", "\\W", "\\b", "\\B", ".", "$", "^", "[a-c]", "[^a]", "[\\d_]", "[\\w-]"),
    *("(a)", "(?:b|c)", "(?=a)", "(?!b)", "\u00e9", "\\u00e9", "\\n", "[^\\n]", "[.$]", "x{2}", "_", "-", "\\.", "(?<=a)"),
    "(?<!b)",
]  # fmt: skip
CHARACTERS = [
    *"abc15_-x$.] \n\r",
    "\u00e9",
    "\u0665",
    "\xb2",
    "\u2028",
    "\xa0",
    "\ufeff",
    "\x1c",
    "\x85",
    "\u017f",
    "\u212a",
]
PROGRAM = """
const pairs = JSON.parse(require("fs").readFileSync(0));
const found = ([pattern, text]) => { try { return new RegExp(pattern).test(text) } catch (error) { return null } };
console.log(JSON.stringify(pairs.map(found)));
"""


@pytest.mark.parametrize(("pattern", "text", "matches"), MEANINGS)
def test_a_pattern_means_what_it_means_in_javascript(pattern, text, matches):
    assert (re.search(_translate_pattern(pattern), text) is not None) is matches


@pytest.mark.parametrize("pattern", LEFT_OUT)
def test_a_pattern_with_another_meaning_is_left_out(pattern):
    with pytest.raises(ConfigurationError, match="the pattern is not translated"):
        _translate_pattern(pattern)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.skipif(
    shutil.which("node") is None, reason="Node.js is not installed, so there is no JavaScript to compare with"
)
def test_node_agrees_on_random_patterns():
    chance = random.Random(2026)
    pairs = []
    for _ in range(4_000):
        pattern = "".join(
            chance.choice(ATOMS) + chance.choice(["", "", "*", "+", "?", "{1,2}", "*?"])
            for _ in range(chance.randint(1, 4))
        )
        pairs.append((pattern, "".join(chance.choice(CHARACTERS) for _ in range(chance.randint(0, 6)))))
    node = subprocess.run(["node", "-e", PROGRAM], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    compared = 0
    for (pattern, text), matches in zip(pairs, json.loads(node.stdout), strict=True):
        try:
            ours = re.search(_translate_pattern(pattern), text) is not None
        except (ConfigurationError, re.error):
            continue
        if matches is not None:
            compared += 1
            assert ours is matches, (pattern, text)
    assert compared > 2_000


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}},
        {"items": [{"format": "email"}]},
        {"anyOf": [{"type": "null"}, {"format": "ipv4"}]},
    ],
)
def test_a_schema_with_formats_checks_them(imported, schema):
    tests = [
        {"vars": {"n": 1}, "assert": [{"type": kind, "value": schema}, {"type": "contains", "value": "a"}]}
        for kind in KINDS
    ]
    _, said, path, _ = imported("promptfoo", {"prompts": ["{{n}}"], "providers": ["echo"], "tests": tests})
    assert said == []
    assert path.read_text("utf-8").count("format: assert") == len(KINDS)


def test_a_schema_with_an_unknown_format_is_left_out(imported):
    checks = [{"type": "is-json", "value": {"format": "postcode"}}, {"type": "contains", "value": "a"}]
    _, said, path, _ = imported("promptfoo", {"tests": [{"assert": checks}]})
    assert "the format 'postcode' cannot be checked" in "".join(said)
    assert "json_schema" not in path.read_text("utf-8")


KINDS = ("is-json", "contains-json")


def test_a_property_may_be_called_format(imported):
    schema = {"properties": {"format": {"type": "string"}, "pattern": {}}, "enum": [{"pattern": 1}]}
    test = {"vars": {"n": 1}, "assert": [{"type": "is-json", "value": schema}]}
    code, said, _, _ = imported("promptfoo", {"prompts": ["{{n}}"], "providers": ["echo"], "tests": [test]})
    assert (code, said) == (0, [])


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"type": "is-json", "value": {"properties": {"a": {"type": "string", "nullable": True}}}}, "nullable"),
        ({"type": "is-json", "value": {"patternProperties": {"a": {}}}}, "patternProperties"),
        ({"type": "is-json", "value": {"items": {"pattern": "a"}}}, "'pattern' is no keyword"),
        ({"type": "regex", "value": "[\U0001f600]"}, "the pattern is not translated"),
        ({"type": "regex", "value": "\U0001f600+"}, "the pattern is not translated"),
    ],
    ids=["nullable", "names", "pattern", "class", "quantifier"],
)
def test_what_promptfoo_reads_otherwise_is_left_out(imported, check, reason):
    _, said, path, _ = imported("promptfoo", {"tests": [{"assert": [check, {"type": "contains", "value": "a"}]}]})
    assert reason in "".join(said)
    assert path.read_text("utf-8").count("operator:") == 1


@pytest.mark.parametrize("written", ["012", "0o12", "1e3", ".5e1", "12:30", "Yes", "2024-01-01", "~", "0x1F"])
def test_a_value_that_promptfoo_reads_otherwise_is_refused(imported, written):
    code, _, path, err = imported("promptfoo", f"tests:\n- assert:\n  - {{type: contains, value: {written}}}\n")
    assert (code, path) == (2, None)
    assert ":3: " in err
