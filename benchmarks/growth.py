"""How time grows with size, from a hundred items to a hundred thousand: a tenfold size should take about ten times as long."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping

from pytest_verdict import compare
from pytest_verdict.operators import NumericTolerance

SIZES = (100, 1_000, 10_000, 100_000)
# What compares each with each, because every pair may have another score.
PRODUCTS = {"trajectory_similarity, shuffled, a tolerance", "trajectory_f1, partial credit, a tolerance"}
LIMIT = 100


def calls(size: int) -> list[dict]:
    return [{"name": "tool", "args": {"query": f"query {at}", "limit": at}} for at in range(size)]


def changed(made: list[dict], by: int) -> list[dict]:
    return [{**call, "args": {**call["args"], "limit": call["args"]["limit"] + by}} for call in made]


def shuffled(items: list) -> list:
    return random.Random(1).sample(items, len(items))


def contestants(size: int) -> Mapping[str, Callable[[], object]]:
    """Give the comparisons of a size."""
    made, texts = calls(size), [f"text {at}" for at in range(size)]
    items = [{"id": at, "kind": "order"} for at in range(size)]
    more = [{**item, "more": 1} for item in reversed(items)]
    document, reordered = json.dumps(items), json.dumps([dict(reversed(item.items())) for item in items])
    rules = {"*": {"limit": NumericTolerance(tolerance=1, mode="absolute")}}
    one_wrong = [*made[:-1], {"name": "tool", "args": {"query": "other", "limit": -9}}]
    return {
        "json_canonical, keys in another order": lambda: compare("json_canonical", document, reordered),
        "json_subset, reversed, one more key each": lambda: compare("json_subset", items, more),
        "set_containment of texts": lambda: compare("set_containment", texts, texts[::-1]),
        "ordered_match": lambda: compare("ordered_match", texts, [*texts[1:], "x"]),
        "trajectory_exact": lambda: compare("trajectory_exact", made, made[:]),
        "trajectory_any_order, shuffled": lambda: compare("trajectory_any_order", made, shuffled(made)),
        "trajectory_any_order, shuffled, a tolerance": lambda: compare(
            "trajectory_any_order", made, shuffled(changed(made, 1)), args=rules
        ),
        "trajectory_similarity, the last call wrong": lambda: compare("trajectory_similarity", made, one_wrong),
        "trajectory_similarity, shuffled, a tolerance": lambda: compare(
            "trajectory_similarity", made, shuffled(changed(made, 1)), args=rules
        ),
        "trajectory_f1, partial credit, a tolerance": lambda: compare(
            "trajectory_f1", made, shuffled(changed(made, 1)), args=rules, credit="partial"
        ),
    }


def main() -> None:
    """Print the processor seconds of each comparison at each size."""
    print(f"| comparison | {' | '.join(f'{size:,}' for size in SIZES)} |\n|---|{'---|' * len(SIZES)}")
    tables = {size: contestants(size) for size in SIZES}
    for name in tables[SIZES[0]]:
        written = []
        for size in SIZES:
            if name in PRODUCTS and size > LIMIT:
                written.append("")
                continue
            start = time.process_time()
            tables[size][name]()
            written.append(f"{time.process_time() - start:.3f} s")
        print(f"| {name} | {' | '.join(written)} |", flush=True)


if __name__ == "__main__":
    main()
