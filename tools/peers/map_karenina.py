"""What docs/explanation/answer-templates-and-the-reference.md teaches for templates of Karenina: names and settings stay."""

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from karenina.schemas import primitives as their_primitives

from pytest_verdict import SynonymMap
from pytest_verdict.operators import AllOf, AnyOf, AtLeastN
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ConditionalGroundTruth,
    FieldCheck,
    GroundTruthCase,
    VerifiedField,
)
from pytest_verdict.templates.conditional import CaseChoice, read_source
from pytest_verdict.templates.primitives import PRIMITIVES
from tools.peers.case import REFUSED, Here, Lazy

_NODES = {"all_of": AllOf, "any_of": AnyOf, "at_least_n": AtLeastN}
_TYPES = "values keep their types; there, everything is compared as text, as a number or by its truth"
_GATE = "without full_credit, only the ground truth passes, and a warning says so"
_EMPTY = "a check must accept some values, not all"
_DATE = "a date never has parts of today"
_MISSING = "a context without the first key of the source raises; there, the default applies"
_CACHE = "nothing is cached between calls: a context that changed counts"
_SETTING = "a setting that does not exist is refused"
_BOUND = "a bound without a time is a whole day"


def _build_primitive(data: Mapping[str, Any]) -> Any:
    settings = {name: value for name, value in data.items() if name != "type" and value is not None}
    if "normalize" in settings:
        settings["normalize"] = [_build_step(step) for step in settings["normalize"]]
    return PRIMITIVES[data["type"]](**settings)


def _build_step(step: Any) -> Any:
    mapping = step.get("mapping") if isinstance(step, Mapping) else getattr(step, "mapping", None)
    return step if mapping is None else SynonymMap(mapping=mapping)


def _own_class(scorer: Any) -> str | None:
    """Return the name of a primitive; a class that a test derives from one has code of its own."""
    name = type(scorer).__name__
    return name if getattr(their_primitives, name, None) is type(scorer) else None


def _describe_primitive(scorer: Any) -> dict[str, Any]:
    return {"type": type(scorer).__name__, **scorer.model_dump()}


def _reason(scorer: Any, expected: Any, observed: Any) -> str | None:
    """Return the difference in meaning that these values show."""
    name = type(scorer).__name__
    if name == "NumericGraded" and scorer.full_credit is None:
        return _GATE
    if getattr(scorer, "substrings", None) == [] or getattr(scorer, "substring", None) == "":
        return _EMPTY
    if name in {"SetContainment", "NumericRange", "TraceLength"} and not expected:
        return _EMPTY
    if name == "BooleanMatch":
        return None if isinstance(observed, bool) and isinstance(expected, bool) else _TYPES
    if name in {"DateMatch", "DateTolerance", "DateRange"}:
        return _BOUND if name == "DateRange" else _DATE
    if name == "RegexMatch":
        return _SETTING if {*scorer.flags} - {"ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE"} else None
    if name.startswith("Numeric") and all(isinstance(side, int | float | None) for side in (expected, observed)):
        return None
    if name in {"OrderedMatch", "SetContainment"}:
        return _TYPES
    return None if isinstance(observed, str) and isinstance(expected, str | None) else _TYPES


def check(call: Any, theirs: Any) -> Any:
    scorer = call["self"]
    if _own_class(scorer) is None:
        return
    expected = call["expected"] if "expected" in call else call.get("_expected")
    observed = call["extracted"] if "extracted" in call else call["raw_trace"]
    data = _describe_primitive(scorer)

    def build() -> Here:
        operator = _build_primitive(data)
        # A field that reads the response says whether it must match.
        return Here(operator, True if operator.kind == "trace" else expected, observed)

    reason = _reason(scorer, expected, observed)
    yield theirs if theirs is REFUSED else bool(theirs), Lazy(build, f"{data} {expected!r} {observed!r}", reason)


