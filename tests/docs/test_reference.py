"""The lists that the documentation writes by hand are complete and true."""

import json
import re
import tomllib

from pytest_verdict.core.normalizers import NORMALIZERS
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.pytest_plugin import plugin
from tools.documentation import REPOSITORY

DOCS = REPOSITORY / "docs"
FOLDERS_IN_DETAIL = {"core", "core/values", "report", "runs", "pytest_plugin"}
OTHER_FILES = {"compare.py", "gallery.py", "terminal_pictures.py", "test_layers.py", "test_reference.py"}


def _text(page):
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_normalizer_is_described():
    described = re.findall(r"^\| `(\w+)` \|", _text("reference/normalizers.md"), re.MULTILINE)
    assert sorted(described) == sorted(NORMALIZERS)


class _Declared:
    """Takes down what the plugin declares."""

    def __init__(self):
        self.names = []

    def getgroup(self, *_names):
        return self

    def addoption(self, name, *_others, **_more):
        self.names.append(name)

    def addini(self, name, *_more, **_settings):
        self.names.append(name)


def test_every_option_and_ini_key_is_described():
    declared = _Declared()
    plugin.pytest_addoption(declared)
    page = _text("reference/pytest.md")
    assert declared.names
    assert [name for name in declared.names if f"| `{name}" not in page] == []


def test_every_fixture_and_marker_is_described(pytester):
    page = _text("reference/pytest.md")
    # A line such as: comparator -- pytest_verdict/pytest_plugin/plugin.py:159
    listed = pytester.runpytest_inprocess("-pno:asyncio", "--fixtures").stdout.str()
    fixtures = re.findall(r"^(\w+) -- .*pytest_verdict", listed, re.MULTILINE)
    markers = re.findall(
        r"^@pytest\.mark\.(verdict\w*)",
        pytester.runpytest_inprocess("-pno:asyncio", "--markers").stdout.str(),
        re.MULTILINE,
    )
    assert fixtures
    assert markers
    assert [name for name in fixtures if f"\n`{name}`\n" not in page] == []
    assert [name for name in markers if f"`@pytest.mark.{name}(" not in page] == []


def test_record_keys_are_described_in_order(pytester):
    pytester.makepyfile("""
        from pytest_verdict import Operator, Outcome, accepted, compare, expect
        from pytest_verdict.suites import Evaluator

        class Own(Operator):
            name = "own"

            def evaluate(self, expected, observed):
                return Outcome(1.0)

        def test_all_keys():
            assert compare(Own(), 1, 2).passed
            conditions = {"a": "normalized_exact"}
            assert compare("all_of", {"a": " B "}, {"a": "b"}, name="x", conditions=conditions)
            assert compare("normalized_exact", "Paris", " paris").passed
            assert not compare("regex", "a", object()).passed
            assert 1 != expect("exact", 2)
            assert Evaluator("exact", {"expected": "$.a", "observed": "$.b"}).evaluate({"a": 1, "b": 1})
            assert compare("semantic", "a", "b", embedder="no_such_module:function").error
            assert compare("exact", accepted(), "b", name="x").error
    """)
    pytester.runpytest_inprocess("-pno:asyncio", "--verify-report").assert_outcomes(passed=1)
    lines = (pytester.path / "verify-report" / "records.jsonl").read_text("utf-8").splitlines()
    section = _text("reference/report-formats.md").partition("\nA record has `sources`")[0]
    described = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    records = [json.loads(line) for line in lines]
    assert {key for record in records for key in record} == set(described)
    for record in records:
        assert list(record) == [key for key in described if key in record]


def test_report_keys_are_described_in_order(pytester):
    pytester.makepyfile("from pytest_verdict import assert_matches\n\ndef test_one(): assert_matches('exact', 1, 1)")
    pytester.runpytest_inprocess("-pno:asyncio", "--verify-gate=operator:exact >= 0.5").assert_outcomes(passed=1)
    report = json.loads((pytester.path / "verify-report" / "report.json").read_text("utf-8"))
    section = _text("reference/report-formats.md").partition("## report.json")[2].partition("| key of `run`")[0]
    assert list(report) == re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_design_names_every_module():
    design = _text("design.md")
    package = REPOSITORY / "src" / "pytest_verdict"
    modules = [path.relative_to(package) for path in package.rglob("*.py") if not path.name.startswith("_")]
    described = [path for path in modules if path.parent.as_posix() in {".", *FOLDERS_IN_DETAIL}]
    unnamed = sorted(str(path) for path in described if path.name not in design)
    assert not unnamed, f"docs/design.md, section Layers, does not name {unnamed}"
    assert sorted({path.parts[0] for path in modules if path.parts[0] not in design}) == []
    assert (
        sorted(
            set(re.findall(r"\b[a-z]\w*\.py\b", design)) - {path.name for path in package.rglob("*.py")} - OTHER_FILES
        )
        == []
    )


def test_design_has_a_reason_for_every_dependency():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    section = _text("design.md").partition("## Dependencies")[2].partition("\n## ")[0]
    needed = [re.match(r"[\w-]+", requirement).group() for requirement in project["dependencies"]]
    assert [name for name in needed if f"| {name} " not in section] == []
    assert [name for name in project["optional-dependencies"] if f"| `{name}` " not in section] == []


def test_every_operator_shows_a_call_of_compare():
    names = [(name, REGISTRY.find(name)) for name in REGISTRY.names()]
    own = [(name, cls) for name, cls in names if cls.__module__.startswith("pytest_verdict.")]
    assert own
    assert [name for name, cls in own if f'compare("{cls.name}", ' not in (cls.__doc__ or "")] == []
