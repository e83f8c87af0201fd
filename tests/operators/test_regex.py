import itertools
import pickle
import random
import re
import subprocess
import sys
import threading
import time
import warnings

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import regex, regex_process
from pytest_verdict.operators.regex import compile_pattern, find_matches, most_steps
from pytest_verdict.templates import RegexMatch
from refusals import refused

ENDLESS = "(a+)+$"
ENDLESS_TEXT = "a" * 60 + "b"


@pytest.mark.parametrize(
    ("mode", "passes"), [("search", True), ("match", False), ("fullmatch", False)], ids=["search", "match", "fullmatch"]
)
def test_mode_is_applied_and_recorded(mode, passes):
    result = compare("regex", "[0-9]+", "in 1928", mode=mode)
    assert result.passed is passes
    assert result.settings["mode"] == mode
    assert result.expected == "[0-9]+"


def test_default_is_fullmatch_by_name_and_search_as_primitive():
    assert not compare("regex", "[0-9]+", "in 1928").passed
    assert compare(RegexMatch(), "[0-9]+", "in 1928").passed


def test_pattern_setting_is_recorded_as_expected():
    result = compare(RegexMatch(pattern=r"\d{4}"), None, "in 1928")
    assert (result.expected, result.passed) == (r"\d{4}", True)


@pytest.mark.parametrize(
    ("expected", "observed", "note"),
    [
        ("(", "x", "invalid_regex_pattern"),
        ("(" * 5_000 + ")" * 5_000, "x", "invalid_regex_pattern"),
        ("a{99999999999999}", "x", "invalid_regex_pattern"),
        ("", "x", "empty_expected"),
        (3, "3", "not_text"),
        ("3", 3, "not_text"),
    ],
    ids=["does not compile", "too deep", "too many", "empty", "expected not text", "observed not text"],
)
def test_invalid_pattern_or_text_is_refused_with_note(expected, observed, note):
    result = refused("regex", expected, observed, note, verdict="fail" if expected == "3" else "error")
    assert result.notes == [note]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pattern": "("}, "not a regular expression"),
        ({"pattern": ""}, "match everything"),
        ({"flags": ["IGNORECAS"]}, "Did you mean 'IGNORECASE'"),
        ({"flags": ["LOCALE"]}, "unknown flag: 'LOCALE'"),
        ({"flags": ["DEBUG"]}, "unknown flag"),
        ({"flags": "I"}, "flags"),
        ({"mode": "find"}, "mode"),
    ],
)
def test_invalid_settings_are_rejected(settings, message):
    with pytest.raises(SettingsError, match=message):
        RegexMatch(**settings)


def test_short_flags_are_stored_by_long_names():
    operator = RegexMatch(flags=["S", "I", "IGNORECASE"])
    assert operator.settings()["flags"] == ["DOTALL", "IGNORECASE"]
    assert RegexMatch(**operator.settings()) == operator == pickle.loads(pickle.dumps(operator))
    assert operator.evaluate("A.B", "a\nb").score == 1.0


def test_details_have_the_match():
    result = compare(RegexMatch(), r"(?P<year>\d{4})-(\d\d)?", "on 1928-x")
    assert result.details == {
        "matched": "1928-",
        "span": [3, 8],
        "groups": ["1928", None],
        "named_groups": {"year": "1928"},
    }


def test_only_observed_is_normalized():
    result = compare(RegexMatch(normalize=["lowercase"]), r"\S paris", "X PARIS")
    assert (result.passed, result.expected_surface, result.observed_surface) == (True, r"\S paris", "x paris")


def test_pattern_warning_does_not_raise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare("regex", "[[a]", "a").verdict == "pass"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(regex, "TIME_LIMIT", 0.5)


@pytest.mark.ci
def test_endless_match_is_an_error(impatient):
    started = time.monotonic()
    result = compare("regex", ENDLESS, ENDLESS_TEXT)
    assert time.monotonic() - started < 5
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
    assert "regex time limit" in result.error


@pytest.mark.ci
def test_killed_process_is_reaped(impatient, monkeypatch):
    regex_process.stop_all()
    started = []
    real = subprocess.Popen

    class Watched(real):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    assert compare("regex", ENDLESS, ENDLESS_TEXT).verdict == "error"
    assert [child.returncode is not None for child in started] == [True]


