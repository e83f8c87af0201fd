"""The files of a report, bundles, other tools' files and arguments as targets: what a command must refuse in one line."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_verdict.cli import run_command

SEEDS: Final = Path(__file__).parent / "seeds"
FILES: Final = ("report.json", "records.jsonl", "junit.xml", "shard.jsonl")
"""The parts of a text that stands for a folder, in their order, with NUL between them."""
_ON_FOLDERS: Final = (
    *(
        "table FOLDER --by test,name,note",
        "table FOLDER --by marker,group,param:model",
        "table FOLDER -o OUT/records.csv",
    ),
    *("numbers FOLDER", "numbers FOLDER --by test --labels exact --confidence confidence"),
    *(
        "diff FOLDER FOLDER",
        "replay FOLDER",
        "explain FOLDER --failed",
        "view FOLDER --no-open",
        "bundle FOLDER -o OUT/x.zip",
    ),
    *("summary FOLDER --format github", "summary FOLDER --format gitlab-codequality", "summary FOLDER --format ctrf"),
)
# No command that starts a program, serves a page or asks a model.
_HARMLESS: Final = {
    *("bundle", "check", "diff", "explain", "import", "init", "merge", "numbers", "operators", "replay"),
    *("report", "summary", "table", "verify-bundle"),
}
_IMPORTS: Final = ("agenticassure", "karenina", "promptfoo", "pydantic-evals")
_DIGEST_OF_RECORDS: Final = re.compile(rb'("records": \{.{0,200}?"sha256": ")[0-9a-f]{64}')
_SCRATCH: Final = tempfile.TemporaryDirectory(prefix="fuzz-")
PLACE: Final = Path(_SCRATCH.name)


def seeds(name: str) -> list[str]:
    """Return the stored inputs of a target, with all that once raised an undocumented error."""
    return [json.loads(line) for line in (SEEDS / f"{name}.jsonl").read_text("ascii").splitlines()]


def run(words: Sequence[str]) -> None:
    """Run a command in the scratch folder without its output; what it raises is not caught."""
    here = Path.cwd()
    os.chdir(PLACE)
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(SystemExit),
        ):
            run_command(words)
    finally:
        os.chdir(here)


def choose(text: str, commands: Sequence[str]) -> str:
    return commands[zlib.crc32(text.encode("utf-8", "surrogatepass")) % len(commands)]


def write_parts(folder: Path, parts: Mapping[str, str]) -> None:
    """Write texts as the files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        (folder / name).write_bytes(part.encode("utf-8", "surrogatepass"))


def _write_folder(text: str) -> Path:
    folder, out = PLACE / "folder", PLACE / "out"
    for path in (folder, out):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    write_parts(folder, dict(zip(FILES, text.split("\0"), strict=False)))
    # Who alters a folder computes its digests again.
    report = folder / "report.json"
    content = report.read_bytes()
    digest = hashlib.sha256((folder / "records.jsonl").read_bytes()) if (folder / "records.jsonl").exists() else None
    if digest is not None:
        content = _DIGEST_OF_RECORDS.sub(rb"\g<1>" + digest.hexdigest().encode(), content, count=1)
    start = content.rfind(b'"sha256": "') + len(b'"sha256": ')
    own = hashlib.sha256(content[:start]).hexdigest().encode()
    report.write_bytes(content[:start] + b'"' + own + content[start + 65 :])
    return folder


def read_folder(text: str) -> None:
    command = choose(text, _ON_FOLDERS)
    folder = _write_folder(text)
    run([word.replace("FOLDER", str(folder)).replace("OUT", str(PLACE / "out")) for word in command.split()])


def read_shard(text: str) -> None:
    folder = _write_folder(text)
    run(["merge", str(folder), "-o", str(PLACE / "out"), "--allow-missing"])


def read_bundle(text: str) -> None:
    """Read a bundle; its bytes are the code points of the text."""
    path = PLACE / "evidence.zip"
    path.write_bytes(text.encode("latin-1", "replace"))
    run([choose(text, ("verify-bundle", "verify-bundle", "replay")), str(path)])


def read_foreign_suite(text: str) -> None:
    """Import a file, and check the suite that comes of it: a suite that is written is a suite that is read."""
    name, _, content = text.partition("\n")
    path = PLACE / "foreign.yaml"
    target = PLACE / "imported.verdict.yaml"
    target.unlink(missing_ok=True)
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    run(["import", name if name in _IMPORTS else choose(text, _IMPORTS), str(path), "-o", str(target)])
    # A template of Karenina becomes a test module.
    if target.is_file() and target.read_text("utf-8").startswith("suite:"):
        from pytest_verdict.suites.suite_reader import read_suite

        try:
            read_suite(target)
        except Exception as error:
            raise AssertionError(f"the imported suite cannot be read: {error}") from error


def read_arguments(text: str) -> None:
    """Run the words of a text, one on each line."""
    words = text.split("\n")
    if any(word in _HARMLESS for word in words[:1]):
        # An absolute path would leave the scratch folder.
        run([word.lstrip("/").replace("..", ".") for word in words])
