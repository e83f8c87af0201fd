"""A series of pairs: each has a folder of its own, and an error of one keeps the comparisons of the others."""

import json
import threading
import time

import blind_judges as judges
import pytest
import yaml
from blind_judges import BAD, GOOD

from pytest_verdict.blind import BlindProtocol, Pair, compare_pairs
from pytest_verdict.blind.calibration import calibrate, read_gold_set
from pytest_verdict.blind.human import FolderJudge, HumanJudge
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, RecordError, SettingsError

TASK = "Say what 6 times 7 is."


def written_names(folder):
    return {json.loads(path.read_text())["name"] for path in folder.rglob("blind.json")}


def pair_of(name, **options):
    return Pair(name=name, **{"outputs": (GOOD, BAD), "prompt": TASK, **options})


NO_NAMES = [None, 3, 3.0, True, b"a", ["a"], ("a",), {"a": 1}]


class Asked:
    def __init__(self):
        self.judge_id = "asked"
        self.calls = 0

    def __call__(self, request):
        self.calls += 1
        return judges.honest(request)


@pytest.mark.parametrize("name", NO_NAMES, ids=repr)
@pytest.mark.parametrize("has_output", [False, True])
def test_name_that_is_no_text_is_refused(name, has_output, tmp_path):
    judge = Asked()
    with pytest.raises(SettingsError, match="pairs are Pair objects with a text as name"):
        compare_pairs([pair_of(name)], judge, output=tmp_path if has_output else None)
    with pytest.raises(SettingsError, match="pairs are Pair objects with a text as name"):
        compare_pairs([name], judge)
    assert judge.calls == 0


def test_names_that_occur_twice_are_refused():
    with pytest.raises(SettingsError, match="a name of its own"):
        compare_pairs([pair_of("a"), pair_of("a")], judges.honest)


def test_outputs_of_a_pair_may_be_a_list():
    assert compare_pairs([pair_of("a", outputs=[GOOD, BAD])], judges.honest)["a"].winner == "x"
    with pytest.raises(SettingsError, match="candidates is a pair of two outputs"):
        compare_pairs([pair_of("a", outputs=[GOOD])], judges.honest)