def score(call: Any, theirs: Any) -> Any:
    for _, here in check(call, theirs):
        yield theirs if theirs is REFUSED else float(theirs), here


def _build_strategy(node: Any, leaves: Callable[[Any], str]) -> Any:
    if getattr(node, "type", None) not in _NODES:
        return FieldCheck(field=leaves(node))
    settings = {"conditions": [_build_strategy(part, leaves) for part in node.conditions]}
    if node.type == "at_least_n":
        settings["n"] = node.n
    return _NODES[node.type](**settings)


def _strategy(node: Any, fields: Mapping[str, bool], leaves: Callable[[Any], str], theirs: Any) -> Iterator[Any]:
    def build() -> Here:
        return Here(_build_strategy(node, leaves), dict.fromkeys(fields, True), dict(fields))

    yield theirs, Lazy(build, f"{node!r} {fields!r}", _EMPTY)


def evaluate_strategy(call: Any, theirs: Any) -> Any:
    yield from _strategy(call["node"], call["field_results"], lambda leaf: leaf.field, theirs)


def evaluate_composition(call: Any, theirs: Any) -> Any:
    leaves: list[Any] = []

    def collect(node: Any) -> None:
        if getattr(node, "type", None) in _NODES:
            for part in node.conditions:
                collect(part)
        else:
            leaves.append(node)

    collect(call["node"])
    results = {f"leaf {number}": bool(call["leaf_evaluator"](leaf)) for number, leaf in enumerate(leaves)}
    names = iter(results)
    yield from _strategy(call["node"], results, lambda _leaf: next(names), theirs)


def _read_truth(meta: Any) -> Any:
    truth = meta.ground_truth
    if not isinstance(truth, dict) or not truth.get("__conditional__"):
        return truth

    def read_case(case: Mapping[str, Any]) -> GroundTruthCase:
        operator = None if case.get("verify_with") is None else _build_primitive(case["verify_with"])
        return GroundTruthCase(value=case["value"], verify_with=operator)

    cases = {name: read_case(case) for name, case in truth["cases"].items()}
    return ConditionalGroundTruth(source=truth["source"], cases=cases, default=read_case(truth["default"]))


def _build_template(cls: Any) -> type[BaseAnswer]:
    """Build the template with the fields and the strategy of one of theirs."""
    body: dict[str, Any] = {"__module__": __name__, "__qualname__": cls.__name__, "__annotations__": {}}
    for name, meta in cls._get_verified_fields().items():
        info = cls.model_fields[name]
        operator = _build_primitive(meta.verify_with)
        body[name] = VerifiedField(info.description, _read_truth(meta), operator, meta.weight, meta.extraction_hint)
        body["__annotations__"][name] = info.annotation
    strategy = getattr(getattr(cls, "VerificationStrategy", None), "verify_strategy", None)
    if strategy is not None:
        node = _build_strategy(strategy, lambda leaf: leaf.field)
        place = {"__module__": __name__, "__qualname__": f"{cls.__name__}.VerificationStrategy"}
        body["VerificationStrategy"] = type("VerificationStrategy", (), {"verify_strategy": node, **place})
    return types.new_class(cls.__name__, (BaseAnswer,), exec_body=lambda own: own.update(body))


def _template(call: Any) -> Lazy:
    answer = call["self"]
    trace = getattr(answer, "_raw_trace", None)
    context = getattr(answer, "_scenario_context", None)
    nulls = answer.__dict__.get("_null_fields") or set()
    values = {name: None if name in nulls else getattr(answer, name, None) for name in answer._get_verified_fields()}

    def build() -> Here:
        template = _build_template(type(answer))
        judged = template.__verdict_definition__.extracted
        return Here(*AnswerTemplate(template).prepare({name: values[name] for name in judged}, trace, context))

    operators = [meta.verify_with for meta in answer._get_verified_fields().values()]
    is_gated = any(data["type"] == "NumericGraded" and data.get("full_credit") is None for data in operators)
    return Lazy(build, f"{type(answer).__name__} {values!r} {trace!r} {context!r}", _GATE if is_gated else _CACHE)


