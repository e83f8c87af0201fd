"""Simulations and tasks of tau2-bench, made by the library."""

import json

import agent_logs as made
import pytest

pytest.importorskip("tau2.data_model.message", reason="tau2-bench is not installed")

from tau2.data_model.message import Tick
from tau2.data_model.simulation import SimulationRun
from tau2.data_model.tasks import Task

from pytest_verdict.trajectories.readers import read_trajectory, recognise_format

pytestmark = pytest.mark.filterwarnings("ignore")

TIMES = {"timestamp": "2026", "start_time": "2026", "end_time": "2026", "duration": 1.0}
REST = {**TIMES, "termination_reason": "user_stop"}


def values():
    yield SimulationRun.model_validate({**made.simulation(), **REST})
    ticks = [Tick.model_validate({**tick, "timestamp": "2026"}).model_dump() for tick in made.TAU2_TICKS]
    yield SimulationRun.model_validate({**made.simulation(None, ticks=ticks), **REST})
    yield Task.model_validate(made.TAU2_TASK)


@pytest.mark.parametrize("value", values(), ids=["messages", "ticks", "task"])
def test_calls_are_read(value):
    for form in [value, json.loads(value.model_dump_json())]:
        assert recognise_format(form) == "tau2"
        assert [(event.name, event.args) for event in read_trajectory(form)] == [
            ("search", made.SEARCH),
            ("clock", {}),
            ("buy", {"id": 7}),
        ]
