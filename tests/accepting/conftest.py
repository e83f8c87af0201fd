"""A project with tests and files of accepted values, its sessions and its command."""

from __future__ import annotations

import io
import json
import textwrap
from dataclasses import dataclass
from typing import Any

import pytest

# Sessions inside a test forget the modules that they import first, and the parser of YAML can be imported only once.
import pytest_verdict.accepting.command
import pytest_verdict.comparator
import pytest_verdict.operators.json.equality
import pytest_verdict.suites.pytest_items  # noqa: F401
from pytest_verdict import accepted, compare
from pytest_verdict.accepting.file import find_entry
from pytest_verdict.cli import main
from pytest_verdict.session import SESSION
from written_records import lines_of


@dataclass
class Project:
    pytester: pytest.Pytester
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    redaction: Any = None

    @property
    def path(self):
        return self.pytester.path

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(textwrap.dedent(text).lstrip("\n").encode())

    def read(self, name: str) -> str:
        return (self.path / name).read_bytes().decode()

    def run(self, *words: str) -> Any:
        words = ("-pno:asyncio", "-pno:cacheprovider", "--verify-report", *words)
        return self.pytester.runpytest_inprocess(*words, no_reraise_ctrlc=True)

    def observe(self, operator, observed, *, name="greeting", test="tests/test_trip.py::test_trip[paris]", **settings):
        """Compare as a test would, and add the record to the report, without a session."""
        module, _, inner = test.partition("::")
        entry = find_entry(self.path, self.path / module, inner, name)
        self.monkeypatch.setattr(SESSION, "find_accepted", lambda _name: entry)
        result = compare(operator, accepted(), observed, name=name, **settings)
        self.write_records([result], test)

    def write_records(self, results, test="test_it.py::test_it"):
        folder = self.path / "verify-report"
        folder.mkdir(exist_ok=True)
        with (folder / "records.jsonl").open("ab") as file:
            file.write(lines_of(results, test, redaction=self.redaction))

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read("verify-report/records.jsonl").splitlines()]

    def report(self) -> dict[str, Any]:
        return json.loads(self.read("verify-report/report.json"))

    def change_records(self, **members: Any) -> None:
        """Change the first record, as somebody may who sends a report."""
        first, *others = self.records()
        lines = [json.dumps(one, separators=(",", ":")) for one in ({**first, **members}, *others)]
        (self.path / "verify-report" / "records.jsonl").write_text("\n".join(lines) + "\n")

    def accept(self, *words: str, keys: str = "") -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(keys.encode())))
        self.capsys.readouterr()
        status = main(["accept", *words])
        out, err = self.capsys.readouterr()
        return status, out, err


@pytest.fixture
def project(pytester, monkeypatch, capsys, few_plugins):
    for name in ("CI", "BUILD_NUMBER", "TF_BUILD", "CODEBUILD_BUILD_ID", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return Project(pytester, monkeypatch, capsys)


@pytest.fixture
def greeting(project):
    """A project with one comparison whose accepted value is far from the observed one."""
    project.write(
        "tests/test_trip.py",
        """
        import pytest
        from pytest_verdict import accepted, assert_matches

        @pytest.mark.parametrize("city", ["paris"])
        def test_trip(city):
            reply = f"Hello, {city}!"
            assert_matches("text_similarity", expected=accepted(), observed=reply, threshold=0.8, name="greeting")
        """,
    )
    project.write("tests/test_trip.accepted.yaml", '# about trips\ntest_trip[paris]:\n  greeting: ["Good day"]\n')
    return project
