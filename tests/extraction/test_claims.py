"""A reply has one answer or none: presets on families of phrasings, and the attacks on each rule."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.extraction.answers import name_finder
from pytest_verdict.extraction.steps import find_parts
from tools.generators.preset_accuracy import count_replies
from tools.replies import KINDS

NAME = name_finder(["Paris", "Rome"])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("part", ["tuned", "held out"])
def test_false_fails_are_below_two_percent_and_no_reply_passes_falsely(part, seed):
    counts = count_replies(part, seed=seed)
    assert {kind for kind, _ in counts} == set(KINDS)
    totals = {name: sum(counts[kind, name] for kind in KINDS) for name in ("right", "false fail", "false pass")}
    assert totals["false pass"] == 0
    assert totals["false fail"] < 0.02 * totals["right"]


REFUSED = [
    *("between 5 and 7", "about half of 5", "double 5", "twice 5", "5 times as many", "5 per thousand", "anywhere from 5"),
    *("5:30", "5/10", "√5", "\\sqrt{5}", "\\boxed{\\frac{5}{2}}", "5 \\times 10^6", "5 x 10^6", "5 at most", "5 or more"),
    *("Is it 5?", "I don't think it's 5", "x=5, y=7", "The answer is 5. It might also be 7.", "one in 5", "5th", "5...7"),
    *("I can't say, maybe 5", "slightly more than 5", "<think>so it is 5", "<think>5</think>", "5 or 6", "٥", "５", "5٥"),
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_one_number_refuses_what_is_not_one_number(text):
    assert find_parts("one_number", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "~5",
        "5 (five)",
        "5.0",
        "3 + 2 = 5",
        "It is 5, not 6.",
        "In 3 steps. So it's 5.",
        "five",
        "5!",
        "2 times 2.5 is 5",
    ],
)
def test_one_number_reads_its_neighbours(text):
    assert compare("numeric_exact", 5, text, extract="one_number").passed


@pytest.mark.parametrize(
    "text",
    [
        "March 5",
        "early March 2024",
        "May 13-15, 2024",
        "5 or 6 March 2024",
        "March 5, 2024 or 2025",
        "within 3 days of 2024-03-05",
    ],
)
def test_date_refuses_what_is_not_one_date(text):
    assert find_parts("date", text) == []


@pytest.mark.parametrize("text", ["２０２４-０３-０５", "٢٠٢٤-٠٣-٠٥", "5 March ２０２４", "2024-03-0५", "² March 2024"])
def test_date_with_other_digits_is_refused(text):
    assert compare("date_match", "2024-03-05", text).notes == ["not_a_date"]
    assert compare("date_match", "2024-03-05", text, format="%Y-%m-%d").notes == ["not_a_date"]


@pytest.mark.parametrize(
    "text",
    [
        "Everything but Paris",
        "Everyone but Paris",
        "Paris does not fit",
        "Paris is unlikely",
        "Parisian",
        "Paris?",
        "Paris or Rome",
    ],
)
def test_name_refuses_what_is_no_claim(text):
    extract = {"extract": {"name": ["Paris", "Rome"]}, "on_missing": "fail"}
    assert compare("exact", "Paris", text, extract=extract).verdict == "fail"


@pytest.mark.parametrize(("text", "label"), [("B and C are both correct.", None), ("Only B remains.", "B")])
def test_letter_that_is_no_word_is_a_label_before_any_word(text, label):
    assert [part.value for part in name_finder(["A", "B", "C"])(text)] == [label] * (label is not None)


@pytest.mark.parametrize(
    "labels", [[], {}, "Paris", [""], {"Paris": [""]}, {"a": ["x"], "b": ["x"]}, [1], {"a": [1]}], ids=repr
)
def test_name_needs_labels(labels):
    with pytest.raises(SettingsError, match="name"):
        compare("exact", "a", "a", extract={"name": labels})


# A reply that does not know and guesses, or that accepts another value as well, claims nothing.
@pytest.mark.parametrize(
    "reply",
    [
        "Not known, but 5 is a guess.",
        "The exact number isn't known, but 5 is my best guess.",
        "I don't know, but 5 is my guess.",
        "No idea, maybe 5.",
        "Hard to say; my guess is 5.",
        "It is difficult to tell, perhaps 5.",
        "It cannot be determined, but a guess would be 5.",
        "The text does not say; it is not stated, I would estimate 5.",
        "It is unclear, possibly 5.",
        "5, though 6 is also possible.",
        "The answer is 5, though 6 is also possible.",
        "The answer is 5, but 6 would be equally valid.",
        "It's 5, although 6 cannot be ruled out.",
        "The answer is 5; 6 might also work.",
        "The answer is 5. However, 6 could still be right.",
        "5 (6 is possible too)",
        "The result is 5, and 6 is acceptable as well.",
        "5, though 6 may also be correct.",
    ],
)
def test_a_guess_or_a_second_value_is_no_claim(reply):
    assert find_parts("one_number", reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "I am not sure, but 5.",
        "I'm not certain but I believe it's 5.",
        "I guess it's 5.",
        "My best guess is 5.",
        "Probably 5.",
        "The rate is not given, but it can be derived: the answer is 5.",
        "5 (not 6)",
        "6 is wrong, so it is 5.",
    ],
)
def test_a_claim_beside_doubts_is_read(reply):
    assert [part.value for part in find_parts("one_number", reply)] == ["5"]


@pytest.mark.parametrize(
    "reply",
    [
        # Supposed, or said under a condition.
        "If the tank is full, 42; otherwise 40.",
        "It would be 42 if the discount applied, but it does not.",
        "It would have been 42.",
        "Assume x = 42. Then we get a contradiction.",
        "Suppose it's 42.",
        "Let n be 42.",
        "Had we started with 42, this would work.",
        "Only if 42 were prime.",
        "Unless it rains, 42.",
        "For n = 42, yes.",
        # Said by somebody else.
        "Someone told me 42.",
        "My colleague says 42.",
        "They expected 42, we found another value.",
        "expected: 42, actual: n/a",
        "The question mentions 42.",
        "You wrote 42.",
        "Your answer of 42 cannot be right.",
        "The naive answer is 42.",
        "It's tempting to say 42.",
        "One might answer 42.",
        "A common mistake is 42.",
        "The previous result, 42, was wrong.",
        # A hedge or a contrast of another value, of a condition or of a denial.
        "If I'm not mistaken it isn't 42.",
        "If I'm not mistaken, it isn't 42.",
        "If I had 42, it would be enough.",
        "If I pay today, the answer is 42.",
        "Looks like it's not 42.",
        "42 looks right at first.",
        "Contrary to 42, nothing fits.",
        "Contrary to what many believe, it is not 42.",
        "Although it is 42, nobody knows.",
        "If you add 42, you are closer.",
        "If it is 40 or 41, you get 42.",
        "If it is 40 and not 41, you get 42.",
        "If it was 40 and then 41, you get 42.",
        "If the tank holds 50, the answer is 42.",
        "If the tank holds 50 after 3 days, the answer is 42; otherwise 40.",
        "After ruling out 42, there is nothing left.",
        "We start with 48. Therefore it exceeds 42.",
        "42, but this is off by one.",
        "42 seems plausible, but I am not sure.",
        "The others are wrong, and so is 42.",
        "42: the others are wrong too, like this one.",
        "We're left with 42 minus something.",
        "It gives 42 only for even n.",
        "So 42 is an upper bound.",
        "So we start with 42. Half of it is the answer.",
        "Thus 42 is out.",
        "It is not possible to determine; 42 is given for another year.",
        "It is 42 because I forgot one, but it should be 41.",
        "Since March, 42 and 41 were seen.",
        "Since it cannot be 41, 42 fails.",
        "John has 42 and eats 8.",
        "Therefore, 42 must be rejected.",
        "So much for 42.",
        "In 42 cases it failed.",
        # Denied behind it, or struck out.
        "42 (incorrect)",
        "42, which is a misprint",
        "42 is too high.",
        "42 is too low.",
        "42: false",
        "42 = wrong",
        "42 \u274c",
        "~~42~~",
        "<del>42</del>",
        "The answer is \\cancel{42}.",
        # Bounds, and steps of a calculation.
        "At a maximum, 42.",
        "42 at best.",
        "<= 42",
        ">=42",
        "The answer is 42 less than the sum.",
        "42 short of the goal.",
        "The square root of 42",
        "log 42",
        "Add 42 to the result.",
        "Multiply the answer by 42.",
        # Names of a place in a document.
        "See page 42.",
        "Answer: see 42",
        "(see equation 42)",
        "Figure 42 shows it.",
        "Section 42 says so.",
        "Version 42 of the document is attached.",
        "Room 42 is where you should ask.",
        "Error 42 occurred.",
        "I'd rather not answer, but the form shows 42.",
    ],
)
def test_number_that_nobody_claims_is_no_answer(reply):
    assert find_parts("one_number", reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "When you multiply 6 by 7 you get 42.",
        "Multiply 6 by 7 to get 42.",
        "According to Table 2, 42 people came.",
        "Per the table on page 7, the value is 42.",
        "The answer to question 3 is 42.",
        "You need 42.",
        "That would be 42.",
        "No, it is 42.",
        "They sold 42 tickets.",
        "The square root of 1764 is 42.",
        # A hedge, a contrast or an operation in front of a claim says nothing about it.
        "If I'm not mistaken, the answer is 42.",
        "After adding everything up I get 42.",
        "There is no doubt: 42.",
        "Given that there are 6 rows of 7, the total is 42.",
        "If memory serves, it is 42.",
        "Unless I've made an error, the result is 42.",
        "Looks like it's 42.",
        "It seems to be 42.",
        "Contrary to what many believe (48), the answer is 42.",
        "Although 48 is close, the answer is 42.",
        "If you add 40 and 2, you get 42.",
        "If we multiply 6 by 7, we obtain 42.",
        "If each box holds 7 and there are 6 boxes, then there are 42 in total.",
        "The answer is, as expected, 42.",
        "The answer to your question is 42.",
        "The correct answer is 42, because 6 * 7 = 42.",
        "After giving away 8 apples, John has 42 apples.",
        "Since each pack has 6 bottles and there are 7 packs, there are 42 bottles.",
        "Tom had 48 and gave away 6, which leaves him with 42.",
        "We start with 48 and lose 6. Therefore, she owns 42.",
    ],
)
def test_number_beside_others_is_read(reply):
    assert [part.value for part in find_parts("one_number", reply)] == ["42"]


@pytest.mark.parametrize(
    "reply",
    [
        "If it were Paris, the river would be the Seine.",
        "Had it been Paris, we would know.",
        "I would have said Paris, but no.",
        "My colleague thinks Paris.",
        "Nobody would call it Paris.",
        "Avoid Paris.",
        "We can exclude Paris.",
        "Paris is eliminated.",
        "The rest are wrong, Paris included.",
        "Looks like somebody mentioned Paris.",
        "Although Rome, Paris fail.",
        "If I remember correctly, people wrongly say Paris.",
        "Unlike Rome, Paris fails.",
        "Although it is near Rome, it isn't Paris.",
        "After ruling out Paris, nothing is left.",
        "Paris, which is wrong",
        "Paris: false",
        "Paris \u2013 incorrect",
        "\u274c Paris",
        "[ ] Paris",
        "~~Paris~~",
        "It used to be Paris.",
        "Formerly Paris",
        "Paris until 1950",
        "North of Paris",
        "Near Paris",
        "a city like Paris",
        "such as Paris",
        "Same country as Paris.",
    ],
)
def test_name_that_nobody_claims_is_no_answer(reply):
    assert NAME(reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "You should choose Paris.",
        "Everyone knows it's Paris.",
        "[x] Paris",
        "After ruling out Rome, I am left with Paris.",
        "Having eliminated Rome, we are left with Paris.",
        "Having excluded Rome, Rome and Rome, only Paris remains.",
        "Paris: the others are wrong.",
        "While Rome is older, Paris is the capital.",
        "No doubt: Paris",
        "Without a doubt, Paris.",
        "Looks like Paris.",
        "The city mentioned in the text is Paris.",
        "He was born in Paris.",
    ],
)
def test_name_beside_others_is_read(reply):
    assert [part.value for part in NAME(reply)] == ["Paris"]


@pytest.mark.parametrize(
    "reply",
    [
        "moved from March 5, 2024",
        "Originally March 5, 2024",
        "It was planned for March 5, 2024, but was cancelled.",
        "March 5, 2024 plus 3 days",
        "up to March 5, 2024",
        "on or about March 5, 2024",
        "~~March 5, 2024~~",
    ],
)
def test_date_that_nobody_claims_is_no_answer(reply):
    assert find_parts("date", reply) == []


# A person reads these as claims. The rule has no word for them, and refuses what it does not understand.
@pytest.mark.parametrize(
    "reply",
    [
        "I don't know the derivation, but the answer is 5.",
        "5, though some sources say 6.",
        "The answer is 5, though 6 is often cited.",
        "5, though I first got 6.",
        "The answer is 5; 6 is not possible.",
        "5. It could also be written as 5.0, and 5 is also correct.",
        "~~41~~ 42",
        "For n = 6 the answer is 42.",
        "First 20, then 22 more, for a total of 42.",
        "Out of 50, 42 passed.",
        "On day 5 she had 42.",
        "5 or so",
        "5, if I counted right.",
    ],
)
def test_claim_that_the_rule_does_not_know_is_no_answer(reply):
    assert find_parts("one_number", reply) == []


@pytest.mark.parametrize(
    "reply",
    [
        "~~Rome~~ Paris",
        "As you said, it has a river: Paris.",
    ],
)
def test_name_that_the_rule_does_not_know_is_no_answer(reply):
    assert NAME(reply) == []


@pytest.mark.parametrize(
    "head",
    [
        "Wrong answers",
        "Excluded",
        "Assume",
        "Some examples",
        "A few of them",
        "If ripe",
        "Avoid",
        "Possible answers",
        "Among them",
    ],
)
@pytest.mark.parametrize("form", ["{}: apples, pears", "{}:\n- apples\n- pears", "{}: [apples, pears]"])
def test_list_that_is_no_answer(head, form):
    assert find_parts("list", form.format(head)) == []


@pytest.mark.parametrize("head", ["The fruits are", "Answer", "They include", "What she bought", "Sure, here they are"])
@pytest.mark.parametrize("form", ["{}: apples, pears", "{}:\n- apples\n- pears", "{}: [apples, pears]"])
def test_list_behind_a_head_is_read(head, form):
    assert [part.value for part in find_parts("list", form.format(head))] == [["apples", "pears"]]


@pytest.mark.parametrize("tag", ["</think>", "<think>", "<think>x</think>", "\\n<think>", "</reasoning>"])
@pytest.mark.parametrize("before", ["", '<think>no, {"a": 9}</think>', "Here it is: "])
def test_tag_of_thinking_in_a_json_text_is_text(tag, before):
    reply = f'{before}{{"note": "see {tag}", "inner": {{"a": 46}}, "a": 23}}'
    ((value, start, end),) = find_parts("last_json", reply)
    assert (value["a"], reply[start:end]) == (23, reply[len(before) :])
