"""Blind comparison of two outputs, by a judge that does not know who made which.

The names are listed in ``__init__.pyi``, and each is imported when it is first used.
"""

from pytest_verdict import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
