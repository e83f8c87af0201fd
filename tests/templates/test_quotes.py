"""Fields with the words that say them, and answers that state nothing."""

from __future__ import annotations

import pytest

from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import AnyOf
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField, judge_schema
from written_records import line_of

TRACE = "The capital is\n   Paris, and it was founded in 259 BC."


class Answer(BaseAnswer):
    city: str = VerifiedField("The capital", "Paris", ExactMatch(), quote=True)
    founded: int = VerifiedField("The year", 259, "numeric_exact")


class Either(Answer):
    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="city"), FieldCheck(field="founded")])


class Own(Answer):
    def verify(self, trace=None):
        return self.city == "Paris"


def verified(template=Answer, trace=TRACE, **values):
    return AnswerTemplate(template).verify({"city": "Paris", "founded": 259, **values}, trace=trace)


def test_the_form_asks_for_the_words_before_the_value():
    assert list(judge_schema(Answer)["properties"]) == ["city_quote", "city", "founded"]
    assert judge_schema(Answer)["required"] == ["city_quote", "city", "founded"]


def test_a_judge_copies_the_words():
    def judge(request):
        return {"city_quote": "capital is Paris", "city": "Paris", "founded": 259}

    template = AnswerTemplate(Answer, judge)
    result = template.verify(template.parse(TRACE))
    assert (result.verdict, result.quotes, result.unknown, result.notes) == ("pass", {"city": True}, {}, [])
    assert list(result.fields) == ["city", "founded"]


@pytest.mark.parametrize("words", ["the capital is Paris", "Paris was founded", "", "  ", None, 3, ["Paris"]])
def test_a_right_value_without_its_words_fails(words):
    result = verified(city_quote=words)
    assert (result.verdict, result.quotes, result.granular) == ("fail", {"city": False}, 0.5)
    assert result.notes == ["quote_not_found"]
    assert result.fields["city"].passed
    assert "FAIL  quote of city" in result.describe()


def test_words_that_are_left_out_fail():
    assert verified().notes == ["quote_not_found"]


def test_a_null_value_needs_no_words():
    result = verified(city=None)
    assert (result.quotes, result.notes) == ({}, ["null_observed"])


def test_a_strategy_may_do_without_the_field():
    assert verified(Either, city_quote="nowhere").passed
    assert not verified(Either, city_quote="nowhere", founded=1).passed


def test_an_own_verify_does_not_do_without_the_words():
    assert verified(Own, city_quote="Paris").passed
    assert not verified(Own, city_quote="nowhere").passed


def test_without_a_response_nothing_is_verified():
    with pytest.raises(TemplateError, match="Answer: city read the raw response"):
        verified(trace=None, city_quote="Paris")


def test_an_instance_has_its_words_too():
    answer = Answer(city="Paris", founded=259, city_quote="capital is Paris")
    assert answer.verify(TRACE) is True
    assert answer.verify("The capital is Lyon") is False
    assert answer.verify_granular("The capital is Lyon") == 0.5


@pytest.mark.parametrize("words", ["capital is Paris", "nowhere", None])
def test_the_record_has_all_that_is_needed(words):
    line = line_of(verified(city_quote=words).comparison)
    assert replay_line(line).status == "identical"
    assert replay_line(line.replace(b"The capital is", b"The capital was")).is_difference is (
        words == "capital is Paris"
    )


def test_a_field_of_the_same_name_is_refused():
    with pytest.raises(TemplateError, match="copies a quote under the name 'city_quote'"):

        class Taken(BaseAnswer):
            city: str = VerifiedField("The capital", "Paris", ExactMatch(), quote=True)
            city_quote: str = VerifiedField("Another", "Paris", ExactMatch())


def test_an_answer_that_states_nothing_is_told_apart_from_a_wrong_one():
    result = verified(city=None, founded=None)
    assert (result.verdict, result.abstained) == ("fail", True)
    assert "the response states nothing of what was asked: city, founded" in result.describe().splitlines()[0]
    assert not verified(city=None).abstained
    assert not verified(city="Lyon", founded=1).abstained
    assert not AnswerTemplate(Answer).verify("no JSON", trace=TRACE).abstained
