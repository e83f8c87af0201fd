"""The keyword `format`: where it is one, and the texts that are none of a format."""

from __future__ import annotations

import pytest

from pytest_verdict import compare

DATE = {"format": "date"}
WHERE = [
    ({"properties": {"default": DATE}}, {"default": "x"}, True),
    ({"properties": {"enum": DATE}}, {"enum": "x"}, True),
    ({"properties": {"const": DATE}}, {"const": "x"}, True),
    ({"properties": {"examples": DATE}}, {"examples": "x"}, True),
    ({"properties": {"format": DATE}}, {"format": "x"}, True),
    ({"properties": {"properties": {"properties": {"default": DATE}}}}, {"properties": {"default": "x"}}, True),
    ({"patternProperties": {"default": DATE}}, {"default": "x"}, True),
    ({"$defs": {"enum": DATE}, "$ref": "#/$defs/enum"}, "x", True),
    ({"definitions": {"const": DATE}, "$ref": "#/definitions/const"}, "x", True),
    ({"dependentSchemas": {"default": {"properties": {"a": DATE}}}}, {"default": 1, "a": "x"}, True),
    ({"items": DATE}, ["x"], True),
    ({"prefixItems": [DATE]}, ["x"], True),
    ({"anyOf": [{"not": {}}, DATE]}, "x", True),
    ({"if": True, "then": DATE}, "x", True),
    ({"additionalProperties": DATE}, {"a": "x"}, True),
    ({"default": DATE}, "x", False),
    ({"enum": [DATE]}, DATE, False),
    ({"const": DATE}, DATE, False),
    ({"examples": [DATE]}, "x", False),
    ({"properties": {"a": {"default": DATE}}}, {"a": "x"}, False),
    ({"properties": {"format": {"type": "string"}}}, {"format": "x"}, False),
    ({"properties": {"default": {"type": "string"}}}, {"default": "x"}, False),
    ({"properties": {"default": {"const": DATE}}}, {"default": DATE}, False),
    ({"required": ["format"]}, {"format": "date"}, False),
]


@pytest.mark.parametrize(("schema", "observed", "is_format"), WHERE)
def test_place_of_the_keyword(schema, observed, is_format):
    assert compare("json_schema", schema, observed, parse=False).notes == ["format_unchecked"] * is_format
    checked = compare("json_schema", schema, observed, parse=False, format="assert")
    assert checked.passed is not is_format


@pytest.mark.parametrize("keyword", ["default", "enum", "const", "examples"])
def test_unknown_format_of_a_property_is_refused(keyword):
    schema = {"properties": {keyword: {"format": "iban"}}}
    assert compare("json_schema", schema, {}, format="assert").verdict == "error"


RIGHT = {
    "date-time": ["1985-04-12T23:20:50Z", "1985-04-12T23:20:50.5+01:00"],
    "duration": ["P1Y2M3D", "P1Y", "PT1H2M", "PT0S", "P4W", "P1DT12H", "P3D"],
    "email": ["a@b.org", "a.b+c@sub.b-c.org", '"a b"@b.org', "a@[127.0.0.1]", "a@[IPv6:::1]", "te~st@example.com"],
    "hostname": ["example.com", "a", "xn--4gbwdl.xn--wgbh1c", "A-B.c1", "1host"],
    "idn-hostname": ["실례.테스트", "example"],
    "relative-json-pointer": ["0", "1/a", "0#", "2/0/b"],
    "uri": ["http://[2001:db8::1]/a", "http://a.b/c?d=e#f", "urn:a:b", "mailto:a@b.org"],
    "uri-reference": ["/a", "//b/c", "#d", "//[::1]/p"],
    "uri-template": ["/a/{b}", "{?q,r*}", "{a.b}", "{v:20}", "it's/%20", ""],
    "uuid": ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
    "time": ["08:30:06Z", "08:30:06.5+01:00"],
}
WRONG = {
    "date-time": ["1985-04-12T23:20:50Z\n", "1985-04-12", "x"],
    "duration": [
        "PT0.5S",
        "P1Y2D",
        "PT1H2S",
        "-P1D",
        "P1D2T3H",
        "P1e2D",
        "P1WT1H",
        "P0Y1W",
        "PT0,5S",
        "P-1D",
        "P",
        "PT",
        "p1d",
    ],
    "email": [
        *(
            ".a@b.org",
            "a.@b.org",
            "a..b@c.org",
            "a@b=c.org",
            "a@[127.0.0.300]",
            "a@b.org, c@d.org",
            "@b.org",
            "a@",
            "a",
        ),
        *(
            "a b@c.org",
            '"A B" <a@b.org> (C)',
            "a@b.org\n",
            "a@b..org",
            "a@-b.org",
            "a@b@c.org",
            "ä@b.org",
            "a@[::1",
            "",
        ),
    ],
    "hostname": [
        "example.",
        "a.com\n",
        "\u212aelvin.com",
        "-a",
        "a_b",
        "xn--X",
        "xn--07jt112bpxg.xn--9t4b11yi5a",
        "XN--aa---o47jg78q",
    ],
    "idn-hostname": ["example.", "example\u3002", "example\uff0e", "example\uff61"],
    "relative-json-pointer": ["\u0661/a", "/a", "-1", ""],
    "uri": ["http://[::ffff:01.2.3.4]", "//a", "a b"],
    "uri-reference": ["//[::ffff:192.168.0.01]/p", "\\\\a"],
    "uri-template": ["{a..b}", "{v:01}", "a b", "a\x7fb", "{a,}", "{var=def}", "{,+var}", "{a", "%z0"],
    "uuid": [
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380-",
        "\u09e8eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1_380",
        "2eb8aa08aa9811eab4aa73b441d16380",
    ],
    "time": ["12:00:00", "x"],
}


@pytest.mark.parametrize(
    ("name", "text", "is_valid"),
    [
        *((name, text, True) for name, texts in RIGHT.items() for text in texts),
        *((name, text, False) for name, texts in WRONG.items() for text in texts),
    ],
)
def test_asserted_format(name, text, is_valid):
    assert compare("json_schema", {"format": name}, text, format="assert", parse=False).passed is is_valid


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("value", [5, None, True, [], {}, 1.5])
def test_format_is_about_text_only(name, value):
    assert compare("json_schema", {"format": name}, value, format="assert", parse=False).passed
