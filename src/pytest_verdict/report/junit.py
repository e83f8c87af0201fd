"""``junit.xml`` for CI systems: one testcase for each test.

The profile ``ci`` has the file and line of each test, which most CI systems use. The profile ``strict`` is valid against the
schema of the Jenkins xUnit plugin (junit-10.xsd), which knows neither. XML 1.0 cannot hold every character.
"""

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, get_args

from pytest_verdict.core.record import digest_of_test, summed
from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.report.journal import Properties, TestEntry
from pytest_verdict.report.summary import NOT_GREEN, VERDICTS, Contents, TestSummary, counts_text

Profile = Literal["ci", "strict"]
_Naming = Callable[[TestEntry], tuple[str, str]]
JUNIT: Final = "junit.xml"
PROFILES: Final[tuple[str, ...]] = get_args(Profile)

# GitHub and GitLab cut messages, and libxml2 refuses text beyond 10 MB.
MESSAGE_LIMIT: Final = 500
TEXT_LIMIT: Final = 32_000
OUTPUT_LIMIT: Final = 4_000_000
NAME_LIMIT: Final = 200
# The profile ci has the full names of pytest, up to a limit that readers accept.
NAME_LIMITS: Final[dict[Profile, int]] = {"ci": 1_000_000, "strict": NAME_LIMIT}

# The beginnings of lines whose text is in no other file; a header of captured output is a line of its own.
_TEXTS: Final = (
    *(b"<failure ", b"<error ", b"<flakyFailure ", b"<rerunFailure "),
    *(b"<properties>", b"<system-err>", b"<system-out>---", b"-----"),
)
_FAILED: Final = {"failed", "unfinished"}

# Escape sequences of terminals, which a CI page shows as noise.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_IN_TEXT: Final = re.compile(r'[&<>"]')
_IN_ATTRIBUTE: Final = re.compile(r'[&<>"\t\n\r]')


def check_profile(profile: str) -> Profile:
    """Check the name of a profile."""
    if profile not in PROFILES:
        raise ConfigurationError(f"unknown JUnit profile {profile!r}.{allowed('profile', profile, PROFILES)}")
    return profile  # type: ignore[return-value]


def write(contents: Contents) -> Iterator[str]:
    """Write ``junit.xml``."""
    profile = check_profile(contents.profile)
    run = contents.run
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="pytest-verdict" {_totals(contents.summary.tests, skipped=False)}>\n'
    names = functools.partial(_distinct_names, NAME_LIMITS[profile], set())
    files: dict[str, list[TestSummary]] = {}
    for test in contents.summary.tests:
        files.setdefault(test.final.path or test.final.test.split("::", 1)[0], []).append(test)
    for path, tests in files.items():
        properties = [*_counts(tests, contents.records["sha256"]), *run.get("properties", ())]
        yield from _suite(path, tests, profile, names, properties, str(run.get("started", ""))[:19])
    yield "</testsuites>\n"


def junit_digests(lines: Iterable[bytes]) -> dict[str, Any]:
    """Compute the digest of the file, and of each test case with the text of a failure, by its number."""
    whole = hashlib.sha256()
    case = hashlib.sha256()
    number = 0
    has_text = False
    cases: dict[str, str] = {}
    for line in lines:
        whole.update(line)
        if line.startswith(b"<testcase "):
            case = hashlib.sha256()
            number += 1
            has_text = False
        case.update(line)
        has_text = has_text or line.startswith(_TEXTS)
        if has_text and line.endswith(b"</testcase>\n"):
            cases[str(number)] = case.hexdigest()[:32]
    return {"sha256": whole.hexdigest(), "cases": cases}


def _suite(
    path: str, tests: list[TestSummary], profile: Profile, names: _Naming, properties: Properties, started: str
) -> Iterator[str]:
    stamp = f' timestamp="{attribute(started, 40)}"' if started else ""
    file = f' file="{limited_name(path, NAME_LIMIT)}"' if profile == "ci" else ""
    yield f'<testsuite name="{limited_name(path, NAME_LIMIT)}" {_totals(tests, skipped=True)}{stamp}{file}>\n'
    yield from _properties(properties)
    for test in tests:
        yield _case(test, profile, names)
    yield "</testsuite>\n"


def _properties(properties: Properties) -> Iterator[str]:
    yield "<properties>\n"
    for name, value in properties:
        yield f'<property name="{attribute(name, OUTPUT_LIMIT)}" value="{attribute(value, OUTPUT_LIMIT)}"/>\n'
    yield "</properties>\n"


def _counts(tests: list[TestSummary], records_digest: str) -> Iterator[tuple[str, str]]:
    counts = [sum(column) for column in zip(*(test.comparisons for test in tests), strict=True)]
    yield "verdict.comparisons", str(sum(counts))
    yield from (
        (f"verdict.comparisons.{verdict}", str(number)) for verdict, number in zip(VERDICTS, counts, strict=True)
    )
    yield "verdict.records", "records.jsonl"
    yield "verdict.records.sha256", records_digest


def _totals(tests: list[TestSummary], *, skipped: bool) -> str:
    outcomes = [test.decisive.outcome for test in tests]
    failures = sum(outcome in _FAILED for outcome in outcomes)
    skips = f' skipped="{sum(outcome in {"skipped", "xfailed"} for outcome in outcomes)}"' if skipped else ""
    seconds = sum(test.seconds for test in tests)
    return f'tests="{len(tests)}" failures="{failures}" errors="{outcomes.count("error")}"{skips} time="{seconds:.3f}"'


