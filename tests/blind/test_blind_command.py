"""``pytest-verdict blind``: two outputs, folders of them, and a person that answers later."""

from __future__ import annotations

import json

import pytest
import yaml
from blind_judges import BAD, GOOD

JUDGE = "blind_judges:honest"


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "task.txt"
    path.write_text("Give the total.")
    return path


def write_outputs(folder, **texts):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def test_blind_command_compares_two_outputs(command, tmp_path, task):
    new, old = tmp_path / "1.txt", tmp_path / "2.txt"
    new.write_text(GOOD)
    old.write_text(BAD)
    out = tmp_path / "out"
    common = ("blind", new, old, "--prompt", task, "--judge", JUDGE, "-o", out, "--names", "new", "old")
    status, output, _ = command(*common, "--prefer", "new")
    assert status == 0
    assert output == (
        "1 pair: new won 1, old won 0, 0 ties, 0 without a verdict; 0 order flips\n"
        "win rate of new: 100% of 1 decided [0.03, 1.00], p 1\n"
    )
    assert sorted(path.name for path in out.iterdir()) == [
        "blind.json",
        "commitment.json",
        "comparison.json",
        "summary.json",
    ]
    assert command(*common, "--prefer", "old")[0] == 1
    assert command("unblind", out)[0] == 0


def test_one_comparison_goes_to_the_working_folder_by_default(command, tmp_path, monkeypatch, task):
    write_outputs(tmp_path, new=GOOD, old=BAD)
    monkeypatch.chdir(tmp_path)
    assert command("blind", "new.md", "old.md", "--prompt", task, "--judge", JUDGE)[0] == 0
    assert json.loads((tmp_path / "comparison.json").read_text())["winner"] in {"A", "B"}
    assert {path.name for path in tmp_path.iterdir()} >= {"blind.json", "commitment.json", "summary.json"}


def test_pairs_are_judged_at_once_from_a_cache(command, tmp_path, task):
    texts = {f"question{number}": GOOD for number in range(6)}
    outputs = [write_outputs(tmp_path / "a", **texts), write_outputs(tmp_path / "b", **dict.fromkeys(texts, BAD))]
    common = [
        "blind",
        *outputs,
        "--pairs",
        "--prompt",
        task,
        "--judge",
        JUDGE,
        "--key",
        "k",
        "--cache",
        tmp_path / "cache",
    ]
    files = []
    for number in ("1", "4"):
        folder = tmp_path / number
        status, output, _ = command(*common, "--max-concurrency", number, "-o", folder)
        assert (status, output.splitlines()[0]) == (
            0,
            "6 pairs: a won 6, b won 0, 0 ties, 0 without a verdict; 0 order flips",
        )
        files.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")})
    assert files[0] == files[1]
    recordings = list((tmp_path / "cache").iterdir())
    assert len(recordings) == 2
    recordings[0].write_text(recordings[0].read_text().replace('": 5', '": 1'))
    status, _, problems = command(*common, "-o", tmp_path / "altered")
    assert (status, "was altered" in problems) == (2, True)
    status, _, problems = command(*common, "--max-concurrency", "0", "-o", tmp_path / "zero")
    assert (status, "max_concurrency is a whole number from 1" in problems) == (2, True)


def test_several_comparisons_need_a_folder(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / name, one=GOOD) for name in "ab"]
    status, _, problems = command("blind", *outputs, "--pairs", "--prompt", task, "--judge", JUDGE)
    assert (status, "several comparisons need a folder: -o DIR" in problems) == (2, True)


def test_blind_command_fails_with_inconsistent_judge(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / "a", one=GOOD), write_outputs(tmp_path / "b", one=BAD)]
    status, output, problems = command(
        "blind", *outputs, "--pairs", "--prompt", task, "--judge", "blind_judges:first_slot", "-o", tmp_path / "out"
    )
    assert status == 1
    assert "1 pair: a won 0, b won 0, 0 ties, 1 without a verdict; 1 order flip" in output
    assert "one.md: INCONSISTENT" in problems


def test_blind_command_pairs_outputs_by_name(command, tmp_path):
    first = write_outputs(tmp_path / "a", one=GOOD, two=BAD, three=GOOD)
    second = write_outputs(tmp_path / "b", one=BAD, two=GOOD, three=GOOD)
    prompts = write_outputs(tmp_path / "tasks", one="Task one.", two="Task two.", three="Task three.")
    out = tmp_path / "out"
    status, _, _ = command("blind", first, second, "--pairs", "--prompt", prompts, "--judge", JUDGE, "-o", out)
    assert status == 0
    totals = summary(out)
    assert (totals["wins"], totals["ties"], totals["win_rate"]["rate"]) == ({"a": 1, "b": 1}, 1, 0.5)
    assert totals["comparisons"]["two.md"] == {"status": "JUDGED", "winner": "b"}
    tasks = {
        name: json.loads((out / f"{name}.md" / "blind.json").read_text())["observed"]["comparison"]["task"]
        for name in ("one", "two", "three")
    }
    assert tasks == {"one": "Task one.", "two": "Task two.", "three": "Task three."}


def test_blind_command_rejects_unpaired_output(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / "a", one=GOOD, two=BAD), write_outputs(tmp_path / "b", one=BAD)]
    status, _, problems = command(
        "blind", *outputs, "--pairs", "--prompt", task, "--judge", JUDGE, "-o", tmp_path / "o"
    )
    assert status == 2
    assert "'two.md' is in one of" in problems


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b", "--prompt", "nowhere.txt"], "nowhere.txt cannot be read"),
        (["a", "b", "--prompt", "task.txt", "--prefer", "z"], "--prefer z is none of the outputs a and b"),
        (["a", "b", "--prompt", "task.txt", "--pairs", "--judge", "nobody"], "--judge nobody cannot be imported"),
        (["a", "missing", "--prompt", "task.txt", "--pairs"], "missing is no folder of outputs"),
    ],
)
def test_blind_command_rejects_wrong_arguments(command, tmp_path, monkeypatch, task, words, message):
    monkeypatch.chdir(tmp_path)
    write_outputs(tmp_path / "a", one=GOOD)
    write_outputs(tmp_path / "b", one=BAD)
    status, _, problems = command("blind", "--judge", JUDGE, "-o", "out", *words)
    assert (status, message in problems) == (2, True), problems


def test_human_judge_answers_in_a_later_run(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / "a", one=GOOD), write_outputs(tmp_path / "b", one=BAD)]
    words = ("blind", *outputs, "--prompt", task, "--judge", "human", "-o", tmp_path / "out", "--order", "single")
    status, _, problems = command(*words)
    assert (status, "--judge human with --order single needs --key" in problems) == (2, True)
    words = (*words, "--key", "k")
    assert command(*words)[0] == 3
    [form] = (tmp_path / "out" / "judgments").glob("*/form.yaml")
    filled = yaml.safe_load(form.read_text())
    for label in "AB":
        is_good = "because" in (form.parent / label / "one.md").read_text()
        for part in filled["rubric"][label].values():
            part.update(dict.fromkeys(part, 5 if is_good else 1))
    form.write_text(yaml.safe_dump(filled))
    assert command(*words)[0] == 0
    assert summary(tmp_path / "out")["wins"] == {"a": 1, "b": 0}
