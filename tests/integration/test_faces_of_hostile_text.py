"""One table: hostile texts in names, values, notes and tags, and every face that shows them."""

from __future__ import annotations

import contextlib
import csv
import html.parser
import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from lxml import etree

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

from pytest_verdict.cli import main
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.page.server import Server
from pytest_verdict.report import urls
from written_page import WrittenPage

import_for_good(
    "core", "operators", "pytest_plugin", "report", "explanation", "summaries", "accepting", "store", "history"
)

pytestmark = pytest.mark.ci

# Each has a mark of its own, H01 and so on, by which a face is searched for it.
TEXTS = [
    "\x1b[31mH@ red\x1b[0m",
    "\x1b]8;;https://evil.example\x07H@ link\x1b]8;;\x07",
    "\x1b]0;H@ title\x07\x1bc\x1b[2J",
    "\x9b31mH@ C1 \x85 \x90 \x9d",
    "H@ \x00 NUL \x08\x08\x08 \x7f",
    "\u202eH@ txt.exe\u202c \u2066 \u2069",
    "H@ zero\u200b\u200d\ufeff\u2060width\u00ad",
    "H@ \u2028 \u2029 \u0085 lines",
    "H@ \ud800 lone \udfff",
    "H@ ]]> <![CDATA[ &amp; &#0;",
    "</script><script>alert('H@')</script>",
    "<!-- H@ <script>",
    "<img src=x onerror=alert('H@')>",
    "javascript:alert('H@')",
    "[H@](javascript:alert(1)) ![H@](https://evil.example/i.png)",
    "https://evil.example/H@ <https://evil.example> www.evil.example",
    "</details></summary></code></pre> H@",
    "`H@` ``` ~~~\n```\n# H@\n",
    "H@ | b | c\n|---|\n| d |",
    "H@\nsecond\r\nthird\rfourth\ttab",
    "=cmd|' /C calc'!H@",
    "+H@",
    "-H@+cmd",
    "@SUM(H@)",
    "\tH@",
    "\rH@",
    "H@ " + "x" * 20_000,
    "%nH@%s%0A::error::%25 {0} {H} $H ${H}",
    "::error::H@",
    "  ::set-output name=x::H@",
    "H@\n::stop-commands::token\n::add-mask::x",
    "##vso[task.setvariable variable=x]H@",
    "##[add-mask]H@ ##teamcity[buildStatus text='x']",
    "__proto__ H@",
    "constructor H@ toString",
    "H@ ../../etc/passwd",
    "{{H@}} {% H@ %} <%= H@ %>",
    "'; DROP TABLE H@; --",
    "H@ \U0001f468\u200d\U0001f469 e\u0301",
]
TEXTS = [text.replace("H@", f"H{number:02}H") for number, text in enumerate(TEXTS)]
SESSION = f"""
import pytest
from pytest_verdict import accepted, assert_matches, compare

TEXTS = {TEXTS!r}

@pytest.mark.parametrize("text", TEXTS, ids=[f"{{text[:300]}}" for text in TEXTS])
def test_text(text, record_property):
    record_property("text", text)
    assert_matches(
        "exact", {{text: [text, 1]}}, {{text: [text, 2]}}, name=text[:400], message=f"H {{text[:300]}}"
    )

@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_accepted(number):
    assert_matches("exact", accepted(), "new " + TEXTS[number], name=TEXTS[number][:300])

@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_label(number):
    assert_matches("one_of", [TEXTS[number][:90]], TEXTS[number][:90] + "!")
"""
INI = "[pytest]\nverdict_html = always\nverdict_report_limit = 100000\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile-faces"), {}


@pytest.fixture
def session(kept, pytester, monkeypatch, capsys):
    """A session with every text in its names, values and messages, and two runs of it in a store: made once."""
    folder, outputs = kept
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "VERDICT_STORE", "CI", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(urls.Path, "home", lambda: folder)
    if not outputs:
        harness = Harness(pytester, monkeypatch)
        words = ("--verify-report", "-p", "no:cacheprovider", "-rA")
        outputs["terminal"] = harness.run({"test_it.py": SESSION, "pytest.ini": INI}, *words, "--tb=no").stdout
        shutil.copytree(harness.path, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.lock"))
        one = harness.path / "test_it.py"
        words = ("-p", "no:cacheprovider", "-vv", "--tb=native", "-k", "test_text")
        outputs["verbose terminal"] = harness.run({"test_it.py": one.read_text(), "pytest.ini": INI}, *words).stdout
        tags = [f"tag{number}={text[:200]}" for number, text in enumerate(TEXTS) if "\0" not in text and number != 8]
        words = [word for tag in tags for word in ("--tag", tag)]
        assert main(["push", str(folder / "verify-report"), "--store", str(folder / "store"), *words]) == 0
        capsys.readouterr()
    monkeypatch.chdir(folder)
    return folder, outputs


def printed(capsys, *words, status=None, keys=""):
    capsys.readouterr()
    code = main([str(word) for word in words])
    assert status is None or code == status, words
    out, err = capsys.readouterr()
    return out + err


def review(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"s\n" * 300)))
    return printed(capsys, "accept", "verify-report", "--review")


