"""A row that did not pass is shown with its file and line, also if it has an id."""

import json

import pytest

from pytest_verdict.cli import main
from pytest_verdict.datasets.check import check_dataset
from pytest_verdict.errors import MismatchError

ROWS = [("r1", "a", "a"), ("r2", "b", "x"), ("r3", "c", "c"), ("r4", "d", "y")]
FILES = {
    "rows.csv": ("id,want,got\n" + "".join(",".join(row) + "\n" for row in ROWS), [3, 5]),
    "rows.jsonl": (
        "".join(json.dumps(dict(zip(("id", "want", "got"), row, strict=True))) + "\n" for row in ROWS),
        [2, 4],
    ),
    "rows.yaml": ("".join(f"- {{id: {name}, want: {want}, got: {got}}}\n" for name, want, got in ROWS), [2, 4]),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("jobs", [None, 1])
def test_a_failed_row_with_an_id_has_its_place(write, name, jobs):
    content, lines = FILES[name]
    with pytest.raises(MismatchError) as error:
        check_dataset(write(name, content), "exact", expected="want", observed="got", ids="$.id", jobs=jobs)
    shown = str(error.value).splitlines()
    assert [line.strip() for line in shown if line.startswith("  row: ")] == [f"row: {name}:{line}" for line in lines]
    assert sum("'r2'" in line for line in shown) == 2


def test_a_failed_row_without_an_id_is_named_by_its_place(write):
    with pytest.raises(MismatchError) as error:
        check_dataset(write("rows.csv", FILES["rows.csv"][0]), "exact", expected="want", observed="got")
    assert "exact 'rows.csv:3'" in str(error.value)
    assert "row: " not in str(error.value)


def test_score_shows_the_place_of_a_failed_row(write, capsys):
    path = write("rows.csv", FILES["rows.csv"][0])
    options = ["--operator", "exact", "--expected", "want", "--observed", "got", "--ids", "id", "-j", "1"]
    for _ in range(2):
        assert main(["score", str(path), *options, "-o", str(path.parent / "out")]) == 1
        assert "row: rows.csv:5" in capsys.readouterr().out


def test_the_places_of_a_selection_are_those_in_the_file(write):
    with pytest.raises(MismatchError) as error:
        check_dataset(
            write("rows.csv", FILES["rows.csv"][0]), "exact", expected="want", observed="got", ids="$.id", limit=2
        )
    assert "row: rows.csv:3" in str(error.value)
