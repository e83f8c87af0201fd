"""``pytest-verdict blind``: two outputs, folders of them, the evaluations of a skill, and judges that answer later."""

from __future__ import annotations

import json

import pytest
import yaml
from blind_judges import BAD, GOOD

from pytest_verdict import compare
from pytest_verdict.blind import write_grading
from pytest_verdict.errors import ConfigurationError

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


def write_outputs(folder, **texts):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "task.txt"
    path.write_text("Give the total.")
    return path


def test_preferred_output_decides_the_exit_code(command, outputs):
    assert command("blind", *outputs, "--judge", JUDGE, "--prefer", "new")[0] == 0
    assert command("blind", *outputs, "--judge", JUDGE, "--prefer", "old")[0] == 1
    status, _, problems = command("blind", *outputs, "--judge", JUDGE, "--prefer", "z")
    assert (status, "--prefer z is none of the outputs new and old" in problems) == (2, True)


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
    assert totals["comparisons"]["two.md"] == {"folder": "0003", "status": "JUDGED", "winner": "b"}
    for name in ("one", "two", "three"):
        folder = out / totals["comparisons"][f"{name}.md"]["folder"]
        record = json.loads((folder / "blind.json").read_text())
        assert record["name"] == f"{name}.md"
        assert record["observed"]["comparison"]["task"] == f"Task {name}."


def test_blind_command_rejects_unpaired_output(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / "a", one=GOOD, two=BAD), write_outputs(tmp_path / "b", one=BAD)]
    status, _, problems = command(
        "blind", *outputs, "--pairs", "--prompt", task, "--judge", JUDGE, "-o", tmp_path / "o"
    )
    assert status == 2
    assert "'two.md' is in one of" in problems


def test_folders_are_read_before_anything_is_asked(command, tmp_path, task):
    first = write_outputs(tmp_path / "a", one=GOOD)
    (tmp_path / "empty").mkdir()
    for second, message in (("missing", "missing is no folder of outputs"), ("empty", "empty has no outputs")):
        words = ("blind", first, tmp_path / second, "--pairs", "--prompt", task, "--judge", JUDGE, "-o", tmp_path / "o")
        status, _, problems = command(*words)
        assert (status, message in problems) == (2, True), problems


def test_folder_judge_answers_in_a_later_run(command, tmp_path, task):
    outputs = [write_outputs(tmp_path / "a", one=GOOD, two="No."), write_outputs(tmp_path / "b", one=BAD, two=GOOD)]
    words = ("blind", *outputs, "--pairs", "--prompt", task, "--judge", "folder", "-o", tmp_path / "out")
    status, output, _ = command(*words)
    assert status == 3
    assert output.count("reply.json is still to be written") == 4
    questions = sorted((tmp_path / "out" / "judgments").glob("*/request.json"))
    assert len(questions) == 4
    for question in questions:
        question_values = json.loads(question.read_text())
        names = question_values["schema"]["properties"]["rubric"]["properties"]["A"]["properties"]
        shown = {label: "".join(path.read_text() for path in (question.parent / label).iterdir()) for label in "AB"}
        sides = {
            label: {
                part: {
                    name: {"evidence": "-", "score": 5 if "because" in shown[label] else 2}
                    for name in names[part]["properties"]
                }
                for part in names
            }
            for label in "AB"
        }
        (question.parent / "reply.json").write_text(json.dumps({"rubric": sides, "reasoning": "because"}))
    assert command(*words)[0] == 0
    assert summary(tmp_path / "out")["wins"] == {"a": 1, "b": 1}


@pytest.fixture
def iteration(tmp_path):
    """An iteration of the skill-creator workflow with two evaluations of two runs."""
    workspace = tmp_path / "totals-workspace" / "iteration-1"
    for number in (0, 1):
        folder = workspace / f"eval-{number}"
        for configuration, text in (("with_skill", GOOD), ("without_skill", BAD)):
            for run in (1, 2):
                place = folder / configuration / f"run-{run}"
                write_outputs(place / "outputs", answer=text)
                checks = {
                    "says 42": compare("contains_any", "42", text),
                    "says why": compare("contains_any", "because", text),
                }
                write_grading(place, checks)
                (place / "timing.json").write_text(
                    json.dumps({"total_tokens": 10 * run, "total_duration_seconds": 1.5})
                )
        about = {"eval_id": number, "prompt": "Give the total.", "assertions": ["says 42", "says why"]}
        (folder / "eval_metadata.json").write_text(json.dumps(about))
    return workspace


