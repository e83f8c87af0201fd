"""``pytest-verdict numbers``, the member ``numbers`` of report.json, and their agreement with scikit-learn."""

from __future__ import annotations

import json
import math

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.report.json_report import report_schema
from pytest_verdict.runs.labels import LONGEST_LABEL, Labelled, classify, measure_reliability, read_labels
from pytest_verdict.runs.numbers import _differences_of, count_numbers, format_percent, read_answers
from pytest_verdict.suites import Evaluator, InputMapping

CLASSES = ["spam", "ham", "eggs", "a | b"]
PAIRS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from([*CLASSES, "\0other", "\0error"])), min_size=1)


def numbers_of(path, *words, **arguments):
    return count_numbers(read_answers(str(path)), *words, **arguments)


def test_scores_by_hand():
    result = classify([Labelled(*pair) for pair in ["aa", "ab", "bb", "bb", ("b", "\0other"), ("c", "\0error")]])
    assert [
        (one["class"], one["precision"], one["recall"], one["f1"], one["support"]) for one in result["classes"]
    ] == [
        ("a", 1.0, 0.5, 0.666667, 2),
        ("b", 0.666667, 0.666667, 0.666667, 3),
        ("c", 0.0, 0.0, 0.0, 1),
    ]
    assert result["micro"] == {"precision": 0.75, "recall": 0.5, "f1": 0.6}
    assert result["macro"]["recall"] == pytest.approx((1 / 2 + 2 / 3) / 3, abs=1e-6)
    assert result["weighted"]["recall"] == 0.5


# Importing scikit-learn takes seconds.
@pytest.mark.ci
@given(PAIRS)
@settings(max_examples=40)
@pytest.mark.filterwarnings("ignore:A single label was found")
def test_scores_are_those_of_scikit_learn(pairs):
    metrics = pytest.importorskip("sklearn.metrics")
    names = sorted({expected for expected, _ in pairs})
    result = classify([Labelled(*pair) for pair in pairs])
    sides = [list(side) for side in zip(*pairs, strict=True)]
    assert result["matrix"] == metrics.confusion_matrix(*sides, labels=names).tolist()
    for average in (None, "macro", "micro", "weighted"):
        *scores, support = metrics.precision_recall_fscore_support(
            *sides, labels=names, average=average, zero_division=0
        )
        ours = [result[average]] if average else result["classes"]
        theirs = [[score] for score in scores] if average else scores
        for name, column in zip(("precision", "recall", "f1"), theirs, strict=True):
            assert [one[name] for one in ours] == pytest.approx(list(column), abs=2e-6)
        if support is not None:
            assert [one["support"] for one in ours] == list(support)


@given(PAIRS)
def test_every_answer_is_counted_once(pairs):
    result = classify([Labelled(*pair) for pair in pairs])
    counted = sum(map(sum, result["matrix"])) + sum(result["other"]) + sum(result["errors"])
    assert counted == len(pairs) == sum(one["support"] for one in result["classes"])


@pytest.mark.ci
@given(st.lists(st.tuples(st.integers(0, 1000).map(lambda n: n / 1000), st.booleans()), min_size=2))
def test_reliability_is_that_of_scikit_learn(answers):
    calibration = pytest.importorskip("sklearn.calibration")
    metrics = pytest.importorskip("sklearn.metrics")
    # scikit-learn takes an edge such as 0.30000000000000004 for 0.3.
    answers = [(confidence, passed) for confidence, passed in answers if confidence * 10 % 1 or confidence in {0, 1}]
    if len({passed for _, passed in answers}) < 2:
        return
    result = measure_reliability(answers)
    confidences, passed = zip(*answers, strict=True)
    rates, means = calibration.calibration_curve(passed, confidences, n_bins=10)
    assert [one["rate"] for one in result["bins"]] == pytest.approx(list(rates), abs=1e-6)
    assert [one["confidence"] for one in result["bins"]] == pytest.approx(list(means), abs=1e-6)
    assert result["brier"] == pytest.approx(metrics.brier_score_loss(passed, confidences), abs=1e-6)
    assert 0 <= result["calibration_error"] <= 1


