"""Answer templates: the fields to extract from a response and their correct values, in one Pydantic class.

The public names are in ``__init__.pyi``; each is imported when it is first used.
"""

from pytest_verdict import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
