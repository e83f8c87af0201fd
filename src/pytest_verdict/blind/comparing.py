"""`blind_compare`: from two candidates and a judge to a recorded comparison."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Unpack

from pytest_verdict.blind.asking import BlindJudge, ask
from pytest_verdict.blind.assignment import Assignment, calls_digest, comparison_digest, draw, fence
from pytest_verdict.blind.calibration.calibration_file import citation
from pytest_verdict.blind.candidates import EXCLUDED, Candidate, read_candidate
from pytest_verdict.blind.expectation_results import Passed, read_expectation_results, written_results
from pytest_verdict.blind.files import write_before
from pytest_verdict.blind.judging import FORMAT
from pytest_verdict.blind.leaks import (
    Leak,
    Token,
    find_tokens,
    identity_tokens,
    redact_candidate,
    redact_tokens,
    scan_candidate,
    scan_text,
)
from pytest_verdict.blind.options import JudgingOptions
from pytest_verdict.blind.protocol import BlindProtocol, LeakPolicy, Pass
from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.request import BlindRequest, Presented, instructions_for, reply_schema, write_prompt
from pytest_verdict.blind.rubric import Rubric, read_rubric
from pytest_verdict.blind.scoring import Label
from pytest_verdict.core.values.display import shown, visible
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, LeakError
from pytest_verdict.judging.naming import judge_name, own_name

UNNAMED: Final = ("x", "y")
"""What candidates are called that were given no names."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """What each output should meet, and whether it does when checks have answered that."""

    texts: tuple[str, ...]
    results: Passed | None

    @property
    def asked(self) -> tuple[str, ...]:
        return self.texts if self.results is None else ()

    def redacted(self, tokens: Sequence[Token]) -> _Expected:
        # What the judge never sees stays as it is.
        return (
            self
            if self.results is not None
            else _Expected(tuple(redact_tokens(text, tokens) for text in self.texts), None)
        )

    def written(self) -> dict[str, Any]:
        texts = {"expectations": list(self.texts)}
        return texts if self.results is None else {**texts, "expectation_results": written_results(self.results)}


@dataclass(frozen=True, slots=True)
class _Settled:
    """All that is settled before the judge is asked."""

    candidates: tuple[Candidate, Candidate]
    task: str
    asked: tuple[str, ...]
    rubric: Rubric
    protocol: BlindProtocol
    tokens: tuple[Token, ...]
    written: dict[str, Any]


def judge_blindly(
    candidate_x: Any,
    candidate_y: Any,
    eval_prompt: str,
    judge: BlindJudge,
    expectations: Sequence[str] = (),
    rubric: Any = None,
    **options: Unpack[JudgingOptions],
) -> dict[str, Any]:
    """Ask a judge as a protocol says, and give all that was settled, drawn and answered."""
    names, key, protocol = options.get("names", UNNAMED), options.get("key"), options.get("protocol")
    position, output = options.get("position"), options.get("output")
    _refuse_wrong_kinds(judge, protocol, key, position)
    exclude = options.get("exclude", EXCLUDED)
    if not isinstance(exclude, list | tuple):
        # A text is a sequence of texts as well, and each letter would be a pattern.
        raise ConfigurationError(f'exclude is a list of patterns such as ["*.log"], got {shown(exclude, 80)}')
    candidates = _read_both(candidate_x, candidate_y, exclude)
    _refuse_output_inside(candidates, output)
    expected = _expected(expectations, options.get("expectation_results"), names)
    how, identity = protocol or BlindProtocol(), options.get("identity", ())
    settled = _settle(candidates, eval_prompt, expected, read_rubric(rubric), how, names, identity)
    _cite(settled.written, judge, options.get("calibration"))
    comparison = comparison_digest(settled.written)
    assignment = draw(key if key is not None else secrets.token_hex(16), comparison, position)
    if output is not None:
        write_before(Path(output), assignment, comparison)
    identical = settled.candidates[0].digest == settled.candidates[1].digest
    calls = [] if identical and not options.get("always_ask") else _calls(settled, assignment, judge)
    return {
        "format": FORMAT,
        "comparison": settled.written,
        "assignment": assignment.written(),
        "calls": calls,
        "calls_digest": calls_digest(calls),
    }


def _read_both(first: Any, second: Any, exclude: Sequence[str]) -> tuple[Candidate, Candidate]:
    candidates = read_candidate(first, exclude), read_candidate(second, exclude)
    if not any(candidate.files for candidate in candidates):
        raise ConfigurationError(
            "both outputs are empty, once what is excluded is left out; there is nothing to compare"
        )
    return candidates


def _refuse_output_inside(candidates: Sequence[Candidate], output: str | Path | None) -> None:
    for candidate in candidates:
        source = candidate.source
        # The next comparison would show the judge the verdict of this one.
        if source is not None and output is not None and Path(output).resolve().is_relative_to(source.resolve()):
            raise ConfigurationError(f"output is inside a candidate, {source}; write it to a folder of its own")


def _cite(written: dict[str, Any], judge: BlindJudge, calibration: Any) -> None:
    written["judge"] = judge_name(judge) if calibration is None else own_name(judge)
    written["calibration"] = citation(calibration, written)


def _expected(expectations: Any, results: Any, names: Any) -> _Expected:
    refuse_wrong_names(names)
    if not isinstance(expectations, list | tuple) or not all(isinstance(text, str) and text for text in expectations):
        raise ConfigurationError(f"expectations are a list of texts, got {expectations!r}")
    return _Expected(tuple(expectations), read_expectation_results(results, names, expectations))


def _settle(
    candidates: tuple[Candidate, Candidate],
    task: str,
    expected: _Expected,
    rubric: Rubric,
    protocol: BlindProtocol,
    names: tuple[str, str],
    identity: Mapping[str, Sequence[str]] | Sequence[str],
) -> _Settled:
    if not isinstance(task, str) or not task.strip():
        raise ConfigurationError(f"eval_prompt is the task that both outputs were made for, got {task!r}")
    tokens = identity_tokens(names, identity, candidates)
    leaks = _leaks(candidates, task, expected.asked, rubric, tokens)
    _refuse_leaks(leaks, protocol.leaks)
    sources = candidates
    if leaks and protocol.leaks == "redact":
        candidates = redact_candidate(candidates[0], tokens), redact_candidate(candidates[1], tokens)
        task = redact_tokens(task, tokens)
        expected = expected.redacted(tokens)
    written = {
        "task": task,
        **expected.written(),
        "rubric": rubric.written(),
        "protocol": protocol.written(),
        "candidates": [
            _described(name, source, shown) for name, source, shown in zip(names, sources, candidates, strict=True)
        ],
        "identity": [token.written() for token in tokens],
        "leaks": [leak.written() for leak in leaks],
    }
    return _Settled(candidates, task, expected.asked, rubric, protocol, tokens, written)


def _refuse_wrong_kinds(judge: Any, protocol: Any, key: Any, position: Any) -> None:
    if not callable(judge):
        raise ConfigurationError(f"a judge is a function or another callable, got {shown(judge, 80)}")
    if protocol is not None and not isinstance(protocol, BlindProtocol):
        raise ConfigurationError(f"protocol is a BlindProtocol, got {shown(protocol, 80)}")
    if key is not None and not (isinstance(key, str) and key):
        raise ConfigurationError(f"key is a text, got {shown(key, 80)}")
    if position is not None and (type(position) is not int or position < 0):
        raise ConfigurationError(f"position is a whole number from 0, got {shown(position, 80)}")
    if position is not None and key is None:
        raise ConfigurationError(
            "position balances a series, whose comparisons are all drawn from one key: give key as well"
        )


def refuse_wrong_names(names: Any) -> None:
    """Refuse names that are not two different texts, or that the judge uses itself."""
    is_pair = isinstance(names, list | tuple) and len(names) == 2 and names[0] != names[1]
    if not is_pair or not all(isinstance(name, str) and name for name in names):
        raise ConfigurationError(f"names are two different texts, got {names!r}")
    if {"A", "B", "TIE"} & set(names):
        raise ConfigurationError(
            f"A, B and TIE are what the judge says; call the candidates something else than {names!r}"
        )


def _described(name: str, source: Candidate, shown: Candidate) -> dict[str, Any]:
    return {
        "name": name,
        "kind": source.kind,
        "source_digest": source.digest,
        "digest": shown.digest,
        "files": shown.manifest,
        "excluded": list(source.excluded),
        "characters": shown.characters,
    }


def _leaks(
    candidates: Sequence[Candidate], task: str, expectations: Sequence[str], rubric: Rubric, tokens: Sequence[Token]
) -> list[Leak]:
    found = scan_text(task, "task", tokens)
    for text in expectations:
        found += scan_text(text, "expectations", tokens)
    found += scan_text(encode_text(rubric.written()), "rubric", tokens)
    for candidate, which in zip(candidates, ("first candidate", "second candidate"), strict=True):
        found += scan_candidate(candidate, which, tokens)
    return found


def _refuse_leaks(leaks: Sequence[Leak], policy: LeakPolicy) -> None:
    if policy == "fail" and leaks:
        places = "; ".join(f"{leak.token!r} in {visible(leak.where)}" for leak in leaks[:10])
        raise LeakError(
            f"the judge would not be blind: {places}. Remove it, or choose leaks='redact' or leaks='record' in the protocol"
        )
    if policy == "redact" and any(leak.where == "rubric" for leak in leaks):
        raise LeakError("the rubric names a candidate; it is never redacted, so write it without")


def _calls(settled: _Settled, assignment: Assignment, judge: BlindJudge) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    awaited: list[str] = []
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        for number, (repetition, way) in enumerate(_order(settled.protocol)):
            exchanged = settled.protocol.passes[way].exchanged
            head = {"repetition": repetition, "way": way, "slots": assignment.slots(exchanged=exchanged)}
            request = _request(settled, assignment, way, repetition, Path(folder) / str(number))
            try:
                calls += _attempts(request, settled, judge, head)
            except AwaitingJudgmentError as error:
                # A person gets all forms at once.
                awaited.append(str(error))
    if awaited:
        raise AwaitingJudgmentError("; ".join(awaited))
    return calls


def _order(protocol: BlindProtocol) -> Iterator[tuple[int, int]]:
    for repetition in range(protocol.repetitions):
        for way in range(len(protocol.passes)):
            yield repetition, way


def _attempts(
    request: BlindRequest, settled: _Settled, judge: BlindJudge, head: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for attempt in range(1 + settled.protocol.retries):
        asked = replace(request, parts={**request.parts, "attempt": str(attempt)})
        answer = ask(judge, asked, settled.protocol.timeout)
        described = {"shown": list(request.shown), "prompt": _sha(request.prompt), "request": asked.key}
        yield {**head, "attempt": attempt, **described, "reply": answer.reply, "problem": answer.problem}
        if _is_verdict(answer.reply, settled):
            return


def _is_verdict(reply: str | None, settled: _Settled) -> bool:
    if reply is None:
        return False
    try:
        read_reply(reply, settled.rubric, settled.asked)
    except ReplyProblem:
        return False
    return True


def _request(settled: _Settled, assignment: Assignment, number: int, repetition: int, place: Path) -> BlindRequest:
    way = settled.protocol.passes[number]
    slots = assignment.slots(exchanged=way.exchanged)
    outputs = {label: settled.candidates[slot] for label, slot in slots.items()}
    presented: dict[Label, Presented] = {}
    for label, output in outputs.items():
        output.copy_to(place / label)
        presented[label] = Presented(output.neutral(), place / label)
    return BlindRequest(
        prompt=_prompt(settled, assignment, outputs, way),
        schema=reply_schema(settled.rubric, settled.asked),
        instructions=instructions_for(settled.rubric),
        parts=_parts(settled, outputs, way, repetition),
        task=settled.task,
        expectations=settled.asked,
        rubric=settled.rubric,
        outputs=presented,
        shown=way.shown,
        commitment=assignment.commitment,
    )


def _parts(settled: _Settled, outputs: Mapping[Label, Candidate], way: Pass, repetition: int) -> dict[str, str]:
    # Not the prompt itself: its fence differs whenever another key is drawn.
    asked = write_prompt("", (), settled.rubric, outputs, (), "") + instructions_for(settled.rubric)
    return {
        "judge": settled.written["judge"],
        "form": _sha(asked),
        "task": _sha(settled.task),
        "expectations": _sha(encode_text(list(settled.asked))),
        "rubric": settled.rubric.digest,
        **{f"output {label}": output.digest for label, output in sorted(outputs.items())},
        "shown": " ".join(way.shown),
        "repetition": str(repetition),
    }


def _prompt(settled: _Settled, assignment: Assignment, outputs: Mapping[Label, Candidate], way: Pass) -> str:
    number = 0
    while True:
        framed = fence(assignment.key, assignment.comparison, number)
        texts = (file.text or "" for output in outputs.values() for file in output.files)
        if not any(framed in text for text in texts):
            break
        number += 1
    prompt = write_prompt(settled.task, settled.asked, settled.rubric, outputs, way.shown, framed)
    fixed = instructions_for(settled.rubric) + write_prompt("", (), settled.rubric, outputs, (), framed)
    known = {leak["token"] for leak in settled.written["leaks"]} if settled.protocol.leaks == "record" else set()
    tokens = [token for token in settled.tokens if token.text not in known and not find_tokens(fixed, [token])]
    left = find_tokens(prompt, tokens)
    if left:
        raise LeakError(f"the prompt names a candidate: {', '.join(sorted(left))}")
    return prompt


def _sha(text: str) -> str:
    return digest(text.encode("ascii", "backslashreplace").decode("ascii"))
