"""Scorers of the output of a scenario: four with their own rules, any operator, and scorers of users."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.core.kernel import error_outcome, raise_unless_of_operator, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr, shorten, shown, visible
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.errors import ConfigurationError, SettingsError, allowed
from pytest_verdict.extraction.input_mapping import EXPECTED, OBSERVED, InputMapping, write_source
from pytest_verdict.extraction.steps import refuse_unknown_keys
from pytest_verdict.operators.synthetic_operators import ScorerVerdict, is_blank_text, not_compared
from pytest_verdict.session import SESSION, publish
from pytest_verdict.suites.adapters import import_object
from pytest_verdict.suites.agent_result import AgentResult, called_tools, name_of_call
from pytest_verdict.suites.suite_model import Scenario, ScorerEntry

if TYPE_CHECKING:
    from pytest_verdict.extraction.evaluator import Evaluator

EXPECTATIONS: Final = ("expected_output", "expected_tools", "expected_tool_args")
_LONGEST_VALUE: Final = 500
_REPLY_KEYS: Final = ("score", "passed", "explanation", "details")
_DEFAULT_SIMILARITY: Final = 0.7
_NO_CALLS: Final = (
    "the adapter reports no tool_calls, so nothing is known about calls; return an AgentResult with tool_calls, which is"
    " an empty list if none were made"
)
_DOCUMENT: Final = (
    "input", "context", "output", "reference", "metadata", "expected_tools", "expected_tool_args", "expected_calls", "tool_calls",
    "latency_ms", "token_usage", "raw_response",
)  # fmt: skip
"""The keys of the document that mappings see."""
_RESULT_KEYS: Final = frozenset({"output", "tool_calls", "latency_ms", "token_usage", "raw_response"})
_READ_BY_KEY: Final[Mapping[str | None, Sequence[str]]] = {
    # A path without a first key may match anywhere.
    None: EXPECTATIONS,
    "reference": ("expected_output",),
    "expected_calls": ("expected_tools", "expected_tool_args"),
    "expected_tools": ("expected_tools",),
    "expected_tool_args": ("expected_tool_args",),
}
_OUTPUTS: Final = {"expected": "$.reference", "observed": "$.output"}
_CALLS: Final = {"expected": "$.expected_calls", "observed": "$.tool_calls"}


class Scored(NamedTuple):
    """The comparisons that a scorer made of one output, and a sentence about them."""

    results: Sequence[ComparisonResult]
    sentence: str

    @property
    def verdict(self) -> Verdict:
        return worst_verdict(result.verdict for result in self.results)


Score = Callable[[Scenario, AgentResult, str, float | None], Scored]
"""Scores one output. Its comparisons have a label as their name, and a threshold if the scorer has none."""


@dataclass(frozen=True, slots=True)
class SuiteScorer:
    """A scorer of a suite."""

    name: str
    score: Score
    check: Callable[[Scenario], None] = lambda _scenario: None
    """Refuses a scenario that the scorer cannot use."""
    expects: Callable[[Scenario], bool] = lambda _scenario: True
    """Returns whether a scenario has anything to compare an output with."""
    reads: Collection[str] = EXPECTATIONS
    """The expectations of a scenario that it reads."""
    takes_threshold: bool = True


def describe_scores(title: str, results: Sequence[ComparisonResult], reason: str | None = None) -> Scored:
    """Describe the comparisons of a scorer: the verdict, and the reason, or why comparisons did not pass."""
    verdict = worst_verdict(result.verdict for result in results)
    reasons = [_describe_failure(result) for result in results if result.error is not None or not result.passed]
    if reason is not None and verdict != "error":
        reasons = [reason]
    return Scored(results, " ".join([f"{title}: {verdict.upper()}.", *reasons]))


def _describe_failure(result: ComparisonResult) -> str:
    if result.error is not None:
        return visible(shorten(result.error, _LONGEST_VALUE))
    # Not loaded while all comparisons pass.
    from pytest_verdict.explanation.facts import build_explanation
    from pytest_verdict.explanation.lines import format_plain

    summary = format_plain(build_explanation(result, SESSION.budget).summary)
    return f"{summary[:1].upper()}{summary[1:]}."


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several that must all be passes."""
    unique = set(verdicts)
    if "error" in unique:
        return "error"
    return "fail" if "fail" in unique else "pass"


