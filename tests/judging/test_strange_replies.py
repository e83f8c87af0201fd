"""Judges that answer strangely: no verdict comes from what was not clearly said, and what was said clearly still counts."""

from __future__ import annotations

import json
import time
from typing import Literal

import pytest

from pytest_verdict.blind import blind_compare
from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, DIMENSIONS
from pytest_verdict.judging import JudgeReply
from pytest_verdict.judging.protocol import strip_thinking
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, VerifiedField, judge_schema


def side(score, **more):
    scores = {name: dict.fromkeys(DEFAULT_RUBRIC.names(name), score) for name in DIMENSIONS}
    return {**scores, **more}


def verdict(first=5, second=2, **more):
    return {"rubric": {"A": side(first), "B": side(second)}, **more}


def quality(first, second):
    return {"A": {"score": first}, "B": {"score": second}}


CLEAR = json.dumps(verdict())
OTHER = json.dumps(verdict(2, 5))


def changed(path, value):
    document = json.loads(CLEAR)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(document)


CORRECTNESS = ("rubric", "A", "content", "correctness")

UNCLEAR_VERDICTS = {
    "two verdicts": CLEAR + OTHER,
    "two equal verdicts": f"{CLEAR}\n{CLEAR}",
    "a verdict, and another one that is cut off": f"Here: {CLEAR} But wait: {OTHER[:80]}",
    "a verdict, and another one without an end": f'My answer: {CLEAR} Corrected: {{"winner": "B"',
    "a draft in thoughts that do not end": f"<think>Perhaps {CLEAR}",
    "a draft in thoughts, and then nothing": f"<think>{CLEAR}</think>",
    "a draft in thoughts, and then a refusal": f"<think>{CLEAR}</think> I would rather not compare them.",
    "thoughts, and an answer that is cut off": f"<think>hm</think>{CLEAR[:-40]}",
    "two fences": f"```json\n{CLEAR}\n```\n```json\n{OTHER}\n```",
    "a list of two": f"[{CLEAR}, {OTHER}]",
    "one in another": json.dumps({"first": verdict(), "final": verdict(2, 5)}),
    "an envelope": json.dumps({"answer": verdict()}),
    "JSON in a text": json.dumps(CLEAR),
    "single quotes": str(verdict()),
    "a comment": CLEAR[:-1] + ", // I am sure\n}",
    "a trailing comma": CLEAR[:-1] + ",}",
    "cut off": CLEAR[:-30],
    "cut off after a brace": CLEAR[:-1],
    "empty": "",
    "blank": " \n\t",
    "a refusal": "I'm sorry, but I can't compare these outputs.",
    "a refusal as JSON": '{"error": "refused", "reason": "policy"}',
    "prose": "Output A is better: 5 against 2. Winner: A",
    "only a winner": '{"winner": "A"}',
    "a table": "| | A | B |\n|---|---|---|\n| correctness | 5 | 2 |",
    "both winners": CLEAR[:-1] + ', "winner": "A", "winner": "B"}',
    "a list of winners": changed(["winner"], ["A", "B"]),
    "both in one text": changed(["winner"], "A and B"),
    "a winner in small letters": changed(["winner"], "a"),
    "a winner by its description": changed(["winner"], "Output A"),
    "a winner as a number": changed(["winner"], 1),
    "an unknown winner": changed(["winner"], "C"),
    "a score as text": changed(CORRECTNESS, "5"),
    "a score as a word": changed(CORRECTNESS, "five"),
    "a score of ten": changed(CORRECTNESS, 10),
    "a score of 0": changed(CORRECTNESS, 0),
    "a negative score": changed(CORRECTNESS, -5),
    "half a point": changed(CORRECTNESS, 4.5),
    "a bit too much": changed(CORRECTNESS, 5.0000000001),
    "a fraction": changed(CORRECTNESS, "4/5"),
    "a range": changed(CORRECTNESS, [4, 5]),
    "a truth value": changed(CORRECTNESS, True),
    "null": changed(CORRECTNESS, None),
    "NaN": CLEAR.replace("5", "NaN", 1),
    "infinity": CLEAR.replace("5", "Infinity", 1),
    "not applicable": changed(CORRECTNESS, "N/A"),
    "a score twice": CLEAR.replace('"correctness": 5', '"correctness": 5, "correctness": 1', 1),
    "a score without a number": changed(CORRECTNESS, {"evidence": "good"}),
    "a missing criterion": changed(("rubric", "B", "content"), {"correctness": 2}),
    "another criterion": changed(("rubric", "B", "content", "style"), 2),
    "a misspelt criterion": CLEAR.replace("accuracy", "acuracy", 1),
    "one side": json.dumps({"rubric": {"A": side(5)}}),
    "labels in small letters": CLEAR.replace('"A"', '"a"').replace('"B"', '"b"'),
    "labels as numbers": CLEAR.replace('"A"', '"1"').replace('"B"', '"2"'),
    "notes beside the sides": changed(("rubric", "notes"), "A explains more"),
    "a third side": changed(("rubric", "C"), side(5)),
    "a side twice": changed(("rubric", "Output A"), side(1)),
    "totals for the other output": json.dumps(
        {"rubric": {"A": side(5, overall_score=4.0), "B": side(2, overall_score=10.0)}}
    ),
    "qualities for the other output": json.dumps(verdict(output_quality=quality(4, 10))),
    "a winner against its scores": changed(["winner"], "B"),
    "the form": json.dumps({"type": "object", "properties": {"rubric": {"type": "object"}}}),
    "an object": {"rubric": None},
    "no value": None,
    "a number": 5,
    "a list": [1],
    "bytes": CLEAR.encode(),
    "a reply in a reply": JudgeReply(JudgeReply(CLEAR)),
}

