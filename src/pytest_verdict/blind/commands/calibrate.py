"""``pytest-verdict calibrate``: measure how far a judge agrees with people."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.commands.protocol import Option, add_options, read_protocol
from pytest_verdict.console import complain, progress, say
from pytest_verdict.errors import ConfigurationError

_EXIT_CODES: Final = """\
GOLD is a YAML file of pairs of outputs that people have labelled. The judge is asked by the protocol that tests will use
with it, and the calibration is about this judge, rubric and protocol only. Fix the limits of the gate before you look at a
result.

exit codes:
  0  the judge passes the gate
  1  it does not
  2  something cannot be read, or the judge cannot be imported
"""
_OPTIONS: Final[tuple[Option, ...]] = (
    ("--output", str, "calibration.json", "FILE", "where to write the calibration"),
    ("--rubric", str, None, "FILE", "a rubric (default: that of the gold set)"),
    ("--key", str, "calibration", None, "what the assignments are drawn from"),
    ("--min-agreement", float, 0.70, None, "of its lower bound (default: 0.70)"),
    ("--min-kappa", float, 0.40, None, "of its lower bound (default: 0.40)"),
    ("--min-items", int, 30, None, "items with a verdict (default: 30)"),
    ("--max-flips", float, 0.20, None, "rate of verdicts that turn round (default: 0.20)"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("gold", metavar="GOLD", help="a YAML file of labelled pairs")
    parser.add_argument(
        "--judge",
        required=True,
        help="the judge, as package.module:name or kind:text, such as pydantic-ai:openai:gpt-4o-mini",
    )
    add_options(parser, _OPTIONS)
    parser.add_argument("--allow-model-labels", action="store_true", help="accept labels that a model gave")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.blind.calibration.files import read_gold
    from pytest_verdict.blind.calibration.measurement import Gate, calibrate
    from pytest_verdict.judging.protocol import find_judge

    gold = read_gold(arguments.gold)
    if arguments.rubric is not None:
        gold = gold.model_copy(update={"rubric": Path(arguments.rubric)})
    gate = Gate(
        agreement=arguments.min_agreement,
        kappa=arguments.min_kappa,
        items=arguments.min_items,
        flips=arguments.max_flips,
    )
    output = Path(arguments.output)
    if output.is_dir() or not output.parent.is_dir():
        # Found before the judge is asked, which may cost money.
        raise ConfigurationError(f"--output {output} cannot be written: name a file in a folder that exists")
    with progress(len(gold.items), " items") as show:
        found = calibrate(
            gold,
            find_judge(arguments.judge),
            read_protocol(arguments),
            gate=gate,
            key=arguments.key,
            allow_model_labels=arguments.allow_model_labels,
            progress=lambda done: show(done, done),
        )
    output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8", newline="\n")
    for line in _report(found):
        say(line)
    if not found["gate"]["passed"]:
        complain(f"{arguments.output}: the judge does not pass the gate, so verdicts that cite it stay informal")
    return 0 if found["gate"]["passed"] else 1


def _report(found: dict[str, Any]) -> Iterator[str]:
    yield f"judge: {found['bound_to']['judge']}"
    yield f"gold set: {found['gold']['id']}, version {found['gold']['version']}, {found['gold']['items']} items"
    rates = ("coverage", "agreement", "flips", "first_shown_wins", "longer_wins", "longer_wins_with_people")
    for name in rates:
        yield f"{name.replace('_', ' ')}: {_rate(found[name])}"
    value, interval = found["kappa"]["value"], found["kappa"]["interval"]
    yield (
        f"kappa: {value:.2f} {_interval(interval)}" if value is not None else f"kappa: none, {found['kappa']['reason']}"
    )
    for check in found["gate"]["checks"]:
        yield f"{'reached' if check['passed'] else 'NOT REACHED'}: {check['name']} {check['value']}, limit {check['limit']}"


def _rate(figure: dict[str, Any]) -> str:
    if figure["rate"] is None:
        return "none of 0"
    p = f", p {figure['p']:.3g}" if figure.get("p") is not None else ""
    return f"{figure['count']} of {figure['of']} {_interval(figure['interval'])}{p}"


def _interval(interval: list[float] | None) -> str:
    return "" if interval is None else f"[{interval[0]:.2f}, {interval[1]:.2f}]"
