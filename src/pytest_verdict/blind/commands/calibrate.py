"""``pytest-verdict calibrate``: measure how far a judge agrees with people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("gold", metavar="GOLD", help="a YAML file of labelled pairs")
    parser.add_argument(
        "--judge",
        required=True,
        help="the judge, as package.module:name or kind:text, such as pydantic-ai:openai:gpt-4o-mini",
    )
    parser.add_argument("--output", default="calibration.json", metavar="FILE", help="where to write the calibration")
    parser.add_argument("--rubric", metavar="FILE", help="a rubric (default: that of the gold set)")
    parser.add_argument("--order", default="both", help="both, single or latin4 (default: both)")
    parser.add_argument("--repetitions", type=int, default=1, help="how often each order is asked (default: 1)")
    parser.add_argument("--rule", default="majority", help="majority, supermajority, unanimous or abstain")
    parser.add_argument(
        "--retries", type=int, default=1, help="how often a broken reply is asked for again (default: 1)"
    )
    parser.add_argument("--resolve", default="derived", help="derived, strict or abstain: what a contradiction does")
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="the longest a call may take (default: no limit)"
    )
    parser.add_argument("--key", default="calibration", help="what the assignments are drawn from")
    parser.add_argument("--min-agreement", type=float, default=0.70, help="of its lower bound (default: 0.70)")
    parser.add_argument("--min-kappa", type=float, default=0.40, help="of its lower bound (default: 0.40)")
    parser.add_argument("--min-items", type=int, default=30, help="items with a verdict (default: 30)")
    parser.add_argument(
        "--max-flips", type=float, default=0.20, help="rate of verdicts that turn round (default: 0.20)"
    )
    parser.add_argument("--allow-model-labels", action="store_true", help="accept labels that a model gave")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.blind.calibration.gold import read_gold
    from pytest_verdict.blind.calibration.measurement import Gate, calibrate
    from pytest_verdict.blind.protocol import BlindProtocol
    from pytest_verdict.judging.naming import find_judge

    gold = read_gold(arguments.gold)
    if arguments.rubric is not None:
        gold = gold.model_copy(update={"rubric": Path(arguments.rubric)})
    given = {name: getattr(arguments, name) for name in BlindProtocol.model_fields if name != "leaks"}
    protocol = BlindProtocol(**given)
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
            protocol,
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