def test_match_in_process_equals_match_here(monkeypatch):
    text = "1,22,333 and é\ud800 " * 3
    here = [find_matches(r"(?P<n>\d+)(,\d+)?|(x)", (), "search", text, limit) for limit in (1, None)]
    monkeypatch.setattr(regex, "_prepare", lambda pattern, flags, _mode: (compile_pattern(pattern, flags), -1))
    assert [find_matches(r"(?P<n>\d+)(,\d+)?|(x)", (), "search", text, limit) for limit in (1, None)] == here
    assert [match.text for match in here[1]] == ["1,22", "333"] * 3


@pytest.mark.parametrize("text", ["\ud83d\ude00b", "\U0001f600b", "\ud800b", "\x00b"], ids=ascii)
def test_process_receives_the_same_characters(text, monkeypatch):
    here = find_matches("..?b", (), "search", text)
    monkeypatch.setattr(regex, "_prepare", lambda pattern, flags, _mode: (compile_pattern(pattern, flags), -1))
    assert find_matches("..?b", (), "search", text) == here
    assert find_matches(text, (), "search", text)[0].text == text


def test_failing_process_is_an_error_without_paths(monkeypatch):
    monkeypatch.setattr(regex, "_prepare", lambda pattern, flags, _mode: (compile_pattern(pattern, flags), -1))
    monkeypatch.setattr(regex_process, "_CODE", "raise MemoryError")
    regex_process.stop_all()
    result = compare("regex", "a", "a")
    assert (result.verdict, sys.executable in result.error) == ("error", False)
    assert "'a'" in result.error


