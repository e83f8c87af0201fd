"""Why a comparison came out as it did; nothing here is loaded while all comparisons pass."""

from pytest_verdict.explanation.drawing import explain, failure_block, headline

__all__ = ["explain", "failure_block", "headline"]
