"""`check_operator_laws`: a test of what records and replay need from an operator."""

import itertools
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.refusals import REFUSALS
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import MissingExtraError, ThresholdError

_THRESHOLDS: Final = (0.01, 0.25, 0.5, 0.75, 0.999, 1.0)

# Values that break comparisons in practice: more digits than int() reads, half a surrogate pair, -0.0, NaN.
_ODD: Final[tuple[Any, ...]] = (
    "", " ", "\ud800", "\x00\x1b[31m", "NaN", "1e9999", "0" * 5_000, "[" * 1_000, "(", "2024-02-30", "\u0661",
    None, True, False, 0, -0.0, 10**400, -(10**5_000), 1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
    [], {}, [[]], [None], {"": ""}, {"$type": "set"}, [1, True, 1.0, "1"], {"a": [{"b": float("nan")}]},
)  # fmt: skip

# Output of the operator goes to stderr, so it cannot mix with the records.
_CHILD: Final = """
import os, pickle, sys
records = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
sys.path[:] = pickle.load(sys.stdin.buffer)
from pytest_verdict.laws import record_line
for operator, expected, observed in pickle.load(sys.stdin.buffer):
    print(record_line(operator, expected, observed), file=records)
records.close()
"""
_PAIRS_IN_CHILD: Final = 32


def check_operator_laws(operator: Operator, *, values: Sequence[Any] | None = None, examples: int = 100) -> None:
    """Check on generated values that an operator keeps the laws of operators.

    The laws, by the name in a failure:

    - ``settings``: the settings are JSON values, and an operator built from them is equal.
    - ``pickle``: the operator can be pickled, and its copy has the same outcomes.
    - ``no exception``: any two JSON values have an outcome, and so have NaN, infinities, huge integers and lone surrogates.
    - ``score``: it is a float from 0.0 to 1.0, never NaN.
    - ``evidence unchanged``: the comparison does not change its values.
    - ``same again``: the same values have the same record.
    - ``refusal``: an outcome with a note for a side that cannot be used, such as ``not_a_number``, does not pass.
    - ``threshold``: an outcome that passes at a threshold passes at every lower one.
    - ``record``: the record can be read back, and replay has the same outcome.
    - ``reflexive``: a value compared with itself passes, unless the outcome has a note or an error. The law does not apply to
      NaN, or if a setting replaces expected.
    - ``fresh process``: another process with another hash seed has the same records.

    Args:
        operator: The operator, with settings.
        values: Values that the operator can read, in addition to the generated ones. The law ``reflexive`` is checked only on
            them (default: on all JSON values). Pass an empty list for an operator whose sides are of different kinds, such as
            a pattern and a text.
        examples: The number of generated pairs, from 1.

    Raises:
        AssertionError: A law is broken; the message has its name and the values.
        MissingExtraError: The library hypothesis is not installed.

    Example:
        >>> from pytest_verdict.operators import Exact
        >>> check_operator_laws(Exact(), values=["Paris", 37.0], examples=10)
    """
    _check_settings(operator)
    copy = _check_pickle(operator)

    # Hypothesis may not generate the odd values, and cannot print an integer that str() refuses.
    others = (values or (1, "text", [1], {"a": 1}))[:3]
    for odd in _ODD:
        for other in (odd, *others):
            _check_pair(operator, copy, odd, other)
            _check_pair(operator, copy, other, odd)

    def check(expected: Any, observed: Any) -> None:
        _check_pair(operator, copy, expected, observed)
        if expected is observed and values is None:
            _check_reflexive(operator, expected)

    _check_generated(check, values, examples)
    for value in values or ():
        _check_reflexive(operator, value)
    _check_fresh_process([(operator, values or ())])


def record_line(operator: Operator, expected: Any, observed: Any) -> str:
    """Return the record of a comparison outside of the running test session."""
    return run(operator, expected, observed).to_text()


def _fail(operator: Operator, law: str, problem: str, *values: Any) -> NoReturn:
    sides = [f"{side} {shown(value, 300)}" for side, value in zip(("expected", "observed"), values, strict=False)]
    raise AssertionError("; ".join([f"{operator} breaks the law '{law}': {problem}", *sides])) from None


def _check_settings(operator: Operator) -> None:
    settings = operator.settings()
    try:
        text = json.dumps(settings, allow_nan=False)
        rebuilt = type(operator)(**json.loads(text))
    except Exception as error:  # noqa: BLE001 - any exception breaks the law
        _fail(operator, "settings", f"{shown(settings)} cannot be written and read: {error}")
    fields = type(operator).model_fields
    is_equal = all(getattr(rebuilt, name) == getattr(operator, name) for name in fields)
    if not is_equal or rebuilt.settings() != settings:
        _fail(operator, "settings", f"the operator built from {shown(settings)} is not equal")


def _check_pickle(operator: Operator) -> Operator:
    try:
        copy: Operator = pickle.loads(pickle.dumps(operator))
    except Exception as error:  # noqa: BLE001 - any exception breaks the law
        _fail(operator, "pickle", f"it cannot be pickled, its class must be found in a module by its name: {error}")
    if copy.settings() != operator.settings():
        _fail(operator, "pickle", f"the copy has the settings {shown(copy.settings())}")
    return copy


