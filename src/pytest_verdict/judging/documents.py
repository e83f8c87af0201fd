"""What a judge can read of a file: its text, the text that was extracted from it, or nothing.

The text of PDF, DOCX, PPTX and XLSX files needs the extra ``documents``, and comes with the name of the library.
"""

import importlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final
from zipfile import ZipFile

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import MissingExtraError, VerdictError
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


_MOST_UNPACKED: Final = 200_000_000
_WORD: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MATH_TEXT: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_BLANKS: Final = {"tab": "\t", "br": "\n"}
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BESIDE_THE_BODY: Final = ("header+xml", "footer+xml", "footnotes+xml", "endnotes+xml", "comments+xml")


def pdf_text(content: bytes) -> tuple[str, str]:
    """Read a PDF, page by page."""
    pypdf = _library("pypdf")
    pages = pypdf.PdfReader(BytesIO(content)).pages
    return _joined([page.extract_text()] for page in pages), f"pypdf {pypdf.__version__}"


def docx_text(content: bytes) -> tuple[str, str]:
    """Read a Word document: its body, then headers, footers, notes and comments."""
    docx = _library("docx")
    body = docx.Document(_unpackable(content)).part
    beside = (part for part in body.package.iter_parts() if part.content_type.endswith(_BESIDE_THE_BODY))
    # From the XML, because paragraphs of python-docx leave out insertions, content controls and text boxes.
    parsed = (docx.oxml.parse_xml(part.blob) for part in chain([body], beside))
    return _joined(_paragraphs(part, _WORD) for part in parsed), f"python-docx {docx.__version__}"


def pptx_text(content: bytes) -> tuple[str, str]:
    """Read a presentation: its slides in order, each with its notes."""
    pptx = _library("pptx")
    slides = pptx.Presentation(_unpackable(content)).slides
    shown = chain.from_iterable((one, one.notes_slide) if one.has_notes_slide else (one,) for one in slides)
    return _joined(_paragraphs(one.element, _DRAWING) for one in shown), f"python-pptx {pptx.__version__}"


def xlsx_text(content: bytes) -> tuple[str, str]:
    """Read a workbook: its sheets, a line for each row; a formula stands only where no value was saved for it."""
    openpyxl = _library("openpyxl")
    values, formulas = (
        openpyxl.load_workbook(_unpackable(content), read_only=True, data_only=data_only) for data_only in (True, False)
    )
    sheets = zip(values.worksheets, formulas.worksheets, strict=True)
    return _joined(_rows(*pair) for pair in sheets), f"openpyxl {openpyxl.__version__}"


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("the text of documents", "documents") from None


def _unpackable(content: bytes) -> BytesIO:
    # The sizes are those that the archive claims; no more than these is ever unpacked.
    if sum(part.file_size for part in ZipFile(BytesIO(content)).infolist()) > _MOST_UNPACKED:
        raise ValueError(f"it unpacks to more than {_MOST_UNPACKED} bytes")
    return BytesIO(content)


def _joined(parts: Iterable[Iterable[str]]) -> str:
    found: list[str] = []
    left = MOST_CHARACTERS
    for line in filter(None, chain.from_iterable(parts)):
        left -= len(line) + 1
        if left < 0:
            raise ValueError(f"its text is longer than {MOST_CHARACTERS} characters")
        found.append(line)
    return "\n".join(found)


def _paragraphs(element: Any, namespace: str) -> Iterator[str]:
    # What is written twice, was moved elsewhere, or says how a paragraph looks.
    for left_out in list(element.iter(_FALLBACK, f"{namespace}moveFrom", f"{namespace}pPr")):
        left_out.getparent().remove(left_out)
    written: list[str] = []
    for node in element.iter(_MATH_TEXT, *(namespace + name for name in ("p", "t", "tab", "br"))):
        if node.tag != f"{namespace}p":
            written.append(_BLANKS.get(node.tag.removeprefix(namespace)) or node.text or "")
        else:
            yield "".join(written)
            written = []
    yield "".join(written)


def _rows(values: Any, formulas: Any) -> Iterator[str]:
    yield values.title
    for sheet in (values, formulas):
        # What a file says of its own size may be wrong.
        sheet.reset_dimensions()
    for row in zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=True):
        yield "\t".join(_cell(*pair) for pair in zip(*row, strict=True)).rstrip("\t")


def _cell(value: Any, formula: Any) -> str:
    found = formula if value is None else value
    if hasattr(found, "ref"):
        # A formula of several cells is an object, and that of a data table has no text.
        found = getattr(found, "text", f"=TABLE({found.ref})")
    return "" if found is None else str(found)
