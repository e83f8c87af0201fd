"""Stores, accepted values, data sets that are scored, and the files of blind comparisons as targets."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any, Final

from pytest_verdict.accepting.candidates import Rows
from pytest_verdict.accepting.editing import (
    ALREADY,
    DELIMITERS,
    MALFORMED,
    AcceptedFile,
    LiteralFile,
    RowFile,
    YamlFile,
)
from pytest_verdict.accepting.file import parse_accepted
from pytest_verdict.blind import HumanJudge, blind_compare
from pytest_verdict.blind.calibration import read_gold_set
from pytest_verdict.blind.rubric import read_rubric
from pytest_verdict.blind.skill_creator import read_iteration
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.yaml import decode_text
from pytest_verdict.datasets.check import check_dataset
from pytest_verdict.datasets.remote import ReportTarget
from pytest_verdict.datasets.row_check import RowCheck
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.datasets.units import Unit, plan_units, score_unit
from pytest_verdict.errors import AwaitingJudgmentError, ConfigurationError, MappingError, RecordError, SettingsError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.extraction.steps import PRESETS
from pytest_verdict.judging import documents
from pytest_verdict.operators.criteria import read_criteria
from pytest_verdict.page.server import Server
from pytest_verdict.report.manifest import read_manifest
from pytest_verdict.store.files import configured_store
from pytest_verdict.suites.agent_result import called_tools, name_of_call, result_from_json
from pytest_verdict.templates import template_from_spec, template_to_spec
from tools.fuzz.command_targets import PLACE, choose, run, seeds, write_parts

_ON_STORES: Final = (
    *("runs --store STORE", "history --store STORE", "history --store STORE --format json --by test,branch"),
    *("history x* --store STORE --by tag:model,param:n", "trends --store STORE -o OUT"),
    *("bless --as main --because x --store STORE", "diff store:main store:main~1", "explain store:main --failed"),
    *(
        "bless 2026 --as other --because x --store STORE",
        "view store:2026 --no-open",
        "runs --store STORE --tag model=a",
    ),
)
BLIND_FILES: Final = ("commitment.json", "blind.json", "comparison.json")


def _write_store(text: str) -> tuple[Path, str]:
    """Write a store whose names have the digests of what they hold, as anybody can who writes to it."""
    index, table, event, bundle = [*text.split("\0", 3), "", "", ""][:4]
    store = PLACE / "store"
    shutil.rmtree(store, ignore_errors=True)
    shutil.rmtree(PLACE / ".cache", ignore_errors=True)
    files: dict[str, bytes] = {}
    table_digest = hashlib.sha256(_encode(table)).hexdigest()[:16]
    files[f"tests/{table_digest}.json.gz"] = gzip.compress(_encode(table), 1)
    for number in range(2):
        content = _encode(index.replace("TABLE", table_digest).replace("NUMBER", str(number)))
        name = f"2026010{number + 1}T000000-{hashlib.sha256(content).hexdigest()[:8]}"
        folder = f"runs/2026/01/{name}"
        files[f"{folder}/index.json.gz"] = gzip.compress(content, 1)
        if bundle:
            files[f"{folder}/bundle.zip"] = bundle.encode("latin-1", "replace")
        files[f"baselines/main/2026010{number + 1}T000000-a.json"] = _encode(event.replace("RUN", name))
    for path, content in files.items():
        (store / path).parent.mkdir(parents=True, exist_ok=True)
        (store / path).write_bytes(content)
    return store, table_digest


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@contextlib.contextmanager
def _environment(**variables: str) -> Any:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def read_store(text: str) -> None:
    store, _ = _write_store(text)
    shutil.rmtree(PLACE / "out", ignore_errors=True)
    with _environment(VERDICT_STORE=str(store), HOME=str(PLACE), DISPLAY=""):
        words = choose(text, _ON_STORES).split()
        run([word.replace("STORE", str(store)).replace("OUT", str(PLACE / "out")) for word in words])


def read_store_configuration(text: str) -> None:
    """Find the store that a file of pytest's configuration names."""
    folder = PLACE / "configured"
    shutil.rmtree(folder, ignore_errors=True)
    name, _, content = text.partition("\n")
    if name not in {"pytest.ini", "pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}:
        name = "pyproject.toml"
    write_parts(folder, {name: content})
    with _environment(VERDICT_STORE=""):
        configured_store(folder)


def read_accepted_values(text: str) -> None:
    """Read a file of accepted values; a value that is added is then in it, and the others are as before."""
    file = AcceptedFile(decode_text(_encode(text)))
    keys = ("test_added", "a name", None)
    if file.refusal(keys, None, "added") in {"", ALREADY}:
        file.accept(keys, "added", beside=True)
        values = parse_accepted(file.text())
        assert "added" in values["test_added"]["a name"]
        for test, names in file.before.items():
            assert test == keys[0] or encode_text(values[test]) == encode_text(names)


def change_value(text: str) -> None:
    """Accept a value in each place of a data set: it is then there, and all others are as before."""
    suffix, _, content = text.partition("\n")
    if suffix not in {".jsonl", ".csv", ".tsv", ".yaml"}:
        suffix = ".jsonl"
    path = PLACE / f"rows{suffix}"
    path.write_bytes(_encode(content))
    rows = dict(Rows(path).by_line)
    source = path.read_bytes().decode("utf-8")
    for line, row in list(rows.items())[:3]:
        for column, value in list(row.items())[:3] if isinstance(row, dict) else ():
            _change_one(path, source, rows, (line, column), value)
            path.write_bytes(_encode(content))


def _change_one(path: Path, source: str, rows: dict[int, Any], place: tuple[int, str], value: Any) -> None:
    line, column = place
    try:
        keys: tuple[Any, ...] = place
        file: LiteralFile
        if path.suffix == ".yaml":
            file = YamlFile(source)
            keys = (file.document.lines_of_items(()).index(line), column)
        else:
            file = RowFile(source, DELIMITERS[path.suffix])
        if file.refusal(keys, value, "a new value"):
            return
        file.accept(keys, "a new value", beside=False)
        path.write_bytes(_encode(file.text()))
    except MALFORMED:
        return
    # A text of several lines becomes one of one line, so the rows below it move.
    changed = [*Rows(path).by_line.values()]
    expected = [*{**rows, line: {**rows[line], column: "a new value"}}.values()]
    assert encode_text(changed) == encode_text(expected), (line, column)


def read_scored_rows(text: str) -> None:
    """Score a data set: the settings, the suffix, and the rows."""
    settings, suffix, content = [*text.split("\n", 2), "", ""][:3]
    if suffix not in {".jsonl", ".json", ".csv", ".tsv", ".yaml"}:
        suffix = ".jsonl"
    path = PLACE / f"scored{suffix}"
    path.write_bytes(_encode(content))
    mapping = {"expected": "$.a", "observed": "$.b"}
    operator = choose(text, ("exact", "normalized_exact", "numeric_exact", "one_of", "contains_any", "json_canonical"))
    given = parse_json_with_floats(settings)
    check = check_dataset(path, operator, mapping, pass_rate=0.5, **(given if isinstance(given, dict) else {}))
    assert check.total >= check.passed >= 0


def read_mapping(text: str) -> None:
    """Score with a file of a mapping."""
    (PLACE / "mapping.yaml").write_bytes(_encode(text))
    (PLACE / "few.jsonl").write_text('{"a": 1, "b": {"c": "the answer is 1"}}\n')
    shutil.rmtree(PLACE / "out", ignore_errors=True)
    words = ["score", "few.jsonl", "--operator", "exact", "--mapping", "mapping.yaml", "-j", "1", "-o", "out"]
    run(words)


def read_part(text: str) -> None:
    """Read the part of a killed run: it is that of its rows, or they are scored again."""
    folder = PLACE / "parts-of-a-run"
    shutil.rmtree(folder, ignore_errors=True)
    unit = _scored_unit(folder)
    (summary,) = (path for path in folder.rglob("*.json") if path.suffixes[-2:] == [".jsonl", ".json"])
    summary.write_bytes(_encode(text))
    scored = score_unit(unit)
    assert scored.rows == 2
    assert [part.counts for part in scored.parts] == [{"exact": (1, 1, 0)}]


def read_manifest_text(text: str) -> None:
    """Read the manifest of a report in parts."""
    manifest = read_manifest(_encode(text), "manifest.json")
    assert manifest.parts


def _scored_unit(folder: Path) -> Unit:
    folder.mkdir(parents=True)
    rows = folder / "rows.jsonl"
    rows.write_text('{"a": 1, "b": 1}\n{"a": 1, "b": 2}\n')
    evaluator = Evaluator("exact", {"expected": "$.a", "observed": "$.b"})
    check = RowCheck(evaluator=evaluator, label="rows.jsonl", ids=None, test="rows.jsonl::exact")
    (unit,) = plan_units(rows, check, Selection(None, None, 0), ReportTarget(folder), 100)
    score_unit(unit)
    return unit


def read_answer(text: str) -> None:
    """Find the answer in a text, by each preset."""
    for preset in PRESETS:
        with contextlib.suppress(MappingError):
            read_input("observed", {"path": "$", "extract": preset})(text)


def read_agent_reply(text: str) -> None:
    result = result_from_json(parse_json_with_floats(text), "the reply")
    for call in called_tools(result):
        name_of_call(call)


def read_blind_folder(text: str) -> None:
    folder = PLACE / "blind"
    shutil.rmtree(folder, ignore_errors=True)
    write_parts(folder, dict(zip(BLIND_FILES, text.split("\0"), strict=False)))
    run(["unblind", str(folder)])


def read_blind_files(text: str) -> None:
    """Read a text as each file that people write for a judge."""
    path = PLACE / "people.yaml"
    path.write_bytes(_encode(text))
    problems = []
    for read in (read_rubric, read_gold_set, read_criteria):
        try:
            read(path)
        except (ConfigurationError, RecordError, SettingsError) as error:
            problems.append(error)
    if len(problems) == 3:
        raise problems[0]


def read_attestation(text: str) -> None:
    (PLACE / "evidence.zip").write_bytes(seeds("bundles")[0].encode("latin-1"))
    name, _, content = text.partition("\n")
    path = PLACE / ("attestation.jsonl" if name == "jsonl" else "attestation.json")
    path.write_bytes(_encode(content))
    run(["verify-bundle", str(PLACE / "evidence.zip"), "--attestation", str(path)])


_SERVERS: Final[list[Server]] = []


def read_request(text: str) -> None:
    """Answer a request for a resource of the served page: its name and its argument."""
    if not _SERVERS:
        folder = PLACE / "served"
        write_parts(folder, dict(zip(("report.json", "records.jsonl"), seeds("shards")[0].split("\0"), strict=False)))
        _SERVERS.append(Server(folder, "served", 0))
    name, _, argument = text.partition("\n")
    try:
        answer = _SERVERS[0].answer(name, argument)
    except IndexError as error:
        raise RecordError("no such row") from error
    if answer is None:
        raise RecordError("no such resource")


def read_form(text: str) -> None:
    """Ask a person, who fills in the form with anything."""
    folder = PLACE / "judgments"
    shutil.rmtree(folder, ignore_errors=True)
    for _ in range(2):
        with contextlib.suppress(AwaitingJudgmentError):
            blind_compare("because 6 times 7 is 42", "42", "What is 6 times 7?", HumanJudge(folder), key="key")
        for form in folder.glob("*/form.yaml"):
            form.write_bytes(_encode(text))


def read_document(text: str) -> None:
    """Find the text of a document: the suffix, and its bytes as the code points of the text."""
    suffix, _, content = text.partition("\n")
    answer = documents.read_text(f"output.{suffix}", content.encode("latin-1", "replace"))
    if answer.text is None:
        raise RecordError(answer.reason or "there is no reason")


def read_iterations(text: str) -> None:
    """Read the folder of a skill's iteration, whose metadata is the text."""
    workspace = PLACE / "iteration"
    for name in ("with", "without"):
        write_parts(workspace / "eval-1" / name / "outputs", {"output.txt": name})
    write_parts(workspace / "eval-1", {"eval_metadata.json": text})
    read_iteration(workspace)


def read_template(text: str) -> None:
    """Build a template from data, and write it as data again."""
    template = template_from_spec(text)
    assert template_from_spec(template_to_spec(template)).model_fields.keys() == template.model_fields.keys()
