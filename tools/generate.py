"""Write every file that is made from something else: ``make generate``, or ``python -m tools.generate``.

Each module of `tools.generators` has a function ``files()`` that returns the contents of its files by their path. It may have
``missing()``, the reason why they cannot be made here, and a ``FOLDER`` in which it owns every file.
`tests/test_generated_files.py` fails when a file is not what its generator would write.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[1]

# The order has no meaning: no generator reads what another one writes.
GENERATORS = (
    "public_names",
    "signatures",
    "record_schema",
    "suite_schema",
    "operator_table",
    "preset_accuracy",
    "value_semantics",
    "conformance",
    "gallery",
    "terminal_pictures",
    "page_pictures",
)


def generator(name: str) -> ModuleType:
    return importlib.import_module(f"tools.generators.{name}")


def missing(module: ModuleType) -> str | None:
    """Return why the files of a generator cannot be made here, or None."""
    return module.missing() if hasattr(module, "missing") else None


def stale_files(module: ModuleType) -> dict[Path, bytes | None]:
    """Return the files that are not what their generator writes, with their new content; None for one to remove."""
    contents = {path: _encode(content) for path, content in module.files().items()}
    changes: dict[Path, bytes | None] = {
        path: content for path, content in contents.items() if not _holds(path, content)
    }
    if hasattr(module, "FOLDER"):
        changes |= dict.fromkeys(path for path in module.FOLDER.rglob("*") if path.is_file() and path not in contents)
    return changes


def _holds(path: Path, content: bytes) -> bool:
    if not path.is_file():
        return False
    present = path.read_bytes()
    # Git may check out text with the line ends of the system.
    return content in {present, present.replace(b"\r\n", b"\n")}


def _encode(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def main() -> None:
    """Write what is stale, and print each file that changed."""
    for name in GENERATORS:
        module = generator(name)
        if reason := missing(module):
            print(f"skipped {name}: {reason}")
            continue
        changes = stale_files(module)
        for path, content in changes.items():
            print(f"{'removed' if content is None else 'written'} {path.relative_to(REPOSITORY).as_posix()}")
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        if not changes:
            print(f"current {name}")


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY / "tests"))
    main()
