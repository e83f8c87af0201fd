"""``pytest-verdict verify-bundle``: check a bundle without the network.

Digests, Merkle root, counts and both statements are derived again from the records, and every verdict is replayed. Without an
attestation the bundle vouches for itself only: whoever made it could have made another one. Who signed an attestation is not
checked here; that is what cosign and gh do.

exit codes:
  0  everything in the bundle agrees, and the session was complete
  1  something was altered, is missing or is not complete, or the attestation is of another bundle
  2  nothing could be verified, or a file is unreadable
"""

import argparse
import base64
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.cli.replay import report_lines, tally_of
from pytest_verdict.console import say
from pytest_verdict.errors import RecordError
from pytest_verdict.report.checks import Finding, differences
from pytest_verdict.report.journal import OUTPUTS
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.statements import FILES, RECORDS_PREDICATE, TEST_RESULT, VERDICTS, file_digest, statements

_PARTS: Final = {*FILES, TEST_RESULT, VERDICTS}
_MEGABYTE: Final = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="a file written by `pytest-verdict bundle`")
    parser.add_argument(
        "--limit",
        type=int,
        default=4_000,
        metavar="MB",
        help="maximum size of the unpacked files in megabytes (default: 4000)",
    )
    parser.add_argument("--attestation", metavar="FILE", help="a sigstore bundle or DSSE envelope over the statement")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _extract(Path(arguments.file), folder, arguments.limit * _MEGABYTE)
        tally = tally_of(RecordsFile(name))
        derived = _derived(folder, tally.findings)
        if arguments.attestation and not tally.findings:
            tally.findings += _of_attestation(Path(arguments.attestation), Path(arguments.file), derived)
    say(*report_lines(tally))
    if not arguments.attestation:
        say("self-attested: nobody but the one who made this file vouches for it")
    elif not tally.findings:
        say("attested: the statement that was signed is that of this bundle; `cosign` or `gh` tells who signed it")
    return tally.exit_code


def _extract(path: Path, folder: Path, most_bytes: int) -> None:
    try:
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
            # A part never unpacks to more than its entry says.
            size = sum(entry.file_size for entry in file.infolist())
            # A bundle has the outputs of adapters only where suites ran.
            if sorted(names) not in (sorted(_PARTS), sorted({*_PARTS, OUTPUTS})):
                raise RecordError(
                    f"{path}: a bundle holds {', '.join(sorted(_PARTS))}, and this one {', '.join(names)}"
                )
            if size > most_bytes:
                raise RecordError(
                    f"{path}: it unpacks to {size / _MEGABYTE:,.0f} MB; give a --limit above that if you trust its size"
                )
            for name in names:
                with file.open(name) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise RecordError(f"{path}: this is no bundle: {error}") from None


def _derived(folder: Path, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """Derive the statements again, and find where the bundle's differ."""
    try:
        derived = statements(folder)
        for name, statement in derived.items():
            found = json.loads((folder / name).read_bytes())
            findings += [Finding(name, place, what) for place, what in differences(statement, found, "")]
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, RecordError) as error:
        findings.append(Finding(VERDICTS, "form", f"the statements cannot be derived: {error!r}"))
        return {}
    if not derived[VERDICTS]["predicate"]["complete"]:
        what = "the session did not come to its end, or a test has no result"
        findings.append(Finding(VERDICTS, "predicate.complete", what))
    return derived


def _of_attestation(path: Path, bundle: Path, statements: dict[str, dict[str, Any]]) -> Iterator[Finding]:
    signed = _signed(path)
    own = {statement["predicateType"]: statement for statement in statements.values()}
    derived = own.get(str(signed.get("predicateType")), own[RECORDS_PREDICATE])
    for key in ("predicateType", "predicate"):
        for place, what in differences(derived[key], signed.get(key), key):
            yield Finding(path.name, place, what)
    subjects = json.dumps(signed.get("subject"))
    if file_digest(bundle) not in subjects and derived["subject"][0]["digest"]["sha256"] not in subjects:
        yield Finding(path.name, "subject", "is neither this bundle nor its records")


def _signed(path: Path) -> dict[str, Any]:
    try:
        # A file that gh downloads has one attestation on each line.
        given = json.loads(path.read_bytes().splitlines()[0] if path.suffix == ".jsonl" else path.read_bytes())
        found: Any = json.loads(base64.b64decode(given.get("dsseEnvelope", given)["payload"]))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RecordError(f"{path}: this is neither a sigstore bundle nor a DSSE envelope")
    return found
