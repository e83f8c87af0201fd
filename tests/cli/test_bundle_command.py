"""``pytest-verdict bundle`` and ``pytest-verdict verify-bundle``."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import zipfile

import pytest

from test_conformance import SESSION

STATEMENTS = ("records.intoto.json", "test-result.intoto.json")
SELF_ATTESTED = "self-attested: only the author of this file vouches for it"


@pytest.fixture
def bundle(command, tmp_path):
    path = tmp_path / "evidence.zip"
    assert command("bundle", SESSION, "-o", path) == (0, f"8 records: 8 identical\nwritten: {path}\n", "")
    return path


def parts(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def write(path, files):
    with zipfile.ZipFile(path, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)


def statement(path, name):
    return json.loads(parts(path)[name])


def test_untouched_bundle_is_self_attested(command, bundle):
    assert command("verify-bundle", bundle) == (0, f"8 records: 8 identical\n{SELF_ATTESTED}\n", "")


def test_bundle_is_reproducible(command, bundle, tmp_path):
    command("bundle", SESSION, "-o", tmp_path / "other.zip")
    assert (tmp_path / "other.zip").read_bytes() == bundle.read_bytes()


def test_statements_follow_in_toto(bundle):
    records, result = (statement(bundle, name) for name in STATEMENTS)
    digest = hashlib.sha256((SESSION / "records.jsonl").read_bytes()).hexdigest()
    for one in (records, result):
        assert set(one) == {"_type", "subject", "predicateType", "predicate"}
        assert one["_type"] == "https://in-toto.io/Statement/v1"
        assert one["subject"] == [{"name": "records.jsonl", "digest": {"sha256": digest}}]
    assert result["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert result["predicate"]["result"] == "FAILED"
    assert result["predicate"]["passedTests"] == [
        "test_it.py::test_city",
        "test_it.py::test_number[1]",
        "test_it.py::test_accepted",
    ]
    assert result["predicate"]["warnedTests"] == ["test_it.py::test_known"]
    assert len(result["predicate"]["failedTests"]) == 3
    assert all("digest" in one for one in result["predicate"]["configuration"])
    predicate = records["predicate"]
    assert predicate["records"] == {
        "count": 8,
        "root": json.loads((SESSION / "report.json").read_text())["records"]["root"],
    }
    assert {"operator": "exact", "version": 1} in predicate["operators"]
    assert predicate["replay"] == "pytest-verdict replay records.jsonl"


def test_statement_is_canonical(bundle):
    for name in STATEMENTS:
        text = parts(bundle)[name]
        assert text.isascii()
        assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")).encode()
        # RFC 8785 writes floats in another way than Python.
        json.loads(text, parse_float=lambda number: pytest.fail(f"{number} is no integer"))


def test_commit_is_a_subject(command, tmp_path, pytester):
    import subprocess

    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    pytester.makepyfile(
        test_it="from pytest_verdict import assert_matches\ndef test_it():\n    assert_matches('exact', 1, 1)\n"
    )
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=pytester.path, check=True, capture_output=True)
    pytester.runpytest_inprocess("--verify-report", "-pno:cacheprovider", "-pno:asyncio")
    command("bundle", pytester.path / "verify-report", "-o", tmp_path / "e.zip")
    result = statement(tmp_path / "e.zip", "test-result.intoto.json")
    assert len(result["subject"][1]["digest"]["gitCommit"]) == 40
    assert result["predicate"]["result"] == "PASSED"
    assert command("verify-bundle", tmp_path / "e.zip")[0] == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("records.jsonl", b'"observed":"Rome"', b'"observed":"Rom"', "report.json: tests[0].root"),
        ("report.json", b'"total": 8', b'"total": 9', "report.json: totals"),
        ("junit.xml", b'tests="8"', b'tests="9"', "junit.xml: testsuites"),
        ("records.intoto.json", b'"count":8', b'"count":9', "records.intoto.json: predicate.records.count"),
        ("records.intoto.json", b'"root":"', b'"root":"0', "records.intoto.json: predicate.records.root"),
        ("records.intoto.json", b'"complete":true', b'"complete":false', "records.intoto.json: predicate.complete"),
        ("test-result.intoto.json", b"FAILED", b"PASSED", "test-result.intoto.json: predicate.result"),
        ("test-result.intoto.json", b'"failedTests":["', b'"failedTests":["x', "predicate.failedTests[0]"),
        ("test-result.intoto.json", b'"sha256":"', b'"sha256":"0', "test-result.intoto.json: "),
        ("test-result.intoto.json", b"{", b"[", "the statements cannot be derived"),
    ],
)
def test_alteration_is_named(command, bundle, name, old, new, place):
    files = parts(bundle)
    assert old in files[name]
    write(bundle, {**files, name: files[name].replace(old, new, 1)})
    status, out, _ = command("verify-bundle", bundle)
    assert status == 1
    assert place in out


@pytest.mark.parametrize("change", ["missing", "more", "no bundle", "absent", "path"])
def test_invalid_bundle_is_rejected(command, bundle, tmp_path, change):
    files = parts(bundle)
    if change == "missing":
        del files["junit.xml"]
    elif change == "more":
        files["more.txt"] = b""
    elif change == "path":
        files["../junit.xml"] = files.pop("junit.xml")
    write(bundle, files)
    if change == "no bundle":
        bundle.write_bytes(b"PK")
    if change == "absent":
        bundle.unlink()
    status, out, err = command("verify-bundle", bundle)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path.parent / "junit.xml").exists()


def test_altered_folder_is_not_bundled(command, tmp_path):
    shutil.copytree(SESSION, tmp_path / "report")
    path = tmp_path / "report" / "records.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"Rome"', b'"Lyon"'))
    status, out, _ = command("bundle", tmp_path / "report", "-o", tmp_path / "e.zip")
    assert status == 1
    assert out.endswith("no bundle was written\n")
    assert not (tmp_path / "e.zip").exists()


@pytest.mark.parametrize("name", ["records.jsonl", "report.json", "junit.xml"])
def test_incomplete_folder_is_named(command, tmp_path, name):
    shutil.copytree(SESSION, tmp_path / "report")
    (tmp_path / "report" / name).unlink()
    status, _, err = command("bundle", tmp_path / "report", "-o", tmp_path / "e.zip")
    assert status == 2
    assert f"there is no {name}" in err


@pytest.mark.ci
def test_incomplete_session_is_reported(command, tmp_path, pytester, few_plugins):
    pytester.makepyfile("from pytest_verdict import assert_matches\ndef test_a():\n    assert_matches('exact', 1, 1)\n"
                        "def test_b():\n    raise KeyboardInterrupt\n")  # fmt: skip
    pytester.runpytest_subprocess("--verify-report", "-pno:cacheprovider")
    assert command("bundle", pytester.path / "verify-report", "-o", tmp_path / "e.zip")[0] == 0
    status, out, _ = command("verify-bundle", tmp_path / "e.zip")
    assert status == 1
    assert "the session did not end" in out


def attestation(bundle, form="sigstore", **changes):
    """Write what cosign or GitHub would make of the predicate; the signature is not looked at here."""
    own = statement(bundle, STATEMENTS[0])
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    signed = {**own, "subject": [{"name": bundle.name, "digest": {"sha256": digest}}], **changes}
    envelope = {
        "payloadType": "application/vnd.in-toto+json",
        "payload": base64.b64encode(json.dumps(signed).encode()).decode(),
    }
    path = bundle.parent / ("attestation.jsonl" if form == "lines" else "attestation.json")
    path.write_text(json.dumps(envelope if form == "dsse" else {"dsseEnvelope": envelope}) + "\n")
    return path


@pytest.mark.parametrize("form", ["sigstore", "dsse", "lines"])
def test_attestation_of_statement_is_accepted(command, bundle, form):
    status, out, _ = command("verify-bundle", bundle, "--attestation", attestation(bundle, form))
    assert status == 0
    assert out.splitlines()[-1].startswith("attested: the signed statement is that of this bundle")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"predicate": {}}, "attestation.json: predicate.records"),
        ({"predicateType": "https://example.org/other"}, "attestation.json: predicateType"),
        ({"subject": []}, "attestation.json: subject"),
        ({"subject": [{"digest": {"sha256": "0" * 64}}]}, "attestation.json: subject"),
        ({"subject": 7}, "attestation.json: subject"),
    ],
)
def test_attestation_of_another_statement_is_rejected(command, bundle, changes, place):
    status, out, _ = command("verify-bundle", bundle, "--attestation", attestation(bundle, **changes))
    assert status == 1
    assert place in out
    assert "attested:" not in out


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"payload": "x"}', '{"payload": "W10="}'])
def test_invalid_attestation_is_rejected(command, bundle, tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    status, _, err = command("verify-bundle", bundle, "--attestation", tmp_path / "a.json")
    assert status == 2
    assert "neither a sigstore bundle nor a DSSE envelope" in err


def test_oversized_bundle_is_rejected(command, bundle):
    files = parts(bundle)
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content + b" " * 3_000_000)
    assert bundle.stat().st_size < 100_000
    status, _, err = command("verify-bundle", bundle, "--limit", "10")
    assert status == 2
    assert "it unpacks to 15 MB; pass a --limit above that" in err
    assert "unpacks" not in command("verify-bundle", bundle)[2]


OUTPUTS = b'{"suite":"s","name":"one","repeat":1,"output":"Paris"}\n'


def add_outputs(folder):
    """Add the outputs of an adapter, with their digest, as a session writes them."""
    (folder / "outputs.jsonl").write_bytes(OUTPUTS)
    text = (folder / "report.json").read_text("utf-8")
    digest = json.dumps({"sha256": hashlib.sha256(OUTPUTS).hexdigest()}, separators=(",", ":"))
    text = text.replace('"junit.xml": {', f'"outputs.jsonl": {digest}, "junit.xml": {{', 1)
    ending = 64 + len('""}\n}\n')
    text = f'{text[:-ending]}"{hashlib.sha256(text[:-ending].encode()).hexdigest()}"}}\n}}\n'
    (folder / "report.json").write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("content", "status"),
    [(OUTPUTS, 0), (OUTPUTS.replace(b"Paris", b"Rome"), 1), (None, 1)],
    ids=["same", "altered", "gone"],
)
def test_adapter_outputs_are_in_the_bundle(command, tmp_path, content, status):
    shutil.copytree(SESSION, tmp_path / "report")
    add_outputs(tmp_path / "report")
    path = tmp_path / "evidence.zip"
    assert command("bundle", tmp_path / "report", "-o", path)[0] == 0
    held = parts(path)
    assert held["outputs.jsonl"] == OUTPUTS
    digests = json.loads(held["records.intoto.json"])["predicate"]["files"]
    assert digests["outputs.jsonl"] == hashlib.sha256(OUTPUTS).hexdigest()
    other = {name: part for name, part in {**held, "outputs.jsonl": content}.items() if part is not None}
    write(path, other)
    found, out, _ = command("verify-bundle", path)
    assert (found, "predicate.files.outputs.jsonl" in out) == (status, status == 1)
