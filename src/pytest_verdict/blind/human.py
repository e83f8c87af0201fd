"""`HumanJudge` and `FolderJudge`: a person or a program that gets the outputs in a folder and answers later."""

import json
import os
from pathlib import Path
from typing import Any, ClassVar, Final

from pytest_verdict.blind.request import BlindRequest
from pytest_verdict.blind.rubric import DIMENSIONS, LABELS
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import AwaitingJudgmentError

_FORM_HEAD: Final = """\
# Which output does the task better? Read A and B beside this file, then fill in this form and save it.
# Scores go from 1 (poor) over 3 (acceptable) to 5 (excellent). Do not try to find out who made the outputs.
"""


class _LaterJudge:
    sees_files: ClassVar[bool] = True
    _kind: ClassVar[str]

    def __init__(self, folder: str | os.PathLike[str], *, name: str = "anonymous") -> None:
        self._folder = Path(folder)
        self.judge_id = f"{self._kind} {name}"

    def _write_question(self, request: BlindRequest, file_name: str, question: str) -> Path:
        """Return the path of a question; write it and the outputs if they are not there yet."""
        path = self._folder / request.key[:16] / file_name
        if not path.exists():
            for label, output in request.outputs.items():
                if not (path.parent / label).exists():
                    output.candidate.copy_to(path.parent / label)
            path.write_text(question, encoding="utf-8")
        return path


class HumanJudge(_LaterJudge):
    """A person as a judge: each call is a folder with ``A``, ``B`` and ``form.yaml``.

    The first run writes the folders and lists the forms to fill in. A later run with the same outputs reads them, whichever
    candidate is A in that run. No file in a folder shows which system made an output.

    Args:
        folder: The folder of all calls.
        name: The name of the person in the record.

    Example:
        >>> HumanJudge("judgments", name="reviewer 1").judge_id
        'human reviewer 1'
    """

    _kind = "human"

    def __call__(self, request: BlindRequest, /) -> dict[str, Any]:
        form = self._write_question(request, "form.yaml", _build_form(request))
        answers = read_yaml(form, allows_blanks=True)
        rubric = answers.get("rubric") or {}
        results = answers.get("expectation_results") or {}
        required: list[Any] = []
        for label in LABELS:
            for dimension in DIMENSIONS:
                required += ((rubric.get(label) or {}).get(dimension) or {}).values()
            required += [item.get("passed") for item in (results.get(label) or {}).get("details") or []]
        if None in required:
            raise AwaitingJudgmentError(f"{form.as_posix()} is still to be filled in")
        return answers


class FolderJudge(_LaterJudge):
    """A program as a judge, such as an agent: each call is a folder with ``A``, ``B`` and ``request.json``.

    The request holds ``instructions``, ``prompt`` and the ``schema`` of the answer, which belongs into ``reply.json`` beside
    it. As with `HumanJudge`, a later run reads the answers.

    Args:
        folder: The folder of all calls.
        name: The name of the program in the record.

    Example:
        >>> FolderJudge("judgments", name="my-agent").judge_id
        'folder my-agent'
    """

    _kind = "folder"

    def __call__(self, request: BlindRequest, /) -> str:
        question = {"instructions": request.instructions, "prompt": request.prompt, "schema": request.schema}
        path = self._write_question(request, "request.json", json.dumps(question, indent=2) + "\n")
        reply = path.with_name("reply.json")
        if not reply.exists():
            raise AwaitingJudgmentError(f"{reply.as_posix()} is still to be written, as {path.name} beside it says")
        return reply.read_text(encoding="utf-8", errors="replace")


def _build_form(request: BlindRequest) -> str:
    import yaml

    rubric = request.rubric
    form: dict[str, Any] = {"rubric": {}}
    if request.expectations:
        details = [{"text": text, "passed": None} for text in request.expectations]
        form["expectation_results"] = {label: {"details": details} for label in LABELS}
    for label in LABELS:
        form["rubric"][label] = {dimension: dict.fromkeys(rubric.names(dimension)) for dimension in DIMENSIONS}
    form["output_quality"] = {label: {"strengths": [], "weaknesses": []} for label in LABELS}
    form["reasoning"] = ""
    form["winner"] = None

    criteria = {dimension: getattr(rubric, dimension) for dimension in DIMENSIONS}
    about = yaml.safe_dump({"task": request.task, "criteria": criteria}, sort_keys=False, allow_unicode=True)
    comment = "".join(f"# {line}\n" for line in about.splitlines())
    return _FORM_HEAD + comment + str(yaml.safe_dump(form, sort_keys=False, allow_unicode=True))
