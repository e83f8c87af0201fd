"""Calibration against labelled pairs, and the statistics against the libraries that everybody knows."""

import json
import math
import random

import blind_judges as judges
import pytest
import yaml
from blind_judges import BAD, GOOD

from pytest_verdict.blind import request
from pytest_verdict.blind.api import blind_compare
from pytest_verdict.blind.calibration import (
    Gate,
    calibrate,
    compute_kappa,
    describe_kappa,
    read_gold_set,
    run_sign_test,
)
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.cli import main
from pytest_verdict.errors import ConfigurationError, RecordError, SettingsError
from pytest_verdict.runs.significance import mcnemar

SAMPLE = [("a", "a")] * 14 + [("b", "b")] * 6 + [("t", "t")] * 3 + [("a", "b")] * 4 + [("b", "t")] * 2 + [("t", "a")]


def samples():
    generator = random.Random(3)
    yield SAMPLE
    for size in (2, 5, 30, 100):
        yield [(generator.choice("ab"), generator.choice("abt")) for _ in range(size)]


@pytest.mark.ci
@pytest.mark.parametrize("pairs", list(samples()), ids=len)
def test_kappa_matches_scikit_learn(pairs):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is a development dependency")
    first, second = zip(*pairs, strict=True)
    assert compute_kappa(pairs) == pytest.approx(metrics.cohen_kappa_score(first, second))


@pytest.mark.ci
@pytest.mark.parametrize(
    ("count", "total"), [(0, 1), (1, 1), (9, 10), (18, 20), (27, 30), (33, 50), (80, 100), (0, 40)]
)
def test_p_values_match_scipy(count, total):
    stats = pytest.importorskip("scipy.stats", reason="scipy is a development dependency")
    assert mcnemar(total - count, count) == pytest.approx(stats.binomtest(count, total).pvalue)


def test_bootstrap_interval_is_reproducible_and_near_the_asymptotic_one():
    raters = pytest.importorskip("statsmodels.stats.inter_rater", reason="statsmodels is a development dependency")
    asymptotic = raters.cohens_kappa([[SAMPLE.count((first, second)) for second in "abt"] for first in "abt"])
    interval = describe_kappa(SAMPLE, seed=1)["interval"]
    assert interval == describe_kappa(SAMPLE, seed=1)["interval"]
    assert interval == pytest.approx((asymptotic.kappa_low, asymptotic.kappa_upp), abs=0.06)


@pytest.mark.parametrize(
    ("pairs", "value"),
    [([], None), ([("a", "a")] * 9, None), ([("a", "a")] * 9 + [("b", "a")], 0.0), ([("a", "b")] * 3, 0.0)],
    ids=["empty", "one label", "constant judge", "never agreed"],
)
def test_kappa_of_degenerate_sets_is_defined(pairs, value):
    assert compute_kappa(pairs) == value
    interval = describe_kappa(pairs)["interval"]
    assert interval is None if value is None else all(map(math.isfinite, interval))


def test_sign_test_handles_large_counts():
    assert mcnemar(20_000, 20_000) == 1.0
    assert mcnemar(0, 20_000) == mcnemar(20_000, 0) == 0.0


def test_empty_counts_have_no_rate():
    assert run_sign_test([]) == {"count": 0, "of": 0, "rate": None, "interval": None, "p": None}


def gold_file(tmp_path, labels, **changes):
    items = []
    for number, label in enumerate(labels):
        good, bad = f"{GOOD} {number}", f"{BAD} {number}"
        outputs = {"first": good, "second": bad, "tie": bad}
        other = {"first": bad, "second": good, "tie": f"{bad}."}
        first = outputs[label] if label != "second" else bad
        items.append({"id": f"i{number}", "prompt": "Why?", "first": first, "second": other[label], "label": label})
    path = tmp_path / "gold.yaml"
    path.write_text(yaml.safe_dump({"id": "answers", "version": 1, "annotators": "human", "items": items, **changes}))
    return path


BALANCED = ["first", "second"] * 16 + ["tie"] * 8


@pytest.mark.ci
def test_honest_judge_passes_the_gate(tmp_path):
    calibration = calibrate(read_gold_set(gold_file(tmp_path, BALANCED)), judges.honest)
    assert calibration["gate"]["passed"]
    assert calibration["agreement"] == {"count": 40, "of": 40, "rate": 1.0, "interval": [0.911902, 1.0]}
    assert calibration["kappa"]["value"] == 1.0
    assert calibration["labels"]["matrix"] == [[16, 0, 0], [0, 16, 0], [0, 0, 8]]
    assert calibration["flips"]["count"] == 0
    assert calibration["first_shown_wins"] == {
        "count": 32,
        "of": 64,
        "rate": 0.5,
        "interval": [0.372322, 0.627678],
        "p": 1.0,
    }
    assert calibration["longer_wins"]["rate"] == calibration["longer_wins_with_people"]["rate"] == 1.0
    assert json.loads(json.dumps(calibration, allow_nan=False)) == calibration
    assert calibration == calibrate(read_gold_set(gold_file(tmp_path, BALANCED)), judges.honest)


