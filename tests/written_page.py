"""A page read back in Python: its index and its records."""

from __future__ import annotations

import base64
import gzip
import json
import re
from array import array
from pathlib import Path

_DATA = re.compile(r'<script type="text/plain" id="(\w+)">([A-Za-z0-9+/=]*)</script>')


class WrittenPage:
    def __init__(self, path: Path) -> None:
        self.html = path.read_text("ascii")
        data = {name: gzip.decompress(base64.b64decode(text)) for name, text in _DATA.findall(self.html)}
        index = data.pop("index")
        length = int.from_bytes(index[:4], "little")
        self.head = json.loads(index[4 : 4 + length])
        self.about = self.head["about"]
        self.columns = self._columns(index[4 + length :])
        self.bodies = [json.loads(line) for text in data.values() for line in text.splitlines()]

    def _columns(self, content: bytes) -> dict[str, list]:
        rows, found = self.head["rows"], {}
        for at, (name, kind) in enumerate(self.head["columns"]):
            column = array(kind, content[4 * rows * at : 4 * rows * (at + 1)])
            texts = self.head["texts"].get(name)
            found[name] = [texts[code] for code in column] if texts else list(column)
        return found

    @property
    def outside_the_data(self) -> str:
        return _DATA.sub("", self.html)

    @property
    def everything(self) -> str:
        return self.html + json.dumps(self.head) + json.dumps(self.bodies)
