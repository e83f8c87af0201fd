"""What one comparison with its full record costs, beside the peers that do the same job."""

from __future__ import annotations

import warnings

from pytest_verdict import compare
from side_by_side import microseconds, print_table

warnings.simplefilter("ignore")

EXPECTED, OBSERVED = "The answer is forty-two.", "The answer is forty-three."
SMALL, REORDERED = '{"a": 1, "b": [1, 2, {"c": "x"}]}', '{"b": [1, 2, {"c": "x"}], "a": 1}'


def text_equality() -> None:
    """Measure the equality of two short texts."""
    from autoevals import ExactMatch
    from deepdiff import DeepDiff
    from dirty_equals import IsStr
    from langchain_classic.evaluation import ExactMatchStringEvaluator
    from phoenix.evals.metrics import exact_match

    langchain, autoevals = ExactMatchStringEvaluator(), ExactMatch()
    assert exact_match.evaluate({"output": OBSERVED, "expected": EXPECTED})[0].score == 0.0
    times = microseconds(
        {
            'compare("exact", ...), with its record': lambda: compare("exact", EXPECTED, OBSERVED),
            "langchain-classic ExactMatchStringEvaluator": lambda: langchain.evaluate_strings(
                prediction=OBSERVED, reference=EXPECTED
            ),
            "dirty-equals IsStr(regex=...)": lambda: IsStr(regex="The answer is forty-two\\.") == OBSERVED,
            "autoevals ExactMatch": lambda: autoevals(OBSERVED, EXPECTED),
            "phoenix-evals exact_match": lambda: exact_match.evaluate({"output": OBSERVED, "expected": EXPECTED}),
            "deepdiff DeepDiff": lambda: DeepDiff(EXPECTED, OBSERVED),
        }
    )
    print_table("equality of two short texts", times, ours='compare("exact", ...), with its record')


def small_documents() -> None:
    """Measure the equality of two small JSON documents."""
    from langchain_classic.evaluation import JsonEqualityEvaluator

    langchain = JsonEqualityEvaluator()
    ours = 'compare("json_canonical", ...)'
    times = microseconds(
        {
            ours: lambda: compare("json_canonical", SMALL, REORDERED),
            "langchain-classic JsonEqualityEvaluator": lambda: langchain.evaluate_strings(
                prediction=REORDERED, reference=SMALL
            ),
        }
    )
    print_table("equality of two small JSON texts", times, ours=ours)


if __name__ == "__main__":
    text_equality()
    small_documents()
