"""What docs/how-to/coming-from.md teaches for the evaluators of the server of Phoenix that are no judges."""

from typing import Any

from phoenix.server.api import evaluators

from pytest_verdict.extraction.input_mapping import read_input
from tools.peers.case import REFUSED, Absent, Here, Lazy

_TYPES = "1 and 1.0 are one number here"
_ALIGNED = (
    "a list is aligned here, so that an item that was left out is one difference; there, all items behind it differ"
)
_EMPTY = "a check must accept some values, not all and not none"
_SYNTAX = "a path that two standards read in two ways, or none reads, is refused"


def _count_differences(result: Any) -> float:
    return float(len(result.details.get("differences", ())))


def _json(expected: Any, observed: Any, **settings: Any) -> Here:
    reason = _ALIGNED if isinstance(expected, list) else None
    if isinstance(expected, int | float) and isinstance(observed, int | float):
        reason = _TYPES
    return Here("json_distance", expected, observed, settings, reason=reason, scale=_count_differences)


def _edits(expected: Any, observed: Any, **settings: Any) -> Here:
    settings["metric"] = "levenshtein"
    return Here("text_similarity", expected, observed, settings, scale=lambda result: result.details["distance"])


def levenshtein_distance(call: Any, theirs: Any) -> Any:
    yield theirs if theirs is REFUSED else float(theirs), _edits(call["s1"], call["s2"])


def json_diff_count(call: Any, theirs: Any) -> Any:
    yield theirs if theirs is REFUSED else float(theirs), _json(call["expected"], call["actual"], parse=False)


def apply_input_mapping(call: Any, theirs: Any) -> Any:
    mapping = call["input_mapping"]
    for key, path in (mapping.path_mapping or {}).items():
        if key in (mapping.literal_mapping or {}):
            yield (
                theirs if theirs is REFUSED else True,
                Absent("a path and a literal for one input are refused together"),
            )
            continue
        value = None if theirs is REFUSED else theirs[key]

        def build(key: str = key, path: str = path, value: Any = value) -> Here:
            source = {"path": path}
            if isinstance(value, list) and any(sign in path for sign in ("*", "..", ":")):
                source["many"] = "list"
            return Here("exact", value, read_input(key, source)(call["context"]))

        yield theirs if theirs is REFUSED else True, Lazy(build, f"{path!r} {call['context']!r}", _SYNTAX)


def _compare(name: str, inputs: Any) -> Here:
    if name == "ContainsEvaluator":
        words = [word.strip() for word in inputs["words"].split(",") if word.strip()]
        operator = "contains_all" if inputs.get("require_all") else "contains_any"
        settings = {"case_sensitive": inputs.get("case_sensitive", False)}
        return Here(operator, words, inputs["text"], settings, reason=None if words else _EMPTY)
    if name == "RegexEvaluator":
        settings = {"mode": "fullmatch" if inputs.get("full_match") else "search"}
        return Here("regex", inputs["pattern"], inputs["text"], settings)
    is_exact = inputs.get("case_sensitive", True)
    if name == "ExactMatchEvaluator":
        return Here("exact", inputs["expected"], inputs["actual"], {"case_sensitive": is_exact})
    if name == "LevenshteinDistanceEvaluator":
        return _edits(inputs["expected"], inputs["actual"], **({} if is_exact else {"normalize": ["lowercase"]}))
    return _json(inputs["expected"], inputs["actual"], parse=inputs.get("parse_strings", True))


def evaluate(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    schema = scorer.input_schema
    try:
        inputs = evaluators.apply_input_mapping(
            input_schema=schema, input_mapping=call["input_mapping"], context=call["context"]
        )
    except ValueError:
        yield REFUSED, Absent("a path that matches nothing is an error before anything is compared")
        return
    # The server turns inputs of the type string into text, as a step before the comparison.
    inputs = evaluators.cast_template_variable_types(template_variables=inputs, input_schema=schema)
    for config, result in zip(call["output_configs"], theirs, strict=True):
        here = _compare(type(scorer).__name__, inputs)
        if result["error"] is not None:
            yield REFUSED, here
        elif here.scale is None:
            yield result["label"] == config.values[0].label, here
        else:
            yield float(result["score"]), here


_PLACE = "phoenix.server.api.evaluators"
WATCHED = {
    f"{_PLACE}:levenshtein_distance": levenshtein_distance,
    f"{_PLACE}:json_diff_count": json_diff_count,
    f"{_PLACE}:apply_input_mapping": apply_input_mapping,
    f"{_PLACE}:BuiltInEvaluator.evaluate": evaluate,
}
