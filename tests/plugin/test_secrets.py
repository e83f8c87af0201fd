"""A secret is planted in every place where evidence comes from, and looked for in everything that is written."""

from __future__ import annotations

import base64
import gzip
import json
import re
import signal
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import Harness, Run
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from modes import serial_and_workers
from pytest_verdict.cli import main
from pytest_verdict.core.replay import replay
from pytest_verdict.report.json_report import record_schema
from written_page import WrittenPage

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
    "message": "compare('exact', 1, 2, message=f'of {SECRET}')",
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
    """Return the forms that a secret may have in a file."""
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


def prepared(harness: Harness, *secrets: str) -> dict[str, str]:
    """Write the secrets to files, and give the configuration that hides all of them."""
    for number, secret in enumerate(secrets):
        (harness.path / f"secret{number or ''}.txt").write_text(secret, encoding="utf-8")
    patterns = "".join("    " + re.escape(secret).replace("\\\n", "\\n") + "\n" for secret in secrets)
    return {"pytest.ini": f"[pytest]\nverdict_redact =\n{patterns}addopts = -p no:cacheprovider\n"}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in {"quotes", "lines", "letters"} else pytest.mark.ci) for kind in SECRETS],
)
def test_secret_in_every_place_is_in_no_file(harness, kind):
    files = {**prepared(harness, SECRETS[kind]), "test_it.py": body(list(PLACES))}
    check_every_place(harness.run(files, "--verify-report", process=True), [SECRETS[kind]])


# The member commands of a report's folder, and of a store of it.
FACES = [
    *("explain FOLDER --failed -v", "table FOLDER --by test,name,note", "numbers FOLDER --by test", "accept FOLDER"),
    *(f"summary FOLDER --format {form}" for form in ("markdown", "github", "ctrf", "gitlab-codequality")),
    *(
        "diff FOLDER FOLDER --format json",
        "table FOLDER -o FOLDER/t.csv",
        "diff FOLDER FOLDER --format html -o FOLDER/d.html",
    ),
    *(
        "view FOLDER --no-open",
        "push FOLDER --store FOLDER/s",
        "history --store FOLDER/s",
        "trends --store FOLDER/s -o FOLDER/t",
    ),
    *("replay FOLDER --json", "bundle FOLDER -o FOLDER/b.zip", "merge FOLDER -o FOLDER/m"),
]


