"""How pytest shows a failed comparison: in the notes of a plain ``assert``, without the exception's name, and in colour."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest._code.code import ExceptionChainRepr

from pytest_verdict.pytest_plugin.statements import find_statement
from pytest_verdict.pytest_plugin.unchecked import RECENT_FAILURES

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.explanation.lines import Block, Line

_PLUGIN: Final = "verdict-failure-reports"
_ATTRIBUTE: Final = "verdict_roles"
# What pytest writes before each line of an error.
_MARGIN: Final = "E   "


def explain_failure(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Explain the comparisons that a phase failed on, and show only lines of the user in the traceback."""
    from pytest_verdict.comparison import HIDDEN
    from pytest_verdict.errors import MismatchError, UndecidedError

    error = excinfo.value
    if isinstance(error, AssertionError) and not isinstance(error, MismatchError):
        _add_notes(error, excinfo)
    if HIDDEN(excinfo):
        # --full-trace shows our frames as well.
        for entry in excinfo.traceback:
            names = entry.frame.f_globals
            if str(names.get("__name__", "")).startswith("pytest_verdict."):
                names["__tracebackhide__"] = HIDDEN
    # No explanation is loaded while all comparisons pass.
    if RECENT_FAILURES or isinstance(error, MismatchError | UndecidedError) or hasattr(error, "__notes__"):
        is_short = isinstance(error, MismatchError | UndecidedError) or type(error) is AssertionError
        if is_short and type(excinfo) is pytest.ExceptionInfo and _blocks(error):
            excinfo.__class__ = _ShortExceptionInfo
        failure_reports(item.config).remember(item.nodeid, error)


def _add_notes(error: AssertionError, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Add the comparisons that an assertion failed on as notes, which pytest shows in full."""
    from pytest_verdict.comparison import describe_failure

    results: dict[int, ComparisonResult] = {}
    for entry in excinfo.traceback:
        file = entry.frame.code.raw.co_filename
        line = entry.lineno + 1
        lines = range(line, line + 1)
        statement = find_statement(file, line)
        if statement is not None and not hasattr(statement, "body"):
            lines = range(statement.lineno, (statement.end_lineno or line) + 1)
        for places, result in RECENT_FAILURES:
            if any(place.file == file and place.line in lines for place in places):
                results[id(result)] = result
    # An exception of the user may refuse notes.
    with contextlib.suppress(Exception):
        for block in map(describe_failure, results.values()):
            # A fixture of a wider scope raises the same error in every test.
            if block not in getattr(error, "__notes__", ()):
                error.add_note(block)


class _ShortExceptionInfo(pytest.ExceptionInfo[BaseException]):  # type: ignore[misc]
    """An exception without the name of its class, as pytest shows a plain ``assert``."""

    def exconly(self, tryshort: bool = False) -> str:  # noqa: FBT001, FBT002 - the signature is pytest's
        if not tryshort:
            return super().exconly()
        texts = [str(self.value), *map(str, getattr(self.value, "__notes__", None) or ())]
        blocks = _blocks(self.value)
        return "\n".join([*blocks, *(text for text in texts if text not in blocks)])


def _blocks(error: BaseException) -> list[Block]:
    """Return the blocks of comparisons in the message and the notes of an exception."""
    from pytest_verdict.explanation.lines import Block

    texts = [*error.args[:1], *(getattr(error, "__notes__", None) or ())]
    return [text for text in texts if isinstance(text, Block)]


def failure_reports(config: pytest.Config) -> FailureReports:
    """Return the plugin that colours the failures of a session; the first call registers it."""
    plugin = config.pluginmanager.get_plugin(_PLUGIN)
    if not isinstance(plugin, FailureReports):
        plugin = FailureReports(is_worker=hasattr(config, "workerinput"))
        config.pluginmanager.register(plugin, _PLUGIN)
    return plugin


class FailureReports:
    """Transports the colours of a block, as roles of its parts, to the process that prints the failure."""

    def __init__(self, *, is_worker: bool) -> None:
        self._is_worker = is_worker
        self._pending: dict[str, list[list[Any]]] = {}
        self._crashes: list[tuple[Any, Line]] = []

    def remember(self, nodeid: str, error: BaseException) -> None:
        lines = [line for block in _blocks(error) for line in block.lines]
        if lines:
            self._pending[nodeid] = [[list(part) for part in line] for line in lines]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        """Attach the roles only while xdist sends the report; in the other process, draw the failure with them."""
        roles = None
        if report.failed:
            roles = self._pending.pop(report.nodeid, None)
        roles = report.__dict__.pop(_ATTRIBUTE, roles)
        if roles and self._is_worker:
            setattr(report, _ATTRIBUTE, roles)
        elif roles and type(report.longrepr) is ExceptionChainRepr:
            from pytest_verdict.explanation.lines import Part, format_coloured, format_plain

            lines = [tuple(Part(*part) for part in line) for line in roles]
            coloured: Any = copy.copy(report.longrepr)
            coloured.__class__ = _ColouredRepr
            coloured.verdict_lines = {format_plain(line): format_coloured(line) for line in lines}
            report.longrepr = coloured
            if coloured.reprcrash is not None:
                self._crashes.append((coloured.reprcrash, lines[0]))
        try:
            return (yield)
        finally:
            report.__dict__.pop(_ATTRIBUTE, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self) -> None:
        """Change the messages for the short summary, which follows; every other plugin has them by now."""
        for crash, line in self._crashes:
            crash.message = _put_fact_first(crash.message, line)


def _put_fact_first(message: str, line: Line) -> str:
    """Move the operator and the name behind what differs, because pytest cuts the ends of lines of its short summary."""
    from pytest_verdict.explanation.lines import format_plain

    label = ""
    for number, part in enumerate(line, 1):
        label += part.text
        if part.text.endswith(": "):
            fact = format_plain(line[number:])
            first, newline, rest = message.partition("\n")
            if first.removeprefix("Failed: ") == label + fact:
                return f"{fact} ({label.removesuffix(': ')}){newline}{rest}"
            break
    return message


class _ColouredRepr(ExceptionChainRepr):
    """A failure whose lines have colours where a terminal has them."""

    verdict_lines: Mapping[str, str]

    def toterminal(self, tw: Any) -> None:
        failure = self
        if tw.hasmarkup:
            failure = copy.deepcopy(self)
            for traceback, _, _ in failure.chain:
                for entry in traceback.reprentries:
                    entry.lines = list(map(self._colour, entry.lines))
        ExceptionChainRepr.toterminal(failure, tw)

    def _colour(self, line: str) -> str:
        if line in self.verdict_lines:
            return self.verdict_lines[line]
        for start in range(len(_MARGIN), len(line) - len(line[1:].lstrip(" ")) + 1):
            coloured = self.verdict_lines.get(line[start:])
            if coloured is not None and line.startswith(_MARGIN):
                # The margin alone has the colour of an error.
                return f"{line[:start]}\x1b[0m{coloured}"
        return line
