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
    """Return the answer of your model."""
    raise NotImplementedError(question)


@pytest.mark.parametrize("question", TEMPLATES)
def test_question(answer_template, question):
    answer_template(TEMPLATES[question]).assert_verified(ask(question))
'''


def read(imported: Imported) -> None:
    """Write the templates of a checkpoint, each under the text of its question."""
    checkpoint = imported.document.value
    imported.select((), checkpoint, {*checkpoint} - {"rating"})
    keys = ("@id", "@type", "dateCreated", "dateModified", "item", "keywords")
    templates = []
    for place, element in imported.parts("dataFeedElement", keys):
        item_keys = ("@id", "@type", "acceptedAnswer", "hasPart", "text")
        item = imported.select((*place, "item"), element["item"], item_keys)
        try:
            code = _replace_imports(item["hasPart"]["text"])
            templates.append(f"\n{code}\n\nTEMPLATES[{item['text']!a}] = Answer\n")
        except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            imported.leave_out((*place, "item"), f"there is no template in Python: {error}")
    if templates:
        head = _HEAD.format(source=ascii(visible(imported.source)))
        imported.module = "".join([head, *templates, _TAIL])


def _replace_imports(code: Any) -> str:
    """Replace the imports from Karenina by imports from pytest-verdict."""
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "karenina":
            names = ", ".join(ast.unparse(alias) for alias in node.names)
            last = node.end_lineno or node.lineno
            blank_lines = [""] * (last - node.lineno)
            lines[node.lineno - 1 : last] = [f"from pytest_verdict.templates import {names}", *blank_lines]
    return "\n".join(lines).strip("\n")
