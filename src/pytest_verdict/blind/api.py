"""`blind_compare` and `assert_preferred`: blind comparisons in tests."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack, cast

from pytest_verdict.blind.evidence import collect_evidence
from pytest_verdict.blind.files import write_result
from pytest_verdict.blind.options import BlindInputs, BlindOptions
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.protocol import Status
from pytest_verdict.blind.request import BlindJudge
from pytest_verdict.blind.rubric import TIE, read_rubric
from pytest_verdict.comparator import Comparator
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.console import progress
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import SettingsError
from pytest_verdict.judging.protocol import sum_usage


@dataclass(frozen=True, slots=True, eq=False)
class BlindComparison:
    """The result of a blind comparison, with the names of the candidates; true if it passed.

    Args:
        result: The recorded comparison.

    Example:
        >>> from pytest_verdict.blind import blind_compare
        >>> comparison = blind_compare("The same.", "The same.", "Say something.", judge=print)
        >>> comparison.status, comparison.winner, comparison.is_tie
        ('JUDGED', 'TIE', True)
    """

    result: ComparisonResult

    @property
    def status(self) -> Status:
        """``JUDGED``, ``INCONSISTENT``, ``ABSTAINED`` or ``INVALID``."""
        return cast("Status", self.result.details.get("status", "INVALID"))

    @property
    def is_conclusive(self) -> bool:
        """Whether there is a verdict; a tie is a verdict."""
        return self.status == "JUDGED"

    @property
    def winner(self) -> str | None:
        """The name of the winning candidate, ``TIE``, or None without a verdict."""
        return self.result.details.get("winner")

    @property
    def is_tie(self) -> bool:
        """Whether the verdict is a tie."""
        return self.winner == TIE

    @property
    def comparison(self) -> dict[str, Any] | None:
        """The comparison in the shape of the pattern; None if no reply holds a verdict."""
        return self.result.details.get("comparison")

    @property
    def usage(self) -> dict[str, dict[str, Any]]:
        """The sums of what the judge reports, such as tokens and cost, each with the number of replies that report it."""
        return sum_usage(call.get("usage", {}) for call in self.result.observed["calls"])

    def __bool__(self) -> bool:
        return self.result.passed

    def __repr__(self) -> str:
        return f"<BlindComparison: {self.status}, winner {self.winner!r}, {self.result.verdict}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outputs of one task.

    Args:
        name: The name of the pair.
        outputs: The two outputs, each a `pathlib.Path` or the output itself.
        prompt: The task of both outputs.
        expectations: Statements that each output should meet.
        results: The results of checks by the name of a candidate, as ``expectation_results`` of `BlindOptions`.

    Example:
        >>> Pair(name="refund", outputs=("Use the form.", "Call us."), prompt="Say how to get a refund.").expectations
        ()
    """

    name: str
    outputs: tuple[Any, Any]
    prompt: str
    expectations: Sequence[str] = ()
    results: Mapping[str, Any] | None = None


def blind_compare(
    candidate_x: Any,
    candidate_y: Any,
    eval_prompt: str,
    judge: BlindJudge,
    expectations: Sequence[str] = (),
    rubric: Any = None,
    *,
    prefer: str | None = None,
    **options: Unpack[BlindOptions],
) -> BlindComparison:
    """Compare two outputs without telling the judge who made which, and record the result.

    Args:
        candidate_x: A `pathlib.Path` of a file or directory, or the output itself.
        candidate_y: The other output.
        eval_prompt: The task of both outputs.
        judge: A callable, sync or async, from a `BlindRequest` to a mapping, JSON text or a pydantic object.
        expectations: Statements that each output should meet; they decide between equal scores only.
        rubric: A `Rubric`, a mapping, or the path of a YAML file (default: the default rubric).
        prefer: The name of the candidate that is expected to win; None expects only a verdict.
        **options: See `BlindOptions`.

    Returns:
        The comparison; true if it passed.

    Raises:
        LeakError: The judge would see the name of a candidate.
        ConfigurationError: An argument is wrong.

    Example:
        >>> def judge(request):
        ...     def side(output):
        ...         score = 5 if "because" in output.text else 2
        ...         return {"content": {"argument": score}, "structure": {"clarity": 3}}
        ...     return {"rubric": {label: side(output) for label, output in request.outputs.items()}}
        >>> rubric = {"id": "essay", "version": 1, "content": ["argument"], "structure": ["clarity"]}
        >>> blind_compare("It rains.", "It rains because it is wet.", "Explain.", judge, rubric=rubric).winner
        'y'
    """
    # mypy cannot match the options with the fields of the model.
    arguments: Any = {"eval_prompt": eval_prompt, "judge": judge, "expectations": expectations, **options}
    inputs = BlindInputs(candidates=(candidate_x, candidate_y), rubric=read_rubric(rubric), prefer=prefer, **arguments)
    ((_, evidence),) = collect_evidence([inputs], 1)
    return _conclude(evidence, inputs)


