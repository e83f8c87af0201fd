"""``pytest-verdict calibrate``: measure how far a judge agrees with people.

GOLD is a YAML file with pairs of outputs that people have labelled. The calibration is valid for one judge, rubric and
protocol, so use the protocol of your tests. Set the limits of the gate before you see a result.

exit codes:
  0  the judge passes the gate
  1  the judge does not pass the gate
  2  something cannot be read, or the judge cannot be imported
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.blind.commands.blind import add_protocol_options, open_judge, read_protocol
from pytest_verdict.console import complain, say
from pytest_verdict.errors import ConfigurationError

_RATES: Final = ("coverage", "agreement", "flips", "first_shown_wins", "longer_wins", "longer_wins_with_people")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("gold", metavar="GOLD", help="a YAML file of labelled pairs")
    add("--judge", required=True, help="package.module:name or kind:text, such as pydantic-ai:openai:gpt-4o-mini")
    add("--output", default="calibration.json", metavar="FILE", help="the calibration (default: calibration.json)")
    add("--rubric", metavar="FILE", help="a rubric (default: the one of the gold set)")
    add("--key", default="calibration", help="source of the assignments (default: calibration)")
    add("--min-agreement", type=float, default=0.70, help="lower bound of the agreement (default: 0.70)")
    add("--min-kappa", type=float, default=0.40, help="lower bound of kappa (default: 0.40)")
    add("--min-items", type=int, default=30, help="items with a verdict (default: 30)")
    add("--max-flips", type=float, default=0.20, help="rate of verdicts that change with the order (default: 0.20)")
    add("--allow-model-labels", action="store_true", help="accept labels of a model (default: no)")
    add("--max-concurrency", type=int, default=1, metavar="N", help="how many pairs are judged at once (default: 1)")
    add_protocol_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from pytest_verdict.blind.calibration import Gate, calibrate, read_gold_set

    gold = read_gold_set(arguments.gold)
    if arguments.rubric is not None:
        gold = gold.model_copy(update={"rubric": Path(arguments.rubric)})
    gate = Gate(
        agreement=arguments.min_agreement,
        kappa=arguments.min_kappa,
        items=arguments.min_items,
        flips=arguments.max_flips,
    )
    output = Path(arguments.output)
    # Check the output before calls to the judge cost money.
    if output.is_dir() or not output.parent.is_dir():
        raise ConfigurationError(f"--output {output} cannot be written: name a file in a folder that exists")

    calibration = calibrate(
        gold,
        open_judge(arguments),
        read_protocol(arguments),
        gate=gate,
        key=arguments.key,
        allow_model_labels=arguments.allow_model_labels,
        max_concurrency=arguments.max_concurrency,
    )
    output.write_text(json.dumps(calibration, indent=2) + "\n", encoding="utf-8", newline="\n")
    say(*_format_calibration(calibration))
    if not calibration["gate"]["passed"]:
        complain(f"{arguments.output}: the judge does not pass the gate, so verdicts that cite it stay informal")
        return 1
    return 0


def _format_calibration(calibration: dict[str, Any]) -> Iterator[str]:
    gold = calibration["gold"]
    yield f"judge: {calibration['bound_to']['judge']}"
    yield f"gold set: {gold['id']}, version {gold['version']}, {gold['items']} items"
    for name in _RATES:
        rate = calibration[name]
        text = "none of 0"
        if rate["rate"] is not None:
            text = f"{rate['count']} of {rate['of']} {_format_interval(rate['interval'])}"
        if rate.get("p") is not None:
            text += f", p {rate['p']:.3g}"
        yield f"{name.replace('_', ' ')}: {text}"

    kappa = calibration["kappa"]
    if kappa["value"] is None:
        yield f"kappa: none, {kappa['reason']}"
    else:
        yield f"kappa: {kappa['value']:.2f} {_format_interval(kappa['interval'])}"
    for check in calibration["gate"]["checks"]:
        verdict = "reached" if check["passed"] else "NOT REACHED"
        yield f"{verdict}: {check['name']} {check['value']}, limit {check['limit']}"


def _format_interval(interval: list[float]) -> str:
    low, high = interval
    return f"[{low:.2f}, {high:.2f}]"
