"""A blind comparison of two summaries. Functions replace the model, to run offline.

One judge reads the texts. The other always prefers the first text. Because the
judge sees both orders, its two replies contradict each other, and the comparison
has no winner.
"""

from pytest_verdict.blind import assert_preferred

TASK = "Summarize the minutes in one sentence, with the date of the decision."
OLD = "The board will buy new servers."
NEW = "On 3 May the board decided to buy new servers."

RUBRIC = {
    "id": "summary",
    "version": 1,
    "content": ["date", "decision"],
    "structure": ["brevity"],
}


def scores(date):
    return {"content": {"date": date, "decision": 5}, "structure": {"brevity": 4}}


def one_that_reads(request):
    return {
        "rubric": {
            label: scores(5 if "May" in output.text else 1)
            for label, output in request.outputs.items()
        }
    }


def one_that_prefers_the_first(_request):
    return {"rubric": {"A": scores(5), "B": scores(2)}}


def test_the_new_summary_is_better():
    assert_preferred(
        NEW, OLD, TASK, one_that_reads, rubric=RUBRIC, names=("new", "old")
    )


def test_with_a_judge_that_prefers_the_first():
    assert_preferred(
        NEW, OLD, TASK, one_that_prefers_the_first, rubric=RUBRIC, names=("new", "old")
    )
