"""``junit.xml`` for CI systems: one testcase for each test."""

import hashlib
import re
from collections.abc import Iterator
from typing import Final, Literal, get_args

from pytest_verdict.core.record import digest_of_test, sum_counts
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.report.journal import Properties, TestEntry
from pytest_verdict.report.summary import NOT_GREEN, VERDICTS, Contents, TestSummary, counts_text

Profile = Literal["ci", "strict"]
"""With the file and line of each test, or valid against the schema of the Jenkins xUnit plugin, which knows neither."""
JUNIT: Final = "junit.xml"
PROFILES: Final[tuple[str, ...]] = get_args(Profile)

# GitHub and GitLab cut messages, and libxml2 refuses text beyond 10 MB.
_MESSAGE_LIMIT: Final = 500
_TEXT_LIMIT: Final = 32_000
_OUTPUT_LIMIT: Final = 4_000_000
_NAME_LIMIT: Final = 200
# The profile ci has the full names of pytest, up to a limit that readers accept.
_NAME_LIMITS: Final[dict[Profile, int]] = {"ci": 1_000_000, "strict": _NAME_LIMIT}

_FAILED: Final = {"failed", "unfinished"}
# The attempts of a repeated test may pass before the last one.
_EARLIER_FAILURES: Final = {"rerun", *NOT_GREEN}

