"""Whatever a file holds and whatever a command raises, a user sees one line and exit code 2."""

from __future__ import annotations

import copy
import io
import json
import zipfile

import pytest

from pytest_verdict import read_records
from pytest_verdict.cli import run_command
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.errors import VerdictError
from pytest_verdict.page.folder import about_folder
from pytest_verdict.report.reading import read_report
from pytest_verdict.runs.merge import merge, read_shard
from pytest_verdict.runs.numbers import count_numbers, read_answers
from pytest_verdict.runs.tables import count_groups
from tools.fuzz.command_targets import FILES
from tools.fuzz.targets import seeds

RAISING = """
import zlib

def deep():
    return deep()

ERRORS = {
    "value": ValueError("bad"), "key": KeyError("bad"), "damage": zlib.error("bad"), "memory": MemoryError("bad"),
    "stop": StopIteration("bad"), "lines": ValueError("bad\\n\\x1b[31mbad"), "assertion": AssertionError("bad"),
}

def add_arguments(parser):
    parser.add_argument("kind")

def run(arguments):
    if arguments.kind == "deep":
        deep()
    raise ERRORS[arguments.kind]
"""


@pytest.fixture
def _raising_command(tmp_path, monkeypatch):
    (tmp_path / "raising_family.py").write_text(
        "from pytest_verdict import Command, hookimpl\n"
        "@hookimpl\n"
        "def commands(): return {'raise': Command('raise', 'raising_command')}\n"
    )
    (tmp_path / "raising_command.py").write_text(RAISING)
    monkeypatch.syspath_prepend(str(tmp_path))
    FAMILIES.register(__import__("raising_family"))


@pytest.mark.usefixtures("_raising_command")
@pytest.mark.parametrize("kind", ["value", "key", "damage", "stop", "lines", "assertion", "deep"])
def test_unexpected_exception_is_one_line_and_the_traceback_on_request(command, kind):
    status, out, err = command("raise", kind)
    assert (status, out) == (2, "")
    assert err.startswith(f"pytest-verdict: 'raise {kind}' raised ")
    assert "in raising_command.py:" in err
    assert err.endswith("--debug shows the traceback.\n")
    assert err.count("\n") == 1
    assert "\x1b" not in err
    for words in (["--debug", "raise", kind], ["raise", kind, "--debug"]):
        status, _, err = command(*words)
        assert status == 2
        assert "Traceback (most recent call last):" in err
        assert "raising_command.py" in err


@pytest.mark.usefixtures("_raising_command")
def test_exhausted_memory_is_one_line(command):
    message = "pytest-verdict: 'raise memory' needs more memory than there is; a file of the command may be too large\n"
    assert command("raise", "memory") == (2, "", message)


def test_expected_error_has_its_traceback_on_request_too(command):
    assert "Traceback" not in command("replay", "missing")[2]
    assert "Traceback" in command("replay", "missing", "--debug")[2]