def compare_pairs(
    pairs: Iterable[Pair],
    judge: BlindJudge,
    rubric: Any = None,
    *,
    prefer: str | None = None,
    max_concurrency: int = 1,
    **options: Unpack[BlindOptions],
) -> dict[str, BlindComparison]:
    """Compare many pairs of outputs as `blind_compare` does, several at once.

    The assignments are drawn from one key, so that each system is A in half of the comparisons. A folder as ``output`` gets a
    folder for each pair, named by its number: ``0001``, ``0002`` and so on.

    Args:
        pairs: The pairs; each has a name of its own.
        judge: See `blind_compare`.
        rubric: See `blind_compare`.
        prefer: See `blind_compare`.
        max_concurrency: How many pairs are compared at once (default: 1); more need a judge that is thread-safe.
        **options: See `BlindOptions`.

    Returns:
        The comparisons by the names of the pairs, recorded in their order.

    Raises:
        AwaitingJudgmentError: A person has yet to answer; all other pairs are compared before.
        ConfigurationError: An argument is wrong, or a name occurs twice.

    Example:
        >>> def judge(request):
        ...     def side(output):
        ...         score = min(5, len(output.text))
        ...         return {name: dict.fromkeys(request.rubric.names(name), score) for name in ("content", "structure")}
        ...     return {"rubric": {label: side(output) for label, output in request.outputs.items()}}
        >>> pairs = [Pair(name=text, outputs=(text, text + "!"), prompt="Greet.") for text in ("Hi", "Hey")]
        >>> [comparison.winner for comparison in compare_pairs(pairs, judge, max_concurrency=2).values()]
        ['y', 'y']
    """
    pairs = list(pairs)
    output = options.pop("output", None)
    for pair in pairs:
        if not isinstance(pair, Pair) or not isinstance(pair.name, str):
            raise SettingsError(f"pairs are Pair objects with a text as name, got {shown(pair, 200)}")
    names = [pair.name for pair in pairs]
    if len(set(names)) < len(names):
        raise SettingsError(f"each pair has a name of its own, got {shown(names, 200)}")
    for name in ("name", "position", "expectation_results"):
        if name in options:
            raise SettingsError(f"{name} belongs to one comparison; leave it out, each Pair has its own")
    rubric = read_rubric(rubric)
    key = options.pop("key", None) or secrets.token_hex(16)
    questions = []
    for position, pair in enumerate(pairs):
        arguments: Any = {"expectations": pair.expectations, "position": position, "name": pair.name or None, **options}
        inputs = BlindInputs(
            candidates=pair.outputs,
            eval_prompt=pair.prompt,
            expectation_results=pair.results,
            judge=judge,
            rubric=rubric,
            prefer=prefer,
            key=key,
            output=None if output is None else Path(output, f"{position + 1:04}"),
            **arguments,
        )
        questions.append(inputs)

    comparisons: dict[str, BlindComparison] = {}
    with progress(len(pairs), " pairs") as show:
        for number, evidence in collect_evidence(questions, max_concurrency):
            comparisons[pairs[number].name] = _conclude(evidence, questions[number])
            show(number + 1, number + 1)
    return comparisons


def _conclude(evidence: dict[str, Any], inputs: BlindInputs) -> BlindComparison:
    operator = BlindPreference(tie=inputs.tie, gate=inputs.gate)
    result = compare(operator, inputs.prefer, evidence, name=inputs.name)
    if inputs.output is not None:
        write_result(Path(inputs.output), result)
    return BlindComparison(result)


def assert_preferred(
    candidate: Any,
    baseline: Any,
    eval_prompt: str,
    judge: BlindJudge,
    expectations: Sequence[str] = (),
    rubric: Any = None,
    *,
    comparator: Comparator | None = None,
    **options: Unpack[BlindOptions],
) -> BlindComparison:
    """Compare two outputs blindly, and fail the test if the first one does not win.

    Args:
        candidate: The output that is expected to win.
        baseline: The other output.
        eval_prompt: The task of both outputs.
        judge: See `blind_compare`.
        expectations: See `blind_compare`.
        rubric: See `blind_compare`.
        comparator: A comparator whose ``collect()`` block collects the failure.
        **options: See `BlindOptions`.

    Returns:
        The comparison, which passed; inside ``collect()`` it may have failed.

    Raises:
        MismatchError: The candidate did not win, outside ``collect()``.
        LeakError: The judge would see the name of a candidate.
        ConfigurationError: An argument is wrong.

    Example:
        >>> from pytest_verdict import MismatchError
        >>> def always_the_first(request):
        ...     def side(score):
        ...         return {name: dict.fromkeys(request.rubric.names(name), score) for name in ("content", "structure")}
        ...     return {"rubric": {"A": side(4), "B": side(3)}, "winner": "A"}
        >>> try:
        ...     assert_preferred("new text", "old text", "Write.", always_the_first, key="seed")
        ... except MismatchError as failure:
        ...     failure.result.details["status"]
        'INCONSISTENT'
    """
    __tracebackhide__ = HIDDEN
    names = options.setdefault("names", ("candidate", "baseline"))
    # Leave wrong names to the validation of the options.
    prefer = names[0] if isinstance(names, list | tuple) and names else None
    comparison = blind_compare(candidate, baseline, eval_prompt, judge, expectations, rubric, prefer=prefer, **options)
    if not comparison.result.passed:
        (comparator or Comparator()).fail(describe_failure(comparison.result), [comparison.result])
    return comparison