LONG = "x" * (LONGEST_LABEL + 1)
LABELS = [
    (("exact", "a", "a"), ("a", "a")),
    (("exact", "a", "b"), ("a", "b")),
    (("exact", "a", None), ("a", "other")),
    (("exact", "a", LONG), ("a", "other")),
    (("exact", LONG, "a"), None),
    (("exact", {"a": 1}, "a"), None),
    (("exact", [], "a"), None),
    (("exact", 1, 2), ("1", "2")),
    (("exact", 1, True), ("1", "other")),
    (("exact", "true", True), ("true", "other")),
    (("exact", None, "null"), ("null", "other")),
    (("exact", "A", "a", {"case_sensitive": False}), ("a", "a")),
    (("normalized_exact", " A ", "b"), ("a", "b")),
    (("boolean", True, False), ("true", "false")),
    (("boolean", True, "true"), ("true", "other")),
    (("boolean", False, None), ("false", "other")),
    (("literal", "mild", "severe"), ("mild", "severe")),
    (("one_of", ["a"], "a"), ("a", "a")),
    (("one_of", ["a"], "b"), ("a", "b")),
    (("one_of", ["a", "b"], "b"), ("a | b", "a | b")),
    (("one_of", ["a", "b"], "c"), ("a | b", "c")),
    (("one_of", ["A", "B"], "C", {"case_sensitive": False}), ("a | b", "c")),
    (("one_of", ["A"], "B", {"case_sensitive": False}), ("a", "b")),
    (("one_of", None, "C", {"values": ["A", "B"], "case_sensitive": False}), ("a | b", "c")),
    (("one_of", None, "b", {"values": ["A", "B"], "case_sensitive": False}), ("a | b", "a | b")),
    (("one_of", None, "C", {"values": ["A", "B"]}), ("A | B", "C")),
    (("one_of", ["A"], ["B"], {"case_sensitive": False}), ("a", "other")),
    (("one_of", "a", "a"), ("a", "error")),
    (("exact", "\0error", "a"), None),
]


@pytest.mark.parametrize(("arguments", "labels"), LABELS, ids=repr)
def test_labels_of_a_comparison(arguments, labels):
    operator, expected, observed, *more = arguments
    record = json.loads(compare(operator, expected, observed, **(more[0] if more else {})).to_text())
    found = read_labels(record)
    assert (found and (found.expected, found.observed.lstrip("\0"))) == labels


def test_a_negated_comparison_has_no_labels():
    record = compare("exact", "a", "b").to_record()
    assert read_labels({**record, "negated": True}) is None


DIFFERENCES = [
    (("exact", "a", ""), "blank"),
    (("exact", "a b", "ab"), "whitespace"),
    (("exact", "A", "a"), "case"),
    (("exact", "a", "the a"), "more text"),
    (("exact", "the a", "a"), "a part of it"),
    (("exact", "a", "b"), "different"),
    (("exact", "a", None), "missing"),
    (("exact", "1", 1), "another type"),
    (("numeric_exact", 1, 2), "too high"),
    (("numeric_exact", 2, 1), "too low"),
    (("numeric_exact", 2, "two"), "not_a_number"),
    (("one_of", ["a"], "b"), "different"),
    (("boolean", True, "yes"), "not_a_boolean"),
    (("regex", "(", "a"), "invalid_regex_pattern"),
]


@pytest.mark.parametrize(("arguments", "kind"), DIFFERENCES, ids=repr)
def test_kind_of_difference(arguments, kind):
    assert _differences_of(compare(*arguments).to_record()) == {("", kind)}


def test_differences_in_documents_are_equal_without_their_indexes(write):
    path = write("run", *[compare("json_canonical", [{"a": 0}] * 3, [{"a": 0}] * n + [{"a": 1}]) for n in range(3)])
    assert {one["place"]: one["comparisons"] for one in numbers_of(path)["failures"]} == {"[*].a": 3, "[*]": 2}


def test_failures_are_those_of_the_parts_that_failed(write):
    nested = [{"operator": "any_of", "settings": {"conditions": ["exact", "numeric_exact"]}}, "exact"]
    path = write(
        "run",
        compare("all_of", 1, 2, conditions=nested),
        compare("any_of", "Paris", "paris", conditions=["exact", "normalized_exact"]),
    )
    failures = numbers_of(path)["failures"]
    assert [(one["operator"], one["place"]) for one in failures] == [
        ("exact", "0.0"),
        ("exact", "1"),
        ("numeric_exact", "0.1"),
    ]


def test_decisions_are_no_answers(write):
    counts = {"pass": 1, "fail": 3, "error": 0}
    path = write("run", compare("exact", 1, 1), compare("pass_rate", 0.9, counts), compare("row_count", 3, 2))
    numbers = numbers_of(path)
    assert [group["group"] for group in numbers["rates"][0]["groups"]] == [["exact"]]
    assert "failures" not in numbers


def test_nothing_but_decisions_is_nothing_to_count(command, write):
    status, out, err = command("numbers", write("run", compare("row_count", 3, 2)))
    assert (status, out) == (2, "")
    assert "there is no answer to count" in err


def test_only_the_last_attempt_counts(write):
    path = write("run", compare("exact", "a", "b"), attempt=1)
    write("run", compare("exact", "a", "a"), attempt=2)
    rates = numbers_of(path)["rates"][0]["groups"]
    assert [(one["pass"], one["fail"]) for one in rates] == [(1, 0)]


