"""JSON documents."""

from decimal import Decimal

from operators.cases import case

CASES = [
    case("by_field", {"a": "X", "b": 1}, '{"a": "x", "b": 1.0}', "pass", rules={"$.a": "normalized_exact"}),
    case("by_field", {"a": "X"}, '{"a": "y"}', "fail", rules={"$.a": "normalized_exact"}),
    case("by_field", {"a": "X"}, {}, "fail", rules={"$.a": "exact"}),
    case("by_field", {"a": 1}, "{", "fail", "json_parse_failed", rules={"$.a": "exact"}),
    case("json_canonical", '{"a": 1}', '{"a": 1.0}', "pass"),
    case("json_canonical", "{}", "{", "fail", "json_parse_failed"),
    case("json_canonical", {"id": 1, "a": "X"}, {"id": 2, "a": "x"}, "pass", ignore=["$.id"], case_sensitive=False),
    case("json_canonical", '{"a": 1, "b": 2}', '{"b":2,"a":1}', "pass"),  # order of keys
    case("json_canonical", "[1, 2]", "[2, 1]", "fail"),  # order of a list
    case("json_canonical", "1", "1.0", "pass"),  # int and fraction
    case("json_canonical", "10", "1e1", "pass"),  # int and exponent
    case("json_canonical", "0.1", "0.10000000000000001", "fail"),  # digits beyond a float
    case("json_canonical", "true", "1", "fail"),  # bool is no number
    case("json_canonical", "[0]", "[false]", "fail"),  # bool is no number, inside
    case("json_canonical", "null", '"null"', "fail"),  # null is no text
    case("json_canonical", '"\xe9"', '"\\u00e9"', "pass"),  # escaped text
    case("json_canonical", '"\xe9"', '"e\\u0301"', "fail"),  # text by code point
    case("json_canonical", "{}", "[]", "fail"),  # empty object and list
    case("json_canonical", {"a": (1, 2.0)}, '{"a": [1.0, 2]}', "pass"),  # Python value and text
    case("json_canonical", [Decimal("1.5")], b"[1.5]", "pass"),  # Decimal and bytes
    case("json_canonical", 0.1, "0.1", "pass"),  # a float is its shortest decimal
    case("json_canonical", '"a"', {"a": 1}, "fail"),  # text and object
    case("json_canonical", {"id": 1, "a": "X"}, '{"id": 2, "a": "X"}', "pass", ignore=["$.id"]),
    case("json_canonical", {"id": 1, "a": "X"}, '{"id": 2, "a": "Y"}', "fail", ignore=["$.id"]),
    case("json_canonical", {"a": [{"id": 1, "b": 2}]}, {"a": [{"id": 7, "b": 2}]}, "pass", ignore=["$..id"]),
    case("json_canonical", [{"at": 1}, {"b": 2}], [{"at": 9}, {"b": 2}], "pass", ignore=["$[0]"]),
    case("json_canonical", {"a": ["STRASSE"]}, '{"a": ["Straße"]}', "pass", case_sensitive=False),
    case("json_canonical", {"A": "x"}, {"a": "x"}, "fail", case_sensitive=False),
    case("json_canonical", {"a": "x"}, {"a": "y"}, "fail", case_sensitive=False),
    case("json_canonical", '{"a":', "{}", "error", "json_parse_failed"),
    case("json_canonical", '{"a": 1, "a": 2}', "{", "error", "json_duplicate_key", "json_parse_failed"),
    case("json_canonical", {1}, "{}", "error", "not_json"),
    case("json_canonical", '{"answer": 42}', '{"answer":', "fail", "json_parse_failed"),
    case("json_distance", '{"a": [1, 2]}', '{"a": [2]}', 0.8),
    case("json_distance", {"a": 1}, {"b": 2}, "fail"),
    case("json_distance", {"a": 1}, {"a": 2}, "fail"),
    case("json_distance", [], [0], "fail"),
    case("json_distance", [1, 2], [1, 3], 0.5),
    case("json_distance", {"x": {"a": 1}}, {"x": {"b": 2}}, 0.5),
    case("json_distance", {}, {}, "pass"),
    case("json_distance", [], [], "pass"),
    case("json_distance", {}, [], "fail"),
    case("json_distance", {"a": 1}, [1], "fail"),
    case("json_distance", 1, {"a": 1}, "fail"),
    case("json_distance", 1, 2, "fail"),
    case("json_distance", "null", "null", "pass"),
    case("json_distance", {"a": 1}, {"a": 2}, "error", "empty_expected", ignore=["$.a"]),
    case("json_distance", [1, 2], [], "error", "empty_expected", ignore=["$[*]"]),
    case("json_distance", {"a": 1}, {"a": 2}, "error", "empty_expected", rules={"$.a": {"ignore": True}}),
    case("json_distance", "[" * 300, "[]", "error", "json_too_deep"),
    case("json_distance", [], {1}, "fail", "not_json"),
    case("json_distance", 1, "{", "fail", "json_parse_failed"),
    case("json_schema", {"type": "object", "required": ["a"]}, '{"b": 1}', "fail"),
    case(
        "json_schema", {"$ref": "urn:a"}, '{"a": 1}', "pass", schemas={"urn:a": {"type": "object", "required": ["a"]}}
    ),
    case("json_schema", '{"multipleOf": 0.01}', "19.99", "pass"),
    case("json_schema", '{"multipleOf": 0.01}', "19.995", "fail"),
    case("json_schema", '{"multipleOf": 0.1}', 0.30000000000000004, "fail"),
    case("json_schema", '{"multipleOf": 3}', "1e20", "fail"),
    case("json_schema", '{"maximum": 0.1}', "0.10000000000000000001", "fail"),
    case("json_schema", '{"const": 0.1}', "0.10000000000000000001", "fail"),
    case("json_schema", '{"enum": [0.5]}', "0.50", "pass"),
    case("json_schema", '{"type": "integer"}', "1e2", "pass"),
    case("json_schema", '{"type": "integer"}', "1e1000", "pass"),
    case("json_schema", '{"type": "integer"}', "1.5", "fail"),
    case("json_schema", '{"type": "number"}', "1.5", "pass"),
    case("json_schema", '{"uniqueItems": true}', "[0.5, 0.50]", "fail"),
    case("json_schema", {"prefixItems": [{"type": "string"}]}, [1], "fail"),
    case(
        "json_schema",
        {"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [{"type": "string"}]},
        [1],
        "pass",
    ),  # a keyword that draft 7 does not know
    case("json_schema", {"type": "strin"}, {}, "error", "invalid_schema"),
    case("json_schema", [1], {}, "error", "invalid_schema"),
    case("json_schema", {"$schema": "https://example.org/mine"}, {}, "error", "invalid_schema"),
    case("json_schema", {"minimum": "1"}, {}, "error", "invalid_schema"),
    case("json_schema", {"type": "integer"}, "1e5000", "pass"),
    case("json_schema", {"type": "integer"}, "1.5e5000", "pass"),
    case("json_schema", {"type": "integer"}, "1.5e0", "fail"),
    case("json_schema", "{", "{}", "error", "json_parse_failed"),
    case("json_schema", {"pattern": "("}, '"a"', "error", "schema_failed"),
    case("json_schema", {"$ref": "https://example.org/x.json"}, {}, "error", "unresolved_reference"),
    case("json_schema", {}, "{", "fail", "json_parse_failed"),
    case("json_schema", {"multipleOf": 2}, "1e999999", "fail", "schema_failed"),
    case("json_similarity", {"a": 1, "b": 60}, {"a": 1, "b": 100}, 0.875),
    case("json_similarity", "{", {}, "error", "json_parse_failed"),
    case("json_similarity", {}, "{", "fail", "json_parse_failed"),
    case("json_subset", {"a": 1}, '{"a": 1, "b": 2}', "pass"),
    case("json_subset", {"a": 1, "b": 2}, {"a": 3, "b": 2, "c": 1}, "pass", ignore=["$.a"]),
    case("json_subset", {"a": 1}, {"a": 1.0, "b": 2}, "pass"),  # extra key
    case("json_subset", {"a": 1, "b": 2}, {"a": 1}, "fail"),  # missing key
    case("json_subset", {"a": {"b": []}}, {"a": {"b": [1], "c": 2}}, "pass"),  # nested
    case("json_subset", [2, 1], [1, 2, 3], "pass"),  # any order
    case("json_subset", [1, 1], [1, 2], "fail"),  # each item needs one of its own
    case("json_subset", [{}, {"a": 1}], [{"a": 1}, {"b": 2}], "pass"),  # the greedy choice would fail
    case("json_subset", [True], [1], "fail"),  # bool is no number
    case("json_subset", [{"a": 1}], [{"a": 1, "b": 2}], "pass", list_mode="exact"),  # exact: at its place
    case("json_subset", [1], [1, 2], "fail", list_mode="exact"),  # exact: longer
    case("json_subset", [1, 2], [2, 1], "fail", list_mode="exact"),  # exact: order
    case("json_subset", {}, [], "error", "empty_expected"),  # every object contains it
    case("json_subset", {"id": 1, "a": "X"}, '{"id": 2, "a": "X"}', "pass", ignore=["$.id"]),
    case("json_subset", {"id": 1, "a": "X"}, '{"id": 2, "a": "Y"}', "fail", ignore=["$.id"]),
    case("json_subset", {"a": [{"id": 1, "b": 2}]}, {"a": [{"id": 7, "b": 2}]}, "pass", ignore=["$..id"]),
    case("json_subset", [{"at": 1}, {"b": 2}], [{"at": 9}, {"b": 2}], "pass", ignore=["$[0]"]),
    case("json_subset", {"a": ["STRASSE"]}, '{"a": ["Straße"]}', "pass", case_sensitive=False),
    case("json_subset", {"A": "x"}, {"a": "x"}, "fail", case_sensitive=False),
    case("json_subset", {"a": "x"}, {"a": "y"}, "fail", case_sensitive=False),
    case("json_subset", "[NaN]", "[]", "error", "json_not_finite"),
    case("json_subset", [], "NaN", "fail", "json_not_finite"),
]
