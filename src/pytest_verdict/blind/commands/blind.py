"""``pytest-verdict blind``: compare outputs without telling the judge who made which.

FIRST and SECOND are two outputs, files or folders; the folder DIR gets commitment.json, comparison.json and blind.json. With
--pairs they are two folders of outputs, compared name by name; DIR gets a folder for each pair, and summary.json. FIRST
alone is an iteration of the skill-creator workflow: eval-*/{with_skill,without_skill}/run-*/outputs, with the task and the
assertions in eval_metadata.json and, if they exist, the gradings of both runs; DIR also gets benchmark.json.

--judge human and --judge folder write a folder for each question. A person fills in form.yaml; a program answers request.json
in reply.json. Run the same command again to read the answers.

exit codes:
  0  every pair has a verdict and, with --prefer, that output won more pairs than the other
  1  a pair has no verdict, or the other output won as often
  2  something cannot be read, or the judge would not be blind
  3  answers are awaited
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.new_files import write_whole
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_verdict.blind.api import BlindComparison
    from pytest_verdict.blind.protocol import BlindProtocol
    from pytest_verdict.blind.skill_creator import Iteration

_EXIT_AWAITED: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("first", type=Path, metavar="FIRST", help="an output")
    add("second", type=Path, nargs="?", metavar="SECOND", help="the other output")
    add("--pairs", action="store_true", help="FIRST and SECOND are folders of outputs (default: no)")
    prompt = "the task; with --pairs also a folder with a file for each pair"
    add("--prompt", type=Path, metavar="FILE", help=prompt)
    add("--judge", required=True, help="package.module:name, kind:text, human or folder")
    add("-o", "--output", type=Path, metavar="DIR", help="the folder for the files (default for one pair: this folder)")
    add("--names", nargs=2, metavar=("FIRST", "SECOND"), help="names of the outputs (default: names of their files)")
    add("--expectations", type=Path, metavar="FILE", help="statements that each output should meet, one on each line")
    add("--rubric", type=Path, metavar="FILE", help="a rubric (default: the built-in one)")
    add("--key", help="source of the assignment (default: random bits)")
    add("--leaks", default="fail", help="policy for names of outputs: fail, redact or record (default: fail)")
    add("--prefer", metavar="NAME", help="the output that is expected to win (default: none)")
    add("--max-concurrency", type=int, default=1, metavar="N", help="how many pairs are judged at once (default: 1)")
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
    from pytest_verdict.blind.files import format_json
    from pytest_verdict.blind.pairs import format_summary, summarize
    from pytest_verdict.blind.skill_creator import read_iteration, write_benchmark

    iteration = None
    if arguments.second is None:
        if arguments.names or arguments.prompt or arguments.expectations or arguments.pairs:
            raise ConfigurationError("an iteration has its own names, prompts and expectations; leave out yours")
        iteration = read_iteration(arguments.first)
    elif arguments.prompt is None:
        raise ConfigurationError("two outputs need their task: --prompt FILE")
    names = iteration.names if iteration else _read_names(arguments)
    if arguments.prefer not in (None, *names):
        raise ConfigurationError(f"--prefer {arguments.prefer} is none of the outputs {names[0]} and {names[1]}")
    is_series = arguments.pairs or iteration is not None
    if is_series and arguments.output is None:
        raise ConfigurationError("several comparisons need a folder: -o DIR")
    output = arguments.output or Path()
    try:
        comparisons = _compare(arguments, iteration, names, output)
    except AwaitingJudgmentError as error:
        say(*dict.fromkeys(str(error).split("; ")))
        return _EXIT_AWAITED

    summary = summarize(comparisons, names)
    lines = list(format_summary(summary))
    for name, comparison in comparisons.items():
        if not comparison.is_conclusive:
            reason = comparison.result.error or "there is no verdict"
            complain(f"{name}: {comparison.status}: {reason}".removeprefix(": "))
        elif not is_series:
            say(f"{comparison.status}, winner: {comparison.winner}")
    if is_series:
        write_whole(output / "summary.json", format_json(summary))
        say(*lines)
    if iteration:
        skill = arguments.first.resolve().parent.name.removesuffix("-workspace")
        write_benchmark(output / "benchmark.json", skill, iteration, [f"blind comparison: {line}" for line in lines])
    is_preferred = arguments.prefer is None or 2 * summary["wins"][arguments.prefer] > summary["win_rate"]["of"]
    return 0 if is_preferred and not summary["without_verdict"] else 1


def _compare(
    arguments: argparse.Namespace, iteration: Iteration | None, names: tuple[str, str], output: Path
) -> Mapping[str, BlindComparison]:
    from pytest_verdict.blind.api import blind_compare, compare_pairs
    from pytest_verdict.blind.pairs import pair_by_name, read_text

    judge = _open_judge(arguments, output / "judgments")
    options: Any = {"names": names, "protocol": read_protocol(arguments), "key": arguments.key, "output": output}
    lines = read_text(arguments.expectations).splitlines() if arguments.expectations else ()
    expectations = tuple(filter(None, lines))
    outputs = (arguments.first, arguments.second)
    if iteration is None and not arguments.pairs:
        prompt = read_text(arguments.prompt)
        return {"": blind_compare(*outputs, prompt, judge, expectations, arguments.rubric, **options)}
    pairs = iteration.pairs if iteration else pair_by_name(*outputs, arguments.prompt, expectations)
    return compare_pairs(pairs, judge, arguments.rubric, max_concurrency=arguments.max_concurrency, **options)


def _read_names(arguments: argparse.Namespace) -> tuple[str, str]:
    from pytest_verdict.blind.options import UNNAMED

    first, second = arguments.names or (arguments.first.stem, arguments.second.stem)
    if not arguments.names and (first == second or {"A", "B", "TIE"} & {first, second}):
        return UNNAMED
    return first, second


def _open_judge(arguments: argparse.Namespace, folder: Path) -> Any:
    from pytest_verdict.blind.human import FolderJudge, HumanJudge

    later_judges = {"human": HumanJudge, "folder": FolderJudge}
    if arguments.judge not in later_judges:
        return open_judge(arguments)
    if arguments.order == "single" and arguments.key is None:
        reason = "a later run would show the outputs in another order"
        raise ConfigurationError(f"--judge {arguments.judge} with --order single needs --key: {reason}")
    return later_judges[arguments.judge](folder)
