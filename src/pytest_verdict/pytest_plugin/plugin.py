"""Options, ini keys, fixtures and hooks; every session with the package loads this, so it imports only small modules."""

from __future__ import annotations

import functools
import re
import sys
from argparse import ArgumentTypeError
from dataclasses import fields
from fnmatch import fnmatchcase
from shutil import get_terminal_size
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest

from pytest_verdict.budget import Budget
from pytest_verdict.pytest_plugin.repeating import DIAGNOSE, MARKER as REPEAT, Repeats
from pytest_verdict.pytest_plugin.unchecked import (
    OPTION as UNREAD,
    RECENT_FAILURES,
    ComparisonWatch,
    check_mode,
    fail_unchecked,
    hear_failure,
    is_of_subtest,
)
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pytest_verdict.comparator import Comparator
    from pytest_verdict.judging.protocol import Judge
    from pytest_verdict.session import AcceptedEntry
    from pytest_verdict.templates.form import FormRequest
    from pytest_verdict.templates.template import AnswerTemplate

_REDACT = "verdict_redact"
_REDACT_ENVIRONMENT = "verdict_redact_environment"
_SUITE_FILES = "verdict_suite_files"
_SUITE_NAMES = ["*.verdict.yaml", "*.verdict.yml"]
_ALMOST_A_SUITE = re.compile(r"(?i)[._-]verdicts?\.(ya?ml|json|toml)\Z")
_CASES = "verdict_cases"
_GATE = "verdict_gate"
# The key of a worker's input with the width of the terminal.
_COLUMNS = "verdict_columns"
_DEFAULT_SIZE = (100, 24)
_FEWEST_COLUMNS = 40
# The width of what pytest writes before each line of a failure in a function.
_MARGIN = 8
_OUR_PREFIX = re.compile(r"--(verify|verdict)")
_WATCH = pytest.StashKey[ComparisonWatch]()
_COLLECTED = pytest.StashKey[set[str]]()
_MODES_WITHOUT_TESTS = (
    *("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow"),
    *("collectonly", "setuponly", "setupplan"),
)
# Python refuses to read numbers of thousands of digits.
_MOST_DIGITS = 18


def _whole_number(text: str, least: int = 0) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) >= least:
        return int(text)
    raise ArgumentTypeError(f"a whole number from {least} is needed, got {text[:100]!r}")


def _positive_number(text: str) -> int:
    return _whole_number(text, 1)


