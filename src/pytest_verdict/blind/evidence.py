"""Ask a judge about two candidates and collect the evidence: the setup, the assignment and every reply."""

import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from pytest_verdict.blind.assignment import Assignment, build_fence, draw_assignment, hash_json
from pytest_verdict.blind.candidates import Candidate, read_candidate
from pytest_verdict.blind.citation import cite_calibration
from pytest_verdict.blind.derivation import FORMAT
from pytest_verdict.blind.files import write_commitment
from pytest_verdict.blind.leaks import (
    Leak,
    Token,
    collect_tokens,
    find_tokens,
    list_texts,
    redact_candidate,
    redact_tokens,
)
from pytest_verdict.blind.options import BlindInputs, read_expectation_results
from pytest_verdict.blind.protocol import LabelOrder, LeakPolicy
from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.request import (
    BlindOutput,
    BlindRequest,
    build_fixed_wording,
    build_instructions,
    build_prompt,
    build_reply_schema,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingSetup:
    """Everything that is fixed before the judge is asked; candidates, task and expectations as the judge sees them."""

    inputs: BlindInputs
    candidates: tuple[Candidate, Candidate]
    task: str
    expectations: tuple[str, ...]
    tokens: tuple[Token, ...]
    record: dict[str, Any]


def collect_evidence(candidate_x: Any, candidate_y: Any, inputs: BlindInputs) -> dict[str, Any]:
    """Ask a judge by a protocol, and return what `BlindPreference` observes."""
    setup = _build_setup(_read_candidates(candidate_x, candidate_y, inputs), inputs)
    comparison = hash_json("comparison", setup.record)
    key = secrets.token_hex(16) if inputs.key is None else inputs.key
    assignment = draw_assignment(key, comparison, inputs.position)
    if inputs.output is not None:
        write_commitment(Path(inputs.output), assignment)

    calls: list[dict[str, Any]] = []
    if _needs_judge(setup.candidates, inputs) and "unseen_files" not in setup.record:
        calls = _ask_in_all_orders(setup, assignment)
    return {
        "format": FORMAT,
        "comparison": setup.record,
        "assignment": assignment.to_json(),
        "calls": calls,
        "calls_digest": hash_json("calls", calls),
    }


def _needs_judge(candidates: Sequence[Candidate], inputs: BlindInputs) -> bool:
    return inputs.always_ask or candidates[0].digest != candidates[1].digest


def _read_candidates(first: Any, second: Any, inputs: BlindInputs) -> tuple[Candidate, Candidate]:
    candidates = (read_candidate(first, inputs.exclude), read_candidate(second, inputs.exclude))
    if not any(candidate.files for candidate in candidates):
        raise ConfigurationError("both outputs are empty or excluded; there is nothing to compare")
    if inputs.output is None:
        return candidates

    output = Path(inputs.output).resolve()
    for candidate in candidates:
        # Otherwise the next comparison would show the judge the verdict of this one.
        if candidate.source is not None and output.is_relative_to(candidate.source.resolve()):
            raise ConfigurationError(
                f"output is inside a candidate, {candidate.source}; write it to a folder outside of both candidates"
            )
    return candidates


def _build_setup(sources: tuple[Candidate, Candidate], inputs: BlindInputs) -> JudgingSetup:
    results = read_expectation_results(inputs.expectation_results, inputs.names, inputs.expectations)
    task = inputs.eval_prompt
    expectations = inputs.expectations
    tokens = collect_tokens(inputs.names, inputs.identity, sources)
    leaks = _find_leaks(sources, inputs, expectations if results is None else (), tokens)
    _refuse_leaks(leaks, inputs.protocol.leaks)

    candidates = sources
    if leaks and inputs.protocol.leaks == "redact":
        candidates = (redact_candidate(sources[0], tokens), redact_candidate(sources[1], tokens))
        task = redact_tokens(task, tokens)
        if results is None:
            expectations = tuple(redact_tokens(text, tokens) for text in expectations)

    record: dict[str, Any] = {"task": task, "expectations": list(expectations)}
    if results is not None:
        record["expectation_results"] = {"source": "checks", "passed": results}
    record |= {
        "rubric": inputs.rubric.to_json(),
        "protocol": inputs.protocol.to_json(),
        "candidates": [
            _describe_candidate(name, source, candidate)
            for name, source, candidate in zip(inputs.names, sources, candidates, strict=True)
        ],
        "identity": [asdict(token) for token in tokens],
        "leaks": [asdict(leak) for leak in leaks],
    }
    record |= _describe_sight(candidates, inputs)
    if inputs.calibration is None:
        record["judge"] = get_judge_name(inputs.judge)
    else:
        record["judge"] = get_unique_judge_name(inputs.judge)
    record["calibration"] = cite_calibration(inputs.calibration, record)
    return JudgingSetup(
        inputs=inputs,
        candidates=candidates,
        task=task,
        expectations=expectations if results is None else (),
        tokens=tokens,
        record=record,
    )


def _describe_sight(candidates: Sequence[Candidate], inputs: BlindInputs) -> dict[str, Any]:
    """Return whether the judge opens files or receives pictures, and the files that it cannot see."""
    if can_open_files(inputs.judge):
        return {"sees_files": True}

    has_images = any(file.image_type for candidate in candidates for file in candidate.files)
    sees_images = has_images and can_see_images(inputs.judge)
    unseen_files = [
        {"candidate": name, "path": file.path, "reason": file.reading.reason}
        for name, candidate in zip(inputs.names, candidates, strict=True)
        for file in candidate.files
        if file.text is None and not (sees_images and file.image_type)
    ]

    sight: dict[str, Any] = {}
    if sees_images:
        sight["sees_images"] = True
    if unseen_files and _needs_judge(candidates, inputs):
        sight["unseen_files"] = unseen_files
    return sight


def _describe_candidate(name: str, source: Candidate, candidate: Candidate) -> dict[str, Any]:
    return {
        "name": name,
        "kind": source.kind,
        "source_digest": source.digest,
        "digest": candidate.digest,
        "files": [file.to_record() for file in candidate.files],
        "excluded": list(source.excluded),
        "characters": candidate.characters,
    }


def _find_leaks(
    candidates: Sequence[Candidate], inputs: BlindInputs, expectations: Sequence[str], tokens: Sequence[Token]
) -> list[Leak]:
    texts = [("task", inputs.eval_prompt)]
    texts += [("expectations", text) for text in expectations]
    texts.append(("rubric", encode_text(inputs.rubric.to_json())))
    texts += list_texts(candidates[0], "first candidate")
    texts += list_texts(candidates[1], "second candidate")
    return [Leak(where, token, number) for where, text in texts for token, number in find_tokens(text, tokens).items()]


def _refuse_leaks(leaks: Sequence[Leak], policy: LeakPolicy) -> None:
    if policy == "fail" and leaks:
        places = "; ".join(f"{leak.token!r} in {visible(leak.where)}" for leak in leaks[:10])
        raise LeakError(
            f"the judge would not be blind: {places}. Remove it, or choose leaks='redact' or leaks='record' in the protocol"
        )
    if policy == "redact" and any(leak.where == "rubric" for leak in leaks):
        raise LeakError("the rubric names a candidate, and a rubric cannot be redacted; remove the name from it")


def _ask_in_all_orders(setup: JudgingSetup, assignment: Assignment) -> list[dict[str, Any]]:
    protocol = setup.inputs.protocol
    calls: list[dict[str, Any]] = []
    awaited: list[str] = []
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        for repetition in range(protocol.repetitions):
            for number, label_order in enumerate(protocol.label_orders):
                head = {"repetition": repetition, "way": number, "slots": label_order.slots(assignment.a)}
                place = Path(folder, f"{repetition}-{number}")
                request = _build_request(setup, assignment, label_order, repetition, place)
                try:
                    calls += [{**head, **call} for call in _ask_with_retries(request, setup)]
                except AwaitingJudgmentError as error:
                    # Go on, so that a person gets all forms at once.
                    awaited.append(str(error))
    if awaited:
        raise AwaitingJudgmentError("; ".join(awaited))
    return calls


def _ask_with_retries(request: BlindRequest, setup: JudgingSetup) -> Iterator[dict[str, Any]]:
    """Yield the attempts of a call, up to the first reply that holds a verdict."""
    inputs = setup.inputs
    for attempt in range(1 + inputs.protocol.retries):
        question = replace(request, parts={**request.parts, "attempt": str(attempt)})
        reply = None
        problem = None
        try:
            reply = serialize_reply(ask(inputs.judge, question, inputs.protocol.timeout))
        except VerdictError:
            raise
        except Exception as error:  # noqa: BLE001 - each provider has errors of its own, and every call is recorded
            problem = error_outcome(error).error
        yield {
            "attempt": attempt,
            "shown": list(request.shown),
            "prompt": _hash_text(request.prompt),
            "request": question.key,
            "reply": reply,
            "problem": problem,
        }
        if reply is None:
            continue
        with suppress(ReplyProblem):
            read_reply(reply, inputs.rubric, setup.expectations)
            return


def _build_request(
    setup: JudgingSetup, assignment: Assignment, label_order: LabelOrder, repetition: int, folder: Path
) -> BlindRequest:
    candidates = {label: setup.candidates[slot] for label, slot in label_order.slots(assignment.a).items()}
    outputs: dict[Label, BlindOutput] = {}
    for label, candidate in candidates.items():
        candidate.copy_to(folder / label)
        # Leave out the source and the excluded files, which the judge must not see.
        outputs[label] = BlindOutput(Candidate(candidate.kind, candidate.files), folder / label)

    rubric = setup.inputs.rubric
    return BlindRequest(
        prompt=_build_safe_prompt(setup, assignment, candidates, label_order),
        schema=build_reply_schema(rubric, setup.expectations),
        instructions=build_instructions(rubric),
        parts=_build_parts(setup, candidates, label_order, repetition),
        task=setup.task,
        expectations=setup.expectations,
        rubric=rubric,
        outputs=outputs,
        shown=label_order.shown,
        commitment=assignment.commitment,
    )


def _build_parts(
    setup: JudgingSetup, candidates: Mapping[Label, Candidate], label_order: LabelOrder, repetition: int
) -> dict[str, str]:
    """Return the parts of a question, from which its key is computed."""
    rubric = setup.inputs.rubric
    parts = {
        "judge": setup.record["judge"],
        # The prompt itself would be different for each key, because of its fence.
        "form": _hash_text(build_fixed_wording(rubric)),
        "task": _hash_text(setup.task),
        "expectations": _hash_text(encode_text(list(setup.expectations))),
        "rubric": rubric.digest,
    }
    for label, candidate in sorted(candidates.items()):
        parts[f"output {label}"] = candidate.digest
    # Another version of a library may extract another text, but a judge that opens files does not read it.
    if "sees_files" not in setup.record:
        for label, candidate in sorted(candidates.items()):
            if candidate.extracted_texts:
                parts[f"text {label}"] = _hash_text(encode_text(candidate.extracted_texts))
    parts["shown"] = " ".join(label_order.shown)
    parts["repetition"] = str(repetition)
    return parts


def _build_safe_prompt(
    setup: JudgingSetup, assignment: Assignment, candidates: Mapping[Label, Candidate], label_order: LabelOrder
) -> str:
    """Return the prompt, with a fence that occurs in no output and without the name of a candidate."""
    rubric = setup.inputs.rubric
    texts = [file.text or "" for candidate in candidates.values() for file in candidate.files]
    fences = (build_fence(assignment.key, assignment.comparison, number) for number in count())
    fence = next(fence for fence in fences if not any(fence in text for text in texts))
    prompt = build_prompt(setup.task, setup.expectations, rubric, candidates, label_order.shown, fence)

    allowed_texts = set(find_tokens(build_fixed_wording(rubric), setup.tokens))
    if setup.inputs.protocol.leaks == "record":
        allowed_texts |= {leak["token"] for leak in setup.record["leaks"]}
    names = find_tokens(prompt, [token for token in setup.tokens if token.text not in allowed_texts])
    if names:
        raise LeakError(
            f"the prompt names a candidate: {', '.join(sorted(names))}; choose other names or identity texts"
        )
    return prompt


def _hash_text(text: str) -> str:
    return digest(text.encode("ascii", "backslashreplace").decode("ascii"))
