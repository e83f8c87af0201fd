"""Every exception of the library.

::

    VerdictError (Exception)
    ├── ConfigurationError (ValueError)     the person who wrote the check made a mistake
    │   ├── UnknownOperatorError            no operator of that name is registered
    │   ├── ArgumentsError (TypeError)      an argument is missing or in the wrong place
    │   ├── SettingsError                   a setting is unknown, missing or has a value that is not allowed
    │   ├── ThresholdError                  the threshold is not in (0, 1]
    │   ├── TemplateError                   an answer template is invalid
    │   │   └── ReservedNameError           a field has a name that templates need (also a TypeError)
    │   ├── SuiteError                      a suite file is invalid
    │   └── MissingExtraError (ImportError) an optional dependency is not installed
    ├── RecordError (ValueError)            a record, journal or report cannot be read
    ├── MappingError (LookupError)          a mapping matches nothing in a document, or too much
    ├── AdapterError (RuntimeError)         an adapter returned no result
    ├── ParseError (ValueError)             a judge's reply is not an answer of the template
    ├── MissingRecordingError (LookupError) a judge that replays has no recording of this question
    ├── LeakError (ValueError)              a blind judge would see a text that identifies a candidate
    ├── AwaitingJudgmentError               a person has not filled in the form of a blind comparison yet
    ├── TrajectoryError (ValueError)        a value cannot be read as a trajectory
    └── UndecidedError                      a comparison could not be made: its verdict is ``error``
    MismatchError (AssertionError)          a comparison was made, and did not pass

``MismatchError`` is an ``AssertionError`` only, so pytest, ``unittest`` and ``xfail(raises=...)`` treat it as a failed test.
``UndecidedError`` is none, so what expects a failed test does not take a comparison that could not be made.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from pytest_verdict.core.result import ComparisonResult

# Sections of synonyms.txt that a kind of word shares.
_SHARED_SECTIONS: Final = {"setting": ("argument",), "scorer": ("operator",)}


class VerdictError(Exception):
    """The base of all errors except failed comparisons."""


class ConfigurationError(VerdictError, ValueError):
    """A check is configured wrongly; it never passes."""


class UnknownOperatorError(ConfigurationError):
    """No operator of that name is registered."""

    def __init__(self, name: object, names: Iterable[str]) -> None:
        hint = allowed("operator", name, names, listed=())
        if hint.startswith(" The nearest"):
            hint += ' The operator comes first, as in compare("exact", expected, observed).'
        super().__init__(f"Unknown comparator: {name!r:.100}.{hint} `pytest-verdict operators` lists them all.")


class ArgumentsError(ConfigurationError, TypeError):
    """An argument is missing or in the wrong place."""


class SettingsError(ConfigurationError):
    """A setting is unknown, missing or has a value that is not allowed."""


class ThresholdError(ConfigurationError):
    """The threshold is not a number in (0, 1]."""

    def __init__(self, threshold: object) -> None:
        hint = ""
        if isinstance(threshold, str) and threshold.replace(".", "", 1).isdecimal():
            hint = f"; it is a number: threshold={threshold}"
        elif isinstance(threshold, str):
            hint = (
                "; a text after the two sides is message=... or name=..., and expect takes no observed:"
                ' write observed == expect("exact", expected)'
            )
        elif isinstance(threshold, list | tuple | dict):
            hint = "; settings are keyword arguments, such as case_sensitive=False"
        elif isinstance(threshold, int | float) and 1 < threshold <= 100:
            hint = f"; {threshold} percent is {threshold / 100}"
        try:
            value = f"{threshold!r:.200}"
        except ValueError:
            value = "a number of thousands of digits"
        super().__init__(f"threshold must be in (0, 1], got {value}{hint}")


class TemplateError(ConfigurationError):
    """An answer template is invalid."""


class ReservedNameError(TemplateError, TypeError):
    """A field of an answer template has a name that the template itself needs."""


class SuiteError(ConfigurationError):
    """A suite file is invalid; the message has the file, the line and what is allowed."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the extra pytest-verdict[{extra}]")
        # The message may become part of a record, so the command, which depends on the machine, is a note.
        self.add_note(_install_command(extra))


class RecordError(VerdictError, ValueError):
    """A record, journal or report cannot be read."""


class MappingError(VerdictError, LookupError):
    """A mapping matches nothing in a document, or several values where one is needed."""


class AdapterError(VerdictError, RuntimeError):
    """An adapter raised, timed out or returned something that is not a result."""


class ParseError(VerdictError, ValueError):
    """A judge's reply is not an answer of the template."""


