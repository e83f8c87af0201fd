"""``pytest-verdict blind``: compare two outputs without telling the judge who made which.

FIRST and SECOND are files or folders. The folder DIR gets commitment.json, comparison.json and blind.json.

--judge human and --judge folder write a folder for each question. A person fills in form.yaml; a program answers request.json
in reply.json. Run the same command again to read the answers.

exit codes:
  0  there is a verdict
  1  there is no verdict
  2  something cannot be read, or the judge would not be blind
  3  answers are awaited
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError

if TYPE_CHECKING:
    from pytest_verdict.blind.protocol import BlindProtocol

_EXIT_AWAITED: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("first", type=Path, metavar="FIRST", help="an output")
    add("second", type=Path, metavar="SECOND", help="the other output")
    add("--prompt", type=Path, required=True, metavar="FILE", help="the task of both outputs")
    add("--judge", required=True, help="package.module:name, kind:text, human or folder")
    add(
        "-o",
        "--output",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder for the files (default: this folder)",
    )
    add("--names", nargs=2, metavar=("FIRST", "SECOND"), help="names of the outputs (default: names of their files)")
    add("--expectations", type=Path, metavar="FILE", help="statements that each output should meet, one on each line")
    add("--rubric", type=Path, metavar="FILE", help="a rubric (default: the built-in one)")
    add("--key", help="source of the assignment (default: random bits)")
    add("--leaks", default="fail", help="policy for names of outputs: fail, redact or record (default: fail)")
    add_protocol_options(parser)


def add_protocol_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--order", default="both", help="both or single (default: both)")
    add("--repetitions", type=int, default=1, help="how often each order is asked (default: 1)")
    add("--rule", default="majority", help="majority, supermajority, unanimous or abstain (default: majority)")
    add("--retries", type=int, default=1, help="how often a broken reply is asked for again (default: 1)")
    add("--resolve", default="derived", help="effect of a contradiction: derived, strict, abstain (default: derived)")
    add("--timeout", type=float, metavar="SECONDS", help="longest time of a call (default: no limit)")
    add("--cache", type=Path, metavar="DIR", help="keep replies in this folder, and ask only for those that it lacks")


def read_protocol(arguments: argparse.Namespace) -> BlindProtocol:
    # Import pydantic models only when the command runs, not for its help text.
    from pytest_verdict.blind.protocol import BlindProtocol

    names = [name for name in BlindProtocol.model_fields if hasattr(arguments, name)]
    return BlindProtocol(**{name: getattr(arguments, name) for name in names})


def open_judge(arguments: argparse.Namespace) -> Any:
    """Return the judge that the arguments name, with the replies in its cache."""
    from pytest_verdict.judging.protocol import find_judge
    from pytest_verdict.judging.recording import RecordedJudge

    judge = find_judge(arguments.judge)
    if arguments.cache is None:
        return judge
    return RecordedJudge(arguments.cache, judge, mode="record")


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.blind.api import blind_compare
    from pytest_verdict.blind.human import FolderJudge, HumanJudge
    from pytest_verdict.blind.options import UNNAMED

    prompt = _read_text(arguments.prompt)
    expectations = _read_text(arguments.expectations).splitlines() if arguments.expectations else ()
    names = tuple(arguments.names or (arguments.first.stem, arguments.second.stem))
    if not arguments.names and (names[0] == names[1] or {"A", "B", "TIE"} & set(names)):
        names = UNNAMED
    later_judges = {"human": HumanJudge, "folder": FolderJudge}
    if arguments.judge not in later_judges:
        judge = open_judge(arguments)
    elif arguments.order == "single" and arguments.key is None:
        reason = "a later run would show the outputs in another order"
        raise ConfigurationError(f"--judge {arguments.judge} with --order single needs --key: {reason}")
    else:
        judge = later_judges[arguments.judge](arguments.output / "judgments")

    try:
        comparison = blind_compare(
            arguments.first,
            arguments.second,
            prompt,
            judge,
            tuple(filter(None, expectations)),
            arguments.rubric,
            names=names,
            protocol=read_protocol(arguments),
            key=arguments.key,
            output=arguments.output,
        )
    except AwaitingJudgmentError as error:
        say(*dict.fromkeys(str(error).split("; ")))
        return _EXIT_AWAITED
    if not comparison.is_conclusive:
        complain(f"{comparison.status}: {comparison.result.error or 'there is no verdict'}")
        return 1
    say(f"{comparison.status}, winner: {comparison.winner}")
    return 0


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None
