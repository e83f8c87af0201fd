"""The message of a wrong guess leads to the right call."""

from __future__ import annotations

import contextlib
import copy
import re
import subprocess
import sys
from importlib.resources import files

import pytest
import yaml

import pytest_verdict
from pytest_verdict import (
    Comparator,
    ConfigurationError,
    MissingExtraError,
    UnknownOperatorError,
    compare,
    errors,
    expect,
)
from pytest_verdict.cli import main
from pytest_verdict.core.registry import REGISTRY, OperatorRegistry
from pytest_verdict.errors import ArgumentsError, SettingsError, SuiteError
from pytest_verdict.suites.suite_reader import read_suite

START = """
import pytest_verdict
from pytest_verdict import *
from pytest_verdict.operators import *
from pytest_verdict.templates import *
comparator = Comparator()
expected = observed = answer = "Paris"
embed = lambda texts: [[1.0, 0.0] for _ in texts]
"""


@pytest.fixture
def user():
    """Return the names that a new user has at hand."""
    names: dict[str, object] = {}
    exec(START, names)
    return names


EQUAL = 'compare("exact", expected, observed)'
NUMBERS = 'compare("numeric_tolerance", 37.0, observed, tolerance=0.5, mode="absolute")'
EXPECT = 'assert observed == expect("exact", expected)'
JSON = 'compare("json_distance", expected, observed, ignore=["$.id"])'

