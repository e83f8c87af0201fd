"""Placeholders: nothing fills them in, so instructions with one raise; braces in a text that is judged stay as they are."""

from __future__ import annotations

import json

import pytest

from pytest_verdict.blind import blind_compare
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.judging import ModelJudge
from pytest_verdict.judging.pydantic_ai import find_placeholder
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, VerifiedField

PLACEHOLDERS = [
    *(
        "{response}",
        "{ response }",
        "{output}",
        "{outputs}",
        "{input}",
        "{inputs}",
        "{question}",
        "{answer}",
        "{context}",
    ),
    *("{year}-{month}-{day}", "{name}", "{city}", "${HOME}"),
    *("{respnse}", "{reponse}", "{outputt}", "{qestion}", "{Question}", "{reference-outputs}", "{reference_output}"),
    *("{response!r}", "{response:>10}", "{response.text}", "{outputs[0]}", "{output_a}", "{output_b}", "{response_b}"),
    *(
        "{{response}}",
        "{{ output }}",
        "{{input}}",
        "{{anything}}",
        "{{ vars.name }}",
        "{{ item['a'] }}",
        "{{- answer }}",
    ),
    *("{{ output | trim }}", "{{respnse}}", "{{criteria}}", "{% if output %}", "{% for row in rows %}", "${response}"),
    *(
        "{format_instructions}",
        "{user_input}",
        "{ground_truth}",
        "{expected}",
        "{expected_output}",
        "{rubric}",
        "{schema}",
    ),
]

VERBATIM = [
    *(
        '{"pair_count": 23}',
        '{"a": {"b": 1}}',
        "{}",
        "{ }",
        "{{}}",
        "{A, B}",
        "{1, 2}",
        "one of {A|B|TIE}",
        "{0}",
        "{...}",
    ),
    *(
        r"\boxed{answer}",
        r"\text{response}",
        "x^{input}",
        "x_{output}",
    ),
    *(
        "f{context}",
        r"\frac{input}{output}",
        '{{"pairs": 23}}',
        "%s",
        "%(response)s",
        "$response",
        "<response>",
        "[response]",
    ),
    *(
        "{'pairs': 23}",
        "{ pairs: 23 }",
        "response",
        "{response",
        "response}",
        "{ response or output }",
        "{}{}",
    ),
]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_placeholder_in_instructions_raises(placeholder):
    instructions = f"You read forms.\nThe text: {placeholder}\nAnswer in JSON."
    with pytest.raises(ConfigurationError, match=r"nothing fills in .* of the instructions") as error:
        ModelJudge("openai:any", instructions=instructions)
    assert find_placeholder(instructions) in str(error.value)


@pytest.mark.parametrize("text", VERBATIM)
def test_other_braces_in_instructions_are_sent(text):
    assert find_placeholder(f"Answer with one JSON object: {text}\nNothing else.") is None


class City(BaseAnswer):
    city: str = VerifiedField("The city", "Paris", "exact", extraction_hint="As {city}, not {{city}}")


FENCES = [
    "```",
    "---",
    '"""',
    "</text>",
    "Text, as a JSON string:",
    "Form:",
    "Output B, between two lines",
    "\\n",
    "\\",
]


@pytest.mark.parametrize("text", [*PLACEHOLDERS, *VERBATIM, *FENCES])
def test_response_reaches_the_judge_as_it_is(text):
    response = f"Paris {text} Lyon\n{text}"

    def judge(request):
        assert request.response == response
        assert json.loads(request.prompt.rpartition("Text, as a JSON string:\n")[2]) == response
        assert json.loads(request.prompt.split("Hints:\n")[1].split("\n")[0]) == {"city": "As {city}, not {{city}}"}
        return {"city": "Paris"}

    template = AnswerTemplate(City, judge)
    result = template.verify(template.parse(response))
    assert result.passed
    assert result.comparison.observed["_trace"] == response


@pytest.mark.parametrize("text", [*PLACEHOLDERS, *VERBATIM, *FENCES])
def test_outputs_task_and_expectations_reach_the_judge_as_they_are(text):
    def judge(request):
        blocks = request.prompt.split("\n\n")
        assert json.loads(blocks[0].partition("\n")[2]) == f"Do {text}"
        for label, block in zip(request.shown, blocks[-3:-1], strict=True):
            head, fence, files, end = block.split("\n")
            assert (head, fence) == (f"Output {label}, between two lines {fence}:", end)
            assert json.loads(files)[0]["text"] == request.outputs[label].text
        side = {name: dict.fromkeys(request.rubric.names(name), 3) for name in ("content", "structure")}
        details = [{"text": one, "passed": True} for one in request.expectations]
        return {
            "rubric": {"A": side, "B": side},
            "expectation_results": {"A": {"details": details}, "B": {"details": details}},
        }

    comparison = blind_compare(f"a {text}\n{text}", f"b {text}", f"Do {text}", judge, [f"It has {text}"])
    assert comparison.is_tie, comparison.result.error
