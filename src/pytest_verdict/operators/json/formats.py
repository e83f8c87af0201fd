"""Formats of JSON Schema that the checkers of the library jsonschema accept too easily."""

import copy
import ipaddress
import re
from collections.abc import Callable
from typing import Any, Final

_ATOM: Final = r"[\w!#$%&'*+/=?^`{|}~-]+"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_VARIABLE: Final = r"(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?:\*|:[1-9][0-9]{0,3})?"
_DAYS: Final = r"(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_TIME: Final = r"T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
# What a text must match besides; letters are those of ASCII, in both cases.
_PATTERNS: Final = {
    "date-time": r"\S+",
    "duration": rf"(?-i:P(?:{_DAYS}(?:{_TIME})?|{_TIME}|[0-9]+W))",
    "email": rf'(?:{_ATOM}(?:\.{_ATOM})*|"(?:[^"\\]|\\.)*")@(?:{_LABEL}(?:\.{_LABEL})*|\[(?:ipv6:)?[0-9a-f:.]+\])',
    "hostname": rf"{_LABEL}(?:\.{_LABEL})*",
    "idn-hostname": r".*[^.\u3002\uff0e\uff61]",
    "relative-json-pointer": r"[0-9][\s\S]*",
    "uri-template": rf"""(?:[^\x00-\x20"<>\\^`{{|}}%\x7f]|%[0-9a-f]{{2}}|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*""",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}
_COMPILED: Final = {name: re.compile(pattern, re.ASCII | re.IGNORECASE) for name, pattern in _PATTERNS.items()}
_ADDRESS: Final = re.compile(r"\[(?:ipv6:)?([0-9a-f:.]+)\]", re.IGNORECASE)


def _has_right_address(text: str) -> bool:
    """Return whether a literal address in brackets, if there is one, is an address."""
    for literal in _ADDRESS.findall(text):
        try:
            ipaddress.ip_address(literal)
        except ValueError:
            return False
    return True


def _has_right_labels(text: str) -> bool:
    """Return whether the labels of a host name in Punycode can be decoded."""
    import idna

    for label in text.split("."):
        if label[2:4] == "--":
            try:
                idna.ulabel(label)
            except (idna.IDNAError, UnicodeError):
                return False
    return True


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "email": _has_right_address,
    "hostname": _has_right_labels,
    "uri": _has_right_address,
    "uri-reference": _has_right_address,
}


def build_checker(library_checker: Any) -> Any:
    """Return a copy of a checker of the library that also demands what is missing there."""
    checker = copy.copy(library_checker)
    for name, (check, raises) in library_checker.checkers.items():
        pattern = _COMPILED.get(name)
        more = _CHECKS.get(name)

        def is_valid(text: Any, check: Any = check, pattern: Any = pattern, more: Any = more) -> bool:
            if not check(text):
                return False
            if not isinstance(text, str):
                return True
            return (pattern is None or pattern.fullmatch(text) is not None) and (more is None or more(text))

        if pattern is not None or more is not None:
            checker.checkers = {**checker.checkers, name: (is_valid, raises)}
    return checker
