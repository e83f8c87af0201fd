"""Records come from anywhere: whatever is in one, the operators answer, and an altered ballot does not pass."""

import copy
import json

import blind_judges as judges
import pytest
from blind_judges import BAD, GOOD
from hypothesis import example, given, settings, strategies as st
from pydantic import BaseModel

from pytest_verdict.blind.api import blind_compare
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.reply import BlindBallot

BALLOT = blind_compare(
    GOOD, BAD, "Why?", judges.contradicting, ["It is right"], key="k", identity=["acme"], prefer="x"
).result.observed
REPLY = json.loads(BALLOT["calls"][0]["reply"])

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths(value, above=()):
    yield above
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*above, key))


def replaced(value, path, new):
    copied = copy.deepcopy(value)
    if not path:
        return new
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return copied


@pytest.mark.ci
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(paths(BALLOT), key=str)), json_values)
@example(("assignment", "position"), -1)
@example(("comparison", "candidates", 0, "excluded"), {})
@example(("comparison", "leaks"), "")
@example(("comparison", "protocol"), {})
def test_any_altered_record_is_evaluated(path, new):
    outcome = BlindPreference(gate=[]).evaluate("x", replaced(BALLOT, path, new))
    if outcome.score and path[:1] != ("calls",) and replaced(BALLOT, path, new) != BALLOT:
        # Equal values of another kind, such as 0 and False, are no alteration that anybody could use.
        assert new in (0, 1) or path[:1] == ("format",)


@pytest.mark.ci
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(paths(REPLY), key=str)), json_values)
def test_any_altered_reply_is_evaluated(path, new):
    text = json.dumps(replaced(REPLY, path, new))
    outcome = BlindBallot(expectations=["It is right"]).evaluate(None, text)
    assert outcome.error is None
    if outcome.score:
        assert set(outcome.details["overall"]) == {"A", "B"}


@given(st.text(max_size=60))
def test_any_text_is_evaluated_as_a_reply(text):
    assert BlindBallot().evaluate(None, text).score == 0.0


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999999999", "1e-999999999", "-1e9"])
def test_numbers_that_no_total_can_have_are_no_verdict(number):
    def judge(request):
        return json.dumps(judges.bad_arithmetic(request)).replace("10,", f"{number},").replace("10}", f"{number}}}")

    assert blind_compare(GOOD, BAD, "Why?", judge, key="k").status == "INVALID"


def test_lone_surrogates_are_handled(tmp_path):
    def judge(request):
        return {**judges.honest(request), "reasoning": "\ud800"}

    assert blind_compare(GOOD, BAD, "Why?", judge, key="k", output=tmp_path).winner == "x"
    assert "\\ud800" in (tmp_path / "comparison.json").read_text()


class Verdict(BaseModel):
    rubric: dict
    winner: str | None = None


@pytest.mark.parametrize("form", [lambda copied: copied, json.dumps, lambda copied: Verdict(rubric=copied["rubric"])])
def test_judge_answers_with_mapping_json_or_model(form):
    assert blind_compare(GOOD, BAD, "Why?", lambda request: form(judges.honest(request))).winner == "x"


@pytest.mark.parametrize("answer", [None, 3, [1], {"at": object()}, {"nan": float("nan")}])
def test_other_answers_are_invalid(answer):
    assert blind_compare(GOOD, BAD, "Why?", lambda _: answer).status == "INVALID"


def test_common_names_are_no_leaks():
    assert (
        blind_compare("A new idea, because.", "An old one", "Why?", judges.honest, names=("new", "old")).winner == "new"
    )