# Option or ini key, its help, and the other arguments of pytest's function that declares it.
_Declarations = tuple[tuple[str, str, dict[str, Any]], ...]
_FLAG = {"action": "store_true"}
_FOLDER = {"metavar": "DIR"}
_LINES = {"type": "linelist"}
_WORDS = {"type": "args"}
_ADAPTER = {"metavar": "ADAPTER"}
_GATES = {"metavar": "GATE", "action": "append", "default": []}
_FEWEST = {"metavar": "N", "type": _whole_number, "default": 0}
_NUMBER = {"metavar": "N", "type": _positive_number}
_REPORT = "(implies --verify-report)"
_OPTIONS: _Declarations = (
    ("--verify-report", "write a report of every comparison: records.jsonl, report.json and junit.xml", _FLAG),
    ("--verify-report-dir", f"folder of the report {_REPORT} (default: the ini key verdict_report_dir)", _FOLDER),
    ("--verify-shard", f"run part I of N, for `pytest-verdict merge` {_REPORT}", {"metavar": "I/N"}),
    ("--verify-adapter", "run all suites by this adapter, such as recorded:outputs.jsonl", _ADAPTER),
    (
        "--verify-concurrency",
        "the most concurrent calls of adapters (default: the ini key verdict_concurrency)",
        _NUMBER,
    ),
    ("--verify-resume", f"reuse the outputs of adapters from earlier sessions in this folder {_REPORT}", _FLAG),
    ("--verify-min-comparisons", f"fail a session with fewer comparisons {_REPORT} (default: 0)", _FEWEST),
    ("--verify-gate", f"fail a session that misses a gate: 'operator:numeric_* >= 0.95 @ 0.9' {_REPORT}", _GATES),
    ("--verify-repeat", "run each test without a rule of its own up to N times; all attempts must pass", _NUMBER),
    (
        "--verify-repeat-budget",
        "the most attempts of the session beyond the first of each test (default: no limit)",
        {"metavar": "M", "type": _whole_number},
    ),
    ("--verify-baseline", f"fail a session with regressions against an earlier report {_REPORT}", _FOLDER),
    ("--verify-store", f"folder or URL that stores the run {_REPORT} (default: the ini key verdict_store)", _FOLDER),
)
# Options that have both prefixes, because their markers and ini keys begin with verdict.
_ALSO_VERDICT = {
    *("--verify-adapter", "--verify-concurrency", "--verify-resume"),
    *("--verify-repeat", "--verify-repeat-budget"),
}
_INI_KEYS: _Declarations = (
    ("verdict_adapter", "the adapter of suites that name none", {"default": ""}),
    ("verdict_concurrency", "the most concurrent calls of adapters (default: 8)", {"default": "8"}),
    ("verdict_report_dir", "folder of the report (default: verify-report)", {"default": "verify-report"}),
    (_GATE, "gates in the form of --verify-gate, one per line", _LINES),
    ("verdict_junit_profile", "ci (default), or strict, which is valid against junit-10.xsd", {"default": "ci"}),
    ("verdict_store", "folder or URL in which the run of a session with a report is stored", {"default": ""}),
    ("verdict_tags", "tags of the stored run, one per line, such as model=$MODEL", _LINES),
    ("verdict_renamed", "tests that were renamed, one per line, such as a.py::old -> a.py::new", _LINES),
    ("verdict_trends", "address of the site of `pytest-verdict trends`, for a link in the page", {"default": ""}),
    ("verdict_flush", "when records are sent: with each test (default), or with each comparison", {"default": "test"}),
    ("verdict_html", "when report.html is written: auto (default), always or never", {"default": "auto"}),
    ("verdict_report_limit", "the most comparisons in report.json (default: 1000)", {"default": "1000"}),
    (_REDACT, "regular expressions, one per line; a report never contains their matches", _LINES),
    (_REDACT_ENVIRONMENT, "environment variables whose values no report contains; default: the usual names", _WORDS),
    (_SUITE_FILES, f"names of suite files (default: {' '.join(_SUITE_NAMES)})", {**_WORDS, "default": _SUITE_NAMES}),
    (UNREAD, "a failing comparison that no test checks: fail (default), warn or ignore", {"default": "fail"}),
    (DIAGNOSE, "the most attempts after a repeated test failed, to find flaky ones (default: 2)", {"default": "2"}),
    (
        "verdict_advice",
        "whether a failure suggests what would have passed (default: true)",
        {"type": "bool", "default": True},
    ),
)
_MARKERS = {
    "verdict(operator=None, /, *, threshold=None, **settings)": "defaults of the fixture comparator",
    f"{_CASES}(source, mapping=None, ids=None)": "run the test once for each row of a data set",
    f"{REPEAT}(attempts, at_least=None, rate=None, against=None)": "run the test several times, by a rule that decides",
    f"{UNREAD}(mode)": "a failing comparison that the test does not check: fail, warn or ignore",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("verify", "verification report")
    for name, text, settings in _OPTIONS:
        names = [name]
        if name in _ALSO_VERDICT:
            names.append(name.replace("verify", "verdict"))
        group.addoption(*names, help=text, **settings)
    for name, text, settings in _INI_KEYS:
        parser.addini(name, text, **settings)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_verdict.pytest_plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)
    config: pytest.Config = pluginmanager.getplugin("pytestconfig")
    for argument in map(str, config.invocation_params.args):
        # Otherwise argparse ignores "an explicit argument".
        if argument.startswith("--verify-report="):
            folder = argument.partition("=")[2]
            raise pytest.UsageError(f"--verify-report takes no folder. Write --verify-report-dir={folder}.")


class OperatorRegistrar:
    """The argument of the hook ``pytest_verdict_operators``; it imports the registry only when something is added."""

    def add(self, operator: Any, *, name: str | None = None) -> Any:
        """Register an operator.

        Args:
            operator: An `Operator` class, or a function of expected, observed and keyword settings.
            name: The name of a function's operator (default: the name of the function).

        Returns:
            The operator class.

        Raises:
            pytest.UsageError: Another operator has this name, or the class has no name.
        """
        from pytest_verdict.core.registry import REGISTRY
        from pytest_verdict.errors import ConfigurationError

        try:
            return REGISTRY.add(operator, name=name)
        except ConfigurationError as error:
            # Any other exception of a hook ends the session with INTERNALERROR.
            raise pytest.UsageError(f"pytest_verdict_operators: {error}") from error


