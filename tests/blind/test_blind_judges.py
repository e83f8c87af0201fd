"""A judge of each kind shows the documented outcome, and each comparison is derived again without the judge."""

import asyncio
import json
from typing import Unpack

import blind_judges as judges
import pytest
from blind_judges import BAD, GOOD
from hypothesis import given, settings, strategies as st

from pytest_verdict import ComparisonResult, MismatchError, UndecidedError
from pytest_verdict.blind.api import assert_preferred, blind_compare
from pytest_verdict.blind.evidence import collect_evidence
from pytest_verdict.blind.options import BlindInputs, BlindOptions
from pytest_verdict.blind.protocol import BlindProtocol, Vote, combine_repetitions
from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import ConfigurationError
from written_records import line_of

TASK = "Say what 6 times 7 is, and why."


def compared(judge, **options):
    options = {"key": "seed", "identity": ["acme-gpt-9"], "names": ("reasoned", "short"), **options}
    comparison = blind_compare(GOOD, BAD, TASK, judge, prefer="reasoned", **options)
    assert replay_line(line_of(comparison.result)).status == "identical"
    assert ComparisonResult.from_record(json.loads(comparison.result.to_text())) == comparison.result
    return comparison


CASES = {
    "honest": (judges.honest, "pass", "JUDGED", "reasoned", set()),
    "async": (judges.honest_async, "pass", "JUDGED", "reasoned", set()),
    "first slot": (judges.first_slot, "fail", "INCONSISTENT", None, {"inconsistent"}),
    "second slot": (judges.second_slot, "fail", "INCONSISTENT", None, {"inconsistent"}),
    "label lover": (judges.label_lover, "fail", "INCONSISTENT", None, {"inconsistent"}),
    "longer wins": (judges.longer_wins, "pass", "JUDGED", "reasoned", set()),
    "tie": (judges.constant_tie, "fail", "JUDGED", "TIE", {"tie"}),
    "contradicting": (judges.contradicting, "fail", "JUDGED", "reasoned", {"contradiction", "winner_opposite"}),
    "bad arithmetic": (judges.bad_arithmetic, "pass", "JUDGED", "reasoned", {"score_arithmetic", "quality_mismatch"}),
    "prose wrapped": (judges.prose_wrapped, "pass", "JUDGED", "reasoned", set()),
    "recovering": (judges.Recovering(), "pass", "JUDGED", "reasoned", set()),
    "missing criterion": (judges.missing_criterion, "error", "INVALID", None, {"invalid"}),
    "out of range": (judges.out_of_range, "error", "INVALID", None, {"invalid"}),
    "truncated": (judges.truncated, "error", "INVALID", None, {"invalid"}),
    "refusing": (judges.refusing, "error", "INVALID", None, {"invalid"}),
    "failing": (judges.raising, "error", "INVALID", None, {"invalid"}),
    "injected": (judges.injected, "error", "INVALID", None, {"invalid"}),
    "naming": (judges.naming, "fail", "JUDGED", "reasoned", {"contradiction", "blindness_breach"}),
}


@pytest.mark.parametrize(("judge", "verdict", "status", "winner", "notes"), CASES.values(), ids=CASES)
def test_each_kind_of_judge_has_its_verdict(judge, verdict, status, winner, notes):
    comparison = compared(judge)
    assert (comparison.result.verdict, comparison.status, comparison.winner) == (verdict, status, winner)
    assert set(comparison.result.notes) == {*notes, "informal"}
    assert bool(comparison) is (verdict == "pass")


