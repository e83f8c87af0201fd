"""Expectations that checks have answered: the judge is not asked for them, and they decide between equal scores."""

import copy
import json

import blind_judges as judges
import pytest
from blind_judges import BAD, GOOD

from pytest_verdict import ComparisonResult, MismatchError, compare
from pytest_verdict.blind.api import assert_preferred, blind_compare
from pytest_verdict.blind.files import verify_folder
from pytest_verdict.blind.human import HumanJudge
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.blind.reply import BlindBallot
from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, RecordError, SettingsError
from pytest_verdict.judging import RecordedJudge
from written_records import line_of

TASK = "Say what 6 times 7 is."
EXPECTATIONS = ("It says 42", "It says why")
NAMES = ("old", "new")
RESULTS = {"old": [True, False], "new": [True, True]}
SLOTS = [f"seed {number}" for number in range(4)]


def compared(judge=judges.constant_tie, results=RESULTS, **options):
    options = {"key": "seed", "names": NAMES, "prefer": "new", "expectation_results": results, **options}
    comparison = blind_compare(BAD, GOOD, TASK, judge, EXPECTATIONS, **options)
    assert replay_line(line_of(comparison.result)).status == "identical"
    assert ComparisonResult.from_record(json.loads(comparison.result.to_text())) == comparison.result
    return comparison


def grading(folder, passed, texts=EXPECTATIONS):
    listed = [{"text": text, "passed": met, "evidence": "seen"} for text, met in zip(texts, passed, strict=True)]
    place = folder / f"{len(list(folder.iterdir()))}" / "grading.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"expectations": listed, "summary": {"total": len(listed)}}))
    return place


def as_objects(passed):
    return [{"text": text, "passed": met} for text, met in zip(EXPECTATIONS, passed, strict=True)]


@pytest.mark.parametrize("key", SLOTS)
def test_checks_decide_between_equal_scores(key):
    comparison = compared(key=key)
    assert (comparison.status, comparison.winner, comparison.result.verdict) == ("JUDGED", "new", "pass")
    assert comparison.result.details["contradictions"] == []
    assert comparison.result.details["first_shown_won"] == [0, 0]
    results = {
        comparison.result.details["assignment"][label]: side
        for label, side in comparison.comparison["expectation_results"].items()
    }
    assert comparison.comparison["winner"] == comparison.result.details["label"]
    assert results["new"] == {"passed": 2, "total": 2, "pass_rate": 1.0, "details": as_objects([True, True])}
    assert results["old"] == {"passed": 1, "total": 2, "pass_rate": 0.5, "details": as_objects([True, False])}


@pytest.mark.parametrize("order", ["single", "both"])
def test_checks_follow_the_labels_of_each_call(order):
    comparison = compared(protocol=BlindProtocol(order=order, repetitions=2))
    for child in comparison.result.children:
        slots = child.expected["slots"]
        assert NAMES[slots[child.details["winner"]]] == "new"
        again = BlindBallot(**child.settings).evaluate(child.expected, child.observed)
        assert json.loads(json.dumps(again.details)) == child.details
    assert comparison.winner == "new"


def test_scores_outweigh_checks():
    assert compared(judges.honest, {"old": [True, True], "new": [False, False]}).winner == "new"


def test_equal_scores_and_equal_pass_rates_tie():
    assert compared(results={"old": [True, False], "new": [False, True]}).is_tie


@pytest.mark.parametrize(
    "form", [as_objects, tuple, lambda passed: [as_objects(passed)[0], passed[1]]], ids=["objects", "tuple", "mixed"]
)
def test_results_are_bools_or_objects(form):
    given = {name: form(passed) for name, passed in RESULTS.items()}
    assert compared(results=given).result == compared().result


@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["text", "path"])
def test_results_are_read_from_a_grading_file(tmp_path, kind):
    given = {name: kind(grading(tmp_path, passed)) for name, passed in RESULTS.items()}
    assert compared(results=given).result == compared().result


class Asked:
    judge_id = "asked"

    def __call__(self, request):
        self.request = request
        return judges.constant_tie(request)


def test_judge_does_not_see_checked_expectations(tmp_path):
    judge = Asked()
    comparison = compared(judge)
    assert judge.request.expectations == ()
    assert "expectation_results" not in judge.request.schema["properties"]
    assert not any(text in judge.request.prompt for text in (*EXPECTATIONS, "expectation_results"))
    assert comparison.result.observed["comparison"]["expectations"] == list(EXPECTATIONS)
    with pytest.raises(AwaitingJudgmentError):
        compared(HumanJudge(tmp_path))
    assert not any("expectation" in form.read_text() for form in tmp_path.rglob("form.yaml"))


