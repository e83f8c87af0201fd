"""Wire formats of other packages."""

import sys
import types

import pytest

import pytest_verdict
from pytest_verdict import compare
from pytest_verdict.core.families import Families, hookimpl
from pytest_verdict.errors import SettingsError, TrajectoryError
from pytest_verdict.trajectories import Event, read_trajectory, readers

BEDROCK = [{"role": "assistant", "content": [{"toolUse": {"name": "search", "input": {}}}]}]
MODULE = """
from pytest_verdict.core.families import hookimpl
from pytest_verdict.trajectories import Event

@hookimpl
def trajectory_readers():
    return {"shop_log": "shop_log"}

def recognises(value):
    return isinstance(value, str) and value.startswith("shop: ")

def read(value):
    for name in value.removeprefix("shop: ").split(", "):
        yield Event(name, {})
"""


@pytest.fixture
def families(monkeypatch):
    found = Families(pytest_verdict.FAMILIES)
    monkeypatch.setattr(readers, "FAMILIES", found)
    readers._load_reader.cache_clear()
    yield found
    readers._load_reader.cache_clear()


@pytest.fixture
def installed(families, monkeypatch, tmp_path):
    (tmp_path / "shop_log.py").write_text(MODULE)
    information = tmp_path / "shop_log-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-log\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[pytest_verdict]\nshop_log = shop_log\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield families
    sys.modules.pop("shop_log", None)


def test_installed_format_is_found_by_name(installed):
    events = [Event("search", {}), Event("buy", {}, index=1)]
    assert read_trajectory("shop: search, buy", "shop_log") == events
    assert compare("trajectory_exact", events, "shop: search, buy", observed_format="shop_log").passed


def test_installed_format_is_recognised_after_the_built_in_ones(installed):
    assert "shop_log" not in installed.own("trajectory_readers")
    assert readers.recognise_format(BEDROCK) == "bedrock"
    assert "shop_log" not in installed.own("trajectory_readers")
    assert readers.recognise_format("shop: search") == "shop_log"
    assert compare("trajectory_exact", [("search", {})], "shop: search").passed


def test_unknown_format_error_lists_installed_formats(installed):
    with pytest.raises(SettingsError, match="Did you mean 'shop_log'"):
        compare("trajectory_exact", ["a"], ["a"], observed_format="shop_logs")
    with pytest.raises(TrajectoryError, match="plain, shop_log"):
        read_trajectory(3)


def greedy(events):
    module = types.ModuleType("greedy_format")
    module.trajectory_readers = hookimpl(lambda: {"greedy": "greedy_format"})
    module.trajectory_readers.__name__ = "trajectory_readers"
    module.recognises = lambda value: True
    module.read = lambda value: events
    return module


def test_built_in_formats_come_first_after_a_lookup(families, monkeypatch):
    module = greedy([])
    monkeypatch.setitem(sys.modules, "greedy_format", module)
    families.register(module)
    families.all("trajectory_readers")
    assert readers.recognise_format(BEDROCK) == "bedrock"
    assert not compare("trajectory_forbidden", ["search"], BEDROCK).passed


@pytest.mark.parametrize("events", [["search"], [None], 3, [("search", {})]], ids=repr)
def test_items_that_are_no_events_are_unreadable(families, monkeypatch, events):
    module = greedy(events)
    monkeypatch.setitem(sys.modules, "greedy_format", module)
    families.register(module)
    result = compare("trajectory_forbidden", ["search"], {}, observed_format="greedy")
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])