def _case(test: TestSummary, profile: Profile, names: _Naming) -> str:
    entry = test.decisive
    place = f' file="{limited_name(entry.path, NAME_LIMIT)}" line="{entry.line}"' if profile == "ci" else ""
    class_name, name = names(entry)
    # The schema of the profile strict allows properties of suites only.
    properties = _properties(test.final.properties) if test.final.properties and profile == "ci" else ()
    return (
        f'<testcase classname="{class_name}" name="{name}" time="{test.seconds:.3f}"{place}>\n'
        f"{''.join(properties)}{''.join(_earlier(test))}{_problem(entry)}{_output(test)}</testcase>\n"
    )


def _distinct_names(limit: int, used: set[tuple[str, str]], entry: TestEntry) -> tuple[str, str]:
    """Return names that no other test has, because GitLab keeps only the first of two equal ones."""
    full_class_name, full_name = _names(entry)
    class_name = limited_name(full_class_name, limit)
    name = limited_name(full_name, limit)
    if (class_name, name) in used:
        name = limited_name(full_name, limit, always=f"{entry.test}\0{entry.worker}")
    used.add((class_name, name))
    return class_name, name


def _names(entry: TestEntry) -> tuple[str, str]:
    # The names are those of pytest. A parameter may contain two colons, and a module that was not collected has no class.
    path, _, inside = entry.test.partition("::")
    head, bracket, parameter = inside.partition("[")
    names = [path.removesuffix(".py").replace("/", "."), *(head.split("::") if inside else [])]
    name = names[-1] + bracket + parameter
    return ".".join(names[:-1]), f"{name} ({entry.worker})" if entry.worker else name


def _earlier(test: TestSummary) -> Iterator[str]:
    kind = "rerunFailure" if test.decisive.outcome in NOT_GREEN else "flakyFailure"
    for entry in test.earlier:
        if entry is test.decisive:
            continue
        message = attribute(entry.message, MESSAGE_LIMIT)
        text = element_text(entry.text, TEXT_LIMIT)
        yield f'<{kind} message="{message}" type="verdict.Rerun"><stackTrace>{text}</stackTrace></{kind}>\n'


def _problem(entry: TestEntry) -> str:
    if entry.outcome in {"skipped", "xfailed"}:
        kind = "pytest.skip" if entry.outcome == "skipped" else "pytest.xfail"
        return f'<skipped type="{kind}" message="{attribute(entry.message, MESSAGE_LIMIT)}"/>\n'
    if entry.outcome in _FAILED or entry.outcome == "error":
        tag = "error" if entry.outcome == "error" else "failure"
        message = attribute(_message(entry), MESSAGE_LIMIT)
        return f'<{tag} message="{message}" type="{_kind(entry)}">{element_text(entry.text, TEXT_LIMIT)}</{tag}>\n'
    return ""


def _kind(entry: TestEntry) -> str:
    if entry.crashed:
        return "verdict.WorkerCrash"
    if entry.outcome == "unfinished":
        return "verdict.Unfinished"
    if entry.outcome == "error":
        return "verdict.TestError"
    _, failed, broken = summed(entry.comparisons)
    if broken:
        return "verdict.OperatorError"
    return "verdict.Mismatch" if failed else "verdict.TestFailure"


def _message(entry: TestEntry) -> str:
    passed, failed, broken = summed(entry.comparisons)
    if not failed and not broken:
        return entry.message or f"the test did not end ({entry.outcome})"
    head = f"{failed + broken} of {counted(passed + failed + broken, 'comparison')} did not pass"
    return f"{head}; {entry.message}" if entry.message else head


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
    return "".join(f"<{tag}>{element_text(text, OUTPUT_LIMIT)}</{tag}>\n" for tag, text in texts.items() if text)


def element_text(text: str, limit: int) -> str:
    """Escape text for the content of an element."""
    return _IN_TEXT.sub(lambda match: _MARKUP[match.group()], _limited(text.replace("\r", "\\r"), limit))


def attribute(text: str, limit: int) -> str:
    """Escape text for an attribute."""
    return _IN_ATTRIBUTE.sub(_reference, _limited(text, limit))


# The tests of a file share its name and that of their class.
@functools.lru_cache(maxsize=16)
def limited_name(text: str, limit: int, *, always: str = "") -> str:
    """Escape a name for an attribute; a long name is cut and gets a digest, so it differs from others."""
    name = _allowed(text[: limit + 1])
    if always or len(text) > limit or len(name) > limit:
        digest = hashlib.sha256((always or text).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = f"{name[: limit - 9]}-{digest}"
    return _IN_ATTRIBUTE.sub(_reference, name)


def _allowed(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _forbidden().sub(_escaped, _ANSI.sub("", text))


@functools.cache
def _forbidden() -> re.Pattern[str]:
    # Compiled on first use, because this set of characters takes milliseconds.
    return re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def _reference(match: re.Match[str]) -> str:
    character = match.group()
    return _MARKUP.get(character) or f"&#{ord(character)};"


def _limited(text: str, limit: int) -> str:
    # Cut before escaping, to save time on megabytes, and again after it, because escapes are longer.
    allowed_text = _allowed(text[: limit + 1])
    if len(text) <= limit and len(allowed_text) <= limit:
        return allowed_text
    ending = f"\n… of {len(text)} characters, see records.jsonl"
    return allowed_text[: limit - len(ending)] + ending