@pytest.mark.parametrize(
    ("judge", "code", "reason"),
    [
        (judges.missing_criterion, "criteria_set", "rubric.A.content scores correctness, completeness, accuracy"),
        (judges.out_of_range, "score_range", "a score from 1 to 5, got 6"),
        (judges.truncated, "reply_truncated", "no JSON document"),
        (judges.refusing, "reply_without_json", "I'm sorry"),
        (judges.injected, "reply_ambiguous", "no JSON document"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_invalid_reply_is_retried_and_each_attempt_recorded(judge, code, reason):
    comparison = compared(judge, protocol=BlindProtocol(retries=2))
    assert [child.notes for child in comparison.result.children] == [[code]] * 6
    assert reason in comparison.result.error
    assert comparison.comparison is None


def test_error_of_the_judge_is_recorded():
    comparison = compared(judges.raising, protocol=BlindProtocol(retries=0))
    assert comparison.result.error == "no verdict: ConnectionError: 503 Service Unavailable"
    assert [child.verdict for child in comparison.result.children] == ["error", "error"]


def test_slow_judge_times_out():
    comparison = compared(judges.slow, protocol=BlindProtocol(order="single", retries=0, timeout=0.05))
    assert comparison.result.error == "no verdict: TimeoutError: the judge took longer than 0.05 seconds"


def test_random_judge_has_no_verdict_with_many_repetitions():
    comparison = compared(judges.Random(), protocol=BlindProtocol(repetitions=9, rule="supermajority"))
    assert not comparison
    assert comparison.status in {"ABSTAINED", "INCONSISTENT"}
    assert sum(comparison.result.details["first_shown_won"][:1]) < comparison.result.details["first_shown_won"][1]


@pytest.mark.parametrize("key", [f"seed {number}" for number in range(8)])
def test_verdict_does_not_depend_on_the_assignment(key):
    assert compared(judges.honest, key=key).winner == "reasoned"
    assert compared(judges.first_slot, key=key).status == "INCONSISTENT"


def test_single_order_is_noted():
    comparison = compared(judges.first_slot, protocol=BlindProtocol(order="single"))
    assert comparison.status == "JUDGED"
    assert "single_order" in comparison.result.notes


@pytest.mark.parametrize(
    ("resolve", "status"), [("derived", "JUDGED"), ("strict", "INVALID"), ("abstain", "ABSTAINED")]
)
def test_resolve_policy_decides_the_status(resolve, status):
    comparison = compared(judges.contradicting, protocol=BlindProtocol(resolve=resolve))
    assert comparison.status == status
    assert [one["code"] for one in comparison.result.details["contradictions"]] == ["winner_opposite"] * 2
    assert not comparison


def test_gate_option_selects_contradictions():
    assert compared(judges.contradicting, gate=[])
    assert not compared(judges.bad_arithmetic, gate=["score_arithmetic"])
    with pytest.raises(ConfigurationError, match="Did you mean 'winner_soft'"):
        compared(judges.honest, gate=["winner_sof"])


def test_winner_and_tie_give_order_sensitive_tie():
    def half(request):
        return judges.reply(request, {"A": 3, "B": 4 if request.outputs["B"].text == GOOD else 3})

    comparison = compared(half)
    assert (comparison.status, comparison.winner) == ("JUDGED", "TIE")
    assert "order_sensitive" in comparison.result.notes
    assert compared(half, protocol=BlindProtocol(rule="abstain")).status == "ABSTAINED"


def test_identical_outputs_tie_without_a_judge():
    def never(_request):
        raise AssertionError("asked")

    comparison = blind_compare("same", "same", TASK, never)
    assert comparison.is_tie
    assert "identical_outputs" in comparison.result.notes
    assert replay_line(line_of(comparison.result)).status == "identical"
    biased = blind_compare("same", "same", TASK, judges.first_slot, always_ask=True)
    assert biased.status == "INCONSISTENT"


def test_failure_message_has_status_and_cause():
    with pytest.raises(MismatchError) as failure:
        assert_preferred(GOOD, BAD, TASK, judges.first_slot, key="seed")
    block = str(failure.value)
    assert block.startswith(
        "blind_preference: expected 'candidate' to win, got INCONSISTENT: with the labels exchanged"
    )
    assert "inconsistent" in block


def test_comparison_without_a_verdict_fails(recorded):
    with pytest.raises(MismatchError):
        assert_preferred(GOOD, BAD, TASK, judges.first_slot)
    with pytest.raises(UndecidedError):
        assert_preferred(GOOD, BAD, TASK, judges.refusing)
    assert [result.operator for result in recorded] == ["blind_preference"] * 2


def test_tie_passes_only_with_the_option():
    with pytest.raises(MismatchError):
        assert_preferred(GOOD, BAD, TASK, judges.constant_tie)
    assert assert_preferred(GOOD, BAD, TASK, judges.constant_tie, tie="pass").is_tie


def test_comparison_has_one_record_with_a_child_for_each_call(recorded):
    assert_preferred(GOOD, BAD, TASK, judges.honest, ["It is right"], name="reasons")
    (result,) = recorded
    assert (result.name, result.verdict) == ("reasons", "pass")
    assert [child.name for child in result.children] == [f"repetition 1, order {n}, attempt 1" for n in (1, 2)]
    assert {child.operator for child in result.children} == {"blind_ballot"}
    document = result.details["comparison"]
    assert document["expectation_results"]["A"]["details"] == [{"text": "It is right", "passed": True}]


def test_blind_compare_works_inside_an_event_loop():
    async def test():
        return blind_compare(GOOD, BAD, TASK, judges.honest_async).winner

    assert asyncio.run(test()) == "x"


def test_positions_balance_a_series_exactly():
    arguments = {"eval_prompt": TASK, "judge": judges.honest}
    questions = [
        BlindInputs(candidates=(GOOD, f"{number}"), **arguments, key="k", position=number) for number in range(20)
    ]
    drawn = [evidence["assignment"]["A"] for _, evidence in collect_evidence(questions, 1)]
    assert sum(drawn) == 10
    assert 0 < sum(drawn[::2]) < 10
    with pytest.raises(ConfigurationError, match="give key as well"):
        BlindInputs(candidates=(GOOD, BAD), **arguments, position=1)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda o: o["calls"][0].update(shown=["B", "A"]), "not_a_blind_comparison"),
        (lambda o: o["comparison"].update(more=1), "not_a_blind_comparison"),
        (lambda o: o["assignment"].update(A=1 - o["assignment"]["A"]), "commitment_broken"),
        (lambda o: o["assignment"].update(nonce="0" * 64), "commitment_broken"),
        (lambda o: o["assignment"].update(key="other"), "commitment_broken"),
        (lambda o: o["comparison"].update(task="Another task."), "commitment_broken"),
        (lambda o: o["comparison"]["rubric"].update(version=9), "commitment_broken"),
        (lambda o: o["comparison"]["candidates"][0].update(digest="0"), "commitment_broken"),
        (lambda o: o["calls"][0]["slots"].update(A=o["calls"][0]["slots"]["B"]), "commitment_broken"),
        (lambda o: o.update(calls=[]), "invalid"),
        (lambda o: o["calls"][0].update(way=7), "not_a_blind_comparison"),
        (lambda o: o.pop("assignment"), "not_a_blind_comparison"),
    ],
)
def test_altered_record_does_not_pass(change, note):
    from pytest_verdict.blind.preference import BlindPreference

    observed = compared(judges.honest).result.observed
    change(observed)
    outcome = BlindPreference().evaluate("reasoned", observed)
    assert outcome.score == 0.0
    assert note in outcome.notes


