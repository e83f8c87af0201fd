"""Whatever text a reader is given, it reads it or raises an error that is documented.

``FUZZ_INPUTS=200000 pytest tests/fuzz -m fuzz`` tries so many inputs of each target, the same in every run; what raises
something else is added to the seeds, which every run tries first. ``python -m tools.fuzz.with_atheris dates`` looks further.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import read_trajectory
from tools.fuzz.readers import READERS, reading_modules
from tools.fuzz.targets import TARGETS, TOKENS, failures, inputs, keep, seeds
from tools.generate import REPOSITORY

# Their readers get a text, and open nothing.
TARGETS_OF_PURE_CODE = {"dates", "mapping_paths", "numbers"}
FEW = 150
MANY = int(os.environ.get("FUZZ_INPUTS", "5000"))


@pytest.mark.ci
def test_every_module_that_reads_has_a_target():
    named = {name for names in READERS.values() if not isinstance(names, str) for name in names}
    assert [*reading_modules()] == sorted(READERS)
    assert named == set(TARGETS) - TARGETS_OF_PURE_CODE


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_mutations_raise_only_documented_errors(name):
    assert [(text[:300], repr(error)[:300]) for text, error in failures(name, FEW // TARGETS[name].cost)] == []


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_reads_some_of_its_seeds(name):
    # Were every seed refused at its first character, fuzzing would try nothing.
    assert any(TARGETS[name].accepts(text) for text in seeds(name))


@pytest.mark.parametrize("name", TARGETS)
def test_any_text_raises_only_documented_errors(name):
    pieces = (
        st.sampled_from(TOKENS)
        | st.sampled_from(seeds(name))
        | st.text(st.characters(exclude_categories=[]), max_size=9)
    )

    @settings(max_examples=max(40 // TARGETS[name].cost, 4), database=None)
    @given(st.lists(pieces, max_size=4).map("".join))
    def reads(text):
        TARGETS[name].accepts(text)

    reads()


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TARGETS)
def test_many_inputs_raise_only_documented_errors(name):
    found = {}
    for text, error in failures(name, MANY if TARGETS[name].cost < 10 else MANY // 2):
        found.setdefault(type(error), (text, error))
    for text, _ in found.values():
        keep(name, text)
    assert [(text[:300], repr(error)[:300]) for text, error in found.values()] == []


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_atheris_raise_only_documented_errors(name):
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("needs atheris")
    command = [sys.executable, "-m", "tools.fuzz.with_atheris", name, f"-runs={MANY}", "-seed=1"]
    made = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-3_000:]


@pytest.mark.ci
def test_inputs_are_the_same_in_every_run():
    code = "from tools.fuzz.targets import inputs; print(ascii([*inputs('dates', 50)]))"
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == ascii([*inputs("dates", 50)])


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("!!bool x", "looks like a truth value"),
        ("!!int ''", "looks like a number"),
        ("!!timestamp x", "looks like a date"),
        ("!!float x", "looks like a number"),
        ("!!set x", "the tag .* is not read"),
        ("!!seq x", "the tag .* is not read"),
        ("{!!set : x}", "the tag .* is not read"),
    ],
)
def test_invalid_yaml_tag_is_an_error_with_its_line(written, message):
    with pytest.raises(YamlTextError, match=message) as raised:
        YamlDocument(f"a: 1\nb: {written}\n")
    assert raised.value.line == 2


@pytest.mark.parametrize("reply", ['{"a": %s', '{"a": %s}x', "{%s", '{"a": "x" %s'])
def test_huge_number_in_broken_reply_is_a_reply_problem(reply):
    with pytest.raises(ReplyProblem) as raised:
        read_reply(reply % ("9" * 5_000), DEFAULT_RUBRIC)
    assert raised.value.code.startswith("reply_")


@pytest.mark.parametrize("time", [float("inf"), float("-inf"), float("nan"), "inf", 10**400, "9" * 5_000])
def test_span_without_valid_time_is_read(time):
    attributes = {"openinference.span.kind": "TOOL", "tool.name": "search", "input.value": "{}"}
    span = {"name": "search", "start_time": time, "end_time": time, "attributes": attributes}
    try:
        assert [event.name for event in read_trajectory([span])] == ["search"]
    except TrajectoryError as error:
        assert "digits" in str(error)  # noqa: PT017 - either is documented
