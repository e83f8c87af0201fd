"""What docs/how-to/coming-from.md teaches for the string evaluators of LangChain."""

import re
from typing import Any

from tools.peers.case import REFUSED, Absent, Here


def _score(theirs: Any) -> Any:
    return REFUSED if theirs is REFUSED else float(theirs["score"])


def exact_match(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    if scorer.ignore_numbers:
        yield _score(theirs), Absent("without digits, 3 equals 4")
        return
    normalize = ["remove_punctuation"] if scorer.ignore_punctuation else []
    settings = {"normalize": normalize, "case_sensitive": not scorer.ignore_case}
    yield _score(theirs), Here("exact", call["reference"], call["prediction"], settings)


def regex_match(call: Any, theirs: Any) -> Any:
    flags = [flag.name for flag in re.RegexFlag(call["self"].flags) if flag is not re.UNICODE]
    yield _score(theirs), Here("regex", call["reference"], call["prediction"], {"mode": "match", "flags": flags})


def json_equality(call: Any, theirs: Any) -> Any:
    if call["self"].operator.__name__ != "eq":
        yield _score(theirs), Absent("a function of the user compares the documents")
        return
    expected, observed = call["reference"], call["prediction"]
    if _is_list(expected):
        yield (
            _score(theirs),
            Here(
                "json_distance",
                expected,
                observed,
                {"list_order": "unordered"},
                scale=lambda result: float(result.passed),
            ),
        )
    else:
        yield _score(theirs), Here("json_canonical", expected, observed)


def json_validity(call: Any, theirs: Any) -> Any:
    yield _score(theirs), Here("json_schema", True, call["prediction"])


def json_schema(call: Any, theirs: Any) -> Any:
    schema = call["reference"]
    if hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    yield _score(theirs), Here("json_schema", schema, call["prediction"])


def json_edit_distance(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    if "rapidfuzz" not in (getattr(scorer._string_distance, "__module__", "") or ""):
        yield _score(theirs), Absent("a function of the user compares the documents")
        return
    reason = "there, the characters of the JSON text are counted; here, the parts of the document"
    yield (
        _score(theirs),
        Here(
            "json_distance", call["reference"], call["prediction"], reason=reason, scale=lambda result: 1 - result.score
        ),
    )


def string_distance(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    metric = scorer.distance.value
    inputs = call["inputs"]
    expected = inputs.get("reference", inputs.get("prediction_b"))
    observed = inputs["prediction"]
    if metric == "hamming":
        yield _score(theirs), Absent("Hamming is defined only for texts of the same length")
        return
    if scorer.normalize_score or metric in ("jaro", "jaro_winkler"):
        scale = _similarity_to_distance
    else:
        scale = _distance_in_details
    yield _score(theirs), Here("text_similarity", expected, observed, {"metric": metric}, scale=scale)


def _similarity_to_distance(result: Any) -> float:
    return 1 - result.score


def _distance_in_details(result: Any) -> float:
    return float(result.details["distance"])


def _is_list(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("["))


_EVALUATION = "langchain_classic.evaluation"
WATCHED = {
    f"{_EVALUATION}.exact_match.base:ExactMatchStringEvaluator._evaluate_strings": exact_match,
    f"{_EVALUATION}.regex_match.base:RegexMatchStringEvaluator._evaluate_strings": regex_match,
    f"{_EVALUATION}.parsing.base:JsonEqualityEvaluator._evaluate_strings": json_equality,
    f"{_EVALUATION}.parsing.base:JsonValidityEvaluator._evaluate_strings": json_validity,
    f"{_EVALUATION}.parsing.json_schema:JsonSchemaEvaluator._evaluate_strings": json_schema,
    f"{_EVALUATION}.parsing.json_distance:JsonEditDistanceEvaluator._evaluate_strings": json_edit_distance,
    f"{_EVALUATION}.string_distance.base:StringDistanceEvalChain._call": string_distance,
    f"{_EVALUATION}.string_distance.base:StringDistanceEvalChain._acall": string_distance,
    f"{_EVALUATION}.string_distance.base:PairwiseStringDistanceEvalChain._call": string_distance,
    f"{_EVALUATION}.string_distance.base:PairwiseStringDistanceEvalChain._acall": string_distance,
}
