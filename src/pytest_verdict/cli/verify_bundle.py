"""``pytest-verdict verify-bundle``: check a bundle without the network.

The command derives digests, Merkle root, counts and both statements from the records again, and replays every verdict. A
bundle without an attestation proves nothing about its author: anyone could have written another one. The command does not
check who signed an attestation; cosign and gh do.

exit codes:
  0  everything in the bundle agrees, and the session was complete
  1  something was altered, is missing or is not complete, or the attestation is of another bundle
  2  nothing could be verified, or a file is unreadable
"""

import argparse
import base64
import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import say
from pytest_verdict.errors import RecordError
from pytest_verdict.report.bundle import is_complete
from pytest_verdict.report.checks import Finding, differences
from pytest_verdict.report.compression import MALFORMED, reporting_damage, stored_digest
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.statements import FILES, RECORDS_PREDICATE, TEST_RESULT, VERDICTS, statements
from pytest_verdict.report.verification import format_tally, replay_file

_PARTS: Final = {*FILES, TEST_RESULT, VERDICTS}
_MEGABYTE: Final = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a file written by `pytest-verdict bundle`")
    parser.add_argument(
        "--limit",
        type=int,
        default=4_000,
        metavar="MB",
        help="maximum size of the unpacked files in megabytes (default: 4000)",
    )
    parser.add_argument("--attestation", metavar="FILE", help="a sigstore bundle or DSSE envelope of the statement")


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _extract(Path(arguments.file), folder, arguments.limit * _MEGABYTE)
        tally = replay_file(RecordsFile(name, may_be_changed=True))
        derived = _derive_statements(folder, tally.findings)
        if arguments.attestation and not tally.findings:
            tally.findings += _check_attestation(Path(arguments.attestation), Path(arguments.file), derived)
    say(*format_tally(tally))
    if not arguments.attestation:
        say("self-attested: only the author of this file vouches for it")
    elif not tally.findings:
        say("attested: the signed statement is that of this bundle; `cosign` or `gh` shows who signed it")
    return tally.exit_code


def _extract(path: Path, folder: Path, most_bytes: int) -> None:
    with reporting_damage(f"{path}: this file is not a bundle"), zipfile.ZipFile(path) as file:
        names = file.namelist()
        # No part unpacks to more than the size in its entry.
        size = sum(entry.file_size for entry in file.infolist())
        if not is_complete(names):
            parts = ", ".join(sorted(_PARTS))
            raise RecordError(f"{path}: a bundle consists of {parts}, and this file of {', '.join(names)}")
        if size > most_bytes:
            raise RecordError(
                f"{path}: it unpacks to {size / _MEGABYTE:,.0f} MB; pass a --limit above that if you trust the file"
            )
        file.extractall(folder)


def _derive_statements(folder: Path, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """Derive the statements from the records, and add a finding for each difference from the bundle's."""
    try:
        derived = statements(folder)
        for name, statement in derived.items():
            recorded = json.loads((folder / name).read_bytes())
            findings += [Finding(name, place, what) for place, what in differences(statement, recorded, "")]
    except MALFORMED as error:
        findings.append(Finding(VERDICTS, "form", f"the statements cannot be derived: {error!r}"))
        return {}
    if not derived[VERDICTS]["predicate"]["complete"]:
        what = "the session did not end, or a test has no result"
        findings.append(Finding(VERDICTS, "predicate.complete", what))
    return derived


def _check_attestation(path: Path, bundle: Path, statements: dict[str, dict[str, Any]]) -> Iterator[Finding]:
    """Yield the differences between the signed statement and the derived one of its type."""
    try:
        content = path.read_bytes()
        if path.suffix == ".jsonl":
            # A file that gh downloads has one attestation on each line.
            content = content.splitlines()[0]
        document = json.loads(content)
        signed: Any = json.loads(base64.b64decode(document.get("dsseEnvelope", document)["payload"]))
    except MALFORMED:
        signed = None
    if not isinstance(signed, dict):
        raise RecordError(f"{path}: this is neither a sigstore bundle nor a DSSE envelope")

    by_type = {statement["predicateType"]: statement for statement in statements.values()}
    derived = by_type.get(str(signed.get("predicateType")), by_type[RECORDS_PREDICATE])
    for key in ("predicateType", "predicate"):
        for place, what in differences(derived[key], signed.get(key), key):
            yield Finding(path.name, place, what)
    subjects = json.dumps(signed.get("subject"))
    if stored_digest(bundle) not in subjects and derived["subject"][0]["digest"]["sha256"] not in subjects:
        yield Finding(path.name, "subject", "is neither this bundle nor its records")
