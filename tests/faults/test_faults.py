"""What is left when something ends a session: a few causes and moments always, all of them with the marker ``faults``."""

from __future__ import annotations

import os

import pytest

from tools.faults.matrix import CAUSES, MODES, cell
from tools.faults.moments import failures, moments

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork, and no such signals")

XDIST = ("-p", "xdist", "-n2")
BY_NAME = {cause.name: cause for cause in CAUSES}


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("SIGKILL in a test", "-n0"),
        pytest.param("os._exit(1) in a teardown", "loadfile", marks=pytest.mark.ci),
        pytest.param("link in place of a new file", "-n0", marks=pytest.mark.ci),
    ],
)
def test_a_few_causes(name, mode):
    assert cell(BY_NAME[name], mode).finding.faults == []


# The child answers for its parent on the channel of pytest-xdist, with or without this plugin.
MAY_HANG = {("child that is forked and returns into pytest", "-n2")}


@pytest.mark.faults
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BY_NAME)
def test_every_cause(name, mode):
    found = cell(BY_NAME[name], mode)
    assert found.finding.faults == []
    assert found.status is not None or (name, mode) in MAY_HANG, "it hangs"


def chosen(lines, step):
    every = sorted({moment for line in lines for moment in (line[0], line[-1])})
    return every[:: max(len(every) // step, 1)]


@pytest.mark.ci
def test_control_c_at_a_few_lines():
    assert list(failures("controller", (), chosen(moments("controller", ()), 5))) == []


@pytest.mark.ci
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_kill_at_a_few_lines(name):
    assert list(failures("controller", (), chosen(moments("controller", ()), 4), name)) == []


@pytest.mark.faults
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize(("who", "args"), [("controller", ()), ("controller", XDIST), ("gw0", XDIST)])
def test_kill_at_every_line(who, args, name):
    assert list(failures(who, args, chosen(moments(who, args), 1_000_000), name)) == []


@pytest.mark.faults
@pytest.mark.parametrize(("who", "args"), [("controller", ()), ("controller", XDIST), ("gw0", XDIST)])
def test_control_c_at_every_line(who, args):
    assert list(failures(who, args, chosen(moments(who, args), 1_000_000))) == []
