"""The text of documents: what is in them is read, whatever is wrong with them says why it is not."""

import datetime
import io
import random
import re
import subprocess
import sys
import time
import zipfile

import pytest

from pytest_verdict import hookimpl
from pytest_verdict.core.families import FAMILIES, Families
from pytest_verdict.judging import documents
from pytest_verdict.judging.documents import read_text

for needed in ("docx", "openpyxl", "pptx", "pypdf"):
    pytest.importorskip(needed)
real = pytest.importorskip("real_documents")


def rewritten(content, name, change):
    """Give a package with one of its parts changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as copy:
        for one in archive.namelist():
            part = archive.read(one)
            copy.writestr(one, change(part) if one == name else part)
    return buffer.getvalue()


def replaced(content, name, before, after):
    def change(part):
        assert before in part
        return part.replace(before, after)

    return rewritten(content, name, change)


def test_pdf_pages_are_read():
    reading = read_text("report.PDF", real.pdf("It rains", "", "because it is wet."))
    assert reading.text == "It rains\nbecause it is wet."
    assert reading.extracted_by.startswith("pypdf ")
    assert not reading.is_plain


def test_docx_body_tables_and_headers_are_read():
    content = real.docx_file("It rains", "", "Why?", table=[["a", "1"], ["b", "2"]], header="Weather")
    reading = read_text("report.docx", content)
    assert reading.text == "It rains\nWhy?\na\n1\nb\n2\nWeather"
    assert reading.extracted_by.startswith("python-docx ")


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        (b"<w:ins><w:r><w:t>new</w:t></w:r></w:ins>", "new"),
        (b"<w:del><w:r><w:delText>old</w:delText></w:r></w:del>", ""),
        (b"<w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom>", ""),
        (b"<w:sdt><w:sdtContent><w:r><w:t>field</w:t></w:r></w:sdtContent></w:sdt>", "field"),
        (b'<w:pPr><w:tabs><w:tab w:val="left" w:pos="9"/></w:tabs></w:pPr><w:r><w:tab/><w:t>7</w:t></w:r>', "\t7"),
        (b"<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>", "a\nb"),
    ],
    ids=["inserted", "deleted", "moved", "content control", "tab", "line break"],
)
def test_docx_paragraph_content_is_read(xml, text):
    run = b"<w:r><w:t>HERE</w:t></w:r>"
    content = replaced(real.docx_file("before", "HERE"), "word/document.xml", run, xml)
    assert read_text("a.docx", content).text == "\n".join(filter(None, ["before", text]))


def test_docx_fallback_content_is_skipped():
    both = (
        b'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        b'<mc:Choice Requires="wps"><w:t>box</w:t></mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback>'
        b"</mc:AlternateContent>"
    )
    content = replaced(real.docx_file("HERE"), "word/document.xml", b"<w:t>HERE</w:t>", both)
    assert read_text("a.docx", content).text == "box"


def test_pptx_slides_and_notes_are_read_in_order():
    reading = read_text("talk.pptx", real.pptx_file(("Rain", "It is wet"), ("Why", "because"), notes="Wait here."))
    assert reading.text == "Rain\nIt is wet\nWhy\nbecause\nWait here."
    assert reading.extracted_by.startswith("python-pptx ")


def test_xlsx_rows_are_read():
    content = real.xlsx(["name", "n"], [], ["x", 1.5], [None, datetime.date(2026, 1, 2)], ["sum", "=B3*2"])
    reading = read_text("table.xlsx", content)
    assert reading.text == "Sheet\nname\tn\nx\t1.5\n\t2026-01-02 00:00:00\nsum\t=B3*2"
    saved = rewritten(content, "xl/worksheets/sheet1.xml", lambda xml: re.sub(b"<v ?/>|<v></v>", b"<v>3</v>", xml))
    assert read_text("table.xlsx", saved).text.endswith("sum\t3")


def test_xlsx_array_formulas_are_read():
    from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

    def change(book):
        book.active["B1"] = ArrayFormula("B1:B2", "=A1:A2*2")
        book.active["C1"] = DataTableFormula("C1:C2")

    assert read_text("a.xlsx", real.xlsx([1], change=change)).text == "Sheet\n1\t=A1:A2*2\t=TABLE(C1:C2)"


def test_ascii_pdf_is_read_as_pdf():
    content = real.pdf("Hello").replace(b"%\xe2\xe3\xcf\xd3", b"%abcd")
    assert content.isascii()
    assert read_text("a.pdf", content).text == "Hello"


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("a.png", b"\x89PNG\0", "no plain text in UTF-8"),
        ("a", b"\xff", "no plain text in UTF-8"),
        ("a.pdf", b"%PDF-1.4 broken", "PdfStreamError"),
        ("a.pdf", b"", "EmptyFileError"),
        ("a.docx", b"no archive", "BadZipFile"),
        ("a.pdf", real.pdf("", ""), "there is no text in it"),
        ("a.docx", real.docx_file(), "there is no text in it"),
        ("a.pptx", real.docx_file("x"), "is not a PowerPoint file"),
        ("a.xlsx", real.docx_file("x"), "no valid workbook"),
    ],
)
def test_unreadable_file_has_a_reason(path, content, reason):
    reading = read_text(path, content)
    assert reading.text is None
    assert reason in reading.reason
    assert " at 0x" not in reading.reason.replace(" at 0x...", "")


@pytest.mark.parametrize(("path", "content"), [("a.txt", b"text"), ("a.md", "Grüße".encode()), ("LICENSE", b"")])
def test_plain_text_is_read(path, content):
    assert read_text(path, content) == documents.FileText(content.decode())
    assert read_text(path, content).is_plain


LAUGHS = b'<!DOCTYPE l [<!ENTITY a "ha">%s]>' % b"".join(
    b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(98, 110)
)


@pytest.mark.parametrize(
    ("path", "content", "part"),
    [
        ("a.docx", real.docx_file("HERE"), "word/document.xml"),
        ("a.pptx", real.pptx_file(("HERE", "x")), "ppt/slides/slide1.xml"),
        ("a.xlsx", real.xlsx(["HERE"]), "xl/worksheets/sheet1.xml"),
    ],
)
def test_xml_entity_bombs_are_not_expanded(path, content, part):
    def change(xml):
        start = xml.index(b"?>") + 2 if xml.startswith(b"<?xml") else 0
        return xml[:start] + LAUGHS + xml[start:].replace(b"HERE", b"&m;")

    assert read_text(path, rewritten(content, part, change)).text is None


def test_archive_bombs_are_not_unpacked(monkeypatch):
    monkeypatch.setattr(documents, "_MAXIMUM_UNPACKED_BYTES", 10_000)
    assert "unpacks to more than 10000 bytes" in read_text("a.docx", real.docx_file("x")).reason


@pytest.mark.parametrize(
    ("path", "content"), [("a.pdf", real.pdf("12345", "67890")), ("a.xlsx", real.xlsx(["x" * 20]))]
)
def test_long_text_is_not_read(monkeypatch, path, content):
    monkeypatch.setattr(documents, "MAXIMUM_CHARACTERS", 9)
    assert "its text is longer than 9 characters" in read_text(path, content).reason


def test_sheet_with_wrong_dimensions_is_read_by_its_rows():
    assert read_text("a.xlsx", real.xlsx([1], change=lambda book: book.active.cell(5_000, 16_384, 5))).text.split() == [
        "Sheet",
        "1",
        "5",
    ]


SOUND = {
    "a.pdf": real.pdf("Because", "it rains"),
    "a.docx": real.docx_file("One", "Two", table=[["a", "1"]]),
    "a.pptx": real.pptx_file(("Title", "Text"), notes="Said"),
    "a.xlsx": real.xlsx(["name", 1.5], ["sum", "=B1"]),
}


@pytest.mark.parametrize("path", SOUND)
def test_broken_documents_never_raise(path):
    generator = random.Random(path)
    content = SOUND[path]
    for _ in range(60):
        broken = bytearray(content[: generator.randrange(1, len(content))] if generator.random() < 0.3 else content)
        for _ in range(generator.randrange(1, 8)):
            broken[generator.randrange(len(broken))] = generator.randrange(256)
        reading = read_text(path, bytes(broken))
        assert (reading.text is None) != (reading.reason is None)
        assert read_text(path, bytes(broken)) == reading


def test_libraries_are_imported_for_their_documents_only():
    script = (
        "import sys; from pytest_verdict.judging.documents import read_text; read_text('a.txt', b'x');"
        " read_text('a.png', b'\\0'); print(sorted({'pypdf', 'docx', 'pptx', 'openpyxl'} & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert process.stdout == "[]\n"


def test_missing_extra_is_the_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    reading = read_text("a.pdf", real.pdf("Hello"))
    assert reading.text is None
    assert reading.reason.endswith("needs the extra pytest-verdict[documents]")


class Family:
    """Brings suffixes, as a package does."""

    @hookimpl
    def document_texts(self):
        return {f".{name}": f"{__name__}:{name}" for name in ("odd", "raising", "wrong", "halved", "bomb", "slow")} | {
            ".missing": "no_such_module:read"
        }


def odd(content):
    return content[::-1].decode("utf-16"), "odd 1.0"


def raising(_content):
    raise RecursionError


def wrong(_content):
    return "text"


def halved(_content):
    return "half \ud83d", "halves 2"


def bomb(content):
    return "x" * documents.MAXIMUM_CHARACTERS + "x", "bomb 1"


def slow(_content):
    time.sleep(5)


@pytest.fixture
def family(monkeypatch):
    families = Families(FAMILIES._own)
    families.register(Family())
    monkeypatch.setattr(documents, "FAMILIES", families)


def test_family_adds_a_suffix(family):
    assert read_text("a.odd", "text".encode("utf-16")[::-1]) == documents.FileText("text", "odd 1.0")


@pytest.mark.parametrize(
    ("suffix", "reason"),
    [
        ("raising", "RecursionError"),
        ("wrong", "ValueError: too many values to unpack"),
        ("bomb", "its text is longer than 20000000 characters"),
        ("slow", "its text was not extracted within 0.1 seconds"),
        ("missing", "ModuleNotFoundError: No module named 'no_such_module'"),
    ],
)
def test_failing_extractor_gives_a_reason(family, monkeypatch, suffix, reason):
    monkeypatch.setattr(documents, "_TIMEOUT", 0.1 if suffix == "slow" else 60)
    reading = read_text(f"a.{suffix}", b"x")
    assert reading.text is None
    assert reason in reading.reason


def test_lone_surrogates_are_replaced(family):
    assert read_text("a.halved", b"x").text == "half ?"
