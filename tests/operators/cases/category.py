"""Truth values, literals, types, and one of several accepted values."""

import dataclasses
import datetime
import enum
from decimal import Decimal

from operators.cases import case

nan = float("nan")


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"


CASES = [
    case("boolean", True, True, "pass"),
    case("boolean", True, "yes", "fail", "not_a_boolean"),
    case("boolean", True, False, "fail"),
    case("boolean", None, None, "pass"),
    case("boolean", False, None, "fail", "null_observed"),
    case("boolean", None, False, "fail"),
    case("boolean", True, "true", "fail", "not_a_boolean"),
    case("boolean", True, 1, "fail", "not_a_boolean"),
    case("boolean", False, [], "fail", "not_a_boolean"),
    case("boolean", "yes", True, "error", "not_a_boolean"),
    case("boolean", 1, "true", "error", "not_a_boolean"),
    case("boolean", True, None, "fail", "null_observed"),
    case("is_type", "integer", 5, "pass"),
    case("is_type", ["string", "null"], "a", "pass"),
    case("is_type", "integer", True, "fail"),
    case("is_type", "words", True, "error", "not_a_type"),
    case("is_type", "integer", 7, "pass"),
    case("is_type", "integer", 7.0, "fail"),
    case("is_type", "integer", "7", "fail"),
    case("is_type", "number", 7, "pass"),
    case("is_type", "number", Decimal("1.5"), "pass"),
    case("is_type", "number", nan, "pass"),
    case("is_type", "boolean", 1, "fail"),
    case("is_type", "boolean", False, "pass"),
    case("is_type", "null", None, "pass"),
    case("is_type", "null", "None", "fail"),
    case("is_type", "string", "", "pass"),
    case("is_type", "string", b"a", "fail"),
    case("is_type", "array", (1, 2), "pass"),
    case("is_type", "array", "ab", "fail"),
    case("is_type", "object", {}, "pass"),
    case("is_type", "object", [], "fail"),
    case("is_type", "object", Point(x=1, y=2), "pass"),
    case("is_type", "array", Point(x=1, y=2), "fail"),
    case("is_type", "integer", Level.LOW, "pass"),
    case("is_type", "string", Color.RED, "fail"),
    case("is_type", ["integer", "null"], None, "pass"),
    case("is_type", ["integer", "string"], 1.5, "fail"),
    case("is_type", "word", "a", "error", "not_a_type"),
    case("is_type", [], "a", "error", "not_a_type"),
    case("is_type", {"type": "integer"}, "a", "error", "not_a_type"),
    case("is_type", ["null", 5], 5, "error", "not_a_type"),
    case("literal", "a", "a", "pass"),
    case("literal", 1, True, "fail"),
    case("literal", "a", "A", "fail"),
    case("literal", 1, 1.0, "pass"),
    case("literal", "1", 1, "fail"),
    case("literal", "null", "None", "fail"),
    case("literal", ("a",), ("a",), "pass"),
    case("literal", datetime.date(2024, 1, 15), datetime.date(2024, 1, 15), "pass"),
    case("literal", nan, nan, "fail"),
    case("one_of", ["NY", "NYC"], "nyc", "pass", normalize=["lowercase"]),
    case("one_of", ["NY"], "ny", "pass", case_sensitive=False),
    case("one_of", [], "a", "error", "empty_expected"),
    case("one_of", "abc", "a", "error", "not_a_list"),
    case("one_of", 5, "a", "error", "not_a_list"),
]
