"""docs/explanation/failures.md shows what is printed, and how we differ is said at once."""

from importlib.metadata import version

import gallery
import pytest

PAIRS = pytest.mark.parametrize("pair", gallery.PAIRS, ids=lambda pair: pair.title)
WRITE_AGAIN = "write it again: python tests/docs/gallery.py"


def test_there_are_enough_pairs_each_with_three_blocks():
    shown = gallery.blocks_on_the_page()
    assert [*shown] == [pair.title for pair in gallery.PAIRS], WRITE_AGAIN
    assert len(shown) >= 24
    assert {title for title, blocks in shown.items() if len(blocks) != 3} == set()


@PAIRS
def test_our_block_on_the_page_is_what_we_print(pair):
    assert gallery.blocks_on_the_page()[pair.title][0] == gallery.ours(pair), WRITE_AGAIN


@PAIRS
def test_the_difference_is_in_the_first_three_lines(pair):
    first = gallery.ours(pair).splitlines()[:3]
    assert [line for line in first if pair.difference in line], first


def test_the_outputs_of_others_are_what_they_print():
    pytest.importorskip("deepdiff")
    text = gallery.PAGE.read_text(encoding="utf-8")
    if f"Made with {gallery.versions()}." not in text:
        pytest.skip(f"the page is made with other versions than {[version(name) for name in gallery.PEERS]}")
    assert text == gallery.page(), WRITE_AGAIN
