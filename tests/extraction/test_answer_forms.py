"""The forms of lists, documents and number words that a preset reads, and those that are no answer."""

import functools

import pytest

from pytest_verdict.core.values.dates import read_date
from pytest_verdict.extraction.answers import name_finder
from pytest_verdict.extraction.steps import find_parts

LISTS = [
    *("- red\n- blue", "* red\n* blue\n", "1. red\n2. blue", "1) red\n2) blue", "(a) red\n(b) blue",),
    *("\u2022 red\n\u2022 blue",),
    *("red and blue", "red, blue", "red; blue", "red / blue", "red & blue", "red + blue", "red\nblue",),
    *("Red and blue.",),
    *("{red, blue}", "[red, blue]", '["red", "blue"]', "['red', 'blue']", "(red, blue)", "\\boxed{red, blue}",),
    *("\\boxed{\\{red, blue\\}}", "<answer>red, blue</answer>", "Final answer: red, blue", "Colors: red, blue",),
    *("The colors are red and blue.", "<think>red, green</think>red, blue", "- **red**\n- **blue**",),
    *("- `red`\n- `blue`",),
    *("- red: a warm color\n- blue: a cold color", "- **red** (warm)\n- **blue** (cold)",),
    *("- red \u2013 warm\n- blue \u2013 cold",),
    *("- [x] red\n- [x] blue", "| color |\n|---|\n| red |\n| blue |",),
    *("| n | color |\n|---|---|\n| 1 | red |\n| 2 | blue |",),
    *("| color | kind |\n|---|---|\n| red | warm |\n| blue | cold |", "The colors are:\n- red\n- blue",),
    *("- red\n- blue\n\nHope this helps!", "- red\n- blue\n\nLet me know if you need more.", "Sure! Red and blue.",),
    *("- red\n- blue\n\nNote that green is a mixture.", "```\nred\nblue\n```", "{red, blue} is the set.",),
]  # fmt: skip
NO_LISTS = [
    *("red", "none", "[]", "There are none.", "red or blue", "either red or blue", "neither red nor blue",),
    *("not red, blue",),
    *("red, blue, etc.", "red, blue, ...", "red, blue and others", "red, blue and more", "such as red and blue",),
    *("for example red and blue", "all except red and blue", "Are they red and blue?", "red, blue (not green)",),
    *("It is not {red, blue}", "(red, blue) is wrong", "[red, blue] plus green", "{red, blue}, but also green",),
    *("- red\n  - dark\n- blue", "1. red\n2. blue\n3. ...", "- red: no\n- blue: yes",),
    *("- red (no)\n- blue", "- red (wrong)\n- blue",),
    *("- red \u2013 not\n- blue", "- red\n- ~~blue~~", "- [x] red\n- [ ] blue", "| red | no |\n| blue | yes |",),
    *("- red \u274c\n- blue",),
    *("- red\n- blue\nActually, blue is wrong.", "- red\n- blue\n\nAnd green.", "- red\n- blue\n\nAlso green.",),
    *("- red\n- blue\nThere are more.", "- red\n- blue\n\nWait, no.", "- red\n- blue\n\nNot included:\n- green",),
    *("- red\n- blue\n\nWait:\n- red\n- green", "Colors: red, blue.\nShapes: round, square.",),
]  # fmt: skip
DOCUMENTS = [
    *('{"a": 1}', 'x {"a": 1} y', '{"a": 2} {"a": 1}', '```json\n{"a": 1}\n```', '{"a": 1} [1]', '{"a": 1} // note',),
    *('<think>{"a": 2}</think>{"a": 1}', '\ufeff{"a": 1}', 'text } {"a": 1}', '{"a": 1}. In {braces}',),
    *('{"a": 1} [see 1]',),
    *('```json\n{"a": 2}\n```\n```json\n{"a": 1}\n```', '{"a": 1} is the answer', '{"a": 1}\n\nThis is not wrong.',),
    *('```json\n{"a": 1}\n```\n\nIs there anything else?', '{"a": 1}\n\nHope this helps!',),
]  # fmt: skip
NO_DOCUMENTS = [
    *("null", "5", "{a: 1}", "{'a': 1}", '{"a": 1,}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 01}',),
    *('{"a": tru}', '{{"a": 1}}',),
    *('{"a": 1}\n{"a":', '{"a": {"b": 1}, "c":', '{"a": 1 "b": 2}', '{"a": [1, 2}', '{"a": "x\ny"}',),
    *('{"a": \u00a01}', '"{\\"a\\": 1}"',),
    *('```json\n{"a": 1\n```\n{"b": 2}', '{"a": 1} is wrong', '```json\n{"a": 1}\n```\nis incorrect',),
    *('{"a": 1} was not it',),
    *('{"a": 2}\n\nNote: {"a": 1} would be wrong', '{"a": 1} does not fit', '<think>{"a": 1}',),
]  # fmt: skip
WORDS = {
    "five": 5, "FIVE": 5, "Five.": 5, "a hundred": 100, "a hundred and five": 105, "one hundred five": 105, "zero": 0,
    "five in all": 5, "five hundred thousand": 500_000, "two million three hundred thousand and five": 2_300_005, "a dozen": 12,
    "twenty five": 25, "twenty-five": 25, "minus five": -5, "negative five": -5, "two dozen": 24, "a million": 1_000_000,
    "forty two": 42, "six hundred sixty-six": 666, "two and two makes four": 4, "seventy-six trombones": 76,
    "The answer is five.": 5, "He has five and gives two away, so three remain.": 3, "It is one.": 1, "five percent": 5,
    "ninety-nine thousand nine hundred ninety-nine": 99_999, "one trillion": 10**12, "-$5": -5, "It lost \u2212$5.": -5,
}  # fmt: skip
NO_WORDS = [
    *("five and a half", "five point two", "half a dozen", "five or six", "five to six", "at least five", "not five",),
    *("fifth", "twenty-fifth", "five hundredths", "nineteen eighty-four", "five thousand million", "five oh two",),
    *("three in every five", "two in a hundred", "five in 100",),
    *("one in five", "fivefold", "hundreds", "dozens", "a couple", "several", "five score", "fourty", "two hundreds",),
    *("one two three", "thousand", "million", "five lakh", "five squared", "three quarters", "forty-two point zero",),
    *("no one", "one of them", "five sextillion", "five octillion", "more than five", "five? no", "half of five",),
]  # fmt: skip

