"""Judges: models and people that read; they never decide.

The names are listed in ``__init__.pyi``, and each is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
