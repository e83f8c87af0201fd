"""What one comparison with its full record costs, beside the peers that do the same job, and the ratio that is wanted.

Each row is measured by itself, ours and the peer in turns; CPU time, the minimum over rounds.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable

from json_documents import document
from side_by_side import microseconds, print_table, rounds_of

from pytest_verdict import compare
from pytest_verdict.operators import ContainsAny, JsonSchema, NumericTolerance

warnings.simplefilter("ignore")
os.environ.setdefault("BRAINTRUST_API_KEY", "none")

EXPECTED, OBSERVED = "The answer is forty-two.", "The answer is forty-three."
SENTENCE = "selective inhibitor of bcl2"
TEXTS = [f"text {at}" for at in range(2_000)]
REVERSED = TEXTS[::-1]
PART = {"tags": ["b"], "user": {"id": 1}}
WHOLE = {"tags": ["a", "b"], "user": {"id": 1, "name": "x"}, "id": 7}
SCHEMA = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}

Call = Callable[[], object]


def row(name: str, ours: Call, peer_name: str, peer: Call, wanted: float) -> None:
    """Measure ours and a peer, and print their row."""
    found = rounds_of({"ours": ours, "peer": peer})
    ratios = [first / second for first, second in zip(found["ours"], found["peer"], strict=True)]
    least = {side: min(times) for side, times in found.items()}
    print(
        f"| {name} | {least['ours']:.2f} us | {peer_name} | {least['peer']:.2f} us "
        f"| {least['ours'] / least['peer']:.2f} | {wanted} | {min(ratios):.2f} to {max(ratios):.2f} |",
        flush=True,
    )


def contains(part: str, text: str) -> Call:
    """Prepare pydantic-evals."""
    from pydantic_evals.evaluators import Contains, EvaluatorContext

    evaluator = Contains(part)
    context = EvaluatorContext(
        name=None,
        inputs=None,
        metadata=None,
        expected_output=None,
        output=text,
        duration=0.1,
        _span_tree=None,
        attributes={},
        metrics={},
    )
    return lambda: evaluator.evaluate(context)


def is_part(expected: object, observed: object) -> bool:
    """Say whether a document is part of another one, as briefly as a person would write it for one test."""
    if isinstance(expected, dict):
        return isinstance(observed, dict) and all(
            key in observed and is_part(item, observed[key]) for key, item in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(observed, list) and all(any(is_part(item, other) for other in observed) for item in expected)
    return expected == observed


def ratios() -> None:
    """Print a row for each pair."""
    from autoevals import NumericDiff
    from dateutil.parser import parse
    from dirty_equals import IsOneOf
    from jsonschema import Draft202012Validator
    from langchain_classic.evaluation import ExactMatchStringEvaluator, RegexMatchStringEvaluator
    from rapidfuzz.distance import Levenshtein

    exact, regex, difference = ExactMatchStringEvaluator(), RegexMatchStringEvaluator(), NumericDiff()
    near = NumericTolerance(tolerance=0.5, mode="absolute")
    folding, schema = ContainsAny(case_sensitive=False), JsonSchema(schema_document=SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    print("| comparison, with its record | ours | peer | the peer | ratio | wanted | rounds |")
    print("|---|---|---|---|---|---|---|")
    row(
        '`compare("exact", ...)`',
        lambda: compare("exact", EXPECTED, OBSERVED),
        "langchain ExactMatch",
        lambda: exact.evaluate_strings(prediction=OBSERVED, reference=EXPECTED),
        1.3,
    )
    row(
        "`numeric_tolerance` by name with settings",
        lambda: compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute"),
        "the same operator, made before",
        lambda: compare(near, 37.0, 36.8),
        1.1,
    )
    row(
        "`contains_any` by name with a setting",
        lambda: compare("contains_any", "inhibitor", SENTENCE, case_sensitive=False),
        "the same operator, made before",
        lambda: compare(folding, "inhibitor", SENTENCE),
        1.1,
    )
    row(
        "`numeric_tolerance`",
        lambda: compare(near, 37.0, 36.8),
        "autoevals NumericDiff",
        lambda: difference(36.8, 37.0),
        3,
    )
    row(
        "`contains_any`",
        lambda: compare("contains_any", "inhibitor", SENTENCE),
        "pydantic-evals Contains",
        contains("inhibitor", SENTENCE),
        5,
    )
    row(
        "`regex`",
        lambda: compare("regex", "[0-9]{4}", "1928"),
        "langchain RegexMatch",
        lambda: regex.evaluate_strings(prediction="1928", reference="[0-9]{4}"),
        2,
    )
    row(
        "`one_of`",
        lambda: compare("one_of", ["NYC", "New York"], "New York"),
        "dirty-equals IsOneOf",
        lambda: IsOneOf("NYC", "New York") == "New York",
        3,
    )
    row(
        "`date_match`",
        lambda: compare("date_match", "2024-05-01", "1 May 2024"),
        "dateutil parse",
        lambda: parse("1 May 2024"),
        1.2,
    )
    row(
        "`text_similarity`, short",
        lambda: compare("text_similarity", "kitten", "sitting"),
        "rapidfuzz",
        lambda: Levenshtein.normalized_similarity("kitten", "sitting"),
        8,
    )
    row(
        "`json_schema`",
        lambda: compare(schema, None, {"id": 7, "name": "x"}),
        "a ready jsonschema validator",
        lambda: validator.is_valid({"id": 7, "name": "x"}),
        3,
    )
    row(
        "`set_containment`, 2,000 texts",
        lambda: compare("set_containment", TEXTS, REVERSED),
        "`set == set`",
        lambda: set(TEXTS) == set(REVERSED),
        5,
    )
    row(
        "`json_subset`, small",
        lambda: compare("json_subset", PART, WHOLE),
        "a recursive function",
        lambda: is_part(PART, WHOLE),
        5,
    )


def equal_documents() -> None:
    """Print how equal documents of growing size compare, keys in another order; some strings hold what JSON itself uses."""
    from langchain_classic.evaluation import JsonEqualityEvaluator

    langchain = JsonEqualityEvaluator()
    print("\n| `json_canonical`, equal documents | ours | peer | the peer | ratio | wanted | rounds |")
    print("|---|---|---|---|---|---|---|")
    for characters in (35, 1_000, 25_000, 250_000):
        made = document(characters, 1) if characters > 500 else {"a": 1, "b": [1, 2, {"c": "x"}]}
        for label, city in (("", "Paris"), (", escapes", 'P\\"aris'), (", brackets", "P[aris")):
            if label and characters < 25_000:
                continue
            left, right = (json.dumps(made, sort_keys=order).replace("Paris", city) for order in (False, True))
            row(
                f"{characters:,} characters{label}",
                lambda left=left, right=right: compare("json_canonical", left, right),
                "langchain JsonEquality",
                lambda left=left, right=right: langchain.evaluate_strings(prediction=right, reference=left),
                1,
            )


def text_equality() -> None:
    """Measure the equality of two short texts, by everything that has it."""
    from autoevals import ExactMatch
    from deepdiff import DeepDiff
    from dirty_equals import IsStr
    from langchain_classic.evaluation import ExactMatchStringEvaluator
    from phoenix.evals.metrics import exact_match

    langchain, autoevals = ExactMatchStringEvaluator(), ExactMatch()
    assert exact_match.evaluate({"output": OBSERVED, "expected": EXPECTED})[0].score == 0.0
    ours = 'compare("exact", ...), with its record'
    times = microseconds(
        {
            ours: lambda: compare("exact", EXPECTED, OBSERVED),
            "langchain-classic ExactMatchStringEvaluator": lambda: langchain.evaluate_strings(
                prediction=OBSERVED, reference=EXPECTED
            ),
            "dirty-equals IsStr(regex=...)": lambda: IsStr(regex="The answer is forty-two\\.") == OBSERVED,
            "autoevals ExactMatch": lambda: autoevals(OBSERVED, EXPECTED),
            "phoenix-evals exact_match": lambda: exact_match.evaluate({"output": OBSERVED, "expected": EXPECTED}),
            "deepdiff DeepDiff": lambda: DeepDiff(EXPECTED, OBSERVED),
        }
    )
    print_table("equality of two short texts", times, ours=ours)


if __name__ == "__main__":
    ratios()
    equal_documents()
    text_equality()
