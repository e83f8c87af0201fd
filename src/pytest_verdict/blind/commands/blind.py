"""``pytest-verdict blind``: compare outputs without telling the judge who made which.

FIRST and SECOND are two outputs, files or folders. With --pairs they are two folders of outputs, compared name by name. A
single folder is an iteration of the skill-creator workflow: eval-*/{with_skill,without_skill}/run-*/outputs, with the task and
the assertions in eval_metadata.json and, if they exist, the gradings of both runs.

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
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError

if TYPE_CHECKING:
    from pytest_verdict.blind.api import BlindComparison
    from pytest_verdict.blind.pairs import PairSeries
    from pytest_verdict.blind.protocol import BlindProtocol

_EXIT_AWAITED: Final = 3
_LATER_JUDGES: Final = ("human", "folder")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("outputs", nargs="+", metavar="OUTPUT", help="FIRST SECOND, or one iteration")
    add("--judge", required=True, help="package.module:name, kind:text, human or folder")
    add("-o", "--output", type=Path, metavar="DIR", help="the folder for the files (default for one pair: this folder)")
    add("--pairs", action="store_true", help="FIRST and SECOND are folders of outputs (default: no)")
    add("--names", nargs=2, metavar=("FIRST", "SECOND"), help="names of the outputs (default: names of their files)")
    add("--prompt", type=Path, metavar="FILE", help="the task; with --pairs also a folder with a file for each pair")
    add("--expectations", type=Path, metavar="FILE", help="statements that each output should meet, one on each line")
    add("--rubric", type=Path, metavar="FILE", help="a rubric (default: the built-in one)")
    add("--key", help="source of the assignments (default: random bits)")
    add("--prefer", metavar="NAME", help="the output that is expected to win (default: none)")
    add("--leaks", default="fail", help="policy for names of outputs: fail, redact or record (default: fail)")
    add_protocol_options(parser)


def add_protocol_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--order", default="both", help="both, single or latin4 (default: both)")
    add("--repetitions", type=int, default=1, help="how often each order is asked (default: 1)")
    add("--rule", default="majority", help="majority, supermajority, unanimous or abstain (default: majority)")
    add("--retries", type=int, default=1, help="how often a broken reply is asked for again (default: 1)")
    add("--resolve", default="derived", help="effect of a contradiction: derived, strict, abstain (default: derived)")
    add("--timeout", type=float, metavar="SECONDS", help="longest time of a call (default: no limit)")
    add(
        "--max-concurrency", type=int, default=1, metavar="N", help="how many calls the judge gets at once (default: 1)"
    )
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
    from pytest_verdict.blind.api import compare_pairs
    from pytest_verdict.blind.pairs import BENCHMARK, SUMMARY, write_benchmark

    names, pairs = _read_pairs(arguments)
    if arguments.prefer is not None and arguments.prefer not in names:
        raise ConfigurationError(f"--prefer {arguments.prefer} is none of the outputs {names[0]} and {names[1]}")
    if arguments.output is None:
        if len(arguments.outputs) == 1 or arguments.pairs:
            raise ConfigurationError("several comparisons need a folder: -o DIR")
        arguments.output = Path()
    arguments.output.mkdir(parents=True, exist_ok=True)

    try:
        comparisons = compare_pairs(
            pairs,
            _open_judge(arguments),
            arguments.rubric,
            names=names,
            protocol=read_protocol(arguments),
            key=arguments.key,
            output=arguments.output,
            max_concurrency=arguments.max_concurrency,
        )
    except AwaitingJudgmentError as error:
        say(*dict.fromkeys(str(error).split("; ")))
        return _EXIT_AWAITED

    summary = _summarize(comparisons, names)
    lines = list(_format_summary(summary))
    (arguments.output / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8", newline="\n")
    if len(arguments.outputs) == 1:
        skill = Path(arguments.outputs[0]).resolve().parent.name.removesuffix("-workspace")
        notes = [f"blind comparison: {line}" for line in lines]
        write_benchmark(arguments.output / BENCHMARK, skill, pairs, names, notes)
    for name, comparison in comparisons.items():
        if not comparison.is_conclusive:
            complain(f"{name or arguments.output}: {comparison.status}: {comparison.result.error}")
    say(*lines)
    if summary["without_verdict"]:
        return 1
    if arguments.prefer is not None and 2 * summary["wins"][arguments.prefer] <= summary["win_rate"]["decided"]:
        return 1
    return 0


def _read_pairs(arguments: argparse.Namespace) -> PairSeries:
    from pytest_verdict.blind.options import UNNAMED
    from pytest_verdict.blind.pairs import Pair, PairSeries, pair_by_name, read_iteration, read_text

    paths = [Path(path) for path in arguments.outputs]
    if len(paths) == 1:
        if arguments.names or arguments.prompt or arguments.expectations or arguments.pairs:
            raise ConfigurationError(
                "an iteration has its own names, prompts and expectations; leave out --names, --prompt, --expectations and"
                " --pairs"
            )
        return read_iteration(paths[0])
    if len(paths) != 2 or arguments.prompt is None:
        raise ConfigurationError("give two outputs and --prompt FILE, or one iteration of the skill-creator workflow")

    names = UNNAMED
    stems = {path.stem: None for path in paths if path.stem not in {"A", "B", "TIE"}}
    if arguments.names:
        names = (arguments.names[0], arguments.names[1])
    elif len(stems) == 2:
        first, second = stems
        names = (first, second)

    expectations: tuple[str, ...] = ()
    if arguments.expectations:
        expectations = tuple(filter(None, read_text(arguments.expectations).splitlines()))
    if arguments.pairs:
        return PairSeries(names, pair_by_name(paths[0], paths[1], arguments.prompt, expectations))
    prompt = read_text(arguments.prompt)
    return PairSeries(names, [Pair(name="", outputs=(paths[0], paths[1]), prompt=prompt, expectations=expectations)])


def _open_judge(arguments: argparse.Namespace) -> Any:
    from pytest_verdict.blind.human import FolderJudge, HumanJudge

    if arguments.judge not in _LATER_JUDGES:
        return open_judge(arguments)
    if arguments.order == "single" and arguments.key is None:
        reason = "a later run would show the outputs in another order"
        raise ConfigurationError(f"--judge {arguments.judge} with --order single needs --key: {reason}")
    folder = arguments.output / "judgments"
    return HumanJudge(folder) if arguments.judge == "human" else FolderJudge(folder)


def _summarize(comparisons: Mapping[str, BlindComparison], names: tuple[str, str]) -> dict[str, Any]:
    from pytest_verdict.operators.pass_rate import exact_interval
    from pytest_verdict.runs.significance import mcnemar

    winners = Counter(comparison.winner if comparison.is_conclusive else None for comparison in comparisons.values())
    first_wins = winners[names[0]]
    second_wins = winners[names[1]]
    decided = first_wins + second_wins
    win_rate: dict[str, Any] = {"of": names[0], "decided": decided, "rate": None, "interval": None, "p": None}
    if decided:
        win_rate["rate"] = first_wins / decided
        win_rate["interval"] = list(exact_interval(first_wins, decided))
        win_rate["p"] = mcnemar(second_wins, first_wins)
    flips = sum(comparison.result.details.get("order_flips", 0) > 0 for comparison in comparisons.values())
    return {
        "pairs": len(comparisons),
        "wins": {names[0]: first_wins, names[1]: second_wins},
        "ties": winners["TIE"],
        "without_verdict": winners[None],
        "order_flips": flips,
        "win_rate": win_rate,
        "comparisons": {
            name: {"status": comparison.status, "winner": comparison.winner} for name, comparison in comparisons.items()
        },
    }


def _format_summary(summary: Mapping[str, Any]) -> Iterator[str]:
    wins = ", ".join(f"{name} won {count}" for name, count in summary["wins"].items())
    ties = format_count(summary["ties"], "tie")
    flips = format_count(summary["order_flips"], "order flip")
    yield f"{format_count(summary['pairs'], 'pair')}: {wins}, {ties}, {summary['without_verdict']} without a verdict; {flips}"

    rate = summary["win_rate"]
    if rate["decided"]:
        low, high = rate["interval"]
        share = f"{rate['rate']:.0%} of {rate['decided']} decided"
        yield f"win rate of {rate['of']}: {share} [{low:.2f}, {high:.2f}], p {rate['p']:.3g}"
