"""The raw text of a response."""

from operators.cases import case

CASES = [
    case("trace_contains", "done", "all done", "pass"),
    case("trace_contains", True, "bab", "pass", substring="a"),
    case("trace_contains", True, "A", "fail", substring="a"),
    case("trace_contains", False, "abc", "pass", substring="z"),
    case("trace_contains", "b", "abc", "pass"),
    case("trace_contains", "", "a", "error", "empty_expected"),  # empty substring
    case("trace_contains", True, "a", "error", "not_text"),  # no substring
    case("trace_contains", 1, "a", "error", "not_a_boolean", substring="a"),  # contains wish is no bool
    case("trace_contains", False, ["a"], "fail", "not_text", substring="a"),  # contains without trace
    case("trace_contains", 5, None, "error", "not_text"),
    case("trace_contains", "a", ["a"], "fail", "not_text"),
    case("trace_length", None, "abc", "fail", max=2),
    case("trace_length", True, "abc", "pass", min=1, max=3),
    case("trace_length", True, "abc", "fail", max=2),
    case("trace_length", False, "abc", "pass", max=2),
    case("trace_length", None, " two\nwords ", "pass", min=2, max=2, unit="words"),
    case("trace_length", True, "one\ntwo\n", "pass", max=2, unit="lines"),
    case("trace_length", True, "", "pass", min=0, max=0),
    case("trace_length", True, "\U0001f44d\U0001f3fd", "fail", min=1, max=1),
    case("trace_length", "a", "a", "error", "not_a_boolean", min=1),  # length wish is no bool
    case("trace_length", False, 5, "fail", "not_text", min=1),  # length without trace
    case("trace_length", 5, "a", "error", "not_a_boolean", min=1),
    case("trace_regex", "d.ne", "all done", "pass"),
    case("trace_regex", True, "See [1]", "pass", pattern=r"\[\d+\]"),  # found
    case("trace_regex", None, "See [1]", "pass", pattern=r"\[\d+\]"),  # none means found
    case("trace_regex", False, "See [1]", "fail", pattern=r"\[\d+\]"),  # must be absent
    case("trace_regex", True, "X", "pass", pattern="(?i)x"),  # inline flag
    case("trace_regex", True, "X", "pass", pattern="x", flags=["I"]),  # flag
    case("trace_regex", True, "b", "fail", pattern="a"),  # no match
    case("trace_regex", False, "b", "pass", pattern="a"),  # no match is wanted
    case("trace_regex", "a", "b", "fail"),  # expected does not match
    case("trace_regex", True, "aa", "pass", pattern="a", count_min=2),  # count
    case("trace_regex", True, "aaa", "fail", pattern="aa", count_min=2),  # matches do not overlap
    case("trace_regex", False, "a", "pass", pattern="a", count_min=2),  # fewer than the count
    case("trace_regex", r"\d{4}", "in 1928", "pass"),  # expected is the pattern
    case("trace_regex", "(", "a", "error", "invalid_regex_pattern"),  # pattern does not compile
    case("trace_regex", "", "a", "error", "empty_expected"),  # empty pattern
    case("trace_regex", "no", "a", "error", "not_a_boolean", pattern="a"),  # regex wish is no bool
    case("trace_regex", False, None, "fail", "not_text", pattern="a"),  # regex without trace
    case("trace_regex", "", None, "error", "empty_expected"),
    case("trace_regex", "a", None, "fail", "not_text"),
]