def test_recording_stays_valid_when_a_check_changes(tmp_path):
    compared(RecordedJudge(tmp_path, judges.constant_tie, mode="record"))
    swapped = {"old": RESULTS["new"], "new": RESULTS["old"]}
    assert compared(RecordedJudge(tmp_path, judges.constant_tie), swapped).winner == "old"


@pytest.mark.parametrize(
    "extra", [{"A": {"details": as_objects([False, False])}, "B": {"details": "?"}}, "nonsense", None]
)
def test_answers_to_checked_expectations_are_ignored(extra):
    def judge(request):
        return judges.reply(request, {"A": 3, "B": 3}, expectation_results=extra)

    # The draw depends on the name of the judge.
    judge.judge_id = "blind_judges.constant_tie"
    comparison = compared(judge)
    assert comparison.winner == "new"
    assert comparison.comparison == compared().comparison
    assert [child.notes for child in comparison.result.children] == [["expectations_ignored"]] * 2


def test_claimed_winner_is_compared_with_scores_only():
    def prefers(request):
        worse = next(label for label, output in request.outputs.items() if output.text == BAD)
        return judges.reply(request, {"A": 3, "B": 3}, winner=worse)

    comparison = compared(prefers)
    assert comparison.winner == "new"
    assert {(one["code"], one["derived"]) for one in comparison.result.details["contradictions"]} == {
        ("winner_soft", "TIE")
    }


def test_record_has_the_source_of_expectations():
    def judged(expectations):
        comparison = blind_compare(BAD, GOOD, TASK, judges.honest, expectations, key="seed", names=NAMES)
        return comparison.result.details.get("expectation_source")

    assert compared().result.details["expectation_source"] == "checks"
    assert (judged(EXPECTATIONS), judged(())) == ("judge", None)


def test_results_are_part_of_the_commitment():
    commitments = []

    def judge(request):
        commitments.append(request.commitment)
        given["old"][1] = True
        return judges.constant_tie(request)

    given = {name: list(passed) for name, passed in RESULTS.items()}
    assert compared(judge, given).winner == "new"
    assert compared(judge, {"old": [True, True], "new": [True, True]}).is_tie
    assert len(set(commitments)) == 2


def test_checks_decide_between_equal_outputs():
    comparison = blind_compare(
        GOOD, GOOD, TASK, print, EXPECTATIONS, names=NAMES, expectation_results=RESULTS, key="k", prefer="new"
    )
    assert (comparison.winner, comparison.result.verdict) == ("new", "pass")
    assert "identical_outputs" in comparison.result.notes


def test_empty_results_without_expectations_change_nothing():
    empty = blind_compare(
        BAD, GOOD, TASK, judges.honest, names=NAMES, key="k", expectation_results={"old": [], "new": []}
    )
    assert empty.result == blind_compare(BAD, GOOD, TASK, judges.honest, names=NAMES, key="k").result


def test_assert_preferred_takes_results():
    names = {"names": ("new", "old"), "expectation_results": RESULTS}
    assert assert_preferred(GOOD, BAD, TASK, judges.constant_tie, EXPECTATIONS, **names).winner == "new"
    assert blind_compare(GOOD, BAD, TASK, judges.constant_tie, EXPECTATIONS, **names).winner == "new"
    default = {"candidate": [True, False], "baseline": [True, True]}
    with pytest.raises(MismatchError):
        assert_preferred(GOOD, BAD, TASK, judges.constant_tie, EXPECTATIONS, expectation_results=default)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([True, True], r"by the names of the candidates.*got \[True, True\]"),
        ({"old": [True, True]}, r"'old', 'new'\), got \['old'\]"),
        ({"old": [True, True], "now": [True, True]}, r"'old', 'new'\), got \['old', 'now'\]"),
        ({**RESULTS, "old": [True]}, r"\['old'\] is a list with true.*got \[True\]"),
        ({**RESULTS, "new": [True] * 3}, r"\['new'\] is a list with true"),
        ({**RESULTS, "new": [True, 1]}, r"\['new'\] is a list with .* got \[True, 1\]"),
        ({**RESULTS, "new": [True, {"text": EXPECTATIONS[1]}]}, r"\['new'\] is a list with true"),
        ({**RESULTS, "new": [True, {"text": EXPECTATIONS[1], "passed": "yes"}]}, r"\['new'\] is a list with true"),
        (
            {**RESULTS, "new": as_objects([True, True])[::-1]},
            r"\['new'\] is a list with true",
        ),
        ({**RESULTS, "new": True}, r"\['new'\] is a list .* or the path of a grading.json, got True"),
        ({**RESULTS, "new": "nowhere/grading.json"}, "nowhere/grading.json.*cannot be read"),
    ],
)
def test_invalid_results_are_rejected(results, message):
    with pytest.raises((ConfigurationError, RecordError), match=message):
        compared(results=results)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "the top level is an object"),
        ('{"expectations": {}}', "is a list with true.*got {}"),
        ('{"expectations": []}', "is a list with true"),
        ("\udcff", "cannot be read"),
    ],
    ids=["cut off", "a list", "no list", "empty", "no text"],
)
def test_invalid_grading_file_is_rejected(tmp_path, content, message):
    place = tmp_path / "grading.json"
    place.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises((ConfigurationError, RecordError), match=message):
        compared(results={**RESULTS, "old": place})


