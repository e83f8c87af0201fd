"""Checkpoints of Karenina: the templates of a benchmark, as the text of a test module."""

import ast
from typing import Any, Final

from pytest_verdict.core.values.display import visible
from pytest_verdict.suites.importing import Imported

_HEAD: Final = '''\
"""The templates of {source}, with imports of pytest-verdict in place of those of Karenina.

Read them before you run them: they are code that somebody else wrote.
"""

import pytest

TEMPLATES = {{}}
'''
_TAIL: Final = '''

def ask(question):
    """Give what your model answers."""
    raise NotImplementedError(question)


@pytest.mark.parametrize("question", TEMPLATES)
def test_question(answer_template, question):
    answer_template(TEMPLATES[question]).assert_verified(ask(question))
'''


def read(found: Imported) -> None:
    """Write the templates of a checkpoint one after the other, each kept under the text of its question."""
    pieces = []
    found.keep((), found.document.value, {*found.document.value} - {"rating"})
    for place, element in found.parts(
        "dataFeedElement", ("@id", "@type", "dateCreated", "dateModified", "item", "keywords")
    ):
        item = found.keep((*place, "item"), element["item"], ("@id", "@type", "acceptedAnswer", "hasPart", "text"))
        try:
            pieces.append(f"\n{_translated(item['hasPart']['text'])}\n\nTEMPLATES[{item['text']!a}] = Answer\n")
        except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            found.leave_out((*place, "item"), f"there is no template in Python: {error}")
    found.module = "".join([_HEAD.format(source=ascii(visible(found.source))), *pieces, _TAIL]) if pieces else ""


def _translated(code: Any) -> str:
    """Import from pytest-verdict what the code imports from Karenina."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "karenina":
            names = ", ".join(ast.unparse(alias) for alias in node.names)
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [
                f"from pytest_verdict.templates import {names}",
                *[""] * (last - node.lineno),
            ]
    return "\n".join(lines).strip("\n")
