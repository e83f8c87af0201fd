"""Baselines: who may become one, the one before, disputes, and what the order of commits decides."""

from __future__ import annotations

import json
import subprocess

import pytest

from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.report.records_file import NoBaselineError
from pytest_verdict.store.baselines import RefusedError, bless, read_baselines, resolve
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import write_run

TESTS = {"a": "p", "b": "p"}


@pytest.fixture
def run_of(store):
    """Write a run, and return it as it is read."""
    numbers = iter(range(1, 1000))

    def write(tests=TESTS, **members):
        folder = store.files.folder
        return store.find(write_run(folder, tests, **{"number": next(numbers), **members}))

    return write


def move(store, run, name="main", although=""):
    return bless(store, run, name, because="a test", although=although)


def test_baseline_is_the_latest_event_and_the_ones_before_stay(store, run_of):
    runs = [run_of() for _ in range(3)]
    for run in runs:
        move(store, run)
    addresses = ("main", "main~0", "main~1", "main~2")
    assert [resolve(store, address).name for address in addresses] == [runs[at].name for at in (2, 2, 1, 0)]
    with pytest.raises(RecordError, match="main has no run so far back"):
        resolve(store, "main~3")
    assert resolve(store, runs[0].name[:15]).name == runs[0].name


def test_event_says_who_why_and_what_it_replaces(store, run_of):
    first = move(store, run_of())
    event = move(store, run_of(commit="c" * 40))
    document = json.loads((store.files.folder / f"baselines/main/{event}.json").read_text())
    assert document["replaces"] == [first]
    assert (document["because"], document["although"], document["commit"]) == ("a test", "", "c" * 40)
    assert document["by"]
    assert document["time"].endswith("+00:00")


TAGS = [
    ({"model": "a"}, {"model": "a"}, []),
    ({}, {"model": "a"}, []),
    ({"model": "a"}, {"model": "a", "prompt": "12"}, []),
    ({}, {}, []),
    ({"model": "a"}, {"model": "b"}, ["the baseline has the tag model=a, and the run has b"]),
    ({"model": "a"}, {}, ["the baseline has the tag model=a, and the run has no such tag"]),
    ({"model": "a"}, {"Model": "a"}, ["model=a, and the run has no such tag"]),
    (
        {"model": "a", "prompt": "1"},
        {"model": "b", "prompt": "2"},
        ["model=a, and the run has b", "prompt=1, and the run has 2"],
    ),
    ({"model": ""}, {}, ["the tag model=, and the run has no such tag"]),
]


@pytest.mark.parametrize(("before", "after", "reasons"), TAGS)
def test_run_with_other_tags_is_refused(store, run_of, before, after, reasons):
    move(store, run_of(tags=before))
    run = run_of(tags=after)
    if reasons:
        with pytest.raises(RefusedError) as caught:
            move(store, run)
        assert all(reason in str(caught.value) for reason in reasons)
    move(store, run, although="another model" if reasons else "")
    assert resolve(store, "main").name == run.name


