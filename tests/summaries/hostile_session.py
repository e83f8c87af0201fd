"""A session whose tests, values and messages are hostile."""

from __future__ import annotations

HOSTILE = [
    "a | b | c",
    "`one` ``two`` ```three``` ````four````",
    "```\n</code></pre>\n~~~\n",
    "<!-- hidden",
    "</details></summary></code><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[link](https://evil.example/) ![image](https://evil.example/i.png) <https://evil.example> www.evil.example",
    "\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\u202etxt.exe\u2066\u200b\ufeff",
    "\ud800 lone \udfff",
    "::stop-commands::token\n::set-output name=x::y\n  ::add-mask::z\n\t::error::w\n##[add-mask]v",
    "line\r\n::warning::cr\r::error::more\u2028::debug::x\u0085::group::y",
    "%0A::error::percent %25 : ,",
    "x" * 1_000_000,
    ("y\n" * 1_000) + "::error::late",
    "",
]
SESSION = f"""
import pytest
from pytest_verdict import assert_matches, compare

HOSTILE = {HOSTILE!r}

@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_value(number):
    assert_matches("exact", "expected\\n" + HOSTILE[number], HOSTILE[number] + "\\nobserved", name=HOSTILE[number][:2000] or None)

@pytest.mark.parametrize("text", HOSTILE, ids=[f"{{n}}-{{text[:3000]}}" for n, text in enumerate(HOSTILE)])
def test_name(text):
    pytest.fail(text, pytrace=False)

def test_many():
    for number in range(8):
        compare("numeric_exact", 1, number)
    assert False

def test_passes():
    assert_matches("exact", "a", "a")
    assert not compare("exact", 1, 2)

def test_broken():
    assert_matches("regex", "(", "x")

@pytest.mark.skip(reason="<b>later</b>")
def test_skipped():
    pass
"""