# What a sentence says of the number 42, the date 2024-03-05 or the label "positive" when it claims it, and when it does not.
CLAIMED = {
    "one_number": [
        *(
            "I count 42 of them altogether.",
            "$$x = 42$$",
            "\\[ \\boxed{42\\text{ cm}} \\]",
            "Answer: 42 (forty-two)",
            "forty-two (42)",
            "= 42",
        ),
        *(
            "42 \u2014 that's my answer.",
            "It's 42, not 43.",
            "Not 43 but 42.",
            "Total cost = 12 \u00d7 3.5 = 42",
            "`42`",
            "42.",
        ),
        *("After removing 8 from 50, there are 42 left.", "Hence x=42.", "**Final answer**\n\n42", "Result \u2192 42"),
        *("x \u2248 42", "I'd say 42.", "There is nothing else to add. The answer is 42."),
        *(
            "People say 43, but the answer is 42.",
            "Some would answer 43; it is 42.",
        ),
    ],
    "date": [
        *(
            "It happened on 5 March 2024.",
            "March 5th, 2024 is the date.",
            "**2024-03-05**",
            "Not 2024-03-04 but 2024-03-05.",
        ),
        *("The answer is 2024-03-05, a Tuesday.", "Signed on the 5th of March, 2024."),
    ],
    "name": [
        *(
            "Positive.",
            "Overall: good",
            "It leans positive rather than negative.",
        ),
        *(
            "positive, not negative",
            "There is hardly anything negative; it is positive.",
            "It fails to be negative. Positive!",
        ),
    ],
}
NOT_CLAIMED = {
    "one_number": [
        *("It dropped by 42.", "The answer is 42 if I counted right."),
        *(
            "forty-three (42)",
            "Roughly 42 or 43.",
            "40-42",
            "Either 42 or 43, hard to say.",
            "At least 42.",
            "42 at minimum.",
            "42 at a maximum",
        ),
        *(
            "It isn't 42.",
            "Anything but 42.",
            "The answer would be 42 if the tank were full, but it is not.",
            "42? No.",
        ),
        *(
            "People say 42. I disagree.",
            "Some would answer 42; they are wrong.",
            "You might expect 42, but that is incorrect.",
        ),
        *("I refuse to answer. For reference, the question has 42 words.", "Question 42 has no answer.", "one in 42"),
        *("The result is 42 (in thousands).", "42 (thousand)", "In millions: 42", "42, in millions", "42 in thousands"),
        *(
            "42 (millions of dollars)",
            "Amount (k$): 42",
            "Amount (M\u20ac): 42",
            "x \u2260 42",
            "x != 42",
            "x < 42",
            "42+",
            "42 \u00b1 3",
        ),
        *(
            "less than 42",
            "It lacks 42.",
            "hardly 42",
            "42k+",
            "$42m",
            "42k/month",
            "42\u2011million",
            "\uff0d42 \u20ac or so",
            "42-",
        ),
    ],
    "date": [
        *("2024-03-05 or the day after", "the day after 2024-03-05", "the eve of 2024-03-05", "a week from 2024-03-05"),
        *("no later than 2024-03-05", "from 2024-03-05 to 2024-03-09", "since 2024-03-05", "It was not on 2024-03-05."),
    ],
    "name": [
        *("Clearly positive, despite a few negative words.",),
        *(
            "not positive",
            "It is hardly positive.",
            "far from positive",
            "less than positive",
            "The opposite of positive.",
        ),
        *("The review lacks anything positive.", "There is nothing positive about it.", "It fails to be positive."),
        *(
            "scarcely positive",
            "devoid of positive words",
            "most people would say positive",
            "un-positive",
            "positive? No way.",
        ),
    ],
}
READERS = {"name": name_finder({"positive": ["good"], "negative": ["bad"]})}