def verify(call: Any, theirs: Any) -> Any:
    yield theirs, _template(call)


def verify_granular(call: Any, theirs: Any) -> Any:
    here = _template(call)
    yield theirs, Lazy(here.build, here.label, here.reason, scale=lambda result: result.details["granular_score"])


def verify_regex(call: Any, theirs: Any) -> Any:
    for name, passed in ({} if theirs is REFUSED else theirs["results"]).items():
        entry = call["self"].regex[name]
        settings = {"pattern": entry.get("pattern", ""), "match_type": entry.get("match_type", "exact")}
        settings["value"] = entry.get("expected")
        reason = _EMPTY if settings["value"] == [] else _TYPES
        yield passed, Here("regex_check", None, call["raw_trace"], settings, reason=reason)


def apply_normalizers(call: Any, theirs: Any) -> Any:
    steps = [_build_step(step) for step in call["normalizers"]]
    if theirs is REFUSED:
        yield REFUSED, Here("normalized_exact", "", call["text"], {"normalize": steps})
    else:
        # The steps change what they made no more, so both sides are equal if they make the same here.
        yield True, Here("normalized_exact", theirs, call["text"], {"normalize": steps})


def apply_normalizer(call: Any, theirs: Any) -> Any:
    yield from apply_normalizers({"normalizers": [call["normalizer"]], "text": call["text"]}, theirs)


def resolve_conditional(call: Any, theirs: Any) -> Any:
    data = call["cgt_data"]
    context = call["context"]
    if theirs is REFUSED or "source" not in data:
        return

    def build() -> Here:
        value = None if context is None else read_source(context, data["source"])
        return Here(CaseChoice(), list(data["cases"]), value)

    def is_same(result: Any) -> float:
        case = data["cases"].get(result.details["case"], data["default"])
        return float((case.get("value"), case.get("verify_with")) == theirs)

    yield 1.0, Lazy(build, f"{data!r} {context!r}", _MISSING, scale=is_same)


_PARSED = (
    *("BooleanMatch", "ContainsAll", "ContainsAny", "DateMatch", "DateRange", "DateTolerance", "ExactMatch"),
    *("LiteralMatch", "NumericExact", "NumericGraded", "NumericMaximum", "NumericMinimum", "NumericRange"),
    *(
        "NumericRangeGraded",
        "NumericThresholdGraded",
        "NumericTolerance",
        "OrderedMatch",
        "RegexMatch",
        "SetContainment",
    ),
)
_GRADED = ("NumericGraded", "NumericRangeGraded", "NumericThresholdGraded")
_SCHEMAS = "karenina.schemas"
WATCHED = {
    **{f"{_SCHEMAS}.primitives.comparisons:{name}.check": check for name in _PARSED},
    **{f"{_SCHEMAS}.primitives.comparisons:{name}.score": score for name in _GRADED},
    **{
        f"{_SCHEMAS}.primitives.trace:{name}.check_trace": check
        for name in ("TraceContains", "TraceLength", "TraceRegex")
    },
    f"{_SCHEMAS}.entities.composition:evaluate_strategy": evaluate_strategy,
    f"{_SCHEMAS}.primitives.composition:evaluate_composition": evaluate_composition,
    f"{_SCHEMAS}.primitives.normalizers:apply_normalizer": apply_normalizer,
    f"{_SCHEMAS}.primitives.normalizers:apply_normalizers": apply_normalizers,
    f"{_SCHEMAS}.entities.conditional:_resolve_conditional": resolve_conditional,
    f"{_SCHEMAS}.entities.answer:BaseAnswer._auto_verify": verify,
    f"{_SCHEMAS}.entities.answer:BaseAnswer._auto_verify_granular": verify_granular,
    f"{_SCHEMAS}.entities.answer:BaseAnswer.verify_regex": verify_regex,
}
