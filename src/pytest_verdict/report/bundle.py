"""A bundle: a ZIP file with the files of a report and its in-toto statements."""

import json
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from pytest_verdict.report.compression import MANIFEST
from pytest_verdict.report.folder import PARTS, list_parts
from pytest_verdict.report.journal import OUTPUTS, RECORDS
from pytest_verdict.report.json_report import REPORT
from pytest_verdict.report.junit import JUNIT
from pytest_verdict.report.manifest import PART_FILE
from pytest_verdict.report.statements import TEST_RESULT, VERDICTS, files_of, statements

# Two bundles of the same report have the same bytes.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def write_bundle(folder: Path, target: str | Path | IO[bytes]) -> None:
    """Write the report of a folder as a bundle, without verifying it."""
    contents = {
        name: json.dumps(statement, sort_keys=True, separators=(",", ":")).encode("ascii")
        for name, statement in statements(folder).items()
    }
    parts = sorted(f"{PARTS}/{name}" for name in list_parts(folder))
    with zipfile.ZipFile(target, "w") as file:
        for name, content in contents.items():
            file.writestr(zipfile.ZipInfo(name, _NO_TIME), content, zipfile.ZIP_DEFLATED)
        for name in (*files_of(folder), *parts):
            entry = zipfile.ZipInfo(name, _NO_TIME)
            # Parts are compressed already.
            entry.compress_type = zipfile.ZIP_STORED if name in parts else zipfile.ZIP_DEFLATED
            with (folder / name).open("rb") as source, file.open(entry, "w", force_zip64=True) as member:
                shutil.copyfileobj(source, member)


def is_complete(names: Iterable[str]) -> bool:
    """Return whether these are the names of the files of a bundle, with the parts of its records if it has a manifest."""
    files = sorted(name for name in names if PART_FILE.fullmatch(name) is None)
    records = MANIFEST if MANIFEST in files else RECORDS
    needed = [records, REPORT, JUNIT, TEST_RESULT, VERDICTS]
    # A bundle has the outputs of adapters only if suites ran.
    return files in (sorted(needed), sorted([*needed, OUTPUTS]))
