"""A wire format: a log with a line for each call, such as ``CALL search query=tea``."""

from pytest_verdict.trajectories import Event


def recognises(value):
    return isinstance(value, str) and value.startswith("CALL ")


def read(value):
    return [event(*line.split()[1:]) for line in value.splitlines()]


def event(name, *arguments):
    return Event(name, dict(argument.split("=") for argument in arguments))
