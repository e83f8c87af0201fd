"""What the tests share: pytest's own fixture for testing plugins, and one hash seed for all workers."""

import os
import random

pytest_plugins = ["pytester"]

# The ids of some tests show sets, which print in the order of the hash seed, and xdist wants the same ids from all workers.
# Another seed in each session, so that a dependence on it shows some day.
os.environ.setdefault("PYTHONHASHSEED", str(random.SystemRandom().randrange(1, 2**32)))