def _quote(value: Any) -> str:
    if isinstance(value, str):
        return f'"{visible(shorten(value, _LONGEST_VALUE))}"'
    return visible(shorten(safe_repr(value), _LONGEST_VALUE))


def describe_question(scenario: Scenario) -> str:
    """Write what was asked as the sources of a record, as typed JSON."""
    return f'{{"kind":"scenario",{write_source("document", {"input": scenario.input})}}}'


def derive(sources: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Derive nothing from what was asked: the sides of its record are those of the scenario and the output."""
    return {}, encode_text(sources)


def _compare(
    scenario: Scenario,
    operator: str | Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    *,
    name: str,
    **settings: Any,
) -> ComparisonResult:
    if isinstance(operator, str):
        operator = REGISTRY.build(operator, settings)
    return publish(run(operator, expected, observed, threshold, name, sources=describe_question(scenario)))


def publish_missing(scenario: Scenario, reason: str, expected: Any, instead_of: str, name: str) -> ComparisonResult:
    """Record why there is nothing to compare."""
    sources = describe_question(scenario)
    return publish(not_compared(reason, expected, instead_of=instead_of, name=name, sources=sources))


def _operator_scorer(entry: ScorerEntry) -> SuiteScorer:
    """Build a scorer that compares outputs, or the calls of tools, by an operator."""
    is_trajectory = REGISTRY.find(entry.operator).kind == "trajectory"
    evaluator: Evaluator | None = None
    if entry.mapping is None:
        operator = REGISTRY.build(entry.operator, entry.settings)
        operator.check_configured_threshold(entry.threshold)
        needs_expectation = operator.needs_expected()
    else:
        from pytest_verdict.extraction.evaluator import build_evaluator

        mapping, needs_expectation = _read_mapping(entry, entry.mapping, _CALLS if is_trajectory else _OUTPUTS)
        evaluator = build_evaluator(entry.operator, mapping, entry.threshold, entry.settings)

    def expects(scenario: Scenario) -> bool:
        if not needs_expectation:
            return True
        if is_trajectory:
            # An empty list in the file means that no call is expected.
            return "expected_tools" in scenario.model_fields_set
        return scenario.expected_output is not None

    def check(scenario: Scenario) -> None:
        if evaluator is not None and not expects(scenario):
            key = "expected_tools" if is_trajectory else "expected_output"
            raise SettingsError(f"the mapping of {entry.operator} names no expected, and the scenario has no {key}")
        if is_trajectory:
            _check_arguments(scenario)

    def score(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        limit = entry.threshold or inherited_threshold(evaluator.operator if evaluator else operator, threshold)
        expected = _expected_calls(scenario) if is_trajectory else scenario.expected_output
        if evaluator is not None:
            comparison = evaluator.compare(_build_document(scenario, result), name=label, threshold=limit)
        elif is_trajectory and result.tool_calls is None:
            comparison = publish_missing(scenario, _NO_CALLS, expected, operator.recorded_name(), label)
        else:
            observed = _select_observed(operator.kind, scenario, result)
            comparison = _compare(scenario, operator, expected, observed, limit, name=label)
        return describe_scores(entry.operator, [comparison])

    keys: Iterable[str | None] = ("expected_calls",) if is_trajectory else ("reference",) * needs_expectation
    if evaluator is not None:
        keys = evaluator.mapping.first_keys.values()
    reads = frozenset(name for key in keys for name in _READ_BY_KEY.get(key, ()))
    return SuiteScorer(entry.operator, score, check, expects, reads, takes_threshold=entry.threshold is None)


def _read_mapping(entry: ScorerEntry, own: Mapping[str, Any], defaults: Mapping[str, Any]) -> tuple[InputMapping, bool]:
    """Read the mapping of a scorer, and return whether its expected value must come from the scenario."""
    inputs = {OBSERVED: defaults[OBSERVED], **own}
    mapping = InputMapping.read(inputs)
    needs_expectation = EXPECTED not in inputs
    if needs_expectation and len(mapping.settings) == len(mapping.literals):
        settings = {**entry.settings, **mapping.literals}
        needs_expectation = REGISTRY.build(entry.operator, settings).needs_expected()
    if needs_expectation:
        mapping = InputMapping.read({EXPECTED: defaults[EXPECTED], **inputs})
    for name, key in mapping.first_keys.items():
        if key is not None and key not in _DOCUMENT:
            hint = allowed("key", key, _DOCUMENT)
            raise SettingsError(f"{name}: the document of a scenario has no {shown(key, 60)}.{hint}")
    keys = mapping.first_keys.values()
    if None not in keys and _RESULT_KEYS.isdisjoint(keys):
        raise SettingsError(f"mapping: nothing of the result is compared; it has {', '.join(sorted(_RESULT_KEYS))}")
    return mapping, needs_expectation


def inherited_threshold(operator: Operator | None, threshold: float | None) -> float | None:
    """Return the threshold of a suite for an operator; None where the operator's own settings decide how much must match."""
    if operator is None:
        return threshold
    try:
        operator.check_threshold(threshold)
    except SettingsError:
        return None
    return threshold


def _expected_calls(scenario: Scenario) -> list[Any]:
    arguments = scenario.expected_tool_args
    return [{"name": tool, "args": arguments[tool]} if tool in arguments else tool for tool in scenario.expected_tools]


def _check_arguments(scenario: Scenario) -> None:
    for tool in scenario.expected_tool_args:
        if tool not in scenario.expected_tools:
            hint = allowed("tool", tool, scenario.expected_tools)
            raise SettingsError(f"expected_tool_args: {shown(tool, 60)} is not in expected_tools.{hint}")


def _select_observed(kind: str, scenario: Scenario, result: AgentResult) -> Any:
    if kind == "trajectory":
        return called_tools(result)
    return _build_document(scenario, result) if kind == "run" else result.output


def _build_document(scenario: Scenario, result: AgentResult) -> dict[str, Any]:
    parts = {
        "reference": scenario.expected_output,
        "expected_calls": _expected_calls(scenario),
        "tool_calls": called_tools(result),
    }
    document = {
        key: parts[key] if key in parts else getattr(scenario if hasattr(scenario, key) else result, key)
        for key in _DOCUMENT
    }
    if result.tool_calls is None:
        # A path to calls that were not reported matches nothing, which is an error.
        del document["tool_calls"]
    return document


def _score_exact(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    comparison = _compare(scenario, "exact", scenario.expected_output, result.output, name=label)
    reason = None
    if scenario.expected_output is None:
        reason = "No expected_output defined for this scenario."
    elif not comparison.passed:
        reason = f"Expected {_quote(comparison.expected)}, got {_quote(comparison.observed)}."
    return describe_scores("Exact match", [comparison], reason)


def _score_passfail(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    """Search the expected text in the output, ignoring case, and the expected calls of tools."""
    output = result.output
    calls = called_tools(result)
    comparisons = [_compare(scenario, "not_blank", None, output, name=f"{label}: output")]
    tools = list(dict.fromkeys(scenario.expected_tools))
    if tools:
        name = f"{label}: tools"
        comparisons.append(_compare(scenario, "trajectory_any_order", tools, calls, name=name, args="ignore"))
    for tool, arguments in sorted(scenario.expected_tool_args.items()):
        first_call = [call for call in calls if name_of_call(call) == tool][:1]
        # Each expected argument must be equal; the rule for all others allows more arguments.
        rules: dict[str, str] = {**dict.fromkeys(arguments, "equal"), "*": "contains"}
        expected = [{"name": tool, "args": arguments}]
        name = f"{label}: {tool} arguments"
        comparisons.append(
            _compare(scenario, "trajectory_any_order", expected, first_call, name=name, args={tool: rules})
        )
    if scenario.expected_output is not None:
        text = scenario.expected_output
        name = f"{label}: expected_output"
        comparisons.append(_compare(scenario, "contains_any", text, output, name=name, case_sensitive=False))
    return describe_scores("PassFail", comparisons)


def _check_passfail(scenario: Scenario) -> None:
    """Refuse expectations that ask for nothing more than is asked already."""
    for tool in scenario.expected_tools:
        if scenario.expected_tools.count(tool) > 1:
            hint = "passfail asks for one call; the scorer trajectory_any_order counts them"
            raise ConfigurationError(f"expected_tools has {shown(tool, 60)} twice, and {hint}")
    for tool, arguments in scenario.expected_tool_args.items():
        if arguments == {}:
            raise ConfigurationError(
                f"expected_tool_args of {shown(tool, 60)} is empty, which any call has; leave it out"
            )
    expected = scenario.expected_output
    if expected and isinstance(expected, str) and is_blank_text(expected):
        raise ConfigurationError(
            f"expected_output {shown(expected, 80)} has no visible character, so nearly any output has it"
        )


def _has_expectation(scenario: Scenario) -> bool:
    return bool(scenario.expected_tools or scenario.expected_tool_args or scenario.expected_output is not None)


def _score_regex(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    pattern = scenario.metadata["regex_pattern"]
    return describe_scores("Regex", [_compare(scenario, "regex", pattern, result.output, name=label, mode="search")])


def _check_pattern(scenario: Scenario) -> None:
    from pytest_verdict.operators.regex import refuse_pattern

    pattern = scenario.metadata.get("regex_pattern")
    if not isinstance(pattern, str) or not pattern:
        raise ConfigurationError("the scorer regex needs metadata.regex_pattern, a text that is not empty")
    refusal = refuse_pattern(pattern, ())
    if refusal is not None:
        reason = (refusal.details or {}).get("reason", refusal.error)
        raise ConfigurationError(f"metadata.regex_pattern: {pattern!r} is not a regular expression to search: {reason}")


def _score_similarity(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
    limit = scenario.metadata.get("similarity_threshold", threshold or _DEFAULT_SIMILARITY)
    comparison = _compare(scenario, "semantic", scenario.expected_output, result.output, limit, name=label)
    return describe_scores("Similarity", [comparison])


def _check_similarity(scenario: Scenario) -> None:
    limit = scenario.metadata.get("similarity_threshold", _DEFAULT_SIMILARITY)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
        raise SettingsError(f"metadata.similarity_threshold is a number in (0, 1], got {limit!r}")
    # Raises if the extra of the operator is not installed.
    REGISTRY.build("semantic")


EXACT: Final = SuiteScorer("exact", _score_exact, reads=("expected_output",), takes_threshold=False)
PASSFAIL: Final = SuiteScorer(
    "passfail", _score_passfail, _check_passfail, expects=_has_expectation, takes_threshold=False
)
REGEX: Final = SuiteScorer("regex", _score_regex, _check_pattern, reads=(), takes_threshold=False)
SIMILARITY: Final = SuiteScorer("similarity", _score_similarity, _check_similarity, reads=("expected_output",))

METADATA_KEYS: Final = {EXACT: "", PASSFAIL: "", REGEX: "regex_pattern", SIMILARITY: "similarity_threshold"}
"""The key in the metadata of a scenario that each of these scorers reads."""

REGISTERED: Final[dict[str, Any]] = {}
"""Scorers that conftest.py registered, by name."""


def _list_registered_scorers() -> dict[str, Any]:
    """Return the scorers that were registered here or, if it is used, with AgenticAssure."""
    agenticassure = sys.modules.get("agenticassure.scorers.base")
    if agenticassure is None:
        return REGISTERED
    return {**{name: agenticassure.get_scorer(name) for name in agenticassure.list_scorers()}, **REGISTERED}


def register_scorer(scorer: Any) -> Any:
    """Register a scorer, so that suites can name it; conftest.py is the place to do it.

    Args:
        scorer: An object, or a class without arguments, with ``name`` and ``score(scenario, result)``. The method returns a
            bool, a score from 0 to 1, or a dict or object with any of ``score``, ``passed`` and ``explanation``.

    Returns:
        The scorer, so that the function can decorate a class.

    Raises:
        ConfigurationError: It is not a scorer, or an installed package brings a scorer with its name.

    Example:
        >>> @register_scorer
        ... class Short:
        ...     name = "short"
        ...
        ...     def score(self, scenario, result):
        ...         return {"passed": len(result.output) <= 80, "explanation": "at most 80 characters"}
    """
    instance = _as_scorer(scorer)
    place = FAMILIES.find("scorers", instance.name)
    if place is not None:
        raise ConfigurationError(f"the name {instance.name!r} is taken by the scorer {place}; give yours another one")
    REGISTERED[instance.name] = instance
    return scorer


def _as_scorer(scorer: Any) -> Any:
    instance = scorer() if isinstance(scorer, type) else scorer
    if not isinstance(getattr(instance, "name", None), str) or not callable(getattr(instance, "score", None)):
        raise ConfigurationError(f"a scorer has a name and a method score(scenario, result); {scorer!r} has not")
    return instance


def _user_scorer(name: str, scorer: Any = None) -> SuiteScorer:
    """Build a scorer from that of a user, or from its name, which is looked up when it first scores."""

    @functools.cache
    def find() -> Any:
        if scorer is not None:
            return scorer
        registered = _list_registered_scorers()
        own = registered[name] if name in registered else import_object(name, "scorer")
        return own() if isinstance(own, type) else own

    def score(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        expected = scenario.expected_output
        try:
            answer = _read_answer(find().score(scenario, result))
        except BaseException as error:  # noqa: BLE001 - whatever the scorer of a user raises is recorded
            raise_unless_of_operator(error)
            reason = f"the scorer {name} raised {error_outcome(error).error}"
            return describe_scores(name, [publish_missing(scenario, reason, expected, "scorer_verdict", label)])
        observed = {"output": result.output, **answer}
        comparison = _compare(scenario, ScorerVerdict(scorer=name), expected, observed, threshold, name=label)
        explanation = answer["explanation"] or f"The score is {comparison.score:g}."
        return describe_scores(name, [comparison], visible(shorten(str(explanation), _LONGEST_VALUE)))

    return SuiteScorer(name, score)


def _read_answer(answer: Any) -> dict[str, Any]:
    if isinstance(answer, bool):
        return {"score": None, "passed": answer, "explanation": None}
    if isinstance(answer, int | float):
        return {"score": answer, "passed": None, "explanation": None}

    if isinstance(answer, Mapping):
        refuse_unknown_keys("the reply of a scorer", answer, _REPLY_KEYS)

    def part(key: str) -> Any:
        return answer.get(key) if isinstance(answer, Mapping) else getattr(answer, key, None)

    score, passed, explanation, details = map(part, ("score", "passed", "explanation", "details"))
    if isinstance(passed, bool) and type(score) in {int, float} and score == float(not passed):
        raise ConfigurationError(f"the scorer contradicts itself: passed is {passed}, and the score is {score:g}")
    if not explanation:
        explanation = details if isinstance(details, str) else None
    return {"score": score, "passed": passed, "explanation": explanation}


def find_scorer(entry: str | ScorerEntry, announced: Collection[str]) -> SuiteScorer:
    """Find a scorer by its name; those announced are registered when the suite runs."""
    if isinstance(entry, ScorerEntry):
        return _operator_scorer(entry)
    if "." in entry or ":" in entry:
        return _user_scorer(entry)

    of_family = load_brought("scorers", entry)
    if isinstance(of_family, SuiteScorer):
        return of_family
    if of_family is not None:
        return _user_scorer(entry, _as_scorer(of_family))
    registered = _list_registered_scorers()
    if entry in registered or entry in announced:
        return _user_scorer(entry)
    if entry in REGISTRY:
        return _operator_scorer(ScorerEntry(operator=entry))

    names = {*FAMILIES.all("scorers"), *registered, *announced}
    hint = allowed("scorer", entry, {*names, *REGISTRY.public_names()}, listed=names)
    raise ConfigurationError(
        f"unknown scorer: {entry!r}.{hint} So is any of `pytest-verdict operators`. A scorer of your own is a dotted path,"
        " or registered in conftest.py, which pytest-verdict check does not import: say --scorer NAME there."
    )