@pytest.mark.parametrize("name", ["replay", "explain", "report", "verify-bundle", "operators"])
@pytest.mark.parametrize("word", ["a\0b", "\ud800", "x\udfff\0"], ids=ascii)
def test_no_argument_of_a_system(command, name, word):
    status, out, err = command(name, word)
    assert (status, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize("word", ["gr\u00fc\u00dfe", "\U0001f600", "undecodable\udcff"], ids=ascii)
def test_any_name_of_a_file_is_an_argument(command, word):
    status, _, err = command("replay", word)
    assert status == 2
    assert "there is no such file" in err


BUNDLE = seeds("bundles")[0].encode("latin-1")


def rewritten(change):
    """Write the bundle again with another content of its parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(BUNDLE)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in change({name: old.read(name) for name in old.namelist()}):
            new.writestr(name, content)
    return target.getvalue()


def contents(bundle):
    try:
        with zipfile.ZipFile(io.BytesIO(bundle)) as file:
            return {name: file.read(name) for name in file.namelist()}
    except Exception:
        return None


def flipped(place):
    return BUNDLE[:place] + bytes([BUNDLE[place] ^ 0xFF]) + BUNDLE[place + 1 :]


DATA = BUNDLE.index(b"PK\x01\x02")
BUNDLES = {
    "empty": b"",
    "no zip": b"PK",
    "cut": BUNDLE[: len(BUNDLE) // 2],
    "without its start": BUNDLE[100:],
    "encrypted": BUNDLE[: DATA + 8] + b"\x01" + BUNDLE[DATA + 9 :],
    "unknown method": BUNDLE[: DATA + 10] + b"\x63\x00" + BUNDLE[DATA + 12 :],
    "bzip2": BUNDLE[: DATA + 10] + b"\x0c\x00" + BUNDLE[DATA + 12 :],
    "newer version": BUNDLE[: DATA + 6] + b"\xff\x00" + BUNDLE[DATA + 8 :],
    "another part": rewritten(lambda parts: [*parts.items(), ("evil.txt", b"x")]),
    "path out of it": rewritten(lambda parts: [(f"../{name}", content) for name, content in parts.items()]),
    "a part less": rewritten(lambda parts: [*parts.items()][1:]),
    "no records": rewritten(lambda parts: [(name, b"") for name in parts]),
    "null": rewritten(lambda parts: [(name, b"null\n") for name in parts]),
    "lists": rewritten(lambda parts: [(name, b"[]\n") for name in parts]),
    "numbers": rewritten(lambda parts: [(name, b"9" * 5_000) for name in parts]),
    "deep": rewritten(lambda parts: [(name, b"[" * 90_000) for name in parts]),
    "bytes": rewritten(lambda parts: [(name, bytes(range(256))) for name in parts]),
    **{f"flipped at {place}": flipped(place) for place in range(0, len(BUNDLE), 97)},
}


@pytest.mark.parametrize("name", BUNDLES)
def test_damaged_bundle_is_never_verified(command, tmp_path, name):
    path = tmp_path / "evidence.zip"
    path.write_bytes(BUNDLES[name])
    try:
        status = run_command(["verify-bundle", str(path)])
    except VerdictError as error:
        message, status = str(error), 2
        assert str(path) in message or "report.json" in message
    # A time or an attribute of a part is no content.
    assert (status == 0) is (contents(BUNDLES[name]) == contents(BUNDLE))
    assert command("replay", path)[0] in {0, 1, 2}


def test_whole_bundle_is_verified(command, tmp_path):
    path = tmp_path / "evidence.zip"
    path.write_bytes(BUNDLE)
    assert command("verify-bundle", path)[0] == 0


ODD = (None, [], {}, 1.5, -1, 10**30, "x", "\ud800", True, [[]], {"$type": "x"}, ["a", None])


def altered(document):
    """Yield copies of a document in which one member has another value."""

    def places(value, path):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value[:2]):
            yield (*path, key)
            if isinstance(inner, dict | list):
                yield from places(inner, (*path, key))

    for number, path in enumerate(places(document, ())):
        # Each member meets a few of the values, and each value many members.
        for value in (ODD[number % len(ODD)], ODD[(number * 5 + 3) % len(ODD)]):
            other = copy.deepcopy(document)
            holder = other
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = value
            yield path, value, other


PARTS = dict(zip(FILES, seeds("shards")[0].split("\0"), strict=True))
RECORDS = [json.loads(line) for line in PARTS["records.jsonl"].splitlines()]


@pytest.fixture
def shard(tmp_path):
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.ci
def test_report_with_another_member_is_read_or_refused(shard):
    document = json.loads(PARTS["report.json"])
    refused = 0
    for path, value, other in altered(document):
        (shard / "report.json").write_text(json.dumps(other))
        try:
            report = read_report(shard)
        except VerdictError as error:
            refused += "report.json: this is not the report of pytest-verdict" in str(error)
            continue
        about_folder(shard, "title")
        assert len([*report.gate_lines()]) == len(report.gates), (path, value)
        assert report.milliseconds() is not None
    assert refused > 100


def test_shard_with_another_member_is_merged_or_refused(shard, tmp_path):
    lines = [json.loads(line) for line in PARTS["shard.jsonl"].splitlines()]
    refused = 0
    for path, _, other in altered(lines):
        if path == (0, "journal"):
            continue
        (shard / "shard.jsonl").write_text("".join(json.dumps(line) + "\n" for line in other))
        try:
            read_shard(shard)
        except VerdictError:
            refused += 1
    assert refused > 10
    (shard / "shard.jsonl").write_text(PARTS["shard.jsonl"])
    assert merge([read_shard(shard)], tmp_path / "merged", allow_missing=True).summary.tests


def test_record_with_another_member_is_counted_or_refused(tmp_path):
    path = tmp_path / "records.jsonl"
    refused, messages = 0, set()
    for _, _, other in altered(RECORDS[0]):
        path.write_text(json.dumps(other) + "\n")
        try:
            count_groups(list(read_records(path)), ["test", "name", "note", "group"])
            count_numbers(read_answers(str(path)))
        except VerdictError as error:
            refused += 1
            messages.add(str(error).partition("records.jsonl: ")[2][:12])
    assert refused > 20
    assert messages == {"line 1 is no"}
