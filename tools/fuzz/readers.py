"""Which module reads what, and the targets that feed it hostile input; a test shows that no reader is missing.

A text stands for a module whose input nobody else can write, and says why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest_verdict

SOURCE: Final = Path(pytest_verdict.__file__).parent
_READS: Final = {
    *("read_text", "read_bytes", "loads", "raw_decode", "validate_json", "read_string", "parse_args", "readline"),
    *(
        "YamlDocument",
        "read_yaml",
        "read_exactly",
        "parse_json",
        "parse_json_with_floats",
        "parse_record",
        "read_document",
    ),
    *(
        "ZipFile",
        "GzipFile",
        "decompress",
        "reader",
        "DictReader",
        "mmap",
        "b64decode",
        "open_records",
        "parse_qs",
        "cat",
    ),
    *("ParquetFile", "open_file", "open_stream", "read1", "communicate", "getproxies", "urlsplit"),
}
_PACKAGE: Final = "it reads a file of an installed package"
_PROCESS: Final = "it reads what this process or its worker has written"
_TEXT: Final = "it reads JSON that was written a line before"

READERS: Final[Mapping[str, tuple[str, ...] | str]] = {
    "accepting/candidates.py": ("accepted_values", "changed_values"),
    "accepting/command.py": ("accepted_values", "changed_values"),
    "accepting/file.py": ("accepted_values",),
    "accepting/editing.py": ("accepted_values", "changed_values"),
    "blind/calibration.py": ("blind_files",),
    "blind/candidates.py": ("documents",),
    "blind/commands/blind.py": ("arguments",),
    "blind/files.py": ("blind_folders", "blind_files"),
    "blind/human.py": ("forms",),
    "blind/pairs.py": ("arguments", "iterations"),
    "blind/reply.py": ("replies",),
    "blind/rubric.py": ("blind_files",),
    "cli/__init__.py": ("arguments",),
    "cli/explain.py": ("folders", "stores"),
    "cli/verify_bundle.py": ("bundles", "attestations"),
    "comparison.py": _TEXT,
    "core/record.py": ("records",),
    "core/record_members.py": ("records",),
    "core/replay.py": ("records", "folders"),
    "core/result.py": ("records",),
    "core/values/encoding.py": ("records",),
    "core/values/jsontext.py": ("trajectories", "answers"),
    "core/values/redaction.py": ("records",),
    "core/values/yaml.py": ("suites", "datasets"),
    "datasets/commands/score.py": ("mappings", "arguments"),
    "datasets/formats.py": ("datasets", "scored_rows"),
    "datasets/rows.py": ("datasets", "scored_rows"),
    "datasets/score.py": ("mappings", "parts"),
    "datasets/units.py": ("parts",),
    "errors.py": _PACKAGE,
    "extraction/input_mapping.py": ("mappings",),
    "extraction/steps.py": ("answers",),
    "judging/documents.py": ("documents",),
    "judging/recording.py": ("recordings",),
    "laws.py": _TEXT,
    "operators/criteria.py": ("blind_files",),
    "operators/json/document.py": ("records", "scored_rows"),
    "operators/json/schema.py": ("records",),
    "operators/regex_process.py": _PROCESS,
    "page/folder.py": ("folders",),
    "page/rows.py": ("folders",),
    "page/server.py": ("requests", "folders"),
    "page/writing.py": _PACKAGE,
    "pytest_plugin/captured.py": _PROCESS,
    "pytest_plugin/recorder.py": _PROCESS,
    "report/building.py": ("journals", "shards"),
    "report/bundle.py": ("folders",),
    "report/checks.py": ("folders", "bundles"),
    "report/compression.py": ("folders", "bundles"),
    "report/folder.py": ("folders", "manifests"),
    "report/journal.py": ("journals",),
    "report/json_report.py": ("shards",),
    "report/manifest.py": ("manifests",),
    "report/reading.py": ("folders", "stores"),
    "report/records_file.py": ("folders", "bundles"),
    "report/statements.py": ("bundles", "folders"),
    "report/summary.py": ("folders", "shards"),
    "report/urls.py": ("arguments",),
    "report/verification.py": ("folders", "bundles"),
    "runs/diff.py": ("folders", "stores"),
    "runs/numbers.py": ("folders",),
    "runs/parts.py": ("folders",),
    "runs/run.py": ("folders", "stores"),
    "runs/tables.py": ("folders", "configuration"),
    "store/baselines.py": ("stores",),
    "store/files.py": ("stores", "store_configuration"),
    "store/index.py": ("stores",),
    "store/store.py": ("stores",),
    "suites/adapters/command.py": ("agent_replies",),
    "suites/adapters/http.py": ("agent_replies",),
    "suites/commands/init.py": _PACKAGE,
    "suites/commands/import_.py": ("imports",),
    "suites/importing/__init__.py": ("imports",),
    "suites/suite_model.py": ("suites",),
    "summaries/reading.py": ("folders",),
    "templates/form.py": ("recordings",),
    "templates/spec.py": ("templates",),
    "trajectories/readers/__init__.py": ("trajectories",),
    "trajectories/readers/common.py": ("trajectories",),
}


def reading_modules() -> Iterator[str]:
    """Yield the modules that call something that reads."""
    for path in sorted(SOURCE.rglob("*.py")):
        calls = (node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        names = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
        if not names.isdisjoint(_READS):
            yield path.relative_to(SOURCE).as_posix()