@pytest.mark.ci
def test_first_slot_judge_has_no_coverage(tmp_path):
    calibration = calibrate(read_gold_set(gold_file(tmp_path, BALANCED)), judges.first_slot)
    assert calibration["coverage"]["count"] == 0
    assert calibration["flips"]["rate"] == 1.0
    assert calibration["first_shown_wins"]["rate"] == 1.0
    assert calibration["first_shown_wins"]["p"] < 1e-6
    assert calibration["kappa"] | {"reason": ""} == {
        "value": None,
        "interval": None,
        "seed": 0,
        "resamples": 2000,
        "reason": "",
    }
    assert not calibration["gate"]["passed"]


@pytest.mark.ci
def test_constant_judge_fails_the_kappa_limit(tmp_path):
    calibration = calibrate(read_gold_set(gold_file(tmp_path, ["tie"] * 36 + ["first"] * 4)), judges.constant_tie)
    assert calibration["agreement"]["rate"] == 0.9
    assert calibration["kappa"]["value"] == 0.0
    assert [check["passed"] for check in calibration["gate"]["checks"]] == [True, False, True, True]


def test_set_with_one_label_has_no_kappa(tmp_path):
    calibration = calibrate(read_gold_set(gold_file(tmp_path, ["tie"] * 30)), judges.constant_tie)
    assert calibration["kappa"]["reason"] == "both gave one and the same label to every item"
    assert not calibration["gate"]["passed"]


@pytest.mark.ci
def test_random_judge_has_low_coverage(tmp_path):
    gold = read_gold_set(gold_file(tmp_path, BALANCED))
    calibration = calibrate(gold, judges.Random(), BlindProtocol(repetitions=3, rule="unanimous"))
    assert calibration["repeats_alike"]["rate"] < 0.5
    assert calibration["coverage"]["rate"] < 0.5


@pytest.mark.ci
def test_labels_of_a_model_are_refused(tmp_path):
    gold = read_gold_set(gold_file(tmp_path, BALANCED, annotators="model"))
    with pytest.raises(ConfigurationError, match="calibrate against people"):
        calibrate(gold, judges.honest)
    assert not calibrate(gold, judges.honest, allow_model_labels=True)["gate"]["passed"]


PAIR = {"id": "a", "prompt": "p", "first": "a", "second": "b", "label": "tie"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"annotators": "robots"}, "Allowed: human, model"),
        ({"items": []}, "at least one labelled pair"),
        ({"items": [{"prompt": "p", "first": "a", "second": "b"}]}, "needs the key 'label'"),
        ({"items": [{**PAIR, "labels": {"anna": "tie"}}]}, "an item has no key 'labels'. Did you mean 'label'"),
        ({"items": [{"prompt": "p", "first": "a", "second": "b", "label": "x"}]}, "Allowed: first, second, tie"),
        ({"items": [{"prompt": "p", "first": "a", "label": "tie"}]}, "needs the key 'second'"),
        ({"item": 1}, "Did you mean 'items'"),
        # Its letters would be expectations.
        ({"items": [{**PAIR, "expectations": "It is right"}]}, "expectations is a list of texts, got 'It is right'"),
        ({"items": [{**PAIR, "prompt": None}]}, r"items\['a'\]: prompt is a text, got None"),
        ({"items": [{**PAIR, 1: 2}]}, "an item has no key 1"),
        ({"items": [{"id": "a", "prompt": "p", "first": "a", "second": "b", "label": "tie"}] * 2}, "occurs twice"),
    ],
)
def test_invalid_gold_set_is_rejected(tmp_path, change, message):
    with pytest.raises(SettingsError, match=message):
        read_gold_set(gold_file(tmp_path, ["first"], **change))


@pytest.mark.ci
def test_stale_calibration_makes_the_verdict_informal(tmp_path):
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(calibrate(read_gold_set(gold_file(tmp_path, BALANCED)), judges.honest)))

    def compared(judge=judges.honest, **options):
        return blind_compare(GOOD, BAD, "Why?", judge, calibration=path, key="k", **options).result

    fresh = compared()
    assert "informal" not in fresh.notes
    assert fresh.details["reliability"]["status"] == "fresh"
    stale = compared(protocol=BlindProtocol(repetitions=2))
    assert "informal" in stale.notes
    assert stale.observed["comparison"]["calibration"]["changed"] == ["protocol"]
    other = compared(rubric={"id": "a", "version": 1, "content": ["a"], "structure": ["b"]}, judge=judges.longer_wins)
    assert other.observed["comparison"]["calibration"]["changed"] == ["judge", "rubric"]
    path.write_text(json.dumps(calibrate(read_gold_set(gold_file(tmp_path, ["first"])), judges.honest)))
    assert "informal" in compared().notes
    path.write_text(path.read_text().replace('"gate":', '"gate": {"passed": true}, "gate":'))
    with pytest.raises(RecordError, match="occurs twice"):
        compared()
    path.write_text("{}")
    with pytest.raises(RecordError, match="pytest-verdict calibrate writes one"):
        compared()
    path.write_text('{"format": 1, "bound_to": {}}')
    with pytest.raises(RecordError, match="is no calibration"):
        compared()


