"""Judges by name: what a command line says, by dotted name or by a kind that a family brings."""

from __future__ import annotations

import types

import pytest

from pytest_verdict import FAMILIES as OWN, ConfigurationError
from pytest_verdict.core import families
from pytest_verdict.core.families import hookimpl
from pytest_verdict.judging import ModelJudge, protocol
from pytest_verdict.judging.protocol import find_judge, get_judge_name


def open_word_judge(word):
    """Make a judge that prefers the output with a word."""

    def judge(request):
        def side(output):
            score = 5 if word in output.text else 2
            return {name: dict.fromkeys(request.rubric.names(name), score) for name in ("content", "structure")}

        return {"rubric": {label: side(output) for label, output in request.outputs.items()}}

    judge.judge_id = f"word {word}"
    return judge


@hookimpl
def judges():
    return {"word": f"{__name__}:open_word_judge", "type": "builtins:type"}


@pytest.fixture
def word_family(monkeypatch):
    family = types.ModuleType("word_family")
    family.judges = judges
    registered = families.Families(OWN)
    registered.register(family)
    monkeypatch.setattr(protocol, "FAMILIES", registered)


@pytest.mark.usefixtures("word_family")
def test_judge_of_another_family_is_calibrated(tmp_path, capsys):
    from pytest_verdict.cli import main

    gold = tmp_path / "gold.yaml"
    gold.write_text("""
id: words
version: 1
annotators: human
items:
  - {id: one, prompt: Say why, first: because it rains, second: it rains, label: first}
  - {id: two, prompt: Say why, first: it rains, second: because it rains, label: second}
""")
    words = ["calibrate", str(gold), "--judge", "word:because", "--output", str(tmp_path / "calibration.json")]
    assert main([*words, "--min-items", "2", "--min-agreement", "0.1"]) == 0
    shown = capsys.readouterr().out
    assert "judge: word because\n" in shown
    assert "agreement: 2 of 2" in shown


@pytest.mark.usefixtures("word_family")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no_such_module:judge", "cannot be imported: No module named 'no_such_module'; write package.module:name, or"),
        ("no_such_kind:x", r"with one of the kinds pydantic-ai, type, word$"),
        ("type:x", "--judge type:x is no judge"),
        ("builtins:int", "--judge builtins:int is no judge"),
        ("", "cannot be imported"),
    ],
)
def test_find_judge_rejects_other_names(text, message):
    with pytest.raises(ConfigurationError, match=message):
        find_judge(text)


def test_find_judge_opens_a_model():
    pytest.importorskip("pydantic_ai")
    judge = find_judge("pydantic-ai:test")
    assert isinstance(judge, ModelJudge)
    assert get_judge_name(judge) == "pydantic-ai test {}"


@pytest.mark.ci
def test_missing_model_is_rejected_before_the_first_call(monkeypatch):
    pytest.importorskip("pydantic_ai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for model in ("no-such-model", "openai:gpt-4o-mini"):
        with pytest.raises(ConfigurationError, match=f"the model {model} cannot be asked: "):
            find_judge(f"pydantic-ai:{model}")
