"""Answer templates as a family: their operators, explanations and commands."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.templates."


@hookimpl
def recorded_operators() -> Mapping[str, str]:
    """Return the operators that only records name."""
    return {
        "answer_template": f"{_HERE}template_match:TemplateMatch",
        "case_choice": f"{_HERE}conditional:CaseChoice",
        "field_check": f"{_HERE}template_match:FieldCheck",
        "quote_check": f"{_HERE}trace_checks:QuoteCheck",
        "regex_check": f"{_HERE}trace_checks:RegexCheck",
    }


@hookimpl
def explanations() -> Mapping[str, str]:
    return {
        "answer_template": f"{_HERE}explanation:explain_template",
        "field_check": f"{_HERE}explanation:explain_parts",
        "quote_check": f"{_HERE}explanation:explain_reason",
        "regex_check": f"{_HERE}explanation:explain_reason",
    }


@hookimpl
def closing_lines() -> Mapping[str, str]:
    return {"answer_template": f"{_HERE}explanation:summarize_judges"}


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"lint": Command("find what may mislead the judge of an answer template", f"{_HERE}lint")}
