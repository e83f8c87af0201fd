"""The operator on counts of verdicts: whether enough of them passed, and what follows for the true rate.

Exact intervals, pass^k and pass@k are rounded to six decimals, the exact interval outwards, so that every machine computes
the same.
"""

import functools
import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from pytest_verdict.core.operator import Needs, OmitWhenDefault, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.operators.normalized_sides import unusable
from pytest_verdict.operators.number import NOT_A_NUMBER

NOT_COUNTS: Final = "not_counts"
NOT_A_RATE: Final = "not_a_rate"
INCONCLUSIVE: Final = "inconclusive"

_DIGITS: Final = 1_000_000
_HALVINGS: Final = 60
_VERDICTS: Final = ("pass", "fail", "error")


class PassRate(PassFailOperator):
    """At least the expected share of verdicts passed.

    Expected is the lowest share, in (0, 1]; observed is ``{"pass": 3, "fail": 1, "error": 0}``. It decides repeats of a
    scenario and the gate of a dataset. A verdict that cannot be decided is an ``error`` with the note ``inconclusive``.

    Args:
        errors: ``fail`` counts an error as a failure. With ``undecided`` an error may be a pass or a failure, and the
            verdict is inconclusive if that matters.
        confident: True passes only if the whole confidence interval reaches the share, and fails only if all of it is below.
        confidence: The confidence of the interval, in (0, 1).
        attempts: The numbers k for which pass^k and pass@k are estimated.
        selected: Which verdicts were counted, if not all; it is only recorded.
        planned: The number of verdicts if none is left out; with fewer, the verdict is inconclusive if the others might
            change it. The interval then holds after every verdict (uniform mixture; Robbins, Ann. Math. Stat. 41, 1970).
        against: A lower rate. The sequential test of Wald (Ann. Math. Stat. 16, 1945) decides between it and the expected
            one, with errors of about 1 - ``confidence``; between its bounds the verdict is inconclusive.

    Example:
        >>> compare("pass_rate", 0.75, {"pass": 3, "fail": 1, "error": 0}).score
        1.0
        >>> compare("pass_rate", 0.9, {"pass": 5, "fail": 0, "error": 0}, confident=True).notes
        ['inconclusive']
    """

    name: ClassVar[str] = "pass_rate"
    kind: ClassVar[str] = "aggregate"
    needs: ClassVar[Mapping[str, Needs]] = {
        "against": Needs(
            lambda operator: operator.confidence > 0.5,
            "with a confidence of 0.5 or less the sequential test decides before it has seen anything; use more",
        ),
        "confident": Needs(lambda operator: operator.against is None, "the sequential test decides, not an interval"),
    }

    errors: Literal["fail", "undecided"] = "fail"
    confident: bool = False
    confidence: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.95
    attempts: tuple[Annotated[int, Field(ge=1)], ...] = ()
    selected: OmitWhenDefault[str] = ""
    planned: OmitWhenDefault[Annotated[int, Field(ge=0)]] = 0
    against: OmitWhenDefault[Annotated[float, Field(gt=0.0, lt=1.0)] | None] = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if isinstance(expected, bool) or not isinstance(expected, int | float) or not 0.0 < expected <= 1.0:
            return unusable(NOT_A_RATE, "a share, above 0 and up to 1", expected)
        if not isinstance(observed, Mapping) or set(observed) != set(_VERDICTS):
            return Outcome(0.0, notes=(NOT_COUNTS,))
        counts = [observed[verdict] for verdict in _VERDICTS]
        if not all(type(count) is int and count >= 0 for count in counts):
            return Outcome(0.0, notes=(NOT_COUNTS,))
        total = sum(counts)
        if total == 0:
            return Outcome(0.0, notes=(INCONCLUSIVE,), error="nothing was compared, so there is nothing to decide")

        rate = float(expected)
        if self.against is not None and not self.against < rate < 1.0:
            return unusable(NOT_A_RATE, f"a share above {self.against:g} and below 1", expected)
        passed, _, errors = counts
        most = passed + errors if self.errors == "undecided" else passed
        if self.planned and total > self.planned:
            return Outcome(0.0, notes=(NOT_COUNTS,))
        may_end_early = self.planned or self.against is not None
        interval = (sequence_interval if may_end_early else exact_interval)(passed, total, self.confidence)
        number = self.planned or total
        lowest = passed / number
        highest = (most + number - total) / number
        if self.confident:
            lowest = interval[0]
            highest = exact_interval(most, total, self.confidence)[1]
        details: dict[str, Any] = {
            "rate": round(passed / total, 6),
            "interval": list(interval),
            "confidence": self.confidence,
        }
        estimates = [_estimate(passed, total, k, interval) for k in self.attempts if k <= total]
        if estimates:
            details["attempts"] = estimates
        if self.against is not None:
            evidence = rate_evidence(passed, total, rate, self.against)
            bound = evidence_bound(self.confidence)
            details["evidence"] = round(evidence, 6)
            details["bounds"] = [round(-bound, 6), round(bound, 6)]
            # One of the comparisons below decides, unless the evidence is between the bounds.
            lowest = rate if evidence >= bound else 0.0
            highest = 0.0 if rate_evidence(most, total, rate, self.against) <= -bound else rate
        if lowest >= rate:
            return Outcome(1.0, details=details)
        if highest < rate:
            return Outcome(0.0, details=details)
        error = self._explain_inconclusive(rate, passed, total, interval)
        return Outcome(0.0, notes=(INCONCLUSIVE,), details=details, error=error)

    def _explain_inconclusive(self, rate: float, passed: int, total: int, interval: tuple[float, float]) -> str:
        share = f"inconclusive: {passed} of {total} passed"
        if self.against is not None:
            return f"{share}, which does not tell a rate of {rate:g} from {self.against:g} (confidence {self.confidence:g})"
        if total < self.planned:
            return f"{share}, and {self.planned - total} more may decide whether a share of {rate:g} is reached"
        if not self.confident:
            return f"{share}, and the errors may decide whether a share of {rate:g} is reached"
        enough = ""
        if rate < 1:
            enough = f"; {repeats_without_failure(rate, self.confidence)} passes without a failure would do"
        return (
            f"{share}, so the true rate lies between {interval[0]:g} and {interval[1]:g}"
            f" (confidence {self.confidence:g}), and that does not tell whether it reaches {rate:g}{enough}"
        )


