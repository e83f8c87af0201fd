"""Read the text of a file for a judge: plain text, or text extracted from a document (extra ``documents``)."""

import importlib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple
from zipfile import ZipFile

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.errors import MissingExtraError, VerdictError
from pytest_verdict.judging.calls import call_within

MAXIMUM_CHARACTERS: Final = 20_000_000
_MAXIMUM_UNPACKED_BYTES: Final = 200_000_000
_TIMEOUT: Final = 60

_WORD: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MATH_TEXT: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_WHITESPACE: Final = {"tab": "\t", "br": "\n"}
_PARTS_BESIDE_THE_BODY: Final = ("header+xml", "footer+xml", "footnotes+xml", "endnotes+xml", "comments+xml")


class FileText(NamedTuple):
    """The text of a file and the library that extracted it, if any; without a text, the reason."""

    text: str | None
    extracted_by: str | None = None
    reason: str | None = None

    @property
    def is_plain(self) -> bool:
        return self.text is not None and self.extracted_by is None


def read_text(path: str, content: bytes) -> FileText:
    """Return the text of a file; a file that cannot be read gives a reason instead of an exception."""
    suffix = PurePosixPath(path).suffix.lower()
    # Check the suffix first, because a PDF may be pure ASCII.
    extractor = FAMILIES.find("document_texts", suffix) if suffix else None
    if extractor is None:
        if b"\0" not in content and not content.startswith(b"%PDF-"):
            with suppress(UnicodeDecodeError):
                return FileText(content.decode("utf-8"))
        return FileText(None, reason="it is no plain text in UTF-8")

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A malicious document can keep a reader busy for hours.
            text, library = call_within(_TIMEOUT, partial(load(extractor), content))
        is_blank = not str.strip(text)
    except TimeoutError:
        return FileText(None, reason=f"its text was not extracted within {_TIMEOUT} seconds")
    except VerdictError as error:
        return FileText(None, reason=str(error))
    except Exception as error:  # noqa: BLE001 - a broken document may raise anything in its reader
        return FileText(None, reason=error_outcome(error).error)

    if is_blank:
        return FileText(None, reason="there is no text in it, only pictures or nothing at all")
    if len(text) > MAXIMUM_CHARACTERS:
        return FileText(None, reason=f"its text is longer than {MAXIMUM_CHARACTERS} characters")
    # Some documents yield half of a surrogate pair, which cannot be sent.
    return FileText(text.encode("utf-8", "replace").decode("utf-8"), library)


def extract_pdf(content: bytes) -> tuple[str, str]:
    pypdf = _import_library("pypdf")
    pages = pypdf.PdfReader(BytesIO(content)).pages
    return _join_lines([page.extract_text()] for page in pages), f"pypdf {pypdf.__version__}"


def extract_docx(content: bytes) -> tuple[str, str]:
    """Return the text of the body, then of headers, footers, notes and comments, and the name of the library."""
    docx = _import_library("docx")
    body = docx.Document(_open_archive(content)).part
    beside = (part for part in body.package.iter_parts() if part.content_type.endswith(_PARTS_BESIDE_THE_BODY))
    # Read the XML, because python-docx skips insertions, content controls and text boxes.
    roots = (docx.oxml.parse_xml(part.blob) for part in chain([body], beside))
    return _join_lines(_read_paragraphs(root, _WORD) for root in roots), f"python-docx {docx.__version__}"


def extract_pptx(content: bytes) -> tuple[str, str]:
    pptx = _import_library("pptx")
    pages: list[Any] = []
    for slide in pptx.Presentation(_open_archive(content)).slides:
        pages.append(slide)
        if slide.has_notes_slide:
            pages.append(slide.notes_slide)
    return _join_lines(_read_paragraphs(page.element, _DRAWING) for page in pages), f"python-pptx {pptx.__version__}"


def extract_xlsx(content: bytes) -> tuple[str, str]:
    openpyxl = _import_library("openpyxl")
    values = openpyxl.load_workbook(_open_archive(content), read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(_open_archive(content), read_only=True, data_only=False)
    sheets = zip(values.worksheets, formulas.worksheets, strict=True)
    return _join_lines(_read_rows(*pair) for pair in sheets), f"openpyxl {openpyxl.__version__}"


def _import_library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("the text of documents", "documents") from None


def _open_archive(content: bytes) -> BytesIO:
    # An archive never unpacks to more bytes than its index claims.
    if sum(entry.file_size for entry in ZipFile(BytesIO(content)).infolist()) > _MAXIMUM_UNPACKED_BYTES:
        raise ValueError(f"it unpacks to more than {_MAXIMUM_UNPACKED_BYTES} bytes")
    return BytesIO(content)


def _join_lines(parts: Iterable[Iterable[str]]) -> str:
    lines: list[str] = []
    characters = 0
    for line in chain.from_iterable(parts):
        if not line:
            continue
        characters += len(line) + 1
        if characters > MAXIMUM_CHARACTERS:
            raise ValueError(f"its text is longer than {MAXIMUM_CHARACTERS} characters")
        lines.append(line)
    return "\n".join(lines)


def _read_paragraphs(element: Any, namespace: str) -> Iterator[str]:
    # Skip duplicates for old programs, text that was moved elsewhere, and formatting.
    for ignored in list(element.iter(_FALLBACK, f"{namespace}moveFrom", f"{namespace}pPr")):
        ignored.getparent().remove(ignored)

    paragraph: list[str] = []
    for node in element.iter(_MATH_TEXT, *(namespace + name for name in ("p", "t", "tab", "br"))):
        if node.tag == f"{namespace}p":
            yield "".join(paragraph)
            paragraph = []
        else:
            paragraph.append(_WHITESPACE.get(node.tag.removeprefix(namespace)) or node.text or "")
    yield "".join(paragraph)


def _read_rows(values: Any, formulas: Any) -> Iterator[str]:
    yield values.title
    for sheet in (values, formulas):
        # The size that a file claims may be wrong.
        sheet.reset_dimensions()
    for row in zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=True):
        cells = []
        for value, formula in zip(*row, strict=True):
            # Show a formula only if the file holds no value for it.
            content = formula if value is None else value
            if hasattr(content, "ref"):
                # The formula of a range is an object, and the one of a data table has no text.
                content = getattr(content, "text", f"=TABLE({content.ref})")
            cells.append("" if content is None else str(content))
        yield "\t".join(cells).rstrip("\t")
