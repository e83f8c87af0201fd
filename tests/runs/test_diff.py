"""``pytest-verdict diff``: two runs, and the cause of each verdict that changed."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import re
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import Operator, Outcome, compare
from pytest_verdict.core.kernel import run as run_operator
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import RecordError
from pytest_verdict.runs.changes import diff, regressions
from pytest_verdict.runs.run import read_run
from written_records import TEST, lines_of


def close(expected, observed, tolerance, **more):
    return compare("numeric_tolerance", expected, observed, tolerance=tolerance, mode="absolute", **more)


def similar(observed, threshold):
    return compare("text_similarity", "Paris", observed, threshold=threshold, name="a")


@pytest.mark.parametrize(
    ("old", "new", "kind", "causes", "status"),
    [
        (compare("exact", 1, 1), compare("exact", 1, 2), "regressed", ["observed"], 1),
        (compare("exact", 1, 2), compare("exact", 1, 1), "fixed", ["observed"], 0),
        (similar("Pariss", 0.99), similar("Pariss", 0.5), "check loosened", ["threshold"], 0),
        (similar("Pariss", 0.5), similar("Pariss", 0.99), "check tightened", ["threshold"], 0),
        (close(1, 3, 1), close(1, 3, 2), "check loosened", ["settings"], 0),
        (close(1, 3, 2), close(1, 3, 1), "check tightened", ["settings"], 0),
        (
            compare("exact", "a", "A", name="x"),
            compare("normalized_exact", "a", "A", name="x"),
            "check loosened",
            ["operator"],
            0,
        ),
        (compare("exact", 1, 2), compare("exact", 2, 2), "expectation edited", ["expected"], 0),
        # One alone does not turn the verdict.
        (close(10, 12, 3), close(9, 13, 3), "several causes", ["expected", "observed"], 1),
        # The test alone was edited, which is no regression.
        (close(10, 12, 3, name="x"), close(9, 12, 2.5, name="x"), "several causes", ["expected", "settings"], 0),
        # The answer changed too, and would have failed by the old check as well.
        (
            compare("exact", "a", "b", name="x"),
            compare("contains_any", ["c"], "c", name="x"),
            "several causes",
            None,
            0,
        ),
        # 1.0 is 1 for the operator, and another input all the same; it turned nothing.
        (compare("exact", 1, 1, name="x"), compare("exact", 1.0, 3, name="x"), "regressed", ["observed"], 1),
        (compare("exact", 1, 1, name="x"), compare("exact", object(), 1, name="x"), "not comparable", [], 1),
        (compare("exact", object(), 1, name="x"), compare("exact", 1, 1, name="x"), "not comparable", [], 0),
    ],
)
def test_the_class_and_the_cause_of_a_verdict_that_changed(changes, old, new, kind, causes, status):
    given, (change,), information = changes(old, new)
    assert (change["class"], given, information) == (kind, status, [])
    assert causes is None or change["causes"] == causes
    assert change["test"] == TEST
    assert (change["old"]["verdict"] == "pass") is not (change["new"]["verdict"] == "pass")


def test_each_of_two_differences_may_do_alone(changes):
    _, (change,), _ = changes(close(10, 12, 3), close(8, 15, 3))
    assert change["minimal_sets"] == [["expected"], ["observed"]]
    assert change["class"] == "several causes"


def test_equal_comparisons_are_no_change(changes):
    assert changes([compare("exact", 1, 1)], [compare("exact", 1, 1)]) == (0, [], [])


def named(name, threshold):
    return compare("text_similarity", "Paris", "Parix", name=name, threshold=threshold)


def rate(least):
    return compare("pass_rate", least, {"pass": 6, "fail": 4, "error": 0}, name="rate")


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (close(1, 1, 1), close(1, 1, 2), "check changed"),
        (close(1, 9, 1), close(1, 9, 2), "check changed"),
        (similar("Pariss", 0.5), similar("Pariss", 0.6), "check changed"),
        (compare("exact", "a", "a", name="a"), compare("contains_any", "a", "a", name="a"), "check changed"),
        (compare("exact", 1, 1), compare("exact", 2, 2), "expectation edited"),
        (rate(0.5), rate(0.4), "check changed"),
        (rate(0.4), rate(0.5), "check changed"),
    ],
)
def test_another_check_with_the_same_verdict_is_information(changes, old, new, kind):
    status, found, (told,) = changes(old, new)
    assert (status, found, told["class"]) == (0, [], kind)


def test_a_looser_check_fails_a_diff_that_asks_for_it(changes):
    assert changes(close(1, 1, 1), close(1, 1, 2), "--fail-on", "regressed,loosened")[0] == 1
    assert changes(close(1, 3, 1), close(1, 3, 2), "--fail-on", "loosened")[0] == 1
    assert changes(rate(0.5), rate(0.4), "--fail-on", "loosened")[0] == 1
    assert changes(compare("exact", 1, 1), compare("exact", 1, 2), "--fail-on", "loosened")[0] == 0


def test_an_inserted_comparison_shifts_nothing(changes):
    old = [compare("exact", 1, 1), compare("exact", 1, 1), compare("exact", 5, 6, name="n")]
    new = [compare("exact", "new", "new"), *old[:2], compare("exact", 5, 5, name="n")]
    _, found, _ = changes(old, new)
    assert [(change["class"], change["name"]) for change in found] == [("fixed", "n"), ("added", None)]


def test_removed_and_added(changes):
    old = [compare("exact", 1, 1), compare("exact", "gone", 1, name="gone")]
    new = [compare("exact", 1, 1), compare("regex", "n.w", "new", name="new"), compare("regex", "a", "b")]
    status, found, _ = changes(old, new, "--fail-on", "removed")
    assert status == 1
    assert [(change["class"], change["name"]) for change in found] == [
        ("removed", "gone"),
        ("added", "new"),
        ("added", None),
    ]


def test_an_error_is_not_passed(changes):
    _, (change,), _ = changes(
        compare("regex", "a", "a", name="x"), compare("regex", "(", "a", name="x"), "--fail-on", "regressed"
    )
    assert (change["new"]["verdict"], change["class"]) == ("error", "expectation edited")


def test_the_same_inputs_with_another_verdict_are_an_alarm(command, write):
    old = write("old", compare("exact", 1, 1))
    altered = old.read_bytes().replace(b'"verdict":"pass"', b'"verdict":"fail"').replace(b'"score":1.0', b'"score":0.0')
    new = old.with_name("new.jsonl")
    new.write_bytes(altered)
    status, out, _ = command("diff", old, new)
    assert status == 1
    assert "same inputs but another verdict: 1" in out
    # In the other direction too: nobody knows which of both is right.
    assert command("diff", new, old)[0] == 1


@pytest.fixture
def halves(monkeypatch):
    """An operator whose code can change, and that is registered while the test runs."""

    class Halves(Operator):
        name = "halves_of_this_test"

        def evaluate(self, expected, observed):
            return Outcome(float(expected == observed))

    monkeypatch.setattr(REGISTRY, "_classes", {**REGISTRY._classes, Halves.name: Halves})
    REGISTRY._built.clear()
    return Halves


def of_old_code(line, verdict):
    """Make a record as another code of the operator would have written it."""
    record = json.loads(line)
    record |= {"operator_code": "0" * 32, "verdict": verdict, "score": float(verdict == "pass")}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def test_changed_code_of_an_operator_is_a_cause(command, write, halves, tmp_path):
    new = write("new", run_operator(halves(), 1, 2))
    old = tmp_path / "old.jsonl"
    old.write_bytes(of_old_code(new.read_bytes(), "pass"))
    for pair, status in (((old, new), 1), ((new, old), 0)):
        given, out, _ = command("diff", *pair, "--format", "json")
        (change,) = json.loads(out)["changes"]
        assert (given, change["class"], change["causes"]) == (status, "code changed", ["code"])


def test_changed_code_that_turned_nothing_is_no_cause(command, write, halves, tmp_path):
    new = write("new", run_operator(halves(), 1, 2, name="x"))
    old = write("old", run_operator(halves(), 1, 1, name="x"))
    old.write_bytes(of_old_code(old.read_bytes(), "pass"))
    _, out, _ = command("diff", old, new, "--format", "json")
    (change,) = json.loads(out)["changes"]
    assert (change["class"], change["causes"]) == ("regressed", ["observed"])


def test_an_operator_that_is_not_installed_is_not_comparable(command, write, tmp_path):
    old, new = write("old", compare("exact", 1, 1, name="x")), write("new", compare("exact", 1, 2, name="x"))
    for path in (old, new):
        path.write_bytes(path.read_bytes().replace(b'"exact"', b'"of_nobody"'))
    status, out, _ = command("diff", old, new)
    assert status == 1
    assert "not derived again: operator_absent" in out


def test_redacted_records_are_not_comparable(command, write):
    def redaction(text):
        return text.replace("secret", "[redacted]")

    old = write("old", compare("exact", "secret", "secret", name="x"), redaction=redaction)
    new = write("new", compare("exact", "secret", "secret b", name="x"), redaction=redaction)
    status, out, _ = command("diff", old, new, "--format", "json")
    (change,) = json.loads(out)["changes"]
    assert (status, change["class"], change["reason"]) == (1, "not comparable", "redacted")


@pytest.mark.parametrize("threshold", [0.5, 0.95])
def test_diff_calls_no_model(changes, threshold):
    def meaning(text, scale, limit):
        vectors = {"a": [1.0, 0.0], "b": [scale, 1.0]}
        return compare(
            "semantic", "a", text, embedder=lambda texts: [vectors[one] for one in texts], name="x", threshold=limit
        )

    _, (change,), _ = changes(meaning("b", 2.0, 0.8), meaning("b", 2.0, 0.95))
    assert (change["class"], change["causes"]) == ("check tightened", ["threshold"])
    # The model said something else of the same texts.
    status, (change,), _ = changes(meaning("b", 3.0, 0.8), meaning("b", 0.1, 0.8))
    assert (change["class"], status) == ("same inputs but another verdict", 1)


def test_a_verdict_that_attempts_did_not_agree_about_is_flaky(command, write):
    old = write("old", compare("exact", "a", "a", name="x"))
    write("new", compare("exact", "a", "b", name="x"), attempt=1)
    new = write("new", compare("exact", "a", "a", name="x"), attempt=2)
    status, out, _ = command("diff", old, new)
    assert status == 0
    assert "flaky: 1" in out
    failing = write("failing", compare("exact", "a", "b", name="x"))
    assert "flaky: 1" in command("diff", new, failing)[1]


def test_a_regression_in_every_attempt_is_not_flaky(command, write):
    old = write("old", compare("exact", "a", "a", name="x"))
    write("new", compare("exact", "a", "b", name="x"), attempt=1)
    new = write("new", compare("exact", "a", "c", name="x"), attempt=2)
    status, out, _ = command("diff", old, new)
    assert status == 1
    assert "regressed: 1" in out


@pytest.mark.parametrize("kind", ["folder", "gzip", "bundle"])
def test_runs_are_folders_files_or_bundles(command, write, tmp_path, kind):

    old, new = write("old", compare("exact", 1, 1)), write("new", compare("exact", 1, 2))
    other = tmp_path / kind
    if kind == "folder":
        other.mkdir()
        (other / "records.jsonl").write_bytes(new.read_bytes())
    elif kind == "gzip":
        other.write_bytes(gzip.compress(new.read_bytes()))
    else:
        with zipfile.ZipFile(other, "w") as file:
            file.write(new, "records.jsonl")
    status, out, _ = command("diff", old, other)
    assert status == 1
    assert "1 pair: 1 regressed" in out
    changes, not_run = regressions(old, other)
    assert ([change.kind for change in changes], not_run) == (["regressed"], 0)


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"\xff\n", b'{"record":1}\n', b"PK\x05\x06" + bytes(18), b"[" * 99999]
)
def test_diff_refuses_file_that_is_not_a_run(command, write, tmp_path, content):
    old, new = write("old", compare("exact", 1, 1)), tmp_path / "new.jsonl"
    new.write_bytes(content)
    status, out, complaint = command("diff", old, new)
    assert (status, out) == (2, "")
    assert "new.jsonl" in complaint
    with pytest.raises(RecordError):
        regressions(old, new)


@pytest.mark.parametrize("member", ["test", "operator", "verdict", "score", "threshold", "attempt", "expected", "name"])
def test_a_record_of_another_form_is_refused(command, write, member):
    old, new = write("old", compare("exact", 1, 1, name="x")), write("new", compare("exact", 1, 2, name="x"))
    record = json.loads(new.read_bytes())
    record[member] = [["of another form"]]
    if member == "expected":
        del record[member]
    new.write_text(json.dumps(record) + "\n")
    status, _, complaint = command("diff", old, new)
    assert status == 2
    assert "line 1 is no whole record" in complaint


def test_runs_without_a_comparison_in_common_are_refused(command, write):
    old, new = write("old", compare("exact", 1, 1)), write("new", compare("exact", 1, 1), test="other.py::test")
    status, _, complaint = command("diff", old, new)
    assert status == 2
    assert "have no comparison in common, so nothing was compared" in complaint


def test_an_unknown_class_is_refused(command, write):
    path = write("old", compare("exact", 1, 1))
    status, _, complaint = command("diff", path, path, "--fail-on", "regresed")
    assert status == 2
    assert "--fail-on: unknown 'regresed'" in complaint
    assert "regressed" in complaint


HOSTILE = "\x1b[31m`a` <script>alert(1)</script> | @user [x](https://a.example) *b*\n# c ![i](u)"


def test_hostile_text_is_harmless(command, write):
    old = write("old", compare("exact", HOSTILE, HOSTILE, name=HOSTILE), test=f"t.py::{HOSTILE}")
    new = write("new", compare("exact", HOSTILE, "b", name=HOSTILE), test=f"t.py::{HOSTILE}")
    assert "\x1b" not in command("diff", old, new)[1]
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")
    markdown = command("diff", old, new, "--format", "markdown")[1]
    parse = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse
    (fence,) = parse(markdown)
    assert fence.type == "fence"
    assert "<script>alert(1)</script> | @user" in fence.content


def test_many_changes_are_counted_and_some_are_listed(command, write):
    old = write("old", *[compare("exact", number, number) for number in range(50)])
    new = write("new", *[compare("exact", number, -1) for number in range(50)])
    lines = command("diff", old, new)[1].splitlines()
    assert "regressed: 50" in lines
    assert "  ... and 30 more" in lines
    assert len(json.loads(command("diff", old, new, "--format", "json")[1])["changes"]) == 50


def test_the_same_runs_give_the_same_bytes(command, write):
    old = write("old", *[compare("text_similarity", "Paris", "P" * (number % 7)) for number in range(40)])
    new = write("new", *[compare("text_similarity", "Paris", "Pa" * (number % 5)) for number in range(40)])
    words = ("diff", old, new, "--statistics", "--format", "json")
    assert command(*words) == command(*words)
    assert lines_of([compare("exact", 1, 1)]) == lines_of([compare("exact", 1, 1)])


def test_a_page_has_both_records_of_each_pair(command, write, tmp_path):
    old = write("old", compare("exact", "a", "first answer", name="x"), compare("exact", 1, 1, name="gone"))
    new = write("new", compare("exact", "a", "a", name="x"), compare("exact", 2, 3, name="come"))
    page = tmp_path / "diff.html"
    words = ("diff", old, new, "--format", "html", "-o", page)
    assert command(*words) == (0, f"written: {page}\n", "")
    found = page.read_bytes()
    pieces = re.findall(rb'<script type="text/plain" id="(\w+)">([^<]*)</script>', found)
    held = b"".join(gzip.decompress(base64.b64decode(piece)) for _, piece in pieces)
    for text in (b"first answer", b"fixed", b"removed", b"added", b"inconclusive"):
        assert text in held
    command(*words)
    assert page.read_bytes() == found


def test_what_a_looser_check_hides_is_apart_from_what_regressed(command, write):
    """The check of `a` is looser and its answer better; `b` passes only by its threshold; `c` regressed."""
    old = write("old", similar("Pxxxx", 0.9), named("b", 0.9), compare("exact", 1, 1, name="c"), rate(0.9))
    new = write("new", similar("Parix", 0.8), named("b", 0.5), compare("exact", 1, 2, name="c"), rate(0.5))
    lines = command("diff", old, new)[1].splitlines()
    headings = [line for line in lines if line.startswith(("regressed", "check", "several"))]
    assert headings == ["regressed: 1", "several causes, with a looser check: 1", "check loosened: 2"]
    assert "    threshold: 0.9 -> 0.5" in lines


NUMBERS = st.integers(0, 4)
CHECKED = st.fixed_dictionaries({"expected": NUMBERS, "observed": NUMBERS, "tolerance": NUMBERS})


def passes(values):
    return close(values["expected"], values["observed"], values["tolerance"]).passed


@given(CHECKED, CHECKED)
def test_causes_are_the_smallest_sets_that_turn_the_verdict(old, new):
    differing = [name for name in old if old[name] != new[name]]
    if passes(old) is passes(new):
        return
    turning = [
        set(chosen)
        for size in range(1, len(differing) + 1)
        for chosen in itertools.combinations(differing, size)
        if passes({**old, **{name: new[name] for name in chosen}}) is passes(new)
    ]
    smallest = [chosen for chosen in turning if not any(other < chosen for other in turning)]
    lines = [lines_of([close(one["expected"], one["observed"], one["tolerance"], name="x")]) for one in (old, new)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("old", "new")]
        for path, content in zip(paths, lines, strict=True):
            path.write_bytes(content)
        (change,) = diff(*map(read_run, paths)).changes
    renamed = [{"settings" if name == "tolerance" else name for name in chosen} for chosen in smallest]
    assert sorted(map(sorted, change.sets)) == sorted(map(sorted, renamed))


# What was renamed, the observed value of the later run, and the classes of changes.
RENAMED = {
    "renamed": ({"a.py::old": "a.py::new"}, 1, []),
    "renamed and worse": ({"a.py::old": "a.py::new"}, 2, ["regressed"]),
    "module": ({"a.py": "b.py"}, 1, ["removed", "added"]),
    "not renamed": ({}, 2, ["not-run", "added"]),
    "another": ({"a.py::other": "a.py::new"}, 2, ["not-run", "added"]),
}


@pytest.mark.parametrize("case", RENAMED)
def test_renamed_test_is_compared_with_itself(write, case):
    renamed, observed, words = RENAMED[case]
    shared = compare("exact", 1, 1, name="x")
    old = write("old", shared, test="a.py::shared")
    new = write("new", shared, test="a.py::shared")
    write("old", compare("exact", 1, 1, name="x"), test="a.py::old")
    write("new", compare("exact", 1, observed, name="x"), test="a.py::new")
    differences = diff(read_run(old), replace(read_run(new), renamed=renamed))
    assert [change.kind.word for change in differences.changes] == words
    assert all(change.comparison.test != "a.py::old" for change in differences.changes if change.new)


def test_attempts_of_a_renamed_test_stay_together(write):
    old = write("old", compare("exact", 1, 1, name="x"), test="a.py::old", attempt=1)
    write("old", compare("exact", 1, 2, name="x"), test="a.py::old", attempt=2)
    new = write("new", compare("exact", 1, 1, name="x"), test="a.py::new")
    differences = diff(read_run(old), replace(read_run(new), renamed={"a.py::old": "a.py::new"}))
    assert [change.kind.word for change in differences.changes] == ["flaky"]
