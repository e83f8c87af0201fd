"""`HumanJudge` and `FolderJudge`: whoever gets a folder with two outputs, and whose verdict is read back later."""

import json
import os
from pathlib import Path
from typing import Any, ClassVar, Final

from pytest_verdict.blind.request import BlindRequest
from pytest_verdict.blind.rubric import DIMENSIONS, LABELS
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import AwaitingJudgmentError

FORM: Final = "form.yaml"
QUESTION: Final = "request.json"
REPLY: Final = "reply.json"
_HEAD: Final = """\
# Which output does the task better? Read A and B beside this file, then fill in this form and save it.
# Scores go from 1 (poor) over 3 (acceptable) to 5 (excellent). Do not try to find out who made the outputs.
"""


class _Absent:
    """A judge that answers later: each call is a folder with the two outputs and what is asked."""

    sees_files: ClassVar[bool] = True
    _kind: ClassVar[str]

    def __init__(self, folder: str | os.PathLike[str], *, name: str = "anonymous") -> None:
        self._folder = Path(folder)
        self.judge_id = f"{self._kind} {name}"

    def _place(self, request: BlindRequest, name: str, question: str) -> Path:
        """Find the folder of a call, or make it with a question of that name."""
        place = self._folder / request.key[:16]
        if not (place / name).exists():
            for label, output in request.outputs.items():
                if not (place / label).exists():
                    output.candidate.copy_to(place / label)
            (place / name).write_text(question, encoding="utf-8")
        return place


class HumanJudge(_Absent):
    """A person as a judge: each call is a folder with ``A``, ``B`` and ``form.yaml``.

    The first run writes the folders and says which forms are to be filled in; a later run, with the same outputs, reads them. It
    does not matter who is A in which run, because a folder is found by what it holds. Nothing in it tells which system made
    what, and that is in no file at all until the comparison is made.

    Args:
        folder: Where the folders of the calls are.
        name: Who judges, for the record.

    Example:
        >>> HumanJudge("judgments", name="reviewer 1").judge_id
        'human reviewer 1'
    """

    _kind = "human"

    def __call__(self, request: BlindRequest, /) -> dict[str, Any]:
        """Read a form that was filled in, or prepare one."""
        form = self._place(request, FORM, _form(request)) / FORM
        filled = read_yaml(form)
        if any(score is None for score in _scores(filled)):
            raise AwaitingJudgmentError(f"{form.as_posix()} is still to be filled in")
        return filled


class FolderJudge(_Absent):
    """A program as a judge, such as an agent: each call is a folder with ``A``, ``B`` and ``request.json``.

    The request has ``instructions``, ``prompt`` and the ``schema`` of the answer, which is to be written to ``reply.json`` beside
    it. As with `HumanJudge`, a later run reads what was answered.

    Args:
        folder: Where the folders of the calls are.
        name: Who judges, for the record.

    Example:
        >>> FolderJudge("judgments", name="my-agent").judge_id
        'folder my-agent'
    """

    _kind = "folder"

    def __call__(self, request: BlindRequest, /) -> str:
        """Read an answer, or ask for one."""
        asked = {"instructions": request.instructions, "prompt": request.prompt, "schema": request.schema}
        place = self._place(request, QUESTION, json.dumps(asked, indent=2, ensure_ascii=True) + "\n")
        if not (place / REPLY).exists():
            raise AwaitingJudgmentError(
                f"{(place / REPLY).as_posix()} is still to be written, as {QUESTION} beside it says"
            )
        return (place / REPLY).read_text(encoding="utf-8", errors="replace")


def _scores(filled: dict[str, Any]) -> list[Any]:
    rubric, results = filled.get("rubric") or {}, filled.get("expectation_results") or {}
    sides = [(rubric.get(label) or {}).get(dimension) or {} for label in LABELS for dimension in DIMENSIONS]
    details = [item for label in LABELS for item in (results.get(label) or {}).get("details") or []]
    return [*(score for side in sides for score in side.values()), *(item.get("passed") for item in details)]


def _form(request: BlindRequest) -> str:
    import yaml

    rubric = request.rubric
    parts: dict[str, Any] = {
        "rubric": {label: {name: dict.fromkeys(rubric.names(name)) for name in DIMENSIONS} for label in LABELS}
    }
    if request.expectations:
        parts["expectation_results"] = {
            label: {"details": [{"text": text, "passed": None} for text in request.expectations]} for label in LABELS
        }
    parts["output_quality"] = {label: {"strengths": [], "weaknesses": []} for label in LABELS}
    parts |= {"reasoning": "", "winner": None}
    anchors = {name: rubric.written()[name] for name in DIMENSIONS}
    about = yaml.safe_dump({"task": request.task, "criteria": anchors}, sort_keys=False, allow_unicode=True)
    commented = "".join(f"# {line}\n" for line in about.splitlines())
    return _HEAD + commented + str(yaml.safe_dump(parts, sort_keys=False, allow_unicode=True))
