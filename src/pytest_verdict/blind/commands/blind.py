"""``pytest-verdict blind``: compare outputs without the judge knowing who made which."""

from __future__ import annotations

import argparse
import functools
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.blind.commands.protocol import Option, add_options, read_protocol
from pytest_verdict.console import complain, progress, say
from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError

if TYPE_CHECKING:
    from pytest_verdict.blind.api import BlindComparison
    from pytest_verdict.blind.pairs import Pair

_HELP: Final = """\
FIRST and SECOND are two outputs, files or folders. With --pairs they are two folders of outputs, compared name by name. One
folder alone is an iteration of the skill-creator workflow: eval-*/{with_skill,without_skill}/run-*/outputs, with the task and
the assertions in eval_metadata.json and, where they are, the gradings of both runs.

--judge human and --judge folder make a folder for each question. A person fills in form.yaml; a program answers
request.json by reply.json. The same command again reads what was answered.

exit codes:
  0  every pair has a verdict and, with --prefer, that output won more pairs than the other
  1  one has none, or the other output won as often
  2  something cannot be read, or the judge would not be blind
  3  answers are awaited
"""
_AWAITED: Final = 3
_ABSENT: Final = {"human": "HumanJudge", "folder": "FolderJudge"}
_OPTIONS: Final[tuple[Option, ...]] = (
    ("--prompt", Path, None, "FILE", "the task; with --pairs also a folder with a file for each pair"),
    ("--expectations", Path, None, "FILE", "what each output should meet, one on each line"),
    ("--rubric", Path, None, "FILE", "a rubric (default: the usual one)"),
    ("--key", str, None, None, "what the assignments are drawn from (default: fresh random bits)"),
    ("--prefer", str, None, "NAME", "the output that is expected to win"),
    ("--leaks", str, "fail", None, "fail, redact or record: what happens to whatever names an output"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _HELP
    parser.add_argument("outputs", nargs="+", metavar="OUTPUT", help="FIRST SECOND, or one iteration")
    parser.add_argument("--judge", required=True, help="package.module:name, kind:text, human or folder")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="DIR", help="where the comparisons are written"
    )
    parser.add_argument("--pairs", action="store_true", help="FIRST and SECOND are folders of outputs")
    parser.add_argument(
        "--names", nargs=2, metavar=("FIRST", "SECOND"), help="what the outputs are called (default: as their files)"
    )
    add_options(parser, _OPTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.blind.pairs import write_benchmark

    names, pairs = _pairs(arguments)
    if arguments.prefer is not None and arguments.prefer not in names:
        raise ConfigurationError(f"--prefer {arguments.prefer} is none of the outputs {names[0]} and {names[1]}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    found, awaited = _compared(pairs, names, arguments)
    for question in dict.fromkeys(awaited):
        say(question)
    if awaited:
        return _AWAITED
    summary = _summary(found, names)
    lines = list(_summary_lines(summary))
    (arguments.output / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8", newline="\n")
    if len(arguments.outputs) == 1:
        skill = Path(arguments.outputs[0]).resolve().parent.name.removesuffix("-workspace")
        notes = [f"blind comparison: {line}" for line in lines]
        write_benchmark(arguments.output / "benchmark.json", skill, pairs, names, notes)
    for name, one in found.items():
        if not one.is_conclusive:
            complain(f"{name or arguments.output}: {one.status}: {one.result.error}")
    for line in lines:
        say(line)
    return _status(summary, names, arguments.prefer)


def _status(summary: dict[str, Any], names: tuple[str, str], prefer: str | None) -> int:
    wins = summary["wins"]
    is_won = prefer is None or 2 * wins[prefer] > sum(wins[name] for name in names)
    return 0 if is_won and not summary["without_verdict"] else 1


def _pairs(arguments: argparse.Namespace) -> tuple[tuple[str, str], list[Pair]]:
    from pytest_verdict.blind.options import UNNAMED
    from pytest_verdict.blind.pairs import Pair, evaluations, pairs_by_name

    places = [Path(place) for place in arguments.outputs]
    stems = {place.stem: None for place in places if place.stem not in {"A", "B", "TIE"}}
    names = tuple(arguments.names or (stems if len(stems) == 2 else UNNAMED))
    if len(places) == 1:
        if arguments.names or arguments.prompt or arguments.expectations or arguments.pairs:
            raise ConfigurationError("of an iteration, names, prompts and expectations are those of its folders")
        return evaluations(places[0])
    if len(places) != 2 or arguments.prompt is None:
        raise ConfigurationError("give two outputs and --prompt FILE, or one iteration of the skill-creator workflow")
    expectations = _read(arguments.expectations).splitlines() if arguments.expectations else []
    if not arguments.pairs:
        return names, [Pair("", (places[0], places[1]), _read(arguments.prompt), tuple(filter(None, expectations)))]
    prompt_of = _prompts(arguments.prompt)
    return names, pairs_by_name(places[0], places[1], prompt_of, [text for text in expectations if text])


def _prompts(place: Path) -> Callable[[str], str]:
    if place.is_dir():
        files = {file.stem: file for file in place.iterdir()}
        return lambda name: _read(files.get(name, place / f"{name}.txt"))
    text = _read(place)
    return lambda _: text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from None


def _compared(
    pairs: list[Pair], names: tuple[str, str], arguments: argparse.Namespace
) -> tuple[dict[str, BlindComparison], list[str]]:
    from pytest_verdict.blind.api import blind_compare

    ask = functools.partial(
        blind_compare,
        judge=_judge(arguments),
        rubric=arguments.rubric,
        names=names,
        protocol=read_protocol(arguments),
        key=arguments.key or secrets.token_hex(16),
    )
    found, awaited = {}, []
    with progress(len(pairs), " pairs") as show:
        for position, pair in enumerate(pairs):
            options = {"expectation_results": pair.results or None, "output": arguments.output / pair.name}
            try:
                compared = ask(*pair.outputs, pair.prompt, expectations=pair.expectations, position=position, **options)
                found[pair.name] = compared
            except AwaitingJudgmentError as error:
                awaited += str(error).split("; ")
            show(position + 1, position + 1)
    return found, awaited


def _judge(arguments: argparse.Namespace) -> Any:
    from pytest_verdict import blind
    from pytest_verdict.judging.protocol import find_judge

    if arguments.judge in _ABSENT:
        if arguments.order == "single" and arguments.key is None:
            reason = "a later run would show the outputs in another order"
            raise ConfigurationError(f"--judge {arguments.judge} with --order single needs --key: {reason}")
        return getattr(blind, _ABSENT[arguments.judge])(arguments.output / "judgments")
    return find_judge(arguments.judge)


def _summary(found: Mapping[str, BlindComparison], names: tuple[str, str]) -> dict[str, Any]:
    """Count wins; ties and comparisons without a verdict are no part of the win rate."""
    from pytest_verdict.operators.pass_rate import exact_interval
    from pytest_verdict.runs.significance import mcnemar

    winners = Counter(one.winner if one.is_conclusive else None for one in found.values())
    wins = [winners[name] for name in names]
    decided = sum(wins)
    return {
        "pairs": len(found),
        "wins": dict(zip(names, wins, strict=True)),
        "ties": winners["TIE"],
        "without_verdict": winners[None],
        "order_flips": sum(one.result.details.get("order_flips", 0) > 0 for one in found.values()),
        "win_rate": {
            "of": names[0],
            "decided": decided,
            "rate": wins[0] / decided if decided else None,
            "interval": list(exact_interval(wins[0], decided)) if decided else None,
            "p": mcnemar(wins[1], wins[0]) if decided else None,
        },
        "comparisons": {name: {"status": one.status, "winner": one.winner} for name, one in found.items()},
    }


def _summary_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Write a summary for a person."""
    wins = ", ".join(f"{name} won {count}" for name, count in summary["wins"].items())
    others = f"{counted(summary['ties'], 'tie')}, {summary['without_verdict']} without a verdict"
    yield f"{counted(summary['pairs'], 'pair')}: {wins}, {others}; {counted(summary['order_flips'], 'order flip')}"
    rate = summary["win_rate"]
    if rate["decided"]:
        low, high = rate["interval"]
        share = f"{rate['rate']:.0%} of {rate['decided']} decided"
        yield f"win rate of {rate['of']}: {share} [{low:.2f}, {high:.2f}], p {rate['p']:.3g}"
