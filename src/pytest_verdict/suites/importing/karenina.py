"""Checkpoints of Karenina: the templates of a benchmark, as the text of a test module."""

import ast
from collections.abc import Mapping
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
# The packages of pytest-verdict with the names that templates import from Karenina.
HOMES: Final[Mapping[str, str]] = {
    "templates": "BaseAnswer VerifiedField FieldCheck BooleanMatch ConditionalGroundTruth ContainsAll ContainsAny DateMatch"
    " DateRange DateTolerance ExactMatch GroundTruthCase LiteralMatch NumericExact NumericGraded NumericMaximum"
    " NumericMinimum NumericRange NumericRangeGraded NumericThresholdGraded NumericTolerance OrderedMatch RegexMatch"
    " SemanticMatch SetContainment TemplateFieldSpec TemplateSpec TraceContains TraceLength TraceRegex VerifyStrategySpec",
    "operators": "AllOf AnyOf AtLeastN",
    "": "SynonymMap",
}
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
            code, template = _translate(item["hasPart"]["text"])
            templates.append(f"\n{code}\n\nTEMPLATES[{item['text']!a}] = {template}\n")
        except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            imported.leave_out((*place, "item"), f"there is no template in Python: {error}")
    if templates:
        head = _HEAD.format(source=ascii(visible(imported.source)))
        imported.module = "".join([head, *templates, _TAIL])


def _translate(code: Any) -> tuple[str, str]:
    """Return code with imports from pytest-verdict in place of those from Karenina, and the name of its template."""
    lines = code.splitlines()
    tree = ast.parse(code)
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.ImportFrom):
            modules = [str(node.module)]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        if not any(module.partition(".")[0] == "karenina" for module in modules):
            continue
        if not isinstance(node, ast.ImportFrom):
            raise ValueError(f"{ast.unparse(node)!r} is not translated; import the names of the module")  # noqa: TRY004
        last = node.end_lineno or node.lineno
        imports = "; ".join(f"from {_home_of(alias.name)} import {ast.unparse(alias)}" for alias in node.names)
        lines[node.lineno - 1 : last] = [" " * node.col_offset + imports, *[""] * (last - node.lineno)]
    return "\n".join(lines).strip("\n"), _template_name(tree)


def _home_of(name: str) -> str:
    for home, names in HOMES.items():
        if name in names.split():
            return f"pytest_verdict.{home}".removesuffix(".")
    raise ValueError(f"pytest-verdict has no {name}")


def _template_name(tree: ast.Module) -> str:
    """Return the name of the class that is the template: Answer, or the only class that no other extends."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base) for node in classes for base in node.bases}
    candidates = [node.name for node in classes if node.bases and node.name not in bases]
    if any(node.name == "Answer" for node in classes):
        candidates = ["Answer"]
    if len(candidates) != 1:
        raise ValueError(f"one class that extends BaseAnswer is needed, got {', '.join(candidates) or 'none'}")
    return candidates[0]
