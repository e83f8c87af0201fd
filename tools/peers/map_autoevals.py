"""What docs/how-to/coming-from.md teaches for autoevals."""

import json
from typing import Any

from tools.peers.case import REFUSED, Absent, Here

_TYPES = "values keep their types; there, everything is compared as text"
_ORDER = "the order of keys counts there"


def _score(theirs: Any) -> Any:
    return theirs if theirs is REFUSED else float(theirs.score)


def exact_match(call: Any, theirs: Any) -> Any:
    expected, observed = call["expected"], call["output"]
    if isinstance(expected, dict | list) or isinstance(observed, dict | list):
        reason = _ORDER if _parsed(expected) == _parsed(observed) else None
        yield _score(theirs), Here("json_canonical", expected, observed, reason=reason)
        return
    reason = _TYPES if type(expected) is not type(observed) else None
    yield _score(theirs), Here("exact", expected, observed, reason=reason)


def levenshtein(call: Any, theirs: Any) -> Any:
    yield _score(theirs), Here("text_similarity", call["expected"], call["output"])


def numeric(call: Any, theirs: Any) -> Any:
    yield _score(theirs), Here("numeric_similarity", call["expected"], call["output"])


def list_contains(call: Any, theirs: Any) -> Any:
    if type(call["self"].pairwise_scorer).__name__ != "Levenshtein":
        yield _score(theirs), Absent("a scorer of theirs compares the items")
        return
    extras = "ignore" if call["self"].allow_extra_entities else "count"
    yield _score(theirs), Here("list_similarity", call["expected"], call["output"], {"extras": extras})


def json_diff(call: Any, theirs: Any) -> Any:
    scorer = call["self"].number_scorer
    expected, observed = call["expected"], call["output"]
    if type(scorer).__name__ != "NumericDiff":
        yield _score(theirs), Absent("a scorer of theirs compares the numbers")
        return
    settings = {"parse": _is_document(expected) and _is_document(observed)}
    yield _score(theirs), Here("json_similarity", expected, observed, settings)


def valid_json(call: Any, theirs: Any) -> Any:
    schema = call["schema"]
    if schema is None:
        schema = {"type": ["object", "array"]}
    yield _score(theirs), Here("json_schema", schema, call["output"])


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _is_document(value: Any) -> bool:
    """Return whether JSONDiff parses a text: only objects and lists count as JSON there."""
    if not isinstance(value, str):
        return True
    try:
        return isinstance(json.loads(value), dict | list)
    except ValueError:
        return False


WATCHED = {
    "autoevals.value:ExactMatch._run_eval_sync": exact_match,
    "autoevals.string:Levenshtein._run_eval_sync": levenshtein,
    "autoevals.number:NumericDiff._run_eval_sync": numeric,
    "autoevals.list:ListContains._run_eval_sync": list_contains,
    "autoevals.json:JSONDiff._run_eval_sync": json_diff,
    "autoevals.json:ValidJSON._run_eval_sync": valid_json,
}