def test_blind_command_compares_skill_evaluations(command, iteration, tmp_path):
    out = tmp_path / "out"
    status, _, problems = command("blind", iteration, "--judge", JUDGE, "-o", out, "--prefer", "with_skill")
    assert (status, problems) == (0, "")
    assert summary(out)["wins"] == {"with_skill": 4, "without_skill": 0}
    assert list(summary(out)["comparisons"])[3] == "eval-1/run-2"
    comparison = json.loads((out / "0004" / "comparison.json").read_text())
    rates = {side["pass_rate"] for side in comparison["expectation_results"].values()}
    assert rates == {0.5, 1.0}
    benchmark = json.loads((out / "benchmark.json").read_text())
    assert benchmark["metadata"] == {"skill_name": "totals", "evals_run": [0, 1], "runs_per_configuration": 2}
    assert benchmark["run_summary"]["with_skill"]["pass_rate"] == {"mean": 1.0, "stddev": 0.0, "min": 1.0, "max": 1.0}
    assert benchmark["run_summary"]["without_skill"]["tokens"]["mean"] == 15.0
    assert benchmark["run_summary"]["delta"] == {"pass_rate": "+0.50", "time_seconds": "+0.00", "tokens": "+0.00"}
    assert benchmark["notes"][0].startswith("blind comparison: 4 pairs: with_skill won 4")
    run = benchmark["runs"][1]
    assert (run["eval_id"], run["configuration"], run["run_number"]) == (0, "without_skill", 1)
    assert [list(one) for one in run["expectations"]] == [["text", "passed", "evidence"]] * 2
    assert run["expectations"][1]["evidence"] == "contains_any: expected any of 'because', got 'It is 42'"


def test_runs_without_grading_ask_the_judge_about_expectations(command, iteration, tmp_path):
    for path in iteration.glob("eval-*/*/run-*/grading.json"):
        path.unlink()
    status, _, _ = command("blind", iteration, "--judge", JUDGE, "-o", tmp_path / "out")
    assert status == 0
    record = json.loads((tmp_path / "out" / "0001" / "blind.json").read_text())
    assert record["details"]["expectation_source"] == "judge"


def test_blind_command_rejects_unpaired_run(command, iteration, tmp_path):
    lost = iteration / "eval-1" / "with_skill" / "run-2" / "outputs"
    (lost / "answer.md").unlink()
    lost.rmdir()
    status, _, problems = command("blind", iteration, "--judge", JUDGE, "-o", tmp_path / "out")
    assert status == 2
    assert "eval-1/run-2 has a run of without_skill only" in problems


@pytest.mark.parametrize("content", ["[]", "{", '{"assertions": ["a"]}', '{"prompt": 3}'])
def test_unreadable_evaluation_is_named(command, iteration, tmp_path, content):
    (iteration / "eval-0" / "eval_metadata.json").write_text(content)
    status, _, problems = command("blind", iteration, "--judge", JUDGE, "-o", tmp_path / "out")
    assert status == 2
    assert "eval_metadata.json" in problems


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["empty"], "two configurations in eval-*/, such as with_skill and without_skill, are compared, got none"),
        (["empty", "--pairs"], "an iteration has its own names, prompts and expectations"),
        (["empty", "empty"], "two outputs need their task: --prompt FILE"),
    ],
)
def test_blind_command_says_what_it_needs(command, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    status, _, problems = command("blind", "--judge", JUDGE, "-o", "out", *words)
    assert (status, message in problems) == (2, True), problems


def test_write_grading_needs_results_and_a_folder(tmp_path):
    with pytest.raises(ConfigurationError, match="a grading needs results"):
        write_grading(tmp_path, {})
    with pytest.raises(ConfigurationError, match="a grading needs results and the folder of a run, got 1 for"):
        write_grading(tmp_path / "nowhere", {"a": compare("exact", 1, 1)})
