"""A reader of reports in plain Python, without pytest-verdict: it derives the Merkle roots, the counts and the keys again.

Run it as `python reader.py FOLDER`. It is here to be translated: what it needs to know is in docs/reference/report-formats.md.
"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path


def sha256(data):
    return hashlib.sha256(data).digest()


def root_of(leaves):
    """RFC 9162, section 2.1.1."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0])
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + root_of(leaves[:left]) + root_of(leaves[left:]))


def proof_of(leaves, index):
    """RFC 9162, section 2.1.3.1: the siblings on the way from a leaf to the root."""
    if len(leaves) == 1:
        return []
    left = 1 << (len(leaves) - 1).bit_length() - 1
    if index < left:
        return [*proof_of(leaves[:left], index), root_of(leaves[left:])]
    return [*proof_of(leaves[left:], index - left), root_of(leaves[:left])]


def is_included(leaf, index, size, proof, root):
    """RFC 9162, section 2.1.3.2."""
    digest, last = sha256(b"\0" + leaf), size - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            digest = sha256(b"\1" + sibling + digest)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            digest = sha256(b"\1" + digest + sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and digest == root


def keys_of(records):
    """Identity that does not shift: what is compared, the attempt, and which one of those that are alike."""
    seen = Counter()
    for record in records:
        what = [record["name"]] if "name" in record else [record["operator"], record["expected"]]
        text = json.dumps([record["test"], *what], separators=(",", ":"))
        key = f"{hashlib.sha256(text.encode()).hexdigest()[:32]}-{record['attempt']}"
        seen[key] += 1
        yield f"{key}-{seen[key]}"


def verdict_of(record):
    if "error" in record:
        return "error"
    return "pass" if record["score"] >= record["threshold"] else "fail"


def read(folder):
    content = (Path(folder) / "records.jsonl").read_bytes()
    lines = content.split(b"\n")[:-1]
    records = [json.loads(line) for line in lines]
    tests = {}
    for line, record in zip(lines, records):
        tests.setdefault(record["test"], []).append((record, line))
    last = {test: max(record["attempt"] for record, _ in rows) for test, rows in tests.items()}
    final = [record for record in records if record["attempt"] == last[record["test"]]]
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "root": root_of(lines).hex(),
        "roots": {test: root_of([line for _, line in rows]).hex() for test, rows in tests.items()},
        "count": len(records),
        "verdicts": {name: sum(verdict_of(one) == name for one in final) for name in ("pass", "fail", "error")},
        "operators": dict(sorted(Counter(one["operator"] for one in final).items())),
        "wrong_verdicts": [one["id"] for one in records if one["verdict"] != verdict_of(one)],
        "keys": list(keys_of(records)),
    }


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1]), indent=1))
