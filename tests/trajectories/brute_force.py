"""Brute-force definitions of the operators: slow, and too simple to be wrong."""

import itertools


def subsequences(observed):
    return itertools.chain.from_iterable(itertools.combinations(observed, size) for size in range(len(observed) + 1))


def injections(expected, observed):
    """Every way to give expected calls observed ones of their own; None leaves one without."""
    for choice in itertools.product([None, *range(len(observed))], repeat=len(expected)):
        taken = [right for right in choice if right is not None]
        if len(taken) == len(set(taken)):
            yield choice


def best(expected, observed, score, ordered):
    """The highest sum of scores over all pairings, without crossing if ordered."""
    sums = [0.0]
    for choice in injections(expected, observed):
        taken = [right for right in choice if right is not None]
        if ordered and taken != sorted(taken):
            continue
        scores = [score(expected[left], observed[right]) for left, right in enumerate(choice) if right is not None]
        sums.append(sum(scores))
    return max(sums)


def in_order(expected, observed, accepts):
    return any(
        len(chosen) == len(expected) and all(map(accepts, expected, chosen)) for chosen in subsequences(observed)
    )


def edit_cost(expected, observed, score):
    if not expected or not observed:
        return float(len(expected) + len(observed))
    return min(
        edit_cost(expected[1:], observed, score) + 1,
        edit_cost(expected, observed[1:], score) + 1,
        edit_cost(expected[1:], observed[1:], score) + 1 - score(expected[0], observed[0]),
    )


def expansions(steps, most):
    """Every sequence of calls that a step list allows, up to a length."""
    if not steps:
        yield ()
        return
    (items, least, greatest), *rest = steps
    for times in range(least, greatest + 1):
        for repeated in itertools.product(list(_orders(items)), repeat=times):
            head = tuple(itertools.chain.from_iterable(repeated))
            if len(head) <= most:
                for tail in expansions(rest, most - len(head)):
                    yield head + tail


def _orders(items):
    counts = [range(least, greatest + 1) for _, least, greatest in items]
    for chosen in itertools.product(*counts):
        calls = [call for (call, _, _), count in zip(items, chosen, strict=True) for _ in range(count)]
        yield from set(itertools.permutations(calls))


def steps_match(steps, observed, accepts, extras):
    pool = [tuple(observed)] if extras == "forbid" else list(subsequences(observed))
    return any(
        len(wanted) == len(made) and all(map(accepts, wanted, made))
        for wanted in set(expansions(steps, len(observed)))
        for made in pool
    )
