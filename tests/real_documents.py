"""Documents made by the libraries that people make them with."""

from __future__ import annotations

from io import BytesIO

import docx
import openpyxl
import pptx
import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def pdf(*pages):
    writer = pypdf.PdfWriter()
    name = NameObject
    font = DictionaryObject(
        {name("/Type"): name("/Font"), name("/Subtype"): name("/Type1"), name("/BaseFont"): name("/Helvetica")}
    )
    for text in pages:
        page = writer.add_blank_page(300, 100)
        page[name("/Resources")] = DictionaryObject({name("/Font"): DictionaryObject({name("/F1"): font})})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 50 Td ({text}) Tj ET".encode() if text else b"")
        page[name("/Contents")] = writer._add_object(stream)
    return written(writer.write)


def docx_file(*paragraphs, table=(), header=None):
    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    if table:
        made = document.add_table(len(table), len(table[0]))
        for row, texts in zip(made.rows, table, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    if header:
        document.sections[0].header.paragraphs[0].text = header
    return written(document.save)


def pptx_file(*slides, notes=None):
    presentation = pptx.Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    if notes:
        slide.notes_slide.notes_text_frame.text = notes
    return written(presentation.save)


def xlsx(*rows, change=lambda book: None):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    return written(book.save)


def written(save):
    stream = BytesIO()
    save(stream)
    return stream.getvalue()