def _check_generated(check: Callable[[Any, Any], None], values: Sequence[Any] | None, examples: int) -> None:
    """Check generated pairs; some are pairs of one value."""
    try:
        from hypothesis import HealthCheck, given, settings, strategies as st
        from hypothesis.errors import Flaky
    except ImportError:
        raise MissingExtraError("check_operator_laws", "laws") from None

    any_value = _json_values()
    if values:
        any_value = st.one_of(st.sampled_from(list(values)), any_value)
    pairs = st.tuples(any_value, any_value) | any_value.map(lambda value: (value, value))
    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    test = quiet(given(pairs)(lambda pair: check(*pair)))  # type: ignore[no-untyped-call]
    try:
        test()
    except Flaky as error:
        problem = "breaks the law 'same again': the same values gave another outcome the second time"
        raise AssertionError(f"{problem}: {error}") from None


def _json_values() -> Any:
    from hypothesis import strategies as st

    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters(), max_size=20),
        st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", fullmatch=True),
    )
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=8,
    )


def _check_pair(operator: Operator, copy: Operator, expected: Any, observed: Any) -> None:
    before = encode_text((expected, observed))
    result = _compare(operator, expected, observed)
    if encode_text((expected, observed)) != before:
        _fail(operator, "evidence unchanged", "the comparison changed a value", expected, observed)

    text = result.to_text()
    if _compare(operator, expected, observed).to_text() != text:
        _fail(operator, "same again", "the second record differs from the first", expected, observed)
    if _compare(copy, expected, observed).to_text() != text:
        _fail(operator, "pickle", "the unpickled operator gives another record", expected, observed)
    refusals = REFUSALS.intersection(result.notes)
    if result.passed and refusals:
        _fail(operator, "refusal", f"it passes with the note {min(refusals)!r}", expected, observed)
    passed = [result.score >= threshold for threshold in _THRESHOLDS]
    if passed != sorted(passed, reverse=True) or not 0.0 < result.threshold <= 1.0:
        _fail(operator, "threshold", f"it does not divide the scores: {result.threshold}", expected, observed)
    _check_record(operator, result, text)


def _compare(operator: Operator, expected: Any, observed: Any) -> ComparisonResult:
    try:
        operator.effective_expected(expected)
        outcome = operator.evaluate(expected, observed)
    except Exception as error:  # noqa: BLE001 - any exception breaks the law
        law = "no exception"
        if isinstance(error, ValueError) and str(error).startswith("a score is"):
            law = "score"
        _fail(operator, law, f"{type(error).__name__}: {error}", expected, observed)
    if not isinstance(outcome, Outcome):
        _fail(operator, "score", f"evaluate must return an Outcome, got {shown(outcome)}", expected, observed)
    try:
        return run(operator, expected, observed)
    except ThresholdError as error:
        _fail(operator, "threshold", str(error), expected, observed)


def _check_record(operator: Operator, result: ComparisonResult, text: str) -> None:
    try:
        record: Mapping[str, Any] = json.loads(text)
        copy = ComparisonResult.from_record(record)
        replayed = run(operator, copy.expected, copy.observed, threshold=copy.threshold, recorded=copy.details)
    except Exception as error:  # noqa: BLE001 - any exception breaks the law
        _fail(operator, "record", f"{type(error).__name__}: {error}", result.expected, result.observed)
    if copy.to_text() != text:
        _fail(operator, "record", "the record read back differs", result.expected, result.observed)
    if replayed.to_text() != text:
        _fail(operator, "record", "the replayed record differs", result.expected, result.observed)


def _check_reflexive(operator: Operator, value: Any) -> None:
    if operator.effective_expected(value) is not value or not equal(value, value):
        return
    result = _compare(operator, value, snapshot(value))
    if not result.passed and not result.notes and result.error is None:
        _fail(operator, "reflexive", f"a value compared with itself has the score {result.score}", value)


def _check_fresh_process(cases: Sequence[tuple[Operator, Sequence[Any]]]) -> None:
    # All cases share one process, because its start takes longest.
    triples = []
    common = ("the quick brown fox", "quick fox the", ["b", "a", "c"], {"x": 1, "y": "z"}, 3, "12", "2024-05-01")
    for operator, values in cases:
        sample = [*values[:8], *common]
        pairs = list(itertools.product(sample, sample))
        triples += [(operator, *pair) for pair in pairs[:: max(1, len(pairs) // _PAIRS_IN_CHILD)]]
    hash_seed = "2424" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    process = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=pickle.dumps(sys.path) + pickle.dumps(triples),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=False,
    )
    if process.returncode:
        last = " ".join(process.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])
        _fail(cases[0][0], "fresh process", f"it does not work there, is its class in a module? {shown(last)}")
    lines = process.stdout.decode("ascii").splitlines()
    for (operator, expected, observed), line in zip(triples, lines, strict=True):
        if record_line(operator, expected, observed) != line:
            _fail(operator, "fresh process", "another hash seed gives another record", expected, observed)
