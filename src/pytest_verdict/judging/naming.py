"""The name of a judge, in records and recordings, and the judge that a command line names."""

from __future__ import annotations

import pkgutil
import sys
from pathlib import Path
from typing import Any

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.errors import ConfigurationError


def judge_name(judge: Any) -> str:
    """Give the name under which a judge is recorded."""
    own = getattr(judge, "judge_id", None)
    if isinstance(own, str) and own:
        return own
    named = judge if hasattr(judge, "__qualname__") else type(judge)
    return f"{named.__module__}.{named.__qualname__}"


def own_name(judge: Any) -> str:
    """Give the name of a judge where it must tell the judge from others, in a recording or a calibration."""
    name = judge_name(judge)
    if name.endswith("<lambda>") or name == "functools.partial":
        raise ConfigurationError(
            f"{name} is the name of other judges as well; give this one an attribute judge_id, or write it as a function"
        )
    return name


def find_judge(text: str) -> Any:
    """Find the judge that a command line names: ``kind:text`` of a family, or ``package.module:name``."""
    kind, _, rest = text.partition(":")
    place = FAMILIES.find("judges", kind)
    found = _imported(text) if place is None else load(place)(rest)
    if not callable(found) or isinstance(found, type):
        raise ConfigurationError(f"--judge {text} is no judge: a function or an object that can be called is needed")
    return found


def _imported(text: str) -> Any:
    # As pytest does for tests: a judge beside them is found.
    sys.path.insert(0, str(Path.cwd()))
    try:
        return pkgutil.resolve_name(text)
    except (ImportError, AttributeError, ValueError) as error:
        kinds = ", ".join(sorted(FAMILIES.all("judges")))
        raise ConfigurationError(
            f"--judge {text} cannot be imported: {error}; write package.module:name, or KIND:TEXT with one of the kinds {kinds}"
        ) from None
    finally:
        sys.path.pop(0)
