"""Scorers of the output of a scenario: four with rules of their own, any operator, and what users register or name."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.comparison import compare
from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr, shortened, visible
from pytest_verdict.errors import ConfigurationError, SettingsError, allowed
from pytest_verdict.operators.evidence import ScorerVerdict, not_compared
from pytest_verdict.session import SESSION, publish
from pytest_verdict.suites.agent_result import AgentResult, called_tools, name_of_call
from pytest_verdict.suites.loading import import_object
from pytest_verdict.suites.suite_model import Scenario, ScorerEntry

if TYPE_CHECKING:
    from pytest_verdict.extraction.evaluator import Evaluator

_LONGEST_VALUE = 500


class Scored(NamedTuple):
    """The comparisons that a scorer made of one output, and what they mean in a sentence."""

    results: Sequence[ComparisonResult]
    sentence: str

    @property
    def verdict(self) -> Verdict:
        """``pass`` when all comparisons passed, ``error`` when one could not be made, otherwise ``fail``."""
        return worst_verdict(result.verdict for result in self.results)


Score = Callable[[Scenario, AgentResult, str, float | None], Scored]
"""Scores one output; the comparisons are recorded under a label, and have a threshold unless the scorer has one."""


@dataclass(frozen=True, slots=True)
class SuiteScorer:
    """A scorer as a suite asks it: it refuses a scenario that it cannot use, and says whether one tells it what is expected."""

    name: str
    score: Score
    check: Callable[[Scenario], None] = lambda _scenario: None
    expects: Callable[[Scenario], bool] = lambda _scenario: True


def scored(title: str, made: ComparisonResult, reason: str | None = None) -> Scored:
    """Say what one comparison means."""
    if made.error is not None:
        reason = visible(shortened(made.error, _LONGEST_VALUE))
    elif reason is None and not made.passed:
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.facts import build_explanation
        from pytest_verdict.explanation.lines import format_plain

        why = format_plain(build_explanation(made, SESSION.budget).summary)
        reason = f"{why[:1].upper()}{why[1:]}."
    return Scored([made], f"{title}: {made.verdict.upper()}." + (f" {reason}" if reason else ""))


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Put verdicts together that must all be passes."""
    found = set(verdicts)
    return "error" if "error" in found else "fail" if "fail" in found else "pass"


def quoted(value: Any) -> str:
    """Show a value in a sentence."""
    if isinstance(value, str):
        return f'"{visible(shortened(value, _LONGEST_VALUE))}"'
    return visible(shortened(safe_repr(value), _LONGEST_VALUE))


_OUTPUTS: Final = {"expected": "$.reference", "observed": "$.output"}
_CALLS: Final = {"expected": "$.expected_calls", "observed": "$.tool_calls"}


class _ByOperator:
    """Compares the expected with the observed output, or the expected with the observed calls, by a named operator."""

    def __init__(self, entry: ScorerEntry) -> None:
        self._name, self._threshold = entry.operator, entry.threshold
        self._is_trajectory = REGISTRY.find(entry.operator).kind == "trajectory"
        self._evaluator: Evaluator | None = None
        if entry.mapping is None:
            self._operator = REGISTRY.build(entry.operator, entry.settings)
            self._takes_expectation = self._operator.needs_expected()
        else:
            self._evaluator, self._takes_expectation = _mapped(entry, _CALLS if self._is_trajectory else _OUTPUTS)

    def check(self, scenario: Scenario) -> None:
        if self._evaluator is not None and not self.expects(scenario):
            key = "expected_tools" if self._is_trajectory else "expected_output"
            raise SettingsError(f"the mapping of {self._name} names no expected, and the scenario has no {key}")

    def expects(self, scenario: Scenario) -> bool:
        if not self._takes_expectation:
            return True
        if self._is_trajectory:
            # An empty list that is written says that no call is expected.
            return "expected_tools" in scenario.model_fields_set
        return scenario.expected_output is not None

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        limit = self._threshold or threshold
        if self._evaluator is not None:
            made = self._evaluator.compare(_document(scenario, result), name=label, threshold=limit)
        elif self._is_trajectory:
            made = compare(self._operator, _expected_calls(scenario), called_tools(result), limit, name=label)
        else:
            made = compare(self._operator, scenario.expected_output, result.output, limit, name=label)
        return scored(self._name, made)


def operator_scorer(entry: ScorerEntry) -> SuiteScorer:
    """Make a scorer of an operator."""
    made = _ByOperator(entry)
    return SuiteScorer(entry.operator, made.score, made.check, made.expects)


def _mapped(entry: ScorerEntry, usual: Mapping[str, str]) -> tuple[Evaluator, bool]:
    """Make the evaluator, and say whether the expected value comes from the scenario because the mapping names none."""
    from pytest_verdict.extraction.evaluator import Evaluator
    from pytest_verdict.extraction.input_mapping import EXPECTED, OBSERVED, InputMapping

    given = {OBSERVED: usual[OBSERVED], **(entry.mapping or {})}
    mapping = InputMapping.read(given)
    takes = EXPECTED not in given
    if takes and len(mapping.settings) == len(mapping.literals):
        takes = REGISTRY.build(entry.operator, {**entry.settings, **mapping.literals}).needs_expected()
    if takes:
        mapping = InputMapping.read({EXPECTED: usual[EXPECTED], **given})
    return Evaluator(entry.operator, mapping, entry.threshold, **entry.settings), takes


