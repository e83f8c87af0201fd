"""How the picture of a terminal is drawn."""

from tools.generators import terminal_pictures as picture


def test_line_is_drawn_with_colours():
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


def test_long_line_is_wrapped():
    first, second = picture.rows("a" * 90 + "\x1b[31m" + "b" * 20)
    assert [(column, len(text)) for column, text, *_ in first] == [(0, 90), (90, 10)]
    assert [(column, text) for column, text, *_ in second] == [(0, "b" * 10)]
