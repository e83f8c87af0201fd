"""How time grows with size, from ten items to a hundred thousand, and the exponent that fits: 1 is linear, 2 quadratic.

A row ends where one comparison took too long. The last column says at which size one comparison takes a second, which
matters where the exponent is above that of n log n.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping

from pytest_verdict import compare
from pytest_verdict.operators import NumericTolerance

SIZES = (10, 100, 1_000, 10_000, 100_000)
SECONDS = 3.0
# n log n has this exponent between a thousand and a hundred thousand items, and a loaded machine adds some.
STEEP = 1.25
# Below, the constant part of a comparison counts more than its growth.
LEAST = 0.002


def calls(size: int) -> list[dict]:
    return [{"name": "tool", "args": {"query": f"query {at}", "limit": at}} for at in range(size)]


def changed(made: list[dict], by: int) -> list[dict]:
    return [{**call, "args": {**call["args"], "limit": call["args"]["limit"] + by}} for call in made]


def shuffled(items: list) -> list:
    return random.Random(1).sample(items, len(items))


def contestants(size: int) -> Mapping[str, Callable[[], object]]:
    """Give the comparisons of a size."""
    return {**operators(size), **trajectories(size)}


def operators(size: int) -> Mapping[str, Callable[[], object]]:
    """Give the comparisons of texts, lists and documents."""
    texts = [f"text {at}" for at in range(size)]
    words = " ".join(f"w{at % 997}" for at in range(size))
    other_words = words.replace("w5 ", "x5 ")
    items = [{"id": at, "kind": "order"} for at in range(size)]
    some_changed = [{**item, "kind": "x"} if at % 100 == 0 else item for at, item in enumerate(items)]
    more = [{**item, "more": 1} for item in reversed(items)]
    fields = {f"key {at}": at for at in range(size)}
    document, reordered = json.dumps(items), json.dumps([dict(reversed(item.items())) for item in items])
    rows: list[tuple[str, object, object, dict]] = [
        ("exact", texts, [*texts[:-1], "x"], {}),
        ("normalized_exact", texts, [text.upper() for text in texts], {}),
        ("literal", items, items[:], {}),
        ("one_of", texts, "x", {}),
        ("contains_any", texts, "nothing of it", {}),
        ("contains_all", texts, words, {}),
        ("regex", "w[0-9]+ x", words, {"mode": "search"}),
        ("trace_regex", "w5", words, {}),
        ("trace_length", None, words, {"max": 10, "unit": "words"}),
        ("not_blank", None, " " * size, {}),
        ("text_similarity", words, other_words, {"metric": "token_f1"}),
        ("text_similarity", words, other_words, {"metric": "rouge_l"}),
        ("text_similarity", words, other_words, {"metric": "levenshtein"}),
        ("text_similarity", words, other_words, {"metric": "jaro"}),
        ("semantic", "a", "b", {"embedder": lambda pair: [[1.0] * size for _ in pair]}),
        ("set_containment", texts, shuffled(texts), {}),
        ("set_similarity", items, some_changed, {}),
        ("ordered_match", items, [*some_changed[1:], "x"], {}),
        ("mapping_match", fields, {**fields, "key 1": 2}, {}),
        ("list_similarity", texts, shuffled(texts), {"inner": "exact"}),
        ("best_of", texts, "x", {"inner": "exact"}),
        ("all_of", 1, 1, {"conditions": ["exact"] * size}),
        ("json_canonical", document, reordered, {}),
        ("json_canonical", items, some_changed[1:], {"ignore": ["$..kind"]}),
        ("json_subset", items, more, {}),
        ("json_distance", items, some_changed[1:], {}),
        ("json_distance", items, some_changed[::-1], {"list_order": "unordered"}),
        ("json_similarity", items, some_changed, {}),
        ("by_field", items, some_changed, {"rules": {"$[*].id": "numeric_exact"}}),
        ("json_schema", {"items": {"required": ["id"]}}, items, {}),
        ("json_schema", {"uniqueItems": True}, items, {}),
        ("pass_rate", 0.9, {"pass": 9 * size, "fail": size, "error": 0}, {"confident": True}),
    ]
    comparisons = {}
    for name, expected, observed, settings in rows:
        words_of_settings = [f"{key}={value}" for key, value in settings.items() if isinstance(value, str)]
        hint = [key for key in ("ignore",) if key in settings] + [
            key for key in ("uniqueItems",) if key in str(expected)[:20]
        ]
        label = ", ".join([name, *words_of_settings, *hint])
        comparisons[label] = lambda name=name, expected=expected, observed=observed, settings=settings: compare(
            name, expected, observed, **settings
        )
    return comparisons


def trajectories(size: int) -> Mapping[str, Callable[[], object]]:
    """Give the comparisons of calls."""
    made = calls(size)
    rules = {"*": {"limit": NumericTolerance(tolerance=1, mode="absolute")}}
    one_wrong = [*made[:-1], {"name": "tool", "args": {"query": "other", "limit": -9}}]
    return {
        "trajectory_exact": lambda: compare("trajectory_exact", made, made[:]),
        "trajectory_any_order, shuffled": lambda: compare("trajectory_any_order", made, shuffled(made)),
        "trajectory_similarity, the last call wrong": lambda: compare("trajectory_similarity", made, one_wrong),
        "trajectory_similarity, shuffled, a tolerance": lambda: compare(
            "trajectory_similarity", made, shuffled(changed(made, 1)), args=rules
        ),
        "trajectory_f1, partial credit, a tolerance": lambda: compare(
            "trajectory_f1", made, shuffled(changed(made, 1)), args=rules, credit="partial"
        ),
    }


def main() -> None:
    """Print the processor seconds of each comparison at each size, and what fits them."""
    header = [f"{size:,}" for size in SIZES]
    print(f"| comparison | {' | '.join(header)} | exponent | one second at |\n|---|{'---|' * (len(SIZES) + 2)}")
    only = sys.argv[1:]
    tables = {size: contestants(size) for size in SIZES}
    for name in tables[SIZES[0]]:
        if only and not any(word in name for word in only):
            continue
        # Imports, and what is built once.
        tables[SIZES[0]][name]()
        times: dict[int, float] = {}
        for size in SIZES:
            start = time.process_time()
            tables[size][name]().details  # noqa: B018 - the evidence is part of the work
            times[size] = time.process_time() - start
            if times[size] > SECONDS:
                break
        print(row_of(name, times), flush=True)


def row_of(name: str, times: Mapping[int, float]) -> str:
    """Write a row: the times, the exponent of a line through their logarithms, and the size at which it is a second."""
    seconds = [f"{times[size]:.3f} s" if size in times else "" for size in SIZES]
    points = [(math.log(size), math.log(second)) for size, second in [*times.items()][-3:] if second >= LEAST]
    exponent, at = "", ""
    if len(points) > 1:
        slope, start = statistics.linear_regression(*zip(*points, strict=True))
        exponent = f"{slope:.2f}" if slope <= STEEP else f"**{slope:.2f}**"
        at = f"{math.exp(-start / slope):,.0f}" if slope > 0.5 else ""
    return f"| {name} | {' | '.join(seconds)} | {exponent} | {at} |"


if __name__ == "__main__":
    main()
