"""Two values side by side: one line for each difference; in texts the changed words or lines are marked."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, Final, Literal, NamedTuple

from pytest_verdict.budget import Budget
from pytest_verdict.core.values.differences import Difference
from pytest_verdict.core.values.display import format_count, shorten, shown, visible
from pytest_verdict.core.values.opcodes import Opcode, common_ends, opcodes
from pytest_verdict.core.values.placeholders import ABSENT, class_name
from pytest_verdict.explanation.lines import Line, Part, Role, count_columns, format_plain, indent

Side = Literal["expected", "observed"]

_TOKEN: Final = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")
_SIDES: Final[tuple[Side, Side]] = ("expected", "observed")
_CHANGED: Final[dict[Side, Role]] = {"expected": "expected_changed", "observed": "observed_changed"}
_CONTEXT: Final = 2
# A value up to this length is shown whole even if its line gets too long.
_SHORTEST: Final = 20
_MOST_CODE_POINTS: Final = 4
_LONGEST_ALIKE: Final = 200


class Change(NamedTuple):
    """A difference between two texts: its place in each."""

    expected: range
    observed: range

    def texts(self, expected: str, observed: str) -> tuple[str, str]:
        """Return the part of each text that the change covers."""
        left = expected[self.expected.start : self.expected.stop]
        right = observed[self.observed.start : self.observed.stop]
        return left, right


def find_changes(expected: str, observed: str) -> list[Change]:
    """Find the words that differ, and the characters that differ in them."""
    expected_tokens = _TOKEN.findall(expected)
    observed_tokens = _TOKEN.findall(observed)
    expected_offsets = list(accumulate(map(len, expected_tokens), initial=0))
    observed_offsets = list(accumulate(map(len, observed_tokens), initial=0))
    changes = []
    for tag, left, right in opcodes(expected_tokens, observed_tokens):
        if tag != "equal":
            expected_span = range(expected_offsets[left.start], expected_offsets[left.stop])
            observed_span = range(observed_offsets[right.start], observed_offsets[right.stop])
            # Words may have the same first and last characters.
            before, after = Change(expected_span, observed_span).texts(expected, observed)
            head, tail = common_ends(before, after)
            narrower = (expected_span[head : len(before) - tail], observed_span[head : len(after) - tail])
            changes.append(Change(*narrower))
    return changes


def draw_text_difference(
    expected: str, observed: str, budget: Budget, labels: tuple[str, str], *, has_marks: bool = True
) -> Iterator[Line]:
    """Draw the differences of two texts that are not equal; without marks, only characters that an eye may not see."""
    if "\n" in expected or "\n" in observed:
        yield from draw_line_changes(compare_lines(expected, observed), budget)
        return

    changes = find_changes(expected, observed)
    width = max(map(len, labels))
    room = budget.room(width + 6)
    groups = [changes]
    if room and max(len(expected), len(observed)) + 2 > room:
        groups = _group_changes(changes, room)

    if not has_marks:
        groups = []
    most = budget.differences or len(groups)
    for group in groups[:most]:
        for side, text, label in zip(_SIDES, (expected, observed), labels, strict=True):
            spans = [getattr(change, side) for change in group]
            yield from draw_marked(text, spans, room, side, Part(f"{label:>{width}}: "))
    if len(groups) > most:
        yield (Part(f"… {format_count(len(groups) - most, 'more place')} with changes"),)
    yield from _draw_code_points(expected, observed, changes)


def _group_changes(changes: Sequence[Change], room: int) -> list[list[Change]]:
    """Group changes that fit into one window."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups:
            first = groups[-1][0]
            expected_length = change.expected.stop - first.expected.start
            observed_length = change.observed.stop - first.observed.start
            if max(expected_length, observed_length) <= room // 2:
                groups[-1].append(change)
                continue
        groups.append([change])
    return groups


def draw_marked(
    text: str, spans: Sequence[range], room: int, side: Side, label: Part, *, quotes: bool = True
) -> Iterator[Line]:
    """Draw a text in a window around its spans, with marks below them unless they cover the whole text."""
    parts = draw_window(text, spans, room, side, quotes=quotes)
    yield (label, *parts)
    if sum(map(len, spans)) >= len(text):
        return

    marks = ""
    for part in parts:
        mark = "^" if part.role.endswith("changed") else " "
        marks += mark * count_columns(part.text)
    if marks.strip():
        yield (Part(" " * len(label.text)), Part(marks.rstrip(), "mark"))


