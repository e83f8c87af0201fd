"""``pytest-verdict accept``: write observed values of a report to the files that hold the expected values.

The report may come from another machine, as a folder or as a ZIP file. No test runs again: the value of the record is written.
Without --review, --test, --all or --prune, the command only lists what could be accepted.

exit codes:
  0  no value that did not pass is left
  1  values are left: not selected, rejected, skipped or refused
  2  a file cannot be read or written, or the command runs in CI without --in-ci
"""

import argparse
import codecs
import functools
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from pytest_verdict.accepting.candidates import Candidate, Candidates, Rows, find_unused, is_changed_since
from pytest_verdict.accepting.editing import ALREADY, AcceptedFile
from pytest_verdict.accepting.file import SUFFIX
from pytest_verdict.budget import Budget
from pytest_verdict.console import complain, say, say_in_colour
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.values.display import format_count, safe_repr, shown
from pytest_verdict.errors import RecordError
from pytest_verdict.explanation.drawing import draw_explanation, format_label
from pytest_verdict.report.compression import reporting_damage
from pytest_verdict.report.folder import acquire_lock, release_lock
from pytest_verdict.report.reading import find_document
from pytest_verdict.report.summary import PASSED, is_answer, list_omissions
from pytest_verdict.runs.run import read_run

_EVERYTHING: Final = Budget(characters=0, lines=0, differences=0, width=0)
_CHANGE: Final = ("operator", "settings", "threshold", "expected", "observed")
_WORDS: Final = {**dict.fromkeys("aA+", "accepted"), "m": "moved", "r": "rejected", "s": "skipped", "l": "left"}
_NOT_ACCEPTED: Final = {"left", "rejected", "skipped", "refused"}
# The failure of several comparisons: those of a block that collects, and those at which nothing looked.
_SEVERAL: Final = re.compile(r"(?:Failed: )?(\d+) (?:failed, \d+ compared|comparisons did not pass)")
_NO_CI: Final = {"", "0", "false"}
# Most services set CI. These are for Jenkins and TeamCity, Azure Pipelines, and AWS CodeBuild, which do not.
_CI_VARIABLES: Final = ("CI", "BUILD_NUMBER", "TF_BUILD", "CODEBUILD_BUILD_ID")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "report", metavar="REPORT", nargs="?", default="verify-report", help="a report's folder, records, or a ZIP file"
    )
    parser.add_argument("--review", action="store_true", help="show each value and ask")
    parser.add_argument("--test", metavar="PATTERN", help="only the values of these tests, such as 'test_trip*'")
    parser.add_argument("--all", action="store_true", help="accept all values without a question")
    parser.add_argument("--prune", action="store_true", help="remove accepted values that no test uses any more")
    parser.add_argument("--data", metavar="FILE", help="change the expected values of this data set")
    parser.add_argument("--in-ci", action="store_true", help="write files although a variable of CI is set")


def run(arguments: argparse.Namespace) -> int:
    writes = arguments.review or arguments.all or arguments.prune or arguments.test is not None
    in_ci = next((name for name in _CI_VARIABLES if os.environ.get(name, "").lower() not in _NO_CI), None)
    if writes and in_ci and not arguments.in_ci:
        complain(f"this is CI (the variable {in_ci} is set), where nobody reads what is accepted; --in-ci allows it")
        return 2
    with reporting_damage(arguments.report):
        return _accept(arguments)


def _accept(arguments: argparse.Namespace) -> int:
    records = [comparison.record() for comparison in read_run(arguments.report).comparisons]
    rows = None
    if arguments.data is not None:
        rows = Rows(Path(arguments.data).resolve())
    candidates = Candidates(Path.cwd().resolve(), rows)
    review = _Review(arguments, candidates, records)
    if arguments.prune and review.omissions:
        reasons = ", ".join(review.omissions)
        raise RecordError(f"--prune: not every test ran ({reasons}); run pytest without -k, -m and names of tests")
    failed = [record for record in records if record["verdict"] != "pass"]
    if not any(_is_selected(record["test"], arguments.test) for record in records) and arguments.test is not None:
        raise RecordError(f"--test: no test of {arguments.report} has the name or pattern {shown(arguments.test, 200)}")
    selected = [one for one in candidates.find(failed) if _is_selected(one.test, arguments.test)]
    review.decide(selected)
    if arguments.prune:
        review.prune()

    review.write()
    counts = [f"{number} {word}" for word, number in review.counts.items()]
    say(", ".join(counts) or "no value that did not pass has its expected value in a file")
    others = sum(is_answer(record["operator"]) for record in failed) - len(selected)
    if others > 0 and arguments.test is None:
        say(f"not in a file: the expected values of {format_count(others, 'comparison')} that did not pass")
    if review.counts["not written"]:
        return 2
    return int(not review.counts.keys().isdisjoint(_NOT_ACCEPTED))


