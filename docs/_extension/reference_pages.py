"""Directives that build reference pages from docstrings, so that a new name is documented without a change here.

``operators`` documents every operator in the registry, ``other-public-names`` every public name that no page documents by hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.nodes import nested_parse_with_titles

import pytest_verdict
import pytest_verdict.blind
import pytest_verdict.judging
import pytest_verdict.operators
import pytest_verdict.suites
import pytest_verdict.templates
import pytest_verdict.trajectories
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import REGISTRY

_NAMESPACES: tuple[Any, ...] = (
    pytest_verdict,
    pytest_verdict.operators,
    pytest_verdict.templates,
    pytest_verdict.trajectories,
    pytest_verdict.suites,
    pytest_verdict.judging,
    pytest_verdict.blind,
)
_LOGGER = logging.getLogger(__name__)
_TITLES = {"json": "JSON"}
# The most used kinds come first; other kinds follow in alphabetical order.
_FIRST = (
    "text",
    "number",
    "boolean",
    "category",
    "list",
    "date",
    "json",
    "trace",
    "trajectory",
    "aggregate",
)


def by_kind() -> dict[str, dict[type[Operator], list[str]]]:
    """Group the registered operators.

    Returns:
        Names by class by kind, in the order of the page.
    """
    groups: dict[str, dict[type[Operator], list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for name in REGISTRY.names():
        try:
            cls = REGISTRY.find(name)
        except ModuleNotFoundError as error:
            _LOGGER.warning("the operator %s cannot be imported: %s", name, error)
            continue
        groups[cls.kind][cls].append(name)
    first = [kind for kind in _FIRST if kind in groups]
    others = sorted(set(groups) - set(first))
    return {kind: groups[kind] for kind in [*first, *others]}


class Operators(Directive):
    """``.. operators::``."""

    def run(self) -> list[nodes.Node]:
        """Build a section for each kind, with one for each operator."""
        lines: list[str] = []
        for kind, classes in by_kind().items():
            title = _TITLES.get(kind, kind.capitalize())
            lines += [title, "-" * len(title), ""]
            for cls, names in classes.items():
                lines += _section(cls, names)
        return _parsed(self, lines)


class OtherPublicNames(Directive):
    """``.. other-public-names::``."""

    def run(self) -> list[nodes.Node]:
        """Build a section for each part of the package, with the names that no other page documents."""
        folder = Path(self.state.document.settings.env.srcdir)
        pages = "".join(
            path.read_text(encoding="utf-8")
            for path in folder.rglob("*.*")
            if path.suffix in {".rst", ".md"}
        )
        lines: list[str] = []
        for namespace in _NAMESPACES:
            names = list(_undocumented(namespace, pages))
            if names:
                title = namespace.__name__
                lines += [f"``{title}``", "-" * (len(title) + 4), ""]
            for name in names:
                kind = (
                    "class"
                    if isinstance(getattr(namespace, name), type)
                    else "function"
                )
                members = ["   :members:"] if kind == "class" else []
                lines += [f".. auto{kind}:: {namespace.__name__}.{name}", *members, ""]
        return _parsed(self, lines)


def _undocumented(namespace: Any, pages: str) -> Iterator[str]:
    for name in namespace.__all__:
        public = getattr(namespace, name)
        # Operators and errors have their own pages.
        elsewhere = isinstance(public, type) and issubclass(
            public, Operator | Exception
        )
        if not elsewhere and f":: {namespace.__name__}.{name}\n" not in pages:
            yield name


def _parsed(directive: Directive, lines: list[str]) -> list[nodes.Node]:
    section = nodes.section()
    section.document = directive.state.document
    nested_parse_with_titles(
        directive.state, StringList(lines, directive.name), section
    )
    return section.children


def _section(cls: type[Operator], names: list[str]) -> list[str]:
    title = ", ".join(f"``{name}``" for name in names)
    head = [title, "^" * len(title), ""]
    return [*head, f".. autoclass:: {cls.__module__}.{cls.__name__}", ""]


def _signature(
    _app: Sphinx,
    what: str,
    _name: str,
    thing: Any,
    _options: Any,
    _signature: str | None,
    returns: str | None,
) -> tuple[str, str | None] | None:
    """Show settings as a user writes them: name=default."""
    if (
        what != "class"
        or not (isinstance(thing, type) and issubclass(thing, Operator))
        or thing is Operator
    ):
        return None
    fields = sorted(
        thing.model_fields.items(), key=lambda item: not item[1].is_required()
    )
    settings = [
        name if field.is_required() else f"{name}={_default(field)!r}"
        for name, field in fields
    ]
    return f"({', '.join(settings)})", returns


def _default(field: Any) -> Any:
    default = field.get_default(call_default_factory=True)
    return list(default) if isinstance(default, tuple) else default


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("operators", Operators)
    app.add_directive("other-public-names", OtherPublicNames)
    app.connect("autodoc-process-signature", _signature)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
