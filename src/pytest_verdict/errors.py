"""Every exception of the library.

::

    VerdictError (Exception)
    ├── ConfigurationError (ValueError)     the person who wrote the check made a mistake
    │   ├── UnknownOperatorError            no operator of that name is registered
    │   ├── SettingsError                   a setting is unknown, missing or has a value that is not allowed
    │   ├── ThresholdError                  the threshold is not in (0, 1]
    │   ├── TemplateError                   an answer template is written wrongly
    │   ├── SuiteError                      a suite file is written wrongly
    │   └── MissingExtraError (ImportError) an optional dependency is not installed
    ├── RecordError (ValueError)            a record, journal or report cannot be read
    ├── MappingError (LookupError)          a mapping finds nothing in a document, or too much
    ├── AdapterError (RuntimeError)         an adapter gave no result
    ├── ParseError (ValueError)             a judge's reply is not an answer of the template
    ├── MissingRecordingError (LookupError) a judge that replays has no reply for this question
    ├── LeakError (ValueError)              a blind judge would see something that names a candidate
    ├── AwaitingJudgmentError               a person has not filled in the form of a blind comparison yet
    └── TrajectoryError (ValueError)        a value cannot be read as a trajectory
    MismatchError (AssertionError)          a comparison did not pass
    └── ErrorVerdict                        a comparison that could not be made was taken for true or false

``MismatchError`` is an ``AssertionError`` and nothing else, so that pytest, ``unittest`` and ``xfail(raises=...)`` treat it
as what it is: a failed test.
"""

from __future__ import annotations

import difflib
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_verdict.core.result import ComparisonResult


class VerdictError(Exception):
    """Base of the errors that are not a failed comparison."""


class ConfigurationError(VerdictError, ValueError):
    """A check was configured wrongly; it can never become a pass."""


class UnknownOperatorError(ConfigurationError):
    """No operator of that name is registered."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        super().__init__(f"Unknown comparator: {name!r}.{allowed('operator', name, known)}")


class SettingsError(ConfigurationError):
    """A setting is unknown, missing or has a value that is not allowed."""


class ThresholdError(ConfigurationError):
    """The threshold is not a number in (0, 1]."""

    def __init__(self, threshold: object) -> None:
        super().__init__(f"threshold must be in (0, 1], got {threshold!r}")


class TemplateError(ConfigurationError):
    """An answer template is written wrongly."""


class SuiteError(ConfigurationError):
    """A suite file is written wrongly; the message has file, line and what is allowed."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f'{purpose} needs an optional dependency: pip install "pytest-verdict[{extra}]"')


class RecordError(VerdictError, ValueError):
    """A record, journal or report cannot be read."""


class MappingError(VerdictError, LookupError):
    """A mapping finds nothing in a document, or several values where one is needed."""


class AdapterError(VerdictError, RuntimeError):
    """An adapter raised, took too long or returned something that is no result."""


class ParseError(VerdictError, ValueError):
    """A judge's reply is not an answer of the template."""


class MissingRecordingError(VerdictError, LookupError):
    """A judge that replays has no reply for this question; it never asks instead."""


class TrajectoryError(VerdictError, ValueError):
    """A value cannot be read as a trajectory."""


class LeakError(VerdictError, ValueError):
    """A blind judge would see something that names a candidate."""


class AwaitingJudgmentError(VerdictError):
    """A person has not filled in the form of a blind comparison yet."""


class MismatchError(AssertionError):
    """One or more comparisons did not pass.

    Args:
        message: The failure block, already laid out.
        results: The comparisons that did not pass, in the order in which they were made.
    """

    def __init__(self, message: str, results: Sequence[ComparisonResult] = ()) -> None:
        super().__init__(message)
        self.results = tuple(results)

    @property
    def result(self) -> ComparisonResult:
        """The first comparison that did not pass."""
        return self.results[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.results)


class ErrorVerdict(MismatchError):  # noqa: N818 - it is the verdict ``error`` that is raised
    """A comparison that could not be made was taken for true or false; it is neither."""


def similar(given: str, known: Sequence[str], most: int) -> list[str]:
    """Give what was probably meant."""
    beginning = (name for name in known if given and name.startswith(given))
    return difflib.get_close_matches(given, known, n=most) or list(islice(beginning, most))


def allowed(kind: str, given: object, known: Iterable[str]) -> str:
    """Name what is allowed, and what was probably meant."""
    names = sorted(known)
    word = str(given)
    close = similar(word, names, 1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    return f"{guess} Allowed: {', '.join(names)}." if names else f"{guess} No {kind} is allowed here."