def pytest_configure(config: pytest.Config) -> None:
    for marker, text in _MARKERS.items():
        config.addinivalue_line("markers", f"{marker}: {text}")
    _fill_session(config)
    config.pluginmanager.register(Repeats(config), "verdict-repeats")
    config.hook.pytest_verdict_operators.call_historic(kwargs={"registry": OperatorRegistrar()})
    if _wants_report(config):
        from pytest_verdict.pytest_plugin.reporting import start

        start(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse misspelt markers, which would do nothing; a worker of pytest-xdist would end with INTERNALERROR."""
    names = {mark.name for item in items for mark in item.iter_markers() if mark.name.startswith("verdict_")}
    own = [marker.partition("(")[0] for marker in _MARKERS]
    if names.issubset(own) or hasattr(config, "workerinput"):
        return
    declared = {re.split(r"[:(]", line)[0].strip() for line in config.getini("markers")}
    _refuse_unknown("marker", sorted(names - declared), own)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    patterns = parent.config.getini(_SUITE_FILES)
    if not any(fnmatchcase(file_path.name, pattern) for pattern in patterns):
        # People who set other patterns know that these decide.
        if patterns == _SUITE_NAMES and _ALMOST_A_SUITE.search(file_path.name):
            text = f"{file_path.name} is not collected: its name matches no pattern of {_SUITE_FILES} ({' '.join(patterns)})"
            parent.warn(pytest.PytestCollectionWarning(text))
        return None
    collector: type[pytest.File] = _items(_SUITE_FILES)
    return collector.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker(_CASES)
    if marker is not None:
        _items(_CASES)(metafunc, marker)


def _items(name: str) -> Any:
    from pytest_verdict.core.families import FAMILIES, load

    return load(FAMILIES.own("pytest_items")[name])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> Any:
    """Watch what conftest.py files and plugins compare when they are imported; then, all options are known."""
    _watch_comparisons(early_config)
    outcome = yield
    if any(_OUR_PREFIX.match(argument) for argument in args):
        unknown = parser.parse_known_and_unknown_args(args)[1]
        _refuse_unknown("option", filter(_OUR_PREFIX.match, unknown), [name for name, _, _ in _OPTIONS])
    return outcome


def _refuse_unknown(kind: str, names: Iterable[str], own: list[str]) -> None:
    """Refuse names that begin as ours and that nobody has."""
    for text in names:
        from pytest_verdict.errors import allowed

        name = text.split("=")[0].strip()
        # Options begin with one word, and ini keys with the other.
        twins = [one for one in own if one.replace("verify", "verdict") == name.replace("verify", "verdict")]
        hint = f" Write {twins[0]}." if twins else allowed(kind, name, own)
        raise pytest.UsageError(f"there is no {kind} {name}.{hint}")


def _watch_comparisons(config: pytest.Config) -> None:
    before = {member.name: getattr(SESSION, member.name) for member in fields(SESSION)}

    def restore() -> None:
        for name, value in before.items():
            setattr(SESSION, name, value)

    config.add_cleanup(restore)
    # A session inside a test of another session has an observer of its own.
    watch = config.stash[_WATCH] = ComparisonWatch(config)
    config.pluginmanager.register(watch, "verdict-watch")
    SESSION.observer = watch.observe
    SESSION.failure_observer = watch.observe_failure
    SESSION.expectation_observer = watch.observe_expectation
    SESSION.rows_observer = watch.observe_rows
    SESSION.find_accepted = functools.partial(_find_accepted, config)
    SESSION.budget = _budget(config)
    SESSION.redaction = SESSION.journal = None


def _fill_session(config: pytest.Config) -> None:
    if _WATCH not in config.stash:
        # A conftest.py has loaded this plugin.
        _watch_comparisons(config)
    # pytest has no public list of the keys that are set; the name of its attribute depends on the version.
    keys = [*(vars(config).get("_inicfg") or vars(config).get("inicfg") or {})]
    keys += [override.split("=")[0] for override in config.option.override_ini or ()]
    own = [name for name, _, _ in _INI_KEYS]
    others = [key for key in keys if key.startswith(("verdict_", "verify_")) and key not in own]
    _refuse_unknown("ini key", [key for key in others if not _is_declared(config, key)], own)
    SESSION.budget = _budget(config)
    if getattr(config, "workerinput", {}).get(_REDACT) or config.getini(_REDACT) or config.getini(_REDACT_ENVIRONMENT):
        from pytest_verdict.pytest_plugin.redacting import session_redaction

        SESSION.redaction = session_redaction(config)
    check_mode(config)
    try:
        SESSION.advice = bool(config.getini("verdict_advice"))
    except (ValueError, pytest.UsageError) as error:
        # pytest names only the value; before version 9 it printed a traceback.
        raise pytest.UsageError(f"verdict_advice: true or false is needed; {error}") from None


def _is_declared(config: pytest.Config, key: str) -> bool:
    try:
        config.getini(key)
    except ValueError:
        return False
    return True


def _find_accepted(config: pytest.Config, name: str) -> AcceptedEntry:
    from pytest_verdict.accepting.file import find_entry
    from pytest_verdict.errors import ConfigurationError
    from pytest_verdict.pytest_plugin.names import report_name
    from pytest_verdict.pytest_plugin.storing import read_renames
    from pytest_verdict.report.renaming import present_name

    item = config.stash[_WATCH].item
    if item is None:
        raise ConfigurationError("accepted() is for tests: no test runs")
    name_of = report_name(config, None)
    test = name_of(item.nodeid)
    module, _, inner = test.partition("::")
    renames = read_renames(config)
    old_names: list[str] = []
    # A test that was renamed several times has the lines in order.
    for old, new in reversed(renames.items()):
        test = present_name(test, {new: old})
        old_module, _, old_inner = test.partition("::")
        # The file of accepted values moves with its module, and not with a function that goes to another module.
        if old_inner not in {inner, *old_names} and present_name(old_module, renames) == module:
            old_names.append(old_inner)
    if old_names and _COLLECTED not in config.stash:
        config.stash[_COLLECTED] = {name_of(other.nodeid) for other in item.session.items}
    # Another test may have that name.
    old_names = [old for old in old_names if f"{module}::{old}" not in config.stash[_COLLECTED]]
    redaction = SESSION.redaction or str
    return find_entry(config.rootpath, item.path, inner, name, old_names=old_names, redaction=redaction)


def _budget(config: pytest.Config) -> Budget:
    verbosity = config.get_verbosity(pytest.Config.VERBOSITY_ASSERTIONS)
    if verbosity >= 2:
        return Budget(characters=0, lines=0, differences=0, width=0)
    if verbosity == 1:
        return Budget(characters=2_000, lines=300, differences=100, width=0)
    columns = getattr(config, "workerinput", {}).get(_COLUMNS) or get_terminal_size(_DEFAULT_SIZE).columns
    return Budget(width=max(columns, _FEWEST_COLUMNS) - _MARGIN)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Send the width of the terminal and the secrets to a worker, and show its failures in colour."""
    from pytest_verdict.pytest_plugin.failure_display import failure_reports
    from pytest_verdict.pytest_plugin.redacting import session_patterns

    node.workerinput[_COLUMNS] = get_terminal_size(_DEFAULT_SIZE).columns
    node.workerinput[_REDACT] = session_patterns(node.config)
    failure_reports(node.config)


def _wants_report(config: pytest.Config) -> bool:
    option = config.option
    if any(getattr(option, name, False) for name in _MODES_WITHOUT_TESTS):
        return False
    has_value = any(
        value is not None for value in (option.verify_report_dir, option.verify_shard, option.verify_baseline)
    )
    has_demand = option.verify_min_comparisons or option.verify_gate or config.getini(_GATE)
    return bool(option.verify_report or option.verify_resume or option.verify_store or has_value or has_demand)


@pytest.fixture
def comparator(request: pytest.FixtureRequest) -> Comparator:
    """Comparisons by named operators, with soft checks and defaults; see `pytest_verdict.Comparator`.

    The marker ``verdict`` sets defaults; the nearest one to the test wins.
    """
    from pytest_verdict.comparator import Comparator
    from pytest_verdict.errors import ConfigurationError

    comparator = Comparator()
    for marker in reversed(list(request.node.iter_markers("verdict"))):
        try:
            comparator = comparator.with_defaults(*marker.args, **marker.kwargs)
        except (ConfigurationError, TypeError) as error:
            # The traceback of a fixture shows no line of the user.
            raise pytest.fail.Exception(f"the marker verdict of this test: {error}", pytrace=False) from None
    return comparator


@pytest.fixture
def verdict_judge() -> Judge[FormRequest] | None:
    """The judge of ``answer_template(Answer).parse(response)`` (default: none); override this fixture in a conftest.py."""
    return None


@pytest.fixture
def answer_template(verdict_judge: Judge[FormRequest] | None, comparator: Comparator) -> Callable[..., AnswerTemplate]:
    """Verify answers by a template: ``answer_template(Answer).assert_verified(values, trace=response)``.

    Inside ``comparator.collect()`` it fails the test at the end of the block.
    """
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
    """Explain the exception of a phase; after hooks that run first, which put that of a ``unittest.TestCase`` into the call."""
    watch = item.config.stash[_WATCH]
    if is_of_subtest():
        # The test may still look at comparisons before the subtest and in it.
        hear_failure(call)
    else:
        has_run = not (item.config.option.setuponly or item.config.option.setupplan)
        if has_run and not watch.of_test.is_empty:
            fail_unchecked(item, call, watch)
        watch.runs_call = call.when == "setup" and call.excinfo is None
    if call.excinfo is not None and "pytest_verdict.errors" in sys.modules:
        from pytest_verdict.pytest_plugin.failure_display import explain_failure

        explain_failure(item, call.excinfo)
    RECENT_FAILURES.clear()