# A guess, what its message contains, and what runs when that is written.
GUESSES = [
    # The names of operators.
    ('compare("equals", 1, 1)', EQUAL, EQUAL),
    ('compare("==", 1, 1)', EQUAL, EQUAL),
    ('compare("EqualTo", 1, 1)', EQUAL, EQUAL),
    ('compare("exat", 1, 1)', "Did you mean 'exact'?", EQUAL),
    ('compare("fuzzy", "a", "b")', 'compare("text_similarity", expected, observed, threshold=0.8)', None),
    (
        'compare("jsonMatch", "{}", "{}")',
        'compare("json_canonical", expected, observed)',
        "compare('json_canonical', {}, '{}')",
    ),
    ('compare("contains", "a", "b")', 'compare("contains_all", ["Paris"], observed)', None),
    ('assert_matches("approx", 37.0, 36.8)', NUMBERS, NUMBERS.replace("observed", "36.8")),
    ('expect("regexp", "[0-9]+")', 'compare("regex", "[0-9]+", observed, mode="search")', None),
    ('AllOf(conditions=["equals"])', '"exact"', 'AllOf(conditions=["exact"])'),
    # Their settings.
    (
        'compare("numeric_tolerance", 1, 2, abs=0.5)',
        'tolerance=0.5, mode="absolute"',
        NUMBERS.replace("observed", "36.8"),
    ),
    (
        'compare("numeric_tolerance", 1, 2, rel=0.5)',
        'tolerance=0.01, mode="relative"',
        'compare("numeric_tolerance", 1, 2, tolerance=0.01, mode="relative")',
    ),
    (
        'compare("numeric_tolerance", 1, 2, 0.5)',
        "the setting 'tolerance' is required",
        "NumericTolerance(tolerance=0.5)",
    ),
    (
        'compare("date_tolerance", "2024-01-01", "2024-01-01", seconds=5)',
        'tolerance=1, unit="minutes"',
        'compare("date_tolerance", "2024-01-01", "2024-01-01", tolerance=1, unit="minutes")',
    ),
    (
        'compare("json_distance", {}, {}, exclude=["$.id"])',
        'ignore=["$.id"]',
        'compare("json_distance", {}, {}, ignore=["$.id"])',
    ),
    (
        'compare("json_distance", [], [], ignore_order=True)',
        'list_order="unordered"',
        'compare("json_distance", [], [], list_order="unordered")',
    ),
    ('compare("exact", {}, {}, ignore=["$.id"])', JSON, 'compare("json_distance", {}, {}, ignore=["$.id"])'),
    (
        'compare("exact", "a", "A", ignore_case=True)',
        "case_sensitive=False",
        'compare("exact", "a", "A", case_sensitive=False)',
    ),
    (
        'compare("regex", "a", "A", ignore_case=True)',
        'flags=["IGNORECASE"]',
        'compare("regex", "a", "A", flags=["IGNORECASE"])',
    ),
    (
        'compare("exact", "a", "A", normalize=["lower"])',
        'normalize=["lowercase"]',
        'compare("exact", "a", "A", normalize=["lowercase"])',
    ),
    (
        'compare("exact", "a", "A", normalize="lower")',
        'normalize=["lowercase"]',
        'compare("exact", "a", "A", normalize=["lowercase"])',
    ),
    (
        'comparator.with_defaults("numeric_tolerance", tol=1)',
        "tolerance=0.5",
        'comparator.with_defaults("numeric_tolerance", tolerance=1)',
    ),
    ('ContainsAny(values=["a"])', 'substrings=["Paris"]', 'ContainsAny(substrings=["Paris"])'),
    ("NumericTolerance(0.5)", "NumericTolerance(normalize=...)", "NumericTolerance(tolerance=0.5)"),
    ('AllOf(["exact"])', "AllOf(conditions=...)", 'AllOf(conditions=["exact"])'),
    # The arguments.
    (
        'compare("exact", expected="Paris", actual=answer)',
        "compare('exact', expected='Paris', observed=...)",
        "compare('exact', expected='Paris', observed=answer)",
    ),
    (
        'compare("exact", reference="Paris", prediction=answer)',
        "compare('exact', expected=..., observed=...)",
        "compare('exact', expected='Paris', observed=answer)",
    ),
    (
        'assert_matches("exact", expected="Paris", target=answer)',
        "compare('exact', expected='Paris', observed=...)",
        "assert_matches('exact', expected='Paris', observed=answer)",
    ),
    ('compare("exact", 1, 1, reference=1)', 'expected="Paris"', 'compare("exact", expected="Paris", observed=answer)'),
    ('compare("exact", 1, 1, title="x")', 'name="the capital"', 'compare("exact", 1, 1, name="the capital")'),
    (
        'assert_matches("exact", 1, 1, msg="x")',
        'message="the capital is wrong"',
        'assert_matches("exact", 1, 1, message="the capital is wrong")',
    ),
    (
        'compare("text_similarity", "a", "b", min_score=0.8)',
        "threshold=0.8",
        'compare("text_similarity", "a", "b", threshold=0.8)',
    ),
    (
        'compare("text_similarity", "a", "b", threshold=80)',
        "80 percent is 0.8",
        'compare("text_similarity", "a", "b", threshold=0.8)',
    ),
    # The operator is missing, or not where it belongs.
    ('assert_matches("Paris", answer)', "compare('exact', 'Paris', 'Paris')", "compare('exact', 'Paris', 'Paris')"),
    ("compare(1, 2)", "compare('exact', 1, 2)", "compare('exact', 1, 2)"),
    ('compare("Paris", answer, "exact")', f"The operator comes first, as in {EQUAL}", EQUAL),
    ('compare(expected="Paris", observed=answer)', "the first argument names the operator, such as 'exact'", EQUAL),
    ('comparator("Paris", answer)', "compare('exact', 'Paris', 'Paris')", 'comparator("exact", "Paris", answer)'),
    ('expect(answer).to_equal("Paris")', EXPECT, EXPECT),
    ('expect("exact", "Paris").to_equal(answer)', EXPECT, EXPECT),
    ('expect("exact", "Paris", answer)', 'observed == expect("exact", expected)', EXPECT),
    (
        'comparator.compare("Paris", answer)',
        'comparator("exact", expected, observed)',
        'comparator("exact", expected, observed)',
    ),
    (
        'comparator.json_canonical("{}", "{}")',
        'comparator("json_canonical", expected, observed)',
        'comparator("json_canonical", "{}", "{}")',
    ),
    ('comparator.assert_equal("Paris", answer)', 'comparator.assert_matches("exact", expected, observed)', None),
    ("comparator.anything", 'comparator.assert_matches("exact", expected, observed)', None),
    ("comparator.soft()", "with comparator.collect(): ...", None),
    # Templates.
    (
        'VerifiedField("x", ground_truth=1, verify_with="numeric_tolerance")',
        "NumericTolerance(",
        "NumericTolerance(tolerance=1)",
    ),
    ("NumericTolerance(tol=1)", "tolerance=0.5", "NumericTolerance(tolerance=0.5)"),
    # Names that are imported.
    ("from pytest_verdict import campare", "from pytest_verdict import compare", None),
    ("pytest_verdict.campare", "from pytest_verdict import compare", None),
    ("from pytest_verdict import VerifiedField", "from pytest_verdict.templates import VerifiedField", None),
    ("from pytest_verdict import JsonCanonical", "from pytest_verdict.operators import JsonCanonical", None),
    ("from pytest_verdict.templates import VerifedField", "from pytest_verdict.templates import VerifiedField", None),
    ("from pytest_verdict import assert_equal", "from pytest_verdict import assert_matches", None),
    ("from pytest_verdict import approx", 'expect("numeric_tolerance", 37.0, tolerance=0.5, mode="absolute")', None),
    (
        "from pytest_verdict import json_canonical",
        'compare("json_canonical", expected, observed)',
        'compare("json_canonical", "{}", "{}")',
    ),
]


