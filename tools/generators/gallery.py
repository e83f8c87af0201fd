"""The pairs of docs/explanation/failures.md, as pytest-verdict, pytest's own assertion and DeepDiff print them.

It needs deepdiff, of the dependency group ``oracles``.
"""

from __future__ import annotations

import datetime
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pydantic

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.budget import Budget
from pytest_verdict.explanation import failure_block
from pytest_verdict.explanation.advice import advise
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, BooleanMatch, ExactMatch, NumericExact, VerifiedField
from tools.generate import REPOSITORY

PAGE = REPOSITORY / "docs" / "explanation" / "failures.md"
PEERS = ("pytest", "deepdiff")

# Outputs of other tools are cut here.
COLUMNS, LINES = 96, 16

# Our own blocks have the same width.
BUDGET = Budget(width=96)

_BLOCK = re.compile(r"^```text\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """Two values that differ, and a text of the line with the difference."""

    title: str
    operator: str
    expected: Any
    observed: Any
    difference: str
    settings: dict[str, Any] = field(default_factory=dict)
    without: str = "assert observed == expected"
    options: dict[str, Any] = field(default_factory=dict)
    template: type[BaseAnswer] | None = None


@dataclass
class Passenger:
    name: str
    dob: str
    seats: list[str]


class Booking(pydantic.BaseModel):
    id: int
    city: str
    passengers: list[Passenger]


class Drug(BaseAnswer):
    target: str = VerifiedField("The protein that the drug binds", ground_truth="BCL2", verify_with=ExactMatch())
    year: int = VerifiedField("The year of approval", ground_truth=2016, verify_with=NumericExact())
    oral: bool = VerifiedField("Whether it is taken by mouth", ground_truth=True, verify_with=BooleanMatch())


LEGS = [{"from": "TXL", "to": "CDG", "seats": [12, 14]}, {"from": "CDG", "to": "JFK", "seats": [3, 5]}]
OTHER_LEGS = [{"from": "TXL", "to": "CDG", "seats": [12, 14]}, {"from": "CDG", "to": "JFK", "seats": [3, 6]}]
ORDER = {f"field_{number}": number for number in range(12)} | {"total": "19.80", "currency": "EUR"}
LONG = "The parcel left the depot on Monday and arrives before noon. " * 8
LETTER = "Dear Ada,\n\nyour order 17 left today.\nIt arrives on Monday.\n\nYours,\nthe shop"
SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "city": {"type": "string"}}}
ADA, GRACE = Passenger("Ada", "1990-04-05", ["12A"]), Passenger("Grace", "1985-12-09", ["12B"])
GRACE_LATER = Passenger("Grace", "1986-12-09", ["12B"])
ANSWER = {"target": "MCL1", "year": 2015, "oral": True}
CALLS = [("search", {"query": "tea", "limit": 5}), ("buy", {"id": 7}), ("mail", {"to": "ada"})]
OTHER_CALLS = [("search", {"query": "tea", "limit": 9}), ("mail", {"to": "ada"})]
PARTS = {"city": "normalized_exact", "nights": "numeric_exact", "price": "numeric_exact"}

PAIRS = [
    Pair("Short text", "exact", "Paris", "Rome", "'Rome'"),
    Pair("Case and blanks", "exact", "Paris", " paris", "' paris'"),
    Pair(
        "Long text with one word changed",
        "exact",
        LONG,
        LONG.replace("Monday", "Sunday", 5).replace("Sunday", "Monday", 4),
        "Sunday",
    ),
    Pair("Text of several lines", "exact", LETTER, LETTER.replace("on Monday", "on Sunday"), "Sunday"),
    Pair("A blank at the end", "exact", "total: 5", "total: 5 ", "'total: 5 '"),
    Pair("One accent, written in two ways", "exact", "café", "cafe\u0301", r"\u0301"),
    Pair("Letters that look alike", "exact", "Paris", "P\u0430ris", r"\u0430"),
    Pair("A number and its text", "exact", 5, "5", "'5'"),
    Pair("Nested lists and dicts", "exact", LEGS, OTHER_LEGS, "$[1].seats[1]: 5 -> 6"),
    Pair("A dict in which one leaf differs", "exact", ORDER, ORDER | {"total": "19.08"}, "$.total: '19.80' -> '19.08'"),
    Pair("A list of 250, shifted by one", "exact", list(range(250)), [-1, *range(249)], "$[0]: unexpected -1"),
    Pair(
        "A list that lacks an item",
        "exact",
        ["tea", "milk", "bread", "salt"],
        ["tea", "bread", "salt"],
        "$[1]: missing 'milk'",
    ),
    Pair("A dataclass", "exact", GRACE, GRACE_LATER, "$.dob: '1985-12-09' -> '1986-12-09'"),
    Pair(
        "A pydantic model",
        "exact",
        Booking(id=1, city="Paris", passengers=[ADA, GRACE]),
        Booking(id=1, city="Paris", passengers=[ADA, GRACE_LATER]),
        "$.passengers[1].dob: '1985-12-09' -> '1986-12-09'",
    ),
    Pair("A set", "exact", set(range(40)), {*range(1, 40), 99}, "missing 0"),
    Pair(
        "A list in any order",
        "set_containment",
        ["tea", "milk", "salt"],
        ["salt", "tea", "jam"],
        "missing 'milk'; unexpected 'jam'",
        without="assert set(observed) >= set(expected)",
        options={"ignore_order": True},
    ),
    Pair(
        "A number and its tolerance",
        "numeric_tolerance",
        37.0,
        36.7,
        "off by 0.3, allowed 0.1",
        {"tolerance": 0.1, "mode": "absolute"},
        "assert observed == pytest.approx(expected, abs=0.1)",
        {"math_epsilon": 0.1},
    ),
    Pair(
        "A text that is no number",
        "numeric_tolerance",
        1250,
        "1,260 EUR",
        "observed is not a number: '1,260 EUR'",
        {"tolerance": 0.01},
        "assert float(observed) == pytest.approx(expected, rel=0.01)",
    ),
    Pair(
        "A date",
        "date_match",
        datetime.date(2024, 1, 15),
        "January 18, 2024",
        "3 days apart",
        without="assert datetime.datetime.strptime(observed, '%B %d, %Y').date() == expected",
    ),
    Pair(
        "JSON",
        "json_canonical",
        {"city": "Paris", "nights": 3},
        '{"nights": 4, "city": "Paris"}',
        "$.nights: 3 -> 4",
        without="assert json.loads(observed) == expected",
    ),
    Pair(
        "Text that is not JSON",
        "json_canonical",
        {"city": "Paris"},
        "{'city': 'Paris'}",
        "observed is not JSON",
        without="assert json.loads(observed) == expected",
    ),
    Pair(
        "A document and its schema",
        "json_schema",
        SCHEMA,
        {"id": "17", "city": "Paris"},
        "'17' is not of type 'integer'",
        without="jsonschema.validate(observed, expected)",
    ),
    Pair(
        "A text that lacks something",
        "contains_all",
        ["Paris", "France"],
        "Paris is a city on the Seine.",
        "missing 'France'",
        without="assert all(part in observed for part in expected)",
    ),
    Pair(
        "A regular expression",
        "regex",
        r"\d{4}-\d{2}-\d{2}",
        "15.01.2024",
        "expected a match of",
        without="assert re.fullmatch(expected, observed)",
    ),
    Pair(
        "Similar text",
        "text_similarity",
        "the quick brown fox",
        "a quick brown dog",
        "expected 'the quick brown fox', got 'a quick brown dog'",
        {"threshold": 0.9},
        "assert difflib.SequenceMatcher(None, expected, observed).ratio() >= 0.9",
    ),
    Pair(
        "An answer template, two fields of which failed",
        "answer_template",
        {"target": "BCL2", "year": 2016, "oral": True},
        ANSWER,
        "'MCL1'",
        template=Drug,
    ),
    Pair("The calls of an agent", "trajectory_in_order", CALLS, OTHER_CALLS, "limit: 5 -> 9"),
    Pair(
        "Two of three",
        "at_least_n",
        {"city": "Paris", "nights": 3, "price": 1250},
        {"city": "paris", "nights": 4, "price": 1260},
        "1 of 3",
        {"n": 2, "conditions": PARTS},
    ),
]


def compared(pair: Pair) -> ComparisonResult:
    if pair.template is not None:
        return AnswerTemplate(pair.template).verify(pair.observed).comparison
    return compare(pair.operator, pair.expected, pair.observed, **pair.settings)


def ours(pair: Pair) -> str:
    result = compared(pair)
    return tidy(failure_block(result, BUDGET, advise(result)))


def tidy(text: str) -> str:
    """Remove blanks of empty lines, and addresses of memory."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", re.sub(r"^ +$", "", text, flags=re.MULTILINE))


