"""A format of data sets: a number and a numeral on each line."""

from pytest_verdict.suites import Row


def read(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        expected, observed = line.split()
        yield Row(number, {"expected": int(expected), "observed": observed})
