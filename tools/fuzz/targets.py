"""Readers of untrusted text and the errors that they may raise: one target for each kind of input."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_verdict import ComparisonResult
from pytest_verdict.blind.reply import ReplyProblem, read_reply
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC
from pytest_verdict.core.record import parse_record
from pytest_verdict.core.replay import replay_line
from pytest_verdict.core.values.dates import read_date, read_formatted
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.yaml import YamlTextError
from pytest_verdict.datasets.rows import number_rows, read_rows
from pytest_verdict.errors import (
    AdapterError,
    ConfigurationError,
    MappingError,
    MismatchError,
    RecordError,
    SettingsError,
    TrajectoryError,
    VerdictError,
)
from pytest_verdict.extraction.paths import describe_absence, finder
from pytest_verdict.judging.recording import _read_file
from pytest_verdict.report.journal import RECORDS, TESTS, read_journal
from pytest_verdict.runs.gates import read_gate
from pytest_verdict.runs.tables import parse_keys
from pytest_verdict.suites.suite_reader import read_suite
from pytest_verdict.trajectories.readers import read_trajectory
from tools.fuzz import command_targets, file_targets
from tools.fuzz.command_targets import SEEDS, seeds

_SCRATCH: Final = tempfile.TemporaryDirectory(prefix="fuzz-")
_DOCUMENT: Final = {"a": [{"b": 1, "c d": None}, {"b": "x"}], "output": {"label": "yes", "score": 0.5}, "": {"$": []}}
_FORMATS: Final = ("%Y-%m-%d", "%d.%m.%Y %H:%M", "%B %d, %Y", "%Y-%m-%dT%H:%M:%S%z")


@dataclass(frozen=True)
class Target:
    """Something that reads a text: any text gives a value or one of the documented errors."""

    run: Callable[[str], None]
    documented: tuple[type[Exception], ...] = ()
    cost: int = 1
    """How much longer it takes than others: so many times fewer inputs are tried in the usual run."""

    def accepts(self, text: str) -> bool:
        """Read a text and return whether it was accepted; any other exception is a bug."""
        try:
            self.run(text)
        except self.documented:
            return False
        return True


def _journal(text: str) -> None:
    folder = Path(_SCRATCH.name)
    tests, _, records = text.partition("\0")
    (folder / TESTS).write_bytes(tests.encode("utf-8", "surrogatepass"))
    (folder / RECORDS).write_bytes(records.encode("utf-8", "surrogatepass"))
    read_journal(folder)


def _record(text: str) -> None:
    line = text.encode("utf-8", "surrogatepass")
    assert replay_line(line).status
    ComparisonResult.from_record(parse_record(line)).to_text()


def _suite(text: str) -> None:
    path = Path(_SCRATCH.name) / "fuzzed.verdict.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    read_suite(path)


def _reply(text: str) -> None:
    read_reply(text, DEFAULT_RUBRIC)


def _path(text: str) -> None:
    dialect = "rfc9535" if len(text) % 3 == 0 else "jsonpath_ng"
    find = finder(text, dialect)
    if not find(_DOCUMENT):
        assert describe_absence(text, _DOCUMENT, dialect)


def _date(text: str) -> None:
    assert read_date(text, day_first=len(text) % 2 == 0) is not None
    assert read_formatted(text, _FORMATS[len(text) % 4]) is not None


def _number(text: str) -> None:
    as_decimal(text)
    as_decimal(parse_json(text))


def _dataset(text: str) -> None:
    suffix, _, content = text.partition("\n")
    if suffix not in {".jsonl", ".json", ".csv", ".tsv", ".yaml"}:
        suffix = ".jsonl"
    path = Path(_SCRATCH.name) / f"rows{suffix}"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert all(row.number >= 1 for row in number_rows(read_rows(path)))


def _recording(text: str) -> None:
    path = Path(_SCRATCH.name) / "reply.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    _read_file(path)


def _configuration(text: str) -> None:
    try:
        read_gate(text)
    except ConfigurationError:
        parse_keys(text)


TARGETS: Final = {
    "journals": Target(_journal, (RecordError,)),
    "records": Target(_record, (RecordError,)),
    "suites": Target(_suite, (ConfigurationError,)),
    "replies": Target(_reply, (ReplyProblem,)),
    "trajectories": Target(lambda text: [*read_trajectory(text)] and None, (TrajectoryError,)),
    "mapping_paths": Target(_path, (SettingsError, MappingError)),
    "dates": Target(_date),
    "numbers": Target(_number, (JsonTextError,)),
    "datasets": Target(_dataset, (ConfigurationError,)),
    "recordings": Target(_recording, (RecordError,)),
    "configuration": Target(_configuration, (ConfigurationError,)),
    "bundles": Target(command_targets.read_bundle, (VerdictError, OSError), cost=10),
    "folders": Target(command_targets.read_folder, (VerdictError, OSError), cost=20),
    "shards": Target(command_targets.read_shard, (VerdictError, OSError), cost=15),
    "imports": Target(command_targets.read_foreign_suite, (VerdictError, OSError), cost=4),
    "stores": Target(file_targets.read_store, (VerdictError, OSError), cost=15),
    "store_configuration": Target(file_targets.read_store_configuration, (ConfigurationError,), cost=2),
    "accepted_values": Target(file_targets.read_accepted_values, (YamlTextError, RecordError)),
    "changed_values": Target(file_targets.change_value, (VerdictError, ValueError), cost=3),
    "scored_rows": Target(file_targets.read_scored_rows, (VerdictError, MismatchError, ValueError), cost=2),
    "mappings": Target(file_targets.read_mapping, (VerdictError, OSError), cost=10),
    "parts": Target(file_targets.read_part, (VerdictError,), cost=10),
    "manifests": Target(file_targets.read_manifest_text, (RecordError,)),
    "answers": Target(file_targets.read_answer),
    "agent_replies": Target(file_targets.read_agent_reply, (AdapterError, ValueError)),
    "blind_folders": Target(file_targets.read_blind_folder, (VerdictError,), cost=4),
    "blind_files": Target(file_targets.read_blind_files, (VerdictError,)),
    "documents": Target(file_targets.read_document, (RecordError,), cost=50),
    "forms": Target(file_targets.read_form, (VerdictError,), cost=20),
    "iterations": Target(file_targets.read_iterations, (ConfigurationError, RecordError)),
    "templates": Target(file_targets.read_template, (VerdictError,)),
    "attestations": Target(file_targets.read_attestation, (VerdictError, OSError), cost=15),
    "requests": Target(file_targets.read_request, (VerdictError,)),
    "arguments": Target(command_targets.read_arguments, (VerdictError, OSError), cost=3),
}


# What breaks readers: limits of numbers, tags, escapes, halves of pairs, brackets without their partner.
TOKENS: Final = (
    "null", "true", "NaN", "Infinity", "-Infinity", "1e999999999", "-0", "-0.0", "1e-400", "9" * 4_301, "0x1F", "1_000",
    "\u0661", "\u00b2", "\ud800", "\\ud800", "\\ud83d\\ude00", "\x00", "\x1b[31m", "\u2028", "\ufeff", "[" * 60, "{" * 9,
    "]", "}", '"', "'", "\\", "$type", '{"$type":"set","value":[[]]}', '{"$type":"float","value":"inf"}', "repr", "..",
    "*", "?(@.a>1)", "[-1]", "[0:2:0]", "`len`", "|", "$.", "@", "&a", "*a", "<<: *a", "!!bool x", "!!int ''", "!!timestamp x",
    "!!float .", "!!binary =", "!!python/object:os.system", "!!null x", "!!set {a}", "? ", "- ", ": ", "# ", "\t", "\n", "---\n",
    "%YAML 9.9\n", "2024-02-30", "0000-00-00", "9999-12-31T23:59:60Z", "24:00", "+99:99", "EST", "31 February", "10000000000",
    "inf", "name", "args", "role", "content", "tool_calls", "spans", "attributes", "startTimeUnixNano", "-1", "1e400",
)  # fmt: skip
_PARTS: Final = re.compile(r"[0-9]+|\"[^\"]*\"|[A-Za-z_]+")


def inputs(name: str, count: int) -> Iterator[str]:
    """Yield the seeds of a target, then that many mutations of them, the same in every run."""
    kept = seeds(name)
    yield from kept
    for number in range(count):
        yield mutated(random.Random(f"{name}-{number}"), kept)


def mutated(chance: random.Random, kept: list[str]) -> str:
    """Change one of the seeds in a few places."""
    text = chance.choice(kept)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        text = chance.choice(_CHANGES)(chance, text, kept)
    return text[:100_000]


def _span(chance: random.Random, text: str) -> tuple[int, int]:
    start = chance.randint(0, len(text))
    return start, min(len(text), start + chance.choice((1, 1, 2, 4, 10, 50)))


def _cut(chance: random.Random, text: str, _kept: list[str]) -> str:
    start, end = _span(chance, text)
    return text[:start] + text[end:]


def _doubled(chance: random.Random, text: str, _kept: list[str]) -> str:
    start, end = _span(chance, text)
    return text[:end] + text[start:end] * chance.choice((1, 2, 30)) + text[end:]


def _inserted(chance: random.Random, text: str, _kept: list[str]) -> str:
    start, _ = _span(chance, text)
    return text[:start] + chance.choice(TOKENS) + text[start:]


def _replaced(chance: random.Random, text: str, _kept: list[str]) -> str:
    parts = [*_PARTS.finditer(text)]
    if not parts:
        return text + chance.choice(TOKENS)
    part = chance.choice(parts)
    return text[: part.start()] + chance.choice(TOKENS) + text[part.end() :]


def _joined(chance: random.Random, text: str, kept: list[str]) -> str:
    other = chance.choice(kept)
    return text[: _span(chance, text)[0]] + other[_span(chance, other)[0] :]


def _odd_sign(chance: random.Random, text: str, _kept: list[str]) -> str:
    start, _ = _span(chance, text)
    return text[:start] + chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) + text[start + 1 :]


_CHANGES: Final[tuple[Callable[[random.Random, str, list[str]], str], ...]] = (
    _cut, _doubled, _inserted, _replaced, _replaced, _joined, _odd_sign,
)  # fmt: skip


def keep(name: str, text: str) -> None:
    """Add an input to the seeds of a target."""
    if text not in seeds(name):
        with (SEEDS / f"{name}.jsonl").open("a", encoding="ascii") as file:
            file.write(json.dumps(text) + "\n")


def failures(name: str, count: int) -> Iterator[tuple[str, Any]]:
    """Run a target on its inputs, and give each that raised something that is not documented."""
    for text in inputs(name, count):
        try:
            TARGETS[name].accepts(text)
        except Exception as error:
            yield text, error
