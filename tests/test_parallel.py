"""Work in several processes comes back in its order, and what goes wrong in one is told."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from pytest_verdict.core.parallel import in_order


def test_one_job_runs_in_this_process():
    assert list(in_order(lambda number: (number, os.getpid()), range(3), 1)) == [(n, os.getpid()) for n in range(3)]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("time.sleep(0.02 * (number % 3)); return number", "0 1 2 3 4 5 6 7 8 9"),
        ("return 1 // (number - 4)", "ZeroDivisionError: integer division or modulo by zero"),
        ("os._exit(9)", "VerdictError: a process ended before its work was done"),
    ],
    ids=["in order", "raised", "killed"],
)  # fmt: skip
def test_several_jobs_keep_the_order(tmp_path, body, expected):
    # On their own, because tests of the plugin forget the modules that they loaded.
    script = f"""
    import os, time
    from pytest_verdict.core.parallel import in_order

    def work(number):
        {body}

    if __name__ == "__main__":
        try:
            print(*in_order(work, range(10), 3))
        except Exception as error:
            print(f"{{type(error).__name__}}: {{error}}")
    """
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    assert subprocess.check_output([sys.executable, str(path)], text=True).strip().startswith(expected)
