"""Ask a judge about two candidates, and give all that was settled, drawn and answered."""

import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import count, product
from pathlib import Path
from typing import Any

from pytest_verdict.blind.assignment import Assignment, digest_of, draw, fence
from pytest_verdict.blind.calibration.files import citation
from pytest_verdict.blind.candidates import Candidate, read_candidate
from pytest_verdict.blind.derivation import FORMAT
from pytest_verdict.blind.files import write_before
from pytest_verdict.blind.leaks import (
    Leak,
    Token,
    find_tokens,
    identity_tokens,
    redact_candidate,
    redact_tokens,
    texts_of,
)
from pytest_verdict.blind.options import BlindInputs, read_expectation_results
from pytest_verdict.blind.protocol import LeakPolicy, Pass
from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.request import (
    BlindJudge,
    BlindRequest,
    Presented,
    fixed_wording,
    instructions_for,
    reply_schema,
    write_prompt,
)
from pytest_verdict.blind.rubric import Label
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, LeakError, VerdictError
from pytest_verdict.judging.asking import ask
from pytest_verdict.judging.protocol import (
    can_open_files,
    can_see_images,
    get_judge_name,
    get_unique_judge_name,
    serialize_reply,
)


@dataclass(frozen=True, slots=True)
class _Settled:
    """All that is settled before the judge is asked; candidates, task and expectations as the judge sees them."""

    inputs: BlindInputs
    candidates: tuple[Candidate, Candidate]
    task: str
    asked: tuple[str, ...]
    tokens: tuple[Token, ...]
    written: dict[str, Any]


def collect_evidence(candidate_x: Any, candidate_y: Any, inputs: BlindInputs) -> dict[str, Any]:
    """Ask a judge as a protocol says, and give all that was settled, drawn and answered."""
    settled = _settle(_read(candidate_x, candidate_y, inputs), inputs)
    comparison = digest_of("comparison", settled.written)
    assignment = draw(secrets.token_hex(16) if inputs.key is None else inputs.key, comparison, inputs.position)
    if inputs.output is not None:
        write_before(Path(inputs.output), assignment)
    is_asked = _needs_judge(settled.candidates, inputs) and "unseen_files" not in settled.written
    calls = _calls(settled, assignment) if is_asked else []
    return {
        "format": FORMAT,
        "comparison": settled.written,
        "assignment": assignment.written(),
        "calls": calls,
        "calls_digest": digest_of("calls", calls),
    }


def _needs_judge(candidates: Sequence[Candidate], inputs: BlindInputs) -> bool:
    return inputs.always_ask or candidates[0].digest != candidates[1].digest


def _read(first: Any, second: Any, inputs: BlindInputs) -> tuple[Candidate, Candidate]:
    candidates = read_candidate(first, inputs.exclude), read_candidate(second, inputs.exclude)
    if not any(candidate.files for candidate in candidates):
        raise ConfigurationError(
            "both outputs are empty, once what is excluded is left out; there is nothing to compare"
        )
    output = None if inputs.output is None else Path(inputs.output).resolve()
    for source in (candidate.source for candidate in candidates):
        # The next comparison would show the judge the verdict of this one.
        if source is not None and output is not None and output.is_relative_to(source.resolve()):
            raise ConfigurationError(f"output is inside a candidate, {source}; write it to a folder of its own")
    return candidates


