"""``pytest-verdict operators``."""

from __future__ import annotations

import json

import pytest

from pytest_verdict.core.registry import REGISTRY


def test_operators_are_listed_by_kind(command):
    status, out, _ = command("operators")
    assert status == 0
    names = {line.split()[0] for line in out.splitlines() if line.startswith("  ")}
    assert names == set(REGISTRY.public_names())
    kinds = [line for line in out.splitlines() if not line.startswith(" ")]
    assert kinds == sorted(kinds)
    assert "text" in kinds


def test_operator_is_described_with_settings(command):
    status, out, _ = command("operators", "numeric_tolerance")
    assert status == 0
    assert out.startswith("numeric_tolerance (NumericTolerance), kind number, version 1\n\n")
    assert '  mode: default "relative"' in out
    assert "  tolerance: required" in out


def test_defaults_agree_with_the_class(command):
    assert 'mode: default "fullmatch"' in command("operators", "regex")[1]


@pytest.mark.parametrize("name", REGISTRY.names())
def test_every_operator_can_be_described(command, name):
    status, out, err = command("operators", name)
    assert (status, err) == (0, "")
    assert "settings:" in out


def test_json_has_a_schema_for_each_operator(command):
    found = json.loads(command("operators", "--json")[1])
    assert [operator["name"] for operator in found] == REGISTRY.public_names()
    assert all(operator["settings"]["type"] == "object" for operator in found)


def test_unknown_name_is_suggested(command):
    status, out, err = command("operators", "exakt")
    assert (status, out) == (2, "")
    assert "Did you mean 'exact'?" in err
