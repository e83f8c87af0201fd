"""What commands write: lines on stdout; complaints and a progress bar on stderr."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.core.values.display import visible

if TYPE_CHECKING:
    from pytest_verdict.explanation.lines import Line

_WIDTH: Final = 30


def say(line: str = "") -> None:
    """Write a line on stdout."""
    sys.stdout.write(f"{visible(line)}\n")


def say_in_colour(line: Line) -> None:
    """Write a line of an explanation on stdout, in colour where that is wanted."""
    from pytest_verdict.explanation.lines import coloured, plain

    sys.stdout.write(f"{coloured(line) if _shows_colour() else plain(line)}\n")


def _shows_colour() -> bool:
    # https://no-color.org and https://force-color.org
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def say_json(value: Any) -> None:
    """Write a JSON document on stdout."""
    sys.stdout.write(f"{json.dumps(value, indent=2)}\n")


def complain(line: str) -> None:
    """Write a line on stderr."""
    sys.stderr.write(f"pytest-verdict: {visible(line)}\n")


class Progress:
    """A bar on stderr, when that is a terminal; otherwise nothing."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._visible = total > 0 and sys.stderr.isatty()
        self._shown = -1

    def show(self, done: int) -> None:
        """Draw the bar if it has changed."""
        percent = min(100 * done // self._total, 100) if self._visible else -1
        if percent == self._shown:
            return
        self._shown = percent
        filled = _WIDTH * percent // 100
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {percent:3d} %")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the bar."""
        if self._shown >= 0:
            sys.stderr.write(f"\r{' ' * (_WIDTH + 8)}\r")
            sys.stderr.flush()
            self._shown = -1
