"""Numbers."""

from decimal import Decimal

from operators.cases import case

inf, nan = float("inf"), float("nan")

CASES = [
    case("delta", 5, {"pre": 10, "post": 15}, "fail", "not_a_change"),
    case("delta", -20, {"before": 100, "after": 80}, "pass"),  # mapping
    case("delta", 0.2, [0.1, 0.3], "pass"),  # pair of floats
    case("delta", 1, [1, 3], "fail"),  # another change
    case("delta", 1, [1, 3], "pass", tolerance=1),  # tolerance
    case("delta", 10, [0, 11], "pass", tolerance=0.1, mode="relative"),  # relative
    case("delta", 1, [0, "1"], "pass", normalize=["strip_thousands_separators"]),  # normalized
    case("delta", 0, 5, "fail", "not_a_change"),
    case("delta", 0, [1], "fail", "not_a_change"),
    case("delta", 0, {"before": 1}, "fail", "not_a_change"),
    case("delta", 0, [inf, inf], "fail", "not_a_number"),
    case("delta", 0, [1, "x"], "fail", "not_a_number"),
    case("delta", "x", [1, 2], "error", "not_a_number"),
    case("delta", "x", 5, "error", "not_a_number"),
    case("delta", 1, 5, "fail", "not_a_change"),
    case("delta", 1, [1, "x"], "fail", "not_a_number"),
    case("numeric_similarity", 60, 100, 0.75),
    case("numeric_similarity", 60, "x", "fail", "not_a_number"),
    case("numeric_exact", "1,000", 1000, "pass", normalize=["strip_thousands_separators"]),
    case("numeric_exact", 1, "one", "fail", "not_a_number"),
    case("numeric_exact", 5, " 5.0 ", "pass"),  # text is read
    case("numeric_exact", 0.3, 0.30000000000000004, "fail"),  # no hidden tolerance
    case("numeric_exact", 0.1, Decimal("0.10"), "pass"),  # float is its decimal form
    case("numeric_exact", 9007199254740992, 9007199254740993, "fail"),  # long integers keep their digits
    case("numeric_exact", inf, inf, "pass"),  # infinity equals itself
    case("numeric_exact", inf, -inf, "fail"),  # opposite infinities
    case("numeric_exact", 0.0, -0.0, "pass"),  # negative zero
    case("numeric_exact", "x", None, "error", "not_a_number"),  # both sides
    case("numeric_exact", "about five", 5, "error", "not_a_number"),
    case("numeric_exact", None, "x", "error", "not_a_number"),
    case("numeric_exact", 5, "about five", "fail", "not_a_number"),
    case("numeric_maximum", 5, 6, "fail"),
    case("numeric_maximum", 0.5, "45 %", "pass", normalize=["strip_final_punctuation", "percent_to_decimal"]),
    case("numeric_maximum", 10, 10, "pass"),
    case("numeric_maximum", 10, 10, "fail", exclusive=True),
    case("numeric_maximum", 10, "9.9", "pass"),
    case("numeric_maximum", 10, "9.9", "pass", exclusive=True),
    case("numeric_maximum", inf, inf, "error", "not_a_number"),
    case("numeric_maximum", nan, 1, "error", "not_a_number"),
    case("numeric_maximum", 1, nan, "fail", "not_a_number"),
    case("numeric_minimum", 5, 6, "pass"),
    case("numeric_minimum", 5, 4, 0.5, zero_at=2),
    case("numeric_minimum", 10, 10, "pass"),
    case("numeric_minimum", 10, 10, "fail", exclusive=True),
    case("numeric_minimum", 10, 9.9, "fail"),
    case("numeric_minimum", 10, 9.9, "fail", exclusive=True),
    case("numeric_minimum", 10, inf, "pass"),
    case("numeric_minimum", 10, inf, "pass", exclusive=True),
    case("numeric_minimum", "x", 1, "error", "not_a_number"),
    case("numeric_minimum", 1, "x", "fail", "not_a_number"),
    case("numeric_range", [1, 5], 3, "pass"),
    case("numeric_range", None, 7, 0.5, max=5, zero_at=4),
    case("numeric_range", "N/A", 1, "pass", min=1, max=10),  # bounds belong to it
    case("numeric_range", None, 0.5, "fail", min=1, max=10),  # below
    case("numeric_range", None, 1, "fail", min=1, exclusive_min=True),  # exclusive min
    case("numeric_range", None, 10, "fail", max=10, exclusive_max=True),  # exclusive max
    case("numeric_range", None, inf, "pass", min=1),  # open end
    case("numeric_range", None, "0.3", "pass", min=0.1, max=0.3),  # decimal bounds
    case("numeric_range", [1, 10], 5, "pass"),  # pair as expected
    case("numeric_range", {"max": 10}, 5, "pass"),  # mapping as expected
    case("numeric_range", [None, 10], 11, "fail"),  # open pair
    case("numeric_range", [1, 10], 5, "fail", max=3),  # a setting wins
    case("numeric_range", ["1,000", None], "1,500", "pass", normalize=["strip_thousands_separators"]),  # normalized
    case("numeric_range", None, 5, "error", "not_a_range"),
    case("numeric_range", 5, 5, "error", "not_a_range"),
    case("numeric_range", [1], 5, "error", "not_a_range"),
    case("numeric_range", [None, None], 5, "error", "not_a_range"),
    case("numeric_range", {}, 5, "error", "not_a_range"),
    case("numeric_range", {"low": 1}, 5, "error", "not_a_range"),
    case("numeric_range", [10, 1], 5, "error", "not_a_range"),
    case("numeric_range", "1-10", 5, "error", "not_a_range"),
    case("numeric_range", [None, None], None, "error", "not_a_range"),
    case("numeric_range", [10, 1], "x", "error", "not_a_range"),
    case("numeric_range", [5, 5], 5, "error", "not_a_range", exclusive_min=True),
    case("numeric_range", ["a", 1], 5, "error", "not_a_number"),
    case("numeric_range", [1, 10], "x", "fail", "not_a_number"),
    case("numeric_tolerance", 37.0, 36.8, "pass", tolerance=0.5, mode="absolute"),
    case("numeric_tolerance", 100, 110, 0.75, tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 1, 1.1, "pass", tolerance=0.1),  # ten percent of one
    case("numeric_tolerance", 100, 111, "fail", tolerance=0.1),  # beyond
    case("numeric_tolerance", -100, -110, "pass", tolerance=0.1),  # negative expected
    case("numeric_tolerance", 0, 0, "pass", tolerance=0.1),  # zero demands zero
    case("numeric_tolerance", 0, 1e-12, "fail", tolerance=0.1),  # almost zero is not zero
    case("numeric_tolerance", 1.0, 1.1, "pass", tolerance=0.1, mode="absolute"),  # absolute limit
    case("numeric_tolerance", 0.2, 0.3, "pass", tolerance=0.1, mode="absolute"),  # absolute limit below
    case("numeric_tolerance", 1, "1.0", "pass", tolerance=0, mode="absolute"),  # zero tolerance
    case("numeric_tolerance", "5", "5.2", "pass", tolerance=0.1),  # text on both sides
    case("numeric_tolerance", inf, inf, "pass", tolerance=0.1),  # infinity equals itself
    case("numeric_tolerance", inf, 5, "fail", tolerance=0.1),  # nothing is near infinity
    case("numeric_tolerance", 5, inf, "fail", tolerance=0),  # infinity is near nothing
    case("numeric_tolerance", 1, "1.000000000000000000000000000001", "pass", tolerance="1e-30"),  # thirty digits
    case("numeric_tolerance", 100, 100, "pass", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, 105, "pass", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, 95, "pass", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, 85, 0.5, tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, 125, "fail", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, 60, "fail", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", 100, inf, "fail", tolerance=0.05, zero_at=0.25),
    case("numeric_tolerance", True, 1, "error", "not_a_number", tolerance=0.1),
    case("numeric_tolerance", 1, True, "fail", "not_a_number", tolerance=0.1),
]
