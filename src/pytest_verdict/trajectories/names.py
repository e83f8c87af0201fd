"""What a tool is called: prefixes of MCP servers, and aliases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

ANY_SERVER: Final = "any"

_MCP: Final = re.compile(r"mcp__.+?__(?=.)", re.DOTALL)
_SEPARATORS: Final = ("__", "/", ":", ".", "-", "_")


def canonical_name(name: str, aliases: Mapping[str, str], servers: Sequence[str] | str) -> str:
    """Give the name by which a tool is compared.

    Args:
        name: The tool as the source names it.
        aliases: From a name, without prefix, to the name that stands for it.
        servers: MCP servers whose name a client may put before the tool, or ``any`` for the form ``mcp__server__tool`` of
            whatever server.

    Returns:
        The name without the prefix, or its alias.

    Example:
        >>> canonical_name("mcp__github__create_issue", {}, "any")
        'create_issue'
        >>> canonical_name("github.create_issue", {"create_issue": "open_issue"}, ["github"])
        'open_issue'
    """
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