class MissingRecordingError(VerdictError, LookupError):
    """A judge that replays has no recording of this question, and never asks a model."""


class TrajectoryError(VerdictError, ValueError):
    """A value cannot be read as a trajectory."""


class LeakError(VerdictError, ValueError):
    """A blind judge would see a text that identifies a candidate."""


class AwaitingJudgmentError(VerdictError):
    """A person has not filled in the form of a blind comparison yet."""


class _FailureError(Exception):
    """The failure of comparisons."""

    on_heard: Callable[[], None] | None = None
    """What a session does when the exception reaches a report, or somebody who expects it."""

    def __init__(self, message: str, results: Sequence[ComparisonResult] = ()) -> None:
        super().__init__(message)
        self._results = tuple(results)

    @property
    def results(self) -> tuple[ComparisonResult, ...]:
        """The comparisons that did not pass, in order."""
        if self.on_heard is not None:
            on_heard, self.on_heard = self.on_heard, None
            on_heard()
        return self._results

    @property
    def result(self) -> ComparisonResult:
        """The first comparison that did not pass."""
        return self.results[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self._results)


class MismatchError(_FailureError, AssertionError):
    """One or more comparisons did not pass.

    Args:
        message: The failure block.
        results: The comparisons that did not pass, in order.
    """


class UndecidedError(_FailureError, VerdictError):
    """One or more comparisons did not pass, and at least one of them could not be made, which is neither true nor false.

    ``bool()`` of a comparison with the verdict ``error`` raises it as well.

    Args:
        message: The failure block.
        results: The comparisons that did not pass, in order.
    """


def similar(word: str, names: Sequence[str], most: int) -> list[str]:
    """Return the names that a word probably means."""
    return (
        difflib.get_close_matches(word, names, most)
        or [name for name in names if word and name.startswith(word)][:most]
        or difflib.get_close_matches(word.lower(), names, most)
    )


def allowed(kind: str, value: object, names: Iterable[str], *, listed: Iterable[str] | None = None) -> str:
    """Format the end of an error about an unknown name: the probable meaning, and the allowed names or ``listed``."""
    names = sorted(names)
    word = str(value)[:100]
    most = 1 if listed is None else 3
    hint = ""
    right = right_spelling(kind, word, names)
    if right:
        hint = f" Write {right}."
    elif close := similar(word, names, most):
        hint = f" Did you mean {' or '.join(map(repr, close))}?"
    elif listed is not None and names:
        nearest = difflib.get_close_matches(word.lower(), names, n=most, cutoff=0)
        hint = f" The nearest are {', '.join(nearest)}."

    if listed is not None:
        names = sorted(listed)
    if names:
        return f"{hint} Allowed: {', '.join(names)}."
    return hint or f" No {kind} is allowed here."


def right_spelling(kind: str, word: str, names: Collection[str]) -> str | None:
    """Return what to write instead of a word that people often type, or None."""
    from importlib.resources import files

    folded = _fold(word)
    if folded in map(_fold, names):
        return None
    sections = files(__package__).joinpath("synonyms.txt").read_text("utf-8").split("\n[")
    for section in (kind, *_SHARED_SECTIONS.get(kind, ())):
        rows = next((text.splitlines()[1:] for text in sections if text.startswith(f"{section}]")), [])
        for needs, synonyms, right in (row.split(" | ") for row in rows if row):
            is_available = needs == "*" or set(needs.split()) <= set(names)
            if is_available and folded in map(_fold, synonyms.split()):
                if kind == "scorer" and section == "operator" and needs != "*":
                    return f"scorer: {needs}"
                return right.replace("{word}", word)
    return None


def _fold(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum()) or word


def _install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, with its tool and from its source."""
    import json
    from importlib.metadata import distributions
    from urllib.parse import unquote

    tool = "pip"
    origin = {}
    distribution = next(iter(distributions(name="pytest-verdict")), None)
    if distribution is not None:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
        if (distribution.read_text("INSTALLER") or "").startswith("uv"):
            tool = "uv pip"

    url = origin.get("url", "")
    if origin.get("dir_info", {}).get("editable"):
        return f'{tool} install -e "{unquote(url.removeprefix("file://"))}[{extra}]"'
    source = origin.get("vcs_info")
    if source:
        url = f"{source['vcs']}+{url}@{source.get('requested_revision') or source['commit_id']}"
    requirement = f"pytest-verdict[{extra}]"
    if url:
        requirement += f" @ {url}"
    return f'{tool} install "{requirement}"'
