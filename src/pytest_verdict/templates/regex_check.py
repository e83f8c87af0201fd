"""Regex checks of classic templates: what a pattern finds in the trace, compared with what it should find."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pytest_verdict.core.kernel import error_outcome, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.normalized_sides import NOT_TEXT
from pytest_verdict.operators.regex import INVALID_PATTERN, FoundMatch, find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError

_KEYS: Final = ("pattern", "expected", "match_type")
_MATCH_TYPES: Final = ("all", "contains", "count", "exact")


class RegexCheck(Operator):
    """What a pattern finds in the trace is as expected; one entry of a template's ``self.regex``.

    A group in the pattern stands for the match: with one group its text is what was found, with several a tuple.

    Args:
        pattern: A regular expression in the syntax of Python's ``re``. One that does not compile fails.
        value: What it should find. Given as a setting it takes the place of expected.
        match_type: ``exact`` (one match, equal to expected), ``contains`` (expected is one of the matches), ``count``
            (expected is their number) or ``all`` (expected is a list of texts, each of which is one of the matches). Any
            other word fails.

    Example:
        >>> compare("regex_check", None, "4 of 5", pattern="[0-9]", value=2, match_type="count").score
        1.0
    """

    name: ClassVar[str] = "regex_check"
    kind: ClassVar[str] = "trace"

    pattern: str = ""
    value: Any = None
    match_type: Any = "exact"

    def settings(self) -> dict[str, Any]:
        """Give all settings as typed JSON; a tuple stays one."""
        return {"pattern": self.pattern, "value": encode(self.value), "match_type": encode(self.match_type)}

    def effective_expected(self, expected: Any) -> Any:
        """Give the setting ``value`` when there is one."""
        return expected if self.value is None else self.value

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Search the trace and compare; see the class."""
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,), details={"reason": f"the trace is no text: {shown(observed, 80)}"})
        try:
            matches = find_matches(self.pattern, (), "search", observed, limit=None)
        except re.error as error:
            reason = f"{self.pattern!r} is not a regular expression: {error}"
            return Outcome(0.0, notes=(INVALID_PATTERN,), details={"reason": reason})
        except RegexTimeLimitError as error:
            return error_outcome(error)
        found = [_text(match) for match in matches]
        reason = self._problem(self.effective_expected(expected), found)
        details: dict[str, Any] = {"matches_found": encode(found), "match_count": len(found)}
        return Outcome(0.0 if reason else 1.0, details={**details, "reason": reason} if reason else details)

    def _problem(self, expected: Any, found: list[Any]) -> str:
        match self.match_type if isinstance(self.match_type, str) else None:
            case "exact" if len(found) != 1:
                return f"exactly one match is expected, found {len(found)}"
            case "exact":
                return (
                    "" if equal(expected, found[0]) else f"{shown(found[0], 80)} was found, not {shown(expected, 80)}"
                )
            case "contains":
                is_there = any(equal(expected, one) for one in found)
                return "" if is_there else f"{shown(expected, 80)} is not among the matches"
            case "count" if type(expected) is not int:
                return f"match_type count expects a whole number, got {shown(expected, 80)}"
            case "count":
                return "" if expected == len(found) else f"{len(found)} matches were found, not {expected}"
            case "all" if not isinstance(expected, list | tuple):
                return f"match_type all expects a list, got {shown(expected, 80)}"
            case "all":
                missing = [item for item in expected if not any(equal(item, one) for one in found)]
                return f"not among the matches: {shown(missing, 160)}" if missing else ""
        return f"Unknown match_type: {self.match_type!r}.{allowed('match_type', self.match_type, _MATCH_TYPES)}"


def _text(match: FoundMatch) -> Any:
    groups = tuple(group or "" for group in match.groups)
    if not groups:
        return match.text
    return groups[0] if len(groups) == 1 else groups


def regex_checks(template: str, entries: Any) -> dict[str, RegexCheck]:
    """Read what a template set as ``self.regex``."""
    if entries is None:
        return {}
    if not isinstance(entries, Mapping):
        raise TemplateError(f"{template}: self.regex is a dict of named checks, got {shown(entries, 80)}")
    return {str(name): _check(f"{template}: self.regex[{name!r}]", entry) for name, entry in entries.items()}


def _check(place: str, entry: Any) -> RegexCheck:
    if isinstance(entry, RegexCheck):
        return entry
    if not isinstance(entry, Mapping) or not isinstance(entry.get("pattern"), str) or not {*entry} <= {*_KEYS}:
        raise TemplateError(f"{place} is a dict with pattern, expected and match_type, got {shown(entry, 120)}")
    found = {key: item for key, item in entry.items() if key != "expected"}
    return RegexCheck(**found, value=entry.get("expected"))


def compare_all(checks: Mapping[str, RegexCheck], trace: Any) -> list[ComparisonResult]:
    """Make every check on a trace."""
    return [run(check, None, trace, name=name) for name, check in checks.items()]


def regex_report(results: list[ComparisonResult]) -> dict[str, Any]:
    """Give the results as ``verify_regex`` returns them."""
    return {
        "success": all(one.passed for one in results),
        "results": {str(one.name): one.passed for one in results},
        "details": {str(one.name): _details(one) for one in results},
    }


def _details(result: ComparisonResult) -> dict[str, Any]:
    settings, details = result.settings, result.details
    found = {
        "pattern": settings["pattern"],
        "expected": result.expected,
        "match_type": decode(settings["match_type"]),
        "matches_found": decode(details.get("matches_found", [])),
        "match_count": details.get("match_count", 0),
    }
    if result.passed:
        return {**found, "success_reason": f"as expected by match_type {found['match_type']}"}
    return {**found, "failure_reason": details.get("reason", result.error)}
