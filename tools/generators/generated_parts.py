"""Parts of pages of the documentation that are written by a generator."""

from __future__ import annotations

import re

# `make generate` writes the text between the two comments; the rest of the page is written by hand.
BEGIN = "<!-- written by make generate: {name} -->"
END = "<!-- end of {name} -->"


def with_generated_part(page: str, name: str, lines: list[str]) -> str:
    """Return a page with the part of that name replaced."""
    begin, end = BEGIN.format(name=name), END.format(name=name)
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    text, count = pattern.subn(lambda _: "\n".join([begin, "", *lines, "", end]), page)
    if count != 1:
        raise ValueError(f"the page has {count} parts {name!r} between {begin} and {end}; it needs one")
    return text
