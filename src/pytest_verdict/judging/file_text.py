"""What a judge can read of a file: its text, the text that was extracted from it, or nothing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import VerdictError
from pytest_verdict.judging.asking import ask

MOST_CHARACTERS: Final = 20_000_000
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file and, if it had to be extracted, by what; without a text, the reason."""

    text: str | None
    extracted_by: str | None = None
    reason: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the file is text itself."""
        return self.text is not None and self.extracted_by is None


def read_text(path: str, content: bytes) -> FileText:
    """Read a file as a judge does; nothing in it raises."""
    suffix = PurePosixPath(path).suffix.lower()
    # A PDF may be written in ASCII alone, so the suffix is looked at first.
    place = FAMILIES.find("document_texts", suffix) if suffix else None
    return _plain(content, suffix) if place is None else _extracted(place, content)


def _plain(content: bytes, suffix: str) -> FileText:
    try:
        if b"\0" not in content:
            return FileText(content.decode("utf-8"))
    except UnicodeDecodeError:
        pass
    extracted = f"and no family extracts the text of {shown(suffix, 40)}" if suffix else "and its name has no suffix"
    return FileText(None, reason=f"it is no plain text in UTF-8, {extracted}")


def _extracted(place: str, content: bytes) -> FileText:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A page that is made for it can keep a reader busy for hours.
            text, extractor = ask(load(place), content, _LONGEST)
        return _checked(text, extractor)
    except TimeoutError:
        return FileText(None, reason=f"its text was not extracted within {_LONGEST} seconds")
    except VerdictError as error:
        return FileText(None, reason=str(error))
    except Exception as error:  # noqa: BLE001 - whatever a broken document does to its reader, nobody sees it
        return FileText(None, reason=error_outcome(error).error)


def _checked(text: Any, extractor: Any) -> FileText:
    if not isinstance(text, str) or not isinstance(extractor, str):
        raise TypeError(f"an extractor gives a text and its own name, got {shown((text, extractor), 80)}")
    if not text.strip():
        return FileText(None, reason="there is no text in it, only pictures or nothing at all")
    if len(text) > MOST_CHARACTERS:
        return FileText(None, reason=f"its text is longer than {MOST_CHARACTERS} characters")
    # Half of a surrogate pair, which some documents yield, can be sent to nobody.
    return FileText(text.encode("utf-8", "replace").decode("utf-8"), extractor)
