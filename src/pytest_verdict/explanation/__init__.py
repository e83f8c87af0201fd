"""Explanations of comparisons for people; not imported while all comparisons pass."""

from pytest_verdict.explanation.drawing import explain, failure_block, headline

__all__ = ["explain", "failure_block", "headline"]