@pytest.mark.ci
def test_endless_matches_in_threads_are_errors(impatient):
    verdicts = []
    threads = [
        threading.Thread(target=lambda: verdicts.append(compare("regex", ENDLESS, ENDLESS_TEXT).verdict))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == ["error", "error"]


# Each is endless on the first text and not on the second, which it matches or not.
CATASTROPHES = {
    "nested plus": (r"(a+)+$", "a" * 60 + "b", "aaa", True),
    "nested star": (r"(?:a*)*b", "a" * 60, "aab", True),
    "a repeat of two repeats": (r"(x+x+)+y", "x" * 60, "xxy", True),
    "overlapping alternatives": (r"(a|aa)+$", "a" * 60 + "b", "aab", False),
    "alternatives that overlap when joined": (r"(?:a|b|ab)*c", "ab" * 60, "abc", True),
    "alternatives that differ in case only": ("^(?i:(?:kx|\u212ax)*)$", "kx" * 60 + "!", "kxKx", True),
    "overlapping classes": (r"^(?:\wx|\dx)*$", "1x" * 60 + "!", "1xax", True),
    "classes of ASCII": (r"(?a)^(?:\Wx|éx)*$", "éx" * 60 + "!", "éx", True),
    "words with optional blanks": (r"^(\w+\s?)*$", "a" * 60 + "!", "some words here", True),
    "optional letters": ("a?" * 40 + "a" * 40, "a" * 39 + "b", "a" * 80, True),
    "bounded repeats": (r"(?:a{0,2}){40}b", "a" * 60, "ab", True),
    "a repeat of a greedy part": (r"(.*a){25}", "a" * 24 + "b" * 400, "aaab", False),
    "a reference in a repeat": (r"((.)\2*)*x", "a" * 60, "aax", True),
    "inside of a lookahead": (r"(?=(a+)+$)b", "a" * 60 + "b", "b", False),
    "inside of an atomic group": (r"(?>(a+)+$)", "a" * 60 + "b", "aa", True),
    "a class name in Java": (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60, "ab.Cd", True),
    "an address of email": (
        r"^([a-z0-9])(([\-.]|[_]+)?([a-z0-9]+))*@[a-z0-9]+[.][a-z]{2,3}$",
        "a" * 60,
        "me@here.org",
        True,
    ),
    "an address of the web": (
        r"^(https?://)?([\da-z.-]+)\.([a-z.]{2,6})([/\w .-]*)*/?$",
        "a.co/" + "a" * 60 + "!",
        "a.co",
        True,
    ),
    "a rule of a firewall": (r"(?:\s|-|~|!|\+)*.*(?:.*=.*)y", "x" * 20_000 + "=", "x=y", True),
    "blanks before the end": (r"\s+$", "x" + " " * 200_000 + "x", "x  ", True),
}


@pytest.mark.ci
@pytest.mark.parametrize(("pattern", "endless", "harmless", "passes"), CATASTROPHES.values(), ids=CATASTROPHES)
def test_catastrophic_pattern_is_an_error_only_on_endless_text(pattern, endless, harmless, passes, monkeypatch):
    monkeypatch.setattr(regex, "TIME_LIMIT", 0.15)
    result = compare("regex", pattern, endless, mode="search")
    assert (result.verdict, "regex time limit" in str(result.error)) == ("error", True)
    monkeypatch.setattr(regex, "TIME_LIMIT", 10)
    assert compare("regex", pattern, harmless, mode="search").passed is passes


@pytest.mark.parametrize(
    "pattern",
    [
        r"#### (-?[0-9.,]+)",
        r"<answer>(.*?)</answer>",
        r"Answer:\s*(.*)",
        r"\b\d{4}-\d{2}-\d{2}\b",
        r"\bfoo\b.*\bbar\b",
        r"^\s*(\w+)\s*$",
        r"(?P<year>\d{4})-\d{2}",
        r"(?i)\b(?:yes|no|maybe)\b",
        r"-?\d+(?:\.\d+)?",
        r"https?://[^\s/$.?#]\S*",
    ],
)
def test_everyday_patterns_need_no_process(pattern, monkeypatch):
    monkeypatch.setattr(regex_process, "_start_process", lambda: pytest.fail("a process was started"))
    regex_process.stop_all()
    find_matches(pattern, (), "search", "The answer is 1928. " * 10, limit=None)


ATOMS = st.sampled_from(["a", "b", "[ab]", ".", r"\w", "(?:a|b)", "(?:a|ab)", "[^a]", "(a)", r"\b", "c"])
REPEATS = st.sampled_from(["", "", "*", "+", "?", "{0,3}", "*?"])


@st.composite
def patterns(draw):
    def piece(depth):
        parts = []
        for _ in range(draw(st.integers(1, 3))):
            nested = depth and draw(st.booleans())
            atom = f"(?:{piece(depth - 1)})" if nested else draw(ATOMS)
            parts.append(atom if atom == r"\b" else atom + draw(REPEATS))
        return "|".join(parts) if draw(st.integers(0, 3)) == 0 else "".join(parts)

    return piece(2)


def ways(parsed, text, start=0):
    """Count the ends that a naive backtracking matcher tries, up to some thousands."""
    return sum(1 for _ in itertools.islice(_ends(list(parsed), text, start), 5_000))


def _ends(items, text, start):
    if not items:
        yield start
        return
    (kind, argument), rest = items[0], items[1:]
    for end in _one(str(kind), argument, text, start):
        yield from _ends(rest, text, end)


def _one(kind, argument, text, start):
    if kind == "SUBPATTERN":
        yield from _ends(list(argument[3]), text, start)
    elif kind == "BRANCH":
        for option in argument[1]:
            yield from _ends(list(option), text, start)
    elif kind in {"MAX_REPEAT", "MIN_REPEAT"}:
        yield from _rounds(argument, text, start, 0)
    elif kind == "AT":
        if re.compile(r"\b").match(text, start):
            yield start
    elif start < len(text) and _character(kind, argument, text[start]):
        yield start + 1


def _rounds(argument, text, start, done):
    low, high, body = argument
    if done < int(high) and done <= len(text):
        for end in _ends(list(body), text, start):
            if end > start or done < low:
                yield from _rounds(argument, text, end, done + 1)
    if done >= low:
        yield start


def _character(kind, argument, character):
    if kind == "IN":
        negated = any(str(item) == "NEGATE" for item, _ in argument)
        hits = any(_character(str(item), value, character) for item, value in argument if str(item) != "NEGATE")
        return hits != negated
    return {
        "LITERAL": lambda: ord(character) == argument,
        "NOT_LITERAL": lambda: ord(character) != argument,
        "ANY": lambda: character != "\n",
        "RANGE": lambda: argument[0] <= ord(character) <= argument[1],
        "CATEGORY": lambda: character.isalnum(),
    }[kind]()


@given(patterns(), st.text("abc", max_size=7))
def test_step_bound_is_never_too_low(pattern, text):
    import re._parser

    assert ways(re._parser.parse(pattern), text) <= most_steps(pattern, 0, len(text), "fullmatch")


def test_random_texts_agree_with_re():
    generator = random.Random(7)
    for _ in range(50):
        text = "".join(generator.choice("ab,1 ") for _ in range(30))
        assert compare(RegexMatch(), r"(\d,)+a", text).passed is (re.search(r"(\d,)+a", text) is not None)


def test_compile_pattern_takes_short_and_long_names():
    assert (
        compile_pattern("a", ("I", "MULTILINE")).flags & (re.IGNORECASE | re.MULTILINE) == re.IGNORECASE | re.MULTILINE
    )


@pytest.mark.parametrize(
    "pattern", ["a" * 5_000 + "(", "(?P<1>a)" * 500, "a{99999999999999}" + "a" * 5_000, "a" * 10_001]
)
def test_invalid_long_pattern_is_refused(pattern):
    result = refused("regex", pattern, "x", "invalid_regex_pattern")
    assert result.details["reason"]
    refused("trace_regex", pattern, "x", "invalid_regex_pattern")
    with pytest.raises(SettingsError, match="not a regular expression"):
        RegexMatch(pattern=pattern)


@pytest.mark.ci
def test_concurrent_endless_matches_stay_within_the_limit(monkeypatch):
    monkeypatch.setattr(regex, "TIME_LIMIT", 1.0)
    seconds = []

    def match():
        started = time.monotonic()
        assert compare("regex", ENDLESS, ENDLESS_TEXT).verdict == "error"
        seconds.append(time.monotonic() - started)

    threads = [threading.Thread(target=match) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seconds) == 8
    # One after the other they would take 8 seconds.
    assert max(seconds) < 6


@pytest.mark.parametrize(
    ("pattern", "mode", "flags", "is_refused"),
    [
        (r"[\s\S]*", "fullmatch", [], True),
        (".*", "fullmatch", ["DOTALL"], True),
        (r"(?:.|\n)*", "fullmatch", [], True),
        (".*", "match", [], True),
        ("x*", "search", [], True),
        ("(a|)", "search", [], True),
        ("^", "search", [], True),
        (".*", "fullmatch", [], False),
        ("^.*$", "search", [], False),
        ("^$", "search", [], False),
        ("[^<>]*", "fullmatch", [], False),
        ("[^<>]*", "search", [], True),
        ("^[^<>]*$", "search", [], False),
        ("[^\\U0001f600-\\U0001f64f]*", "fullmatch", [], False),
        (r"[^\u4e00-\u9fff]*", "fullmatch", [], False),
        ("[^\U0001f600]*", "fullmatch", [], False),
        ("[\x00-\uffff]*", "fullmatch", [], False),
        ("(?!.*error)", "match", [], False),
        ("(?s).{0,5000}", "fullmatch", [], False),
        (r"\d*", "fullmatch", [], False),
        (r"\s*", "fullmatch", [], False),
        ("(?!x)|.*", "search", [], True),
        ("(?!x)|.*", "match", [], True),
        ("(?<![0-9])[0-9]+|$", "search", [], True),
        ("(?<![0-9])[0-9]+|$", "match", [], False),
        ("(?!x)a|b$", "search", [], False),
        ("(?s)(?!x)|.*", "fullmatch", [], True),
        (r"((?<!x)y|[\s\S]*)$", "fullmatch", [], True),
        (r"(?:(?!x)a)?[\s\S]*", "fullmatch", [], True),
        ("(?!x)|.*", "fullmatch", [], False),
        (r"(?!x)[\s\S]*|(?!y)[\s\S]*", "fullmatch", [], False),
        (r"(?!x)a|[^<>]*", "fullmatch", [], False),
        (r"(?>(?!x)a|[\s\S]*)", "fullmatch", [], False),
        (r"(?!x)a?+[\s\S]*", "fullmatch", [], False),
        (r"(?=(?!x)a|(a?))[\s\S]*\1b?", "fullmatch", [], False),
    ],
)
def test_pattern_that_matches_every_text_is_refused(pattern, mode, flags, is_refused):
    result = compare("regex", pattern, "", mode=mode, flags=flags)
    assert ((result.verdict, result.notes) == ("error", ["empty_expected"])) is is_refused