def _expected_calls(scenario: Scenario) -> list[Any]:
    arguments = scenario.expected_tool_args
    return [{"name": tool, "args": arguments[tool]} if tool in arguments else tool for tool in scenario.expected_tools]


def _document(scenario: Scenario, result: AgentResult) -> dict[str, Any]:
    return {
        "input": scenario.input,
        "context": scenario.context,
        "output": result.output,
        "reference": scenario.expected_output,
        "metadata": scenario.metadata,
        "expected_tools": scenario.expected_tools,
        "expected_tool_args": scenario.expected_tool_args,
        "expected_calls": _expected_calls(scenario),
        "tool_calls": called_tools(result),
        "latency_ms": result.latency_ms,
        "token_usage": result.token_usage,
        "raw_response": result.raw_response,
    }


_SIMILAR: Final = 0.7


def _exact(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    """Compare the outputs, character by character; without an expected one it is a fail."""
    made = compare("exact", scenario.expected_output, result.output, name=label)
    if scenario.expected_output is None:
        return scored("Exact match", made, "No expected_output defined for this scenario.")
    sides = f"Expected {quoted(made.expected)}, got {quoted(made.observed)}."
    return scored("Exact match", made, None if made.passed else sides)


def _passfail(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    """Look for an output that contains the expected one, whatever its case, and for the calls of tools."""
    made = list(_passfail_parts(scenario, result, label))
    failed = [reason for one, reason in made if not one.passed]
    sentence = f"PassFail: FAIL. {' '.join(failed)}" if failed else "PassFail: PASS."
    return Scored([one for one, _ in made], sentence)


def _passfail_parts(scenario: Scenario, result: AgentResult, label: str) -> Iterator[tuple[ComparisonResult, str]]:
    output, calls = result.output, called_tools(result)
    yield compare("not_blank", None, output, name=f"{label}: output"), "The output is blank."
    tools = list(dict.fromkeys(scenario.expected_tools))
    if tools:
        names = {name_of_call(call) for call in calls}
        missing = ", ".join(quoted(tool) for tool in tools if tool not in names)
        made = compare("trajectory_any_order", tools, calls, name=f"{label}: tools", args="ignore")
        told = f"Not all expected tools were called: {missing}." if missing else "The calls of tools cannot be read."
        yield made, told
    for tool, arguments in sorted(scenario.expected_tool_args.items()):
        yield _first_call(tool, arguments, calls, label)
    if scenario.expected_output is not None:
        expected, name = scenario.expected_output, f"{label}: expected_output"
        made = compare("contains_any", expected, output, name=name, case_sensitive=False)
        yield made, f"{quoted(expected)} is not in the output, {quoted(output)}."


def _first_call(tool: str, arguments: dict[str, Any], calls: list[Any], label: str) -> tuple[ComparisonResult, str]:
    first = [call for call in calls if name_of_call(call) == tool][:1]
    # Each expected argument is equal; others may be there too, which the rule for all others allows.
    rules: dict[str, str] = {**dict.fromkeys(arguments, "equal"), "*": "contains"}
    expected, name = [{"name": tool, "args": arguments}], f"{label}: {tool} arguments"
    made = compare("trajectory_any_order", expected, first, name=name, args={tool: rules})
    return made, f"The first call of {tool} has other arguments, or there is none."


def _has_more_to_see(scenario: Scenario) -> bool:
    return bool(scenario.expected_tools or scenario.expected_tool_args or scenario.expected_output is not None)


def _regex(scenario: Scenario, result: AgentResult, label: str, _threshold: float | None) -> Scored:
    pattern = scenario.metadata["regex_pattern"]
    made = compare("regex", pattern, result.output, name=label, mode="search")
    word = "is" if made.passed else "is not"
    return scored("Regex", made, f"The pattern {quoted(pattern)} {word} found in the output.")


def _has_pattern(scenario: Scenario) -> None:
    from pytest_verdict.operators.regex import compile_pattern
    from pytest_verdict.operators.regex_process import RegexTimeLimitError

    pattern = scenario.metadata.get("regex_pattern")
    if not isinstance(pattern, str) or not pattern:
        raise ConfigurationError("the scorer regex needs metadata.regex_pattern, a text that is not empty")
    try:
        compile_pattern(pattern)
    except (re.error, RegexTimeLimitError) as error:
        reason = f"{pattern!r} is not a regular expression: {error}"
        raise ConfigurationError(f"metadata.regex_pattern: {reason}") from None


def _similarity(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
    limit = scenario.metadata.get("similarity_threshold", threshold or _SIMILAR)
    made = compare("semantic", scenario.expected_output, result.output, limit, name=label)
    return scored("Similarity", made, f"The similarity is {made.score:.3f}, the threshold {made.threshold:g}.")


def _has_limit(scenario: Scenario) -> None:
    limit = scenario.metadata.get("similarity_threshold", _SIMILAR)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
        raise SettingsError(f"metadata.similarity_threshold is a number in (0, 1], got {limit!r}")
    # It says what semantic needs.
    REGISTRY.build("semantic")


EXACT: Final = SuiteScorer("exact", _exact)
PASSFAIL: Final = SuiteScorer("passfail", _passfail, expects=_has_more_to_see)
REGEX: Final = SuiteScorer("regex", _regex, _has_pattern)
SIMILARITY: Final = SuiteScorer("similarity", _similarity, _has_limit)


REGISTERED: Final[dict[str, Any]] = {}
"""Scorers by name, as conftest.py registered them."""


def registered() -> dict[str, Any]:
    """Give the scorers that were registered by name, also with AgenticAssure, where it is used."""
    theirs = sys.modules.get("agenticassure.scorers.base")
    return {**({name: theirs.get_scorer(name) for name in theirs.list_scorers()} if theirs else {}), **REGISTERED}


def register_scorer(scorer: Any) -> Any:
    """Let suites name a scorer; conftest.py is the place to do it.

    Args:
        scorer: An object, or a class without arguments, with ``name`` and ``score(scenario, result)``. The latter returns a
            bool, a score from 0 to 1, or a dict or object with ``score``, ``passed`` and ``explanation`` as far as it has them.

    Returns:
        The same, so that it decorates a class.

    Raises:
        ConfigurationError: It is no scorer, or its name is that of a scorer that an installed package brings.

    Example:
        >>> @register_scorer
        ... class Short:
        ...     name = "short"
        ...
        ...     def score(self, scenario, result):
        ...         return {"passed": len(result.output) <= 80, "explanation": "at most 80 characters"}
    """
    made = made_scorer(scorer)
    place = FAMILIES.find("scorers", made.name)
    if place is not None:
        raise ConfigurationError(f"the name {made.name!r} is taken by the scorer {place}; give yours another one")
    REGISTERED[made.name] = made
    return scorer


def made_scorer(scorer: Any) -> Any:
    """Make an object of a scorer that is given as one or as a class."""
    made = scorer() if isinstance(scorer, type) else scorer
    if not isinstance(getattr(made, "name", None), str) or not callable(getattr(made, "score", None)):
        raise ConfigurationError(f"a scorer has a name and a method score(scenario, result); {scorer!r} has not")
    return made


def user_scorer(name: str, given: Any = None) -> SuiteScorer:
    """Make a scorer of one that says what it found; one that is only named is looked for when it is first needed."""

    @functools.cache
    def found() -> Any:
        if given is not None:
            return given
        known = registered()
        named = known[name] if name in known else import_object(name, "scorer")
        return named() if isinstance(named, type) else named

    def score(scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        try:
            said = _said(found().score(scenario, result))
        except Exception as error:  # noqa: BLE001 - whatever the scorer of a user raises is recorded
            reason = f"the scorer {name} raised {error_outcome(error).error}"
            made = publish(not_compared(reason, scenario.expected_output, instead_of="scorer_verdict", name=label))
            return scored(name, made)
        observed = {"output": result.output, **said}
        made = compare(ScorerVerdict(scorer=name), scenario.expected_output, observed, threshold, name=label)
        explanation = said["explanation"] or f"The score is {made.score:g}."
        return scored(name, made, visible(shortened(str(explanation), 500)))

    return SuiteScorer(name, score)


def _said(answer: Any) -> dict[str, Any]:
    if isinstance(answer, bool):
        answer = {"passed": answer}
    elif isinstance(answer, int | float):
        answer = {"score": answer}
    score, passed, explanation, details = (_part(answer, key) for key in ("score", "passed", "explanation", "details"))
    text = explanation or (details if isinstance(details, str) else None)
    return {"score": score, "passed": passed, "explanation": text}


def _part(answer: Any, key: str) -> Any:
    return answer.get(key) if isinstance(answer, Mapping) else getattr(answer, key, None)


def find_scorer(entry: str | ScorerEntry, announced: Collection[str]) -> SuiteScorer:
    """Find a scorer by its name; those announced are registered when the suite runs."""
    if isinstance(entry, ScorerEntry):
        return operator_scorer(entry)
    if "." in entry or ":" in entry:
        return user_scorer(entry)
    brought = load_brought("scorers", entry)
    if brought is not None:
        return brought if isinstance(brought, SuiteScorer) else user_scorer(entry, made_scorer(brought))
    if entry in registered() or entry in announced:
        return user_scorer(entry)
    if entry in REGISTRY:
        return operator_scorer(ScorerEntry(operator=entry))
    own = {*FAMILIES.all("scorers"), *registered(), *announced}
    hint = allowed("scorer", entry, {*own, *REGISTRY.public_names()}, listed=own)
    raise ConfigurationError(
        f"unknown scorer: {entry!r}.{hint} So is any of `pytest-verdict operators`. A scorer of your own is a dotted path,"
        " or registered in conftest.py, which pytest-verdict check does not import: say --scorer NAME there."
    )
