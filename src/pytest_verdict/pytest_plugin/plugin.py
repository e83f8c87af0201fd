"""Options, ini keys, fixtures, and the explanation of failed assertions.

Loaded in every session where the package is installed, so it imports nothing but pytest and a few small modules.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from shutil import get_terminal_size
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest

from pytest_verdict.budget import Budget
from pytest_verdict.pytest_plugin.unchecked import OPTION as UNREAD, RECENT_FAILURES, ComparisonWatch
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_verdict.comparator import Comparator
    from pytest_verdict.judging.protocol import Judge
    from pytest_verdict.templates.form import FormRequest
    from pytest_verdict.templates.template import AnswerTemplate

FOLDER_DEFAULT = "verify-report"
REDACTING = ("verdict_redact", "verdict_redact_environment")
SUITE_FILES = "verdict_suite_files"
CASES = "verdict_cases"
GATE = "verdict_gate"
_COLUMNS = "verdict_columns"
_USUAL_COLUMNS = 100
_FEWEST_COLUMNS = 40
# What pytest puts before each line of a failure in a function.
_MARGIN = 8
_WATCH = pytest.StashKey[ComparisonWatch]()
_RUN_NO_TEST = (
    *("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow"),
    *("collectonly", "setuponly", "setupplan"),
)
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "--verify-report": (
        "write a report of every comparison: records.jsonl, report.json and junit.xml",
        {"action": "store_true"},
    ),
    "--verify-report-dir": (
        "where to write the report (implies --verify-report; default: verify-report, or the ini key verdict_report_dir)",
        {"metavar": "DIR"},
    ),
    "--verify-shard": (
        "say that this session runs part I of N, for `pytest-verdict merge` (implies --verify-report)",
        {"metavar": "I/N"},
    ),
    "--verdict-adapter": (
        "run every suite by this adapter, such as recorded:outputs.jsonl, whatever the suites name",
        {"metavar": "ADAPTER"},
    ),
    "--verdict-concurrency": (
        "the most calls of adapters in flight at once, in all processes together (default: 8, or the ini key)",
        {"metavar": "N", "type": int},
    ),
    "--verdict-resume": (
        "call adapters only for what earlier sessions in this folder have not got (implies --verify-report)",
        {"action": "store_true"},
    ),
    "--verify-min-comparisons": (
        "fail a session that made fewer comparisons (implies --verify-report)",
        {"metavar": "N", "type": int, "default": 0},
    ),
    "--verify-gate": (
        "fail a session in which less passed, such as 'operator:numeric_* >= 0.95 @ 0.9' (implies --verify-report)",
        {"metavar": "GATE", "action": "append", "default": []},
    ),
    "--verify-baseline": (
        "fail a session in which something regressed against an earlier report (implies --verify-report)",
        {"metavar": "DIR"},
    ),
}
_INI_KEYS: dict[str, tuple[str, dict[str, Any]]] = {
    "verdict_adapter": ("what runs the suites that name no adapter", {"default": ""}),
    "verdict_concurrency": ("the most calls of adapters in flight at once", {"default": "8"}),
    "verdict_report_dir": ("where --verify-report writes", {"default": FOLDER_DEFAULT}),
    GATE: ("gates as --verify-gate takes them, one a line", {"type": "linelist"}),
    "verdict_junit_profile": ("ci (with file and line) or strict (valid against junit-10.xsd)", {"default": "ci"}),
    "verdict_flush": ("when comparisons are handed over: with each test, or each comparison", {"default": "test"}),
    "verdict_html": (
        "when report.html is written: auto (a test failed, or at a terminal), always or never",
        {"default": "auto"},
    ),
    "verdict_records": ("how records are kept: plain, or gz for compressed by gzip", {"default": "plain"}),
    "verdict_report_limit": ("the most comparisons that report.json holds inline", {"default": "1000"}),
    "verdict_redact": (
        "regular expressions, one a line; what they match is never written down",
        {"type": "linelist"},
    ),
    "verdict_redact_environment": (
        "names of environment variables whose values are never written down; default stands for the usual names",
        {"type": "args"},
    ),
    SUITE_FILES: ("names of suite files", {"type": "args", "default": ["*.verdict.yaml"]}),
    UNREAD: ("a comparison that did not pass and that nothing looked at: fail, warn or ignore", {"default": "fail"}),
    "verdict_advice": ("whether a failure says what would have passed", {"type": "bool", "default": True}),
}
_MARKERS = {
    "verdict(operator=None, /, *, threshold=None, **settings)": (
        "defaults of the fixture comparator, as in comparator.with_defaults(...)"
    ),
    f"{CASES}(source, mapping=None, ids=None)": (
        "run the test once for each row of a dataset, with the arguments case, expected and observed as far as it takes them"
    ),
    f"{UNREAD}(mode)": (
        "what a comparison does that did not pass and that the test did not look at: fail, warn or ignore"
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the command line options and ini keys."""
    group = parser.getgroup("verify", "verification report")
    for name, (what, settings) in _OPTIONS.items():
        group.addoption(name, help=what, **settings)
    for name, (what, settings) in _INI_KEYS.items():
        parser.addini(name, what, **settings)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of this plugin."""
    from pytest_verdict.pytest_plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


class OperatorRegistrar:
    """What the hook ``pytest_verdict_operators`` receives; it imports the registry only when something is added."""

    def add(self, operator: Any, *, name: str | None = None) -> Any:
        """Register an operator.

        Args:
            operator: An `Operator` class, or a function of expected, observed and keyword settings.
            name: The name of a function's operator; the function's own name unless given.

        Returns:
            The operator class.

        Raises:
            ConfigurationError: The name is taken by another operator, or the class has no name.
        """
        from pytest_verdict.core.registry import REGISTRY

        return REGISTRY.add(operator, name=name)


def pytest_configure(config: pytest.Config) -> None:
    """Fill the session's slot, and start the report if there is to be one."""
    for marker, what in _MARKERS.items():
        config.addinivalue_line("markers", f"{marker}: {what}")
    _fill_session(config)
    config.hook.pytest_verdict_operators.call_historic(kwargs={"registry": OperatorRegistrar()})
    if _wants_report(config):
        from pytest_verdict.pytest_plugin.reporting import start

        start(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect suite files, which are known by their names."""
    if not any(fnmatchcase(file_path.name, pattern) for pattern in parent.config.getini(SUITE_FILES)):
        return None
    collector: type[pytest.File] = _items(SUITE_FILES)
    return collector.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests that carry the marker ``verdict_cases``."""
    marker = metafunc.definition.get_closest_marker(CASES)
    if marker is not None:
        _items(CASES)(metafunc, marker)


def _items(name: str) -> Any:
    from pytest_verdict.core.families import FAMILIES, load

    return load(FAMILIES.own("pytest_items")[name])


def _fill_session(config: pytest.Config) -> None:
    before = SESSION.budget, SESSION.advice, SESSION.redaction, SESSION.journal
    observers = SESSION.observer, SESSION.rows_observer, SESSION.next_place

    def restore() -> None:
        SESSION.budget, SESSION.advice, SESSION.redaction, SESSION.journal = before
        SESSION.observer, SESSION.rows_observer, SESSION.next_place = observers

    config.add_cleanup(restore)
    # A session inside a test of another session has an observer of its own.
    watch = config.stash[_WATCH] = ComparisonWatch(config.invocation_params.dir)
    SESSION.observer = watch.observe
    SESSION.rows_observer = watch.observe_rows
    SESSION.next_place = None
    SESSION.budget = _budget(config)
    SESSION.redaction = SESSION.journal = None
    if getattr(config, "workerinput", {}).get(REDACTING[0]) or any(map(config.getini, REDACTING)):
        from pytest_verdict.pytest_plugin.redacting import session_redaction

        SESSION.redaction = session_redaction(config)
    if config.getini(UNREAD) != "fail":
        from pytest_verdict.pytest_plugin.unchecked_policy import refuse_wrong_mode

        refuse_wrong_mode(config)
    try:
        SESSION.advice = bool(config.getini("verdict_advice"))
    except (ValueError, pytest.UsageError) as error:
        # pytest names only the value; before version 9 it printed a traceback.
        raise pytest.UsageError(f"verdict_advice: true or false is needed; {error}") from None


def _budget(config: pytest.Config) -> Budget:
    verbosity = config.get_verbosity(pytest.Config.VERBOSITY_ASSERTIONS)
    if verbosity >= 2:
        return Budget(characters=0, lines=0, differences=0, width=0)
    if verbosity == 1:
        return Budget(characters=2_000, lines=300, differences=100, width=0)
    columns = getattr(config, "workerinput", {}).get(_COLUMNS) or get_terminal_size((_USUAL_COLUMNS, 24)).columns
    return Budget(width=max(columns, _FEWEST_COLUMNS) - _MARGIN)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker how wide the terminal is, and see its failures in colour."""
    node.workerinput[_COLUMNS] = get_terminal_size((_USUAL_COLUMNS, 24)).columns
    from pytest_verdict.pytest_plugin.failure_reports import failure_reports
    from pytest_verdict.pytest_plugin.redacting import patterns

    node.workerinput[REDACTING[0]] = patterns(node.config)
    failure_reports(node.config)


def _wants_report(config: pytest.Config) -> bool:
    option = config.option
    named = any(given is not None for given in (option.verify_report_dir, option.verify_shard, option.verify_baseline))
    asked = option.verify_min_comparisons or option.verify_gate or config.getini(GATE)
    wanted = option.verify_report or option.verdict_resume or named or asked
    return bool(wanted) and not any(getattr(config.option, name, False) for name in _RUN_NO_TEST)


@pytest.fixture
def comparator(request: pytest.FixtureRequest) -> Comparator:
    """Comparisons by named operators, with soft checks and defaults; see `pytest_verdict.Comparator`.

    The marker ``verdict`` sets defaults: the one nearest to the test wins.
    """
    from pytest_verdict.comparator import Comparator
    from pytest_verdict.errors import ConfigurationError

    made = Comparator()
    for marker in reversed(list(request.node.iter_markers("verdict"))):
        try:
            made = made.with_defaults(*marker.args, **marker.kwargs)
        except (ConfigurationError, TypeError) as error:
            # The traceback of a fixture shows no line of the user.
            raise pytest.fail.Exception(f"the marker verdict of this test: {error}", pytrace=False) from None
    return made


@pytest.fixture
def verdict_judge() -> Judge[FormRequest] | None:
    """The judge that ``answer_template(Answer).parse(response)`` asks; none unless a conftest.py overrides this fixture."""
    return None


@pytest.fixture
def answer_template(verdict_judge: Judge[FormRequest] | None, comparator: Comparator) -> Callable[..., AnswerTemplate]:
    """Verify answers by a template: ``answer_template(Answer).assert_verified(values, trace=response)``.

    Inside ``comparator.collect()`` it fails the test at the end of the block.
    """
    import functools

    from pytest_verdict.templates.template import AnswerTemplate

    return functools.partial(AnswerTemplate, judge=verdict_judge, comparator=comparator)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_assertrepr_compare() -> Any:
    """Record nothing while pytest compares the parts of two values again, to explain a failure."""
    SESSION.explaining_thread = get_ident()
    try:
        return (yield)
    finally:
        SESSION.explaining_thread = 0


@pytest.hookimpl
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Explain what a phase raised, before pytest makes the report of it.

    Neither first nor a wrapper: what a ``unittest.TestCase`` raised comes into the call in a hook that is tried first.
    """
    watch = item.config.stash[_WATCH]
    if watch.of_test.count:
        from pytest_verdict.pytest_plugin.unchecked_policy import fail_unchecked

        fail_unchecked(item, call, watch)
    if call.excinfo is not None and "pytest_verdict.errors" in sys.modules:
        from pytest_verdict.pytest_plugin.assertion_notes import explain_failure

        explain_failure(item, call.excinfo)
    RECENT_FAILURES.clear()