class RowCount(PassFailOperator):
    """A data set has as many rows as expected.

    Args:
        at_least: Whether more rows are accepted.

    Example:
        >>> compare("row_count", 100, 99).score
        0.0
        >>> compare("row_count", 100, 120, at_least=True).score
        1.0
    """

    name: ClassVar[str] = "row_count"
    kind: ClassVar[str] = "aggregate"

    at_least: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if type(expected) is not int or expected < 1:
            return unusable(NOT_A_NUMBER, "a whole number from 1", expected)
        if type(observed) is not int or observed < 0:
            return Outcome(0.0, notes=(NOT_A_NUMBER,))
        return Outcome(float(observed == expected or (self.at_least and observed > expected)))


def _estimate(passed: int, total: int, k: int, interval: tuple[float, float]) -> dict[str, Any]:
    low, high = interval
    return {
        "k": k,
        "pass^k": all_of_next(passed, total, k),
        "pass^k_interval": [round(low**k, 6), round(high**k, 6)],
        "pass@k": any_of_next(passed, total, k),
        "pass@k_interval": [round(1 - (1 - low) ** k, 6), round(1 - (1 - high) ** k, 6)],
    }


# Many groups have the same few counts, and an exact interval is slow to compute.
@functools.lru_cache(maxsize=10_000)
def exact_interval(passed: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact confidence interval of a rate (Clopper and Pearson, Biometrika 26, 1934)."""
    tail = (1.0 - confidence) / 2.0
    return _round_outwards(_lowest_rate(passed, total, tail), 1.0 - _lowest_rate(total - passed, total, tail))


def _lowest_rate(passed: int, total: int, tail: float) -> float:
    """Return the rate at which so many passes or more have a probability."""
    high = passed / total
    # Ten standard deviations away it has nearly none.
    low = max(0.0, high - 10.0 * math.sqrt(high * (1.0 - high) / total) - 50.0 / total)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if middle and _probability_of_at_least(passed, total, middle) < tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _probability_of_at_least(passed: int, total: int, rate: float) -> float:
    """Return the probability of so many passes or more, for a rate below their share."""
    failed = total - passed
    combinations = math.lgamma(total + 1) - math.lgamma(passed + 1) - math.lgamma(failed + 1)
    term = math.exp(combinations + passed * math.log(rate) + failed * math.log1p(-rate))
    probability = term
    for count in range(passed, total):
        term *= (total - count) / (count + 1) * rate / (1.0 - rate)
        probability += term
        if term < probability * 1e-15:
            break
    return probability


def _round_outwards(low: float, high: float) -> tuple[float, float]:
    return math.floor(low * _DIGITS) / _DIGITS, math.ceil(high * _DIGITS) / _DIGITS


def sequence_interval(passed: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of a confidence sequence, which holds after every attempt at once (Robbins 1970)."""
    failed = total - passed
    combinations = math.lgamma(total + 2) - math.lgamma(passed + 1) - math.lgamma(failed + 1)
    level = math.log(1.0 - confidence) - combinations
    ends = []
    for end in (0.0, 1.0):
        outside = end
        inside = passed / total
        # The rate 0 is possible if nothing passed, and 1 if all did.
        for _ in range(_HALVINGS if inside != outside else 0):
            middle = (outside + inside) / 2.0
            if passed * math.log(middle) + failed * math.log1p(-middle) <= level:
                outside = middle
            else:
                inside = middle
        ends.append(outside)
    return _round_outwards(*ends)


def rate_evidence(passed: int, total: int, rate: float, against: float) -> float:
    """Return the logarithm of the likelihood ratio of two rates, the same on every machine."""
    evidence = passed * (math.log(rate) - math.log(against)) + (total - passed) * math.log(
        (1.0 - rate) / (1.0 - against)
    )
    return round(evidence, 9)


def evidence_bound(confidence: float) -> float:
    """Return the evidence at which Wald's test decides."""
    return round(math.log(confidence / (1.0 - confidence)), 9)


def passes_needed(rate: float, against: float, confidence: float) -> int:
    """Return the number of passes without a failure after which Wald's test decides for the rate."""
    return math.ceil(evidence_bound(confidence) / (math.log(rate) - math.log(against)) - 1e-9)


def all_of_next(passed: int, total: int, k: int) -> float:
    """Estimate pass^k: that k attempts all pass (Yao et al., tau-bench, 2024)."""
    return round(math.comb(passed, k) / math.comb(total, k), 6)


def any_of_next(passed: int, total: int, k: int) -> float:
    """Estimate pass@k: that at least one of k attempts passes (Chen et al., arXiv 2107.03374, 2021)."""
    return round(1 - math.comb(total - passed, k) / math.comb(total, k), 6)


def repeats_without_failure(rate: float, confidence: float) -> int:
    """Return the number of passes without a failure that show, with this confidence, that the rate is reached."""
    return math.ceil(math.log((1.0 - confidence) / 2.0) / math.log(rate))
