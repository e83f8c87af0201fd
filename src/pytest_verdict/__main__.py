"""``python -m pytest_verdict``: the command line."""

import sys

from pytest_verdict.cli import main

sys.exit(main())