CLEAR_VERDICTS = {
    "plain": CLEAR,
    "a mapping": verdict(),
    "fenced": f"```json\n{CLEAR}\n```",
    "fenced without a language": f"```\n{CLEAR}\n```",
    "prose before": f"Sure, here it is: {CLEAR}",
    "prose after": f"{CLEAR}\n\nI hope this helps!",
    "prose around a fence": f"Here:\n```json\n{CLEAR}\n```\nDone.",
    "thoughts": f"<think>A seems better than {{B}}, or {OTHER}?</think>\n{CLEAR}",
    "evidence beside scores": changed(CORRECTNESS, {"evidence": "it says why", "score": 5}),
    "a float": changed(CORRECTNESS, 5.0),
    "braces in the reasoning": changed(["reasoning"], 'A has "{winner}" and {{B}} }{ not'),
    "a null winner": changed(["winner"], None),
    "totals that are rounded": json.dumps(
        {"rubric": {"A": side(5, overall_score=9.9), "B": side(2, overall_score=4.1)}}
    ),
    "qualities of its own": json.dumps(verdict(output_quality=quality(9, 5))),
    "equal qualities": json.dumps(verdict(output_quality=quality(7, 7))),
    "B before A": json.dumps({"rubric": {"B": side(2), "A": side(5)}}),
    "a byte-order mark": "\ufeff" + CLEAR,
}


def judged(reply):
    """Let a judge give a reply that favours the first candidate, whatever its label."""

    def judge(request):
        if request.outputs["A"].text == "first":
            return reply
        return json.dumps(verdict(2, 5))

    return blind_compare("first", "second", "Write.", judge, names=("one", "two"), prefer="one")


@pytest.mark.parametrize("name", UNCLEAR_VERDICTS)
def test_no_verdict_from_what_was_not_clearly_said(name):
    comparison = judged(UNCLEAR_VERDICTS[name])
    assert not comparison.result.passed
    assert comparison.status == "INVALID" or "winner_opposite" in comparison.result.notes


@pytest.mark.parametrize("name", CLEAR_VERDICTS)
def test_what_was_clearly_said_is_a_verdict(name):
    comparison = judged(CLEAR_VERDICTS[name])
    assert (comparison.result.verdict, comparison.winner) == ("pass", "one")


class Pairs(BaseAnswer):
    pairs: int = VerifiedField("The number of pairs", 23, "numeric_exact")


