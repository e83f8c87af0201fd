"""Answer templates: what to extract from a response and what is correct, in one Pydantic class.

The names are listed in ``__init__.pyi``, and each is imported when it is first used.
"""

from pytest_verdict import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
