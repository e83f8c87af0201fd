"""What this package brings: one of each."""

from pytest_verdict import Command, hookimpl


@hookimpl
def operators():
    return {"roman_numeral": "roman_verdict.operator:RomanNumeral"}


@hookimpl
def trajectory_readers():
    return {"call_log": "roman_verdict.reader"}


@hookimpl
def judges():
    return {"fixed": "roman_verdict.judge:open_judge"}


@hookimpl
def document_texts():
    return {".scroll": "roman_verdict.scroll:read"}


@hookimpl
def scorers():
    return {"capitals_only": "roman_verdict.scorer:CapitalsOnly"}


@hookimpl
def adapters():
    return {"to-roman": "roman_verdict.adapter:open_adapter"}


@hookimpl
def row_readers():
    return {".pairs": "roman_verdict.rows:read"}


@hookimpl
def report_writers():
    return {"operators.csv": "roman_verdict.report:write"}


@hookimpl
def commands():
    return {"numeral": Command("write a number as a Roman numeral", "roman_verdict.command")}


@hookimpl
def closing_lines():
    return {"roman_numeral": "roman_verdict.report:closing_lines"}
