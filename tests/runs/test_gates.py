"""Gates: how they are written, and what they count, compared with a count by hand and with scipy's exact intervals."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict.core.record import digest_of_test
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.journal import TestEntry
from pytest_verdict.report.summary import TestSummary, fold, verdict_line
from pytest_verdict.runs.gates import KINDS, Gate, _GateCounts, derive_gates, read_gate

VERDICTS = ("pass", "fail", "error")
counts = st.tuples(*[st.integers(0, 60)] * 3).filter(any)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("operator:numeric_* >= 0.95 @ 0.9", ("operator", "numeric_*", 0.95, 0.9)),
        ("operator:numeric_*>=95%@90%", ("operator", "numeric_*", 0.95, 0.9)),
        ("  case : tests/* >= 2/3  ", ("case", "tests/*", 2 / 3, None)),
        ("test:test_it.py::test_it[a >= 1] >= 1", ("test", "test_it.py::test_it[a >= 1]", 1.0, None)),
        ("marker:slow >= 1/1", ("marker", "slow", 1.0, None)),
        ("field:Answer.year >= 0.000001", ("field", "Answer.year", 0.000001, None)),
        ("pinned:tests/test_core.py::*", ("pinned", "tests/test_core.py::*", 1.0, None)),
    ],
)
def test_a_gate_is_read(text, read):
    gate = read_gate(text)
    assert (gate.kind, gate.pattern, gate.rate, gate.confidence) == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"operator:{'a' * 1_000} >= 1", "is not a gate"),
        ("", "'' is not a gate. A gate is KIND:PATTERN >= RATE"),
        ("numeric_* >= 0.9", "is not a gate"),
        ("tests/test_a.py::test_it >= 0.9", "is not a gate"),
        ("operator: >= 0.9", "is not a gate"),
        ("operator:exact", "is not a gate. A gate is"),
        ("operator:exact > 0.9", "is not a gate"),
        ("operator:exact >= 0.9 @ 0.9 @ 0.9", "is not a gate"),
        ("operator:exact >= 0.9 @", "is not a gate"),
        (
            "operators:exact >= 0.9",
            "unknown kind of gate 'operators'. Did you mean 'operator'\\? Allowed: case, criterion, ",
        ),
        ("operator:exact >= 0", "the rate must be above 0 and at most 1, written as 0.95, 95% or 2/3; got '0'"),
        ("operator:exact >= 1.01", "the rate must be above 0"),
        ("operator:exact >= 95", "the rate must be above 0 .* got '95'"),
        ("operator:exact >= -0.5", "the rate must be above 0"),
        ("operator:exact >= 3/2", "the rate must be above 0"),
        ("operator:exact >= 1/0", "the rate must be above 0"),
        ("operator:exact >= nan", "the rate must be above 0"),
        ("operator:exact >= 1e-999999999", "the rate must be above 0"),
        ("operator:exact >= ٠.٥", "the rate must be above 0"),
        ("operator:exact >= 0.9 @ 0", "the confidence must be above 0"),
        ("operator:exact >= 0.9 @ 1.5", "the confidence must be above 0"),
        ("operator:exact >= 0.9 @ 1", "a confidence of 1; use a smaller number"),
        ("operator:exact >= 100% @ 0.9", "no number of passes can show a rate of 1"),
        ("pinned:test_it >= 0.9", "is not a gate. .* A pinned test must pass as a whole, so it takes no rate"),
    ],
)
def test_invalid_gate_error_lists_allowed_forms(text, said):
    with pytest.raises(ConfigurationError, match=said):
        read_gate(text)


@pytest.mark.ci
@given(st.text())
def test_any_text_is_a_gate_or_refused(text):
    with suppress(ConfigurationError):
        gate = read_gate(text)
        assert gate.kind in KINDS
        assert 0 < gate.rate <= 1


@given(st.text(min_size=1).filter(lambda name: not {"*", "?"} & set(name)))
def test_a_name_without_wildcards_is_matched_by_itself_alone(name):
    selects = _GateCounts(Gate("", "pinned", name, 1.0, None))._is_selected
    assert selects(name)
    assert not selects(f"{name}x")


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return tmp_path_factory.mktemp("records") / "records.jsonl"


def entries(path, comparisons, *gates, finished=True):
    """Give the entries of gates over comparisons, each a test, an operator and a verdict."""
    lines = []
    for number, (test, operator, verdict, *more) in enumerate(comparisons, 1):
        head = {"record": 1, "id": f"{digest_of_test(test, '')}-1-{number}", "verdict": verdict}
        lines.append(json.dumps({**head, "operator": operator, "settings": {}, "test": test} | dict(*more)))
    path.write_text("".join(f"{line}\n" for line in lines).replace('": ', '":').replace(", ", ","))
    tests = dict.fromkeys(test for test, *_ in comparisons)
    summary = fold([TestSummary([TestEntry(test, outcome="passed")]) for test in tests], 0, finished=finished)
    return derive_gates([{"gate": gate} for gate in gates], summary, path)


def of_one_test(found):
    return [("t", "exact", verdict) for verdict, number in zip(VERDICTS, found, strict=True) for _ in range(number)]


@pytest.mark.ci
@settings(max_examples=60)
@given(counts, st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]), st.sampled_from([0.1, 0.5, 0.9, 0.99]))
def test_the_interval_is_scipys_and_its_lower_end_decides(records, found, confidence, rate):
    stats = pytest.importorskip("scipy.stats", reason="scipy, the reference for exact intervals, is not installed")
    (entry,) = entries(records, of_one_test(found), f"operator:exact >= {rate} @ {confidence}")
    interval = stats.binomtest(found[0], sum(found)).proportion_ci(confidence, "exact")
    low, high = entry["interval"]
    # Rounded outwards to six decimals.
    assert low <= interval.low + 1e-9
    assert high >= interval.high - 1e-9
    assert (low, high) == (pytest.approx(interval.low, abs=1.1e-6), pytest.approx(interval.high, abs=1.1e-6))
    assert (entry["verdict"] == "met") is (low >= rate)
    assert (entry["notes"] == ["inconclusive"]) is (low < rate <= high)


@settings(max_examples=60)
@given(counts, st.integers(1, 100), st.integers(0, 3))
def test_the_plain_rate_has_errors_in_the_denominator(records, found, parts, missing):
    wanted = max(parts - missing, 1)
    (entry,) = entries(records, of_one_test(found), f"operator:exact >= {wanted}/{parts}")
    assert [entry[verdict] for verdict in VERDICTS] == list(found)
    # Exact, in whole numbers.
    assert (entry["verdict"] == "met") is (found[0] * parts >= wanted * sum(found))


names = st.sampled_from(["a", "ab", "b"])
comparison = st.tuples(names, names, st.sampled_from(VERDICTS))


@settings(max_examples=60)
@given(st.lists(comparison, min_size=1), names)
def test_gate_selects_what_a_manual_count_selects(records, made, name):
    by_operator, by_test, by_case, pinned = entries(
        records, made, f"operator:{name}* >= 1/2", f"test:{name} >= 1/2", f"case:{name} >= 1/2", f"pinned:{name}"
    )
    operators = Counter(verdict for _, operator, verdict in made if operator.startswith(name))
    tests = Counter(verdict for test, _, verdict in made if test == name)
    assert Counter({verdict: by_operator[verdict] for verdict in VERDICTS}) == operators
    for entry in (by_test, pinned):
        assert Counter({verdict: entry[verdict] for verdict in VERDICTS}) == tests
    total = tests.total()
    assert pinned["verdict"] == ("error" if not total else "met" if tests["pass"] == total else "missed")
    is_half = tests["pass"] * 2 >= total
    assert by_case["verdict"] == by_test["verdict"] == ("error" if not total else "met" if is_half else "missed")
    assert by_case["pass"] + by_case["fail"] + by_case["error"] == bool(total)


@pytest.mark.ci
def test_a_rate_that_was_missed_is_not_shown_as_reached(records):
    (entry,) = entries(records, of_one_test((18_999, 1_001, 0)), "operator:exact >= 0.95")
    assert verdict_line(entry).startswith(
        "gate operator:exact >= 0.95: 18999 of 20000 comparisons passed, 0 errors, 0.9499 [0.94"
    )
    assert entry["verdict"] == "missed"
    (entry,) = entries(records, of_one_test((57, 43, 0)), "operator:exact >= 0.57")
    assert " 0.57 [" in verdict_line(entry)


def test_names_of_records_do_no_harm_in_a_terminal(records):
    (entry,) = entries(records, [("t\x1b[2Jé", "exact", "fail")], "pinned:t*")
    line = verdict_line(entry)
    assert line.isprintable()
    assert "t\\x1b[2J" in line


def test_only_a_complete_session_meets_a_gate(records):
    (entry,) = entries(records, of_one_test((3, 0, 0)), "operator:exact >= 1", finished=False)
    assert (entry["verdict"], entry["pass"]) == ("error", 3)
    assert "did not come to its end" in verdict_line(entry)


def test_many_names_are_counted_rather_than_listed(records):
    made = [("t", f"operator_{number}", "pass") for number in range(30)]
    (entry,) = entries(records, made, "operator:json >= 1")
    assert entry["reason"].endswith("operator_15 and 22 more")


def test_a_template_that_could_not_be_compared_is_an_error_of_each_field(records):
    template = {"settings": {"template": "Answer", "fields": {"year": {}, "city": {}}}, "children": []}
    half = {**template, "children": [{"operator": "numeric_exact", "verdict": "pass"}]}
    nested = {"settings": {}, "children": [{"operator": "answer_template", "verdict": "pass", **half}]}
    made = [("t", "answer_template", "error", template), ("t", "all_of", "pass", nested)]
    year, city = entries(records, made, "field:year >= 0.5", "field:Answer.c* >= 0.5")
    assert (year["pass"], year["error"], year["verdict"]) == (1, 1, "met")
    assert (city["pass"], city["error"], city["verdict"]) == (0, 2, "missed")
