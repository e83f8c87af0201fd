"""The table of false fails and false passes of the presets in docs/how-to/mapping.md, counted on made replies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from pytest_verdict.suites import Evaluator
from tools.generate import REPOSITORY
from tools.generators.generated_parts import with_generated_part
from tools.replies import make_replies
from tools.replies.making import NAMES

PAGE = REPOSITORY / "docs" / "how-to" / "mapping.md"
# The label, operator, step and its description of each kind of reply.
PRESETS: dict[str, tuple[str, str, Any, str]] = {
    "number": ("number", "numeric_exact", "one_number", "`one_number`"),
    "date": ("date", "date_match", "date", "`date`"),
    "name": ("name", "exact", {"name": NAMES}, "`name` with other names"),
    "choice": ("one of A to D", "exact", {"name": ["A", "B", "C", "D"]}, "`name`"),
    "yes or no": ("yes or no", "exact", {"name": ["yes", "no"]}, "`name`"),
    "list": ("list", "set_containment", "list", "`list`"),
    "json": ("JSON", "json_canonical", "last_json", "`last_json`"),
}


def files() -> dict[Path, str]:
    return {PAGE: with_generated_part(PAGE.read_text(encoding="utf-8"), "accuracy of the presets", table())}


def table() -> list[str]:
    counts = count_replies("held out", seed=1, each=4)
    rows = ["| kind | operator and preset | false fails | false passes |", "|---|---|---|---|"]
    for kind, (label, operator, _, preset) in PRESETS.items():
        right, wrong = counts[kind, "right"], counts[kind, "wrong"]
        fails = f"{counts[kind, 'false fail']} of {right}"
        rows.append(f"| {label} | `{operator}`, {preset} | {fails} | {counts[kind, 'false pass']} of {wrong} |")
    return rows


def count_replies(part: str, *, seed: int, each: int = 2) -> Counter[tuple[str, str]]:
    """Count the replies of each kind that are right and wrong, and those with another verdict."""
    evaluators = {}
    for kind, (_, operator, extract, _) in PRESETS.items():
        observed = {"path": "$.reply", "extract": extract, "on_missing": "fail"}
        evaluators[kind] = Evaluator(operator, {"expected": "$.expected", "observed": observed})
    counts: Counter[tuple[str, str]] = Counter()
    for reply in make_replies(part, seed, each=each):
        result = evaluators[reply.kind].judge({"expected": reply.expected, "reply": reply.text})
        counts[reply.kind, "right" if reply.is_right else "wrong"] += 1
        if reply.is_right is not (result.verdict == "pass"):
            counts[reply.kind, "false fail" if reply.is_right else "false pass"] += 1
    return counts
