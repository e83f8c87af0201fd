"""What is compared of two documents: without the parts that JSONPaths name, and with the case of text folded."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.operator import OmitWhenDefault
from pytest_verdict.core.result import Outcome
from pytest_verdict.operators.json.document import Documents, JsonOperator, read_both
from pytest_verdict.operators.json.rules import IgnoredPaths, JsonRule, Marks, mark
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, must_be

JSONPATH_FAILED: Final = "jsonpath_failed"
_TAKES: Final = "a document of which something is left when the ignored parts are taken out"


class JsonPartsOperator(JsonOperator):
    """An operator on JSON documents of which parts may be ignored, and whose texts may be equal in any case."""

    ignore: OmitWhenDefault[IgnoredPaths] = ()
    case_sensitive: OmitWhenDefault[bool] = True

    def _read(self, expected: Any, observed: Any) -> Documents:
        found = read_both(expected, observed, self.normalize, (self.parse, self.parse))
        if found.refusal is not None or (self.case_sensitive and not self.ignore):
            return found
        marks = mark_both(found, expected, self.ignore, {})
        if isinstance(marks, Outcome):
            return found._replace(refusal=marks)
        left, right = (
            _left_of(document, of_document, fold=not self.case_sensitive)
            for document, of_document in zip((found.expected, found.observed), marks, strict=True)
        )
        refusal = nothing_left(found) if found.expected and left in ({}, []) else None
        return found._replace(expected=left, observed=right, refusal=refusal)

    def _steps(self) -> tuple[str, ...]:
        return () if self.case_sensitive else ("casefold",)


def mark_both(
    found: Documents, expected: Any, ignore: Sequence[str], rules: Mapping[str, JsonRule]
) -> tuple[Marks, Marks] | Outcome:
    """Find what JSONPaths match in both documents, or say why they cannot be applied."""
    marks: list[Marks] = []
    for document in (found.expected, found.observed):
        try:
            marks.append(mark(document, ignore, rules))
        except Exception as error:  # noqa: BLE001 - jsonpath-ng raises whatever a filter meets in the evidence
            unfit = None if marks else must_be("a document to which the JSONPaths can be applied", expected)
            details = {"reason": f"{type(error).__name__}: {error}"}
            return found.surfaces.outcome(0.0, [JSONPATH_FAILED], details, error=unfit)
    return marks[0], marks[1]


def nothing_left(found: Documents) -> Outcome:
    """Refuse an expected document all of which is ignored."""
    return found.surfaces.outcome(0.0, [EMPTY_EXPECTED], error=must_be(_TAKES, found.expected))


def _left_of(document: Any, marks: Marks, *, fold: bool) -> Any:
    holder = id(document)
    if isinstance(document, dict):
        kept = ((key, item) for key, item in document.items() if (holder, key) not in marks.ignored)
        return {key: _left_of(item, marks, fold=fold) for key, item in kept}
    if isinstance(document, list):
        items = (item for index, item in enumerate(document) if (holder, index) not in marks.ignored)
        return [_left_of(item, marks, fold=fold) for item in items]
    return document.casefold() if fold and isinstance(document, str) else document
