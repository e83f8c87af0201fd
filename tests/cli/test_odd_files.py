"""Whatever a command is pointed at, it says so in one line; outputs that are no plain files stay what they are."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

from pytest_verdict.cli import main
from pytest_verdict.report import urls
from tools.fuzz.command_targets import FILES, seeds

PARTS = dict(zip(FILES, seeds("shards")[0].split("\0"), strict=True))
RECORDS = PARTS["records.jsonl"].encode()
ODD = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf" + RECORDS,
    "utf-16": RECORDS.decode().encode("utf-16"),
    "windows": RECORDS.replace(b"\n", b"\r\n"),
    "zeros": b"\0" * 1_000,
    "every byte": bytes(range(256)) * 4,
    "list": b"[1, 2]\n",
    "null": b"null\n",
    "number": b"9" * 6_000,
    "deep": b"[" * 100_000,
    "half": b'{"a":"\\ud800',
    "surrogate": b'{"a":"\\ud800"}\n',
    "gzip, cut": gzip.compress(RECORDS)[:-9],
    "gzip of zeros": gzip.compress(b"\0" * 30_000_000),
    "zip, cut": seeds("bundles")[0].encode("latin-1")[:900],
    "yaml": b"a: 1\n",
    "yaml bomb": b"a: &a [x, x]\n" + b"".join(b"b%d: &b%d [*%s, *%s]\n" % (n, n, p, p) for n, p in
                                              enumerate([b"a", *(b"b%d" % n for n in range(30))])),
    "line of megabytes": b'{"a":"' + b"x" * 2_000_000 + b'"}\n',
}  # fmt: skip
PLACES = {
    "folder": "folder",
    "link to itself": "loop",
    "link to nothing": "dangling",
    "missing": "missing",
    "below a file": "null/below",
    "long name": "x" * 300,
    "long path": "a/" * 3_000,
    "nothing": "",
    "device": "/dev/null",
    "address": "store:main",
    "no such system": "nosuch://host/x",
}
COMMANDS = """
lint ODD
audit ODD
score ODD --operator exact --expected a --observed b -o out
score rows.jsonl --operator exact --mapping ODD -o out
import promptfoo ODD -o new.yaml
import karenina ODD -o new.py
import agenticassure ODD -o new.yaml
import pydantic-evals ODD -o new.yaml
check ODD
blind ODD ODD --judge no.such:judge --prompt ODD
calibrate ODD --judge no.such:judge
unblind ODD
summary ODD
view ODD --no-open
coverage ODD
diff ODD ODD
diff report ODD
merge ODD -o out
merge report -o ODD --allow-missing
numbers ODD
table ODD --by test
push ODD --store runs
push report --store ODD
bless ODD --as main --because x --store runs
runs --store ODD
history --store ODD
trends --store ODD -o out
accept ODD
accept report --root ODD
accept report --data ODD
report ODD
report report --to ODD
replay ODD
bundle ODD -o out.zip
bundle report -o ODD
verify-bundle ODD
verify-bundle bundle.zip --attestation ODD
explain ODD --failed
explain ODD --id x
""".strip().splitlines()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a report, rows, a bundle and links."""
    for name, text in PARTS.items():
        (tmp_path / "report").mkdir(exist_ok=True)
        (tmp_path / "report" / name).write_text(text, "utf-8")
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "b": 1}\n')
    (tmp_path / "bundle.zip").write_bytes(seeds("bundles")[0].encode("latin-1"))
    (tmp_path / "null").write_bytes(b"null")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VERDICT_STORE", raising=False)
    monkeypatch.setattr(urls.Path, "home", lambda: tmp_path / "home")
    return tmp_path


def check_one_line(command, line, word):
    words = [word if part == "ODD" else part for part in line.split()]
    try:
        status, out, err = command(*words)
    except SystemExit as error:
        status, out, err = error.code, "", ""
    assert status in {0, 1, 2}, words
    assert " raised " not in err, (words, err)
    assert "Traceback" not in out + err, words
    if status == 2 and "usage:" not in err:
        assert len(err.splitlines()) <= 1 or "skipped:" in err, (words, err)
        assert err or out, words


