"""Rules over attempts: early ends change no verdict, Wald's bounds, and intervals that hold after every attempt."""

from __future__ import annotations

import functools
import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.operators.pass_rate import passes_needed, rate_evidence, sequence_interval
from pytest_verdict.repeats.rules import at_least, fixed, read_rule, sequential
from pytest_verdict.repeats.stability import (
    Answer,
    Attempt,
    describe,
    find_alarm,
    have_different_answers,
    name_stability,
)

VERDICTS = st.sampled_from(["pass", "fail", "error"])


def end_of(rule, verdicts):
    """Return the attempts that a rule runs."""
    return next(verdicts[:number] for number in range(1, len(verdicts) + 1) if rule.is_decided(verdicts[:number]))


@given(st.lists(VERDICTS, min_size=1, max_size=12), st.data())
def test_an_early_end_has_the_verdict_of_all_attempts(verdicts, data):
    needed = data.draw(st.integers(1, len(verdicts)))
    rule = at_least(needed, len(verdicts))
    attempts = end_of(rule, verdicts)
    decision = rule.decide(attempts)
    assert decision.verdict == rule.decide(verdicts).verdict == ("pass" if verdicts.count("pass") >= needed else "fail")
    # The last attempt agrees with the decision, so its reports can stand for the whole test.
    assert (attempts[-1] == "pass") == decision.passed
    assert not any(rule.is_decided(attempts[:number]) for number in range(1, len(attempts)))
    assert decision.details["interval"] == list(sequence_interval(attempts.count("pass"), len(attempts)))


@given(st.lists(VERDICTS, min_size=1, max_size=12), st.integers(1, 12))
def test_attempts_that_did_not_run_never_pass(verdicts, more):
    rule = at_least(len(verdicts) + more, len(verdicts) + more)
    verdict = rule.decide(verdicts).verdict
    assert verdict == ("error" if set(verdicts) == {"pass"} else "fail")


@pytest.mark.ci
@given(
    st.lists(st.sampled_from(["pass", "fail"]), min_size=40, max_size=40),
    st.sampled_from([(0.9, 0.5), (0.95, 0.8), (0.8, 0.3), (0.99, 0.9)]),
)
def test_walds_test_decides_at_its_bounds(verdicts, rates):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed; CI has the dependency group oracles")
    rule = sequential(40, *rates)
    attempts = end_of(rule, verdicts)
    log_ratio = sum(
        stats.bernoulli.logpmf(verdict == "pass", rates[0]) - stats.bernoulli.logpmf(verdict == "pass", rates[1])
        for verdict in attempts
    )
    bound = math.log(0.95 / 0.05)
    expected = "pass" if log_ratio >= bound else "fail" if log_ratio <= -bound else "error"
    assert rule.decide(attempts).verdict == expected
    if expected == "error" and len(attempts) < 40:
        # No continuation could decide.
        for rest in ("pass", "fail"):
            assert rule.decide([*attempts, *[rest] * (40 - len(attempts))]).verdict == "error"


@pytest.mark.parametrize(
    ("rate", "against", "expected"), [(0.95, 0.8, 18), (0.9, 0.5, 6), (0.99, 0.9, 31), (0.5, 0.05, 2), (0.9, 0.3, 3)]
)
def test_passes_needed_is_where_walds_test_passes(rate, against, expected):
    rule = sequential(100, rate, against)
    assert passes_needed(rate, against, 0.95) == expected == len(end_of(rule, ["pass"] * 100))


def test_errors_of_walds_test_are_bounded():
    rule = sequential(400, 0.95, 0.8)
    for rate, wrong in ((0.95, "fail"), (0.8, "pass")):
        errors = 0.0
        running = {0: 1.0}
        for total in range(1, 200):
            following: dict[int, float] = {}
            for passed, probability in running.items():
                following[passed + 1] = following.get(passed + 1, 0.0) + probability * rate
                following[passed] = following.get(passed, 0.0) + probability * (1 - rate)
            running = {}
            for passed, probability in following.items():
                if abs(rate_evidence(passed, total, 0.95, 0.8)) < math.log(19):
                    running[passed] = probability
                elif rule.decide(["pass"] * passed + ["fail"] * (total - passed)).verdict == wrong:
                    errors += probability
        assert 0.01 < errors <= 0.05 / 0.95
        assert sum(running.values()) < 0.01


def test_the_sequence_covers_at_every_attempt_at_once():
    source = random.Random(20_261_123)
    interval = functools.cache(sequence_interval)
    for rate in (0.3, 0.8, 0.95):
        missed = 0
        for _ in range(200):
            passed = 0
            for total in range(1, 61):
                passed += source.random() < rate
                low, high = interval(passed, total)
                if not low <= rate <= high:
                    missed += 1
                    break
        assert missed <= 0.05 * 200