def errors(capsys):
    """Return what every command says of arguments that are hostile."""
    lines = []
    for number, command in enumerate(sorted(FAMILIES.own("commands"))):
        for text in TEXTS[number % 13 :: 13]:
            word = text[:200].lstrip("-")
            try:
                code = main([command, word])
            except SystemExit as error:
                code = error.code
            out, err = capsys.readouterr()
            assert code in {0, 1, 2}, (command, text)
            # The usage of a command is of argparse.
            lines += [line for line in (out + err).splitlines(keepends=True) if "H" in line or "::" in line]
    return "".join(lines)


def diff_page(capsys, folder):
    with (folder / "new.jsonl").open("w") as file:
        for line in (folder / "verify-report" / "records.jsonl").read_text("ascii").splitlines():
            record = json.loads(line)
            if record["operator"] == "exact" and not record.get("error"):
                record |= {"observed": record["expected"], "score": 1.0, "verdict": "pass"}
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    printed(capsys, "diff", "verify-report", "new.jsonl", "--format", "html", "-o", "diff.html")
    return (folder / "diff.html").read_text("utf-8")


def served(name, argument):
    def face(folder, _capsys, _monkeypatch):
        with Server(folder / "verify-report", "\x1b[31m</script>", 0) as server:
            return server.answer(name, argument)[1].decode("ascii")

    return face


def command(*words):
    return lambda folder, capsys, monkeypatch: printed(capsys, *words)


def written(name, *words):
    def face(folder, capsys, monkeypatch):
        printed(capsys, *words, status=0)
        return (folder / name).read_text("utf-8")

    return face