def test_labels_are_found_where_they_repeat(write):
    texts = [compare("exact", f"answer {n}", "x", name="free") for n in range(5)]
    moods = [compare("one_of", [mood], "good") for mood in ("good", "bad")]
    path = write("run", *texts, *moods)
    assert [one["of"] for one in numbers_of(path)["labels"]] == ["one_of"]
    assert [one["of"] for one in numbers_of(path, labels="exact")["labels"]] == ["exact"]
    assert "labels" not in numbers_of(write("other", *[compare("exact", "a", "b")] * 9))


def test_a_field_of_a_template_is_counted_apart(folder):
    numbers = numbers_of(folder, labels="capital")
    assert [(one["of"], one["matrix"], one["other"]) for one in numbers["labels"]] == [("capital", [[2]], [2])]
    fields = {
        group["group"][0]: group["pass"]
        for one in numbers["rates"]
        if one["by"] == ["field"]
        for group in one["groups"]
    }
    assert fields == {"capital": 2, "people": 4, "0": 0, "1": 1}
    assert ("normalized_exact", "capital", 2) in [
        (one["operator"], one["place"], one["comparisons"]) for one in numbers["failures"]
    ]  # fmt: skip


MODELS = """
import pytest
from pytest_verdict import compare
from pytest_verdict.suites import Evaluator, InputMapping

MOODS = ["good", "bad", "bad"]
LABEL = Evaluator("exact", InputMapping(expected="$.label", observed="$.out.label", group="$.kind"))

@pytest.mark.slow
@pytest.mark.parametrize("model", ["small", "large"])
def test_moods(model):
    for number, mood in enumerate(MOODS):
        label = mood if model == "large" else "good"
        kind = "short" if number else "long"
        out = {"label": label, "confidence": 0.9 if label == mood else 0.8}
        LABEL.evaluate({"label": mood, "kind": kind, "out": out}).result.passed

def test_plain():
    compare("numeric_exact", 1, 2).passed
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The report of a session with labels, groups, markers, parameters and confidences."""
    import os
    import subprocess
    import sys

    place = tmp_path_factory.mktemp("session")
    (place / "test_it.py").write_text(MODELS)
    (place / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    command = [sys.executable, "-m", "pytest", "-p", "verdict", "--verify-report"]
    subprocess.run(
        command,
        cwd=place,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    )
    return place / "verify-report"


@pytest.mark.ci
def test_report_has_the_numbers_and_replay_derives_them(command, session, tmp_path):
    document = json.loads((session / "report.json").read_text())
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    numbers = document["numbers"]
    assert numbers == numbers_of(session)
    rates = {
        (*one["by"], *group["group"]): (group["pass"], group["fail"])
        for one in numbers["rates"]
        for group in one["groups"]
    }
    assert rates == {
        ("operator", "exact"): (4, 2),
        ("operator", "numeric_exact"): (0, 1),
        ("group", "long"): (2, 0),
        ("group", "short"): (2, 2),
        ("marker", "slow"): (4, 2),
        ("param:model", "large"): (3, 0),
        ("param:model", "small"): (1, 2),
    }  # fmt: skip
    (matrix,) = numbers["labels"]
    assert (matrix["of"], [one["class"] for one in matrix["classes"]]) == ("exact", ["bad", "good"])
    assert (matrix["matrix"], matrix["other"], matrix["errors"]) == ([[2, 2], [0, 2]], [0, 0], [0, 0])
    assert command("replay", session)[0] == 0
    altered = tmp_path / "verify-report"
    altered.mkdir()
    for path in session.iterdir():
        if path.is_file():
            (altered / path.name).write_bytes(path.read_bytes())
    text = (altered / "report.json").read_text()
    (altered / "report.json").write_text(text.replace('"matrix": [[2, 2]', '"matrix": [[4, 0]'))
    status, out, _ = command("replay", altered)
    assert status == 1
    assert "numbers.labels[0].matrix[0][0]: says 4, and 2 follows" in out


def test_numbers_by_group(command, session):
    status, out, _ = command("numbers", session, "--by", "param:model", "--labels", "exact", "--json")
    assert status == 0
    numbers = json.loads(out)
    assert [(one["group"], one["matrix"]) for one in numbers["labels"]] == [
        (["large"], [[2, 0], [0, 1]]),
        (["small"], [[0, 2], [0, 1]]),
    ]
    out = command("numbers", session, "--by", "marker,param:model")[1]
    assert "| slow | small | 1 | 2 | 0 | 33.3 % (0.8 to 90.6) |" in out
    assert command("numbers", session, "--by", "tag")[1].splitlines()[0] == "Pass rates by tag"
    table = command("table", session, "--by", "marker")[1]
    assert "| slow | 6 | 4 | 2 | 0 |" in table


def test_confidence_of_the_mapped_document_and_of_a_parameter(command, session):
    out = command("numbers", session, "--confidence", "out.confidence")[1]
    assert "Reliability of out.confidence: calibration error 0.333333, Brier score 0.22" in out
    assert "| 0.7 to 0.8 | 0.8 | 0 % (0 to 84.2) | 2 |" in out


CONFIDENT = [
    ('{"confidence": 0.5, "a": 1}', 0.5),
    ({"confidence": 1}, 1.0),
    ({"confidence": True}, None),
    ({"confidence": "0.5"}, None),
    ({"confidence": None}, None),
    ({"confidence": 50}, None),
    ('{"confidence": ', None),
    ("confidence: 0.5", None),
    ([0.5], None),
]


@pytest.mark.parametrize(("observed", "confidence"), CONFIDENT, ids=repr)
def test_confidence_of_an_observed_value(write, observed, confidence):
    found = numbers_of(write("run", compare("not_blank", None, observed))).get("reliability", [])
    assert [one["bins"][0]["confidence"] for one in found] == ([] if confidence is None else [confidence])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--by", "modle"], "--by: unknown name 'modle'."),
        (["--by", "param:modle"], "no test has this parameter. Did you mean 'param:model'?"),
        (["--labels", "exakt"], "--labels exakt: nothing of this name expects labels. Did you mean 'exact'?"),
        (["--labels", "not_blank"], "nothing of this name expects labels."),
        (["--confidence", "confidense"], "--confidence confidense: no answer has a number of this name."),
        (["--confidence", "param:modle"], "no answer has a number of this name."),
        (["--confidence", "percent"], "a confidence is from 0 to 1, got 70 in "),
    ],
    ids=str,
)
def test_wrong_arguments_say_what_is_allowed(command, session, write, words, message):
    path = write("run", compare("not_blank", None, {"percent": 70})) if "percent" in words else session
    status, out, err = command("numbers", path, *words)
    assert (status, out) == (2, "")
    assert message in err