def value_of(preset, text):
    find = READERS.get(preset) or functools.partial(find_parts, preset)
    return next((part.value for part in find(text)), None)


@pytest.mark.parametrize("text", LISTS)
def test_list_is_read(text):
    assert [item.casefold() for item in value_of("list", text)] == ["red", "blue"]


@pytest.mark.parametrize("text", NO_LISTS)
def test_list_is_no_answer(text):
    assert value_of("list", text) is None


@pytest.mark.parametrize("text", DOCUMENTS)
def test_document_is_read(text):
    assert value_of("last_json", text) == {"a": 1}


@pytest.mark.parametrize("text", NO_DOCUMENTS)
def test_document_is_no_answer(text):
    assert value_of("last_json", text) is None


@pytest.mark.parametrize(("text", "number"), WORDS.items())
def test_number_in_words_is_read(text, number):
    assert float(value_of("one_number", text)) == number


@pytest.mark.parametrize("text", NO_WORDS)
def test_number_in_words_is_no_answer(text):
    assert value_of("one_number", text) is None


def pairs(table):
    return [(preset, text) for preset, texts in table.items() for text in texts]


@pytest.mark.parametrize(("preset", "text"), pairs(CLAIMED))
def test_claim_is_read(preset, text):
    value = value_of(preset, text)
    if preset == "date":
        value = read_date(value).day.isoformat()
    assert value == {"one_number": "42", "date": "2024-03-05", "name": "positive"}[preset]


@pytest.mark.parametrize(("preset", "text"), pairs(NOT_CLAIMED))
def test_mention_is_no_claim(preset, text):
    value = value_of(preset, text)
    assert value is None or (preset == "one_number" and float(value) != 42)
