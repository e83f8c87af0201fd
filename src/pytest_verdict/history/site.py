"""``pytest-verdict trends``: write the history of a store as a static site.

The site is index.html in the folder. It is made from the indexes of the runs alone, loads nothing and needs no server: results
of each test in each run, rates with exact intervals, steps, flaky tests, and models beside one another.

exit codes:
  0  the site was written
  2  there is no run, or the store cannot be reached
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import say
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.core.values.display import format_count
from pytest_verdict.history.series import (
    PARAMETER,
    TAG,
    Rate,
    TestSeries,
    View,
    build_groups,
    build_views,
    default_keys,
)
from pytest_verdict.page.writing import build_document, encode_base64, read_asset
from pytest_verdict.store.files import open_store
from pytest_verdict.store.index import StoredRun
from pytest_verdict.store.runs_command import add_selection, select_runs
from pytest_verdict.store.store import Store

_PAGE_PACKAGE: Final = "pytest_verdict.page"
_RUN_MEMBERS: Final = {"started", "commit", "branch", "tags", "failed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="DIR", default="verify-trends", help="folder of the site (default: verify-trends)"
    )
    add_selection(parser, most=1_000)


def run(arguments: argparse.Namespace) -> int:
    store = Store(open_store(arguments.store))
    runs = select_runs(arguments, store, with_partial=False)
    folder = Path(arguments.output)
    write_whole(folder / "index.html", build_site(runs, str(store.files)))
    say(f"written: {folder / 'index.html'} ({format_count(len(runs), 'run')})")
    return 0


def build_site(runs: Sequence[StoredRun], title: str) -> str:
    """Build the HTML of the site."""
    keys = default_keys(runs)
    views = build_views(runs, keys)
    data = {
        "title": title,
        "views": list(map(_describe_view, views)),
        "groups": _describe_groups(views, keys[1:]),
    }
    package = str(__package__)
    style = read_asset(_PAGE_PACKAGE, "page.css") + read_asset(package, "site.css")
    script = read_asset(_PAGE_PACKAGE, "elements.js") + read_asset(package, "site.js")
    head, script, tail = build_document(read_asset(package, "site.html"), style, script)
    content = encode_base64(gzip.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), mtime=0))
    return f'{head}<script type="text/plain" id="data">{content}</script>\n{script}{tail}'


def _describe_view(view: View) -> dict[str, Any]:
    runs = [{"name": stored.name, **stored.index.model_dump(include=_RUN_MEMBERS)} for stored in view.runs]
    return {"label": view.label, "runs": runs, "tests": list(map(_describe_test, view.series))}


def _describe_test(one: TestSeries) -> dict[str, Any]:
    return {
        "test": one.test,
        # As the groups have them: a script would write 0.0 as 0, and True as true.
        "parameters": {name: str(value) for name, value in one.parameters.items()},
        **one.describe(),
        "rate": _describe_rate(one.rate(one.start)),
        "since_check": one.rate(one.last_cut)[:2],
    }


def _describe_groups(views: Sequence[View], tags: Sequence[str]) -> dict[str, list[Any]]:
    """Return the rates by each tag and parameter, over all tests since their checks changed."""
    parameters = sorted({name for view in views for one in view.series for name in one.parameters})
    described = {}
    for key in [*tags, *(f"{PARAMETER}{name}" for name in parameters)]:
        totals: dict[str, Rate] = {}
        for group in build_groups(views, [key]):
            before = totals.get(group.key[0], Rate(0, 0))
            totals[group.key[0]] = Rate(before.passed + group.rate.passed, before.total + group.rate.total)
        described[key.removeprefix(TAG)] = [
            [value, *_describe_rate(rate)] for value, rate in sorted(totals.items()) if rate.total
        ]
    return described


def _describe_rate(rate: Rate) -> list[float]:
    return [rate.passed, rate.total, *rate.interval]
