"""What the tests share: pytest's own fixture for testing plugins, and one hash seed for all workers."""

import compileall
import gc
import os
import random
import sys
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# How long an example takes says more about the machine than about the example.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

# The ids of some tests show sets, which print in the order of the hash seed, and xdist wants the same ids from all workers.
# Another seed in each session, so that a dependence on it shows some day.
os.environ.setdefault("PYTHONHASHSEED", str(random.SystemRandom().randrange(1, 2**32)))

# Sessions inside a test have a report, and must not add it to the summary of the job that tests this project.
os.environ.pop("GITHUB_STEP_SUMMARY", None)

# Where no bytecode is written, each of the hundreds of processes that tests start would compile the package again.
if sys.dont_write_bytecode and "PYTEST_XDIST_WORKER" not in os.environ:
    compileall.compile_dir(Path(__file__).parent / "src", quiet=2)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave what was collected out of each later search for garbage: it stays until the end, and is half a million objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _registry_as_before():
    """Take back what a test registers: registry and families are one for the process, and another test may list them."""
    from pytest_verdict.core.families import FAMILIES
    from pytest_verdict.core.registry import REGISTRY

    classes = REGISTRY._classes.copy()
    families = FAMILIES._manager.get_plugins()
    yield
    for added in FAMILIES._manager.get_plugins() - families:
        FAMILIES._manager.unregister(added)
        FAMILIES._brought.clear()
    REGISTRY._classes.clear()
    REGISTRY._classes.update(classes)
    REGISTRY._built.clear()


@pytest.fixture
def few_plugins(pytester, monkeypatch):
    """Sessions that pytester starts load our plugin and those that a test names; all that are installed take as long again."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p verdict")


@pytest.fixture
def command(capsys):
    """Run a command, and give its exit code, what it wrote, and what it complained about."""
    from pytest_verdict.cli import main

    def run(*words):
        capsys.readouterr()
        status = main([str(word) for word in words])
        written = capsys.readouterr()
        return status, written.out, written.err

    return run
