"""`BlindOptions`: what can be said of a blind comparison besides its candidates, its task and its judge."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from pytest_verdict.blind.protocol import BlindProtocol
from pytest_verdict.errors import SettingsError, allowed

ExpectationResults = Sequence[bool | Mapping[str, Any]] | str | os.PathLike[str]
"""What checks have found about one candidate."""


class JudgingOptions(TypedDict, total=False):
    """What else is settled before the judge is asked.

    Args:
        names: What the candidates are called in the record; names that say something are identity tokens as well.
        identity: Texts that would give a system away, such as model ids: a list, or lists by candidate.
        protocol: How often, in which order, and by which rule; both orders once unless given.
        key: What the assignment is drawn from; 128 fresh random bits unless given.
        position: The comparison's number in a series drawn from one key, which makes the series exactly balanced.
        exclude: Patterns of names to leave out in a directory; see `candidates.EXCLUDED`.
        calibration: The file of a calibration, or its values; without a fresh one the verdict is ``informal``.
        output: A folder for ``commitment.json``, ``comparison.json`` and ``blind.json``.
        always_ask: Whether the judge is asked also when both outputs are the same, to measure its bias.
        expectation_results: What checks have found, by the name of a candidate: for each expectation a bool or an object
            ``{text, passed}``, or the path of a ``grading.json``. The judge is not asked for expectations then.

    Example:
        >>> options: JudgingOptions = {"names": ("new", "old"), "key": "a fixed text"}
    """

    names: tuple[str, str]
    identity: Mapping[str, Sequence[str]] | Sequence[str]
    protocol: BlindProtocol | None
    key: str | None
    position: int | None
    exclude: Sequence[str]
    calibration: Any
    output: str | Path | None
    always_ask: bool
    expectation_results: Mapping[str, ExpectationResults] | None


class BlindOptions(JudgingOptions, total=False):
    """What else can be said of a blind comparison; besides these, all that `JudgingOptions` has.

    Args:
        tie: Whether a tie passes where a candidate is expected to win: ``fail``, the default, or ``pass``.
        gate: Contradictions of the judge that keep the comparison from passing; see `contradictions.GATING`.
        name: What to call this comparison in the report.

    Example:
        >>> options: BlindOptions = {"names": ("new", "old"), "tie": "pass"}
    """

    tie: Literal["fail", "pass"]
    gate: Sequence[str]
    name: str | None


def refuse_unknown_options(options: Mapping[str, Any]) -> None:
    """Refuse options that do not exist."""
    known = BlindOptions.__optional_keys__
    for option in options:
        if option not in known:
            raise SettingsError(f"a blind comparison has no option {option!r}.{allowed('option', option, known)}")
