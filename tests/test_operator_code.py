"""The digest of the code of operators that are not ours: a changed body is seen, and nothing else."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from pytest_verdict import Operator, Outcome, compare
from pytest_verdict.core.operator import operator_from_function
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import replay_line
from pytest_verdict.core.result import ComparisonResult

BODY = """
from pytest_verdict import Operator, Outcome

class Base(Operator):
    name = "base"
    def evaluate(self, expected, observed):
        return Outcome({base})

class Whole(Base):
    name = "whole"

def same_length(expected, observed, *, slack: int = 0):
    return {body}
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a module with operators, and import it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name, body="len(expected) == len(observed)", base="1.0", head=""):
        (tmp_path / f"{name}.py").write_text(head + BODY.format(body=body, base=base))
        importlib.invalidate_caches()
        written.append(name)
        return importlib.import_module(name)

    written: list[str] = []
    yield write
    for name in written:
        sys.modules.pop(name, None)


def code(operator):
    return compare(operator(), "a", "b").to_record().get("operator_code")


def test_built_in_operators_have_no_digest():
    assert "operator_code" not in compare("exact", 1, 1).to_record()


def test_class_without_source_has_no_digest():
    names = {"Operator": Operator, "Outcome": Outcome}
    exec(
        "class Made(Operator):\n    name = 'made'\n    def evaluate(self, expected, observed): return Outcome(1.0)",
        names,
    )
    assert code(names["Made"]) is None


@pytest.mark.parametrize("kind", ["function", "class", "base"])
def test_changed_body_changes_digest(written, kind):
    def code_in(module):
        made = {"class": module.Base, "base": module.Whole, "function": operator_from_function(module.same_length)}
        return code(made[kind])

    before, moved = code_in(written("one")), code_in(written("two", head="# A comment\n\n"))
    after = code_in(written("three", body="True", base="0.5"))
    assert len(before) == 32
    assert before == moved != after


def line_of(result, **changes):
    place = {"test": "t", "attempt": 1, "ordinal": 1, "path": "t.py", "line": 1}
    record = {"record": 1, "id": "0123456789ab-1-1", **result.to_record(), **changes, **place}
    return json.dumps(record, separators=(",", ":")).encode()


@pytest.fixture
def registered(written, monkeypatch):
    monkeypatch.setattr(REGISTRY, "_classes", dict(REGISTRY._classes))
    REGISTRY._built.clear()
    REGISTRY.add(written("registered_operators").same_length)


@pytest.mark.parametrize(
    ("observed", "changes", "status", "is_difference"),
    [
        ("b", {}, "identical", False),
        ("b", {"operator_code": "0" * 32}, "version_changed", False),
        ("b", {"operator_code": "0" * 32, "verdict": "fail", "score": 0.0}, "version_changed", True),
        ("b", {"verdict": "fail", "score": 0.0}, "differs", True),
    ],
)
def test_replay_reports_changed_body(registered, observed, changes, status, is_difference):
    answer = replay_line(line_of(compare("same_length", "a", observed), **changes))
    assert (answer.status, answer.is_difference) == (status, is_difference)
    assert ("code" in answer.reason) == ("operator_code" in changes)


def test_record_without_digest_is_no_difference(registered):
    record = compare("same_length", "a", "b").to_record()
    del record["operator_code"]
    line = line_of(ComparisonResult.from_record(record))
    assert b"operator_code" not in line
    assert (replay_line(line).status, replay_line(line).is_difference) == ("version_changed", False)


def test_changed_part_of_aggregate_is_reported(registered):
    line = line_of(compare("all_of", "a", "b", conditions=["same_length"]))
    assert replay_line(line).status == "identical"
    (own,) = {child["operator_code"] for child in json.loads(line)["children"]}
    answer = replay_line(line.replace(own.encode(), b"0" * 32))
    assert (answer.status, answer.is_difference) == ("version_changed", False)
