"""docs/explanation/failures.md shows what is printed, and the first lines say how the values differ."""

import pytest

from tools.generators import gallery

PAIRS = pytest.mark.parametrize("pair", gallery.PAIRS, ids=lambda pair: pair.title)
STALE = "docs/explanation/failures.md is stale: run make generate"


def test_each_pair_has_three_blocks():
    shown = gallery.blocks_on_the_page()
    assert [*shown] == [pair.title for pair in gallery.PAIRS], STALE
    assert len(shown) >= 24
    assert {title for title, blocks in shown.items() if len(blocks) != 3} == set()


@PAIRS
def test_our_block_is_current(pair):
    assert gallery.blocks_on_the_page()[pair.title][0] == gallery.ours(pair), STALE


@PAIRS
def test_difference_is_in_first_three_lines(pair):
    first = gallery.ours(pair).splitlines()[:3]
    assert [line for line in first if pair.difference in line], first