# Escape sequences of terminals, which a CI page shows as noise.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_TEXT: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ESCAPES_IN_TEXT: Final = str.maketrans(_IN_TEXT)
_ESCAPES_IN_ATTRIBUTE: Final = str.maketrans({**_IN_TEXT, "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def check_profile(profile: str) -> Profile:
    if profile not in PROFILES:
        raise ConfigurationError(f"unknown JUnit profile {profile!r}.{allowed('profile', profile, PROFILES)}")
    return profile  # type: ignore[return-value]


def write(contents: Contents) -> Iterator[str]:
    profile = check_profile(contents.profile)
    run = contents.run
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="pytest-verdict" {_totals(contents.summary.tests, skipped=False)}>\n'
    files: dict[str, list[TestSummary]] = {}
    for test in contents.summary.tests:
        files.setdefault(test.final.path or test.final.test.split("::", 1)[0], []).append(test)
    started = str(run.get("started", ""))[:19]
    stamp = f' timestamp="{attribute(started, 40)}"' if started else ""
    used_names: set[tuple[str, str]] = set()
    for path, tests in files.items():
        name = escape_name(path, _NAME_LIMIT)
        file = f' file="{name}"' if profile == "ci" else ""
        yield f'<testsuite name="{name}" {_totals(tests, skipped=True)}{stamp}{file}>\n'
        yield _properties([*_counts(tests, contents.records["sha256"]), *run.get("properties", ())])
        for test in tests:
            yield _case(test, profile, used_names)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _properties(properties: Properties) -> str:
    lines = [
        f'<property name="{attribute(name, _OUTPUT_LIMIT)}" value="{attribute(value, _OUTPUT_LIMIT)}"/>\n'
        for name, value in properties
    ]
    return f"<properties>\n{''.join(lines)}</properties>\n"


def _counts(tests: list[TestSummary], records_digest: str) -> Iterator[tuple[str, str]]:
    counts = [sum(column) for column in zip(*(test.comparisons for test in tests), strict=True)]
    yield "verdict.comparisons", str(sum(counts))
    for verdict, number in zip(VERDICTS, counts, strict=True):
        yield f"verdict.comparisons.{verdict}", str(number)
    yield "verdict.records", "records.jsonl"
    yield "verdict.records.sha256", records_digest


def _totals(tests: list[TestSummary], *, skipped: bool) -> str:
    outcomes = [test.decisive.outcome for test in tests]
    failures = sum(outcome in _FAILED for outcome in outcomes)
    skips = f' skipped="{sum(outcome in {"skipped", "xfailed"} for outcome in outcomes)}"' if skipped else ""
    seconds = sum(test.seconds for test in tests)
    return f'tests="{len(tests)}" failures="{failures}" errors="{outcomes.count("error")}"{skips} time="{seconds:.3f}"'


def _case(test: TestSummary, profile: Profile, used_names: set[tuple[str, str]]) -> str:
    entry = test.decisive
    class_name, name = _distinct_names(entry, _NAME_LIMITS[profile], used_names)
    place = ""
    parts = []
    if profile == "ci":
        place = f' file="{escape_name(entry.path, _NAME_LIMIT)}" line="{entry.line}"'
        # The schema of the profile strict allows properties of suites only.
        repeats = test.final.repeats or {}
        properties = [(f"verdict.repeats.{name}", str(value)) for name, value in repeats.items() if value]
        if test.final.properties or properties:
            parts.append(_properties([*test.final.properties, *properties]))
    kind = "rerunFailure" if entry.outcome in NOT_GREEN else "flakyFailure"
    for attempt in test.earlier:
        if attempt is not entry and attempt.outcome in _EARLIER_FAILURES:
            message = attribute(attempt.message, _MESSAGE_LIMIT)
            text = element_text(attempt.text, _TEXT_LIMIT)
            parts.append(f'<{kind} message="{message}" type="verdict.Rerun"><stackTrace>{text}</stackTrace></{kind}>\n')
    parts += [_problem(entry), _output(test)]
    head = f'<testcase classname="{class_name}" name="{name}" time="{test.seconds:.3f}"{place}>\n'
    return f"{head}{''.join(parts)}</testcase>\n"


def _distinct_names(entry: TestEntry, limit: int, used: set[tuple[str, str]]) -> tuple[str, str]:
    """Return the names of pytest, made distinct, because GitLab keeps only the first of two tests with equal names."""
    # A parameter may contain two colons, and a module that was not collected has no class.
    path, _, inside = entry.test.partition("::")
    head, bracket, parameter = inside.partition("[")
    parts = [path.removesuffix(".py").replace("/", "."), *(head.split("::") if inside else [])]
    full_name = parts[-1] + bracket + parameter
    if entry.worker:
        full_name += f" ({entry.worker})"
    class_name = escape_name(".".join(parts[:-1]), limit)
    name = escape_name(full_name, limit)
    if (class_name, name) in used:
        name = escape_name(full_name, limit, always=f"{entry.test}\0{entry.worker}")
    used.add((class_name, name))
    return class_name, name


def _problem(entry: TestEntry) -> str:
    if entry.outcome in {"skipped", "xfailed"}:
        kind = "pytest.skip" if entry.outcome == "skipped" else "pytest.xfail"
        return f'<skipped type="{kind}" message="{attribute(entry.message, _MESSAGE_LIMIT)}"/>\n'
    if entry.outcome not in _FAILED and entry.outcome != "error":
        return ""
    tag = "error" if entry.outcome == "error" else "failure"
    passed, failed, broken = sum_counts(entry.comparisons)
    message = entry.message
    if failed or broken:
        counts = f"{failed + broken} of {format_count(passed + failed + broken, 'comparison')} did not pass"
        message = f"{counts}; {message}" if message else counts
    elif not message:
        message = f"the test did not end ({entry.outcome})"
    text = element_text(entry.text, _TEXT_LIMIT)
    return f'<{tag} message="{attribute(message, _MESSAGE_LIMIT)}" type="{_kind(entry)}">{text}</{tag}>\n'


def _kind(entry: TestEntry) -> str:
    if entry.crashed:
        return "verdict.WorkerCrash"
    if entry.outcome == "unfinished":
        return "verdict.Unfinished"
    if entry.outcome == "error":
        return "verdict.TestError"
    _, failed, broken = sum_counts(entry.comparisons)
    if broken:
        return "verdict.OperatorError"
    return "verdict.Mismatch" if failed else "verdict.TestFailure"


def _output(test: TestSummary) -> str:
    lines = [f"comparisons: {counts_text(test.comparisons)}"] if any(test.comparisons) else []
    if any(test.comparisons[1:]):
        # For a digest without attempt and ordinal, the page opens the test's first failing comparison.
        lines.append(f"page: report.html#id={digest_of_test(test.final.test, test.final.worker)}")
    if len(test.attempts) > 1:
        lines.append(f"attempts: {len(test.attempts)}")
    if test.final.subtests:
        lines.append("subtests: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(test.final.subtests.items())))
    if test.decisive.teardown_error:
        lines.append("the teardown failed too")
    captured = test.final.output or {}
    texts = {
        "system-out": "\n".join(filter(None, [*lines, captured.get("system-out")])),
        "system-err": captured.get("system-err", ""),
    }
    return "".join(f"<{tag}>{element_text(text, _OUTPUT_LIMIT)}</{tag}>\n" for tag, text in texts.items() if text)


def element_text(text: str, limit: int) -> str:
    """Escape text for the content of an element."""
    return _cut(text.replace("\r", "\\r"), limit).translate(_ESCAPES_IN_TEXT)


def attribute(text: str, limit: int) -> str:
    """Escape text for an attribute."""
    return _cut(text, limit).translate(_ESCAPES_IN_ATTRIBUTE)


def escape_name(text: str, limit: int, *, always: str = "") -> str:
    """Escape a name for an attribute; a long name is cut and gets a digest, so it differs from others."""
    name = _escape_characters(text[: limit + 1])
    if always or len(text) > limit or len(name) > limit:
        digest = hashlib.sha256((always or text).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = f"{name[: limit - 9]}-{digest}"
    return name.translate(_ESCAPES_IN_ATTRIBUTE)


def _cut(text: str, limit: int) -> str:
    # Cut before escaping, to save time on megabytes, and again after it, because escapes are longer.
    allowed_text = _escape_characters(text[: limit + 1])
    if len(text) <= limit and len(allowed_text) <= limit:
        return allowed_text
    ending = f"\n… of {len(text)} characters, see records.jsonl"
    return allowed_text[: limit - len(ending)] + ending


def _escape_characters(text: str) -> str:
    """Replace the characters that XML cannot hold by escapes of Python."""
    if text.isascii() and text.isprintable():
        return text
    return _FORBIDDEN.sub(
        lambda match: match.group().encode("unicode_escape", "surrogatepass").decode("ascii"), _ANSI.sub("", text)
    )