def _settle(sources: tuple[Candidate, Candidate], inputs: BlindInputs) -> _Settled:
    results = read_expectation_results(inputs.expectation_results, inputs.names, inputs.expectations)
    task, expectations = inputs.eval_prompt, inputs.expectations
    tokens = identity_tokens(inputs.names, inputs.identity, sources)
    leaks = _leaks(sources, inputs, expectations if results is None else (), tokens)
    _refuse_leaks(leaks, inputs.protocol.leaks)
    candidates = sources
    if leaks and inputs.protocol.leaks == "redact":
        candidates = redact_candidate(sources[0], tokens), redact_candidate(sources[1], tokens)
        task = redact_tokens(task, tokens)
        if results is None:
            # What the judge never sees stays as it is.
            expectations = tuple(redact_tokens(text, tokens) for text in expectations)
    described = zip(inputs.names, sources, candidates, strict=True)
    written: dict[str, Any] = {
        "task": task,
        "expectations": list(expectations),
        **({} if results is None else {"expectation_results": {"source": "checks", "passed": results}}),
        "rubric": inputs.rubric.written(),
        "protocol": inputs.protocol.written(),
        "candidates": [_described(*one) for one in described],
        "identity": [asdict(token) for token in tokens],
        "leaks": [asdict(leak) for leak in leaks],
    }
    written |= _sight(candidates, inputs)
    written["judge"] = (
        get_judge_name(inputs.judge) if inputs.calibration is None else get_unique_judge_name(inputs.judge)
    )
    written["calibration"] = citation(inputs.calibration, written)
    return _Settled(inputs, candidates, task, expectations if results is None else (), tokens, written)


def _sight(candidates: Sequence[Candidate], inputs: BlindInputs) -> dict[str, Any]:
    """Say that the judge opens files itself or is shown pictures, and which files it cannot see."""
    if can_open_files(inputs.judge):
        return {"sees_files": True}
    images = can_see_images(inputs.judge)
    shown = {"sees_images": True} if images and any(file.image_type for one in candidates for file in one.files) else {}
    unseen = [
        {"candidate": name, "path": file.path, "reason": file.reading.reason}
        for name, candidate in zip(inputs.names, candidates, strict=True)
        for file in candidate.files
        if file.text is None and not (images and file.image_type)
    ]
    return {**shown, **({"unseen_files": unseen} if unseen and _needs_judge(candidates, inputs) else {})}


def _described(name: str, source: Candidate, shown: Candidate) -> dict[str, Any]:
    return {
        "name": name,
        "kind": source.kind,
        "source_digest": source.digest,
        "digest": shown.digest,
        "files": [file.described() for file in shown.files],
        "excluded": list(source.excluded),
        "characters": shown.characters,
    }


def _leaks(
    candidates: Sequence[Candidate], inputs: BlindInputs, asked: Sequence[str], tokens: Sequence[Token]
) -> list[Leak]:
    texts = [("task", inputs.eval_prompt), *(("expectations", text) for text in asked)]
    texts.append(("rubric", encode_text(inputs.rubric.written())))
    for candidate, which in zip(candidates, ("first candidate", "second candidate"), strict=True):
        texts += texts_of(candidate, which)
    return [Leak(where, token, count) for where, text in texts for token, count in find_tokens(text, tokens).items()]


def _refuse_leaks(leaks: Sequence[Leak], policy: LeakPolicy) -> None:
    if policy == "fail" and leaks:
        places = "; ".join(f"{leak.token!r} in {visible(leak.where)}" for leak in leaks[:10])
        raise LeakError(
            f"the judge would not be blind: {places}. Remove it, or choose leaks='redact' or leaks='record' in the protocol"
        )
    if policy == "redact" and any(leak.where == "rubric" for leak in leaks):
        raise LeakError("the rubric names a candidate; it is never redacted, so write it without")


def _calls(settled: _Settled, assignment: Assignment) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    awaited: list[str] = []
    protocol = settled.inputs.protocol
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        for number, (repetition, way) in enumerate(product(range(protocol.repetitions), range(len(protocol.passes)))):
            head = {"repetition": repetition, "way": way, "slots": protocol.passes[way].slots(assignment.a)}
            request = _request(settled, assignment, way, repetition, Path(folder) / str(number))
            try:
                calls += _attempts(request, settled, head)
            except AwaitingJudgmentError as error:
                # A person gets all forms at once.
                awaited.append(str(error))
    if awaited:
        raise AwaitingJudgmentError("; ".join(awaited))
    return calls