# The files of runs that are damaged, by the number of the run and their end, and whether the newest good run, 2, is blessed.
DAMAGED = {
    "none": ({}, True),
    "an older index": ({1: "index.json.gz"}, False),
    "a newer index": ({3: "index.json.gz"}, False),
    "a foreign file of a newer run": ({4: "notes.txt"}, False),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_newest_run_that_cannot_be_read_is_not_passed_over(store, run_of, command, case):
    files, is_blessed = DAMAGED[case]
    runs = [run_of() for _ in range(3)]
    if 3 in files:
        runs.append(run_of())
    runs.append(run_of(partial=["only part 1 of 2 ran"]))
    for number, file in files.items():
        run = runs[min(number, len(runs) - 1)].name
        (store.files.folder / f"runs/{run[:4]}/{run[4:6]}/{run}/{file}").write_bytes(b"torn")
    words = ("bless", "--as", "main", "--because", "x", "--store", store.files.folder)
    status, out, err = command(*words)
    if is_blessed:
        assert (status, out.split(" is ")[0]) == (0, f"blessed: {runs[2].name}"), err
    else:
        assert status == 2
        assert f"name a run, such as {runs[2].name}" in err
        assert command(*words, runs[2].name)[0] == 0


REFUSED = {
    "failed": ({"failed": ["1 test did not pass"]}, "1 test did not pass"),
    "gate": ({"failed": ["gate operator:* >= 1: missed"]}, "gate operator"),
    "filtered": ({"partial": ["only a part was selected: -k"]}, "only a part was selected: -k"),
    "interrupted": ({"partial": ["the session did not end"]}, "the session did not end"),
    "shard": ({"partial": ["only part 1 of 2 ran"]}, "only part 1 of 2 ran"),
    "older": ({"number": 0}, "it is older than the baseline, which started at 2026-01-01T01:00:00"),
    "fewer tests": ({"tests": {"a": "p"}}, "1 test of the baseline did not run, or may fail now: b"),
    "skipped tests": ({"tests": {"a": "p", "b": "s"}}, "1 test of the baseline did not run, or may fail now: b"),
    "expected failures": ({"tests": {"a": "p", "b": "x"}}, "1 test of the baseline did not run, or may fail now: b"),
    "unexpected passes": ({"tests": {"a": "p", "b": "y"}}, "1 test of the baseline did not run, or may fail now: b"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_run_is_refused_unless_a_reason_is_given(store, run_of, case):
    members, reason = REFUSED[case]
    move(store, run_of())
    run = run_of(**members)
    with pytest.raises(RefusedError, match="give --although REASON") as caught:
        move(store, run)
    assert reason in str(caught.value)
    assert resolve(store, "main").name != run.name
    event = move(store, run, although="we know")
    assert resolve(store, "main").name == run.name
    assert read_baselines(store)["main"][event].although == "we know"


ALLOWED = {
    "same run again": {"number": 1},
    "more tests": {"tests": {**TESTS, "c": "p"}},
    "with changes": {"clean": False},
    "tags": {"tags": {"model": "small"}},
}


@pytest.mark.parametrize("case", ALLOWED)
def test_good_run_is_not_refused(store, run_of, case):
    move(store, run_of())
    run = run_of(**ALLOWED[case])
    move(store, run)
    assert resolve(store, "main").name == run.name


def test_test_that_was_skipped_before_may_be_missing(store, run_of):
    move(store, run_of({"a": "p", "b": "s"}))
    move(store, run_of({"a": "p"}))


def test_two_at_once_are_disputed_until_the_next(store, run_of, command):
    first, second = run_of(), run_of()
    move(store, first)
    events = sorted((store.files.folder / "baselines/main").iterdir())
    document = json.loads(events[0].read_text())
    # Somebody else has not seen the event of the first.
    (store.files.folder / "baselines/main/other.json").write_text(json.dumps({**document, "run": second.name}))
    for address in ("main", "main~1"):
        with pytest.raises(RecordError, match=f"the baseline main is disputed: {first.name}, {second.name}; settle it"):
            resolve(store, address)
    assert "baseline main, disputed" in command("runs", "--store", store.files.folder)[1]
    move(store, second)
    assert resolve(store, "main").name == second.name
    with pytest.raises(RecordError, match="is disputed"):
        resolve(store, "main~1")


def test_two_who_bless_the_same_run_do_not_dispute(store, run_of):
    run = run_of()
    move(store, run)
    (event,) = (store.files.folder / "baselines/main").iterdir()
    event.with_name("other.json").write_bytes(event.read_bytes())
    assert resolve(store, "main").name == run.name


def test_no_baseline_a_misspelt_one_and_a_torn_one(store, run_of):
    with pytest.raises(NoBaselineError, match="has no baseline yet; make one with `pytest-verdict bless --as main`"):
        resolve(store, "main")
    move(store, run_of())
    for name in ("mian", "Main", "main2"):
        with pytest.raises(RecordError, match="Did you mean 'main'") as caught:
            resolve(store, name)
        assert not isinstance(caught.value, NoBaselineError)
    (event,) = (store.files.folder / "baselines/main").iterdir()
    event.write_bytes(event.read_bytes()[:30])
    with pytest.raises(RecordError, match="Skipped: baselines/main/") as caught:
        resolve(store, "main")
    assert not isinstance(caught.value, NoBaselineError)


def test_event_before_that_is_torn_is_an_error(store, run_of):
    first = move(store, run_of())
    run = run_of()
    move(store, run)
    place = store.files.folder / f"baselines/main/{first}.json"
    place.write_text("[]")
    for address in ("main", "main~1"):
        with pytest.raises(RecordError, match="nobody knows which run is the baseline main"):
            resolve(Store(store.files), address)
    place.unlink()
    assert resolve(Store(store.files), "main").name == run.name
    with pytest.raises(RecordError, match="an event of the baseline main is missing"):
        resolve(Store(store.files), "main~1")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"run": 1}', b"\0" * 300])
def test_unreadable_latest_event_is_no_return_to_the_one_before(store, run_of, content):
    move(store, run_of())
    other = run_of()
    move(store, other, "other")
    event = move(store, run_of())
    place = store.files.folder / f"baselines/main/{event}.json"
    place.write_bytes(content)
    for address in ("main", "main~1"):
        with pytest.raises(RecordError, match=f"which run is the baseline main, because baselines/main/{event}.json"):
            resolve(store, address)
    with pytest.raises(RecordError, match="which run is the baseline main"):
        move(store, run_of(), although="we know")
    assert resolve(store, "other").name == other.name


def test_foreign_file_beside_events_is_no_event(store, run_of):
    run = run_of()
    move(store, run)
    store.files.write("baselines/main/notes.txt", b"mine")
    assert resolve(store, "main").name == run.name


def test_events_in_a_circle_are_an_error(store, run_of):
    run = run_of()
    for name, replaced in (("one", "two"), ("two", "one")):
        document = {"run": run.name, "time": "", "replaces": [replaced]}
        store.files.write(f"baselines/main/{name}.json", json.dumps(document).encode())
    with pytest.raises(RecordError, match="its events replace one another"):
        resolve(store, "main")


@pytest.mark.parametrize(
    "name", ["", "a/b", "../a", "20260101T000000-12345678", "20260101T", "a b", ".a", "a~1", "-a", "a" * 101]
)
def test_wrong_names_of_baselines(store, run_of, name):
    with pytest.raises(ConfigurationError, match="the name of a baseline"):
        move(store, run_of(), name)
    assert not (store.files.folder / "baselines").exists()


@pytest.mark.parametrize("address", ["", "~1", "a/b", "main~x", "main~", "../x"])
def test_wrong_addresses(store, address):
    with pytest.raises(ConfigurationError, match="after store: comes a baseline"):
        resolve(store, address)


def test_baselines_are_apart(store, run_of):
    small, large = run_of(), run_of()
    move(store, small, "small")
    move(store, large, "large")
    assert (resolve(store, "small").name, resolve(store, "large").name) == (small.name, large.name)


# ---- the order of commits
@pytest.fixture
def commits(tmp_path, monkeypatch):
    """A repository with main: 0 - 1 - 2, and another branch from 0: 3."""
    place = tmp_path / "repository"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)

    def git(*words):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    names = []
    for branch in ("main", "main", "main", "other"):
        if branch == "other":
            git("checkout", "-q", "-b", "other", names[0])
        git("commit", "-q", "--allow-empty", "-m", branch)
        names.append(git("rev-parse", "HEAD"))
    return names


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (0, 1, None), (0, 2, None), (0, 3, None), (1, 2, None),
        (2, 1, "its commit is older, or of another branch"),
        (1, 3, "its commit is older, or of another branch"),
        (3, 2, "its commit is older, or of another branch"),
        (0, "f" * 40, "git does not know its commit"),
        ("f" * 40, 1, "git does not know its commit"),
        ("--help", 1, "git does not know its commit"),
        ("--all", 1, "git does not know its commit"),
        (0, 0, "it is older than the baseline"),
        (0, "", "it is older than the baseline"),
    ],
)  # fmt: skip
def test_commit_of_a_baseline_never_goes_back(store, run_of, commits, old, new, reason):
    old, new = (commits[one] if isinstance(one, int) else one for one in (old, new))
    # The clock of the later run is wrong: only commits count, if both runs have one.
    move(store, run_of(commit=old, number=9))
    run = run_of(commit=new, number=5)
    if reason is None:
        move(store, run)
        assert resolve(store, "main").name == run.name
    else:
        with pytest.raises(RefusedError, match=reason):
            move(store, run)


