"""Shared by all tests: pytest's fixture for testing plugins, one hash seed for all workers, and clean registries."""

import compileall
import gc
import os
import random
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# The time of an example depends on the machine. CI tries more examples: --hypothesis-profile=ci.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("ci", deadline=None)
settings.load_profile("quick")

# Some test ids contain sets, which print in the order of the hash seed, and xdist needs the same ids in all workers.
# Each session has another seed, so that a dependence on it is found.
os.environ.setdefault("PYTHONHASHSEED", str(random.SystemRandom().randrange(1, 2**32)))

# Sessions inside a test must not add their report to the summary of the CI job that runs the tests.
os.environ.pop("GITHUB_STEP_SUMMARY", None)

# Without bytecode, each of the hundreds of processes that the tests start would compile the package again.
if sys.dont_write_bytecode and "PYTEST_XDIST_WORKER" not in os.environ:
    compileall.compile_dir(Path(__file__).parent / "src", quiet=2)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Exclude the collected tests from garbage collection: half a million objects that live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave to CI the parameters of a test that ``every`` does not choose."""
    seen = Counter()
    for item in items:
        every = item.get_closest_marker("every")
        if every is not None:
            name = item.nodeid.split("[")[0]
            if seen[name] % every.args[0]:
                item.add_marker("ci")
            seen[name] += 1


@pytest.fixture(autouse=True)
def _registry_as_before():
    """Undo what a test registers, because all tests of the process share registry, families and scorers."""
    from pytest_verdict.core.families import FAMILIES
    from pytest_verdict.core.registry import REGISTRY
    from pytest_verdict.suites.scorer import REGISTERED

    classes = REGISTRY._classes.copy()
    families = FAMILIES._manager.get_plugins()
    scorers = REGISTERED.copy()
    yield
    for added in FAMILIES._manager.get_plugins() - families:
        FAMILIES._manager.unregister(added)
        FAMILIES._places.clear()
    REGISTRY._classes.clear()
    REGISTRY._classes.update(classes)
    REGISTRY._built.clear()
    REGISTERED.clear()
    REGISTERED.update(scorers)


@pytest.fixture
def few_plugins(pytester, monkeypatch):
    """Load only our plugin and those that a test names in sessions of pytester; loading all takes twice as long."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p verdict")


@pytest.fixture
def command(capsys):
    """Return a function that runs a command and returns its exit code, output and error output."""
    from pytest_verdict.cli import main

    def run(*words):
        capsys.readouterr()
        status = main([str(word) for word in words])
        written = capsys.readouterr()
        return status, written.out, written.err

    return run
