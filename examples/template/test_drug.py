"""A free-text answer, verified by fields. The judge's reply is in the folder replies.

If RECORD is set, a model is asked for missing replies. Otherwise, a missing reply is
an error.
"""

import os
from pathlib import Path

import pytest

from pytest_verdict.judging import ModelJudge, RecordedJudge
from pytest_verdict.templates import (
    BaseAnswer,
    ExactMatch,
    NumericExact,
    TraceRegex,
    VerifiedField,
)

RESPONSE = "Venetoclax blocks the protein Bcl-2 and was approved in 2015 [1]."


class Drug(BaseAnswer):
    target: str = VerifiedField(
        "The protein that the drug binds, as a gene symbol without hyphens",
        ground_truth="BCL2",
        verify_with=ExactMatch(normalize=["lowercase", "strip"]),
    )
    year: int = VerifiedField(
        "The year in which the drug was first approved",
        ground_truth=2016,
        verify_with=NumericExact(),
    )
    cites: bool = VerifiedField(
        "The response names a source",
        ground_truth=True,
        verify_with=TraceRegex(pattern=r"\[\d+\]"),
    )


@pytest.fixture
def verdict_judge():
    replies = Path(__file__).with_name("replies")
    if "RECORD" in os.environ:
        return RecordedJudge(replies, ModelJudge("openai:gpt-4o-mini"), mode="record")
    return RecordedJudge(replies)


def test_what_venetoclax_is(answer_template):
    drug = answer_template(Drug)
    drug.assert_verified(drug.parse(RESPONSE))
