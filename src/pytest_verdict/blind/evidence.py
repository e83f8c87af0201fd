"""Ask a judge about two candidates and collect the evidence: the setup, the assignment and every reply."""

import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from pytest_verdict.blind.candidates import Candidate, read_candidate
from pytest_verdict.blind.files import read_json, write_commitment
from pytest_verdict.blind.leaks import (
    Leak,
    Token,
    collect_tokens,
    find_leaks,
    find_tokens,
    get_searchable_text,
    redact_candidate,
    redact_tokens,
)
from pytest_verdict.blind.options import BlindInputs, read_expectation_results
from pytest_verdict.blind.preference import FORMAT
from pytest_verdict.blind.protocol import Assignment, LabelOrder, build_fence, draw_assignment, hash_json
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
from pytest_verdict.core.strict_model import StrictModel
from pytest_verdict.core.values.display import visible
from pytest_verdict.core.values.encoding import content_digest, digest, encode_text
from pytest_verdict.errors import (
    AwaitingJudgmentError,
    ConfigurationError,
    LeakError,
    RecordError,
    SettingsError,
    VerdictError,
)
from pytest_verdict.judging.asking import ask
from pytest_verdict.judging.calls import run_in_order
from pytest_verdict.judging.protocol import (
    Usage,
    can_open_files,
    can_see_images,
    get_judge_name,
    get_unique_judge_name,
    serialize_reply,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgingSetup:
    """Everything that is fixed before the judge is asked; candidates, task and expectations as the judge sees them."""

    inputs: BlindInputs
    candidates: tuple[Candidate, Candidate]
    task: str
    expectations: tuple[str, ...]
    tokens: tuple[Token, ...]
    record: dict[str, Any]
    assignment: Assignment


class Question(NamedTuple):
    """Two candidates and the options of their comparison."""

    candidate_x: Any
    candidate_y: Any
    inputs: BlindInputs


def collect_evidence(questions: Iterable[Question], max_concurrency: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Ask judges, several at once, and yield the number and the evidence of each question that has all of its replies."""
    awaited: list[str] = []
    answers: list[_Answer] = []
    for answer in run_in_order(_list_calls(questions), max_concurrency):
        awaited += answer.awaited
        if answers and answers[0].number != answer.number:
            answers = []
        answers.append(answer)
        if len(answers) < answer.total or any(answer.awaited for answer in answers):
            continue
        calls = [call for answer in answers for call in answer.calls]
        evidence = {
            "format": FORMAT,
            "comparison": answer.setup.record,
            "assignment": answer.setup.assignment.to_json(),
            "calls": calls,
            "calls_digest": hash_json("calls", calls),
        }
        yield answer.number, evidence
    if awaited:
        raise AwaitingJudgmentError("; ".join(awaited))


class _Answer(NamedTuple):
    """The attempts of one call, or what they wait for, and the total number of calls about its question."""

    number: int
    setup: _JudgingSetup
    total: int = 1
    calls: Sequence[dict[str, Any]] = ()
    awaited: Sequence[str] = ()


def _list_calls(questions: Iterable[Question]) -> Iterator[Callable[[], _Answer]]:
    """Yield a function for each call of each comparison, or one that makes no call."""
    for number, question in enumerate(questions):
        setup = _prepare(question)
        if not _needs_judge(setup.candidates, setup.inputs) or "unseen_files" in setup.record:
            yield partial(_Answer, number, setup)
            continue
        protocol = setup.inputs.protocol
        calls = list(product(range(protocol.repetitions), range(len(protocol.label_orders))))
        for repetition, way in calls:
            yield partial(_make_call, _Answer(number, setup, len(calls)), repetition, way)


def _prepare(question: Question) -> _JudgingSetup:
    inputs = question.inputs
    sources = (
        read_candidate(question.candidate_x, inputs.exclude),
        read_candidate(question.candidate_y, inputs.exclude),
    )
    if not any(source.files for source in sources):
        raise ConfigurationError("both outputs are empty or excluded; there is nothing to compare")
    if inputs.output is not None:
        output = Path(inputs.output).resolve()
        for candidate in sources:
            # Otherwise the next comparison would show the judge the verdict of this one.
            if candidate.source is not None and output.is_relative_to(candidate.source.resolve()):
                raise ConfigurationError(
                    f"output is inside a candidate, {candidate.source}; write it to a folder outside of both candidates"
                )

    setup = _build_setup(sources, inputs)
    if inputs.output is not None:
        write_commitment(Path(inputs.output), setup.assignment)
    return setup


def _needs_judge(candidates: Sequence[Candidate], inputs: BlindInputs) -> bool:
    return inputs.always_ask or candidates[0].digest != candidates[1].digest


def _build_setup(sources: tuple[Candidate, Candidate], inputs: BlindInputs) -> _JudgingSetup:
    results = read_expectation_results(inputs.expectation_results, inputs.names, inputs.expectations)
    candidates = sources
    task = inputs.eval_prompt
    # The judge is not asked about expectations that checks have answered.
    expectations = inputs.expectations if results is None else ()
    tokens = collect_tokens(inputs.names, inputs.identity, sources)
    leaks = _scan(sources, expectations, tokens, inputs)
    if leaks and inputs.protocol.leaks == "redact":
        candidates = (redact_candidate(sources[0], tokens), redact_candidate(sources[1], tokens))
        task = redact_tokens(task, tokens)
        expectations = tuple(redact_tokens(text, tokens) for text in expectations)

    record: dict[str, Any] = {"task": task, "expectations": list(expectations)}
    if results is not None:
        record["expectations"] = list(inputs.expectations)
        record["expectation_results"] = {"source": "checks", "passed": results}
    record |= {
        "rubric": inputs.rubric.to_json(),
        "protocol": inputs.protocol.to_json(),
        "candidates": [
            {
                "name": name,
                "kind": source.kind,
                "source_digest": source.digest,
                "digest": candidate.digest,
                "files": [file.to_record() for file in candidate.files],
                "excluded": list(source.excluded),
                "characters": candidate.characters,
            }
            for name, source, candidate in zip(inputs.names, sources, candidates, strict=True)
        ],
        "identity": [token.model_dump() for token in tokens],
        "leaks": [asdict(leak) for leak in leaks],
        **_describe_sight(candidates, inputs),
    }
    if inputs.calibration is None:
        record["judge"] = get_judge_name(inputs.judge)
    else:
        record["judge"] = get_unique_judge_name(inputs.judge)
    record["calibration"] = _cite_calibration(inputs.calibration, record)
    key = secrets.token_hex(16) if inputs.key is None else inputs.key
    return _JudgingSetup(
        inputs=inputs,
        candidates=candidates,
        task=task,
        expectations=expectations,
        tokens=tokens,
        record=record,
        assignment=draw_assignment(key, hash_json("comparison", record), inputs.position),
    )


def _scan(
    sources: tuple[Candidate, Candidate], expectations: Sequence[str], tokens: Sequence[Token], inputs: BlindInputs
) -> list[Leak]:
    """Return the places that show the judge the name of a candidate; refuse them if the protocol says so."""
    leaks = find_leaks("task", inputs.eval_prompt, tokens)
    for text in expectations:
        leaks += find_leaks("expectations", text, tokens)
    rubric_leaks = find_leaks("rubric", encode_text(inputs.rubric.to_json()), tokens)
    leaks += rubric_leaks
    for label, source in zip(("first candidate", "second candidate"), sources, strict=True):
        for file in source.files:
            leaks += find_leaks(f"name in {label}: {file.path}", file.path, tokens)
            leaks += find_leaks(f"content of {label}: {file.path}", get_searchable_text(file), tokens)

    policy = inputs.protocol.leaks
    if policy == "fail" and leaks:
        places = "; ".join(f"{leak.token!r} in {visible(leak.where)}" for leak in leaks[:10])
        raise LeakError(
            f"the judge would not be blind: {places}. Remove it, or choose leaks='redact' or leaks='record' in the protocol"
        )
    if policy == "redact" and rubric_leaks:
        raise LeakError("the rubric names a candidate, and a rubric cannot be redacted; remove the name from it")
    return leaks


def _describe_sight(candidates: Sequence[Candidate], inputs: BlindInputs) -> dict[str, Any]:
    if can_open_files(inputs.judge):
        return {"sees_files": True}

    sees_images = can_see_images(inputs.judge)
    has_images = False
    unseen_files = []
    for name, candidate in zip(inputs.names, candidates, strict=True):
        for file in candidate.files:
            is_seen_image = sees_images and bool(file.image_type)
            has_images |= is_seen_image
            if file.text is None and not is_seen_image:
                unseen_files.append({"candidate": name, "path": file.path, "reason": file.reading.reason})

    sight: dict[str, Any] = {}
    if has_images:
        sight["sees_images"] = True
    if unseen_files and _needs_judge(candidates, inputs):
        sight["unseen_files"] = unseen_files
    return sight


class _CalibrationGate(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "the gate"

    passed: bool


class _Calibration(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a calibration"

    format: Literal[1]
    bound_to: dict[str, Any]
    gate: _CalibrationGate


def _cite_calibration(
    source: Mapping[str, Any] | str | os.PathLike[str] | None, setup: Mapping[str, Any]
) -> dict[str, Any] | None:
    if source is None:
        return None
    if isinstance(source, Mapping):
        values = source
        place: object = "calibration"
    else:
        values = read_json(Path(source))
        place = source
    try:
        calibration = _Calibration.read(values, place)
    except SettingsError as error:
        raise RecordError(f"{error}; pytest-verdict calibrate writes one") from None

    binding = describe_binding(setup)
    changed = [name for name, value in binding.items() if calibration.bound_to.get(name) != value]
    return {
        "status": "stale" if changed else "fresh",
        "changed": changed,
        "sha256": content_digest(dict(values)),
        "gate": calibration.gate.passed,
    }


def describe_binding(setup: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a comparison's setup for which a calibration is valid."""
    return {
        "judge": setup["judge"],
        # Use the default rubric here, because the rubric has a digest of its own.
        "instructions": content_digest(build_fixed_wording(DEFAULT_RUBRIC)),
        "rubric": content_digest(setup["rubric"]),
        "protocol": {name: value for name, value in setup["protocol"].items() if name != "leaks"},
    }


def _make_call(empty: _Answer, repetition: int, way: int) -> _Answer:
    """Ask up to the first reply that holds a verdict, and return all attempts."""
    setup = empty.setup
    inputs = setup.inputs
    label_order = inputs.protocol.label_orders[way]
    calls: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        request = _build_request(setup, label_order, repetition, Path(folder))
        for attempt in range(1 + inputs.protocol.retries):
            question = replace(request, parts={**request.parts, "attempt": str(attempt)})
            reply = None
            problem = None
            usage: Usage = {}
            try:
                answer = ask(inputs.judge, question, inputs.protocol.timeout)
                usage = answer.usage
                reply = serialize_reply(answer.reply)
            except AwaitingJudgmentError as error:
                # The other calls go on, so that a person gets all forms at once.
                return empty._replace(awaited=[str(error)])
            except VerdictError:
                raise
            except Exception as error:  # noqa: BLE001 - each provider has errors of its own, and every call is recorded
                problem = error_outcome(error).error
            call = {
                "repetition": repetition,
                "way": way,
                "slots": label_order.slots(setup.assignment.a),
                "attempt": attempt,
                "shown": list(request.shown),
                "prompt": _hash_text(request.prompt),
                "request": question.key,
                "reply": reply,
                "problem": problem,
            }
            if usage:
                call["usage"] = dict(usage)
            calls.append(call)
            if reply is not None and request.is_answered_by(reply):
                break
    return empty._replace(calls=calls)


def _build_request(setup: _JudgingSetup, label_order: LabelOrder, repetition: int, folder: Path) -> BlindRequest:
    candidates = {label: setup.candidates[slot] for label, slot in label_order.slots(setup.assignment.a).items()}
    rubric = setup.inputs.rubric
    # The key of a question is computed from these parts.
    parts = {
        "judge": setup.record["judge"],
        # The prompt itself would be different for each key, because of its fence.
        "form": _hash_text(build_fixed_wording(rubric)),
        "task": _hash_text(setup.task),
        "expectations": _hash_text(encode_text(list(setup.expectations))),
        "rubric": rubric.digest,
        **{f"output {label}": candidate.digest for label, candidate in candidates.items()},
    }
    for label, candidate in candidates.items():
        # Another version of a library may extract another text, but a judge that opens files does not read it.
        if candidate.extracted_texts and "sees_files" not in setup.record:
            parts[f"text {label}"] = _hash_text(encode_text(candidate.extracted_texts))
    parts["shown"] = " ".join(label_order.shown)
    parts["repetition"] = str(repetition)

    outputs: dict[Label, BlindOutput] = {}
    for label, candidate in candidates.items():
        candidate.copy_to(folder / label)
        # Leave out the source and the excluded files, which the judge must not see.
        outputs[label] = BlindOutput(Candidate(candidate.kind, candidate.files), folder / label)

    return BlindRequest(
        prompt=_build_safe_prompt(setup, candidates, label_order),
        schema=build_reply_schema(rubric, setup.expectations),
        instructions=build_instructions(rubric),
        parts=parts,
        task=setup.task,
        expectations=setup.expectations,
        rubric=rubric,
        outputs=outputs,
        shown=label_order.shown,
        commitment=setup.assignment.commitment,
    )


def _build_safe_prompt(setup: _JudgingSetup, candidates: Mapping[Label, Candidate], label_order: LabelOrder) -> str:
    """Return the prompt, with a fence that occurs in no output and without the name of a candidate."""
    rubric = setup.inputs.rubric
    texts = [file.text or "" for candidate in candidates.values() for file in candidate.files]
    fences = (build_fence(setup.assignment, number) for number in count())
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
