"""Whatever text a reader is given, it reads it or raises an error that is documented.

``FUZZ_INPUTS=200000 pytest tests/fuzz -m fuzz`` tries so many inputs of each target, the same in every run; what raises
something else is added to the seeds, which every run tries first. ``python tests/fuzz/with_atheris.py dates`` looks further.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from fuzz.targets import TARGETS, TOKENS, failures, keep, seeds

FEW = 150
MANY = int(os.environ.get("FUZZ_INPUTS", "20000"))


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_what_is_made_of_them_raise_nothing_else(name):
    assert [(text[:300], repr(error)[:300]) for text, error in failures(name, FEW)] == []


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_reads_some_of_its_seeds(name):
    # Were every seed refused at its first character, fuzzing would try nothing.
    assert any(TARGETS[name].accepts(text) for text in seeds(name))


@pytest.mark.parametrize("name", TARGETS)
def test_any_text_raises_nothing_else(name):
    pieces = (
        st.sampled_from(TOKENS)
        | st.sampled_from(seeds(name))
        | st.text(st.characters(exclude_categories=[]), max_size=9)
    )

    @settings(max_examples=40, database=None)
    @given(st.lists(pieces, max_size=4).map("".join))
    def reads(text):
        TARGETS[name].accepts(text)

    reads()


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TARGETS)
def test_very_many_inputs_raise_nothing_else(name):
    found = {}
    for text, error in failures(name, MANY):
        found.setdefault(type(error), (text, error))
    for text, _ in found.values():
        keep(name, text)
    assert [(text[:300], repr(error)[:300]) for text, error in found.values()] == []


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TARGETS)
def test_what_atheris_finds_by_coverage_raises_nothing_else(name):
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("needs atheris")
    script = Path(__file__).with_name("with_atheris.py")
    made = subprocess.run(
        [sys.executable, script, name, f"-runs={MANY}", "-seed=1"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[-3_000:]


def test_inputs_are_the_same_in_every_run():
    from fuzz.targets import inputs

    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; from fuzz.targets import inputs; print(ascii([*inputs('dates', 50)]))"
    )
    tests = str(Path(__file__).parents[1])
    made = subprocess.run([sys.executable, "-c", code, tests], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == ascii([*inputs("dates", 50)])