def _attempts(request: BlindRequest, settled: _Settled, head: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    inputs = settled.inputs
    for attempt in range(1 + inputs.protocol.retries):
        asked = replace(request, parts={**request.parts, "attempt": str(attempt)})
        answer = _answered(inputs.judge, asked, inputs.protocol.timeout)
        described = {"shown": list(request.shown), "prompt": _sha(request.prompt), "request": asked.key}
        yield {**head, "attempt": attempt, **described, **answer}
        with suppress(ReplyProblem):
            if answer["reply"] is not None:
                read_reply(answer["reply"], inputs.rubric, settled.asked)
                return


def _answered(judge: BlindJudge, request: BlindRequest, timeout: float | None) -> dict[str, str | None]:
    try:
        return {"reply": serialize_reply(ask(judge, request, timeout)), "problem": None}
    except VerdictError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a provider raises, the call is recorded
        return {"reply": None, "problem": error_outcome(error).error}


def _request(settled: _Settled, assignment: Assignment, number: int, repetition: int, place: Path) -> BlindRequest:
    way, rubric = settled.inputs.protocol.passes[number], settled.inputs.rubric
    outputs = {label: settled.candidates[slot] for label, slot in way.slots(assignment.a).items()}
    presented: dict[Label, Presented] = {}
    for label, output in outputs.items():
        output.copy_to(place / label)
        # A copy that does not say where it was read or what was left out.
        presented[label] = Presented(Candidate(output.kind, output.files), place / label)
    return BlindRequest(
        prompt=_prompt(settled, assignment, outputs, way),
        schema=reply_schema(rubric, settled.asked),
        instructions=instructions_for(rubric),
        parts=_parts(settled, outputs, way, repetition),
        task=settled.task,
        expectations=settled.asked,
        rubric=rubric,
        outputs=presented,
        shown=way.shown,
        commitment=assignment.commitment,
    )


def _parts(settled: _Settled, outputs: Mapping[Label, Candidate], way: Pass, repetition: int) -> dict[str, str]:
    rubric = settled.inputs.rubric
    # Another version of a library may extract another text, which is nothing to a judge that opens the file itself.
    texts = {} if "sees_files" in settled.written else {label: one.extracted for label, one in outputs.items()}
    return {
        "judge": settled.written["judge"],
        # Not the prompt itself: its fence differs whenever another key is drawn.
        "form": _sha(fixed_wording(rubric)),
        "task": _sha(settled.task),
        "expectations": _sha(encode_text(list(settled.asked))),
        "rubric": rubric.digest,
        **{f"output {label}": output.digest for label, output in sorted(outputs.items())},
        **{f"text {label}": _sha(encode_text(text)) for label, text in sorted(texts.items()) if text},
        "shown": " ".join(way.shown),
        "repetition": str(repetition),
    }


def _prompt(settled: _Settled, assignment: Assignment, outputs: Mapping[Label, Candidate], way: Pass) -> str:
    rubric, texts = settled.inputs.rubric, [file.text or "" for one in outputs.values() for file in one.files]
    fences = (fence(assignment.key, assignment.comparison, number) for number in count())
    framed = next(frame for frame in fences if not any(frame in text for text in texts))
    prompt = write_prompt(settled.task, settled.asked, rubric, outputs, way.shown, framed)
    fixed = fixed_wording(rubric)
    recorded = settled.inputs.protocol.leaks == "record"
    known = {leak["token"] for leak in settled.written["leaks"]} if recorded else set()
    tokens = [token for token in settled.tokens if token.text not in known and not find_tokens(fixed, [token])]
    left = find_tokens(prompt, tokens)
    if left:
        raise LeakError(f"the prompt names a candidate: {', '.join(sorted(left))}")
    return prompt


def _sha(text: str) -> str:
    return digest(text.encode("ascii", "backslashreplace").decode("ascii"))
