"""A kind of document: text that is written backwards, in UTF-16."""


def read(content):
    return content.decode("utf-16")[::-1], "roman_verdict 1.0"
