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


def test_form_has_the_quote_before_the_field():
    assert list(judge_schema(Answer)["properties"]) == ["city_quote", "city", "founded"]
    assert judge_schema(Answer)["required"] == ["city_quote", "city", "founded"]


def test_quote_in_the_response_passes():
    def judge(request):
        return {"city_quote": "capital is Paris", "city": "Paris", "founded": 259}

    template = AnswerTemplate(Answer, judge)
    result = template.verify(template.parse(TRACE))
    assert (result.verdict, result.quotes, result.notes) == ("pass", {"city": True}, [])
    assert list(result.fields) == ["city", "founded"]


@pytest.mark.parametrize("words", ["The capital was Paris", "Paris was founded", "", "  ", None, 3, ["Paris"]])
def test_quote_not_in_the_response_fails(words):
    result = verified(city_quote=words)
    assert (result.verdict, result.quotes, result.granular) == ("fail", {"city": False}, 0.5)
    assert result.notes == ["quote_not_found"]
    assert result.fields["city"].passed
    assert "FAIL  quote_check 'quote of city'" in result.describe()


def test_missing_quote_fails():
    assert verified().notes == ["quote_not_found"]


def test_null_value_needs_no_quote():
    result = verified(city=None)
    assert (result.quotes, result.notes) == ({}, ["null_observed"])


def test_strategy_may_pass_without_the_quoted_field():
    assert verified(Either, city_quote="nowhere").passed
    assert not verified(Either, city_quote="nowhere", founded=1).passed


def test_own_verify_still_needs_the_quote():
    assert verified(Own, city_quote="Paris").passed
    assert not verified(Own, city_quote="nowhere").passed


def test_quote_without_trace_raises():
    with pytest.raises(TemplateError, match="Answer: city read the raw response"):
        verified(trace=None, city_quote="Paris")


def test_quote_of_an_instance_is_checked():
    answer = Answer(city="Paris", founded=259, city_quote="capital is Paris")
    assert answer.verify(TRACE) is True
    assert answer.verify("The capital is Lyon") is False
    assert answer.verify_granular("The capital is Lyon") == 0.5


@pytest.mark.parametrize("words", ["capital is Paris", "nowhere", None])
def test_record_with_quotes_is_replayed(words):
    line = line_of(verified(city_quote=words).comparison)
    assert replay_line(line).status == "identical"
    assert replay_line(line.replace(b"The capital is", b"The capital was")).is_difference is (
        words == "capital is Paris"
    )


def test_field_named_like_a_quote_raises():
    with pytest.raises(TemplateError, match="copies a quote under the name 'city_quote'"):

        class Taken(BaseAnswer):
            city: str = VerifiedField("The capital", "Paris", ExactMatch(), quote=True)
            city_quote: str = VerifiedField("Another", "Paris", ExactMatch())


def test_abstention_differs_from_a_wrong_answer():
    result = verified(city=None, founded=None)
    assert (result.verdict, result.abstained) == ("fail", True)
    assert "the response states nothing of what was asked: city, founded" in result.describe().splitlines()[0]
    assert not verified(city=None).abstained
    assert not verified(city="Lyon", founded=1).abstained
    assert not AnswerTemplate(Answer).verify("no JSON", trace=TRACE).abstained
