"""``pytest-verdict bless``: make a stored run a baseline.

A run that failed, was a part of a session, is older than the baseline, or lacks tests, gates or tags of it is refused,
unless --although gives the reason, which is stored.

exit codes:
  0  the run is the baseline
  1  the run was refused
  2  there is no such run, or the store cannot be reached
"""

import argparse
from pathlib import Path

from pytest_verdict.console import complain, say
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.store.baselines import RefusedError, bless, resolve
from pytest_verdict.store.files import open_store
from pytest_verdict.store.push_command import add_store_argument
from pytest_verdict.store.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        help="the name of a run or its beginning, store:NAME, or a report's folder, which is pushed first"
        " (default: the newest run of a whole session)",
    )
    parser.add_argument("--as", dest="name", metavar="NAME", required=True, help="the baseline, such as main")
    parser.add_argument("--because", metavar="TEXT", required=True, help="why this run is good; the text is stored")
    parser.add_argument("--although", metavar="REASON", help="bless a run that would be refused")
    add_store_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    for option, reason in (("--because", arguments.because), ("--although", arguments.although)):
        if reason is not None and not reason.strip():
            raise ConfigurationError(f"{option}: the text is blank; write why, because it is all that others will know")
    store = Store(open_store(arguments.store))
    text = arguments.run
    if text is None:
        runs = store.runs(1, lambda index: not index.partial)
        if not runs:
            raise RecordError(f"{store.files} has no run of a whole session")
        stored = runs[0]
        if store.skipped:
            reason = f"because {store.skipped[0]}; name a run, such as {stored.name}"
            raise RecordError(f"nobody knows which run is the newest, {reason}")
    elif Path(text).is_dir():
        stored = store.find(store.push(Path(text), {}).run)
    else:
        stored = resolve(store, text.removeprefix("store:"))
    try:
        bless(store, stored, arguments.name, because=arguments.because, although=arguments.although or "")
    except RefusedError as error:
        complain(str(error))
        return 1
    say(f"blessed: {stored.name} is {arguments.name} ({stored.summary})")
    return 0