def test_runs_are_in_the_order_of_commits_and_a_wrong_clock_is_flagged(store, run_of, commits, command):
    late = run_of(commit=commits[0], number=20)
    middle = run_of(commit=commits[1], number=10)
    last = run_of(commit=commits[2], number=30)
    lines = command("runs", "--store", store.files.folder)[1].splitlines()
    assert [line.split()[0] for line in lines if line.startswith("2026")] == [late.name, middle.name, last.name]
    assert lines[1].startswith("  its clock is wrong, or an earlier commit was tested later")
    assert sum("clock" in line for line in lines) == 1


def test_bless_command(store, report, command, monkeypatch):
    place = store.files.folder
    words = ["bless", "--as", "main", "--because", "prompt 12", "--store", place]
    assert command(*words)[0] == 2
    good = store.push(report(), {}).run
    store.push(report(selection={"deselected": 1}), {})
    status, out, _ = command(*words)
    assert (status, out) == (0, f"blessed: {good} is main (7 passed)\n")
    broken = report(exit_status=1)
    status, _, err = command(*words, broken)
    assert status == 1
    assert "does not become main: the session exited with 1; to bless it all the same, give --although REASON" in err
    status, out, _ = command(*words, broken, "--although", "we know")
    assert status == 0
    assert resolve(store, "main~1").name == good
    assert command(*words, "store:main~1", "--although", "back to the one before")[0] == 0
    assert resolve(store, "main").name == good
    assert command(*words, "store:mian")[0] == 2
    assert "  baseline main" in command("runs", "--store", place)[1].splitlines()


def test_skipped_events_are_named(store, run_of, command):
    move(store, run_of())
    (store.files.folder / "baselines/notes.txt").write_text("mine")
    status, _, err = command("runs", "--store", store.files.folder)
    assert status == 0
    assert "skipped: baselines/notes.txt is no event of a baseline" in err


def test_store_of_another_program_is_not_touched(tmp_path, report):
    (tmp_path / "store").mkdir()
    (tmp_path / "store/mine.txt").write_text("mine")
    store = Store(StoreFiles(str(tmp_path / "store")))
    store.push(report(), {})
    assert (tmp_path / "store/mine.txt").read_text() == "mine"
    assert len(store.runs()) == 1