def test_grading_of_other_expectations_is_rejected(tmp_path):
    place = grading(tmp_path, [True, True], ["It says 42", "It says why "])
    with pytest.raises(ConfigurationError, match="is a list with true"):
        compared(results={**RESULTS, "new": place})


@pytest.mark.parametrize("given", [{"A": [True]}, {"A": [True], "B": [1]}, [True], {"A": True, "B": True}])
def test_ballot_rejects_wrong_number_of_results(given):
    with pytest.raises(SettingsError):
        BlindBallot(expectations=["It says 42"], checked=given)


def test_ballot_with_a_wrong_number_of_results_is_an_error():
    reply = '{"rubric": {"A": %s, "B": %s}}' % ((json.dumps({"content": {"c": 3}, "structure": {"s": 3}}),) * 2)
    rubric = {"id": "r", "version": 1, "content": ["c"], "structure": ["s"]}
    for answers in ([], [True, True]):
        checked = {"A": [True], "B": answers}
        result = compare("blind_ballot", None, reply, rubric=rubric, expectations=["It says 42"], checked=checked)
        assert result.verdict == "error"


def test_ballot_settings_round_trip():
    ballot = BlindBallot(expectations=["It says 42"], checked={"A": [True], "B": [False]})
    assert BlindBallot(**ballot.settings()) == ballot
    assert "checked" not in BlindBallot().settings()


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("[[true,false],[true,true]]", "[[false,false],[true,true]]", "does not match the commitment"),
        ("[[true,false],[true,true]]", "[[true,true],[true,true]]", "does not match the commitment"),
        ("[[true,false],[true,true]]", "[[true,true],[true,false]]", "does not match the commitment"),
        ('"expectations":["It says 42"', '"expectations":["It says 43"', "does not match the commitment"),
        ('"expectation_source":"checks"', '"expectation_source":"judge"', "does not follow"),
        ('"checked":{"A":[true', '"checked":{"A":[false', "does not follow"),
    ],
)
def test_altered_result_in_the_record_is_detected(tmp_path, before, after, problem):
    compared(output=tmp_path)
    assert list(verify_folder(tmp_path)) == []
    whole = (tmp_path / "blind.json").read_text()
    assert before in whole
    (tmp_path / "blind.json").write_text(whole.replace(before, after))
    assert any(problem in sentence for sentence in verify_folder(tmp_path))


def test_altered_result_in_comparison_json_is_detected(tmp_path):
    compared(output=tmp_path)
    document = (tmp_path / "comparison.json").read_text()
    assert '"pass_rate": 0.5' in document
    (tmp_path / "comparison.json").write_text(document.replace('"pass_rate": 0.5', '"pass_rate": 1.0'))
    assert any("comparison.json does not follow" in problem for problem in verify_folder(tmp_path))


@pytest.mark.parametrize(
    "altered",
    [{}, [], "checks", {"source": "checks"}, {"source": "checks", "passed": [[True, True]]}]
    + [{"source": "checks", "passed": passed} for passed in (None, [[True], [True]], [[1, 0], [1, 1]], "ab", [[], []])],
)
def test_record_with_invalid_results_scores_zero(altered):
    observed = copy.deepcopy(compared().result.observed)
    observed["comparison"]["expectation_results"] = altered
    assert BlindPreference().evaluate("new", observed).score == 0.0
    del observed["comparison"]["expectation_results"]
    assert BlindPreference().evaluate("new", observed).score == 0.0