@pytest.mark.parametrize(("guess", "said", "right"), GUESSES, ids=[guess for guess, _, _ in GUESSES])
def test_wrong_guess_suggests_the_right_call(guess, said, right, user):
    with pytest.raises((ConfigurationError, AttributeError, ImportError)) as caught:
        exec(guess, user)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 450
    exec(right or said, user)


def test_suggested_call_passes():
    assert compare("contains_all", ["Paris"], "in Paris").passed
    assert compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute").passed


def rows(kind):
    text = files("pytest_verdict").joinpath("synonyms.txt").read_text("utf-8")
    section = next(part for part in text.split("\n[") if part.startswith(f"{kind}]"))
    return [line.split(" | ") for line in section.splitlines()[1:] if line]


@pytest.mark.parametrize(("needs", "words", "right"), rows("operator"))
def test_operator_synonyms_run(needs, words, right, user):
    assert needs == "*" or needs in REGISTRY.public_names()
    assert not set(words.split()) & set(REGISTRY.names())
    if right.startswith("compare("):
        assert eval(right, user).operator == needs
    else:
        exec(right.rpartition(": ")[2], user)


@pytest.mark.parametrize(("needs", "words", "right"), rows("setting"))
def test_setting_synonyms_exist(needs, words, right, user):
    example = right.replace("{word}", "days")
    if example.startswith("compare("):
        eval(example, user)
        return
    made = eval(f"dict({example})", user)
    names = [name for name in REGISTRY.public_names() if set(needs.split()) <= set(REGISTRY.find(name).model_fields)]
    assert names
    for name in names:
        with contextlib.suppress(SettingsError):
            REGISTRY.build(name, made)
            break
    else:
        pytest.fail(f"no operator takes {example}")


@pytest.mark.parametrize(
    ("needs", "words", "right"), [row for kind in ("normalizer", "argument") for row in rows(kind)]
)
def test_argument_and_normalizer_synonyms_run(needs, words, right, user):
    if "=" in right:
        compare(
            "exact" if "normalize" in right else "text_similarity",
            **{"expected": "a", "observed": "a", **eval(f"dict({right})", user)},
        )


@pytest.mark.parametrize(("needs", "words", "right"), rows("command"))
def test_command_synonyms_exist(needs, words, right):
    from pytest_verdict.core.families import FAMILIES

    assert right == "pytest --verify-report" or right.split()[1] in FAMILIES.own("commands")
    assert not set(words.split()) & set(FAMILIES.own("commands"))


def ignores_case(expected, observed, *, ignore_case=False, rel=0):
    return expected == observed


def test_setting_of_user_operator_is_no_wrong_guess():
    registry = OperatorRegistry()
    registry.add(ignores_case)
    with pytest.raises(SettingsError, match="Did you mean 'ignore_case'"):
        registry.build("ignores_case", {"ignorecase": True})
    assert registry.build("ignores_case", {"rel": 1}).settings()["rel"] == 1


