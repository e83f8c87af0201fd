"""Refusals: nothing passes, the score is zero, and the record says why."""

import json

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY


def refused(operator, expected, observed, note, *, verdict="error", **settings):
    """Assert that a comparison is refused with a note, and that its record replays identically.

    An expected value that cannot be used is an ``error``; observed evidence that cannot be read is a ``fail``.
    """
    result = compare(operator, expected, observed, **settings)
    assert (result.verdict, result.passed, result.score) == (verdict, False, 0.0)
    assert note in result.notes
    assert (result.outcome.error is not None) == (verdict == "error")
    text = result.to_text()
    read = ComparisonResult.from_record(json.loads(text))
    assert read.to_text() == text
    made_by = _operator_of(operator, settings)
    again = run(made_by, read.expected, read.observed, threshold=read.threshold, recorded=read.details)
    assert again.to_text() == text
    return result


def _operator_of(operator, settings):
    return REGISTRY.build(operator, settings) if isinstance(operator, str) else operator