@pytest.mark.ci
def test_changed_instructions_make_a_calibration_stale(tmp_path, monkeypatch):
    calibration = calibrate(read_gold_set(gold_file(tmp_path, BALANCED)), judges.honest)

    def cited(given):
        path = tmp_path / "calibration.json"
        path.write_text(json.dumps(given))
        result = blind_compare(GOOD, BAD, "Why?", judges.honest, calibration=path, key="k").result
        return result.observed["comparison"]["calibration"], "informal" in result.notes

    assert cited(calibration)[1] is False
    older = {**calibration, "bound_to": {**calibration["bound_to"]}}
    del older["bound_to"]["instructions"]
    for given in (calibration, older):
        monkeypatch.setattr(request, "INSTRUCTIONS", f"{request.INSTRUCTIONS} Be strict.")
        citation, is_informal = cited(given)
        assert (citation["status"], citation["changed"], is_informal) == ("stale", ["instructions"], True)


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.ci
def test_calibrate_command_writes_a_calibration(beside, capsys):
    gold = gold_file(beside, BALANCED)
    assert main(["calibrate", str(gold), "--judge", "blind_judges:honest"]) == 0
    shown = capsys.readouterr().out
    assert "agreement: 40 of 40 [0.91, 1.00]" in shown
    assert "reached: kappa, lower bound 1.0, limit 0.4" in shown
    document = json.loads((beside / "calibration.json").read_text())
    assert document["bound_to"]["judge"] == "blind_judges.honest"
    assert main(["calibrate", str(gold), "--judge", "blind_judges:first_slot", "--output", "other.json"]) == 1
    assert "stay informal" in capsys.readouterr().err
    assert main(["calibrate", str(gold), "--judge", "blind_judges.honest", "--min-items", "41"]) == 1


@pytest.mark.ci
def test_calibrate_command_uses_the_protocol(beside):
    gold = gold_file(beside, BALANCED)
    assert (
        main(["calibrate", str(gold), "--judge", "blind_judges:honest", "--resolve", "strict", "--timeout", "60"]) == 0
    )
    comparison = blind_compare(
        GOOD,
        BAD,
        "Why?",
        judges.honest,
        protocol=BlindProtocol(resolve="strict", timeout=5),
        calibration="calibration.json",
    )
    assert "informal" not in comparison.result.notes


@pytest.mark.ci
def test_calibrate_command_uses_another_rubric(beside):
    (beside / "rubric.yaml").write_text("{id: a, version: 1, content: [a], structure: [b]}")
    words = ["calibrate", str(gold_file(beside, BALANCED)), "--judge", "blind_judges:honest"]
    assert main([*words, "--rubric", "rubric.yaml"]) == 0
    comparison = blind_compare(GOOD, BAD, "Why?", judges.honest, rubric="rubric.yaml", calibration="calibration.json")
    assert "informal" not in comparison.result.notes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--judge", "nowhere:judge"], "cannot be imported"),
        (["--judge", "blind_judges:nobody"], "cannot be imported"),
        (["--judge", "blind_judges:Random"], "is no judge"),
        (["--judge", "blind_judges:honest", "--order", "sometimes"], "Allowed: both"),
        (["--judge", "blind_judges:honest", "--resolve", "somehow"], "Allowed: abstain"),
        (["--judge", "blind_judges:honest", "--timeout", "0"], "above 0"),
        (["--judge", "blind_judges:raising", "--output", "no/such.json"], "cannot be written"),
        (["--judge", "blind_judges:raising", "--output", "."], "cannot be written"),
        (["--judge", "blind_judges:honest", "--min-agreement", "nan"], "agreement is a number from 0 to 1, got nan"),
        (["--judge", "blind_judges:honest", "--min-kappa", "-2"], "kappa is a number from -1 to 1, got -2.0"),
        (["--judge", "blind_judges:honest", "--max-flips", "20"], "flips is a number from 0 to 1, got 20.0"),
        (["--judge", "blind_judges:honest", "--min-items", "0"], "items is a whole number from 1, got 0"),
    ],
)
def test_calibrate_command_rejects_wrong_arguments(beside, capsys, words, message):
    assert main(["calibrate", str(gold_file(beside, ["first"])), *words]) == 2
    assert message in capsys.readouterr().err


def test_gate_limits_can_be_changed(tmp_path):
    gold = read_gold_set(gold_file(tmp_path, ["first", "second"] * 6))
    assert not calibrate(gold, judges.honest)["gate"]["passed"]
    assert calibrate(gold, judges.honest, gate=Gate(items=10))["gate"]["passed"]
