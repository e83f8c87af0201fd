"""The records of a page in compressed pieces, of which a browser opens those that it needs."""

from typing import Final

from pytest_verdict.page.index import compressed

_MOST_ROWS: Final = 500
_MOST_BYTES: Final = 1 << 20


class Bodies:
    """Pieces of some hundred rows each."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._bytes = 0
        self.starts: list[int] = []
        self.pieces: list[bytes] = []
        self.size = 0
        self.rows = 0
        self.is_open = True

    def add(self, body: bytes) -> None:
        """Add the body of the next row."""
        self._waiting.append(body)
        self._bytes += len(body)
        if len(self._waiting) >= _MOST_ROWS or self._bytes > _MOST_BYTES:
            self.finish()

    def finish(self) -> None:
        """Compress what is waiting."""
        if self._waiting:
            self.starts.append(self.rows)
            self.rows += len(self._waiting)
            self.pieces.append(compressed(self._waiting))
            # In the page it stands as base64.
            self.size += len(self.pieces[-1]) * 4 // 3
            self._waiting, self._bytes = [], 0

    def close(self, *, empty: bool = False) -> None:
        """Take no more rows, and keep none if they are to be left out as a whole."""
        if empty:
            self._waiting = []
            self.starts, self.pieces, self.rows, self.size = [], [], 0, 0
        self.finish()
        self.is_open = False

    def described(self) -> dict[str, object]:
        """Say which rows are in which piece."""
        return {"starts": self.starts, "rows": self.rows}