@pytest.mark.ci
@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_ends_of_the_sequence_are_where_its_ratio_is(passed, failed, confidence):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed; CI has the dependency group oracles")
    total = passed + failed
    if not total:
        return
    low, high = sequence_interval(passed, total, confidence)
    assert 0.0 <= low <= passed / total <= high <= 1.0
    for end, is_open in ((low, passed > 0), (high, failed > 0)):
        if is_open:
            ratio = 1 / ((total + 1) * stats.binom.pmf(passed, total, end))
            assert ratio == pytest.approx(1 / (1 - confidence), rel=0.01) or end in {low, high}
            step = 2e-6 if end == low else -2e-6
            assert 1 / ((total + 1) * stats.binom.pmf(passed, total, end + step)) < 1 / (1 - confidence) * 1.001
    exact = stats.binomtest(passed, total).proportion_ci(confidence)
    assert low <= exact.low + 1e-6 or total < 3
    assert high >= exact.high - 1e-6 or total < 3


@pytest.mark.parametrize("rule", [at_least(8, 10), at_least(5, 5), sequential(60, 0.95, 0.8), fixed(5, 0.6)])
@pytest.mark.parametrize("verdicts", [["pass"] * 5, ["fail", "fail", "fail"], ["pass", "error"], ["pass", "fail"]])
def test_the_decision_replays(rule, verdicts):
    from pytest_verdict.core.result import ComparisonResult

    decision = rule.decide(verdicts)
    again = ComparisonResult.from_record(decision.to_record())
    assert again == decision
    assert decision.name == "repeats"


GOOD = [
    ((1,), {}),
    ((10_000,), {}),
    ((10,), {"at_least": 1}),
    ((10,), {"at_least": 10}),
    ((18,), {"rate": 0.95, "against": 0.8}),
    ((1,), {"rate": 0.95, "against": 0.05}),
    # Hard tasks have low rates.
    ((60,), {"rate": 0.5, "against": 0.2}),
    ((60,), {"rate": 0.3, "against": 0.05}),
    ((60,), {"rate": 0.9, "against": 5e-324}),
]
BAD = [
    ((10_000,), {"rate": 0.95, "against": 0.9499}, "10000 attempts can never show a rate of 0.95 rather than 0.9499"),
    ((), {}, "one number of attempts is needed, such as verdict_repeat(5), got 0"),
    ((1, 2), {}, "got 2"),
    ((0,), {}, "the number of attempts must be a whole number from 1 to 10000, got 0"),
    ((-1,), {}, "got -1"),
    ((10_001,), {}, "got 10001"),
    ((2.0,), {}, "got 2.0"),
    (("5",), {}, "got '5'"),
    ((True,), {}, "got True"),
    ((None,), {}, "got None"),
    ((5,), {"at_lest": 3}, "unknown argument 'at_lest'. Did you mean 'at_least'?"),
    ((5,), {"attempts": 3}, "unknown argument 'attempts'"),
    ((5,), {"at_least": 0}, "at_least must be a whole number from 1 to 5, got 0"),
    ((5,), {"at_least": 6}, "got 6"),
    ((5,), {"at_least": 0.8}, "got 0.8"),
    ((5,), {"at_least": True}, "got True"),
    ((5,), {"at_least": None}, "got None"),
    ((60,), {"rate": 0.95}, "rate alone is no rule: rate and against belong together"),
    ((60,), {"against": 0.8}, "against alone is no rule"),
    ((60,), {"rate": 0.95, "at_least": 5}, "at_least cannot be combined"),
    ((60,), {"rate": 0.95, "against": 0.8, "at_least": 5}, "at_least cannot be combined"),
    ((60,), {"rate": 0.8, "against": 0.95}, "against must be lower than rate, got rate=0.8, against=0.95"),
    ((60,), {"rate": 0.8, "against": 0.8}, "against must be lower than rate"),
    ((60,), {"rate": 1.0, "against": 0.8}, "rate must be above 0 and below 1, got 1.0"),
    ((60,), {"rate": 1, "against": 0.8}, "got 1"),
    ((60,), {"rate": 0.95, "against": 0.0}, "against must be above 0 and below 1, got 0.0"),
    ((60,), {"rate": 0.95, "against": -0.1}, "got -0.1"),
    ((60,), {"rate": float("nan"), "against": 0.1}, "got nan"),
    ((60,), {"rate": "95%", "against": 0.1}, "got '95%'"),
    *(
        ((60,), {"rate": 0.95, "against": share}, f"against must be above 0 and below 1, got {share!r}")
        for share in (
            1.0,
            0,
            1,
            float("nan"),
            float("inf"),
            float("-inf"),
            True,
            None,
            "0.8",
            5e-324 * 0,
            Fraction(1, 2),
        )
    ),
    *(
        ((60,), {"rate": share, "against": 0.1}, f"rate must be above 0 and below 1, got {share!r}")
        for share in (0.0, 0, -0.5, 1.5, 95, True, None, Decimal("0.95"), float("inf"), float("-inf"))
    ),
    *(
        ((5,), {"at_least": number}, f"at_least must be a whole number from 1 to 5, got {number!r}")
        for number in (-1, 5.0, "5", float("nan"), float("inf"), False, Decimal(3), [3])
    ),
    *(
        ((number,), {}, f"the number of attempts must be a whole number from 1 to 10000, got {number!r}")
        for number in (float("nan"), float("inf"), 10**30, [5], Decimal(5), False)
    ),
    ((60,), {"rate": 0.5000000000000001, "against": 0.5}, "can never show a rate"),
    ((60,), {"rate": float("nan"), "against": float("nan")}, "rate must be above 0"),
    ((60,), {"rate": 0.95, "against": 0.8, "confidence": 0.5}, "unknown argument 'confidence'"),
    ((5,), {"at_least": 3, "against": 0.5}, "at_least cannot be combined"),
    (
        (17,),
        {"rate": 0.95, "against": 0.8},
        "17 attempts can never show a rate of 0.95 rather than 0.8; at least 18 are",
    ),
]