@pytest.mark.parametrize("kind", ["plain", pytest.param("quotes", marks=pytest.mark.ci)])
def test_secret_is_in_no_face(harness, kind, capsys, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    places = [place for place in PLACES if kind == "quotes" or place not in {"cut", "cut error"}]
    files = {**prepared(harness, SECRETS[kind]), "test_it.py": body(places)}
    run = harness.run(files, "--verify-report", process=True)
    ours = run.stdout.partition("= verification =")[2].partition("= short test summary")[0]
    assert "comparisons:" in ours
    texts = [("terminal", ours)]
    for words in FACES:
        capsys.readouterr()
        assert main(words.replace("FOLDER", str(run.folder)).split()) in {0, 1, 2}, words
        texts.append((words, "".join(capsys.readouterr())))
    page = WrittenPage(run.folder / "report.html")
    texts += [("page", json.dumps([page.bodies, page.about, page.columns], default=str))]
    texts += [(name, text) for name, text in readable(run.folder)]
    assert any("[redacted]" in text for _, text in texts)
    refuse_leaks(iter(texts), SECRETS[kind])


def readable(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield all files of a folder, also those of bundles and of compressed indexes, as text."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.suffix == ".gz":
                content = gzip.decompress(content)
            if path.suffix == ".zip":
                with zipfile.ZipFile(path) as bundle:
                    content = b"".join(map(bundle.read, bundle.namelist()))
            yield path.name, content.decode("utf-8", "replace")


@pytest.mark.ci
def test_secrets_of_workers_are_in_no_file(harness):
    files = prepared(harness, *SECRETS.values())
    for number, kind in enumerate(SECRETS):
        files[f"test_{kind}.py"] = body(list(PLACES)).replace("secret.txt", f"secret{number or ''}.txt")
    check_every_place(harness.run(files, "-n1", "--verify-report"), list(SECRETS.values()))


def check_every_place(run: Run, secrets: list[str]) -> None:
    run.check_agreement()
    assert len(run.records) >= 2 * len(PLACES) * len(secrets)
    for secret in secrets:
        refuse_leaks(written_by(run), secret)
        refuse_leaks(iter([("blocks", (run.path / "blocks.txt").read_text(encoding="utf-8"))]), secret)
    answers = list(replay(run.records_bytes.splitlines()))
    assert {answer.status for answer in answers} <= {"identical", "unverifiable"}, answers


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["plain", "quotes"])
def test_journal_of_killed_session_has_no_secret(harness, kind):
    secret = SECRETS[kind]
    test = body(["expected", "bytes", "error", "key"]) + "\ndef test_waits():\n    import time; time.sleep(60)\n"
    process = harness.start({**prepared(harness, secret), "test_it.py": test}, "--verify-report")
    journal = harness.path / "verify-report"
    for _ in range(300):
        time.sleep(0.1)
        if any(b"test_waits" in path.read_bytes() for path in journal.rglob("*tests*") if path.is_file()):
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    texts = [
        (path.name, path.read_text(encoding="utf-8", errors="replace")) for path in journal.rglob("*") if path.is_file()
    ]
    assert any("[redacted]" in text for _, text in texts)
    refuse_leaks(iter(texts), secret)


@pytest.mark.ci
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    secret=st.text(st.characters(exclude_categories=["Cs"]), min_size=12, max_size=20).filter(
        lambda text: len(set(text)) > 5
    )
)
def test_any_secret_is_redacted_in_records_and_blocks(monkeypatch, secret):
    from pytest_verdict import compare
    from pytest_verdict.comparison import describe_failure
    from pytest_verdict.core.registry import REGISTRY
    from pytest_verdict.core.values.redaction import literals, redaction_of
    from pytest_verdict.session import SESSION

    # The names of a record's members are no secret: hypothesis tries words that it finds in our source.
    assume(secret not in json.dumps([record_schema(), REGISTRY.names()]))
    redaction = redaction_of(literals([secret]))
    monkeypatch.setattr(SESSION, "redaction", redaction)
    sides = (secret, [repr(secret), {secret: json.dumps(secret)}], secret.encode(), (Path("a"), {f"a{secret}b"}))
    for expected in sides:
        for name, observed in (("x", "other"), (secret, {"k": sides})):
            for operator in ("exact", "normalized_exact", "json_canonical", "not_blank"):
                result = compare(operator, expected, observed, name=name)
                record = result.to_text(redaction)
                refuse_leaks(
                    iter([("record", record), ("block", describe_failure(result)), ("repr", repr(result))]), secret
                )


def test_redacted_keys_stay_distinct(harness):
    from pytest_verdict import ComparisonResult, compare
    from pytest_verdict.core.values.redaction import literals, redaction_of

    result = compare("exact", {"secret-1": 1, "secret-2": 2}, 1)
    redaction = redaction_of([re.compile("secret-[0-9]")])
    record = json.loads(result.to_text(redaction))
    key = {"$type": "redacted", "value": "[redacted]"}
    assert record["expected"] == {"$type": "dict", "value": [[key, 1], [key, 2]]}
    assert len(ComparisonResult.from_record(record).expected) == 2
    assert literals([]) == []


def test_patterns_keep_their_flags_and_groups(harness):
    files = {
        "pytest.ini": "[pytest]\nverdict_redact =\n    (?i)SK-[0-9]+\n    (a)b\\1\n    x*\n",
        "test_it.py": "from pytest_verdict import compare\ndef test_it(): compare('exact', 'sk-1 aba', 'Sk-2').verdict\n",
    }
    (record,) = harness.run(files, "--verify-report").records
    assert (record["expected"]["value"], record["observed"]["value"]) == ("[redacted] [redacted]", "[redacted]")


MODELS = """
import pydantic
from pytest_verdict import compare, assert_matches

class Account(pydantic.BaseModel):
    user: str
    password: str = pydantic.Field(repr=False)
    token: int = pydantic.Field(exclude=True)
    key: pydantic.SecretStr

def account(n): return Account(user="ann", password=f"hunter-{n}", token=7770000 + n, key=f"inner-{n}")

def test_it():
    assert_matches("exact", account(1), account(2), name="of hunter-1")

def test_bare():
    assert compare("exact", pydantic.SecretStr("inner-3"), "inner-3").error

def test_nested():
    assert compare("exact", {"a": [account(4)]}, {"a": [account(4)]}).passed or True
"""


