"""`TemplateResult`: what came of verifying one answer."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from pytest_verdict.comparison import describe_failure
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.writing import Verdict
from pytest_verdict.templates import observed_keys as keys
from pytest_verdict.templates.template_match import EMBEDDING_OVERRIDE


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """What came of verifying one answer; true when it passed, false when it failed. `bool` of an error raises `ErrorVerdict`.

    Args:
        comparison: The record: an aggregate of the operator ``answer_template`` with a child for each field.

    Example:
        >>> from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField
        >>> class Capital(BaseAnswer):
        ...     city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())
        >>> result = AnswerTemplate(Capital).verify({"city": "Lyon"})
        >>> result.passed, result.verdict
        (False, 'fail')
    """

    comparison: ComparisonResult

    @property
    def template(self) -> str:
        """The name of the template."""
        return str(self.comparison.settings["template"])

    @property
    def verdict(self) -> Verdict:
        """``pass``, ``fail``, or ``error`` when the answer could not be read or ``verify()`` raised."""
        return self.comparison.verdict

    @property
    def passed(self) -> bool:
        """Whether the answer is correct, after the embedding check where there was one."""
        return self.comparison.passed

    @property
    def granular(self) -> float | None:
        """How much is correct, from 0.0 to 1.0; None when it is not known. An embedding check does not change it."""
        found: float | None = self.comparison.details.get("granular_score")
        return found

    @property
    def fields(self) -> dict[str, ComparisonResult]:
        """The comparison of each verified field, by name."""
        return {str(child.name): child for child in self.comparison.children[: self._count()]}

    @property
    def null_fields(self) -> list[str]:
        """The fields that the judge did not answer."""
        return list(self.comparison.details.get("null_fields", []))

    @property
    def regex(self) -> dict[str, bool]:
        """Whether each regex check passed, by name."""
        others = self.comparison.children[self._count() :]
        return {str(check.name): check.passed for check in others if check.operator == "regex_check"}

    @property
    def notes(self) -> list[str]:
        """Codes such as ``null_observed``, ``unknown_keys`` and ``embedding_override``."""
        return self.comparison.notes

    @property
    def error(self) -> str | None:
        """Why there is no verdict, or None."""
        return self.comparison.error

    @property
    def problems(self) -> dict[str, str]:
        """Why fields could not be read, by field; under the empty name why the whole reply could not."""
        return {} if self.error is None else keys.problems_in(self.comparison.observed)

    @property
    def unknown(self) -> dict[str, Any]:
        """What the reply held besides the fields to extract."""
        return dict(self.comparison.observed.get(keys.UNKNOWN, {}))

    @property
    def embedding_override(self) -> bool:
        """Whether the embedding check turned a fail into a pass; ``comparison.details["embedding_check"]`` has the scores."""
        return EMBEDDING_OVERRIDE in self.notes

    def describe(self) -> str:
        """Lay the fields out as a table.

        Returns:
            The block that the failure prints: what failed first, a line for each field and check with the reason, the strategy,
            and the keys that belong to no field, in plain text in which nothing can move the cursor.
        """
        return describe_failure(self.comparison)

    def _count(self) -> int:
        # Children begin with the fields; a regex check may be called like one of them.
        return len(self.comparison.settings["fields"])

    def __bool__(self) -> bool:
        # An answer that could not be read is neither right nor wrong, so this raises, and no negation passes on it.
        return bool(self.comparison)

    def __repr__(self) -> str:
        # Not loaded while all answers pass.
        from pytest_verdict.explanation import headline
        from pytest_verdict.explanation.lines import plain

        # Of a copy, because printing is no look.
        return f"<{plain(headline(copy.copy(self.comparison)))}>"
