"""Values whose own code raises when they are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from pytest_verdict import MismatchError, UndecidedError, assert_matches, compare


class RaisingMapping(Mapping):
    def __getitem__(self, key):
        raise ValueError("no item")

    def __iter__(self):
        raise ValueError("no keys")

    def __len__(self):
        return 3


class RaisingList(list):
    def __iter__(self):
        raise ValueError("no items")


class RaisingSecret:
    def get_secret_value(self):
        raise ValueError("no secret")


@dataclasses.dataclass
class RaisingField:
    field: int

    def __getattribute__(self, name):
        if name == "field":
            raise ValueError("no field")
        return super().__getattribute__(name)


@pytest.mark.parametrize("nested", [False, True], ids=["alone", "in a list"])
@pytest.mark.parametrize(
    "value",
    [RaisingMapping(), RaisingList([1]), RaisingSecret(), RaisingField(1)],
    ids=lambda value: type(value).__name__,
)
def test_unreadable_value_never_passes_and_has_a_record_and_a_block(value, nested):
    value = [value] if nested else value
    result = compare("exact", value, "x")
    assert result.verdict in {"fail", "error"}
    assert '"observed":"x"' in result.to_text()
    with pytest.raises((MismatchError, UndecidedError), match="exact"):
        assert_matches("exact", value, "x")