@pytest.mark.parametrize(("arguments", "options"), GOOD)
def test_good_arguments(arguments, options):
    assert read_rule(arguments, options).most == arguments[0]


@pytest.mark.parametrize(("arguments", "options", "words"), BAD)
def test_bad_arguments(arguments, options, words):
    with pytest.raises(ConfigurationError) as error:
        read_rule(arguments, options)
    assert words in str(error.value)


def attempt(verdict, *answers, reason="", label="exact"):
    pairs = [answer if isinstance(answer, tuple) else (answer, verdict) for answer in answers]
    return Attempt(verdict, reason, [Answer(label, observed, inner) for observed, inner in pairs])


UNKNOWN = Attempt("fail", "", None)
STABILITY = {
    "one": ([attempt("fail", "a")], "", "", False),
    "passes": ([attempt("pass", "a")] * 3, "", "", False),
    "passes with other answers": ([attempt("pass", "a"), attempt("pass", "b")], "", "", True),
    "same": ([attempt("fail", "a")] * 3, "reproducible", "", False),
    "answers": ([attempt("pass", "a"), attempt("fail", "b")], "flaky", "", True),
    "check": ([attempt("pass", "a"), attempt("fail", "a")], "flaky", "exact", False),
    "check of the second": (
        [attempt("pass", "a", "b"), attempt("fail", ("a", "pass"), ("b", "fail"))], "flaky", "exact", False,
    ),
    "check in failures alone": ([attempt("fail", "a"), attempt("fail", ("a", "error"))], "reproducible", "exact", False),
    "ended early": ([attempt("pass", "a", "b"), attempt("fail", ("a", "pass"))], "flaky", "", False),
    "other place": ([attempt("pass", "a", "b"), attempt("fail", ("b", "fail"))], "flaky", "", True),
    "raised": ([attempt("pass", "a"), attempt("error")], "flaky", "", False),
    "nothing compared": ([attempt("pass"), attempt("fail")], "flaky", "", False),
    "rows": ([attempt("pass", "a"), UNKNOWN], "flaky", "", False),
}  # fmt: skip


@pytest.mark.parametrize(("attempts", "stability", "alarm", "differ"), STABILITY.values(), ids=STABILITY)
def test_what_attempts_say(attempts, stability, alarm, differ):
    assert name_stability(attempts) == stability
    assert find_alarm(attempts) == alarm
    assert have_different_answers(attempts) is differ


@given(st.lists(st.text("ab", max_size=3), max_size=5))
def test_answers_differ_if_those_of_two_attempts_do(texts):
    pairs = itertools.combinations(texts, 2)
    differ = any(one != other for pair in pairs for one, other in zip(*pair, strict=False))
    assert have_different_answers([attempt("pass", *text) for text in texts]) is differ


def test_each_answer_is_compared_once():
    comparisons = []

    class Text(str):
        __slots__ = ()

        def __ne__(self, other):
            comparisons.append(other)
            return False

    assert not have_different_answers([attempt("pass", Text("a")) for _ in range(100)])
    assert len(comparisons) == 100


def test_description_tells_what_came_out():
    rule = at_least(3, 4)
    attempts = [attempt("fail", "a", reason="boom"), attempt("fail", "a", reason="boom")]
    more = [attempt("fail", "a", reason="boom")]
    text = describe(rule, attempts, more, rule.decide(["fail", "fail"]))
    assert text == (
        "0 of 2 passed, needs 3 of 4: failed after 2 of at most 4; the true rate is from 0 to 0.871;"
        " 0 of 1 more attempt passed; always: boom"
    )
