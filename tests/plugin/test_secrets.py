"""A secret is planted in every place where evidence comes from, and looked for in everything that is written."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator

import pytest
from harness import Harness, Run

from pytest_verdict.core.replay import replay

# Secrets that escapes, base64, reprs and cuts change.
SECRETS = {
    "plain": "sk-Abcdefgh12345678",
    "quotes": "pa\"ss'wo\\rd%9",
    "lines": "-----KEY\nMIIabcdef\n-----END",
    "letters": "geheimnis-äöü-日本",
    "emoji": "se🙂cret-key",
    "digits": "4929123456781234",
}
PLACES = {
    "expected": "compare('exact', SECRET, 'x')",
    "observed": "compare('exact', 'x', f'the key is {SECRET}.')",
    "surface": "compare('normalized_exact', 'x', f'  {SECRET} ')",
    "name": "compare('exact', 1, 1, name=f'of {SECRET}')",
    "key": "compare('exact', {SECRET: 1, SECRET + SECRET: 2, 'z' + SECRET: 3}, {'a': {SECRET: 1}})",
    "bytes": "compare('exact', f'a{SECRET}'.encode(), [bytearray(f'ab{SECRET}c'.encode())])",
    "utf16": "compare('exact', SECRET.encode('utf-16'), b'a')",
    "number": "compare('exact', NUMBER, {NUMBER: NUMBER, 'b': Decimal(NUMBER), 'c': (NUMBER + 0.0,)})",
    "long number": "compare('exact', NUMBER * 10**700, 1)",
    "json": "compare('json_canonical', json.dumps({'a': SECRET}), json.dumps({'a': json.dumps(SECRET)}))",
    "repr": "compare('exact', repr(SECRET), repr([repr(SECRET)]))",
    "object": "compare('exact', Thing(SECRET), {1: Thing(SECRET)})",
    "set": "compare('exact', {SECRET, 'a'}, frozenset({SECRET}))",
    "path": "compare('exact', Path('a') / SECRET, 'b')",
    "enum": "compare('exact', Enum('E', {'A': SECRET}).A, 1)",
    "settings": "compare('contains_any', None, 'y', substrings=[SECRET, 'z'])",
    "pattern": "compare('regex', None, SECRET, pattern=re.escape(SECRET))",
    "error": "compare(broken, 'a', 'b')",
    "note": "compare(noted, 'a', 'b')",
    "cut": "compare('exact', 'x' * 200 + SECRET + 'y' * 300, 'z' * 40 + SECRET * 9)",
    "cut error": "compare('contains_any', 5, {'a' * 60: SECRET}, substrings=['a'])",
    "list": "compare('ordered_match', [SECRET, 'a'], ['a', SECRET + 'b'])",
    "children": "compare('all_of', SECRET, 'a', conditions=['exact', 'not_blank'])",
}
HEAD = """
import enum, json, os, re
from decimal import Decimal
from enum import Enum
from pathlib import Path
import pytest
from pytest_verdict import compare, assert_matches, ComparisonResult
from pytest_verdict.core.result import Outcome
from pytest_verdict import Operator

SECRET = Path("secret.txt").read_text(encoding="utf-8", errors="strict")
NUMBER = 4929123456781234

class Thing:
    def __init__(self, text): self.text = text
    def __repr__(self): return f"Thing({self.text!r})"

class Broken(Operator):
    name = "broken"
    version = 1
    def evaluate(self, expected, observed):
        raise ValueError(f"cannot reach {SECRET}, {SECRET!r}")

class Noted(Operator):
    name = "noted"
    version = 1
    def evaluate(self, expected, observed):
        return Outcome(0.0, notes=(f"saw {SECRET}",), details={SECRET: [SECRET], "b" + SECRET: 1})

broken, noted = Broken(), Noted()
"""
TAIL = """
@pytest.mark.parametrize("key", [SECRET])
def test_raises(key):
    raise ValueError(f"no {key} {key!r} {json.dumps(key)}")

def test_skipped():
    pytest.skip(f"because of {SECRET}")

@pytest.mark.xfail(reason=f"because of {SECRET}")
def test_xfail():
    assert False

def test_long():
    raise ValueError("x" * 990 + SECRET + "y" * 31_900)
"""


def forms(secret: str) -> list[str]:
    """Give the ways in which a secret may stand in a file."""
    inner = json.dumps(secret)[1:-1]
    raw = secret.encode()
    encoded = [base64.b64encode(b"_" * shift + raw).decode()[4:-4] for shift in range(3)]
    return [
        secret,
        inner,
        repr(secret)[1:-1],
        json.dumps(inner)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        *encoded,
    ]


def written_by(run: Run) -> Iterator[tuple[str, str]]:

    for path in sorted(run.folder.rglob("*")):
        if path.is_file() and path.name != ".gitignore":
            yield path.name, path.read_text(encoding="utf-8")


def refuse_leaks(texts: Iterator[tuple[str, str]], secret: str) -> None:
    for name, text in texts:
        found = [form for form in forms(secret) if form in text or form.replace('"', "&quot;") in text]
        assert not found, (name, found, text[max(text.find(found[0]) - 500, 0) : text.find(found[0]) + 100])


def body(places: list[str]) -> str:
    tests = "".join(
        f"def test_{at}():\n    result = {PLACES[place]}\n    assert result.verdict == 'pass', 'no'\n"
        f"def test_block_{at}():\n    result = {PLACES[place]}\n    if not result.verdict == 'pass':\n"
        "        from pytest_verdict.comparison import describe_failure\n"
        "        Path('blocks.txt').open('a', encoding='utf-8').write(describe_failure(result) + repr(result))\n"
        for at, place in enumerate(places)
    )
    return HEAD + tests + TAIL


def prepared(harness: Harness, secret: str) -> dict[str, str]:
    (harness.path / "secret.txt").write_text(secret, encoding="utf-8")
    pattern = re.escape(secret).replace("\\\n", "\\n")
    return {"pytest.ini": f"[pytest]\nverdict_redact = {pattern}\naddopts = -p no:cacheprovider\n"}


@pytest.mark.parametrize("args", [(), ("-n1",)], ids=["serial", "xdist"])
@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_every_place_is_in_no_file(harness, kind, args):
    secret = SECRETS[kind]
    files = {**prepared(harness, secret), "test_it.py": body(list(PLACES))}
    run = harness.run(files, *args, "--verify-report", process=True)
    run.check_agreement()
    assert len(run.records) >= 2 * len(PLACES)
    refuse_leaks(written_by(run), secret)
    refuse_leaks(iter([("blocks", (harness.path / "blocks.txt").read_text(encoding="utf-8"))]), secret)
    answers = list(replay(run.records_bytes.splitlines()))
    assert {answer.status for answer in answers} <= {"identical", "unverifiable"}, answers
