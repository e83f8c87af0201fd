"""`check_operator_laws`: a test that an operator keeps the promises on which records and replay rest."""

import base64
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

# Values on which comparisons break in practice: more digits than int() reads, half a surrogate pair, -0.0, not a number.
_ODD: Final[tuple[Any, ...]] = (
    "", " ", "\ud800", "\x00\x1b[31m", "NaN", "1e9999", "0" * 5_000, "[" * 1_000, "(", "2024-02-30", "\u0661",
    None, True, False, 0, -0.0, 10**400, -(10**5_000), 1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
    [], {}, [[]], [None], {"": ""}, {"$type": "set"}, [1, True, 1.0, "1"], {"a": [{"b": float("nan")}]},
)  # fmt: skip

# What the operator prints goes to standard error, so that it cannot get between the records.
_CHILD: Final = """
import base64, json, os, sys
task = json.load(sys.stdin)
sys.path[:] = task["path"]
records = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
import pickle
triples = pickle.loads(base64.b64decode(task["pickle"]))
from pytest_verdict.laws import record_line
for operator, expected, observed in triples:
    print(record_line(operator, expected, observed), file=records)
records.close()
"""
_PAIRS_IN_CHILD: Final = 32


def check_operator_laws(operator: Operator, *, values: Sequence[Any] | None = None, examples: int = 100) -> None:
    """Check that an operator keeps the laws of operators, on generated values.

    The laws, by the name that a failure has:

    - ``settings``: the settings are JSON values, and an operator made from them is equal.
    - ``pickle``: the operator can be pickled, and its copy gives the same outcomes.
    - ``no exception``: any two JSON values, and NaN, infinities, huge integers and lone surrogates, give an outcome.
    - ``score``: a float from 0.0 to 1.0, never NaN.
    - ``evidence unchanged``: the values are the same after the comparison.
    - ``same again``: the same values give the same record.
    - ``refusal``: an outcome with a note that says that a side could not be used, such as ``not_a_number``, does not pass.
    - ``threshold``: what passes at a threshold passes at every lower one.
    - ``record``: the record can be read back, and replay gives the same outcome.
    - ``reflexive``: a value compared with itself passes. When that outcome has a note or an error, the operator refuses such
      a value, which is allowed; the law does not apply to NaN, or when a setting takes the place of expected.
    - ``fresh process``: another process with another hash seed gives the same records.

    Args:
        operator: The operator, with settings.
        values: Values that the operator can read. They are added to the generated ones, and the law ``reflexive`` is
            checked on them alone; an empty list leaves that law out, for an operator whose two sides are of different
            kinds, such as a pattern and a text. Without them it is checked on all JSON values.
        examples: How many pairs of values to generate, from 1.

    Raises:
        AssertionError: A law is broken; the message has its name and the values.
        MissingExtraError: The library hypothesis is not installed.

    Example:
        >>> from pytest_verdict.operators import Exact
        >>> check_operator_laws(Exact(), values=["Paris", 37.0], examples=10)
    """
    _check_settings(operator)
    copy = _check_pickle(operator)
    # The odd values are not left to chance; besides, hypothesis cannot print an integer that str() refuses.
    for odd in _ODD:
        for other in (odd, *(values or (1, "text", [1], {"a": 1}))[:3]):
            _check_pair(operator, copy, odd, other)
            _check_pair(operator, copy, other, odd)
    _check_generated(lambda expected, observed: _check_pair(operator, copy, expected, observed), values, examples)
    _check_reflexive(operator, values, examples)
    _check_fresh_process([(operator, values or ())])


def record_line(operator: Operator, expected: Any, observed: Any) -> str:
    """Compare two values and write the record, without telling a running test session."""
    return run(operator, expected, observed).to_text()


def _broken(operator: Operator, law: str, what: str, *values: Any) -> NoReturn:
    sides = [f"{side} {shown(value, 300)}" for side, value in zip(("expected", "observed"), values, strict=False)]
    raise AssertionError("; ".join([f"{operator} breaks the law '{law}': {what}", *sides])) from None


def _check_settings(operator: Operator) -> None:
    settings = operator.settings()
    try:
        text = json.dumps(settings, allow_nan=False)
        again = type(operator)(**json.loads(text))
    except Exception as error:  # noqa: BLE001 - whatever it is, the law is broken
        _broken(operator, "settings", f"{shown(settings)} cannot be written and read: {error}")
    if _fields(again) != _fields(operator) or again.settings() != settings:
        _broken(operator, "settings", f"the operator made from {shown(settings)} is not equal")


def _fields(operator: Operator) -> dict[str, Any]:
    return {name: getattr(operator, name) for name in type(operator).model_fields}


def _check_pickle(operator: Operator) -> Operator:
    try:
        copy: Operator = pickle.loads(pickle.dumps(operator))
    except Exception as error:  # noqa: BLE001 - whatever it is, the law is broken
        _broken(operator, "pickle", f"it cannot be pickled, its class must be found in a module by its name: {error}")
    if copy.settings() != operator.settings():
        _broken(operator, "pickle", f"the copy has the settings {shown(copy.settings())}")
    return copy


