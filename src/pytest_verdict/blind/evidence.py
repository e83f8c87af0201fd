"""Ask a judge about two candidates and collect the evidence: the setup, the assignment and every reply."""

import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any

from pytest_verdict.blind.candidates import Candidate, read_candidate
from pytest_verdict.blind.files import read_object, write_commitment
from pytest_verdict.blind.leaks import (
    collect_tokens,
    find_leaks,
    find_tokens,
    get_searchable_text,
    redact_candidate,
    redact_tokens,
)
from pytest_verdict.blind.options import BlindInputs, read_check_results
from pytest_verdict.blind.record import (
    FORMAT,
    Assignment,
    Call,
    Citation,
    Leak,
    Setup,
    Token,
    UnseenFile,
    build_fence,
    draw_assignment,
    hash_json,
)
from pytest_verdict.blind.request import (
    BlindOutput,
    BlindRequest,
    build_fixed_wording,
    build_instructions,
    build_prompt,
    build_reply_schema,
)
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC, Label
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.encoding import content_digest, digest, encode_text
from pytest_verdict.errors import (
    AwaitingJudgmentError,
    ConfigurationError,
    LeakError,
    RecordError,
    VerdictError,
)
from pytest_verdict.judging.asking import ask
from pytest_verdict.judging.calls import run_in_order
from pytest_verdict.judging.protocol import (
    Usage,
    can_open_files,
    get_judge_name,
    get_unique_judge_name,
    serialize_reply,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A comparison with everything that is fixed before the judge is asked."""

    inputs: BlindInputs
    candidates: tuple[Candidate, Candidate]
    setup: Setup
    setup_digest: str
    assignment: Assignment


def collect_evidence(questions: Iterable[BlindInputs], max_concurrency: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Make comparisons, several at once, and yield the number and the evidence of each that has all of its replies."""
    awaited: list[str] = []
    functions = (partial(_ask, number, _prepare(inputs)) for number, inputs in enumerate(questions))
    for number, answer in run_in_order(functions, max_concurrency):
        if isinstance(answer, AwaitingJudgmentError):
            awaited.append(str(answer))
        else:
            yield number, answer
    if awaited:
        raise AwaitingJudgmentError("; ".join(awaited))


def _ask(number: int, prepared: _Prepared) -> tuple[int, dict[str, Any] | AwaitingJudgmentError]:
    """Make the calls of a comparison and return its number and evidence, or an error that lists the awaited answers."""
    setup = prepared.setup
    ways: Iterable[tuple[int, int]] = product(range(setup.protocol.repetitions), setup.protocol.ways)
    if setup.unseen_files or (setup.has_equal_outputs and not prepared.inputs.always_ask):
        ways = ()
    awaited = []
    calls = []
    for repetition, way in ways:
        try:
            calls += [call.to_json() for call in _make_call(prepared, repetition, way)]
        except AwaitingJudgmentError as error:
            # The other calls go on, so that a person gets all forms at once.
            awaited.append(str(error))
    if awaited:
        return number, AwaitingJudgmentError("; ".join(awaited))
    return number, {
        "format": FORMAT,
        "comparison": setup.to_json(),
        "assignment": prepared.assignment.to_json(),
        "calls": calls,
        "calls_digest": hash_json("calls", calls),
    }


def _prepare(inputs: BlindInputs) -> _Prepared:
    first, second = inputs.candidates
    results = read_check_results(inputs.expectation_results, inputs.names, inputs.expectations)
    inputs = inputs.model_copy(update={"expectation_results": results})
    candidates = (read_candidate(first, inputs.exclude), read_candidate(second, inputs.exclude))
    if not any(candidate.files for candidate in candidates):
        raise ConfigurationError("both outputs are empty or excluded; there is nothing to compare")
    if inputs.output is not None:
        output = Path(inputs.output).resolve()
        for candidate in candidates:
            # Otherwise the next comparison would show the judge the verdict of this one.
            if candidate.source is not None and output.is_relative_to(candidate.source.resolve()):
                raise ConfigurationError(
                    f"output is inside a candidate, {candidate.source}; write it to a folder outside of both candidates"
                )

    tokens = collect_tokens(inputs.names, inputs.identity, candidates)
    leaks = _find_leaks(candidates, tokens, inputs)
    if leaks and inputs.protocol.leaks == "redact":
        first_candidate, second_candidate = candidates
        candidates = (redact_candidate(first_candidate, tokens), redact_candidate(second_candidate, tokens))
        expectations = tuple(redact_tokens(text, tokens) for text in inputs.expectations)
        prompt = redact_tokens(inputs.eval_prompt, tokens)
        inputs = inputs.model_copy(update={"eval_prompt": prompt, "expectations": expectations})

    setup = _build_setup(candidates, tokens, leaks, inputs)
    key = secrets.token_hex(16) if inputs.key is None else inputs.key
    setup_digest = hash_json("comparison", setup.to_json())
    assignment = draw_assignment(key, setup_digest, inputs.position)
    if inputs.output is not None:
        write_commitment(Path(inputs.output), assignment.commitment, setup_digest)
    return _Prepared(
        inputs=inputs, candidates=candidates, setup=setup, setup_digest=setup_digest, assignment=assignment
    )


def _build_setup(
    candidates: tuple[Candidate, Candidate], tokens: tuple[Token, ...], leaks: tuple[Leak, ...], inputs: BlindInputs
) -> Setup:
    sees_files = can_open_files(inputs.judge)
    sees_images = getattr(inputs.judge, "sees_images", False) is True and not sees_files
    has_images = False
    unseen_files = []
    for name, candidate in zip(inputs.names, candidates, strict=True):
        for file in candidate.files:
            is_seen_image = sees_images and bool(file.image_type)
            has_images |= is_seen_image
            if file.text is None and not is_seen_image and not sees_files:
                unseen_files.append(UnseenFile(candidate=name, path=file.path, reason=file.reading.reason or ""))

    first, second = (candidate.to_record(name) for name, candidate in zip(inputs.names, candidates, strict=True))
    is_asked = inputs.always_ask or first.digest != second.digest
    setup = Setup(
        task=inputs.eval_prompt,
        expectations=inputs.expectations,
        expectation_results=inputs.expectation_results,
        rubric=inputs.rubric,
        protocol=inputs.protocol,
        candidates=(first, second),
        identity=tokens,
        leaks=leaks,
        sees_files=sees_files,
        sees_images=has_images,
        unseen_files=tuple(unseen_files) if is_asked else (),
        judge=get_judge_name(inputs.judge),
    )
    if inputs.calibration is None:
        return setup
    get_unique_judge_name(inputs.judge)
    return setup.model_copy(update={"calibration": _cite_calibration(Path(inputs.calibration), setup)})


def _find_leaks(
    candidates: tuple[Candidate, Candidate], tokens: Sequence[Token], inputs: BlindInputs
) -> tuple[Leak, ...]:
    """Return the places that show the judge the name of a candidate; refuse them if the protocol says so."""
    leaks = find_leaks("task", inputs.eval_prompt, tokens)
    # The judge does not see expectations that checks have answered.
    for text in inputs.expectations if inputs.expectation_results is None else ():
        leaks += find_leaks("expectations", text, tokens)
    rubric_leaks = find_leaks("rubric", encode_text(inputs.rubric.to_json()), tokens)
    leaks += rubric_leaks
    for label, candidate in zip(("first candidate", "second candidate"), candidates, strict=True):
        for file in candidate.files:
            leaks += find_leaks(f"name in {label}: {file.path}", file.path, tokens)
            leaks += find_leaks(f"content of {label}: {file.path}", get_searchable_text(file), tokens)
    if leaks and inputs.protocol.leaks == "fail":
        places = "; ".join(f"{leak.token!r} in {visible(leak.where)}" for leak in leaks[:10])
        raise LeakError(
            f"the judge would not be blind: {places}. Remove it, or choose leaks='redact' or leaks='record' in the protocol"
        )
    if rubric_leaks and inputs.protocol.leaks == "redact":
        raise LeakError("the rubric names a candidate, and a rubric cannot be redacted; remove the name from it")
    return tuple(leaks)


def _cite_calibration(path: Path, setup: Setup) -> Citation:
    calibration = read_object(path)
    bound_to = calibration.get("bound_to")
    gate = calibration.get("gate")
    if calibration.get("format") != 1 or not isinstance(bound_to, dict) or not isinstance(gate, dict):
        raise RecordError(f"{path} is no calibration; pytest-verdict calibrate writes one")
    changed = tuple(name for name, value in describe_binding(setup).items() if bound_to.get(name) != value)
    return Citation(
        status="stale" if changed else "fresh",
        changed=changed,
        sha256=content_digest(calibration),
        gate=gate.get("passed") is True,
    )


def describe_binding(setup: Setup) -> dict[str, Any]:
    """Return the parts of a comparison's setup for which a calibration is valid."""
    return {
        "judge": setup.judge,
        # Use the default rubric here, because the rubric has a digest of its own.
        "instructions": content_digest(build_fixed_wording(DEFAULT_RUBRIC)),
        "rubric": setup.rubric.digest,
        "protocol": setup.protocol.model_dump(exclude={"leaks"}),
    }


def _make_call(prepared: _Prepared, repetition: int, way: int) -> list[Call]:
    """Ask up to the first reply that holds a verdict, and return all attempts."""
    inputs = prepared.inputs
    slots = prepared.assignment.slots(way)
    calls: list[Call] = []
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        request = _build_request(prepared, slots, repetition, Path(folder))
        for attempt in range(1 + inputs.protocol.retries):
            question = replace(request, parts={**request.parts, "attempt": str(attempt)})
            reply = None
            problem = None
            usage: Usage = {}
            try:
                answer = ask(inputs.judge, question, inputs.protocol.timeout)
                usage = answer.usage
                reply = serialize_reply(answer.reply)
            except VerdictError:
                raise
            except Exception as error:  # noqa: BLE001 - each provider has errors of its own, and every call is recorded
                problem = error_outcome(error).error
            calls.append(
                Call(
                    repetition=repetition,
                    way=way,
                    slots=slots,
                    attempt=attempt,
                    prompt=_hash_text(request.prompt),
                    request=question.key,
                    reply=reply,
                    problem=problem,
                    usage=dict(usage),
                )
            )
            if reply is not None and request.is_answered_by(reply):
                break
    return calls


def _build_request(prepared: _Prepared, slots: Mapping[Label, int], repetition: int, folder: Path) -> BlindRequest:
    setup = prepared.setup
    candidates = {label: prepared.candidates[slot] for label, slot in slots.items()}
    # The key of a question is computed from these parts.
    parts = {
        "judge": setup.judge,
        # The prompt itself would be different for each key, because of its fence.
        "form": _hash_text(build_fixed_wording(setup.rubric)),
        "task": _hash_text(setup.task),
        "expectations": _hash_text(encode_text(list(setup.asked_expectations))),
        "rubric": setup.rubric.digest,
        **{f"output {label}": candidate.digest for label, candidate in candidates.items()},
        "shown": "A B",
        "repetition": str(repetition),
    }
    for label, candidate in candidates.items():
        # Another version of a library may extract another text, but a judge that opens files does not read it.
        texts = {file.path: file.text for file in candidate.files if not setup.sees_files and file.reading.extracted_by}
        if texts:
            parts[f"text {label}"] = _hash_text(encode_text(texts))
    outputs: dict[Label, BlindOutput] = {}
    for label, candidate in candidates.items():
        candidate.copy_to(folder / label)
        # Leave out the source and the excluded files, which the judge must not see.
        outputs[label] = BlindOutput(Candidate(candidate.kind, candidate.files), folder / label)

    return BlindRequest(
        prompt=_build_safe_prompt(prepared, candidates),
        schema=build_reply_schema(setup.rubric, setup.asked_expectations),
        instructions=build_instructions(setup.rubric),
        parts=parts,
        task=setup.task,
        expectations=setup.asked_expectations,
        rubric=setup.rubric,
        outputs=outputs,
        commitment=prepared.assignment.commitment,
    )


def _build_safe_prompt(prepared: _Prepared, candidates: Mapping[Label, Candidate]) -> str:
    """Return the prompt, with a fence that occurs in no output and without the name of a candidate."""
    setup = prepared.setup
    texts = [file.text or "" for candidate in candidates.values() for file in candidate.files]
    fences = (build_fence(prepared.assignment, prepared.setup_digest, number) for number in count())
    fence = next(fence for fence in fences if not any(fence in text for text in texts))
    prompt = build_prompt(setup.task, setup.asked_expectations, setup.rubric, candidates, fence)

    allowed_texts = setup.visible_names.union(find_tokens(build_fixed_wording(setup.rubric), setup.identity))
    names = find_tokens(prompt, [token for token in setup.identity if token.text not in allowed_texts])
    if names:
        raise LeakError(
            f"the prompt names a candidate: {', '.join(sorted(names))}; choose other names or identity texts"
        )
    return prompt


def _hash_text(text: str) -> str:
    return digest(text.encode("ascii", "backslashreplace").decode("ascii"))
