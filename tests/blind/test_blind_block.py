"""How a blind comparison that did not pass reads: the cause first, then one line for each call."""

import textwrap

import blind_judges as judges
import pytest
from blind_judges import BAD, GOOD

from pytest_verdict import Budget, ComparisonResult, compare, explain
from pytest_verdict.blind import BlindProtocol, blind_compare


def compared(judge, **options):
    settled = {"names": ("new", "old"), "prefer": "new", "key": "seed", **options}
    return blind_compare(GOOD, BAD, "Add.", judge, **settled).result


def drawn(text):
    return textwrap.dedent(text).strip("\n").split("\n")


def test_inconsistent_comparison_shows_each_call():
    assert list(explain(compared(judges.first_slot))) == drawn(
        """
        blind_preference: expected 'new' to win, got INCONSISTENT: with the labels exchanged, the judge preferred the other output
          repetition 1, order 1, attempt 1, new first: winner new, new 8.0, old 6.0
          repetition 1, order 2, attempt 1, old first: winner old, new 6.0, old 8.0
          expected: 'new' to win
          observed: INCONSISTENT: with the labels exchanged, the judge preferred the other output
          normalization: none
          note: inconsistent
          note: informal
        """
    )


def test_invalid_replies_show_the_reason_and_one_reply():
    lines = list(explain(compared(judges.missing_criterion)))
    assert lines[0] == (
        "blind_preference: error: no verdict: rubric.A.content scores correctness, completeness, accuracy,"
        " got ['completeness', 'correctness']"
    )
    assert lines[1] == "  repetition 1, order 1, attempt 1, new first: no verdict, criteria_set"
    assert len([line for line in lines if line.startswith("  reply: ")]) == 1
    assert len(lines) < 20


def test_ballot_shows_the_problem():
    lines = list(explain(compare("blind_ballot", None, "sorry")))
    assert lines[0] == "blind_ballot: the reply holds no JSON object: 'sorry'"
    assert not [line for line in lines if "settings" in line]


@pytest.mark.parametrize(
    ("judge", "options", "first"),
    [
        (judges.constant_tie, {}, "expected 'new' to win, got a tie"),
        (judges.honest, {"prefer": "old"}, "expected 'old' to win, got 'new'"),
        (judges.raising, {}, "error: no verdict: ConnectionError: 503 Service Unavailable"),
        (judges.contradicting, {}, "the judge contradicts itself, winner: claimed "),
        (judges.naming, {"identity": ["acme-gpt-9"]}, "the judge contradicts itself, reply: claimed 'acme-gpt-9'"),
        (
            judges.contradicting,
            {"protocol": BlindProtocol(resolve="abstain")},
            "expected 'new' to win, got ABSTAINED: the calls of the judge do not agree",
        ),
    ],
)
def test_explanation_starts_with_the_cause(judge, options, first):
    assert next(explain(compared(judge, **options))).startswith(f"blind_preference: {first}")


def test_unusable_record_is_explained():
    assert next(explain(compare("blind_preference", "new", 1))).startswith(
        "blind_preference: observed is no blind comparison: it has no format"
    )
    comparison = compared(judges.honest)
    other = compare("blind_preference", "nobody", comparison.observed)
    assert next(explain(other)) == "blind_preference: expected 'nobody' to win, but the candidates are ['new', 'old']"
    altered = {**comparison.observed, "calls_digest": "0"}
    assert next(explain(compare("blind_preference", "new", altered))).startswith(
        "blind_preference: the record was altered"
    )


def test_calls_beyond_the_budget_are_counted():
    result = compared(judges.refusing, protocol=BlindProtocol(repetitions=8))
    assert "  … 22 more calls" in list(explain(result))
    unlimited = list(explain(result, Budget(characters=0, lines=0, differences=0, width=0)))
    assert "  repetition 8, order 2, attempt 2, " in "\n".join(unlimited)
    assert "I'm sorry, but I can't compare these." in "\n".join(unlimited)


@pytest.mark.parametrize("operator", ["blind_preference", "blind_ballot"])
@pytest.mark.parametrize(
    "change",
    [
        {"details": {"status": ["\x1b"], "winner": {"\x1b": 1}, "contradictions": [1, {"where": "\x1b[31m" * 999}]}},
        {"details": {"contradictions": "\x1b", "candidates": "\x1b"}},
        {"details": {"problem": ["\x1b[31m" * 9_999]}, "settings": {"rubric": {"content": {"\x1b": 1}}}},
        {"observed": {"comparison": {"candidates": 7}}, "expected": ["x"], "notes": ["contradiction"]},
        {"observed": {"comparison": {"candidates": [{"name": "\x1b" * 999}, 7]}}, "settings": {"rubric": 1}},
    ],
    ids=ascii,
)
def test_hostile_record_gives_short_printable_lines(operator, change):
    record = compared(judges.first_slot).to_record()
    child = {**record["children"][0], "details": {"overall": {"A": "9" * 99, "B": "1/0"}, "winner": ["\x1b"]}}
    children = [child, {**child, "expected": {"slots": {"A": 9, "B": True}, "shown": [["\x1b"]]}}]
    record.update({"operator": operator, "children": children, **change})
    for line in explain(ComparisonResult.from_record(record)):
        assert line.isprintable()
        assert len(line) < 6_000
