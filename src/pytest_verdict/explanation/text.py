"""Two texts side by side: the words that differ marked, around each change a window, of several lines only those that changed."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final, Literal, NamedTuple

from pytest_verdict.budget import Budget
from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.core.values.opcodes import Opcode, opcodes
from pytest_verdict.explanation.lines import Line, Part, Role

Side = Literal["expected", "observed"]

_TOKEN: Final = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")
_CHANGED: Final[dict[Side, Role]] = {"expected": "expected_changed", "observed": "observed_changed"}
_SIDES: Final[tuple[tuple[Side, str], ...]] = (("expected", "- "), ("observed", "+ "))
_CONTEXT: Final = 2
_MOST_NAMED: Final = 4
_LONGEST_ALIKE: Final = 200
_LONGEST_WORD: Final = 50
_MOST_SEARCHED: Final = 200_000


class Change(NamedTuple):
    """What differs between two texts: places in each."""

    expected: range
    observed: range


def changes(expected: str, observed: str) -> list[Change]:
    """Find the words that differ, and in them the characters."""
    head, tail = _common_ends(expected, observed)
    left, right = expected[head : len(expected) - tail], observed[head : len(observed) - tail]
    if len(left) + len(right) > _MOST_SEARCHED:
        return [Change(range(head, head + len(left)), range(head, head + len(right)))]
    # A word of which only a part differs is still one word.
    return _changed_words(expected, observed, *_at_words(expected, head, tail))


def _at_words(text: str, head: int, tail: int) -> tuple[int, int]:
    lowest, fewest = max(head - _LONGEST_WORD, 0), max(tail - _LONGEST_WORD, 0)
    while head > lowest and text[head - 1].isalnum():
        head -= 1
    while tail > fewest and text[len(text) - tail].isalnum():
        tail -= 1
    return head, tail


def _common_ends(left: str, right: str) -> tuple[int, int]:
    head = _common_head(left, right)
    return head, _common_head(left[head:][::-1], right[head:][::-1])


def _common_head(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def _changed_words(expected: str, observed: str, head: int, tail: int) -> list[Change]:
    lefts = _TOKEN.findall(expected[head : len(expected) - tail])
    rights = _TOKEN.findall(observed[head : len(observed) - tail])
    left_ends, right_ends = (list(accumulate(map(len, tokens), initial=head)) for tokens in (lefts, rights))
    found = []
    for tag, left, right in opcodes(lefts, rights):
        if tag != "equal":
            spans = (range(ends[at.start], ends[at.stop]) for ends, at in ((left_ends, left), (right_ends, right)))
            found.append(_narrowed(expected, observed, *spans))
    return found


def _narrowed(expected: str, observed: str, left: range, right: range) -> Change:
    head, tail = _common_ends(expected[left.start : left.stop], observed[right.start : right.stop])
    return Change(left[head : len(left) - tail], right[head : len(right) - tail])


def text_difference(expected: str, observed: str, budget: Budget, labels: tuple[str, str]) -> Iterator[Line]:
    """Draw what differs between two texts that are not equal."""
    if "\n" in expected or "\n" in observed:
        yield from unified(line_changes(expected, observed), budget)
        return
    found = changes(expected, observed)
    wide = max(map(len, labels))
    room = budget.room(wide + 6)
    groups = [found] if room == 0 or max(len(expected), len(observed)) + 2 <= room else _groups(found, room)
    most = budget.differences or len(groups)
    for group in groups[:most]:
        for (side, _), text, label in zip(_SIDES, (expected, observed), labels, strict=True):
            yield from marked(text, _spans(group, side), room, side, Part(f"{label:>{wide}}: "))
    if len(groups) > most:
        yield (Part(f"… {counted(len(groups) - most, 'more place')} with changes"),)
    yield from code_points(expected, observed, found)


def _spans(found: Sequence[Change], side: Side) -> list[range]:
    return [getattr(change, side) for change in found]


def _groups(found: Sequence[Change], room: int) -> list[list[Change]]:
    """Put changes together that fit into one window."""
    groups: list[list[Change]] = []
    for change in found:
        if groups and all(at.stop - first.start <= room // 2 for at, first in zip(change, groups[-1][0], strict=True)):
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def marked(
    text: str, spans: Sequence[range], room: int, side: Side, label: Part, *, quotes: bool = True
) -> Iterator[Line]:
    """Draw a text, cut to a window around what is marked in it, and under it the marks, unless all of it is marked."""
    parts = window(text, spans, room, side, quotes=quotes)
    yield (label, *parts)
    marks = "".join(("^" if part.role.endswith("changed") else " ") * _columns(part.text) for part in parts)
    if marks.strip() and sum(map(len, spans)) < len(text):
        yield (Part(" " * len(label.text)), Part(marks.rstrip(), "mark"))


def window(
    text: str, spans: Sequence[range], room: int, side: Side, *, quotes: bool = True, escaped: bool = False
) -> list[Part]:
    """Write a text, cut to a window around the first stretch that differs; what differs may be escaped as ASCII."""
    quote = ("'" if "'" not in text or '"' in text else '"') if quotes else ""
    seen = _window(text, spans, room)
    parts = [Part(("…" if seen.start else "") + quote, side)]
    for chunk, is_changed in _pieces(text, spans, seen):
        written = ascii(chunk)[1:-1] if escaped and is_changed else _escaped(chunk, quote)
        parts.append(Part(written, _CHANGED[side] if is_changed else side))
    return [*parts, Part(quote + ("…" if seen.stop < len(text) else ""), side)]


def _window(text: str, spans: Sequence[range], room: int) -> range:
    if not room or len(text) + 2 <= room:
        return range(len(text))
    wide = max(room - 4, 8)
    first = spans[0].start if spans else 0
    start = max(min(first - wide // 3, len(text) - wide), 0)
    return range(start, min(start + wide, len(text)))


def _pieces(text: str, spans: Sequence[range], seen: range) -> Iterator[tuple[str, bool]]:
    at = seen.start
    for span in spans:
        start, stop = max(span.start, at), min(span.stop, seen.stop)
        if start < stop:
            yield text[at:start], False
            yield text[start:stop], True
            at = stop
    yield text[at : seen.stop], False


def _escaped(chunk: str, quote: str) -> str:
    # The other quote at the end makes repr choose the one that is wanted.
    other = '"' if quote == "'" else "'"
    return visible(repr(chunk + other)[1:-2] if quote else chunk)


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text
    )


def code_points(expected: str, observed: str, found: Sequence[Change]) -> Iterator[Line]:
    """Name the characters of changes that an eye may not see."""
    chunks = (_chunks(expected, observed, change) for change in found)
    for left, right in islice((pair for pair in chunks if _is_hard_to_see(*pair)), 3):
        yield Part("characters: "), Part(_names(left), "expected")
        yield Part("         -> "), Part(_names(right), "observed")


def _chunks(expected: str, observed: str, change: Change) -> tuple[str, str]:
    left, right = change
    return expected[left.start : left.stop], observed[right.start : right.stop]


def _is_hard_to_see(left: str, right: str) -> bool:
    if max(len(left), len(right)) > _MOST_NAMED:
        return False
    return not (left + right).isascii() or not (left + right).strip()


def look_alike(expected: str, observed: str, found: Sequence[Change]) -> bool:
    """Say whether an eye may take two texts that differ for the same."""
    chunks = [_chunks(expected, observed, change) for change in found[:_MOST_NAMED]]
    if any(len(chunk) > _LONGEST_ALIKE for pair in chunks for chunk in pair):
        return False
    return all(_skeleton(left) == _skeleton(right) or _scripts(left) != _scripts(right) for left, right in chunks)


def _skeleton(chunk: str) -> str:
    composed = unicodedata.normalize("NFKC", chunk)
    return "".join(one for one in composed if unicodedata.category(one) != "Cf")


def _scripts(chunk: str) -> set[str]:
    # The name of a letter begins with its script.
    return {unicodedata.name(one, "").partition(" ")[0] for one in chunk if one.isalpha()}


def _names(chunk: str) -> str:
    if not chunk:
        return "nothing"
    return ", ".join(f"U+{ord(one):04X} {unicodedata.name(one, '')}".rstrip() for one in chunk)


class LineChanges(NamedTuple):
    """Two texts as lines, and how one becomes the other."""

    lefts: list[str]
    rights: list[str]
    opcodes: list[Opcode]

    def first(self) -> tuple[int, str | None, str | None, int]:
        """Give the number and both forms of the first line that differs, and how many more differ."""
        changed = [opcode for opcode in self.opcodes if opcode.tag != "equal"]
        _, left, right = changed[0]
        count = sum(max(len(opcode.left), len(opcode.right)) for opcode in changed)
        one, other = self.lefts[left.start] if left else None, self.rights[right.start] if right else None
        return (left or right).start + 1, one, other, count - 1


def line_changes(expected: str, observed: str) -> LineChanges:
    """Compare two texts line by line."""
    lefts, rights = expected.split("\n"), observed.split("\n")
    return LineChanges(lefts, rights, opcodes(lefts, rights))


def unified(changed: LineChanges, budget: Budget) -> Iterator[Line]:
    """Draw the lines that changed, with two lines around them."""
    found, drawn = changed.opcodes, 0
    for at in range(len(found)):
        if budget.lines and drawn >= budget.lines:
            left_out = sum(max(len(one.left), len(one.right)) for one in found[at:] if one.tag != "equal")
            if left_out:
                yield (Part(f"… {counted(left_out, 'more line')} that differ{'s' if left_out == 1 else ''}"),)
            return
        for line in islice(_hunk(changed, at, budget), budget.lines or None):
            yield line
            drawn += 1


def _hunk(changed: LineChanges, position: int, budget: Budget) -> Iterator[Line]:
    lefts, rights, found = changed
    tag, left, right = found[position]
    if tag != "equal":
        if position == 0:
            yield _place(left.start, right.start)
        yield from _replaced(lefts, rights, left, right, budget)
        return
    tail = min(_CONTEXT, len(left)) if position else 0
    head = min(_CONTEXT, len(left) - tail) if position + 1 < len(found) else 0
    for at in left[:tail]:
        yield (Part("  " + _cut(lefts[at], budget)),)
    if position == 0 or (head and tail + head < len(left)):
        yield _place(left.stop - head, right.stop - head)
    for at in left[len(left) - head :]:
        yield (Part("  " + _cut(lefts[at], budget)),)


def _place(left: int, right: int) -> Line:
    return (Part(f"line {left + 1}:" if left == right else f"line {left + 1}, observed line {right + 1}:", "mark"),)


def _cut(text: str, budget: Budget) -> str:
    room = budget.room(4)
    return visible(text if not room or len(text) <= room else text[: room - 1] + "…")


def _replaced(lefts: list[str], rights: list[str], left: range, right: range, budget: Budget) -> Iterator[Line]:
    room = budget.room(4)
    if len(left) == len(right):
        for at, to in zip(left, right, strict=True):
            found = changes(lefts[at], rights[to])
            for (side, sign), text in zip(_SIDES, (lefts[at], rights[to]), strict=True):
                yield from marked(text, _spans(found, side), room, side, Part(sign, side), quotes=False)
            yield from code_points(lefts[at], rights[to], found)
        return
    for (side, sign), lines, span in zip(_SIDES, (lefts, rights), (left, right), strict=True):
        yield from ((Part(sign + _cut(lines[at], budget), side),) for at in span)