@pytest.mark.parametrize("name", ["What is 1/2?", "../x", "", "a//b", "con", "C:\\x", "a\0b", "\ud800", "a" * 300])
def test_any_text_is_a_name_and_folders_have_numbers(name, tmp_path):
    comparisons = compare_pairs([pair_of(name), pair_of("a")], judges.honest, output=tmp_path / "out")
    assert list(comparisons) == [name, "a"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["0001", "0002"]
    assert json.loads((tmp_path / "out" / "0002" / "blind.json").read_text())["name"] == "a"


# An error of one pair.


class Failing(Exception):
    pass


class Skipped(BaseException):
    pass


ERRORS = {
    "an empty output": None,
    "a record": RecordError("a recording was altered"),
    "a configuration": ConfigurationError("no key"),
    "no exception": Skipped("skipped"),
}


class FailsAt:
    judge_id = "fails"

    def __init__(self, name, error, call):
        self.name = name
        self.error = error
        self.number = call
        self.asked = []
        self.lock = threading.Lock()

    def __call__(self, request):
        with self.lock:
            self.asked.append(request.task)
            calls = self.asked.count(request.task)
        time.sleep(0.002)
        if request.task == self.name and calls == self.number and self.error is not None:
            raise self.error
        return judges.honest(request)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("position", [0, 3, 5])
@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.ci), 4, pytest.param(50, marks=pytest.mark.ci)])
@pytest.mark.parametrize(
    ("order", "call"),
    [
        pytest.param("both", 1, marks=pytest.mark.ci),
        ("both", 2),
        pytest.param("single", 1, marks=pytest.mark.ci),
    ],
)
def test_error_of_a_pair_loses_no_whole_comparison(error, position, most, order, call, tmp_path):
    names = [f"pair {number}" for number in range(6)]
    pairs = [pair_of(name, prompt=name) for name in names]
    if ERRORS[error] is None:
        (tmp_path / "empty").mkdir()
        pairs[position] = pair_of(names[position], prompt=names[position], outputs=(tmp_path / "empty",) * 2)
    judge = FailsAt(names[position], ERRORS[error], call)
    protocol = BlindProtocol(order=order, retries=0)
    options = {"output": tmp_path / "out", "protocol": protocol, "max_concurrency": most, "key": "1"}
    with pytest.raises((ConfigurationError, RecordError, Skipped)):
        compare_pairs(pairs, judge, **options)

    number_of_calls = {"both": 2, "single": 1}[order]
    whole = {name for name in names if judge.asked.count(name) == number_of_calls} - {names[position]}
    assert written_names(tmp_path / "out") == whole
    # All pairs before the one that fails are whole.
    assert whole >= set(names[:position])
    for name in whole:
        path = tmp_path / "out" / f"{names.index(name) + 1:04}" / "blind.json"
        assert len(json.loads(path.read_text())["observed"]["calls"]) == number_of_calls


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("order", ["single", "both"])
def test_pairs_that_wait_for_a_person_keep_no_other_back(most, order, tmp_path):
    class Person(HumanJudge):
        def __call__(self, request):
            if request.task in {"pair 1", "pair 4"}:
                return super().__call__(request)
            return judges.honest(request)

    pairs = [pair_of(f"pair {number}", prompt=f"pair {number}") for number in range(5)]
    options = {"protocol": BlindProtocol(order=order), "max_concurrency": most, "output": tmp_path / "out"}
    with pytest.raises(AwaitingJudgmentError) as awaited:
        compare_pairs(pairs, Person(tmp_path / "forms"), **options)
    assert str(awaited.value).count("form.yaml") == (2 if order == "single" else 4)
    assert written_names(tmp_path / "out") == {"pair 0", "pair 2", "pair 3"}


@pytest.mark.parametrize("judge", [HumanJudge, FolderJudge])
@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("answered", [(), (0,), (1,), (0, 1), (2,), (0, 2)])
def test_calibration_names_each_answer_that_is_awaited(judge, most, answered, tmp_path):
    judged = []

    class Later(judge):
        def __call__(self, request):
            if int(request.task.split()[-1]) in answered:
                judged.append(request.task)
                return judges.honest(request)
            return super().__call__(request)

    items = [{"prompt": f"item {number}", "first": GOOD, "second": BAD, "label": "first"} for number in range(3)]
    gold = {"id": "gold", "version": "1", "annotators": "human", "items": items}
    (tmp_path / "gold.yaml").write_text(yaml.safe_dump(gold))
    with pytest.raises(AwaitingJudgmentError) as awaited:
        calibrate(
            read_gold_set(tmp_path / "gold.yaml"),
            Later(tmp_path / "forms"),
            BlindProtocol(order="single"),
            max_concurrency=most,
        )
    assert str(awaited.value).count("is still to be") == 3 - len(answered)
    assert len(judged) == len(answered)


@pytest.mark.parametrize("most", [1, 4])
def test_calibration_has_each_item_with_its_own_label(most, tmp_path):
    items = [
        {"id": f"item {number}", "prompt": "P", "first": GOOD, "second": BAD, "label": label}
        for number, label in enumerate(["first", "second", "tie", "first"])
    ]
    gold = {"id": "gold", "version": "1", "annotators": "human", "items": items}
    (tmp_path / "gold.yaml").write_text(yaml.safe_dump(gold))
    calibration = calibrate(read_gold_set(tmp_path / "gold.yaml"), judges.honest, max_concurrency=most)
    assert [item["human"] for item in calibration["items"]] == ["first", "second", "tie", "first"]
    assert [item["judge"] for item in calibration["items"]] == ["first"] * 4