class TestAnUnknownOperator:
    def test_shows_the_three_nearest_and_not_the_whole_list(self):
        with pytest.raises(UnknownOperatorError) as caught:
            compare("zebra", 1, 1)
        nearest = re.findall("[a-z_]+", str(caught.value).partition("The nearest are ")[2].partition(".")[0])
        assert len(nearest) == 3
        assert set(nearest) <= set(REGISTRY.public_names())
        assert sum(name in str(caught.value) for name in REGISTRY.names()) <= 6

    def test_never_shows_what_only_records_carry(self):
        hidden = {"answer_template", "blind_ballot", "blind_preference", "field_check", "not_compared", "pass_rate"}
        assert set(REGISTRY.names()) - set(REGISTRY.public_names()) == hidden | {
            "case_choice",
            "nothing_found",
            "row_count",
            "quote_check",
            "regex_check",
            "scorer_verdict",
        }
        for name in ("blind_balot", "not_compred", "scorer_verdct"):
            with pytest.raises(UnknownOperatorError) as caught:
                compare(name, 1, 1)
            assert not any(f"{internal!r}" in str(caught.value) for internal in hidden)
            assert REGISTRY.find("not_compared").name == "not_compared"

    def test_whole_document_is_not_printed(self):
        with pytest.raises(UnknownOperatorError) as caught:
            compare("The capital of France is Paris. " * 200_000, "Paris", 0.8)
        assert len(str(caught.value)) < 450

    def test_empty_registry_has_no_hint(self):
        with pytest.raises(UnknownOperatorError, match="No operator is allowed here"):
            OperatorRegistry().find("exact")


class TestMissingArguments:
    def test_are_a_type_error_and_a_mistake_of_the_one_who_wrote_the_check(self):
        for call in (
            lambda: compare("exact"),
            lambda: expect("exact"),
            lambda: compare(),
            lambda: Comparator()("exact", 1),
        ):
            with pytest.raises(TypeError) as caught:
                call()
            assert isinstance(caught.value, ArgumentsError)
            assert isinstance(caught.value, ConfigurationError)

    def test_a_value_of_megabytes_is_not_written_out(self):
        with pytest.raises(ArgumentsError) as caught:
            compare("exact", "x" * 5_000_000)
        assert len(str(caught.value)) < 300

    def test_none_is_a_value(self):
        assert compare("exact", None, None).passed
        assert expect("exact", None) == None  # noqa: E711 - the comparison is what is tested


def test_synonyms_are_loaded_only_on_error():
    program = (
        "import sys; from pytest_verdict import Comparator, compare, expect, errors; c = Comparator(); c('exact', 1, 1); "
        "assert 1 == expect('exact', 1); import pytest_verdict.templates; "
        "print('pytest_verdict.explanation.call_hints' in sys.modules, 'importlib.resources' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split()[0] == "False"


def test_hasattr_works_for_unknown_names():
    assert not hasattr(pytest_verdict, "no_such_name")
    assert not hasattr(pytest_verdict, "no.such.name")
    assert copy.deepcopy(Comparator().with_defaults("exact", case_sensitive=False))("exact", "a", "A").passed
    assert copy.deepcopy(expect("exact", 1)) == 1
    assert hasattr(pytest_verdict, "compare")
    assert not hasattr(Comparator(), "no_such_name")
    assert not hasattr(expect("exact", 1), "no_such_name")


class Distribution:
    def __init__(self, **texts):
        self.texts = texts

    def read_text(self, name):
        return self.texts.get(name.partition(".")[0])


@pytest.mark.parametrize(
    ("installed", "command"),
    [
        ([], 'pip install "pytest-verdict[arrow]"'),
        ([Distribution()], 'pip install "pytest-verdict[arrow]"'),
        ([Distribution(INSTALLER="uv\n")], 'uv pip install "pytest-verdict[arrow]"'),
        (
            [Distribution(direct_url='{"url": "file:///a%20b/c", "dir_info": {"editable": true}}', INSTALLER="pip\n")],
            'pip install -e "/a b/c[arrow]"',
        ),
        (
            [Distribution(direct_url='{"url": "file:///a%20b/c", "dir_info": {}}')],
            'pip install "pytest-verdict[arrow] @ file:///a%20b/c"',
        ),
        (
            [Distribution(direct_url='{"url": "https://g/x.git", "vcs_info": {"vcs": "git", "commit_id": "ab"}}')],
            'pip install "pytest-verdict[arrow] @ git+https://g/x.git@ab"',
        ),
        (
            [Distribution(direct_url='{"url": "https://g/x.whl", "archive_info": {}}')],
            'pip install "pytest-verdict[arrow] @ https://g/x.whl"',
        ),
    ],
    ids=["not installed", "an index", "uv", "editable", "a folder", "git", "an archive"],
)
def test_install_hint_fits_the_installation(installed, command, monkeypatch):
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: iter(installed))
    error = MissingExtraError("reading Arrow files", "arrow")
    # The text is the same everywhere, because it may become part of a record.
    assert str(error) == "reading Arrow files needs the extra pytest-verdict[arrow]"
    assert error.__notes__ == [command]


