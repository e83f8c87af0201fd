"""A line of code on a page is no longer than the column of the documentation is wide, so that nobody has to scroll."""

import re

import pytest

from tools.documentation import REPOSITORY, blocks_of, pages

# The theme's column is 46em wide, 736 pixels; a block has 28 of them as padding, and a character of 13 pixels is 7.8 wide.
WIDTH = int((46 * 16 - 28) / 7.8) - 2
# The design has maps of the source for those who edit it; the page of failures shows what terminals of 100 columns print.
WIDER = {"design.md", "failures.md"}
DOCUMENTS = [page for page in pages() if page.is_relative_to(REPOSITORY / "docs") and page.name not in WIDER]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(REPOSITORY / "docs").as_posix())
def test_code_fits_the_column(page):
    lines = [
        (block.line + number, line)
        for block in blocks_of(page)
        for number, line in enumerate(block.content.splitlines())
    ]
    assert [f"{page.name}:{number}: {line}" for number, line in lines if len(line) > WIDTH] == []


def test_examples_fit_the_column():
    files = [path for path in (REPOSITORY / "examples").rglob("*") if path.suffix in {".py", ".yaml"}]
    assert files
    assert [
        f"{path}: {line}" for path in files for line in path.read_text("utf-8").splitlines() if len(line) > WIDTH
    ] == []


@pytest.mark.parametrize("folder", ["docs", "examples"])
def test_formatter_has_the_same_width(folder):
    written = re.search(r"line-length = (\d+)", (REPOSITORY / folder / "ruff.toml").read_text("utf-8"))
    assert int(written[1]) == WIDTH