def cut(text: str) -> str:
    lines = tidy(text).rstrip().splitlines()
    more = [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES + 1 else []
    kept = lines[:LINES] if more else lines
    return "\n".join([*(line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in kept), *more])


def of_pytest() -> list[str]:
    """Run pytest without us on an assertion for each pair."""
    head = "import datetime, difflib, json, re\nimport jsonschema, pytest\nfrom tools.generators.gallery import PAIRS\n"
    tests = (
        f"def test_{at}():\n    expected, observed = PAIRS[{at}].expected, PAIRS[{at}].observed\n    {pair.without}\n"
        for at, pair in enumerate(PAIRS)
    )
    # In CI, pytest prints more than on a terminal.
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "BUILD_NUMBER"}}
    # The order of a set depends on the hash seed.
    environment["PYTHONHASHSEED"] = "0"
    environment["PYTHONPATH"] = os.pathsep.join([str(REPOSITORY), *sys.path])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_pairs.py").write_text("\n\n".join([head, *tests]), encoding="utf-8")
        report = Path(folder, "junit.xml")
        quiet = ["-q", "-p", "no:verdict", "-p", "no:cacheprovider", "-p", "no:asyncio", "-c", os.devnull]
        command = [sys.executable, "-m", "pytest", *quiet, f"--rootdir={folder}", f"--junit-xml={report}", folder]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, env=environment, cwd=folder, check=False, **silent)
        cases = ElementTree.parse(report).iter("testcase")
        return [_of_failure(case.findtext("failure") or "") for case in cases]


