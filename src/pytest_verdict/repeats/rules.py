"""Rules over repeated attempts: when they are decided, and the comparison that decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_verdict.comparison import compare
from pytest_verdict.core.kernel import run
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.operators.pass_rate import INCONCLUSIVE, PassRate, passes_needed

DECISION: Final = "repeats"
"""The name of the comparison that decides over repeats."""

_MOST: Final = 10_000
_OPTIONS: Final = ("at_least", "rate", "against")
_ESTIMATES: Final = (1, 2, 3, 5, 10)
_VERDICTS: Final = ("pass", "fail", "error")


@dataclass(frozen=True, slots=True)
class Rule:
    """How many of the attempts must pass, and the operator that decides over their verdicts."""

    most: int
    share: float
    operator: PassRate
    needs: str

    def is_decided(self, verdicts: Sequence[Verdict]) -> bool:
        """Return whether no further attempt is allowed, or none can change the verdict."""
        remaining = self.most - len(verdicts)
        if remaining == 0 or not self._is_inconclusive(verdicts):
            return True
        # Wald's test may be out of reach of both its bounds.
        passes: list[Verdict] = ["pass"] * remaining
        failures: list[Verdict] = ["fail"] * remaining
        ends = ([*verdicts, *passes], [*verdicts, *failures])
        return self.operator.against is not None and all(map(self._is_inconclusive, ends))

    def _is_inconclusive(self, verdicts: Sequence[Verdict]) -> bool:
        return INCONCLUSIVE in run(self.operator, self.share, count_verdicts(verdicts)).notes

    def decide(self, verdicts: Sequence[Verdict]) -> ComparisonResult:
        """Compare the counts of verdicts with the needed share, and record it."""
        return compare(self.operator, self.share, count_verdicts(verdicts), name=DECISION)


def count_verdicts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    return {verdict: verdicts.count(verdict) for verdict in _VERDICTS}


def at_least(passes: int, most: int) -> Rule:
    """Return the rule that a number of the attempts must pass; it ends as soon as that is decided."""
    return Rule(most, passes / most, PassRate(planned=most), f"{passes} of {most}")


def sequential(most: int, rate: float, against: float) -> Rule:
    """Return the rule that tells a rate from a lower one by Wald's test."""
    return Rule(most, rate, PassRate(against=against), f"a rate of {rate:g}, not {against:g}")


def fixed(number: int, share: float, confidence: float | None = None) -> Rule:
    """Return the rule of a number of repeats that all run; with a confidence, the whole interval must reach the share."""
    estimates = tuple(sorted({k for k in _ESTIMATES if k <= number} | {number}))
    operator = PassRate(errors="undecided", attempts=estimates)
    if confidence is not None:
        operator = PassRate(errors="undecided", attempts=estimates, confident=True, confidence=confidence)
    return Rule(number, share, operator, f"{share:g} of {number}")


def format_counts(verdicts: Sequence[Verdict], errors: str = "could not be compared") -> str:
    """Format how many of the attempts passed, and how many are errors."""
    text = f"{verdicts.count('pass')} of {len(verdicts)} passed"
    if "error" in verdicts:
        text += f", {verdicts.count('error')} {errors}"
    return text


def read_rule(arguments: Sequence[Any], options: Mapping[str, Any]) -> Rule:
    """Read the arguments of the marker ``verdict_repeat``.

    Raises:
        ConfigurationError: An argument is missing, unknown or not allowed, or the rule could never pass.
    """
    if len(arguments) != 1:
        raise ConfigurationError(f"one number of attempts is needed, such as verdict_repeat(5), got {len(arguments)}")
    most = _read_number("the number of attempts", arguments[0], _MOST)
    for option in options:
        if option not in _OPTIONS:
            raise ConfigurationError(f"unknown argument {option!r}.{allowed('argument', option, _OPTIONS)}")
    if "at_least" in options and len(options) > 1:
        raise ConfigurationError("at_least cannot be combined with rate and against; use one of the two rules")
    if len(options) < 2:
        if options and "at_least" not in options:
            raise ConfigurationError(f"{next(iter(options))} alone is no rule: rate and against belong together")
        return at_least(_read_number("at_least", options.get("at_least", most), most), most)

    rate = _read_share("rate", options["rate"])
    against = _read_share("against", options["against"])
    if against >= rate:
        raise ConfigurationError(f"against must be lower than rate, got rate={rate:g}, against={against:g}")
    rule = sequential(most, rate, against)
    fewest = passes_needed(rate, against, rule.operator.confidence)
    if fewest > most:
        raise ConfigurationError(
            f"{most} attempts can never show a rate of {rate:g} rather than {against:g}; at least {fewest} are needed"
        )
    return rule


def _read_number(name: str, value: Any, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise ConfigurationError(f"{name} must be a whole number from 1 to {most}, got {shown(value, 80)}")
    return value


def _read_share(name: str, value: Any) -> float:
    if type(value) is not float or not 0.0 < value < 1.0:
        raise ConfigurationError(f"{name} must be above 0 and below 1, got {shown(value, 80)}")
    return value
