"""Files that a judge cannot see: their text is extracted, or the judge opens files itself, or there is no verdict."""

import copy
import json
import sys
from pathlib import Path
from unittest import mock

import blind_judges as judges
import pytest

from pytest_verdict import ComparisonResult, UndecidedError
from pytest_verdict.blind.api import assert_preferred, blind_compare
from pytest_verdict.blind.calibration import calibrate, read_gold_set
from pytest_verdict.blind.human import HumanJudge
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.cli import main
from pytest_verdict.core.kernel import run
from pytest_verdict.core.values.encoding import digest
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, LeakError, MissingRecordingError
from pytest_verdict.judging import documents
from pytest_verdict.judging.recording import RecordedJudge

for needed in ("docx", "openpyxl", "pptx", "pypdf"):
    pytest.importorskip(needed)
real = pytest.importorskip("real_documents")

TASK = "Say why it rains."
PICTURE = b"\x89PNG\0\xff"
GOOD, BAD = "It rains because it is wet.", "It rains."


@pytest.fixture
def place(tmp_path):
    def write(path, content):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


def unseen(comparison):
    """Assert that a comparison was not made because of unseen files, and give why."""
    result = comparison.result
    assert (comparison.status, result.verdict, result.score, comparison.winner) == ("INVALID", "error", 0.0, None)
    assert "unseen_files" in result.notes
    assert result.observed["calls"] == []
    text = result.to_text()
    read = ComparisonResult.from_record(json.loads(text))
    assert run(BlindPreference(**read.settings), read.expected, read.observed).to_text() == text
    return result.outcome.error


@pytest.mark.parametrize("prefer", [None, "x"])
def test_pictures_are_unseen_files(place, prefer):
    first, second = place("one/a.png", PICTURE), place("two/a.png", PICTURE + b"2")
    comparison = blind_compare(first, second, TASK, lambda _: pytest.fail("asked"), prefer=prefer)
    problem = unseen(comparison)
    assert (
        "the judge cannot see 2 files: 'output.png' of 'x': it is no plain text in UTF-8; 'output.png' of 'y'"
        in problem
    )
    assert "exclude=" in problem
    assert "sees files" in problem


@pytest.mark.parametrize("beside", [[], ["two/plot.png"], ["one/plot.png"]], ids=["one side", "other side", "alike"])
def test_one_unseen_file_makes_the_comparison_invalid(place, beside):
    for name, text in (("one", GOOD), ("two", BAD)):
        report = place(f"{name}/report.md", text)
    for path in {"one/plot.png", *beside} - ({"one/plot.png"} if beside == ["two/plot.png"] else set()):
        place(path, PICTURE)
    pair = report.parent.parent / "one", report.parent
    assert "plot.png" in unseen(blind_compare(*pair, TASK, judges.honest))
    without = blind_compare(*pair, TASK, judges.honest, exclude=["*.png"])
    assert without.winner == "x"
    assert "unseen_files" not in without.result.observed["comparison"]


MAKERS = [
    ("a.pdf", lambda text: real.pdf(text, "Page 2"), "pypdf "),
    ("a.docx", lambda text: real.docx_file("Report", text), "python-docx "),
    ("a.pptx", lambda text: real.pptx_file(("Report", text)), "python-pptx "),
    ("a.xlsx", lambda text: real.xlsx(["why", text]), "openpyxl "),
]


@pytest.mark.parametrize(("name", "make", "extractor"), MAKERS, ids=[maker[0] for maker in MAKERS])
def test_text_of_documents_is_judged(place, name, make, extractor):
    prompts = []

    def judge(request):
        prompts.append(request.prompt)
        return judges.honest(request)

    comparison = blind_compare(
        place(f"one/{name}", make(GOOD)), place(f"two/{name}", make(BAD)), TASK, judge, prefer="x"
    )
    assert comparison
    assert comparison.winner == "x"
    described = comparison.result.observed["comparison"]["candidates"][0]
    (file,) = described["files"]
    extracted = file["extracted"]
    assert extracted["by"].startswith(extractor)
    assert extracted["characters"] == described["characters"]
    assert GOOD in prompts[0]
    assert f'"extracted_by": "{extracted["by"]}"' in prompts[0]
    text = getattr(documents, f"extract_{name[2:]}")(make(GOOD))[0]
    assert extracted["sha256"] == digest(text)