def _check_generated(
    check: Callable[[Any, Any], None], values: Sequence[Any] | None, examples: int, *, same: bool = False
) -> None:
    try:
        from hypothesis import HealthCheck, given, settings, strategies as st
        from hypothesis.errors import Flaky
    except ImportError:
        raise MissingExtraError("check_operator_laws", "laws") from None
    any_value = _json_values() if not values else st.one_of(st.sampled_from(list(values)), _json_values())
    pair = st.tuples(any_value, any_value) | any_value.map(lambda value: (value, value))
    quiet = settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    test = quiet(given(any_value.map(lambda value: (value, value)) if same else pair)(lambda values: check(*values)))
    try:
        test()
    except Flaky as error:
        law = "breaks the law 'same again'"
        raise AssertionError(f"{law}: an outcome did not come out a second time: {error}") from None


def _json_values() -> Any:
    from hypothesis import strategies as st

    scalars = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=20),
        st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", fullmatch=True),
    )  # fmt: skip
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=8,
    )


def _check_pair(operator: Operator, copy: Operator, expected: Any, observed: Any) -> None:
    before = encode_text((expected, observed))
    result = _guarded(operator, expected, observed)
    if encode_text((expected, observed)) != before:
        _broken(operator, "evidence unchanged", "comparing changed a value", expected, observed)
    text = result.to_text()
    if _guarded(operator, expected, observed).to_text() != text:
        _broken(operator, "same again", "the second record differs from the first", expected, observed)
    if _guarded(copy, expected, observed).to_text() != text:
        _broken(operator, "pickle", "the unpickled operator gives another record", expected, observed)
    if result.passed and (refusals := REFUSALS.intersection(result.notes)):
        _broken(operator, "refusal", f"it passes with the note {min(refusals)!r}", expected, observed)
    _check_thresholds(operator, result)
    _check_record(operator, result, text)


def _guarded(operator: Operator, expected: Any, observed: Any) -> ComparisonResult:
    try:
        operator.effective_expected(expected)
        outcome = operator.evaluate(expected, observed)
    except Exception as error:  # noqa: BLE001 - whatever it is, the law is broken
        law = "score" if isinstance(error, ValueError) and str(error).startswith("a score is") else "no exception"
        _broken(operator, law, f"{type(error).__name__}: {error}", expected, observed)
    if not isinstance(outcome, Outcome):
        _broken(operator, "score", f"evaluate returned {shown(outcome)} and not an Outcome", expected, observed)
    try:
        return run(operator, expected, observed)
    except ThresholdError as error:
        _broken(operator, "threshold", str(error), expected, observed)


def _check_thresholds(operator: Operator, result: ComparisonResult) -> None:
    passed = [result.score >= threshold for threshold in _THRESHOLDS]
    if passed != sorted(passed, reverse=True) or not 0.0 < result.threshold <= 1.0:
        what = f"it does not divide the scores: {result.threshold}"
        _broken(operator, "threshold", what, result.expected, result.observed)


def _check_record(operator: Operator, result: ComparisonResult, text: str) -> None:
    try:
        record: Mapping[str, Any] = json.loads(text)
        read = ComparisonResult.from_record(record)
        replayed = run(operator, read.expected, read.observed, threshold=read.threshold, recorded=read.details)
    except Exception as error:  # noqa: BLE001 - whatever it is, the law is broken
        _broken(operator, "record", f"{type(error).__name__}: {error}", result.expected, result.observed)
    if read.to_text() != text:
        _broken(operator, "record", "reading the record gives another one", result.expected, result.observed)
    if replayed.to_text() != text:
        _broken(operator, "record", "replay gives another record", result.expected, result.observed)


def _check_reflexive(operator: Operator, values: Sequence[Any] | None, examples: int) -> None:
    def check(value: Any, _same: Any) -> None:
        if operator.effective_expected(value) is not value or not equal(value, value):
            return
        result = _guarded(operator, value, snapshot(value))
        if not result.passed and not result.notes and result.error is None:
            _broken(operator, "reflexive", f"a value compared with itself has the score {result.score}", value)

    if values is None:
        _check_generated(check, None, examples, same=True)
    for value in values or ():
        check(value, value)


def _check_fresh_process(cases: Sequence[tuple[Operator, Sequence[Any]]]) -> None:
    # One process for all cases: starting one takes longer than everything else.
    triples = [(operator, *pair) for operator, values in cases for pair in _pairs(values)]
    pickled = base64.b64encode(pickle.dumps(triples)).decode("ascii")
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=json.dumps({"path": sys.path, "pickle": pickled}).encode("ascii"),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "4242" if os.environ.get("PYTHONHASHSEED") != "4242" else "2424"},
        check=False,
    )
    if done.returncode:
        last = " ".join(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])
        _broken(cases[0][0], "fresh process", f"it does not work there, is its class in a module? {shown(last)}")
    for (operator, expected, observed), line in zip(triples, done.stdout.decode("ascii").splitlines(), strict=True):
        if record_line(operator, expected, observed) != line:
            _broken(operator, "fresh process", "another hash seed gives another record", expected, observed)


def _pairs(values: Sequence[Any]) -> list[tuple[Any, Any]]:
    usual = ("the quick brown fox", "quick fox the", ["b", "a", "c"], {"x": 1, "y": "z"}, 3, "12", "2024-05-01")
    some = [*values[:8], *usual]
    return list(itertools.product(some, some))[:: max(1, len(some) ** 2 // _PAIRS_IN_CHILD)]
