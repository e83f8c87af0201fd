"""The executed examples of the reference: each row comes out the same, or is listed with the reason why not."""

from __future__ import annotations

import json
import math
import pathlib
import re
import sys
import warnings
from datetime import date
from typing import Any, Literal

import pytest
from reference_rows import DEVIATIONS

import pytest_verdict
import pytest_verdict.errors
import pytest_verdict.operators
import pytest_verdict.templates
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.operators import NumericExact
from pytest_verdict.templates import BaseAnswer, FieldCheck, VerifiedField, find_template, judge_schema

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CASES = REPOSITORY / ".." / "shared" / "reference" / "answer_template_cases.json"
PAGE = REPOSITORY / "docs" / "explanation" / "answer-templates-and-the-reference.md"

TEMPLATE = (
    "class %s(BaseAnswer):\n    x: str = VerifiedField(description='d', ground_truth='a', verify_with=ExactMatch())\n"
)


def template(fields, strategy=None):
    body = {"__annotations__": {name: kind for name, (kind, _) in fields.items()}, "__module__": __name__}
    body |= {name: field for name, (_, field) in fields.items()} | {"__qualname__": "Answer"}
    if strategy is not None:
        inner = {"verify_strategy": strategy, "__module__": __name__, "__qualname__": "Answer.VerificationStrategy"}
        body["VerificationStrategy"] = type("VerificationStrategy", (), inner)
    return type(BaseAnswer)("Answer", (BaseAnswer,), body)


def traced(operator, truth, trace):
    return template({"t": (bool, VerifiedField("d", truth, operator))})().verify(trace)


def schema_keys(*fields):
    schema = judge_schema(template({name: (kind, VerifiedField("d", *rest)) for name, kind, *rest in fields}))
    return sorted(schema["properties"]), schema["required"]


def one(kind, truth, operator, value):
    return template({"x": (kind, VerifiedField("d", truth, operator))})(x=value).verify()


def granular(strategy, weights, passing):
    names = "abc"[: len(weights)]
    fields = {
        name: (int, VerifiedField("d", 1, NumericExact(), weight)) for name, weight in zip(names, weights, strict=True)
    }
    answer = template(fields, strategy)(**dict(zip(names, passing, strict=True)))
    return answer.verify(), round(answer.verify_granular(), 4)


def regex(text, **entry):
    def ground_truth(self):
        self.regex = {"r": entry}

    body = {"ground_truth": ground_truth, "__module__": __name__, "__qualname__": "Answer"}
    return type(BaseAnswer)("Answer", (BaseAnswer,), body)().verify_regex(text)["success"]


def valid(code):
    space = {**OWN, "__name__": __name__}
    try:
        exec(code, space)
        find_template({name: value for name, value in space.items() if name not in OWN})
    except ValueError:
        return False
    return True


OWN = {
    name: getattr(space, name)
    for space in (pytest_verdict, pytest_verdict.errors, pytest_verdict.operators, pytest_verdict.templates)
    for name in getattr(space, "__all__", vars(space))
}
NAMES = OWN | {
    "Any": Any,
    "F": lambda name: FieldCheck(field=name),
    "H": TEMPLATE,
    "Literal": Literal,
    "TODAY": date(2026, 11, 20),
    "V": VerifiedField,
    "apply_normalizer": lambda name, text: normalize(text, [name]),
    "apply_normalizers": lambda names, text: normalize(text, names),
    "date": date,
    "g": granular,
    "inf": math.inf,
    "nan": math.nan,
    "one": one,
    "rx": regex,
    "schema_keys": schema_keys,
    "tr": traced,
    "val": valid,
}


def outcome(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(text, dict(NAMES)))
        except Exception as error:
            return "raises MissingExtraError" if type(error).__name__ == "MissingExtraError" else error


def same(found, wanted):
    if not isinstance(found, Exception):
        return found == wanted or wanted == "accepted"
    # A validation error of pydantic is a ValueError, and so are ours.
    wanted = wanted.replace("ValidationError", "ValueError")
    return wanted in {f"raises {kind.__name__}" for kind in type(found).__mro__}


def rows():
    if not CASES.exists():
        reason = (
            "the recorded outcomes of the reference implementation are a file of its maintainers and not part of this"
            " repository; all other tests of templates run without it"
        )
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(row, id=str(row["n"])) for row in json.loads(CASES.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("row", rows())
def test_reference_case(row, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    found = outcome(row["input"])
    if row["n"] in DEVIATIONS:
        assert not same(found, row["outcome"]), "the outcome is the reference's now: remove the row"
        assert same(found, DEVIATIONS[row["n"]][0])
    else:
        assert same(found, row["outcome"]), found


def test_page_lists_deviations_with_reasons():
    listed = re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(int(row), reason) for row, reason in listed] == [(row, why) for row, (_, why) in DEVIATIONS.items()]
