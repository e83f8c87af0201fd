"""Pictures are shown to judges that see them, and to no others."""

from __future__ import annotations

import json
import struct
import zlib

import blind_judges as judges
import pytest

from pytest_verdict import ComparisonResult
from pytest_verdict.blind import blind_compare
from pytest_verdict.blind.preference import BlindPreference
from pytest_verdict.core.kernel import run
from pytest_verdict.judging import RecordedJudge

TASK = "Draw a large square."


def png(size):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * size) * size)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def larger(request):
    widths = {name[7]: struct.unpack(">I", content[16:20])[0] for name, _, content in request.images}
    return judges.reply(request, {label: 5 if width == max(widths.values()) else 2 for label, width in widths.items()})


class SeesImages:
    judge_id = "larger"
    sees_images = True

    def __init__(self):
        self.names = []

    def __call__(self, request):
        self.names.append([name for name, _, _ in request.images])
        assert self.names[-1] == [f"Output {label}, square.png" for label in request.shown]
        return larger(request)


@pytest.fixture
def pair(tmp_path):
    for name, size in (("one", 8), ("two", 16)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "square.png").write_bytes(png(size))
        (folder / "about.txt").write_text("A square.")
    return tmp_path / "one", tmp_path / "two"


def test_pictures_are_in_the_order_of_the_prompt(pair):
    judge = SeesImages()
    comparison = blind_compare(*pair, TASK, judge)
    assert (comparison.status, comparison.winner) == ("JUDGED", "y")
    assert len(judge.names) == 2
    assert comparison.result.observed["comparison"]["sees_images"] is True
    text = comparison.result.to_text()
    read = ComparisonResult.from_record(json.loads(text))
    assert run(BlindPreference(**read.settings), read.expected, read.observed).to_text() == text


def test_judge_without_sight_gets_no_pictures(pair):
    comparison = blind_compare(*pair, TASK, larger)
    assert comparison.status == "INVALID"
    assert "square.png" in comparison.result.error


def test_other_binary_files_stay_unseen(pair):
    for folder in pair:
        (folder / "sound.bin").write_bytes(b"\0\1\2")
    comparison = blind_compare(*pair, TASK, SeesImages())
    assert comparison.status == "INVALID"
    assert "sound.bin" in comparison.result.error
    assert "square.png" not in comparison.result.error


def test_another_picture_needs_another_recording(pair, tmp_path):
    judge = SeesImages()
    recording = RecordedJudge(tmp_path / "replies", judge, mode="record")
    for _ in range(2):
        assert blind_compare(*pair, TASK, recording, key="k").winner == "y"
    assert len(judge.names) == 2
    (pair[0] / "square.png").write_bytes(png(32))
    assert blind_compare(*pair, TASK, recording, key="k").winner == "x"
    assert len(judge.names) == 4


def test_model_judge_sends_pictures(pair):
    pytest.importorskip("pydantic_ai", reason="the extra 'judge' is not installed")
    from pydantic_ai import BinaryContent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from pytest_verdict.judging import ModelJudge

    sent = []

    def answer(messages, _):
        content = messages[-1].parts[-1].content
        sent.append(content)
        pictures = dict(zip(content[1::2], content[2::2], strict=True))
        sizes = {label: len(pictures[f"Output {label}, square.png:"].data) for label in "AB"}
        schema = json.loads(content[0].rpartition("Form of the answer:\n")[2])
        parts = schema["properties"]["rubric"]["properties"]["A"]["properties"]
        scores = {label: 5 if size == max(sizes.values()) else 2 for label, size in sizes.items()}
        sides = {
            label: {
                part: {name: {"evidence": "-", "score": score} for name in names["properties"]}
                for part, names in parts.items()
            }
            for label, score in scores.items()
        }
        return ModelResponse(parts=[TextPart(json.dumps({"rubric": sides}))])

    comparison = blind_compare(*pair, TASK, ModelJudge(FunctionModel(answer), images=True))
    assert (comparison.status, comparison.winner) == ("JUDGED", "y")
    assert all(isinstance(part, BinaryContent) and part.media_type == "image/png" for part in sent[0][2::2])
    assert blind_compare(*pair, TASK, ModelJudge(FunctionModel(answer))).status == "INVALID"
