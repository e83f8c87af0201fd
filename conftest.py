"""What the tests share: pytest's own fixture for testing plugins, and one hash seed for all workers."""

import os
import random

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
    REGISTRY.plans.clear()


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
