"""Pushing, listing and fetching runs; what is foreign, torn, huge, or pushed twice."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.report.urls import cache_folder
from pytest_verdict.store.files import StoreFiles, configured_store
from pytest_verdict.store.store import Store, parse_tags
from written_runs import write_run


def files_of(store):
    return {
        path.relative_to(store.files.folder).as_posix(): path
        for path in store.files.folder.rglob("*")
        if path.is_file()
    }


def test_run_is_an_index_a_bundle_and_a_shared_table(store, report):
    first = store.push(report(), {})
    second = store.push(report(), {})
    month = "runs/2026/01/"
    runs = [f"{month}{run}/{name}" for run in (first.run, second.run) for name in ("bundle.zip", "index.json.gz")]
    tables = [name for name in files_of(store) if name.startswith("tests/")]
    assert len(tables) == 1
    assert sorted(files_of(store)) == sorted([*runs, *tables])
    assert [stored.name for stored in store.runs()] == [first.run, second.run]
    assert store.skipped == []


def test_pushing_again_changes_nothing(store, report):
    folder = report()
    first = store.push(folder, {"model": "small"})
    before = {name: path.stat().st_mtime_ns for name, path in files_of(store).items()}
    assert store.push(folder, {"model": "small"}) == (first.run, ["this report is stored already"])
    assert {name: path.stat().st_mtime_ns for name, path in files_of(store).items()} == before


def test_stored_run_gets_no_other_tags(store, report):
    folder = report(tags={"model": "small"})
    run = store.push(folder, {"prompt": "12"}).run
    for tags in ({"prompt": "12"}, {"model": "small"}, {}):
        assert store.push(folder, tags) == (run, ["this report is stored already"])
    for tags in ({"prompt": "13"}, {"prompt": "12", "build": "7"}):
        with pytest.raises(ConfigurationError, match="a stored run is never changed"):
            store.push(folder, tags)
    (stored,) = store.runs(accept=lambda index: index.tags["prompt"] == "12")
    assert stored.index.tags == {"model": "small", "prompt": "12"}


def test_push_writes_the_index_last(store, report, monkeypatch):
    written = []
    write = StoreFiles.write
    monkeypatch.setattr(
        StoreFiles, "write", lambda self, name, content: (written.append(name), write(self, name, content))
    )
    store.push(report(), {})
    assert [name.rpartition("/")[2] for name in written][::2] == ["bundle.zip", "index.json.gz"]


def test_run_without_index_does_not_exist(store, report):
    run = store.push(report(), {}).run
    (store.files.folder / f"runs/2026/01/{run}/index.json.gz").unlink()
    assert store.runs() == []
    assert store.skipped == []
    with pytest.raises(RecordError, match="has no run"):
        store.find(run)


def test_fetched_report_is_the_one_that_was_pushed(store, report):
    folder = report()
    fetched = store.fetch(store.push(folder, {}).run)
    for name in ("records.jsonl", "report.json", "junit.xml"):
        assert (fetched / name).read_bytes() == (folder / name).read_bytes()
    # A bundle never changes, so the copy is used again.
    for path in store.files.folder.rglob("bundle.zip"):
        path.unlink()
    assert store.fetch(fetched.name.rpartition("-")[0]) == fetched


def test_huge_bundle_is_left_out_and_said(store, report):
    pushed = store.push(report(), {}, limit=100)
    assert pushed.notes[0].startswith("the bundle was left out, because the report has ")
    assert not store.runs()[0].index.bundle
    with pytest.raises(RecordError, match="it was too large and left out"):
        store.fetch(pushed.run)


def test_thinned_bundle_is_named(store, report):
    run = store.push(report(), {}).run
    next(store.files.folder.rglob("bundle.zip")).unlink()
    with pytest.raises(RecordError, match=f"no bundle of the run {run}: it was removed"):
        store.fetch(run)


def test_damaged_bundle_is_named(store, report):
    run = store.push(report(), {}).run
    next(store.files.folder.rglob("bundle.zip")).write_bytes(b"PK, but no ZIP file")
    with pytest.raises(RecordError, match=f"the bundle of the run {run} is damaged"):
        store.fetch(run)


def test_damaged_content_of_a_bundle_is_named_and_leaves_nothing(store, report):
    run = store.push(report(), {}).run
    place = next(store.files.folder.rglob("bundle.zip"))
    with zipfile.ZipFile(place) as bundle:
        member = bundle.getinfo("report.json")
        assert member.compress_type == zipfile.ZIP_DEFLATED
    content = bytearray(place.read_bytes())
    # The content of a member begins after a header of 30 bytes and names; there is no such block.
    names = len(member.filename) + content[member.header_offset + 28]
    content[member.header_offset + 30 + names] |= 0b110
    place.write_bytes(content)
    with pytest.raises(RecordError, match=f"the bundle of the run {run} is damaged"):
        store.fetch(run)
    assert list((cache_folder() / "runs").iterdir()) == []


TORN = {
    "torn index": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "empty index": lambda path: path.write_bytes(b""),
    "altered index": lambda path: path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + b" ")),
    "foreign file": lambda path: path.with_name("notes.txt").write_text("mine") and path.unlink(),
    "foreign folder": lambda path: path.rename(path.parents[1] / "index.json.gz"),
}


@pytest.mark.parametrize("damage", TORN.values(), ids=TORN)
def test_torn_and_foreign_files_are_skipped_and_named(store, report, damage):
    whole, broken = store.push(report(), {}).run, store.push(report(), {}).run
    damage(next(store.files.folder.rglob(f"{broken}/index.json.gz")))
    assert [stored.name for stored in store.runs()] == [whole]
    assert len(store.skipped) == 1
    assert "runs/2026/01/" in store.skipped[0]


def test_missing_or_torn_table_of_tests_is_named(tmp_path):
    store = Store(StoreFiles(str(tmp_path / "store")))
    write_run(tmp_path / "store", {"a": "p"}, number=1)
    write_run(tmp_path / "store", {"b": "p"}, number=2)
    paths = sorted((tmp_path / "store/tests").iterdir())
    paths[0].unlink()
    paths[1].write_bytes(paths[1].read_bytes()[:20])
    assert store.runs() == []
    assert sum("is missing or damaged" in line for line in store.skipped) == 2


def test_file_that_is_being_written_is_no_foreign_file(store, report):
    run = store.push(report(), {}).run
    place = next(store.files.folder.rglob("index.json.gz"))
    place.with_name("index.json.gz.0123.new").write_bytes(b"")
    assert [stored.name for stored in store.runs()] == [run]
    assert store.skipped == []


def test_the_newest_runs_that_are_accepted(tmp_path):
    store = Store(StoreFiles(str(tmp_path)))
    names = [write_run(tmp_path, {"a": "p"}, number=number, tags={"even": str(number % 2 == 0)}) for number in range(9)]
    assert [stored.name for stored in store.runs(3)] == names[-3:]
    assert [stored.name for stored in store.runs(2, lambda index: index.tags["even"] == "True")] == [names[6], names[8]]


def test_beginning_of_a_name_is_enough_if_it_is_unique(tmp_path):
    store = Store(StoreFiles(str(tmp_path)))
    names = [write_run(tmp_path, {"a": "p"}, number=number) for number in (1, 2)]
    assert store.find(names[0][:11]).name == names[0]
    with pytest.raises(RecordError, match="is the beginning of 2 runs"):
        store.find(names[0][:8])


@pytest.mark.parametrize(
    ("texts", "tags"),
    [
        ([], {}),
        (["model=small"], {"model": "small"}),
        (["a=1=2", "b="], {"a": "1=2", "b": ""}),
        (["a=1", "a=1"], {"a": "1"}),
    ],
)
def test_tags_are_names_and_values(texts, tags):
    assert parse_tags(texts) == tags


def test_tag_with_two_values_is_refused():
    with pytest.raises(ConfigurationError, match="the tag a has two values, '1' and '2'"):
        parse_tags(["a=1", "b=1", "a=2"])


@pytest.mark.parametrize("text", ["model", "=small", "my model=small", "", "1=a"])
def test_wrong_tag_is_refused(text):
    with pytest.raises(ConfigurationError, match="a tag is NAME=VALUE"):
        parse_tags([text])


def test_store_whose_parent_is_missing_cannot_be_reached(tmp_path, report):
    store = Store(StoreFiles(str(tmp_path / "no" / "store")))
    for act in (store.runs, lambda: store.push(report(), {}), lambda: store.find("2026")):
        with pytest.raises(OSError, match="cannot be reached"):
            act()
    assert not (tmp_path / "no").exists()


CONFIGURATIONS = {
    "pyproject.toml": '[tool.pytest.ini_options]\nverdict_store = "runs"\n',
    "pyproject.toml of pytest 9": '[tool.pytest]\nverdict_store = "runs"\n',
    "pytest.toml": '[pytest]\nverdict_store = "runs"\n',
    "pytest.ini": "[pytest]\nverdict_store = runs\n",
    "tox.ini": "[pytest]\nverdict_store = runs\n",
    "setup.cfg": "[tool:pytest]\nverdict_store = runs\n",
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_store_of_the_configuration(tmp_path, monkeypatch, name):
    (tmp_path / name.partition(" ")[0]).write_text(CONFIGURATIONS[name])
    (tmp_path / "inner").mkdir()
    assert configured_store(tmp_path / "inner") == str(tmp_path / "runs")
    monkeypatch.setenv("VERDICT_STORE", "s3://team/verdicts")
    assert configured_store(tmp_path / "inner") == "s3://team/verdicts"


def test_commands_need_a_store(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["runs"], ["push"], ["bless", "--as", "main", "--because", "x"], ["history"], ["trends"]):
        status, _, err = command(*words)
        assert status == 2
        assert "no store is named; set VERDICT_STORE, or verdict_store in" in err
        assert "take --store" in err


def test_broken_configuration_is_named(tmp_path, monkeypatch, command):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest\n")
    monkeypatch.chdir(tmp_path)
    status, _, err = command("runs")
    assert status == 2
    assert "pyproject.toml: " in err


BROKEN = {
    "pytest.ini": ["\0", "[pytest]\nverdict_store = a\nverdict_store = b\n"],
    "pytest.toml": ["pytest = 5\n", "[pytest]\nverdict_store = 5\n", "[pytest]\nverdict_store = ['a']\n"],
    "pyproject.toml": ["[tool.pytest]\nini_options = 3\n", "[tool.pytest]\nverdict_store = {a = 1}\n"],
    "setup.cfg": ["[pytest]\nverdict_store = a\n"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BROKEN.items() for text in texts])
def test_configuration_that_names_no_store_is_an_error(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=r"configuration of pytest cannot be read|store is a text"):
        configured_store(tmp_path)


def test_push_and_runs(command, report, tmp_path):
    folder = report(git={"commit": "a" * 40, "clean": False, "branch": "main"}, selection={"deselected": 1})
    status, out, _ = command("push", folder, "--store", tmp_path / "store", "--tag", "model=small")
    assert status == 0
    run = out.split()[1]
    status, out, _ = command("runs", "--store", tmp_path / "store")
    assert status == 0
    assert out.splitlines() == [
        f"{run}  aaaaaaaaaaaa+  main  model=small  7 passed",
        "  only a part was selected: 1 test deselected",
    ]
    assert (
        command("runs", "--store", tmp_path / "store", "--tag", "model=large")[1]
        == f"{tmp_path / 'store'} has no such run\n"
    )
    assert (
        command("runs", "--store", tmp_path / "store", "--branch", "dev")[1]
        == f"{tmp_path / 'store'} has no such run\n"
    )
    assert command("push", tmp_path, "--store", tmp_path / "store")[0] == 2


def test_bundle_in_the_store_verifies(store, report, session_report, command, tmp_path):
    run = store.push(session_report, {}).run
    bundle = next(store.files.folder.rglob("bundle.zip"))
    assert zipfile.is_zipfile(bundle)
    status, out, _ = command("verify-bundle", bundle)
    assert status == 0, out
    assert command("replay", store.fetch(run))[0] == 0
