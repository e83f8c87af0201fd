"""``pytest-verdict history`` and ``trends``: what they print and write."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.history.series import build_groups, build_views
from pytest_verdict.history.terminal import format_groups
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import write_run, write_series


def data_of(path):
    text = re.search(r'id="data">([A-Za-z0-9+/=]*)<', path.read_text("ascii"))[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_history_in_the_terminal(command, tmp_path):
    write_series(tmp_path, a="pppp" * 10, b="p" * 20 + "f" * 20)
    write_run(tmp_path, {"a": "p", "b": "f"}, number=40, checks={"a": ["new"]})
    status, out, _ = command("history", "--store", tmp_path)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "41 runs, from 2026-01-01 to 2026-01-02"
    assert lines[1:3] == ["a", f"  {'█' * 40}|█  1 of 1, 100 % [2.5, 100], since 2026-01-02"]
    assert lines[3].startswith("  check changed at 2026-01-02: pytest-verdict diff store:20260102T150000-")
    assert lines[4:6] == ["b", f"  {'█' * 20}{'▁' * 21}  0 of 21, 0 % [0, 16.2], since 2026-01-01"]
    assert lines[6].startswith("  step down at 2026-01-01: 20 of 20 -> 0 of 21, p = ")
    assert len(lines) == 7


def test_history_selects_tests_and_runs(command, tmp_path):
    write_series(tmp_path, **{"tests/a.py::one[x]": "ppp", "tests/b.py::two": "ppp"})
    assert command("history", "tests/a.py::one[x]", "--store", tmp_path)[1].count("::") == 1
    assert command("history", "tests/*", "--store", tmp_path)[1].count("::") == 2
    assert command("history", "--last", "2", "--store", tmp_path)[1].startswith("2 runs")
    for number in ("0", "-1"):
        status, _, err = command("history", "--last", number, "--store", tmp_path)
        assert (status, err) == (2, f"pytest-verdict: --last: a number of runs from 1 is needed, got {number}\n")
    status, _, err = command("history", "tests/a.py::on", "--store", tmp_path)
    assert status == 2
    assert "no test matches 'tests/a.py::on', did you mean 'tests/a.py::one[x]'?" in err
    assert command("history", "--tag", "model=small", "--store", tmp_path)[0] == 2


def test_history_as_json(command, tmp_path):
    write_series(tmp_path, a="p" * 20 + "f" * 20)
    status, out, _ = command("history", "--format", "json", "--by", "test", "--store", tmp_path)
    (one,) = json.loads(out)
    assert (one["test"], one["passed"], one["total"], one["rate"]) == ("a", 0, 20, 0.0)
    assert one["interval"] == [0.0, 0.168434]
    (step,) = one["changes"]
    assert (step["at"], step["from"], one["start"]) == (20, 19, 20)
    assert one["runs"][step["at"]]["run"].startswith("20260101T200000-")
    assert (step["before"], step["after"]) == ([20, 20], [0, 20])
    assert status == 0


def test_history_by_tag(command, tmp_path):
    for number in range(6):
        write_run(tmp_path, {"a": "pf"[number % 2]}, number=number, tags={"model": ["small", "large"][number % 2]})
    out = command("history", "--by", "test,tag:model", "--store", tmp_path)[1].splitlines()
    assert out[1:] == [
        "a, tag:model=large", "  ▁▁▁  0 of 3, 0 % [0, 70.8], since 2026-01-01",
        "a, tag:model=small", "  ███  3 of 3, 100 % [29.2, 100], since 2026-01-01",
    ]  # fmt: skip
    out = command("history", "--by", "tag:model", "--store", tmp_path)[1].splitlines()
    assert [line for line in out if "=" in line] == ["tag:model=large", "tag:model=small"]
    assert command("history", "--by", "tag:modle", "--store", tmp_path)[0] == 2


def test_parts_of_sessions_do_not_count(command, tmp_path):
    write_series(tmp_path, a="ppp")
    write_run(tmp_path, {"a": "f"}, number=9, partial=["only a part was selected: -k"])
    assert "3 of 3" in command("history", "--store", tmp_path)[1]


@pytest.mark.ci
def test_session_that_was_pushed_twice_counts_once(command, store, report):
    tags = {"model": "small", "prompt": "12"}
    for folder in (report(), report()):
        for _ in range(2):
            store.push(folder, tags)
        with pytest.raises(ConfigurationError, match="a stored run is never changed"):
            store.push(folder, {"model": "large"})
    for words in ([], ["--tag", "model=small", "--tag", "prompt=12"]):
        out = command("history", "*city", "--by", "test", "--store", store.files.folder, *words)[1]
        assert "  ██  2 of 2, " in out
    assert command("history", "--tag", "model=large", "--store", store.files.folder)[0] == 2
    assert command("runs", "--store", store.files.folder)[1].count("7 passed") == 2


def test_narrow_encoding_has_another_sparkline(tmp_path):
    write_series(tmp_path, a="pfs")
    runs = Store(StoreFiles(str(tmp_path))).runs()
    groups = build_groups(build_views(runs, ["test"]), ["test"])
    lines = {encoding: list(format_groups(groups, runs, ["test"], encoding))[2] for encoding in ("utf-8", "ascii", "?")}
    assert lines["utf-8"].startswith("  █▁   1 of 2")
    assert lines["ascii"] == lines["?"] == lines["utf-8"].replace("█▁", "#.")


HOSTILE = {
    "test": "t.py::test[</script><script>alert(1)</script>]",
    "tag": "<img src=x onerror=alert(1)>",
    "branch": "</script>\u202e\x00",
}


@pytest.fixture
def site(command, tmp_path):
    def build(*words):
        status, out, err = command("trends", "--store", tmp_path / "store", "-o", tmp_path / "site", *words)
        assert status == 0, err
        assert out.startswith(f"written: {tmp_path / 'site' / 'index.html'}")
        return tmp_path / "site" / "index.html"

    return build


def test_site_is_one_file_that_loads_nothing(site, tmp_path):
    write_series(tmp_path / "store", a="p" * 20 + "f" * 20, b="pfpfp" * 8)
    page = site()
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]
    text = page.read_text("ascii")
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "").replace(
        "https?|file", ""
    )
    (view,) = data_of(page)["views"]
    a, b = view["tests"]
    assert (a["letters"], a["rate"][:2], a["start"]) == ("p" * 20 + "f" * 20, [0, 20], 20)
    assert a["changes"][0]["at"] == 20
    assert a["changes"][0]["from"] == 19
    assert (a["flaky"], b["flaky"]) == ("", "its answers differ")


def test_hostile_names_are_data(site, tmp_path):
    write_run(tmp_path / "store", {HOSTILE["test"]: "p"}, tags={"model": HOSTILE["tag"]}, branch=HOSTILE["branch"])
    page = site()
    text = page.read_text("ascii")
    assert "alert(1)" not in text
    (view,) = data_of(page)["views"]
    assert view["tests"][0]["test"] == HOSTILE["test"]
    assert view["runs"][0]["tags"] == {"model": HOSTILE["tag"]}


def test_groups_and_views_of_the_site(site, tmp_path):
    for number in range(8):
        model = "ab"[number % 2]
        tests = {"t[1]": "p" if model == "a" else "f", "t[2]": "p"}
        parameters = {"t[1]": {"number": 1}, "t[2]": {"number": 2}}
        write_run(tmp_path / "store", tests, number=number, tags={"model": model}, parameters=parameters)
    data = data_of(site())
    assert [view["label"] for view in data["views"]] == [{"tag:model": "a"}, {"tag:model": "b"}]
    assert [row[:3] for row in data["groups"]["model"]] == [["a", 8, 8], ["b", 4, 8]]
    assert [row[:3] for row in data["groups"]["param:number"]] == [["1", 4, 8], ["2", 8, 8]]


@pytest.mark.parametrize("value", [0.0, 1.0, True, False, 1e-05, 1e22, 0, -0.0, None, "a", "", [1, True], {"a": 1.0}])
def test_parameters_are_the_values_of_their_groups(site, tmp_path, value):
    write_run(tmp_path / "store", {"t": "p"}, parameters={"t": {"p": value}})
    data = data_of(site())
    assert [row[0] for row in data["groups"]["param:p"]] == [data["views"][0]["tests"][0]["parameters"]["p"]]


def test_no_runs(command, tmp_path):
    status, _, err = command("trends", "--store", tmp_path / "store", "-o", tmp_path / "site")
    assert status == 2
    assert "has no such run of a whole session" in err
    assert not (tmp_path / "site").exists()
