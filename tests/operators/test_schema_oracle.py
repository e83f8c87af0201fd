"""json_schema against the library jsonschema, on schemas with floats, long integers, tuples and references."""

import decimal
import json
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from pytest_verdict import compare
from pytest_verdict.core.replay import replay_line
from written_records import line_of

# A schema, a document, and whether the document satisfies it.
NUMBERS_AND_TUPLES = [
    ({"exclusiveMaximum": 0.1}, 0.1, False),
    ({"exclusiveMaximum": 0.1}, 0.09999999999999999, True),
    ({"exclusiveMinimum": 0.1}, 0.1, False),
    ({"exclusiveMinimum": 0.3}, 0.30000000000000004, True),
    ({"minimum": 0.1}, 0.1, True),
    ({"minimum": 0.30000000000000004}, 0.3, False),
    ({"maximum": 0.1}, 0.1, True),
    ({"maximum": 0.3}, 0.30000000000000004, False),
    ({"const": 0.1}, 0.1, True),
    ({"const": 0.1}, 0.10000000000000002, False),
    ({"const": 1.0}, 1, True),
    ({"const": [0.1, {"a": 0.2}]}, [0.1, {"a": 0.2}], True),
    ({"not": {"const": 0.1}}, 0.1, False),
    ({"enum": [0.1, 0.2]}, 0.2, True),
    ({"enum": (0.1, "a")}, "a", True),
    ({"enum": (0.1, "a")}, 0.3, False),
    ({"multipleOf": 0.1}, 0.3, True),
    ({"multipleOf": 0.1}, 0.35, False),
    ({"minimum": 2**53 + 1}, 2**53, False),
    ({"maximum": 1e23}, 10**23, True),
    ({"exclusiveMaximum": 1e23}, 10**23, False),
    ({"const": 10**700}, 10**700, True),
    ({"const": 10**700}, 10**700 + 1, False),
    ({"maximum": 10**700}, 10**700 + 1, False),
    ({"required": ("id",)}, {"id": 1}, True),
    ({"required": ("id",)}, {}, False),
    ({"type": ("string", "null")}, None, True),
    ({"allOf": ({"minimum": 0.1}, {"maximum": 0.2})}, 0.1, True),
    ({"anyOf": ({"const": 0.1}, {"const": 0.2})}, 0.3, False),
    ({"prefixItems": ({"const": 0.1},), "items": False}, [0.1], True),
    ({"properties": {"a": {"enum": (0.5,)}}}, {"a": 0.25}, False),
    ({"properties": {"$type": {"exclusiveMaximum": 0.1}}}, {"$type": 0.1}, False),
    ({"properties": {"é": {"minimum": 0.1}}}, {"é": 0.1}, True),
    ({"$defs": {"a": {"maximum": 0.1}}, "$ref": "#/$defs/a"}, 0.1, True),
    ({"$defs": {"a": {"exclusiveMaximum": 0.1}}, "items": {"$ref": "#/$defs/a"}}, [0, 0.1], False),
    ({"dependentRequired": {"a": ("b",)}}, {"a": 0.1}, False),
    ({"if": {"const": 0.1}, "then": False}, 0.1, False),
    ({"contains": {"const": 0.1}}, [0.2, 0.1], True),
]


def verdicts(schema, document):
    """Return the verdict for each way in which the schema can be configured."""
    results = [
        compare("json_schema", schema, document, parse=False),
        compare("json_schema", None, document, parse=False, schema_document=schema),
        compare("json_schema", {"$ref": "urn:other"}, document, parse=False, schemas={"urn:other": schema}),
    ]
    assert [result.error for result in results] == [None] * 3
    assert [replay_line(line_of(result)).status for result in results] == ["identical"] * 3
    return {result.passed for result in results}


@pytest.mark.parametrize(("schema", "document", "is_valid"), NUMBERS_AND_TUPLES, ids=range(len(NUMBERS_AND_TUPLES)))
def test_schema_means_the_same_as_setting_as_expected_and_by_reference(schema, document, is_valid):
    assert verdicts(schema, document) == {is_valid}


