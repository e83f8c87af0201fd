"""Rubric, arithmetic and comparison.json: the pattern's own example, and what it leaves open."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.blind.reply import ReplyProblem, build_comparison, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Scores, decide_winner, read_rubric, round_half_up
from pytest_verdict.errors import SettingsError

# Shape and numbers are those of the pattern's own example; the texts are ours.
EXAMPLE = (Path(__file__).parent / "example_comparison.json").read_text(encoding="utf-8")
EXPECTATIONS = ["The name is filled in", "The date is filled in", "It is a PDF", "It is signed", "It can be read"]


def scores(content, structure):
    def named(values):
        return {f"c{number}": Fraction(value) for number, value in enumerate(values)}

    return Scores(named(content), named(structure))


def test_pattern_example_is_derived_from_its_scores():
    document = json.loads(EXAMPLE)
    reply_values = {**document, "winner": "B"}
    for label in "AB":
        for name in ("content_score", "structure_score", "overall_score"):
            del reply_values["rubric"][label][name]
        del reply_values["output_quality"][label]["score"]
        for name in ("passed", "total", "pass_rate"):
            del reply_values["expectation_results"][label][name]
    reply = read_reply(json.dumps(reply_values), DEFAULT_RUBRIC, EXPECTATIONS)
    passed = {label: side.passed for label, side in reply.sides.items()}
    winner = decide_winner({label: side.scores for label, side in reply.sides.items()}, passed)
    derived_document = build_comparison(winner, reply.reasoning, reply.sides, EXPECTATIONS)
    assert json.dumps(derived_document) == json.dumps(json.loads(EXAMPLE))


def test_example_of_the_pattern_page_has_no_warning():
    page = Path(__file__).resolve().parents[2] / "../shared/spec/blind-comparator.txt"
    if not page.exists():
        pytest.skip(
            "the page that describes the blind-comparator pattern is not part of this repository; the other tests check"
            " the same arithmetic on examples of their own"
        )
    text = page.read_text(encoding="utf-8")
    example, _ = json.JSONDecoder().raw_decode(text[text.index('{\n"winner"') :])
    texts = [item["text"] for item in example["expectation_results"]["A"]["details"]]
    reply = read_reply(json.dumps(example), DEFAULT_RUBRIC, texts)
    assert (reply.winner, reply.contradictions) == ("A", ())
    assert json.dumps(build_comparison("A", reply.reasoning, reply.sides, texts)) == json.dumps(example)


def test_comparison_without_expectations_has_no_results():
    reply = read_reply(EXAMPLE, DEFAULT_RUBRIC)
    assert list(build_comparison("A", "", reply.sides)) == ["winner", "reasoning", "rubric", "output_quality"]


@given(st.lists(st.integers(1, 5), min_size=3, max_size=3), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_equal_scores_with_different_rounding_tie(first, second):
    """2.7 and 2.6 may be made of the same thirds; only the exact sum decides."""
    winner = decide_winner({"A": scores(first, second), "B": scores(second, first)})
    assert winner == "TIE"


def test_rounded_totals_do_not_decide():
    first, second = scores([3, 3, 2], [3, 3, 2]), scores([5, 3, 2], [2, 2, 2])
    assert first.overall == second.overall
    assert first.totals["overall_score"] != second.totals["overall_score"]
    assert decide_winner({"A": first, "B": second}) == "TIE"


def test_expectations_decide_only_between_equal_scores():
    equal = {"A": scores([3], [3]), "B": scores([3], [3])}
    assert decide_winner(equal, {"A": (True, False), "B": (True, True)}) == "B"
    better = {"A": scores([4], [3]), "B": scores([3], [3])}
    assert decide_winner(better, {"A": (False,), "B": (True,)}) == "A"


def test_rounding_is_half_up():
    assert [round_half_up(Fraction(n, 20)) for n in (1, 3, 5)] == [Decimal("0.1"), Decimal("0.2"), Decimal("0.3")]
    assert scores([4], [4, 5]).quality == 9


def reply_text(**changes):
    side = {
        "content": dict.fromkeys(DEFAULT_RUBRIC.names("content"), 4),
        "structure": dict.fromkeys(DEFAULT_RUBRIC.names("structure"), 4),
    }
    return json.dumps({"rubric": {"A": side, "B": side}, **changes})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "reply_empty"),
        ("I cannot help with that.", "reply_without_json"),
        (reply_text()[:-20], "reply_truncated"),
        (reply_text(reasoning="It is go")[:-4], "reply_truncated"),
        ("Here: " + reply_text()[:60], "reply_truncated"),
        (reply_text() + reply_text(), "reply_ambiguous"),
        (f"The output says {reply_text()} but I say {reply_text()}", "reply_ambiguous"),
        ("{'rubric': 1}", "reply_malformed"),
        ("[1]", "reply_without_json"),
        ('{"winner": "A"}', "reply_schema"),
        (reply_text(winner="C"), "reply_schema"),
        (reply_text(winner=["A"]), "reply_schema"),
        (reply_text(reasoning=3), "reply_schema"),
        (reply_text().replace('"accuracy": 4, ', "").replace(', "accuracy": 4', ""), "criteria_set"),
        (reply_text().replace('"accuracy": 4', '"accuracy": 6'), "score_range"),
        (reply_text().replace('"accuracy": 4', '"accuracy": 4.5'), "score_range"),
        (reply_text().replace('"accuracy": 4', '"accuracy": true'), "score_range"),
        (reply_text().replace('"accuracy": 4', '"accuracy": "4"'), "score_range"),
        (reply_text().replace('"accuracy": 4', '"accuracy": 1e999999'), "score_range"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_reply_without_verdict_has_a_code(text, code):
    with pytest.raises(ReplyProblem) as problem:
        read_reply(text, DEFAULT_RUBRIC)
    assert problem.value.code == code


def test_prose_around_json_is_noted():
    reply = read_reply(f"Sure!\n```json\n{reply_text()}\n```\nHope it helps.", DEFAULT_RUBRIC)
    assert reply.notes == ("prose_around_json",)
    assert read_reply(f"```json\n{reply_text()}\n```", DEFAULT_RUBRIC).notes == ()


@pytest.mark.parametrize(
    "results", [{}, {"A": {"details": []}, "B": {"details": []}}, {"A": {"details": [{"passed": 1}]}, "B": {}}]
)
def test_unanswered_expectations_are_a_reply_problem(results):
    with pytest.raises(ReplyProblem) as problem:
        read_reply(reply_text(expectation_results=results), DEFAULT_RUBRIC, ["It is dated"])
    assert problem.value.code == "expectation_set"


def test_wrong_claims_are_contradictions():
    document = json.loads(EXAMPLE)
    document["winner"] = "B"
    document["rubric"]["A"]["overall_score"] = 7.0
    document["output_quality"]["B"]["score"] = 8
    document["expectation_results"]["A"]["pass_rate"] = 1.0
    document["expectation_results"]["B"]["details"][0]["text"] = "Something else"
    reply = read_reply(json.dumps(document), DEFAULT_RUBRIC, EXPECTATIONS)
    contradictions = {one.code: (one.claimed, one.derived) for one in reply.contradictions}
    assert contradictions == {
        "winner_opposite": ("B", "A"),
        "score_arithmetic": ("7", "9"),
        "quality_mismatch": ("8", "5.4"),
        "pass_rate_arithmetic": ("1", "0.8"),
        "expectation_text": ("Something else", "The name is filled in"),
    }


def test_pattern_example_has_no_contradiction():
    reply = read_reply(EXAMPLE, DEFAULT_RUBRIC, EXPECTATIONS)
    assert reply.contradictions == ()


RUBRIC_FILE = """
id: quarterly-report
version: "1.0"
step: 0.5
content:
  figures: {1: Wrong, 3: Rounded wrongly, 5: Right}
  coverage:
structure: [headings, tables]
"""


def test_rubric_is_read_from_yaml(tmp_path):
    (tmp_path / "rubric.yaml").write_text(RUBRIC_FILE)
    rubric = read_rubric(tmp_path / "rubric.yaml")
    assert rubric.content == {"figures": {"1": "Wrong", "3": "Rounded wrongly", "5": "Right"}, "coverage": {}}
    assert rubric.allows(Fraction(9, 2))
    assert not DEFAULT_RUBRIC.allows(Fraction(9, 2))
    assert read_rubric(rubric.to_json()) == rubric
    assert rubric.digest != read_rubric({**rubric.to_json(), "version": 2}).digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: a\nversion: 1.10\ncontent: [a]\nstructure: [b]", "quoted text"),
        ("id: a\nversion: 1\ncontent: [a]", "needs the key 'structure'"),
        ("id: a\nversion: 1\ncontent: []\nstructure: [b]", "at least one criterion"),
        ("id: a\nversion: 1\ncontent: [a, a]\nstructure: [b]", "named twice"),
        ("id: a\nversion: 1\ncontent: {a: 1, a: 2}\nstructure: [b]", "'a' occurs twice, at line 3"),
        ("id: a\nversion: 1\ncontent: {a: {1: x, 5: y}}\nstructure: [b]", "a mapping of 1, 3 and 5"),
        ("id: a\nversion: 1\ncontent: [a]\nstructure: [b]\nstep: 2", "step=2 is unknown. Allowed: 1, 1/2"),
        ("id: a\nversion: 1\ncontent: [a]\nstructures: [b]", "Did you mean 'structure'"),
        ("- a", "top level is a mapping"),
        ("[" * 20_000, "nested too deeply"),
        (
            "l0: &l0 {a: b}\n" + "".join(f"l{n + 1}: &l{n + 1} {{<<: [*l{n}, *l{n}, *l{n}]}}\n" for n in range(40)),
            "aliases repeat more than 1,000,000 values",
        ),
    ],
)
def test_invalid_rubric_is_rejected(tmp_path, text, message):
    (tmp_path / "rubric.yaml").write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_rubric(tmp_path / "rubric.yaml")
