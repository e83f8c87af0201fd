"""`score --layout parts`: every command reads it as it reads one file, and whatever is altered is named."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from test_score import killed_at

from pytest_verdict import read_records
from pytest_verdict.cli import main
from pytest_verdict.datasets import score as score_module
from pytest_verdict.errors import VerdictError
from pytest_verdict.report.manifest import Part, build_manifest, read_manifest
from pytest_verdict.suites import score_dataset

ROWS = [{"id": f"q{n}", "want": f"v{n}", "got": f"v{n}" if n % 7 else f"w{n}"} for n in range(60)]
COMMAND = ["score", "rows.jsonl", "--operator", "exact", "--expected", "want", "--observed", "got", "--ids", "id"]
COMMAND += ["-j", "1", "--unit-rows", "13", "--pass-rate", "0.8"]
JUNIT_TIMES = re.compile(r' (time|timestamp)="[^"]*"')


def score(*options):
    return main([*COMMAND, *options])


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The same data set as one file and in parts."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert score("-o", "file") == 0
        assert score("-o", "parts", "--layout", "parts") == 0
    return folder


@pytest.fixture
def folder(reports, tmp_path, monkeypatch):
    """Copies of both reports in the current folder."""
    shutil.copytree(reports, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def manifest_in(folder):
    return json.loads((folder / "parts/manifest.json").read_text())


def part(folder, number):
    return folder / "parts" / manifest_in(folder)["parts"][number]["file"]


def records_of(folder):
    return b"".join(gzip.decompress(part(folder, number).read_bytes()) for number in range(6))


def test_the_records_and_the_root_are_those_of_one_file(folder):
    assert records_of(folder) == (folder / "file/records.jsonl").read_bytes()
    one, parts = (json.loads((folder / layout / "report.json").read_text()) for layout in ("file", "parts"))
    manifest = manifest_in(folder)
    assert one["records"]["root"] == parts["records"]["root"] == manifest["root"] == one["tests"][0]["root"]
    digest = hashlib.sha256((folder / "parts/manifest.json").read_bytes()).hexdigest()
    assert parts["records"] == {"path": "manifest.json", "count": 61, "sha256": digest, "root": manifest["root"]}
    for report in (one, parts):
        for member in ("records", "comparisons", "comparisons_omitted", "run"):
            del report[member]
    assert one == parts
    assert sorted(path.name for path in (folder / "parts").iterdir()) == [
        ".gitignore", "junit.xml", "manifest.json", "parts", "report.json",
    ]  # fmt: skip


def test_the_manifest_says_what_was_compared_and_how(folder):
    manifest = manifest_in(folder)
    digest = hashlib.sha256((folder / "rows.jsonl").read_bytes()).hexdigest()
    assert manifest["input"] == {"name": "rows.jsonl", "sha256": digest}
    settings = {"normalize": [], "case_sensitive": True, "nan_equal": False}
    assert manifest["check"] == {"operator": "exact", "operator_version": 1, "settings": settings, "threshold": 1.0}
    assert manifest["counts"] == {"exact": [51, 9, 0], "pass_rate": [1, 0, 0]}
    assert (manifest["gate"]["verdict"], manifest["gate"]["expected"]) == ("pass", 0.8)
    assert [entry["records"] for entry in manifest["parts"]] == [13, 13, 13, 13, 8, 1]
    assert len((folder / "parts/manifest.json").read_text().splitlines()) == 8


# Each command, with the layout in place of {}.
FACES = {
    "replay": ["replay", "{}"],
    "replay as JSON": ["replay", "{}", "--json"],
    "table by operator": ["table", "{}", "--by", "operator"],
    "table by name": ["table", "{}", "--by", "name"],
    "summary": ["summary", "{}"],
    "github": ["summary", "{}", "--format", "github"],
    "gitlab": ["summary", "{}", "--format", "gitlab-codequality"],
    "explain failed": ["explain", "{}", "--failed"],
    "explain operator": ["explain", "{}", "--operator", "pass_rate"],
    "explain test": ["explain", "{}", "--test", "rows.jsonl"],
    "explain no test": ["explain", "{}", "--test", "nothing"],
    "explain without": ["explain", "{}"],
    "diff old": ["diff", "{}", "other"],
    "diff new": ["diff", "other", "{}"],
    "diff JSON": ["diff", "{}", "other", "--format", "json", "--statistics"],
    "diff Markdown": ["diff", "other", "{}", "--format", "markdown"],
    "merge": ["merge", "{}", "-o", "merged"],
    "report": ["report", "{}"],
}
IDS = [f"10072d82ff90-1-{ordinal}" for ordinal in (1, 13, 14, 40, 52, 53, 60, 61)]
FACES |= {f"explain {identifier}": ["explain", "{}", "--id", identifier] for identifier in IDS}
WRONG_IDS = (
    "10072d82ff90-1-0",
    "10072d82ff90-1-62",
    "10072d82ff90-2-7",
    "000000000000-1-7",
    "x",
    "",
    "1-٣",
    "-" + "9" * 30,
)


@pytest.fixture(scope="module")
def other(reports):
    """A later run of other answers."""
    rows = [{**row, "got": row["want"] if number % 5 else "x"} for number, row in enumerate(ROWS)]
    (reports / "later").mkdir()
    (reports / "later/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(reports / "later")
        score("-o", "../other")
        score("-o", "../partsother", "--layout", "parts")


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("face", FACES)
def test_each_command_reads_parts_as_one_file(reports, monkeypatch, capsys, face):
    monkeypatch.chdir(reports)
    outputs = []
    for layout in ("file", "parts"):
        status = main([word.format(layout) for word in FACES[face]])
        out, err = capsys.readouterr()
        text = re.sub(rf"\b{layout}\b/?", "DIR/", f"{out}\n{err}").replace("DIR/manifest.json", "DIR/records.jsonl")
        # Both reports have times of their own.
        outputs.append((status, re.sub(r'"(start|stop|duration|id|timestamp)": ?[^,}\n]+', "", text)))
    assert outputs[0] == outputs[1]


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize(
    ("form", "places", "size"),
    [
        ("terminal", ("file", "other"), 9000),
        ("json", ("file", "other"), 1 << 24),
        ("json", ("other", "file"), 9000),
        ("markdown", ("other", "file"), 1 << 24),
        ("terminal", ("file", "file"), 9000),
        ("json", ("file", "file"), 1 << 24),
        ("html", ("file", "other"), 1 << 24),
    ],
    ids=str,
)
def test_a_diff_in_partitions_is_that_in_memory(reports, monkeypatch, capsys, places, form, size):
    from pytest_verdict.runs import partitions

    monkeypatch.chdir(reports)
    monkeypatch.setattr(partitions, "_PARTITION_BYTES", size)
    outputs = []
    in_parts = {"file": "parts", "other": "partsother"}
    for one, large in ((places, 1 << 26), ([in_parts[name] for name in places], 1 << 26), (places, 0)):
        monkeypatch.setattr(partitions, "_LARGE", large)
        status = main(["diff", *one, "--format", form, "--statistics", "-o", "diff.html"])
        out = capsys.readouterr().out
        for name, other in reversed(in_parts.items()):
            out = re.sub(rf"\b({other}|{name})\b", name, out)
        outputs.append((status, out))
    assert outputs[0] == outputs[1] == outputs[2]


def test_rows_with_other_ids_are_paired_as_in_memory(folder, monkeypatch, capsys):
    """Names that only one run has are paired by what was expected, whatever partition they were in."""
    from pytest_verdict.runs import partitions

    monkeypatch.setattr(partitions, "_PARTITION_BYTES", 9000)
    rows = [
        {**row, "id": row["id"] if number % 3 else f"new{number}"} for number, row in enumerate(ROWS[5:] + ROWS[:2])
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert score("-o", "later") == score("-o", "partslater", "--layout", "parts")
    outputs = []
    for one in (("file", "later"), ("parts", "partslater")):
        capsys.readouterr()
        status = main(["diff", *one, "--format", "json", "--statistics"])
        document = json.loads(capsys.readouterr().out)
        outputs.append((status, {name: value for name, value in document.items() if name not in {"old", "new"}}))
    assert outputs[0] == outputs[1]
    assert outputs[0][1]["pairs"] > 50


def test_runs_in_parts_with_nothing_in_common(folder, capsys):
    shutil.copy("rows.jsonl", "others.jsonl")
    assert main(["score", "others.jsonl", *COMMAND[2:], "-o", "others", "--layout", "parts"]) == 0
    capsys.readouterr()
    assert main(["diff", "parts", "others"]) == 2
    assert "have no comparison in common" in capsys.readouterr().err


@pytest.mark.parametrize("identifier", WRONG_IDS)
def test_an_id_that_no_record_has(folder, capsys, identifier):
    assert main(["explain", "parts", "--id", identifier]) == 2
    err = capsys.readouterr().err
    assert "there is no such record" in err or (identifier == "" and "no records are selected" in err)


def test_both_layouts_are_one_run(folder, capsys):
    for runs in (("file", "parts"), ("parts", "file"), ("parts", "parts/manifest.json")):
        assert main(["diff", *runs]) == 0
        assert "61 pairs: nothing changed" in capsys.readouterr().out
    assert [*read_records("file")] == [*read_records("parts")]


def test_explain_reads_the_part_of_an_id_alone(folder, capsys):
    for number in (0, 2, 3, 4, 5):
        part(folder, number).unlink()
    assert main(["explain", "parts", "--id", IDS[2]]) == 0
    assert "comparison 14" in capsys.readouterr().out
    assert main(["explain", "parts", "--id", IDS[0]]) == 2
    assert "000000000000-" in capsys.readouterr().err


def test_a_summary_reads_the_parts_with_failures_alone(folder, capsys):
    rows = [{**row, "got": row["want"]} for row in ROWS]
    rows[20]["got"] = "x"
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    # The gate fails, so that the test is in the summary.
    assert score("--layout", "parts", "--pass-rate", "1", "-o", "parts") == 1
    for number in (0, 2, 3, 4):
        part(folder, number).unlink()
    capsys.readouterr()
    for command in (["summary", "parts"], ["explain", "parts", "--failed"]):
        assert main(command) == 0
        assert "q20" in capsys.readouterr().out


def test_a_bundle_has_the_parts(folder, capsys):
    assert main(["bundle", "parts", "-o", "parts.zip"]) == 0
    assert main(["verify-bundle", "parts.zip"]) == 0
    assert main(["replay", "parts.zip"]) == 0
    assert main(["diff", "file", "parts.zip"]) == 0
    capsys.readouterr()
    assert main(["explain", "parts.zip", "--id", IDS[3]]) == 0
    assert "comparison 40" in capsys.readouterr().out
    assert [*read_records("parts.zip")] == [*read_records("file")]


@pytest.mark.ci
@pytest.mark.usefixtures("quick_processes")
def test_several_processes_replay_the_same(folder, capsys):
    outputs = []
    part(folder, 3).write_bytes(b"")
    for jobs in ("1", "2"):
        assert main(["replay", "parts", "-j", jobs]) == 1
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_the_page_shows_all_rows(folder, capsys):
    for layout in ("file", "parts"):
        assert main(["view", layout, "--no-open"]) == 0
    pages = [(folder / layout / "report.html").stat().st_size for layout in ("file", "parts")]
    assert abs(pages[0] - pages[1]) < 300


def _edit_part(number, change):
    def apply(folder):
        path = part(folder, number)
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        path.write_bytes(gzip.compress(b"".join(change(lines)), mtime=0))

    return apply


def _swap(folder):
    one, other = part(folder, 1), part(folder, 2)
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def _manifest(change):
    """Change the manifest, and write it in its own form."""

    def apply(folder):
        document = manifest_in(folder)
        change(document)
        parts = document.pop("parts")
        text = f'{json.dumps(document)[:-1]}, "parts": [\n' + ",\n".join(map(json.dumps, parts)) + "\n]}\n"
        (folder / "parts/manifest.json").write_text(text)

    return apply


def _set(*path, value):
    def change(document):
        for key in path[:-1]:
            document = document[key]
        assert document[path[-1]] != value
        document[path[-1]] = value

    return _manifest(change)


def _report(old, new):
    def apply(folder):
        path = folder / "parts/report.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))

    return apply


def _entries(change):
    return _manifest(lambda document: change(document["parts"]))


def _added_up(change):
    """Change the entries of the parts, and the totals with them."""

    def apply(document):
        change(document)
        parts = [Part(**entry) for entry in document["parts"]]
        totals = build_manifest({}, parts, {}, b'{"record":1}')
        document.update(records=totals.records, counts=totals.counts, root=totals.root)

    return _manifest(apply)


def _copy(name):
    return lambda folder: shutil.copy(part(folder, 1), folder / "parts/parts" / name)


def _rename(number, name):
    return lambda folder: part(folder, number).rename(folder / "parts/parts" / name)


# Each edit, and what replay writes of it: the second part is that of records 14 to 26.
SECOND = r"parts/part-000000000013-[0-9a-f]{32}\.jsonl\.gz"
THIRD = r"parts/part-000000000026-[0-9a-f]{32}\.jsonl\.gz"
CHANGED = "file: was changed: its SHA-256 is not the one in manifest.json"
ZEROS = "0" * 64
EDITS = {
    "a part is missing": (lambda folder: part(folder, 1).unlink(), f"{SECOND}: file: is missing"),
    "the first part is missing": (lambda folder: part(folder, 0).unlink(), r"part-000000000000-\w+.jsonl.gz: file: is m"),
    "the part of the gate is missing": (lambda folder: part(folder, 5).unlink(), "part-000000000060-.*: is missing"),
    "all parts are missing": (lambda folder: shutil.rmtree(folder / "parts/parts"), "part-000000000000-.*: is missing"),
    "a part is empty": (lambda folder: part(folder, 1).write_bytes(b""), f"{SECOND}: {CHANGED}"),
    "a part is cut": (lambda folder: part(folder, 1).write_bytes(part(folder, 1).read_bytes()[:-9]), f"{SECOND}: {CHANGED}"),
    "a bit of a part is turned": (
        lambda folder: part(folder, 1).write_bytes(part(folder, 1).read_bytes()[:-1] + b"\xff"), f"{SECOND}: {CHANGED}"
    ),
    "a part is plain": (
        lambda folder: part(folder, 1).write_bytes(gzip.decompress(part(folder, 1).read_bytes())), f"{SECOND}: {CHANGED}"
    ),
    "a part is compressed again": (_edit_part(1, lambda lines: lines), f"{SECOND}: {CHANGED}"),
    "something follows a part": (
        lambda folder: part(folder, 1).write_bytes(part(folder, 1).read_bytes() + b"\0\0"), f"{SECOND}: {CHANGED}"
    ),
    "a member follows a part": (
        lambda folder: part(folder, 1).write_bytes(part(folder, 1).read_bytes() + gzip.compress(b"")), f"{SECOND}: {CHANGED}"
    ),
    "a record follows in a part": (_edit_part(1, lambda lines: [*lines, lines[0]]), f"{SECOND}: {CHANGED}"),
    "a record of a part is gone": (_edit_part(1, lambda lines: lines[:-1]), f"{SECOND}: {CHANGED}"),
    "records of a part are swapped": (_edit_part(1, lambda lines: lines[::-1]), f"{SECOND}: {CHANGED}"),
    "a verdict of a part is turned": (
        _edit_part(1, lambda lines: [line.replace(b'"verdict":"fail"', b'"verdict":"pass"') for line in lines]),
        "10072d82ff90-1-15 rows.jsonl::exact exact: differs in verdict",
    ),
    "an answer of a part is changed": (
        _edit_part(1, lambda lines: [line.replace(b'"observed":"w14"', b'"observed":"v14"') for line in lines]),
        "10072d82ff90-1-15 rows.jsonl::exact exact: differs in",
    ),
    "the gate is turned": (
        _edit_part(5, lambda lines: [line.replace(b'"verdict":"pass"', b'"verdict":"fail"') for line in lines]),
        "10072d82ff90-1-61 rows.jsonl::exact pass_rate: differs in verdict",
    ),
    "two parts are swapped": (_swap, f"{SECOND}: {CHANGED}"),
    "two parts are swapped, the other": (_swap, f"{THIRD}: {CHANGED}"),
    "a part is another one": (
        lambda folder: part(folder, 1).write_bytes(part(folder, 2).read_bytes()), f"{SECOND}: {CHANGED}"
    ),
    "a part is renamed": (_rename(1, f"part-{13:012}-{'a' * 32}.jsonl.gz"), f"{SECOND}: file: is missing"),
    "a part is renamed, the other name": (_rename(1, f"part-{13:012}-{'a' * 32}.jsonl.gz"), "a{32}.jsonl.gz: file: is not li"),
    "a part is there twice": (_copy(f"part-{13:012}-{'b' * 32}.jsonl.gz"), "b{32}.jsonl.gz: file: is not listed in manifest"),
    "another file is beside the parts": (_copy("notes.txt"), "parts/notes.txt: file: is not listed in manifest.json"),
    "one file beside the manifest": (
        lambda folder: shutil.copy(folder / "file/records.jsonl", folder / "parts"), "report.json: records.path: says 'man"
    ),
    "counts of the manifest": (_set("counts", "exact", value=[60, 0, 0]), r"manifest.json: counts: says .*60.*, and .*51"),
    "counts of no operator": (
        _manifest(lambda document: document["counts"].update(regex=[1, 0, 0])), "manifest.json: counts: says .*regex"
    ),
    "the gate of the manifest": (_set("gate", "verdict", value="fail"), "manifest.json: gate.verdict: says 'fail', and 'pass' f"),
    "the demand of the gate": (_set("gate", "expected", value=0.5), "manifest.json: gate.expected: says 0.5, and 0.8 follows"),
    "the rate of the gate": (_set("gate", "details", "rate", value=1.0), "manifest.json: gate.details.rate: says 1.0, and 0.85"),
    "the rows of the gate": (_set("gate", "observed", "fail", value=0), "manifest.json: gate.observed.fail: says 0, and 9"),
    "the number of records": (_set("records", value=60), "manifest.json: records: says 60, and 61 follows"),
    "the root": (_set("root", value=ZEROS), "manifest.json: root: says '00000"),
    "the operator": (_set("check", "operator", value="regex"), "manifest.json: check.operator: says 'regex', and 'exact' foll"),
    "the version": (_set("check", "operator_version", value=2), "manifest.json: check.operator_version: says 2, and 1 follows"),
    "a setting": (_set("check", "settings", "case_sensitive", value=False), "manifest.json: check.settings.case_sensitive: says"),
    "the threshold": (_set("check", "threshold", value=0.5), "manifest.json: check.threshold: says 0.5, and 1.0 follows"),
    "the code": (
        _manifest(lambda document: document["check"].update(operator_code="x")), "manifest.json: check.operator_code: says 'x'"
    ),
    "the data set": (_set("input", "sha256", value=ZEROS), "report.json: records.sha256"),
    "the name of the data set": (_set("input", "name", value="x.jsonl"), "report.json: records.sha256"),
    "no operator": (_set("check", value={}), "report.json: records.sha256"),
    "the form": (
        lambda folder: (folder / "parts/manifest.json").write_text(
            (folder / "parts/manifest.json").read_text().replace("\n]}", "]}")),
        "report.json: records.sha256",
    ),
    "the digest of a part": (_set("parts", 1, "sha256", value=ZEROS), f"{SECOND}: {CHANGED}"),
    "the counts of a part": (_set("parts", 1, "counts", "exact", 0, value=13), "manifest.json: counts: says .*51.*, and .*53"),
    "the counts of a part and of all": (
        _added_up(lambda document: document["parts"][1].update(counts={"exact": [13, 0, 0]})),
        rf"{SECOND}, counts.exact\[0\]: says 13, and 11",
    ),
    "a subtree of a part": (_set("parts", 1, "subtrees", 0, value=ZEROS), "manifest.json: root: says "),
    "a subtree that is no digest": (_set("parts", 1, "subtrees", 0, value="x"), "with a subtree that is no digest"),
    "a subtree of a part and the root": (
        _added_up(lambda document: document["parts"][1]["subtrees"].__setitem__(0, ZEROS)),
        rf"manifest.json: {SECOND}, subtrees\[0\]: says '0000",
    ),
    "no part is listed": (_entries(list.clear), "manifest.json: it lists no part"),
    "the records of a part": (_set("parts", 1, "records", value=12), "part-0+26-.* its entry does not follow"),
    "a part is not listed": (_entries(lambda parts: parts.pop(1)), "part-0+26-.* its entry does not follow"),
    "the last part is not listed": (_entries(lambda parts: parts.pop()), "manifest.json: records: says 61, and 60 follows"),
    "the last part is not listed and not counted": (
        _added_up(lambda document: document["parts"].pop()), "part-000000000060-.*: file: is not listed in mani"
    ),
    "a part is listed twice": (_entries(lambda parts: parts.insert(1, parts[0])), "part-.* its entry does not follow"),
    "two parts are listed in another order": (_entries(lambda parts: parts.reverse()), "its entry does not follow those"),
    "the start of a part": (_set("parts", 1, "before", value=14), f"{SECOND}.* its entry does not follow those"),
    "the manifest is missing": (lambda folder: (folder / "parts/manifest.json").unlink(), "there is no records.jsonl in this"),
    "the manifest is cut": (
        lambda folder: (folder / "parts/manifest.json").write_text((folder / "parts/manifest.json").read_text()[:-9]),
        "manifest.json: this is no manifest of pytest-verdict",
    ),
    "the digest of the manifest": (_report('"sha256": "', '"sha256": "00'), "report.json: records.sha256"),
    "the outcome of the report": (_report('"outcome": "passed"', '"outcome": "failed"'), "report.json: "),
    "the counts of the report": (_report('"pass": 52', '"pass": 61'), "report.json: totals.comparisons.pass: says 61, and 52"),
    "the root of the report": (_report('"root": "', '"root": "00'), "report.json: records.root: says '00"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_named(folder, capsys, name):
    apply, message = EDITS[name]
    apply(folder)
    status = main(["replay", "parts"])
    out, err = capsys.readouterr()
    assert status in {1, 2}
    assert re.search(message, out + err), out + err
    assert "Traceback" not in err


READERS = {
    "table": ["table", "parts", "--by", "operator"],
    "diff": ["diff", "file", "parts"],
    "explain": ["explain", "parts", "--failed"],
    "summary": ["summary", "parts", "--format", "gitlab-codequality"],
    "view": ["view", "parts", "--no-open"],
    "bundle": ["bundle", "parts", "-o", "x.zip"],
    "numbers": ["numbers", "parts"],
    "bundle, from a bundle": ["replay", "bundle.zip"],
}


@pytest.mark.parametrize(
    "edit", ["a part is missing", "a part is empty", "two parts are swapped", "a bit of a part is turned"]
)
@pytest.mark.parametrize("reader", [*READERS][:-1])
def test_no_command_reads_an_altered_part(folder, capsys, reader, edit):
    EDITS[edit][0](folder)
    assert main(READERS[reader]) in {1, 2}
    out, err = capsys.readouterr()
    assert re.search(SECOND, out + err)
    assert not (folder / "x.zip").exists()


@pytest.mark.parametrize(
    "edit",
    [
        "counts of the manifest",
        "the counts of a part",
        "the counts of a part and of all",
        "the last part is not listed",
        "the last part is not listed and not counted",
        "no part is listed",
    ],
)
@pytest.mark.parametrize("reader", ["explain", "numbers", "table", "summary"])
def test_no_command_reads_an_altered_manifest(folder, capsys, reader, edit):
    EDITS[edit][0](folder)
    assert main(READERS[reader]) == 2
    assert "manifest.json" in capsys.readouterr().err


def test_a_damaged_manifest_of_an_earlier_run_fails_no_later_one(folder, pytester, monkeypatch):
    monkeypatch.chdir(folder)
    EDITS["no part is listed"][0](folder)
    assert score("-o", "parts") == 0
    assert main(["replay", "parts"]) == 0
    assert not Path("parts/report.earlier").exists()
    shutil.copytree(folder / "parts", pytester.path / "verify-report")
    (pytester.path / "verify-report/manifest.json").write_text('{"manifest": 1')
    monkeypatch.chdir(pytester.path)
    pytester.makepyfile("from pytest_verdict import assert_matches\ndef test_a(): assert_matches('exact', 1, 1)")
    result = pytester.runpytest_inprocess("--verify-report")
    assert result.ret == 0
    assert "manifest.json" not in {path.name for path in (pytester.path / "verify-report").iterdir()}


def test_an_edited_bundle_is_named(folder, capsys):
    import zipfile

    main(["bundle", "parts", "-o", "whole.zip"])
    whole = zipfile.ZipFile("whole.zip")
    names = whole.namelist()
    second = next(name for name in names if name.startswith("parts/part-000000000013"))
    for change in ("left out", "altered", "added"):
        with zipfile.ZipFile("edited.zip", "w") as edited:
            for name in names:
                if change != "left out" or name != second:
                    edited.writestr(name, whole.read(name) + b"\0" * (change == "altered" and name == second))
            if change == "added":
                edited.writestr(second.replace("000013", "000014"), b"")
        for command in ("verify-bundle", "replay"):
            capsys.readouterr()
            if (command, change) != ("replay", "added"):
                assert main([command, "edited.zip"]) == 1
                assert re.search("part-00000000001[34]", capsys.readouterr().out)


def test_a_killed_run_goes_on_with_the_same_bytes(folder, monkeypatch):
    with monkeypatch.context() as patch:
        killed_at(patch, 4)
        assert score("-o", "again", "--layout", "parts") == 130
    assert len([*Path("again/parts").glob("*.json")]) == 3
    assert score("-o", "again", "--layout", "parts") == 0
    assert Path("again/manifest.json").read_bytes() == Path("parts/manifest.json").read_bytes()
    files = [sorted(Path(name, "parts").iterdir()) for name in ("again", "parts")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_a_run_that_is_killed_at_its_end_keeps_the_earlier_report(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(score_module, "write_report", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert score("-o", "parts", "--layout", "parts", "--settings", '{"case_sensitive": false}') == 130
    assert {path.name for path in Path("parts/report.earlier").iterdir()} == {
        "manifest.json",
        "report.json",
        "junit.xml",
    }
    assert score("-o", "parts", "--layout", "parts", "--settings", '{"case_sensitive": false}') == 0
    assert main(["replay", "parts"]) == 0


@pytest.mark.parametrize("layouts", [("file", "parts"), ("parts", "file"), ("parts", "parts")], ids=str)
def test_a_later_run_replaces_the_report_and_its_parts(folder, layouts):
    for layout, rate in zip(layouts, ("0.8", "0.7"), strict=True):
        assert score("-o", "new", "--layout", layout, "--pass-rate", rate) == 0
    files = {path.name for path in Path("new").iterdir()}
    assert ("records.jsonl" in files) is (layouts[1] == "file")
    assert ("manifest.json" in files) is (layouts[1] == "parts")
    assert ("parts" in files) is (layouts[1] == "parts")
    assert main(["replay", "new"]) == 0


def test_a_session_replaces_parts(pytester, folder, monkeypatch):
    monkeypatch.chdir(pytester.path)
    pytester.makepyfile("from pytest_verdict import assert_matches\ndef test_a(): assert_matches('exact', 1, 1)")
    shutil.copytree(folder / "parts", pytester.path / "verify-report")
    (pytester.path / "verify-report/parts/mine.txt").write_text("stays")
    pytester.runpytest_inprocess("--verify-report")
    files = {path.name for path in (pytester.path / "verify-report").iterdir()}
    assert {"records.jsonl", "report.json"} <= files
    assert "manifest.json" not in files
    assert [path.name for path in (pytester.path / "verify-report/parts").iterdir()] == ["mine.txt"]


def test_a_manifest_of_another_program_stays(pytester, folder, monkeypatch, capsys):
    """Many programs call a file so: a session writes beside it, and score does not replace it."""
    monkeypatch.chdir(pytester.path)
    pytester.makepyfile("from pytest_verdict import assert_matches\ndef test_a(): assert_matches('exact', 1, 1)")
    (pytester.path / "verify-report").mkdir()
    (pytester.path / "verify-report/manifest.json").write_text('{"name": "app"}')
    for _ in range(2):
        pytester.runpytest_inprocess("--verify-report").assert_outcomes(passed=1)
    assert main(["replay", str(pytester.path / "verify-report")]) == 0
    shutil.copy(folder / "rows.jsonl", pytester.path / "rows.jsonl")
    capsys.readouterr()
    for layout in ("file", "parts"):
        assert score("-o", "verify-report", "--layout", layout) == 2
        assert "manifest.json was not written by this plugin" in capsys.readouterr().err
    assert (pytester.path / "verify-report/manifest.json").read_text() == '{"name": "app"}'


def test_two_runs_into_one_folder_are_refused(folder, capsys):
    def run(function, units):
        assert score("-o", "parts", "--layout", "parts") == 2
        assert "another run is writing its report there" in capsys.readouterr().err
        return map(function, units)

    columns = {"expected": "$.want", "observed": "$.got"}
    score_dataset("rows.jsonl", "exact", columns, "parts", pass_rate=0.8, layout="parts", ids="$.id", run=run)
    assert main(["replay", "parts"]) == 0


def test_many_rows_are_in_parts_by_themselves(folder, monkeypatch):
    monkeypatch.setattr(score_module, "_MOST_IN_FILE", 59)
    score("-o", "many")
    monkeypatch.setattr(score_module, "_MOST_IN_FILE", 60)
    score("-o", "few")
    assert Path("many/manifest.json").exists()
    assert Path("few/records.jsonl").exists()
    score("-o", "many", "--layout", "file")
    assert Path("many/records.jsonl").exists()


def test_an_unknown_layout_is_refused(folder):
    with pytest.raises(VerdictError, match="layout: there is no 'part'"):
        score_dataset("rows.jsonl", "exact", {"expected": "$.want", "observed": "$.got"}, "new", layout="part")


def test_a_large_unit_becomes_several_parts(folder, monkeypatch):
    from pytest_verdict.datasets import units

    Path("rows.yaml").write_text(json.dumps(ROWS))
    monkeypatch.setattr(units, "ROWS", 20)
    monkeypatch.setattr("pytest_verdict.datasets.row_check._BATCH_TEXT", 4_000)
    command = ["score", "rows.yaml", *COMMAND[2:], "-o", "new", "--layout", "parts"]
    assert main(command) == 0
    manifest = read_manifest(Path("new/manifest.json").read_bytes(), "new")
    assert [entry.records for entry in manifest.parts] == [24, 24, 12, 1]
    assert main(["replay", "new"]) == 0


@pytest.mark.parametrize("keys", [1, 7, 1000])
def test_repeated_ids_are_found_in_any_range(folder, monkeypatch, capsys, keys):
    from pytest_verdict.datasets import units

    monkeypatch.setattr(units, "_KEYS_AT_ONCE", keys)
    rows = [dict(row) for row in ROWS]
    assert score("-o", "unique") == 0
    for number, other in ((59, 3), (33, 32), (20, 0)):
        rows[number]["id"] = rows[other]["id"]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    capsys.readouterr()
    for layout in ("file", "parts"):
        assert score("-o", "new", "--layout", layout) == 2
        assert "rows 1 and 21 have the same id, 'q0'" in capsys.readouterr().err
    assert not Path("new/report.json").exists()


def test_parts_at_a_url(folder, monkeypatch, capsys):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("HOME", str(folder / "home"))
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pipe("/bucket/rows.jsonl", (folder / "rows.jsonl").read_bytes())
    command = ["score", "memory://bucket/rows.jsonl", *COMMAND[2:], "-o", "memory://bucket/out", "--layout"]
    for layout in ("parts", "file", "parts"):
        assert main([*command, layout]) == 0
        shutil.rmtree("down", ignore_errors=True)
        store.get("/bucket/out", "down", recursive=True)
        assert main(["replay", "down"]) == 0
    assert Path("down/manifest.json").read_bytes() == Path("parts/manifest.json").read_bytes()
    assert sorted(path.name for path in Path("down").iterdir()) == [
        "junit.xml",
        "manifest.json",
        "parts",
        "report.json",
    ]
    assert [path for path in (folder / "home").rglob("*") if path.is_file()] == []
    store.store.clear()


def test_parts_in_a_store_of_runs(folder, monkeypatch, capsys):
    from pytest_verdict.store.files import open_store
    from pytest_verdict.store.store import Store

    monkeypatch.setenv("HOME", str(folder / "home"))
    store = Store(open_store(str(folder / "store")))
    pushed = store.push(folder / "parts", {})
    fetched = store.fetch(pushed.run)
    assert (fetched / "manifest.json").read_bytes() == (folder / "parts/manifest.json").read_bytes()
    assert main(["replay", str(fetched)]) == 0
    size = sum(path.stat().st_size for path in (folder / "parts").rglob("*") if path.is_file())
    again = Store(open_store(str(folder / "small")))
    assert "the bundle was left out" in again.push(folder / "parts", {}, limit=size - 600).notes[0]


LOSSES = {
    "first": lambda lines: lines[1:],
    "middle": lambda lines: lines[:30] + lines[31:],
    "last": lambda lines: lines[:-1],
    "all but one": lambda lines: lines[:1],
    "one twice": lambda lines: [*lines[:9], *lines[8:]],
    "two swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
    "a verdict": lambda lines: [line.replace(b'"verdict":"fail"', b'"verdict":"pass"') for line in lines],
    "an observed value": lambda lines: [line.replace(b'"observed":"w', b'"observed":"v') for line in lines],
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "command",
    [
        ["table", "lost", "--by", "operator"],
        ["table", "lost", "-o", "t.csv"],
        ["numbers", "lost"],
        ["diff", "file", "lost"],
    ],
)
def test_changed_records_beside_their_report_are_refused(folder, capsys, loss, command):
    shutil.copytree("file", "lost")
    records = Path("lost/records.jsonl")
    records.write_bytes(b"".join(LOSSES[loss](records.read_bytes().splitlines(keepends=True))))
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err.count("changed after the session") == 1
    assert not Path("t.csv").exists()
    # Without the report, nobody says which records there were.
    Path("lost/report.json").unlink()
    assert main(command) in {0, 1}


def test_lines_joined_by_a_comma_are_no_rows(folder, capsys):
    """As one document, these three lines would be a list of three rows."""
    lines = ['{"want": "a", "got": "a"},{"want": "b", "got": "b"}', '{"want": "a", "got": [{}', '{}], "x": 1}']
    Path("joined.jsonl").write_text("\n".join(lines) + "\n")
    assert (
        main(["score", "joined.jsonl", "--operator", "exact", "--expected", "want", "--observed", "got", "-o", "x"])
        == 1
    )
    assert (
        "0 of 3 rows passed, 0 failed, 3 could not be compared (3 of these could not be read)"
        in capsys.readouterr().out
    )


@pytest.mark.usefixtures("other")
def test_a_diff_with_too_many_changes_is_refused(reports, monkeypatch, capsys):
    from pytest_verdict.runs import partitions

    monkeypatch.chdir(reports)
    assert main(["diff", "parts", "partsother"]) in {0, 1}
    monkeypatch.setattr(partitions, "_MOST_CHANGES", 3)
    capsys.readouterr()
    assert main(["diff", "parts", "partsother"]) == 2
    assert "more than 3 comparisons differ, which is too many to list; compare their tables" in capsys.readouterr().err