def _is_selected(test: str, pattern: str | None) -> bool:
    if pattern is None:
        return True
    module, _, inner = test.partition("::")
    names = (test, module, inner, inner.rpartition("::")[2])
    # The brackets of a parameter are no set of characters, if the pattern is a name.
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


class _Review:
    """The decisions about the comparisons of a report, and the files that they change."""

    def __init__(
        self, arguments: argparse.Namespace, candidates: Candidates, records: Sequence[Mapping[str, Any]]
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._arguments = arguments
        self._candidates = candidates
        self._records = records
        self._document = find_document(Path(arguments.report))
        # The accepted value of each place; another one is refused.
        self._accepted: dict[Any, str] = {}
        is_complete = self._document.get("complete") is True
        # Why a test that is absent from the report may still exist.
        self.omissions = list_omissions(self._document, is_complete=is_complete, within_files=True)
        # Of several workers, the first one that is not a pass.
        self._tests: dict[str, Mapping[str, Any]] = {}
        for test in self._document.get("tests", ()):
            if test["test"] not in self._tests or self._tests[test["test"]]["outcome"] == PASSED:
                self._tests[test["test"]] = test
        self._failing: dict[str, list[Mapping[str, Any]]] = {}
        for record in records:
            if record["verdict"] != "pass" and is_answer(record["operator"]):
                self._failing.setdefault(_attempt_of(record), []).append(record)

    @functools.cached_property
    def _unused(self) -> list[tuple[Path, str, str]]:
        """The file, the test and the name of each accepted value that no test used, if all tests ran."""
        outcomes = {name: test["outcome"] for name, test in self._tests.items()}
        return [] if self.omissions else find_unused(self._candidates.root, outcomes, self._records)

    @functools.cached_property
    def _changed(self) -> set[Path]:
        """The files with unused values that are not those of the session, to which values may have been added since."""
        paths = {path for path, _, _ in self._unused}
        return {path for path in paths if is_changed_since(self._document["run"], path)}

    def decide(self, selected: Sequence[Candidate]) -> None:
        """Decide about each candidate; equal changes come one after another."""
        alike: dict[str, list[Candidate]] = {}
        for candidate in selected:
            refusal = candidate.refusal() or self._find_expected_failure(candidate)
            if not refusal:
                change = json.dumps([candidate.record.get(name) for name in _CHANGE])
                alike.setdefault(change, []).append(candidate)
            elif refusal == ALREADY:
                self.counts["accepted already"] += 1
            else:
                self._refuse(candidate, refusal)
        total = sum(map(len, alike.values()))
        number = 0
        is_ended = False
        asks = self._arguments.review
        for group in alike.values():
            answer = ""
            for position, candidate in enumerate(group, 1):
                number += 1
                moves = self._find_moves(candidate)
                if is_ended:
                    answer = "s"
                elif answer != "A" and (self._arguments.all or self._arguments.test is not None) and not asks:
                    answer = "m" if len(moves) == 1 else "a"
                elif answer != "A":
                    self._show(candidate, moves, f"{number} of {total}, {len(group) - position} more alike")
                    answer = self._read_answer(candidate, moves) if asks else "l"
                    is_ended = not answer
                self._apply(candidate, answer or "s", moves)

    def _find_expected_failure(self, candidate: Candidate) -> str:
        """Return why a value that nobody reviews is refused: the test may be content with a comparison that fails."""
        test = self._tests.get(candidate.test)
        if self._arguments.review or test is None:
            return ""
        hint = "; accept it with --review if that is wrong"
        if test["outcome"] in {"passed", "xfailed", "xpassed"}:
            return f"the test {test['outcome']}, so it expects that this does not pass{hint}"
        failing = self._failing.get(_attempt_of(candidate.record), [])
        if "accepted" in candidate.record and _count_named(failing, test) < len(failing):
            return f"the test failed for another reason, so it may expect that this does not pass{hint}"
        return ""

    def _apply(self, candidate: Candidate, answer: str, moves: list[str]) -> None:
        word = _WORDS[answer]
        file: Any = candidate.file
        if word == "moved":
            test, name, _ = candidate.place.keys
            file.values.setdefault(test, {})[name] = file.remove(moves[0], name)
        elif word == "accepted":
            observed = json.dumps(candidate.record["observed"])
            if answer != "+" and self._accepted.setdefault(candidate.place, observed) != observed:
                self._refuse(candidate, "another value of this run was accepted for it; add it beside in a review")
                return
            file.accept(candidate.place.keys, candidate.result.observed, beside=answer == "+")
        if word in {"accepted", "moved"}:
            say(f"{word}: {self._name(candidate.place.path)}: {candidate.label}")
        self.counts[word] += 1

    def prune(self) -> None:
        for path, test, name in self._unused:
            file = self._candidates.open(path)
            # It may have been moved.
            if name in file.values.get(test, {}) and path not in self._changed:
                file.remove(test, name)
                self.counts["removed"] += 1
                say(f"removed: {self._name(path)}: {test} {name}")
        for path in sorted(self._changed):
            self.counts["refused"] += 1
            say(f"refused: {self._name(path)} or its module: it changed after this session; run pytest again")

    def write(self) -> None:
        """Write the files that changed, each one whole."""
        for path, file in self._candidates.files.items():
            original = self._candidates.originals[path] or b""
            encoding = "utf-8-sig" if original.startswith(codecs.BOM_UTF8) else "utf-8"
            try:
                content = file.text().encode(encoding)
                if content != original:
                    _replace(path, self._candidates.originals[path], content)
            except (RecordError, OSError, ValueError) as error:
                self.counts["not written"] += 1
                reason = getattr(error, "strerror", None) or error
                complain(f"{self._name(path)}: nothing was written: {reason}")

    def _refuse(self, candidate: Candidate, reason: str) -> None:
        self.counts["refused"] += 1
        say(f"refused: {candidate.label}: {reason}")

    def _find_moves(self, candidate: Candidate) -> list[str]:
        """Return the tests that no longer exist and whose value of this name the observed value matches."""
        path, keys = candidate.place
        if not isinstance(candidate.file, AcceptedFile) or keys[2] is not None or path in self._changed:
            return []
        values = candidate.file.values
        tests = [test for file, test, name in self._unused if (file, name) == (path, keys[1])]
        return [test for test in tests if any(map(candidate.matches, values.get(test, {}).get(keys[1], ())))]

    def _show(self, candidate: Candidate, moves: list[str], heading: str) -> None:
        # Whole values: what is accepted has been shown.
        result = candidate.result
        say("", heading)
        if result.error is not None and candidate.place.keys[-1] is None:
            say(f"{result.operator} {result.name!r}: no accepted value yet")
            observed = result.observed if isinstance(result.observed, str) else safe_repr(result.observed)
            say(*(f"  + {line}" for line in observed.split("\n")))
        else:
            for line in draw_explanation(result, _EVERYTHING):
                say_in_colour(line)
            margin = result.score - result.threshold
            say(f"  score {result.score:.6g}, needs {result.threshold:.6g}, margin {margin:+.6g}")
        say(f"  test: {candidate.test}", f"  file: {self._name(candidate.place.path)}")
        for test in moves:
            say(f"  renamed? {test} has an accepted value that matches, and no longer exists")

    def _read_answer(self, candidate: Candidate, moves: list[str]) -> str:
        """Return the key of the answer; empty at the end of the input."""
        answers = {"a": "accept", "r": "reject", "s": "skip", "A": "accept all alike"}
        if isinstance(candidate.file, AcceptedFile):
            answers["+"] = "add beside"
        if moves:
            answers["m"] = "move"
        while True:
            sys.stdout.write(", ".join(f"{key} {answer}" for key, answer in answers.items()) + ": ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                say("")
                return ""
            if line.strip() in answers:
                return line.strip()
            say(f"write one of {' '.join(sorted(answers))}")

    def _name(self, path: Path) -> str:
        root = self._candidates.root
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _attempt_of(record: Mapping[str, Any]) -> str:
    return str(record["id"]).rpartition("-")[0]


def _count_named(failing: Sequence[Mapping[str, Any]], test: Mapping[str, Any]) -> int:
    """Return how many failing comparisons the failure of a test is about."""
    message = test.get("message", "")
    several = _SEVERAL.match(message)
    if several is not None:
        return int(several[1])
    failed_subtests = (test.get("subtests") or {}).get("failed", 0)
    names = (f"{format_label(one['operator'], one.get('name'))}: " for one in failing)
    return int(failed_subtests or any(name in message for name in names))


def _replace(path: Path, original: bytes | None, content: bytes) -> None:
    """Replace a file as a whole, if it is still the one that was read."""
    lock = path.with_name(f".{path.name}.lock")
    descriptor = acquire_lock(lock, "another process is writing it; run the command again")
    try:
        if (path.read_bytes() if path.exists() else None) != original:
            raise RecordError("it has changed meanwhile; run the command again")
        if path.name.endswith(SUFFIX) and not content.strip():
            path.unlink()
            return
        with replacing(path) as temporary:
            temporary.write_bytes(content)
            if original is not None:
                shutil.copymode(path, temporary)
    finally:
        release_lock(lock, descriptor)
