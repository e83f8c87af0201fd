"""Commands of blind comparison, and the options of the protocol that they share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_verdict.blind.protocol import BlindProtocol


def add_protocol_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the protocol to a command."""
    add = parser.add_argument
    add("--order", default="both", help="both, single or latin4 (default: both)")
    add("--repetitions", type=int, default=1, help="how often each order is asked (default: 1)")
    add("--rule", default="majority", help="majority, supermajority, unanimous or abstain (default: majority)")
    add("--retries", type=int, default=1, help="how often a broken reply is asked for again (default: 1)")
    add("--resolve", default="derived", help="effect of a contradiction: derived, strict, abstain (default: derived)")
    add("--timeout", type=float, metavar="SECONDS", help="longest time of a call (default: no limit)")


def read_protocol(arguments: argparse.Namespace) -> BlindProtocol:
    """Return the protocol of the arguments."""
    # Import pydantic models only when the command runs, not for its help text.
    from pytest_verdict.blind.protocol import BlindProtocol

    names = [name for name in BlindProtocol.model_fields if hasattr(arguments, name)]
    return BlindProtocol(**{name: getattr(arguments, name) for name in names})
