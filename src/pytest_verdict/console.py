"""Output of commands: results on stdout, problems and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_verdict.core.values.display import no_command, visible

if TYPE_CHECKING:
    from pytest_verdict.explanation.lines import Line


def say(*lines: str) -> None:
    """Write lines on stdout."""
    sys.stdout.writelines(f"{no_command(visible(line))}\n" for line in lines)


def say_in_colour(line: Line) -> None:
    """Write a line of an explanation on stdout, with colours in a terminal."""
    from pytest_verdict.explanation.lines import format_coloured, format_plain

    # https://no-color.org and https://force-color.org
    uses_colour = not os.environ.get("NO_COLOR") and (os.environ.get("FORCE_COLOR") or sys.stdout.isatty())
    text = format_coloured(line) if uses_colour else format_plain(line)
    sys.stdout.write(f"{no_command(text)}\n")


def say_json(value: Any) -> None:
    """Write a JSON document on stdout."""
    # A runner of a CI looks for its commands in JSON as well, and JSON may have any character as an escape.
    sys.stdout.write(json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n")


def complain(line: str) -> None:
    """Write a line on stderr."""
    sys.stderr.write(f"pytest-verdict: {visible(line)}\n")


@contextmanager
def progress(total: int, unit: str, *, counted: str = "") -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr if that is a terminal; yield a function of the units done and of a count."""
    if not sys.stderr.isatty():
        yield lambda _done, _count: None
        return
    from tqdm import tqdm

    # The total of a pipe is 0: the bar then shows no remaining time.
    with tqdm(total=total or None, unit=unit, unit_scale=True, leave=False) as bar:

        def show(position: int, count: int) -> None:
            if counted:
                bar.set_description_str(f"{count:,} {counted}", refresh=False)
            bar.update(position - bar.n)

        yield show
