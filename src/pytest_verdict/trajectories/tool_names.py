"""What a tool is called: prefixes of MCP servers, and aliases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

ANY_SERVER: Final = "any"

_MCP: Final = re.compile(r"mcp__.+?__(?=.)", re.DOTALL)
_SEPARATORS: Final = ("__", "/", ":", ".", "-", "_")


def canonical_name(name: str, aliases: Mapping[str, str], servers: Sequence[str] | str) -> str:
    """Give the name by which a tool is compared."""
    bare = _without_server(name, servers)
    return aliases.get(bare, aliases.get(name, bare))


def _without_server(name: str, servers: Sequence[str] | str) -> str:
    if servers == ANY_SERVER:
        return _MCP.sub("", name, count=1) if name.startswith("mcp__") else name
    for server in servers:
        for prefix in (f"mcp__{server}", server):
            rest = name.removeprefix(prefix)
            if rest == name:
                continue
            for separator in _SEPARATORS:
                if rest.startswith(separator) and len(rest) > len(separator):
                    return rest.removeprefix(separator)
    return name