def test_document_is_unseen_without_the_extra(place, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    pair = place("one/a.docx", real.docx_file(GOOD)), place("two/a.docx", real.docx_file(BAD))
    assert "needs the extra pytest-verdict[documents]" in unseen(blind_compare(*pair, TASK, judges.honest))


def test_broken_document_is_unseen(place):
    pair = place("one/a.pdf", b"%PDF-1.4 because"), place("two/a.pdf", real.pdf(BAD))
    problem = unseen(blind_compare(*pair, TASK, judges.honest))
    assert "cannot see 1 file: 'output.pdf' of 'x': PdfStreamError" in problem


def test_many_unseen_files_are_counted(place):
    for number in range(9):
        place(f"one/{number}.png", PICTURE)
    problem = unseen(blind_compare(place("one/0.png", PICTURE).parent, GOOD, TASK, judges.honest))
    assert "cannot see 9 files" in problem
    assert "'4.png'" in problem
    assert "'5.png'" not in problem
    assert "4 more" in problem


class Agent:
    """Opens the files of each output."""

    judge_id = "agent"
    sees_files = True

    def __call__(self, request):
        sizes = {label: (output.folder / "output.png").stat().st_size for label, output in request.outputs.items()}
        return judges.reply(request, {label: 5 if size > 6 else 2 for label, size in sizes.items()})


def test_judge_that_opens_files_judges_pictures(place):
    pair = place("one/a.png", PICTURE), place("two/a.png", PICTURE + b"2")
    comparison = blind_compare(*pair, TASK, Agent(), prefer="y")
    assert comparison
    assert comparison.result.observed["comparison"]["sees_files"] is True
    assert "unseen_files" not in comparison.result.notes


def test_recorded_judge_sees_what_its_judge_sees(place, tmp_path):
    pair = place("one/a.png", PICTURE), place("two/a.png", PICTURE + b"2")
    for mode in ("record", "replay"):
        assert blind_compare(*pair, TASK, RecordedJudge(tmp_path / "replies", Agent(), mode=mode)).winner == "y"
    unseen(blind_compare(*pair, TASK, RecordedJudge(tmp_path / "replies", judges.honest, mode="record")))


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_sees_files_must_be_true(place, value):
    judge = mock.Mock(spec=["sees_files"], sees_files=value, return_value={})
    judge.judge_id = "mock"
    unseen(blind_compare(place("a.png", PICTURE), GOOD, TASK, judge))


def test_forms_do_not_depend_on_installed_libraries(place, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    pair = place("one/a.pdf", real.pdf(GOOD)), place("two/a.pdf", real.pdf(BAD))
    for _ in range(2):
        with pytest.raises(AwaitingJudgmentError):
            blind_compare(*pair, TASK, HumanJudge(tmp_path / "judgments"))
        # The forms stay the same when the text can be extracted.
        monkeypatch.undo()
    assert len(list((tmp_path / "judgments").iterdir())) == 2
    assert len(list((tmp_path / "judgments").rglob("output.pdf"))) == 4


def test_equal_files_tie_without_a_judge(place):
    pair = place("one/a.png", PICTURE), place("two/a.png", PICTURE)
    comparison = blind_compare(*pair, TASK, judges.honest)
    assert (comparison.status, comparison.winner) == ("JUDGED", "TIE")
    assert "identical_outputs" in comparison.result.notes
    unseen(blind_compare(*pair, TASK, judges.honest, always_ask=True))


def test_unseen_file_fails_the_test(place, tmp_path):
    pair = place("one/a.png", PICTURE), place("two/a.png", PICTURE + b"2")
    with pytest.raises(UndecidedError, match="the judge cannot see 2 files"):
        assert_preferred(*pair, TASK, judges.honest, output=tmp_path / "out")
    assert main(["unblind", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    "content",
    [real.docx_file("Because.", "Made by acme-9."), real.docx_file("Because.", header="Acme 9")],
    ids=["body", "header"],
)
@pytest.mark.parametrize("judge", [judges.honest, Agent()], ids=["reads text", "sees files"])
def test_name_in_a_document_is_a_leak(place, content, judge):
    candidate = place("one/a.docx", content)
    assert b"acme" not in content.lower()
    with pytest.raises(LeakError, match="'acme-9' in content of first candidate: output"):
        blind_compare(candidate, BAD, TASK, judge, identity=["acme-9"])
    with pytest.raises(LeakError, match="no plain text, so the name of a candidate in it cannot be redacted"):
        blind_compare(candidate, BAD, TASK, judge, identity=["acme-9"], protocol=BlindProtocol(leaks="redact"))


def test_name_in_the_bytes_of_a_document_is_a_leak(place):
    content = real.pdf("Because.").replace(b"%%EOF", b"%acme-9\n%%EOF")
    with pytest.raises(LeakError, match="'acme-9' in content of first candidate: output"):
        blind_compare(place("one/a.pdf", content), BAD, TASK, judges.honest, identity=["acme-9"])


def test_recording_depends_on_the_extracted_text_only(place, tmp_path, monkeypatch):
    pair = place("one/a.pdf", real.pdf(GOOD)), place("two/a.pdf", real.pdf(BAD))

    def winner(mode="replay"):
        return blind_compare(*pair, TASK, RecordedJudge(tmp_path / "replies", judges.honest, mode=mode))

    assert winner("record").winner == "x"
    before = documents.extract_pdf
    monkeypatch.setattr(documents, "extract_pdf", lambda content: (before(content)[0], "pypdf 99"))
    assert winner().winner == "x"
    monkeypatch.setattr(documents, "extract_pdf", lambda content: (before(content)[0] + "!", "pypdf 99"))
    with pytest.raises(MissingRecordingError, match="has another text A, text B"):
        winner()


def test_question_without_documents_has_no_text_parts(tmp_path):
    blind_compare(GOOD, BAD, TASK, RecordedJudge(tmp_path, judges.honest, mode="record"))
    questions = [json.loads(path.read_text())["asked"] for path in tmp_path.iterdir()]
    assert not any(name.startswith("text ") for one in questions for name in one)


def test_record_with_unseen_files_is_invalid(place):
    comparison = blind_compare(place("a.png", PICTURE), GOOD, TASK, judges.honest)
    judged = copy.deepcopy(blind_compare(GOOD, BAD, TASK, judges.honest).result.observed)
    judged["comparison"]["unseen_files"] = comparison.result.observed["comparison"]["unseen_files"]
    outcome = BlindPreference().evaluate(None, judged)
    assert outcome.score == 0.0
    assert "invalid" in outcome.notes
    judged["comparison"]["unseen_files"] = ["a.png"]
    assert BlindPreference().evaluate(None, judged).notes == ("not_a_blind_comparison",)


def test_gold_pair_with_unseen_file_has_no_verdict(place):
    place("plot.png", PICTURE)
    gold = {"id": "g", "version": 1, "annotators": "human", "items": []}
    gold["items"] = [
        {"prompt": TASK, "first": {"file": "plot.png"}, "second": BAD, "label": "first"},
        {"prompt": TASK, "first": GOOD, "second": BAD, "label": "first"},
    ]
    calibration = calibrate(read_gold_set(place("gold.yaml", json.dumps(gold))), judges.honest)
    assert (calibration["coverage"]["count"], calibration["coverage"]["of"]) == (1, 2)
    assert [item["status"] for item in calibration["items"]] == ["INVALID", "JUDGED"]


@pytest.mark.parametrize("text", ["runs/17", "runs", "runs/17/", "./runs/17/report.md", "."])
def test_text_that_names_a_path_is_rejected(place, monkeypatch, text):
    folder = place("runs/17/report.md", GOOD).parents[2]
    monkeypatch.chdir(folder)
    for pair in ((text, BAD), (BAD, text)):
        with pytest.raises(ConfigurationError, match="names a path that exists: make it a Path"):
            blind_compare(*pair, TASK, lambda _: pytest.fail("asked"))
    assert blind_compare(text.encode(), GOOD, TASK, judges.honest).winner == "y"


@pytest.mark.parametrize("text", ["", " ", "runs/18", "a\0b", "x" * 5_000, "\ud800", "It is /\nor not."])
def test_any_other_text_is_an_output(monkeypatch, tmp_path, text):
    monkeypatch.chdir(tmp_path)
    comparison = blind_compare(text, GOOD, TASK, judges.honest)
    assert comparison.status == ("INVALID" if text in {"\ud800", "a\0b"} else "JUDGED")


def test_path_is_read(place):
    assert isinstance(place("a.txt", GOOD), Path)
    assert blind_compare(place("a.txt", GOOD), BAD, TASK, judges.honest).winner == "x"
