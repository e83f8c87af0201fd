"""``pytest-verdict blind``: compare outputs without telling the judge who made which.

FIRST and SECOND are two outputs, files or folders. With --pairs they are two folders of outputs, compared name by name.

--judge human writes a folder for each question. Fill in form.yaml, and run the same command again to read the answers.

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
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError

if TYPE_CHECKING:
    from pytest_verdict.blind.api import BlindComparison
    from pytest_verdict.blind.pairs import Pair
    from pytest_verdict.blind.protocol import BlindProtocol

_EXIT_AWAITED: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("outputs", nargs=2, type=Path, metavar="OUTPUT", help="the two outputs, or with --pairs two folders of outputs")
    add("--judge", required=True, help="package.module:name, kind:text or human")
    add("-o", "--output", type=Path, metavar="DIR", help="the folder for the files (default for one pair: this folder)")
    add("--pairs", action="store_true", help="FIRST and SECOND are folders of outputs (default: no)")
    add("--names", nargs=2, metavar=("FIRST", "SECOND"), help="names of the outputs (default: names of their files)")
    add(
        "--prompt",
        type=Path,
        required=True,
        metavar="FILE",
        help="the task; with --pairs also a folder with a file for each pair",
    )
    add("--expectations", type=Path, metavar="FILE", help="statements that each output should meet, one on each line")
    add("--rubric", type=Path, metavar="FILE", help="a rubric (default: the built-in one)")
    add("--key", help="source of the assignments (default: random bits)")
    add("--prefer", metavar="NAME", help="the output that is expected to win (default: none)")
    add("--leaks", default="fail", help="policy for names of outputs: fail or record (default: fail)")
    add_protocol_options(parser)


def add_protocol_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--order", default="both", help="both or single (default: both)")
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
    from pytest_verdict.blind.pairs import SUMMARY

    names = _choose_names(arguments)
    pairs = _read_pairs(arguments)
    if arguments.prefer is not None and arguments.prefer not in names:
        raise ConfigurationError(f"--prefer {arguments.prefer} is none of the outputs {names[0]} and {names[1]}")
    if arguments.output is None:
        if arguments.pairs:
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

    for name, comparison in comparisons.items():
        if not comparison.is_conclusive:
            complain(f"{name or arguments.output}: {comparison.status}: {comparison.result.error}")
    summary = _summarize(comparisons, names)
    (arguments.output / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8", newline="\n")
    if summary["without_verdict"]:
        return 1
    if arguments.prefer is not None and 2 * summary["wins"][arguments.prefer] <= summary["win_rate"]["decided"]:
        return 1
    return 0


def _choose_names(arguments: argparse.Namespace) -> tuple[str, str]:
    from pytest_verdict.blind.options import UNNAMED

    first, second = arguments.names or [path.stem for path in arguments.outputs]
    if not arguments.names and (first == second or {first, second} & {"A", "B", "TIE"}):
        return UNNAMED
    return first, second


def _read_pairs(arguments: argparse.Namespace) -> list[Pair]:
    from pytest_verdict.blind.pairs import Pair, pair_by_name, read_text

    first, second = arguments.outputs
    expectations: tuple[str, ...] = ()
    if arguments.expectations:
        expectations = tuple(filter(None, read_text(arguments.expectations).splitlines()))
    if arguments.pairs:
        return pair_by_name(first, second, arguments.prompt, expectations)
    prompt = read_text(arguments.prompt)
    return [Pair(name="", outputs=(first, second), prompt=prompt, expectations=expectations)]


def _open_judge(arguments: argparse.Namespace) -> Any:
    from pytest_verdict.blind.human import HumanJudge

    if arguments.judge != "human":
        return open_judge(arguments)
    if arguments.order == "single" and arguments.key is None:
        reason = "a later run would show the outputs in another order"
        raise ConfigurationError(f"--judge human with --order single needs --key: {reason}")
    return HumanJudge(arguments.output / "judgments")


def _summarize(comparisons: Mapping[str, BlindComparison], names: tuple[str, str]) -> dict[str, Any]:
    """Count and print who won how often, and return the counts."""
    from pytest_verdict.operators.pass_rate import exact_interval
    from pytest_verdict.runs.significance import mcnemar

    winners = Counter(comparison.winner for comparison in comparisons.values())
    wins = {name: winners[name] for name in names}
    flips = sum(comparison.result.details.get("order_flips", 0) > 0 for comparison in comparisons.values())
    say(
        f"{format_count(len(comparisons), 'pair')}: {', '.join(f'{name} won {count}' for name, count in wins.items())},"
        f" {format_count(winners['TIE'], 'tie')}, {winners[None]} without a verdict; {format_count(flips, 'order flip')}"
    )
    first, second = wins.values()
    decided = first + second
    win_rate: dict[str, Any] = {"of": names[0], "decided": decided, "rate": None, "interval": None, "p": None}
    if decided:
        low, high = exact_interval(first, decided)
        win_rate |= {"rate": first / decided, "interval": [low, high], "p": mcnemar(second, first)}
        share = f"{first / decided:.0%} of {decided} decided"
        say(f"win rate of {names[0]}: {share} [{low:.2f}, {high:.2f}], p {win_rate['p']:.3g}")
    return {
        "pairs": len(comparisons),
        "wins": wins,
        "ties": winners["TIE"],
        "without_verdict": winners[None],
        "order_flips": flips,
        "win_rate": win_rate,
        "comparisons": {
            name: {"status": comparison.status, "winner": comparison.winner} for name, comparison in comparisons.items()
        },
    }
