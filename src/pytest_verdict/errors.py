"""Every exception of the library.

::

    VerdictError (Exception)
    ├── ConfigurationError (ValueError)     the person who wrote the check made a mistake
    │   ├── UnknownOperatorError            no operator of that name is registered
    │   ├── ArgumentsError (TypeError)      an argument is missing, or not where it belongs
    │   ├── SettingsError                   a setting is unknown, missing or has a value that is not allowed
    │   ├── ThresholdError                  the threshold is not in (0, 1]
    │   ├── TemplateError                   an answer template is written wrongly
    │   │   └── ReservedNameError           a field has a name that templates need (also a TypeError)
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
    └── UndecidedError                        a comparison that could not be made was taken for true or false

``MismatchError`` is an ``AssertionError`` and nothing else, so that pytest, ``unittest`` and ``xfail(raises=...)`` treat it
as what it is: a failed test.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pytest_verdict.core.result import ComparisonResult

# Where words of one kind are also looked for.
_ALSO: Final = {"setting": ("argument",), "scorer": ("operator",)}


class VerdictError(Exception):
    """Base of the errors that are not a failed comparison."""


class ConfigurationError(VerdictError, ValueError):
    """A check was configured wrongly; it can never become a pass."""


class UnknownOperatorError(ConfigurationError):
    """No operator of that name is registered."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        hint = allowed("operator", name, known, listed=())
        is_far = hint.startswith(" The nearest")
        first = ' The operator comes first, as in compare("exact", expected, observed).' if is_far else ""
        super().__init__(f"Unknown comparator: {name!r:.100}.{hint}{first} `pytest-verdict operators` lists them all.")


class ArgumentsError(ConfigurationError, TypeError):
    """An argument is missing, or not where it belongs."""


class SettingsError(ConfigurationError):
    """A setting is unknown, missing or has a value that is not allowed."""


class ThresholdError(ConfigurationError):
    """The threshold is not a number in (0, 1]."""

    def __init__(self, threshold: object) -> None:
        hint = (
            '; expect takes no observed: write observed == expect("exact", expected)' if type(threshold) is str else ""
        )
        if isinstance(threshold, int | float) and 1 < threshold <= 100:
            hint = f"; {threshold} percent is {threshold / 100}"
        super().__init__(f"threshold must be in (0, 1], got {threshold!r}{hint}")


class TemplateError(ConfigurationError):
    """An answer template is written wrongly."""


class ReservedNameError(TemplateError, TypeError):
    """A field of an answer template has a name that the template itself needs."""


class SuiteError(ConfigurationError):
    """A suite file is written wrongly; the message has file, line and what is allowed."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the extra pytest-verdict[{extra}]")
        # The text may become part of a record, which must not differ from machine to machine.
        self.add_note(_install_command(extra))


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


class UndecidedError(MismatchError):
    """A comparison that could not be made was taken for true or false; it is neither."""


def similar(given: str, known: Sequence[str], most: int) -> list[str]:
    """Give what was probably meant."""
    beginning = [name for name in known if given and name.startswith(given)][:most]
    lower = given.lower()
    return difflib.get_close_matches(given, known, most) or beginning or difflib.get_close_matches(lower, known, most)


def allowed(kind: str, given: object, known: Iterable[str], *, listed: Iterable[str] | None = None) -> str:
    """Name what is allowed, of all that is known or as listed, and what was probably meant."""
    names = sorted(known)
    word = str(given)[:100]
    most = 1 if listed is None else 3
    right = right_spelling(kind, word, names)
    close = [] if right else similar(word, names, most)
    guess = f" Write {right}." if right else f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    if listed is not None and names and not guess:
        nearest = difflib.get_close_matches(word.lower(), names, n=most, cutoff=0)
        guess = f" The nearest are {', '.join(nearest)}."
    names = names if listed is None else sorted(listed)
    return f"{guess} Allowed: {', '.join(names)}." if names else guess or f" No {kind} is allowed here."


def right_spelling(kind: str, given: str, known: Collection[str]) -> str | None:
    """Say what to write instead of a word, if it is one that people often type."""
    from importlib.resources import files

    sections = files(__package__).joinpath("synonyms.txt").read_text("utf-8").split("\n[")
    for section in (kind, *_ALSO.get(kind, ())):
        rows = next((text.splitlines()[1:] for text in sections if text.startswith(f"{section}]")), [])
        for needs, words, right in (row.split(" | ") for row in rows if row):
            fits = _folded(given) not in map(_folded, known) and (needs == "*" or set(needs.split()) <= set(known))
            if fits and _folded(given) in map(_folded, words.split()):
                is_operator = section != kind == "scorer" and needs != "*"
                return f"scorer: {needs}" if is_operator else right.replace("{word}", given)
    return None


def _folded(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum()) or word


def _install_command(extra: str) -> str:
    """Give the command that adds an extra to this installation, from where it came from and by what installed it."""
    import json
    from importlib.metadata import distributions
    from urllib.parse import unquote

    found = next(iter(distributions(name="pytest-verdict")), None)
    origin = json.loads((found and found.read_text("direct_url.json")) or "{}")
    tool = "uv pip" if found and (found.read_text("INSTALLER") or "").startswith("uv") else "pip"
    wanted, url, source = f"pytest-verdict[{extra}]", origin.get("url", ""), origin.get("vcs_info")
    if origin.get("dir_info", {}).get("editable"):
        return f'{tool} install -e "{unquote(url.removeprefix("file://"))}[{extra}]"'
    if source:
        url = f"{source['vcs']}+{url}@{source.get('requested_revision') or source['commit_id']}"
    return f'{tool} install "{wanted} @ {url}"' if url else f'{tool} install "{wanted}"'
