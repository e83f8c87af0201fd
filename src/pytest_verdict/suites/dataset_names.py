"""Public names of data sets and mappings, which users import from ``pytest_verdict.suites``."""

from pytest_verdict.datasets.check import DatasetCheck, check_dataset
from pytest_verdict.datasets.rows import DatasetWarning, Row
from pytest_verdict.datasets.score import score_dataset
from pytest_verdict.extraction.evaluator import Evaluation, Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping

__all__ = [
    "DatasetCheck",
    "DatasetWarning",
    "Evaluation",
    "Evaluator",
    "InputMapping",
    "Row",
    "check_dataset",
    "score_dataset",
]
