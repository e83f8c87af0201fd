"""How gates are written, and what is said of those that cannot be read."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.runs.gates.gate import KINDS, Gate, read_gate


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
        (f"operator:{'a' * 1_000} >= 1", "is no gate"),
        ("", "'' is no gate. A gate is KIND:PATTERN >= RATE"),
        ("numeric_* >= 0.9", "is no gate"),
        ("tests/test_a.py::test_it >= 0.9", "is no gate"),
        ("operator: >= 0.9", "is no gate"),
        ("operator:exact", "is no gate. A gate is"),
        ("operator:exact > 0.9", "is no gate"),
        ("operator:exact >= 0.9 @ 0.9 @ 0.9", "is no gate"),
        ("operator:exact >= 0.9 @", "is no gate"),
        (
            "operators:exact >= 0.9",
            "'operators' .* is no kind of gate. Did you mean 'operator'\\? Allowed: case, criterion, ",
        ),
        ("operator:exact >= 0", "a rate is above 0 and at most 1, written as 0.95, 95% or 2/3; got '0'"),
        ("operator:exact >= 1.01", "a rate is above 0"),
        ("operator:exact >= 95", "a rate is above 0 .* got '95'"),
        ("operator:exact >= -0.5", "a rate is above 0"),
        ("operator:exact >= 3/2", "a rate is above 0"),
        ("operator:exact >= 1/0", "a rate is above 0"),
        ("operator:exact >= nan", "a rate is above 0"),
        ("operator:exact >= 1e-999999999", "a rate is above 0"),
        ("operator:exact >= ٠.٥", "a rate is above 0"),
        ("operator:exact >= 0.9 @ 0", "a confidence is above 0"),
        ("operator:exact >= 0.9 @ 1.5", "a confidence is above 0"),
        ("operator:exact >= 0.9 @ 1", "a confidence of 1; give less"),
        ("operator:exact >= 100% @ 0.9", "no number of passes shows a rate of 1"),
        ("pinned:test_it >= 0.9", "is no gate. .* A pinned test must pass whole, so it takes no rate"),
    ],
)
def test_what_is_no_gate_is_told_with_what_is_allowed(text, said):
    with pytest.raises(ConfigurationError, match=said):
        read_gate(text)


@given(st.text())
def test_any_text_is_a_gate_or_refused(text):
    with suppress(ConfigurationError):
        gate = read_gate(text)
        assert gate.kind in KINDS
        assert 0 < gate.rate <= 1


@given(st.text(min_size=1).filter(lambda name: not {"*", "?"} & set(name)))
def test_a_name_without_wildcards_is_matched_by_itself_alone(name):
    selects = Gate("", "pinned", name, 1.0, None).selector().fullmatch
    assert selects(name)
    assert not selects(f"{name}x")
