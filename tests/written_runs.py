"""Runs of a store for the tests: written from outcomes, and reports of a real session that a test alters."""

from __future__ import annotations

import datetime
import hashlib
import json
import re

from pytest_verdict.store import index as indexes
from pytest_verdict.store.files import StoreFiles

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def write_run(store, outcomes, *, number=0, checks=None, answers=None, attempts=None, parameters=None, **members):
    """Write a run, of a letter for each test; the number is its place in time."""
    files = StoreFiles(str(store))
    checks = checks or {}
    answers = answers or {}
    table = indexes._encode(
        {
            "tests": list(outcomes),
            "parameters": [(parameters or {}).get(test, {}) for test in outcomes],
            "checks": ["".join(map(indexes._digest, checks.get(test, [test]))) for test in outcomes],
        }
    )
    digest = hashlib.sha256(table).hexdigest()[:16]
    started = (BEGIN + datetime.timedelta(hours=number)).isoformat(timespec="seconds")
    document = {
        "index": 1,
        "started": started,
        "commit": "",
        "branch": "main",
        "tests": digest,
        "outcomes": "".join(outcomes.values()),
        "attempts": {str(list(outcomes).index(test)): counts for test, counts in (attempts or {}).items()},
        "answers": "".join(indexes._digest(answers.get(test, number)) for test in outcomes),
        **members,
    }
    index = indexes._encode(document)
    name = f"{re.sub(r'[-:]', '', started)[:15]}-{hashlib.sha256(index).hexdigest()[:8]}"
    files.write(f"tests/{digest}.json.gz", indexes._compress(table))
    files.write(f"runs/{name[:4]}/{name[4:6]}/{name}/index.json.gz", indexes._compress(index))
    return name


def write_series(store, **letters):
    """Write a run for each letter of the tests; a blank is a run without the test."""
    for number in range(max(map(len, letters.values()))):
        write_run(store, {name: text[number] for name, text in letters.items() if text[number] != " "}, number=number)


def alter(folder, **members):
    """Change members of a report's run section, or of the report itself; None removes one."""
    path = folder / "report.json"
    document = json.loads(path.read_text("utf-8"))
    for name, value in members.items():
        target = document if name in {*document, "gates"} - {"run"} else document["run"]
        target[name] = value
        if value is None:
            del target[name]
    document["records"]["sha256"] = hashlib.sha256((folder / "records.jsonl").read_bytes()).hexdigest()
    run = document.pop("run")
    del run["sha256"]
    text = f'{json.dumps({**document, "run": run})[:-2]}, "sha256": '
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    path.write_text(f'{text}"{digest}"}}\n}}\n', encoding="ascii")
    return folder
