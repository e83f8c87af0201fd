"""``pytest-verdict blind``: two outputs, and a person that answers later."""

from __future__ import annotations

import json

import pytest
import yaml
from blind_judges import BAD, GOOD

JUDGE = "blind_judges:honest"


@pytest.fixture
def outputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.txt").write_text("Give the total.")
    (tmp_path / "new.md").write_text(GOOD)
    (tmp_path / "old.md").write_text(BAD)
    return ["new.md", "old.md", "--prompt", "task.txt"]


def test_blind_command_compares_two_outputs(command, outputs, tmp_path):
    status, output, _ = command("blind", *outputs, "--judge", JUDGE, "-o", tmp_path / "out")
    assert (status, output) == (0, "JUDGED, winner: new\n")
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["blind.json", "commitment.json", "comparison.json"]
    assert command("unblind", tmp_path / "out")[0] == 0
    assert command("blind", *outputs, "--judge", JUDGE, "--names", "v2", "v1")[1] == "JUDGED, winner: v2\n"


def test_comparison_goes_to_the_working_folder_by_default(command, outputs, tmp_path):
    assert command("blind", *outputs, "--judge", JUDGE)[0] == 0
    assert json.loads((tmp_path / "comparison.json").read_text())["winner"] in {"A", "B"}
    assert {path.name for path in tmp_path.iterdir()} >= {"blind.json", "commitment.json"}


def test_expectations_are_lines_of_a_file(command, outputs, tmp_path):
    (tmp_path / "expectations.txt").write_text("It says 42.\n\nIt says why.\n")
    words = ["--expectations", "expectations.txt"]
    assert command("blind", *outputs, "--judge", JUDGE, *words)[0] == 0
    results = json.loads((tmp_path / "comparison.json").read_text())["expectation_results"]["A"]
    assert [answer["text"] for answer in results["details"]] == ["It says 42.", "It says why."]


def test_replies_are_kept_in_a_cache(command, outputs, tmp_path):
    words = ("blind", *outputs, "--judge", JUDGE, "--key", "k", "--cache", tmp_path / "cache")
    files = []
    for number in ("1", "2"):
        folder = tmp_path / number
        assert command(*words, "-o", folder)[0] == 0
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert files[0] == files[1]
    recordings = list((tmp_path / "cache").iterdir())
    assert len(recordings) == 2
    recordings[0].write_text(recordings[0].read_text().replace('": 5', '": 1'))
    status, _, problems = command(*words, "-o", tmp_path / "altered")
    assert (status, "was altered" in problems) == (2, True)


@pytest.mark.parametrize(
    ("judge", "message"),
    [("first_slot", "INCONSISTENT: there is no verdict"), ("refusing", "INVALID: no verdict: the reply holds no JSON")],
)
def test_blind_command_fails_without_a_verdict(command, outputs, judge, message):
    status, _, problems = command("blind", *outputs, "--judge", f"blind_judges:{judge}")
    assert (status, message in problems) == (1, True), problems


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prompt", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["--judge", "nobody"], "--judge nobody cannot be imported"),
        (["--expectations", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["--names", "A", "other"], "call the candidates something else"),
        (["--leaks", "hide"], "Allowed: fail, record, redact"),
    ],
)
def test_blind_command_rejects_wrong_arguments(command, outputs, words, message):
    status, _, problems = command("blind", *outputs, "--judge", JUDGE, *words)
    assert (status, message in problems) == (2, True), problems


def test_missing_output_is_rejected(command, outputs):
    status, _, problems = command("blind", "missing", *outputs[1:], "--judge", JUDGE)
    assert (status, "there is no file or directory missing" in problems) == (2, True)


def test_outputs_of_one_name_are_called_x_and_y(command, outputs, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "old.md").write_text(GOOD)
    status, output, _ = command("blind", "runs/old.md", *outputs[1:], "--judge", JUDGE)
    assert (status, output) == (0, "JUDGED, winner: x\n")


def test_human_judge_answers_in_a_later_run(command, outputs, tmp_path):
    words = ("blind", *outputs, "--judge", "human", "-o", tmp_path / "out", "--order", "single")
    status, _, problems = command(*words)
    assert (status, "--judge human with --order single needs --key" in problems) == (2, True)
    words = (*words, "--key", "k")
    status, output, _ = command(*words)
    assert (status, "form.yaml is still to be filled in" in output) == (3, True)
    [form] = (tmp_path / "out" / "judgments").glob("*/form.yaml")
    filled = yaml.safe_load(form.read_text())
    for label in "AB":
        is_good = "because" in (form.parent / label / "output.md").read_text()
        for part in filled["rubric"][label].values():
            part.update(dict.fromkeys(part, 5 if is_good else 1))
    form.write_text(yaml.safe_dump(filled))
    assert command(*words)[:2] == (0, "JUDGED, winner: new\n")