def _of_failure(text: str) -> str:
    lines = [line.removeprefix("E") for line in text.splitlines() if line.startswith("E ")]
    return textwrap.dedent("\n".join(lines)) if lines else "It passes."


def of_deepdiff(pair: Pair) -> str:
    from deepdiff import DeepDiff

    return DeepDiff(pair.expected, pair.observed, **pair.options).pretty() or "No difference."


def call(pair: Pair) -> str:
    if pair.template is not None:
        return f"answer_template({pair.template.__name__}).assert_verified(observed)"
    return f'assert_matches("{pair.operator}", expected, observed{named(pair.settings)})'


def named(settings: dict[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in settings.items()).replace("'", '"')


def versions() -> str:
    return " and ".join(f"{name} {version(name)}" for name in PEERS)


SECTION = """\
## {title}

{call}

```text
{ours}
```

<div class="side-by-side">
<div>

pytest: `{without}`

```text
{pytest}
```

</div>
<div>

DeepDiff: `DeepDiff(expected, observed{options}).pretty()`

```text
{deepdiff}
```

</div>
</div>
"""


def sections() -> Iterator[str]:
    for pair, plain in zip(PAIRS, of_pytest(), strict=True):
        yield SECTION.format(
            title=pair.title,
            call=textwrap.fill(f"`{call(pair)}`", 120, break_long_words=False, break_on_hyphens=False),
            ours=ours(pair),
            without=pair.without,
            pytest=cut(plain),
            options=named(pair.options),
            deepdiff=cut(of_deepdiff(pair)),
        )


def page() -> str:
    introduction = PAGE.read_text(encoding="utf-8").partition("\nMade with ")[0]
    return "\n".join(
        [introduction, f"Made with {versions()}.\n\n<!-- written by make generate: what follows -->\n", *sections()]
    )


def files() -> dict[Path, str]:
    return {PAGE: page()}


def missing() -> str | None:
    absent = [name for name in ("deepdiff", "jsonschema") if importlib.util.find_spec(name) is None]
    return f"needs {' and '.join(absent)}; install the dependency group 'oracles'" if absent else None


def other_versions() -> str | None:
    """Return why the page cannot be compared with what these versions print."""
    if f"Made with {versions()}." in PAGE.read_text(encoding="utf-8"):
        return None
    return f"docs/explanation/failures.md was made with other versions than {versions()}"


def blocks_on_the_page() -> dict[str, list[str]]:
    """Return the blocks of the page for each pair: ours, pytest's and DeepDiff's."""
    parts = PAGE.read_text(encoding="utf-8").partition("\nMade with ")[2].split("\n## ")[1:]
    return {part.partition("\n")[0]: _BLOCK.findall(part) for part in parts}
