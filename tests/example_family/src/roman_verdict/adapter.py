"""An adapter: ``to-roman:from 1`` writes the input as a numeral."""

from roman_verdict.operator import numeral


class ToRoman:
    def __init__(self, written, folder):
        self.written = written
        self.folder = folder

    def run(self, text, context):
        return numeral(int(text))


def open_adapter(written, folder):
    return ToRoman(written, folder)