def test_formats_are_seen_in_tuples():
    schema = {"anyOf": ({"format": "iban"},)}
    assert compare("json_schema", None, 1, schema_document={"allOf": ({"format": "date"},)}).notes == [
        "format_unchecked"
    ]
    assert compare("json_schema", {"$ref": "urn:a"}, 1, schemas={"urn:a": schema}).notes == ["format_unchecked"]
    named = {"properties": {"$type": {"format": "date"}}}
    assert compare("json_schema", None, {}, schema_document=named).notes == ["format_unchecked"]
    with pytest.raises(ValueError, match="iban"):
        compare("json_schema", None, 1, schema_document=schema, format="assert")
    with pytest.raises(ValueError, match="iban"):
        compare("json_schema", None, 1, schema_document={"$ref": "urn:a"}, schemas={"urn:a": schema}, format="assert")


def as_library_has_it(value):
    def read_float(text):
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else number

    return json.loads(json.dumps(value), parse_float=read_float)


NUMBERS = st.sampled_from([0, 1, -1, 2, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.5, 1.0, -0.0, 1e-7, 2**53, 2**53 + 1, 1e23, 10**23])
SCALARS = st.one_of(NUMBERS, st.sampled_from(["a", "b", "", None, True, False, 10**300]))
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def listed(items):
    return items.map(tuple) | items


LIMITS = st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
TYPES = listed(st.lists(st.sampled_from(["number", "integer", "string", "array", "object"]), min_size=1, unique=True))
REFERENCES = st.sampled_from(["#/$defs/a", "#/$defs/b", "urn:other"])
LEAVES = st.one_of(
    st.dictionaries(LIMITS, NUMBERS, min_size=1, max_size=2),
    st.fixed_dictionaries({"multipleOf": st.sampled_from([0.1, 0.5, 2, 1e-7, 3])}),
    st.fixed_dictionaries({"const": DOCUMENTS}),
    st.fixed_dictionaries({"enum": listed(st.lists(DOCUMENTS, min_size=1, max_size=3))}),
    st.fixed_dictionaries({"type": TYPES}),
    st.fixed_dictionaries({"required": listed(st.lists(st.sampled_from("abc"), unique=True))}),
    st.fixed_dictionaries({"uniqueItems": st.just(True)}),
)


def deeper(inner):
    several = listed(st.lists(inner, min_size=1, max_size=2))
    return st.one_of(
        *(st.fixed_dictionaries({keyword: several}) for keyword in ("allOf", "anyOf", "oneOf", "prefixItems")),
        *(st.fixed_dictionaries({keyword: inner}) for keyword in ("not", "items", "contains", "additionalProperties")),
        st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("abc"), inner, min_size=1)}),
    )


PLAIN_SCHEMAS = st.recursive(LEAVES, deeper, max_leaves=5)
SCHEMAS = st.recursive(LEAVES | st.fixed_dictionaries({"$ref": REFERENCES}), deeper, max_leaves=5)


@pytest.mark.ci
@given(SCHEMAS, PLAIN_SCHEMAS, PLAIN_SCHEMAS, PLAIN_SCHEMAS, DOCUMENTS)
def test_generated_schemas_agree_with_the_library(schema, first, second, other, document):
    schema = {**schema, "$defs": {"a": first, "b": second}}
    resource = DRAFT202012.create_resource(as_library_has_it(other))
    registry = Registry().with_resource("urn:other", resource)
    with decimal.localcontext(prec=2_000):
        is_valid = Draft202012Validator(as_library_has_it(schema), registry=registry).is_valid(
            as_library_has_it(document)
        )
    as_expected = compare("json_schema", schema, document, parse=False, schemas={"urn:other": other})
    as_setting = compare(
        "json_schema", None, document, parse=False, schema_document=schema, schemas={"urn:other": other}
    )
    assert [as_expected.verdict, as_setting.verdict] == ["pass" if is_valid else "fail"] * 2
