"""The fixtures of stores."""

from stored_reports import _own_cache, report, session_report, store  # noqa: F401