@serial_and_workers("args", "-n1")
def test_secret_fields_of_models_are_hidden(harness, args):
    run = harness.run({"test_it.py": MODELS}, *args, "--verify-report")
    assert run.tests() == {"test_it": "failed", "test_bare": "passed", "test_nested": "passed"}
    block = "\n".join(line for line in run.stdout.splitlines() if line.startswith("E "))
    assert "exact" in block
    for text in (run.records_bytes.decode(), json.dumps(run.report), block):
        assert "ccoun" in text
        for secret in ("hunter-", "777000", "inner-"):
            assert secret not in text, text
    assert {record["verdict"] for record in run.records} == {"error", "fail", "pass"}
    assert {answer.status for answer in replay(run.records_bytes.splitlines())} == {"unverifiable"}


@serial_and_workers("args", "-n1")
@pytest.mark.parametrize(
    ("ini", "hidden"), [("default", "ab"), ("ONLY_*", "c"), ("default only_this", "abc"), ("", "")], ids=str
)
def test_values_of_environment_variables_are_redacted(harness, monkeypatch, ini, hidden, args):
    values = {"a": "value-of-a%4", "b": "line one of b\nline two of b", "c": "value-of-c"}
    for name, value in zip(("MY_API_KEY", "DB_PASSWORD", "ONLY_THIS"), values.values(), strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SHORT_TOKEN", "true")
    test = (
        "import os\nfrom pytest_verdict import compare\ndef test_it():\n"
        "    for name in ('MY_API_KEY', 'DB_PASSWORD', 'ONLY_THIS', 'SHORT_TOKEN'):\n"
        "        compare('exact', os.environ[name], 'x').verdict\n"
    )
    written = {"pytest.ini": f"[pytest]\nverdict_redact_environment = {ini}\n", "test_it.py": test}
    run = harness.run(written, *args, "--verify-report")
    found = [record["expected"] for record in run.records]
    assert "".join(name for name, value in zip("abc", found, strict=False) if isinstance(value, dict)) == hidden
    assert found[3] == "true"


def test_credentials_in_url_arguments_are_removed(harness):
    adapter = "--verify-adapter=https://ann:hunter2@example.org/run?key=abc#d"
    run = harness.run("def test_it(): pass", adapter, "--verify-report")
    assert run.report["run"]["arguments"][-2] == "--verify-adapter=https://[redacted]@example.org/run?[redacted]"


def test_block_is_redacted_without_a_report(harness):
    test = (
        "from pytest_verdict import assert_matches\ndef test_it():\n    assert_matches('exact', 'sk-' + '123', 'b')\n"
    )
    run = harness.run({"pytest.ini": "[pytest]\nverdict_redact = sk-[0-9]+", "test_it.py": test})
    assert "exact: expected [redacted], got 'b'" in run.stdout
    assert "sk-123" not in run.stdout


def test_recordings_of_judges_are_redacted_and_replayed(tmp_path, monkeypatch):
    from pytest_verdict.core.values.redaction import redaction_of
    from pytest_verdict.judging import JudgeRequest, RecordedJudge
    from pytest_verdict.session import SESSION

    monkeypatch.setattr(SESSION, "redaction", redaction_of([re.compile("sk-[0-9]+")]))
    request = JudgeRequest(prompt="sk-1?", schema={}, instructions="sk-2", parts={"text": json.dumps("of sk-3")})

    def judge(_request):
        return {"key": "sk-4", "sk-5": ["sk-6"], "sk-7": 8}

    recorded = RecordedJudge(tmp_path, judge, mode="record")(request).reply
    assert recorded == {"key": "[redacted]", "[redacted]": ["[redacted]"], "[redacted]#": 8}
    (file,) = tmp_path.iterdir()
    assert "sk-" not in file.read_text(encoding="utf-8")
    assert RecordedJudge(tmp_path, judge)(request).reply == recorded