SUITE = """\
suite:
  name: x
  scorers: [exct]
  scenarios:
    - name: a
      input: x
      expected: Paris
      scorer: fuzzy
    - {name: b, input: 3}
    - {name: b, input: x, scorer: {operator: exact, settings: {ignore_case: true}}}
    - {name: c, input: x, scorer: {name: exact}, pass: 3}
    - {name: c, input: x, scorer: regex}
"""


def problems(tmp_path, content):
    path = tmp_path / "a.verdict.yaml"
    path.write_text(content)
    with pytest.raises(SuiteError) as caught:
        read_suite(path, "a")
    return str(caught.value).splitlines()


def test_all_mistakes_of_a_suite_are_listed(tmp_path):
    """First those of keys and values; then, when these are right, all others."""
    forms = [
        "a:7: there is no key 'expected'. Write expected_output: Paris.",
        "a:9: input: 3 without quotes is a number in YAML",
        "a:11: the key 'operator' is required",
        "a:11: there is no key 'name'. Write operator: exact.",
    ]
    others = [
        "a:3: unknown scorer: 'exct'. Did you mean 'exact'?",
        "a:8: unknown scorer: 'fuzzy'. Write scorer: similarity.",
        "a:10: exact: there is no setting 'ignore_case'. Write case_sensitive=False.",
        "a:10: the name 'b' is also that of line 9",
        "a:11: pass: it has no effect without repeats",
        "a:12: the name 'c' is also that of line 11",
        "a:12: the scorer regex needs metadata.regex_pattern",
    ]
    corrected = (
        SUITE.replace("expected:", "expected_output:").replace("input: 3", "input: x").replace("{name: exact}", "exact")
    )
    for content, expected in ((SUITE, forms), (corrected, others)):
        found = problems(tmp_path, content)
        assert [given[: len(line)] for line, given in zip(expected, found, strict=True)] == expected


def test_consequences_of_a_mistake_are_not_listed(tmp_path):
    """So that no line of the message goes away by itself."""
    assert len(problems(tmp_path, "scenarios: [{name: a, input: x, repeats: 0, pass: 3}]")) == 1
    assert len(problems(tmp_path, "scenarios: [{name: a, input: x, scorer: regex, metadata: 3}]")) == 1
    assert len(problems(tmp_path, "suite: {name: x, repeats: no}\nscenarios: [{name: a, input: x, pass: 3}]")) == 1


@pytest.mark.parametrize(
    "content",
    [
        "suite: 3\nscenarios: 4",
        "suite: {}\nscenarios: [3, null, {}]",
        "suite: {name: [], scenarios: {}}",
        "suite: {input: x, scenarios: [{}]}\nbogus: 1",
        "scenarios: [&a {name: a, input: 3}, *a, {<<: *a, no: 1}]",
        "suite: {name: x, suite: {scenarios: []}, config: {retries: -1}}",
    ],
)
def test_any_invalid_suite_is_explained(content, tmp_path):
    assert all(line.startswith("a:") for line in problems(tmp_path, content))


@pytest.mark.parametrize(("needs", "words", "right"), rows("key"))
def test_key_synonyms_exist(needs, words, right):
    assert list(yaml.safe_load(right)) == [needs]


@pytest.mark.parametrize(("needs", "words", "right"), rows("scorer"))
def test_scorer_synonyms_run(needs, words, right, tmp_path):
    path = tmp_path / "a.verdict.yaml"
    path.write_text(f"scenarios:\n  - name: a\n    input: x\n    expected_output: '1'\n    {right}\n")
    assert read_suite(path).scenarios


def test_synonyms_are_packaged():
    assert errors.right_spelling("operator", "fuzzy", ["text_similarity"])
    assert errors.right_spelling("operator", "fuzzy", []) is None
    assert errors.right_spelling("no such kind", "fuzzy", []) is None


def test_command_line_names_the_extra(monkeypatch, capsys):
    def missing(_):
        raise MissingExtraError("this", "arrow")

    monkeypatch.setattr("pytest_verdict.cli._import_command", missing)
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: iter([]))
    assert main(["operators"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith('pip install "pytest-verdict[arrow]"')