FEW = {"utf-16", "link to itself"}


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FEW else pytest.mark.ci) for name in ODD])
def test_odd_file_is_one_line(command, place, name, line):
    (place / "odd").write_bytes(ODD[name])
    check_one_line(command, line, "odd")


@pytest.mark.parametrize("line", [line for line in COMMANDS if "-o ODD" not in line])
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FEW else pytest.mark.ci) for name in PLACES])
def test_odd_place_is_one_line(command, place, name, line):
    check_one_line(command, line, PLACES[name])


WRITING = {
    "diff": "diff report report --format html -o OUT",
    "summary": "summary report -o OUT",
    "bundle": "bundle good -o OUT",
    "table": "table report --by test -o OUT",
}


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_output_that_is_a_device_or_a_link_stays_one(command, place, name):
    from test_conformance import SESSION

    (place / "good").symlink_to(SESSION)
    (place / "target.md").write_text("before")
    (place / "link.md").symlink_to("target.md")
    os.mkfifo(place / "pipe.md")
    descriptor = os.open(place / "pipe.md", os.O_RDWR | os.O_NONBLOCK)
    try:
        # A file in its place would have the name, and a bundle needs to seek.
        for out in ("link.md", *(["pipe.md"] if name != "bundle" else [])):
            words = [word.replace("OUT", out) for word in WRITING[name].split()]
            if name == "diff":
                # A pipe holds less than a page.
                continue
            assert command(*words)[0] == 0
    finally:
        os.close(descriptor)
    if name == "diff":
        assert command(*(word.replace("OUT", "link.md") for word in WRITING[name].split()))[0] == 0
    assert (place / "link.md").is_symlink()
    assert (place / "pipe.md").is_fifo()
    assert (place / "target.md").read_bytes() != b"before"


@pytest.mark.parametrize("name", WRITING)
def test_output_is_whole_or_not_there(command, place, name, monkeypatch):
    (place / "report" / "records.jsonl").write_text(PARTS["records.jsonl"] + "no record\n")
    (place / "out.md").write_text("before")
    status, _, err = command(
        *(word.replace("OUT", "out.md").replace("good", "report") for word in WRITING[name].split())
    )
    assert status in {1, 2}, err
    assert (place / "out.md").read_text() == "before"
    assert not [*place.glob("*.new")]


RUN = [sys.executable, "-m", "pytest_verdict"]


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="the shell is another one")
@pytest.mark.parametrize(
    ("shell", "status"),
    [
        ('"$@" | head -1', {0}),
        ('"$@" >&-', {0}),
        ('"$@" 2>&-', {0}),
        ('"$@" >&- 2>&-', {0}),
        ('"$@" <&-', {0}),
        ('"$@" > /dev/full', {2}),
        ('env -u HOME -u USER -u LOGNAME -u PATH "$@"', {0}),
        ('env -i PYTHONPATH=$PYTHONPATH "$@"', {0}),
        ('mkdir gone && cd gone && rmdir ../gone && "$@"', {0}),
    ],
)
def test_odd_surroundings_change_no_exit_code(place, shell, status):
    report = str(place / "report")
    for words in (["explain", report, "--failed"], ["table", report, "--by", "test"], ["operators"]):
        ended = subprocess.run(
            ["sh", "-c", shell, "sh", *RUN, *words], cwd=place, capture_output=True, text=True, check=False, timeout=60
        )
        assert ended.returncode in status, (words, ended.stderr)
        assert "Traceback" not in ended.stderr
        assert "Exception ignored" not in ended.stderr


def test_absent_current_folder_is_no_traceback(place, capsys):
    (place / "gone").mkdir()
    os.chdir(place / "gone")
    (place / "gone").rmdir()
    try:
        for line in COMMANDS:
            check_one_line(lambda *words: (main([*words]), *capsys.readouterr()), line, "missing")
    finally:
        os.chdir(place)