def draw_window(
    text: str, spans: Sequence[range], room: int, side: Side, *, quotes: bool = True, escaped: bool = False
) -> list[Part]:
    """Draw a text, cut to a window around its first span; ``escaped`` writes the spans in ASCII."""
    quote = "'" if quotes else ""
    if quotes and "'" in text and '"' not in text:
        quote = '"'

    window = range(len(text))
    # A wide character takes two columns.
    room = room and room * len(text) // max(count_columns(text), 1)
    if room and len(text) + 2 > room:
        width = max(room - 4, 8)
        start = 0
        if spans:
            start = max(min(spans[0].start - width // 3, len(text) - width), 0)
        window = range(start, min(start + width, len(text)))

    opening = quote
    if window.start:
        opening = "…" + quote
    parts = [Part(opening, side)]
    offset = window.start
    for span in spans:
        start = max(span.start, offset)
        stop = min(span.stop, window.stop)
        if start < stop:
            changed = _escape(text[start:stop], quote)
            if escaped:
                changed = ascii(text[start:stop])[1:-1]
            parts += [Part(_escape(text[offset:start], quote), side), Part(changed, _CHANGED[side])]
            offset = stop
    closing = quote
    if window.stop < len(text):
        closing += "…"
    return [*parts, Part(_escape(text[offset : window.stop], quote), side), Part(closing, side)]


def _escape(chunk: str, quote: str) -> str:
    if not quote:
        return visible(chunk)
    # repr() uses the quote that the text does not have, so the other quote is added to it.
    other_quote = '"' if quote == "'" else "'"
    return visible(repr(chunk + other_quote)[1:-2])


def _draw_code_points(expected: str, observed: str, changes: Sequence[Change]) -> Iterator[Line]:
    """Draw the code points of the first three changes that an eye may not see."""
    texts = [change.texts(expected, observed) for change in changes]
    hidden = [
        (before, after)
        for before, after in texts
        if max(len(before), len(after)) <= _MOST_CODE_POINTS
        and not ((before + after).isascii() and (before + after).strip())
    ]
    for chunks in hidden[:3]:
        for label, side, chunk in zip(("characters: ", "         -> "), _SIDES, chunks, strict=True):
            names = [f"U+{ord(one):04X} {unicodedata.name(one, '')}".rstrip() for one in chunk]
            yield Part(label), Part(", ".join(names) or "nothing", side)


def looks_alike(expected: str, observed: str, changes: Sequence[Change]) -> bool:
    """Return whether an eye may take two texts that differ for the same."""
    for change in changes[:_MOST_CODE_POINTS]:
        skeletons = []
        for chunk in change.texts(expected, observed):
            if len(chunk) > _LONGEST_ALIKE:
                return False
            composed = unicodedata.normalize("NFKC", chunk)
            visible_characters = [character for character in composed if unicodedata.category(character) != "Cf"]
            # The Unicode name of a letter begins with its script.
            scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in chunk if letter.isalpha()}
            skeletons.append((visible_characters, scripts))
        (before, before_scripts), (after, after_scripts) = skeletons
        if before != after and before_scripts == after_scripts:
            return False
    return True


class LineChanges(NamedTuple):
    """Two texts as lines, and how the first becomes the second."""

    expected: list[str]
    observed: list[str]
    opcodes: list[Opcode]

    def count(self, start: int = 0) -> int:
        """Count the lines that differ, from an opcode on."""
        changed = [opcode for opcode in self.opcodes[start:] if opcode.tag != "equal"]
        return sum(max(len(opcode.left), len(opcode.right)) for opcode in changed)

    def first_difference(self) -> Difference:
        """Return the first line that differs."""
        first = next(opcode for opcode in self.opcodes if opcode.tag != "equal")
        return Difference(
            path=f"line {(first.left or first.right).start + 1}",
            expected=self.expected[first.left.start] if first.left else ABSENT,
            observed=self.observed[first.right.start] if first.right else ABSENT,
        )


def compare_lines(expected: str, observed: str) -> LineChanges:
    """Compare two texts line by line."""
    expected_lines = expected.split("\n")
    observed_lines = observed.split("\n")
    return LineChanges(expected_lines, observed_lines, opcodes(expected_lines, observed_lines))


def draw_line_changes(changes: LineChanges, budget: Budget) -> Iterator[Line]:
    """Draw the lines that changed, with two lines of context around them."""
    count = 0
    last = len(changes.opcodes) - 1
    for index, (tag, rows, other_rows) in enumerate(changes.opcodes):
        if budget.lines and count >= budget.lines:
            remaining = changes.count(index)
            if remaining:
                ending = "that differs" if remaining == 1 else "that differ"
                yield (Part(f"… {format_count(remaining, 'more line')} {ending}"),)
            return
        lines: list[Line] = []
        if tag == "equal":
            after = 0 if index == 0 else min(_CONTEXT, len(rows))
            before = 0 if index == last else min(_CONTEXT, len(rows) - after)
            lines += [_draw_line("  ", changes.expected[row], budget) for row in rows[:after]]
            if index == 0 or 0 < before < len(rows) - after:
                lines.append(_draw_line_number(rows.stop - before, other_rows.stop - before))
            lines += [_draw_line("  ", changes.expected[row], budget) for row in rows[len(rows) - before :]]
        else:
            if index == 0:
                lines.append(_draw_line_number(rows.start, other_rows.start))
            lines += islice(_draw_replaced(changes, rows, other_rows, budget), budget.lines or None)
        yield from lines[: budget.lines or None]
        count += len(lines)


def _draw_line_number(row: int, observed_row: int) -> Line:
    number = f"line {row + 1}"
    if row != observed_row:
        number += f", observed line {observed_row + 1}"
    return (Part(f"{number}:", "mark"),)


def _draw_replaced(changes: LineChanges, expected_rows: range, observed_rows: range, budget: Budget) -> Iterator[Line]:
    if len(expected_rows) != len(observed_rows):
        for row in expected_rows:
            yield _draw_line("- ", changes.expected[row], budget, "expected")
        for row in observed_rows:
            yield _draw_line("+ ", changes.observed[row], budget, "observed")
        return

    for expected_row, observed_row in zip(expected_rows, observed_rows, strict=True):
        texts = (changes.expected[expected_row], changes.observed[observed_row])
        words = find_changes(*texts)
        for side, text, sign in zip(_SIDES, texts, "-+", strict=True):
            spans = [getattr(word, side) for word in words]
            yield from draw_marked(text, spans, budget.room(4), side, Part(f"{sign} ", side), quotes=False)
        yield from _draw_code_points(*texts, words)


def _draw_line(sign: str, text: str, budget: Budget, role: Role = "") -> Line:
    room = budget.room(4)
    if room and len(text) > room:
        text = text[: room - 1] + "…"
    return (Part(sign + visible(text), role),)


def draw_differences(differences: Sequence[Difference], omitted: int, budget: Budget) -> Iterator[Line]:
    """Draw differences up to the limit of the budget; ``omitted`` counts those that the record left out."""
    most = budget.differences or len(differences)
    for difference in differences[:most]:
        if _needs_text_difference(difference, budget):
            yield (Part(f"{_format_path(difference, budget)}:"),)
            texts = draw_text_difference(difference.expected, difference.observed, budget, ("expected", "observed"))
            yield from indent(texts)
        else:
            yield draw_difference(difference, budget)

    remaining = max(len(differences) - most, 0) + omitted
    if remaining:
        yield (Part(f"… {format_count(remaining, 'more difference')}"),)


def _needs_text_difference(difference: Difference, budget: Budget) -> bool:
    """Return whether both sides are texts that do not fit on one line."""
    expected = difference.expected
    observed = difference.observed
    if difference.reason is not None or type(expected) is not str or type(observed) is not str:
        return False
    if "\n" in expected or "\n" in observed:
        return True
    room = budget.room(len(difference.path) + 8)
    return room > 0 and len(expected) + len(observed) + 4 > room


def draw_difference(difference: Difference, budget: Budget) -> Line:
    """Draw one difference on one line."""
    place = ""
    if difference.path != "$":
        place = f"{_format_path(difference, budget)}: "
    room = budget.room(len(place) + 16)
    if difference.reason is not None:
        return (Part(f"{place}{visible(shorten(difference.reason, room))}"),)
    if difference.kind == "missing":
        return Part(f"{place}missing "), Part(shown(difference.expected, room), "expected")
    if difference.kind == "unexpected":
        return Part(f"{place}unexpected "), Part(shown(difference.observed, room), "observed")

    left, right = draw_both_sides(difference.expected, difference.observed, room // 2)
    if not place:
        return Part("expected "), *left, Part(", got "), *right
    return Part(place), *left, Part(" -> "), *right


def _format_path(difference: Difference, budget: Budget) -> str:
    limit = 0
    if budget.width:
        limit = max(budget.width // 2, 40)
    path = visible(shorten(difference.path, limit))
    if difference.observed_path is None:
        return path
    return f"{path} (observed {visible(shorten(difference.observed_path, limit))})"


def draw_both_sides(expected: Any, observed: Any, room: int) -> tuple[list[Part], list[Part]]:
    """Draw two values that differ so that they do not look the same; short values are not cut."""
    if max(len(shown(value, _SHORTEST + 1)) for value in (expected, observed)) <= _SHORTEST:
        room = room and max(room, _SHORTEST)
    if type(expected) is type(observed) is str:
        changes = find_changes(expected, observed)
        escaped = looks_alike(expected, observed, changes)
        left = draw_window(expected, [change.expected for change in changes], room, "expected", escaped=escaped)
        right = draw_window(observed, [change.observed for change in changes], room, "observed", escaped=escaped)
    else:
        left = [Part(shown(expected, room), "expected")]
        right = [Part(shown(observed, room), "observed")]
    if format_plain(left) != format_plain(right):
        return left, right

    expected_class, observed_class = (
        visible(class_name(type(side)).removeprefix("builtins:").replace(":", ".")) for side in (expected, observed)
    )
    if expected_class != observed_class:
        return [*left, Part(f" ({expected_class})")], [*right, Part(f" ({observed_class})")]
    return left, [*right, Part(" (the two look alike)")]
