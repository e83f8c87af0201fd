"""The pictures show what is printed now."""

from importlib.metadata import version

import picture
import pytest

WRITE_AGAIN = "draw it again: python tests/docs/picture.py"


@pytest.fixture(scope="module", params=picture.PICTURES)
def pictures(request):
    """What is kept and what would be drawn now."""
    kept = (picture.STATIC / request.param).read_text(encoding="utf-8")
    return kept, picture.picture(picture.PICTURES[request.param])


def test_our_lines_are_in_the_picture(pictures):
    kept, now = ([line for line in picture.texts(svg) if "2019-08-" in line] for svg in pictures)
    assert kept == now, WRITE_AGAIN
    assert any("12" in line and "21" in line for line in now)


def test_the_picture_is_current(pictures):
    kept, now = pictures
    if f"with pytest {version('pytest')}." not in kept:
        pytest.skip("the picture is made with another version of pytest")
    assert kept == now, WRITE_AGAIN


def test_a_line_is_drawn_with_its_colours():
    line = "a \x1b[31mred\x1b[0m and \x1b[1m\x1b[32mgreen & bold\x1b[0m"
    assert picture.rows(line) == [
        [
            (0, "a ", picture.INK, False),
            (2, "red", picture.COLOURS["31"], False),
            (5, " and ", picture.INK, False),
            (10, "green & bold", picture.COLOURS["32"], True),
        ]
    ]
    assert "green &amp; bold" in picture.drawn(picture.rows(line)[0], 20)


def test_a_line_that_is_too_long_is_broken():
    first, second = picture.rows("a" * 90 + "\x1b[31m" + "b" * 20)
    assert [(column, len(text)) for column, text, *_ in first] == [(0, 90), (90, 10)]
    assert [(column, text) for column, text, *_ in second] == [(0, "b" * 10)]
