"""How pytest shows a failed comparison: without the exception's name, and in colour on a terminal that has colours."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest._code.code import ExceptionChainRepr

if TYPE_CHECKING:
    from pytest_verdict.explanation.lines import Block

NAME: Final = "verdict-failure-reports"

_ATTRIBUTE: Final = "verdict_roles"
_MARGIN: Final = "E   "


class _ShortExceptionInfo(pytest.ExceptionInfo[BaseException]):  # type: ignore[misc]
    """What was raised: the block first, without the class, as pytest leaves it out for a plain ``assert``."""

    def exconly(self, tryshort: bool = False) -> str:  # noqa: FBT001, FBT002 - the signature is pytest's
        """Write the exception."""
        if not tryshort:
            return super().exconly()
        texts = [str(self.value), *map(str, getattr(self.value, "__notes__", None) or ())]
        blocks = _blocks(self.value)
        return "\n".join([*blocks, *(text for text in texts if text not in blocks)])


def shorten(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Have the values on the first line, where the name of the exception would be."""
    from pytest_verdict.errors import MismatchError

    is_ours = isinstance(excinfo.value, MismatchError) or type(excinfo.value) is AssertionError
    if is_ours and type(excinfo) is pytest.ExceptionInfo and _blocks(excinfo.value):
        excinfo.__class__ = _ShortExceptionInfo


def _blocks(error: BaseException) -> list[Block]:
    from pytest_verdict.explanation.lines import Block

    texts: Iterable[Any] = (*error.args[:1], *(getattr(error, "__notes__", None) or ()))
    return [text for text in texts if isinstance(text, Block)]


def failure_reports(config: pytest.Config) -> FailureReports:
    """Give the plugin that shows the failures of a session, made when the first comes."""
    found = config.pluginmanager.get_plugin(NAME)
    if not isinstance(found, FailureReports):
        found = FailureReports(is_worker=hasattr(config, "workerinput"))
        config.pluginmanager.register(found, NAME)
    return found


class FailureReports:
    """Brings the roles of the parts of a block to where the failure is shown."""

    def __init__(self, *, is_worker: bool = False) -> None:
        self._is_worker = is_worker
        self._pending: dict[str, list[list[Any]]] = {}

    def remember(self, nodeid: str, error: BaseException) -> None:
        """Keep the roles of what an exception and its notes say, until pytest has made its report."""
        lines = [line for text in _blocks(error) for line in text.lines]
        if lines:
            self._pending[nodeid] = [[list(part) for part in line] for line in lines]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        """Attach the roles while xdist sends the report; where it is shown, have it drawn with them."""
        roles = None
        if report.failed:
            roles = self._pending.pop(report.nodeid, None)
        roles = report.__dict__.pop(_ATTRIBUTE, roles)
        if roles and self._is_worker:
            setattr(report, _ATTRIBUTE, roles)
        elif roles:
            report.longrepr = in_colour(report.longrepr, roles)
        try:
            return (yield)
        finally:
            report.__dict__.pop(_ATTRIBUTE, None)


def in_colour(longrepr: Any, lines: list[list[list[Any]]]) -> Any:
    """Give the same failure, which is drawn in colour on a terminal."""
    if type(longrepr) is not ExceptionChainRepr:
        return longrepr
    from pytest_verdict.explanation.lines import Part, format_coloured, format_plain

    found: Any = copy.copy(longrepr)
    found.__class__ = _ColouredRepr
    read = [tuple(Part(*part) for part in line) for line in lines]
    found.verdict_lines = {format_plain(line): format_coloured(line) for line in read}
    return found


class _ColouredRepr(ExceptionChainRepr):
    verdict_lines: Mapping[str, str]

    def toterminal(self, tw: Any) -> None:
        """Draw the failure."""
        writer: Any = _ColouringWriter(tw, self.verdict_lines) if tw.hasmarkup else tw
        super().toterminal(writer)


class _ColouringWriter:
    """A terminal writer that draws the lines of our blocks in the colours of their parts."""

    def __init__(self, writer: Any, lines: Mapping[str, str]) -> None:
        self._writer = writer
        self._lines = lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def line(self, text: str = "", **markup: bool) -> None:
        """Write a line."""
        for start in range(len(_MARGIN), len(text) - len(text[1:].lstrip(" ")) + 1):
            found = self._lines.get(text[start:])
            if found is not None and text.startswith(_MARGIN):
                self._writer.line(self._writer.markup(text[:start], **markup) + found)
                return
        self._writer.line(text, **markup)

    def write(self, text: str, **markup: Any) -> None:
        """Write text."""
        found = self._lines.get(text)
        if found is None:
            self._writer.write(text, **markup)
        else:
            self._writer.write(found)
