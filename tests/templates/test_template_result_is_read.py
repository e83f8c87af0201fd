"""Every way to look at what came of an answer counts as a look, and no step of ours does."""

from __future__ import annotations

import pytest

HEAD = """
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField

class Capital(BaseAnswer):
    city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())

    def ground_truth(self):
        self.regex = {"cited": {"pattern": "x", "expected": "x"}}

"""
LOOKS = [
    "assert not result",
    "assert not result.passed",
    "assert result.verdict == 'fail'",
    "assert result.granular == 0.0",
    "assert not result.fields['city']",
    "assert result.regex == {'cited': False}",
    "assert result.null_fields == []",
    "assert not result.comparison",
]
NO_LOOKS = [
    "assert result.notes == []",
    "pass",
    "assert result.problems == {}",
    "assert '2 of 2 failed' in result.describe()",
    "assert result.error is None",
    "assert result.verdict",
    "assert result.verdict != 'error'",
    "print(result, [result])",
    "kept = [result]; assert kept",
]


def module(statements):
    verify = "result = answer_template(Capital).verify({'city': 'Rome'}, trace='')"
    return HEAD + "\n".join(
        f"def test_{number}(answer_template):\n    {verify}\n    {statement}\n"
        for number, statement in enumerate(statements)
    )


@pytest.mark.parametrize(
    ("statements", "outcome"), [(LOOKS, {"passed": len(LOOKS)}), (NO_LOOKS, {"failed": len(NO_LOOKS)})]
)
def test_reading_a_result_counts_as_inspecting_it(pytester, statements, outcome):
    pytester.makepyfile(test_it=module(statements))
    pytester.runpytest("-q", "-p", "no:asyncio").assert_outcomes(**outcome)
