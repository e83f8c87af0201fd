"""The arguments of the protocol, for every command that asks a judge."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pytest_verdict.blind.protocol import BlindProtocol

Option = tuple[str, Callable[[str], Any], Any, str | None, str]
"""A name, what reads its value, the default, what stands for the value, and a help text."""

_PROTOCOL: Final[tuple[Option, ...]] = (
    ("--order", str, "both", None, "both, single or latin4 (default: both)"),
    ("--repetitions", int, 1, None, "how often each order is asked (default: 1)"),
    ("--rule", str, "majority", None, "majority, supermajority, unanimous or abstain"),
    ("--retries", int, 1, None, "how often a broken reply is asked for again (default: 1)"),
    ("--resolve", str, "derived", None, "derived, strict or abstain: what a contradiction does"),
    ("--timeout", float, None, "SECONDS", "the longest a call may take (default: no limit)"),
)


def add_options(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Declare arguments, and those of the protocol."""
    for name, kind, default, metavar, text in (*options, *_PROTOCOL):
        parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)


def read_protocol(arguments: argparse.Namespace) -> BlindProtocol:
    """Read the protocol."""
    # Not imported for a help text.
    from pytest_verdict.blind.protocol import BlindProtocol

    return BlindProtocol(
        **{name: getattr(arguments, name) for name in BlindProtocol.model_fields if hasattr(arguments, name)}
    )
