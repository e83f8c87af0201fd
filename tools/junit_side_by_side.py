"""Our junit.xml and pytest's own of one and the same session, compared test by test.

Run as a program it does so over the suites of other projects, whose source distributions it downloads:

    python tools/junit_side_by_side.py FOLDER [PROJECT ...]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import venv
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from lxml import etree

# How each project's own instructions say that its tests are run, beside its own package.
PROJECTS = {
    "pluggy": ["pytest"],
    "click": ["pytest"],
    "attrs": ["pytest", "hypothesis", "cloudpickle"],
    "httpx": ["pytest", "anyio", "trio", "uvicorn", "trustme", "chardet", "brotli", "zstandard", "h2", "socksio", "click"],
    "jinja2": ["pytest", "trio"],
    "structlog": ["pytest", "pytest-asyncio", "freezegun", "pretend", "time-machine", "rich"],
}  # fmt: skip
LONGEST_TEXT = 32_000
# pytest writes what XML cannot hold in a form of its own, and does not leave out colours.
ANSI = re.compile(r"(?:#x1B|\\x1b|\x1b)\[[0-9;]*m")
ESCAPED = re.compile(r"#x[0-9A-F]{2,4}|\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|r)|[\r\x80-\x9f]")


class Case(NamedTuple):
    """A test in a file; pytest writes two elements of one name if the teardown failed too."""

    outcome: str
    text: str
    properties: list[tuple[str, str]]
    out: str
    err: str


def cases(path: Path) -> dict[tuple[str, str], Case]:
    found = defaultdict(list)
    parser = etree.XMLParser(huge_tree=True)
    for element in etree.parse(path, parser).getroot().iter("testcase"):
        found[element.get("classname"), element.get("name")].append(element)
    return {name: _case(elements) for name, elements in found.items()}


def _case(elements) -> Case:
    problems = [one for tag in ("failure", "error", "skipped") for element in elements for one in element.findall(tag)]
    properties = {
        (one.get("name"), one.get("value")): None
        for element in elements
        for one in element.iterfind("properties/property")
    }
    outs = {text for element in elements for text in element.xpath("system-out/text()")}
    errs = {text for element in elements for text in element.xpath("system-err/text()")}
    if not problems:
        return Case("passed", "", list(properties), "".join(sorted(outs)), "".join(sorted(errs)))
    text = plain(problems[0].text or "") if problems[0].tag != "skipped" else ""
    return Case(problems[0].tag, text, list(properties), "".join(sorted(outs)), "".join(sorted(errs)))


def plain(text: str) -> str:
    return ESCAPED.sub("?", ANSI.sub("", text)).strip("\n")


def differences(ours: Path, theirs: Path) -> list[tuple[str, str, object, object]]:
    """Return the name, the kind and both forms of each difference."""
    mine, pytests = cases(ours), cases(theirs)
    found = [(f"{name}", "identity", name in mine, name in pytests) for name in sorted(mine.keys() ^ pytests.keys())]
    for name in sorted(mine.keys() & pytests.keys()):
        one, other = mine[name], pytests[name]
        if one.outcome != other.outcome:
            found.append((f"{name}", "outcome", one.outcome, other.outcome))
        elif len(other.text) < LONGEST_TEXT and other.text not in one.text:
            found.append((f"{name}", "text", one.text, other.text))
        if one.properties != other.properties:
            found.append((f"{name}", "properties", one.properties, other.properties))
        for stream in ("out", "err"):
            if not holds(getattr(one, stream), getattr(other, stream)):
                found.append((f"{name}", stream, getattr(one, stream), getattr(other, stream)))
    return found


def holds(mine: str, pytests: str) -> bool:
    """Return whether each piece of captured output is there; pytest writes a header above empty output too."""
    pieces = (piece.strip("\n") for piece in re.split(r"-+ Captured (?:Log|Out|Err) -+\n", pytests))
    return all(plain(piece) in plain(mine) for piece in pieces if piece)


def main(folder: Path, names: list[str]) -> None:
    print("| project | tests | identity | outcome | text of failures | properties | output |")
    print("|---|---|---|---|---|---|---|")
    for name in names or PROJECTS:
        source = downloaded(name, folder / name)
        python = environment(name, folder / name, source)
        reports = [
            "--verify-report-dir",
            str(folder / name / "report"),
            "--junit-xml",
            str(folder / name / "pytest.xml"),
        ]
        options = ["-q", "-p", "no:cacheprovider", "-o", "junit_logging=all", "--continue-on-collection-errors"]
        with (folder / name / "log").open("w") as log:
            subprocess.run(
                [python, "-m", "pytest", *options, *reports], cwd=source, stdout=log, stderr=log, check=False
            )
        ours, theirs = folder / name / "report" / "junit.xml", folder / name / "pytest.xml"
        found = differences(ours, theirs)
        (folder / name / "differences.json").write_text(json.dumps(found, indent=1))
        counts = [
            sum(what in kinds for _, what, *_ in found)
            for kinds in (["identity"], ["outcome"], ["text"], ["properties"], ["out", "err"])
        ]
        print(f"| {source.name} | {len(cases(theirs))} |", " | ".join(map(str, counts)), "|", flush=True)


def downloaded(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.tar.gz")):
        command = [
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            name,
            "--dest",
            str(folder),
            name,
        ]
        subprocess.run([sys.executable, "-m", "pip", *command], check=False)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(path.parent for path in folder.glob("*/PKG-INFO"))


def environment(name: str, folder: Path, source: Path) -> str:
    python = str(folder / "venv" / "bin" / "python")
    if not Path(python).exists():
        venv.create(folder / "venv", with_pip=True)
        here = Path(__file__).parents[1]
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(source), str(here), *PROJECTS[name]], check=True)
    return python


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
