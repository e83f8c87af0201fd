"""Public data sets that some tests read, and how to get them: they are not part of the repository.

They are looked for in ``tests/data`` and in ``../shared/data`` beside the clone.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = (REPOSITORY / "tests" / "data", REPOSITORY.parent / "shared" / "data")


class DataSet(NamedTuple):
    """A data set: its place in the folder, what it is, and where it comes from."""

    place: str
    title: str
    source: str

    @property
    def path(self) -> Path:
        places = [folder / self.place for folder in FOLDERS]
        return next((path for path in places if path.exists()), places[0])

    @property
    def reason(self) -> str:
        """Return what a skipped test says."""
        return (
            f"needs {self.title}, which are not in the repository: {self.source}; put them at tests/data/{self.place}"
        )

    @property
    def needed(self) -> pytest.MarkDecorator:
        """Return the mark of a test that reads the data set."""
        return pytest.mark.skipif(not self.path.exists(), reason=self.reason)


GSM8K = DataSet(
    "gsm8k_solutions.jsonl",
    "model solutions of GSM8K",
    "write each solution of example_model_solutions.jsonl from https://github.com/openai/grade-school-math as a line with id,"
    " ground_truth, solution and is_correct",
)
TAU_AIRLINE = DataSet(
    "tau_airline_trajectories.jsonl",
    "airline conversations of tau-bench",
    "take the 100 conversations of its airline domain from https://github.com/sierra-research/tau-bench, one a line",
)
JSON_TEST_SUITE = DataSet(
    "json_test_suite/test_parsing",
    "the parsing files of JSONTestSuite",
    "copy the folder test_parsing of https://github.com/nst/JSONTestSuite",
)
