"""`HumanJudge`: a person who gets the outputs in a folder and answers later."""

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


class HumanJudge:
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

    sees_files: ClassVar[bool] = True

    def __init__(self, folder: str | os.PathLike[str], *, name: str = "anonymous") -> None:
        self._folder = Path(folder)
        self.judge_id = f"human {name}"

    def __call__(self, request: BlindRequest, /) -> dict[str, Any]:
        folder = self._folder / request.key[:16]
        form = folder / "form.yaml"
        if not form.exists():
            for label, output in request.outputs.items():
                if not (folder / label).exists():
                    output.candidate.copy_to(folder / label)
            form.write_text(_build_form(request), encoding="utf-8")

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
