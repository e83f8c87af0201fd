"""Advice on failure: under which operator, normalizer or tolerance a failed comparison would have passed."""

from __future__ import annotations

from pytest_verdict.result import ComparisonResult


def advise(result: ComparisonResult) -> list[str]:
    del result
    return []
