"""`blind_compare` and `assert_preferred`: blind comparisons as tests use them."""

from __future__ import annotations

import os
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from pytest_verdict.blind.asking import BlindJudge
from pytest_verdict.blind.comparing import UNNAMED, judge_blindly
from pytest_verdict.blind.contradictions import GATING
from pytest_verdict.blind.files import write_after
from pytest_verdict.blind.outcome import BlindComparison
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.comparison import HIDDEN, compare, describe_failure
from pytest_verdict.errors import MismatchError, SettingsError, allowed

ExpectationResults = Sequence[bool | Mapping[str, Any]] | str | os.PathLike[str]
"""What checks have found about one candidate."""

_POLICIES = ("fail", "skip")


class BlindOptions(TypedDict, total=False):
    """What else can be said of a blind comparison.

    Args:
        names: What the candidates are called in the record; names that say something are identity tokens as well.
        identity: Texts that would give a system away, such as model ids: a list, or lists by candidate.
        protocol: How often, in which order, and by which rule; both orders once unless given.
        key: What the assignment is drawn from; 128 fresh random bits unless given.
        position: The comparison's number in a series drawn from one key, which makes the series exactly balanced.
        exclude: Patterns of names to leave out in a directory; see `candidates.EXCLUDED`.
        calibration: The file of a calibration, or its values; without a fresh one the verdict is ``informal``.
        output: A folder for ``commitment.json``, ``comparison.json`` and ``blind.json``.
        always_ask: Whether the judge is asked also when both outputs are the same, to measure its bias.
        expectation_results: What checks have found, by the name of a candidate: for each expectation a bool or an object
            ``{text, passed}``, or the path of a ``grading.json``. The judge is not asked for expectations then.
    """

    names: tuple[str, str]
    identity: Mapping[str, Sequence[str]] | Sequence[str]
    protocol: BlindProtocol
    key: str
    position: int
    exclude: Sequence[str]
    calibration: Any
    output: str | Path
    always_ask: bool
    expectation_results: Mapping[str, ExpectationResults]


def blind_compare(
    candidate_x: Any,
    candidate_y: Any,
    eval_prompt: str,
    judge: BlindJudge,
    expectations: Sequence[str] = (),
    rubric: Any = None,
    *,
    prefer: str | None = None,
    tie: Literal["fail", "pass"] = "fail",
    gate: Sequence[str] = GATING,
    name: str | None = None,
    **options: Unpack[BlindOptions],
) -> BlindComparison:
    """Compare two outputs without the judge knowing who made which, and record what came out.

    Args:
        candidate_x: A `pathlib.Path` of a file or directory, or the output itself.
        candidate_y: The other output.
        eval_prompt: The task that both were made for.
        judge: A callable, sync or async, from a `JudgeRequest` to a mapping, JSON text or a pydantic object.
        expectations: What each output should meet; it decides only between equal scores.
        rubric: A `Rubric`, a mapping, or the path of a YAML file; the default rubric unless given.
        prefer: The name of the candidate that is expected to win; None expects only a verdict.
        tie: Whether a tie passes where a candidate is expected to win.
        gate: Contradictions of the judge that keep the comparison from passing.
        name: What to call this comparison in the report.
        **options: See `BlindOptions`.

    Returns:
        The comparison; true when it passed.

    Raises:
        LeakError: The judge would see something that names a candidate.
        ConfigurationError: Something is configured wrongly.

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
    operator = BlindPreference(tie=tie, gate=gate)
    names = options.get("names", UNNAMED)
    if prefer is not None and prefer not in names:
        raise SettingsError(f"prefer={prefer!r} is no candidate.{allowed('candidate', prefer, names)}")
    observed = judge_blindly(candidate_x, candidate_y, eval_prompt, judge, expectations, rubric, **options)
    result = compare(operator, prefer, observed, name=name)
    if "output" in options:
        write_after(Path(options["output"]), result)
    return BlindComparison(result)


def assert_preferred(
    candidate: Any,
    baseline: Any,
    eval_prompt: str,
    judge: BlindJudge,
    expectations: Sequence[str] = (),
    rubric: Any = None,
    *,
    tie: Literal["fail", "pass"] = "fail",
    inconclusive: Literal["fail", "skip"] = "fail",
    gate: Sequence[str] = GATING,
    name: str | None = None,
    **options: Unpack[BlindOptions],
) -> BlindComparison:
    """Compare two outputs blindly, and fail the test unless the first one wins.

    Args:
        candidate: The output that is expected to win; see `blind_compare`.
        baseline: The other output.
        eval_prompt: The task that both were made for.
        judge: See `blind_compare`.
        expectations: See `blind_compare`.
        rubric: See `blind_compare`.
        tie: Whether a tie passes: ``fail`` or ``pass``.
        inconclusive: What happens without a verdict: ``fail`` or ``skip``. It never passes.
        gate: See `blind_compare`.
        name: What to call this comparison in the report.
        **options: See `BlindOptions`.

    Returns:
        The comparison, which passed.

    Raises:
        MismatchError: The candidate did not win.
        unittest.SkipTest: There was no verdict, and that is skipped.
        LeakError: The judge would see something that names a candidate.
        ConfigurationError: Something is configured wrongly.

    Example:
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
    if inconclusive not in _POLICIES:
        raise SettingsError(f"inconclusive={inconclusive!r} is unknown.{allowed('policy', inconclusive, _POLICIES)}")
    options.setdefault("names", ("candidate", "baseline"))
    found = blind_compare(
        candidate,
        baseline,
        eval_prompt,
        judge,
        expectations,
        rubric,
        prefer=options["names"][0],
        tie=tie,
        gate=gate,
        name=name,
        **options,
    )
    if found.result.passed:
        return found
    if inconclusive == "skip" and not found.is_conclusive:
        raise unittest.SkipTest(f"the blind comparison has no verdict: {found.status}")
    raise MismatchError(describe_failure(found.result), [found.result])
