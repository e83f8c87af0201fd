"""Replies as models write them, made by a seed, to measure presets: families to tune on, and families held out.

A family is a kind of phrasing. Its replies are either right, so the expected value is what the reply says, or wrong: they
mention the expected value, or a number that begins like it, and say something else.
"""

from tools.replies.making import KINDS, Reply, make_replies

__all__ = ["KINDS", "Reply", "make_replies"]