UNCLEAR_ANSWERS = {
    "two objects": '{"pairs": 23}\n{"pairs": 46}',
    "another one that is cut off": 'First {"pairs": 23}. Wait: {"pairs": 4',
    "another one that is broken": 'First {"pairs": 23}, then {pairs: 46, "pairs": 46,,}.',
    "a correction in an envelope": 'First {"pairs": 23}. Corrected: {"answer": {"pairs": 46}}.',
    "a list of others": 'One of [{"pairs": 46}, {"pairs": 47}], so {"pairs": 23}.',
    "thoughts that do not end": '<think>Perhaps {"pairs": 23}',
    "thoughts, and a refusal": '<think>{"pairs": 23}</think> I cannot say.',
    "thoughts, and an answer that is cut off": '<think>Easy.</think> {"pairs": 23',
    "two fences": '```json\n{"pairs": 23}\n```\n```json\n{"pairs": 46}\n```',
    "a key twice": '{"pairs": 23, "pairs": 46}',
    "the form": json.dumps(judge_schema(Pairs)),
    "the form in prose": f"The form is {json.dumps(judge_schema(Pairs))}.",
    "the question": f'Form:\n{json.dumps(judge_schema(Pairs))}\nText, as a JSON string:\n"23 pairs"',
    "a refusal": "I'm sorry, but I can't help with that.",
    "a refusal as JSON": '{"error": "policy"}',
    "prose": "There are 23 pairs.",
    "two numbers": '{"pairs": "23 or 46"}',
    "a range": '{"pairs": "22-24"}',
    "a list of numbers": '{"pairs": [23]}',
    "an object": '{"pairs": {"value": 23}}',
    "a truth value": '{"pairs": true}',
    "a word": '{"pairs": "twenty-three"}',
    "an underscore": '{"pairs": "2_3"}',
    "a hexadecimal number": '{"pairs": "0x17"}',
    "a fraction": '{"pairs": 23.4}',
    "another key": '{"Pairs": 23}',
    "null": '{"pairs": null}',
    "cut off": '{"pairs": 23',
    "single quotes": "{'pairs': 23}",
    "JSON in a text": json.dumps('{"pairs": 23}'),
    "empty": "",
}

CLEAR_ANSWERS = {
    "plain": '{"pairs": 23}',
    "fenced": '```json\n{"pairs": 23}\n```',
    "prose": 'The answer is {"pairs": 23}, I think.',
    "said twice": '{"pairs": 23}, or once more: {"pairs": 23}.',
    "said again in an envelope": '{"pairs": 23}. So {"answer": {"pairs": 23}}!',
    "thoughts": '<think>{"pairs": 46}? No.</think>{"pairs": 23}',
    "the form before it": f'Form: {json.dumps(judge_schema(Pairs))} Filled in: {{"pairs": 23}}',
    "braces in prose": 'In {the text} I read: {"pairs": 23}.',
    "another object": 'With {"mood": "sure"}: {"pairs": 23}.',
    "a number as text": '{"pairs": "23"}',
    "a whole float": '{"pairs": 23.0}',
}


@pytest.mark.parametrize("extract_json", [False, True])
@pytest.mark.parametrize("name", UNCLEAR_ANSWERS)
def test_no_answer_from_what_was_not_clearly_said(name, extract_json):
    template = AnswerTemplate(Pairs, lambda _request: UNCLEAR_ANSWERS[name], extract_json=extract_json)
    result = template.verify(template.parse("How many?"))
    assert not result.passed


@pytest.mark.parametrize("name", CLEAR_ANSWERS)
def test_what_was_clearly_said_is_an_answer(name):
    template = AnswerTemplate(Pairs, lambda _request: CLEAR_ANSWERS[name], extract_json=True)
    assert template.verify(template.parse("How many?")).passed


def test_the_form_itself_is_no_answer():
    class Kind(BaseAnswer):
        type: Literal["object", "array"] = VerifiedField("The kind of the value", "object", "exact")

    template = AnswerTemplate(Kind, lambda request: json.dumps(request.schema))
    result = template.verify(template.parse("It is an object."))
    assert result.verdict == "error"
    assert "the reply is the form itself, not filled in" in result.error
    assert template.verify({"type": "object"}).passed


# Tags of thinking inside of the texts of an answer, and around it.
TEXTS_WITH_TAGS = {
    "opening": "B shows its <think> block.",
    "closing": "B forgot a </think> tag.",
    "both": "B has <think>a draft</think> in it.",
    "twice": "<think>a</think> and <think>b</think>",
    "closing before opening": "</think> or <think>?",
    "alone": "</think>",
    "with braces": "</think>{} and {x} </think>",
    "with an object": '<think>{"pairs": 46}</think> {"pairs": 47}',
    "with a quote": 'it says "</think>"',
    "at the start of a line": "first\n<think>\nthen\n</think>\n",
}
AROUND = {
    "nothing": "%s",
    "a byte-order mark": "\ufeff%s",
    "a fence": "```json\n%s\n```",
    "prose": "Sure, here it is: %s I hope this helps.",
    "prose and a fence": "Here:\n```json\n%s\n```\nDone.",
    "thinking": "<think>Both are long.</think>\n%s",
    "empty thinking": "<think>\n\n</think>\n\n%s",
    "thinking behind blanks": "\n <think>Both are long.</think>%s",
    "thinking twice": "<think>Both.</think><think>No.</think> %s",
    "thinking with a draft": '<think>Perhaps {"pairs": 46}, or {"pairs": 47</think>%s',
    "thinking with braces": "<think>What is {A}, what {B: 1}?</think>%s",
    "thinking that mentions a tag": "<think>It has </think> in it.</think>%s",
    "thinking that mentions a tag, and a draft": '<think>It has </think> and {"pairs": 46}.</think>%s',
    "the end of thinking": "Both are long.\n</think>\n%s",
    "the end of thinking with a draft": 'Perhaps {"pairs": 46}.\n</think>\n%s',
    "the end of thinking with a draft that is cut off": 'Perhaps {"pairs": 46, ...\n</think>\n%s',
    "the end of thinking with a draft, and a fence": 'Perhaps {"pairs": 4\n</think>\n```json\n%s\n```',
    "thinking in prose, and prose": "Well. <think>Hm.</think> The answer: %s",
}