def test_misspelled_option_is_rejected(tmp_path):
    for ask in (blind_compare, assert_preferred):
        with pytest.raises(ConfigurationError, match="no option 'outptu'"):
            ask(GOOD, BAD, TASK, judges.honest, outptu=tmp_path)
        assert ask.__annotations__["options"] == Unpack[BlindOptions]


def test_output_none_writes_nothing():
    assert blind_compare(GOOD, BAD, TASK, judges.honest, output=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ("same", "same")}, "two different texts"),
        ({"names": ("A", "other")}, "call the candidates something else"),
        ({"names": None}, "two different texts"),
        ({"names": "xy", "prefer": "x"}, "two different texts"),
        ({"prefer": "z"}, "is no candidate. Allowed: x, y"),
        ({"protocoll": BlindProtocol()}, "no option 'protocoll'. Did you mean 'protocol'"),
        ({"exclude": "*.log"}, "exclude is a list"),
        ({"key": "k", "position": "1"}, "position is a whole number"),
        ({"expectations": "It is right"}, "a list of texts"),
        ({"expectations": {"It is right", "It is short"}}, "a list of texts"),
        ({"judge": lambda request: None, "calibration": "calibration.json"}, "judge_id"),
        ({"calibration": {}}, "calibration is the path of a calibration"),
        ({"identity": ["ab"]}, "at least 3 characters"),
        ({"identity": 3}, "identity is a list of texts, got 3"),
        ({"identity": {"x": ["acme-9"]}}, "identity is a list of texts"),
        ({"protocol": {"leaks": "redact"}}, "protocol is a BlindProtocol"),
        ({"output": 3}, "output is the path of a folder, got 3"),
        ({"always_ask": "no"}, "always_ask is True or False, got 'no'"),
        ({"name": 3}, "name is a text, got 3"),
        ({"exclude": [3]}, "exclude is a list of patterns"),
        ({"rubric": 3}, "a rubric is"),
        ({"judge": "gpt"}, "judge is a function"),
        ({"protocol": "both"}, "protocol is a BlindProtocol"),
        ({"key": 7}, "key is a text"),
        ({"eval_prompt": " "}, "the task that both outputs were made for"),
    ],
)
def test_invalid_options_are_rejected(options, message):
    with pytest.raises(ConfigurationError, match=message):
        blind_compare(GOOD, BAD, **{"eval_prompt": TASK, "judge": judges.honest, **options})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": "sinlge"}, "Did you mean 'single'"),
        ({"leaks": "hide"}, "Allowed: fail, record, redact"),
        ({"repetitions": 0}, "from 1 to 100"),
        ({"retries": True}, "from 0 to 100"),
        ({"timeout": 0}, "above 0"),
        ({"timeout": float("inf")}, "at most 604800"),
        ({"rule": "most"}, "Allowed: abstain, majority"),
    ],
)
def test_invalid_protocol_is_rejected(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        BlindProtocol(**settings)


@settings(deadline=None)
@given(
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    st.text(min_size=1, max_size=8),
    st.sampled_from(["single", "both"]),
    st.sampled_from(["majority", "supermajority", "unanimous", "abstain"]),
    st.integers(1, 3),
)
def test_verdict_does_not_depend_on_key_or_protocol(scores, key, order, rule, repetitions):
    by_text = {"one": scores[0], "two": scores[1]}

    def judge(request):
        return judges.reply(request, {label: by_text[output.text] for label, output in request.outputs.items()})

    protocol = BlindProtocol(order=order, rule=rule, repetitions=repetitions)
    comparison = blind_compare("one", "two", TASK, judge, key=key, protocol=protocol)
    assert comparison.winner == ("TIE" if scores[0] == scores[1] else "x" if scores[0] > scores[1] else "y")
    assert len(comparison.result.children) == repetitions * {"single": 1, "both": 2}[order]
    document = comparison.comparison
    assert document["winner"] == comparison.result.details["label"]
    behind = {name: label for label, name in comparison.result.details["assignment"].items()}
    assert document["rubric"][behind["x"]]["content"]["accuracy"] == scores[0]


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_comparison_json_matches_the_assignment(key):
    comparison = compared(judges.honest, key=key)
    label = {name: label for label, name in comparison.result.details["assignment"].items()}["reasoned"]
    assert comparison.result.details["label"] == comparison.comparison["winner"] == label
    assert comparison.comparison["rubric"][label]["overall_score"] == 10.0
    assert comparison.comparison["reasoning"] == f"{label} it is."


def test_comparison_json_explains_a_missing_verdict():
    comparison = compared(judges.first_slot)
    assert comparison.comparison["winner"] == "TIE"
    assert comparison.comparison["reasoning"].startswith(
        "[With the labels exchanged, the judge preferred the other output."
    )


@pytest.mark.parametrize(
    ("votes", "rule", "label"),
    [
        ("AAB", "majority", "A"),
        ("AAB", "supermajority", "A"),
        ("AAB", "unanimous", "ABSTAINED"),
        ("AB", "majority", "ABSTAINED"),
        ("AABB", "supermajority", "ABSTAINED"),
        ("AAAXX", "supermajority", "ABSTAINED"),
        ("AAAXX", "majority", "A"),
        ("AXX", "majority", "INVALID"),
        ("TTA", "majority", "TIE"),
        ("III", "unanimous", "INCONSISTENT"),
    ],
)
def test_failed_repetitions_count(votes, rule, label):
    votes_by_letter = {
        "A": Vote("JUDGED", "A"),
        "B": Vote("JUDGED", "B"),
        "T": Vote("JUDGED", "TIE"),
        "X": Vote("INVALID"),
        "I": Vote("INCONSISTENT"),
    }
    assert combine_repetitions([votes_by_letter[vote] for vote in votes], rule).label == label
