"""How ``json_distance`` grows, beside an edit distance over the text of the same documents."""

from __future__ import annotations

import argparse
import json
import random
import time
import tracemalloc
from collections.abc import Callable

from pytest_verdict.operators import JsonDistance


def document(characters: int, seed: int) -> dict[str, object]:
    """Make a document of about so many characters: orders with customers, items and prices."""
    draw = random.Random(seed)
    orders: list[object] = []
    size = 0
    while size < characters:
        order = {
            "id": f"order-{len(orders):06}",
            "customer": {"name": f"customer {draw.randrange(500)}", "city": draw.choice(["Paris", "Lima", "Oslo"])},
            "items": [{"sku": draw.randrange(10_000), "price": draw.randrange(100, 9_999) / 100} for _ in range(3)],
        }
        orders.append(order)
        size += len(json.dumps(order))
    return {"orders": orders}


def changed(original: dict[str, object], seed: int) -> dict[str, object]:
    """Change a few values, and leave a few orders out."""
    draw = random.Random(seed)
    copy = json.loads(json.dumps(original))
    orders = copy["orders"]
    for order in draw.sample(orders, max(len(orders) // 20, 1)):
        order["customer"]["city"] = "Rome"
    for _ in range(max(len(orders) // 50, 1)):
        del orders[draw.randrange(len(orders))]
    return copy


def unlike(length: int, seed: int) -> list[object]:
    """Make a long list of texts that no other list shares."""
    draw = random.Random(seed)
    return [f"{draw.getrandbits(64):x}" for _ in range(length)]


def seconds(run: Callable[[], object]) -> float:
    """Time one call in processor seconds."""
    start = time.process_time()
    run()
    return time.process_time() - start


def peak_megabytes(run: Callable[[], object]) -> float:
    """Give the peak of memory that one call takes in Python's allocator."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    """Print the growth, the quadratic worst case, and the ratio to a text distance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-peer", action="store_true", help="leave out langchain, which takes about 20 seconds")
    options = parser.parse_args()
    operator = JsonDistance()
    print("| documents | json_distance | peak memory |\n|---|---|---|")
    for characters in (49_000, 250_000, 1_000_000):
        left = document(characters, 1)
        right = changed(left, 2)
        texts = json.dumps(left), json.dumps(right)
        taken = seconds(lambda texts=texts: operator.evaluate(*texts))
        peak = peak_megabytes(lambda texts=texts: operator.evaluate(*texts))
        print(
            f"| {characters // 1000} kB against {characters // 1000} kB | {taken:.2f} s | {peak:.0f} MB |", flush=True
        )
    for length in (1_000, 10_000, 100_000):
        lists = unlike(length, 1), unlike(length, 2)
        taken = seconds(lambda lists=lists: operator.evaluate(*lists))
        print(f"| two unlike lists of {length:,} items (worst case) | {taken:.2f} s | |", flush=True)
    if not options.without_peer:
        beside_text_distance(operator)


def beside_text_distance(operator: JsonDistance) -> None:
    """Compare two documents of 49 kB with both."""
    from langchain_classic.evaluation import JsonEditDistanceEvaluator

    left = document(49_000, 1)
    texts = json.dumps(left), json.dumps(changed(left, 2))
    ours = min(seconds(lambda: operator.evaluate(*texts)) for _ in range(3))
    peer = JsonEditDistanceEvaluator()
    theirs = seconds(lambda: peer.evaluate_strings(prediction=texts[1], reference=texts[0]))
    print("\n| 49 kB against 49 kB | time | ratio |\n|---|---|---|")
    print(f"| json_distance | {ours:.3f} s | 1 |")
    print(f"| langchain-classic JsonEditDistanceEvaluator | {theirs:.1f} s | {theirs / ours:.0f} |")


if __name__ == "__main__":
    main()