def answer_with(text):
    return json.dumps({"pairs": 23, "note": text, "more": {"list": [text]}})


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("text", TEXTS_WITH_TAGS)
def test_tags_in_the_texts_of_an_answer_are_texts(text, around):
    reply = AROUND[around] % answer_with(TEXTS_WITH_TAGS[text])
    template = AnswerTemplate(Pairs, lambda _request: reply, extract_json=True)
    assert template.verify(template.parse("How many?")).passed

    document = verdict(reasoning=TEXTS_WITH_TAGS[text], output_quality={})
    document["rubric"]["A"]["content"]["correctness"] = {"evidence": TEXTS_WITH_TAGS[text], "score": 5}
    reply = (AROUND[around] % json.dumps(document)).replace("pairs", "winner")
    assert read_reply(reply, DEFAULT_RUBRIC).winner == "A"


@pytest.mark.parametrize("cut", [1, 2, 8, 20])
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("text", TEXTS_WITH_TAGS)
def test_tags_in_an_answer_that_is_cut_off_make_no_answer_of_its_parts(text, around, cut):
    inner = {"pairs": 46}
    whole = json.dumps({"note": TEXTS_WITH_TAGS[text], "inner": inner, "list": [inner], "end": "x" * 20})
    reply = AROUND[around].partition("%s")[0] + whole[:-cut]
    template = AnswerTemplate(Pairs, lambda _request: reply, extract_json=True)
    result = template.verify(template.parse("How many?"))
    assert result.verdict == "error"

    document = {"reasoning": TEXTS_WITH_TAGS[text], **verdict(), "end": "x" * 20}
    reply = AROUND[around].partition("%s")[0] + json.dumps({"note": TEXTS_WITH_TAGS[text], "in": document})[:-cut]
    with pytest.raises(ReplyProblem):
        read_reply(reply, DEFAULT_RUBRIC)


NO_ANSWERS = {
    "only thoughts": "<think>Perhaps %s</think>",
    "thoughts without an end": "<think>Perhaps %s",
    "thoughts without an end behind prose": "Well. <think>Perhaps %s",
    "thoughts again without an end": "<think>Hm.</think> <think>Perhaps %s",
    "thoughts without an end behind the answer": "%s <think>Wait,",
    "thoughts and a refusal": "<think>Perhaps %s</think> I cannot say.",
    "the end of thoughts": "Perhaps %s </think>",
    "the end of thoughts and a refusal": "Perhaps %s </think> I cannot say.",
    "the end of thoughts with a broken draft before it": '{"pairs": ...} or %s </think>',
    "the end of thoughts with a broken draft behind it": '%s or {"pairs": ...} </think>',
    "the end of thoughts with a broken draft and a refusal": '{"pairs": 4 or %s </think> I cannot say.',
}


@pytest.mark.parametrize("name", NO_ANSWERS)
@pytest.mark.parametrize("text", ["plain", *TEXTS_WITH_TAGS])
def test_thoughts_are_no_answer(name, text):
    note = TEXTS_WITH_TAGS.get(text, text)
    template = AnswerTemplate(Pairs, lambda _request: NO_ANSWERS[name] % answer_with(note), extract_json=True)
    assert template.verify(template.parse("How many?")).verdict == "error"
    with pytest.raises(ReplyProblem):
        read_reply(NO_ANSWERS[name] % json.dumps(verdict(reasoning=note)), DEFAULT_RUBRIC)


def test_tags_by_the_thousand_take_no_time():
    for text in ("<think></think>" * 100_000, "</think>" * 100_000, "<think>" * 100_000, "{</think>" * 100_000):
        started = time.monotonic()
        strip_thinking(text)
        assert time.monotonic() - started < 2
