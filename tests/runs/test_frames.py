"""``read_records`` and files of JSON lines in the libraries that people look at them with."""

from __future__ import annotations

import pytest

from pytest_verdict import read_records

PASSED = {
    ("capital", "small"): 0.0,
    ("capital", "large"): 1.0,
    ("people", "small"): 1.0,
    ("people", "large"): 1.0,
}
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")


@pytest.mark.ci
def test_a_frame_of_pandas(folder):
    frame = pandas.DataFrame(read_records(folder))
    parts = frame[frame["field"].isin(["capital", "people"])]
    passed = parts.groupby(["field", "param:model"])["verdict"].apply(lambda verdicts: (verdicts == "pass").mean())
    assert passed.to_dict() == PASSED


@pytest.mark.ci
def test_a_frame_of_polars(folder):
    frame = polars.DataFrame(list(read_records(folder)), infer_schema_length=None)
    parts = frame.filter(polars.col("field").is_in(["capital", "people"]))
    found = parts.group_by("field", "param:model").agg((polars.col("verdict") == "pass").mean().alias("rate"))
    assert {(field, model): rate for field, model, rate in found.iter_rows()} == PASSED


def test_a_query_of_duckdb(command, folder, tmp_path):
    target = tmp_path / "rows.jsonl"
    assert command("table", folder, "-o", target)[0] == 0
    query = f"""
        SELECT field, "param:model", avg((verdict = 'pass')::INT) FROM '{target}'
        WHERE field IN ('capital', 'people') GROUP BY ALL
    """
    assert {(field, model): rate for field, model, rate in duckdb.sql(query).fetchall()} == PASSED