def github(folder, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    (folder / "step.md").write_text("")
    return printed(capsys, "summary", "verify-report", "--format", "github")


LOGS = {
    "explain": command("explain", "verify-report", "--failed", "-v"),
    "history": command("history", "--store", "store"),
    "runs": command("runs", "--store", "store"),
    "replay": command("replay", "verify-report"),
    "diff": lambda folder, capsys, _monkeypatch: (
        diff_page(capsys, folder) and printed(capsys, "diff", "verify-report", "new.jsonl")
    ),
    "accept": command("accept", "verify-report"),
    "accept --review": lambda _folder, capsys, monkeypatch: review(capsys, monkeypatch),
    "errors of commands": lambda _folder, capsys, _monkeypatch: errors(capsys),
}
MARKDOWN = {
    "summary markdown": command("summary", "verify-report", "--format", "markdown"),
    "diff markdown": lambda folder, capsys, _monkeypatch: (
        diff_page(capsys, folder) and printed(capsys, "diff", "verify-report", "new.jsonl", "--format", "markdown")
    ),
    "table": command("table", "verify-report", "--by", "test,name"),
    "numbers": command("numbers", "verify-report"),
}
DOCUMENTS = {
    "ctrf": command("summary", "verify-report", "--format", "ctrf"),
    "gitlab": command("summary", "verify-report", "--format", "gitlab-codequality"),
    "history json": command("history", "--store", "store", "--format", "json"),
    "diff json": lambda folder, capsys, _monkeypatch: (
        diff_page(capsys, folder) and printed(capsys, "diff", "verify-report", "new.jsonl", "--format", "json")
    ),
    "replay json": command("replay", "verify-report", "--json"),
    "served row": served("row", "0"),
}
PAGES = {
    "page": lambda folder, _capsys, _monkeypatch: (folder / "verify-report" / "report.html").read_text("utf-8"),
    "served page": served("", ""),
    "diff page": lambda folder, capsys, _monkeypatch: diff_page(capsys, folder),
    "trends site": written("site/index.html", "trends", "--store", "store", "-o", "site"),
}
# Characters that move, hide or reorder what is around them; a joiner inside of an emoji is shown as an escape, too.
HARM = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
AT_START = re.compile(r"^\s*::(?!error (file|line|title)=)", re.MULTILINE)
ANYWHERE = re.compile(r"##\w*\[")


@pytest.fixture
def face(session, capsys, monkeypatch):
    folder, outputs = session

    def show(name, faces):
        if name not in outputs:
            outputs[name] = faces[name](folder, capsys, monkeypatch)
        return outputs[name]

    return show


def marks(text):
    return {int(number) for number in re.findall(r"H(\d\d)H", text)}


def check_log(text):
    assert not HARM.findall(text)
    assert not AT_START.findall(text)
    assert not ANYWHERE.findall(text)


@pytest.mark.parametrize("name", LOGS)
def test_no_text_is_a_command_of_a_terminal_or_a_runner(face, name):
    text = face(name, LOGS)
    check_log(text)
    if name in {"explain", "accept --review"}:
        assert len(marks(text)) == len(TEXTS)


def test_our_lines_of_a_session_hold_no_command(session):
    _, outputs = session
    _, _, rest = outputs["terminal"].partition("= verification =")
    section, _, summary = rest.partition("= short test summary info =")
    check_log(section)
    # The names before the dash are of pytest.
    messages = [line.partition(" - ")[2] for line in summary.splitlines()]
    check_log("\n".join(messages))
    # A line of 100 columns cuts a few texts before their mark.
    assert len(marks("".join(messages))) > 30
    blocks = [line for line in outputs["verbose terminal"].splitlines() if line.startswith("E ")]
    assert not HARM.findall("\n".join(blocks))
    assert not ANYWHERE.findall("\n".join(blocks))


def test_github_annotations_are_ours_alone(session, capsys, monkeypatch):
    text = github(session[0], capsys, monkeypatch)
    assert all(line.startswith("::error ") for line in text.splitlines())
    assert len(text.splitlines()) == 10
    assert not HARM.findall(text)
    check_markdown((session[0] / "step.md").read_text("utf-8"))


def check_markdown(text):
    assert not HARM.findall(text)
    assert not AT_START.findall(text)
    assert not ANYWHERE.findall(text)
    outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    # The lines of a block of HTML are no Markdown.
    outside = re.sub(r"^<summary>.*</summary>$", "", outside, flags=re.MULTILINE)
    outside = re.sub(r"(?<!`)(`+)(?!`) .*? (?<!`)\1(?!`)", "", outside)
    assert not re.findall(r"<(?!/?(?:details|summary|code|br)\b)[a-z!/]", outside, re.IGNORECASE)
    assert not re.findall(r"(?<!\\)\]\(", outside)
    for table in re.findall(r"(?:^\|.*\|\n)+", outside, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


@pytest.mark.parametrize("name", MARKDOWN)
def test_no_text_is_markdown(face, name):
    text = face(name, MARKDOWN)
    check_markdown(text)
    assert len(marks(text)) >= 5


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_is_json_without_a_command(face, name):
    text = face(name, DOCUMENTS)
    assert json.loads(text)
    assert not HARM.findall(text)
    assert not AT_START.findall(text)
    if name != "served row":
        assert not ANYWHERE.findall(text)


class Elements(html.parser.HTMLParser):
    """Counts elements, and collects texts outside of scripts and styles."""

    def __init__(self):
        super().__init__()
        self.names = []
        self.attributes = []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += attrs


@pytest.mark.parametrize("name", PAGES)
def test_no_text_is_html(face, name):
    text = face(name, PAGES)
    assert text.isascii()
    # All that is from a record is compressed, and in base64, where anything may look like a mark.
    assert marks(re.sub(r'<script type="text/plain"[^<]*</script>', "", text)) == set()
    elements = Elements()
    elements.feed(text)
    assert not [value for key, value in elements.attributes if key.startswith("on") or "javascript:" in str(value)]
    assert set(elements.names).isdisjoint({"img", "iframe", "object", "base", "form"} - {"form"})


def test_page_has_every_text(session):
    folder, _ = session
    page = WrittenPage(folder / "verify-report" / "report.html")
    assert len(marks(json.dumps(page.bodies))) == len(TEXTS)


def test_junit_is_xml_with_every_text(session):
    tree = etree.parse(session[0] / "verify-report" / "junit.xml")
    text = "".join([*tree.getroot().itertext(), *(value for one in tree.iter() for value in one.attrib.values())])
    assert not re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", text)
    assert len(marks(text)) == len(TEXTS)


@pytest.mark.parametrize("words", [("table", "verify-report"), ("table", "verify-report", "--by", "name,test")])
def test_no_cell_of_csv_is_a_formula(session, capsys, words):
    folder, _ = session
    printed(capsys, *words, "-o", "t.csv", status=0)
    rows = [*csv.reader(io.StringIO((folder / "t.csv").read_bytes().decode("utf-8"), newline=""))]
    assert {len(row) for row in rows} == {len(rows[0])}
    cells = [cell for row in rows for cell in row]
    assert len(marks("".join(cells))) == len(TEXTS)
    for cell in cells:
        with contextlib.suppress(ValueError):
            float(cell)
            continue
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
