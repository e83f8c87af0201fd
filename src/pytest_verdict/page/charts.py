"""Charts as SVG: the distributions of scores and margins."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pytest_verdict.report.summary import VERDICTS, counts_text

_BINS: Final = 20
_WIDTH: Final = 320
_HEIGHT: Final = 88
_FOOT: Final = 14

Scores = Mapping[tuple[float, float, int], int]
"""The number of comparisons by score, threshold and number of the verdict."""


def charts_of(scores: Scores) -> dict[str, str]:
    """Draw the scores and the margins to their thresholds; no charts without scores."""
    if not scores:
        return {}
    return {
        "scores": _histogram("Scores", scores, lambda score, _: score, (0.0, 1.0)),
        "margins": _histogram(
            "Margins: score less threshold", scores, lambda score, needed: score - needed, (-1.0, 1.0)
        ),
    }


def _histogram(title: str, scores: Scores, value: Callable[[float, float], float], ends: tuple[float, float]) -> str:
    low, high = ends
    bins = [[0, 0, 0] for _ in range(_BINS)]
    for (score, threshold, verdict), number in scores.items():
        share = (value(score, threshold) - low) / (high - low)
        # A small tolerance, because 0.7 - 0.5 is slightly below the lower edge of its bin.
        bins[min(max(int(share * _BINS + 1e-6), 0), _BINS - 1)][verdict] += number
    most = max(map(sum, bins))
    drawn = "".join(_bars(bins, most, low, (high - low) / _BINS))
    labels = zip((low, (low + high) / 2, high), ("start", "middle", "end"), (0, _WIDTH // 2, _WIDTH), strict=True)
    axis = "".join(f'<text x="{x}" y="{_HEIGHT}" text-anchor="{anchor}">{at:g}</text>' for at, anchor, x in labels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="{title}; the highest bar is {most}">'
        f'{drawn}<path d="M0 {_HEIGHT - _FOOT + 0.5}H{_WIDTH}"/>{axis}</svg>'
    )


def _bars(bins: list[list[int]], most: int, low: float, width: float) -> Iterator[str]:
    step = _WIDTH / _BINS
    for at, (passed, failed, broken) in enumerate(bins):
        total = passed + failed + broken
        if not total:
            continue
        # Logarithmic, so one failure stays visible beside a hundred thousand passes.
        height = (_HEIGHT - _FOOT - 4) * math.log1p(total) / math.log1p(most)
        label = f"{low + at * width:.2f} to {low + (at + 1) * width:.2f}: {counts_text((passed, failed, broken))}"
        yield f"<g><title>{label}</title>"
        top = float(_HEIGHT - _FOOT)
        for verdict, number in zip(VERDICTS, (passed, failed, broken), strict=True):
            part = max(height * number / total, 1.5) if number else 0.0
            top -= part
            if number:
                yield (
                    f'<rect class="{verdict}" x="{at * step + 1:.1f}" y="{top:.1f}"'
                    f' width="{step - 2:.1f}" height="{part:.1f}"/>'
                )
        yield "</g>"