def test_hundreds_of_expected_values_are_no_labels(command, write):
    path = write("run", *[compare("exact", f"{n}", "1") for n in range(300)])
    assert "labels" not in numbers_of(path)
    assert "300 different expected values are no labels" in command("numbers", path, "--labels", "exact")[2]


def test_a_comparison_that_could_not_be_made_counts_for_its_operator(write):
    evaluator = Evaluator("one_of", InputMapping(expected="$.e", observed="$.o"))
    path = write("run", *[evaluator.evaluate({"e": ["a"], **more}).result for more in ({"o": "a"}, {})])
    numbers = numbers_of(path)
    assert [(one["group"], one["pass"], one["error"]) for one in numbers["rates"][0]["groups"]] == [(["one_of"], 1, 1)]


def test_hostile_labels_stay_text(command, write):
    hostile = ["<img src=x onerror=alert(1)>", "=cmd()", "a|b", "\x1b[31m", "\u202e", "\ud800", "__proto__"]
    path = write("run", *[compare("one_of", [text], text[::-1]) for text in hostile])
    status, out, _ = command("numbers", path)
    assert status == 0
    assert not [text for text in ("<img", "\x1b", "\u202e", "\ud800") if text in out]
    lines = [line for line in out.splitlines() if line.startswith("| ")]
    assert lines
    matrix = numbers_of(path)["labels"][0]
    assert len(matrix["classes"]) == len(hostile)
    schema = report_schema()
    of_numbers = {"$defs": schema["$defs"], **schema["properties"]["numbers"], "minProperties": 0}
    jsonschema.Draft202012Validator(of_numbers).validate(numbers_of(path))


@pytest.mark.parametrize(
    ("rate", "interval", "text"),
    [
        (1.0, (0.025, 1.0), "100 % (2.5 to 100)"),
        (0.999999, (0.9, 0.9999991), "99.9 % (90 to 100)"),
        (0.29, (0.2, 0.3), "29 % (20 to 30)"),
        (2 / 3, (0.094299, 0.991597), "66.6 % (9.4 to 99.2)"),
        (0.0, (0.0, 0.975), "0 % (0 to 97.5)"),
    ],
)
def test_percent_never_flatters(rate, interval, text):
    assert format_percent(rate, interval) == text


def test_no_number_is_nan(write):
    path = write("run", *[compare("exact", "a", value) for value in ("b", float("nan"), math.inf, encode(1))])
    assert "NaN" not in json.dumps(numbers_of(path, labels="exact"))
