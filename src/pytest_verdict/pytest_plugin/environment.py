"""When and where a session ran: the only part of a report in which two equal runs differ."""

from collections.abc import Callable
from typing import Any

import pytest

from pytest_verdict.pytest_plugin.shards import shard_of
from pytest_verdict.report.environment import describe_process


def describe_environment(config: pytest.Config, redaction: Callable[[str], str] | None) -> dict[str, Any]:
    """Describe what a session runs with; of environment variables only the number of a shard is told."""
    return {
        **describe_process(config.rootpath, config.invocation_params.args, redaction),
        "pytest": pytest.__version__,
        "workers": len(getattr(config.option, "tx", None) or []),
        "plugins": {plugin.project_name: plugin.version for _, plugin in config.pluginmanager.list_plugin_distinfo()},
        **({"shard": shard} if (shard := shard_of(config)) else {}),
    }
