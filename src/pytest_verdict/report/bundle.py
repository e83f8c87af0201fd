"""A bundle: a ZIP file with the files of a report and its in-toto statements."""

import json
import zipfile
from pathlib import Path
from typing import IO, Final

from pytest_verdict.report.compression import open_records
from pytest_verdict.report.statements import files_of, statements

# Two bundles of the same report have the same bytes.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


def write_bundle(folder: Path, target: str | Path | IO[bytes]) -> None:
    """Write the report of a folder as a bundle, without verifying it."""
    contents: dict[str, bytes] = {}
    for name, statement in statements(folder).items():
        contents[name] = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode("ascii")
    for name in files_of(folder):
        with open_records(folder / name) as source:
            contents[name] = source.read()
    with zipfile.ZipFile(target, "w") as file:
        for name, content in contents.items():
            file.writestr(zipfile.ZipInfo(name, _NO_TIME), content, zipfile.ZIP_DEFLATED)
