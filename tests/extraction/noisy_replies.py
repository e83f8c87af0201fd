"""Replies as models write them, of five kinds, made by a seed: phrasings to tune an extraction on, and others held out.

Each row has a right reply (``"right": true``) or one that decides for something else and only mentions the expected value.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

KINDS = ("number", "choice", "label", "name", "json")
LABELS = ("positive", "negative", "neutral", "mixed")
NAMES = ("Paris", "Marie Curie", "Addis Ababa", "Lake Baikal", "Mount Fuji", "Ada Lovelace", "Vienna", "Oslo")

# {x} is what the reply decides for, {y} another value of the kind that it only mentions.
TUNING: dict[str, list[str]] = {
    "number": [
        "First 3 and 4 make 7, so {y} is too much. The final answer is {x}.",
        "Let me compute: {y} / 2 = 12.\n\nAnswer: {x}",
        "**Step 1:** start with {y}.\n**Answer:** {x}",
        "We go from {y} down.\n#### {x}",
        "Starting at {y}, we find \\[\\boxed{{{x}}}\\]",
        "<think>maybe {y}</think>\n<answer>{x}</answer>",
        "It was {y} before. Therefore, the total is {x} dollars.",
        "{y} + 2 = 9\nA: {x}",
        "The result is **{x}**. I started from {y}.",
        "{x}",
    ],
    "choice": [
        "{y} looks tempting, but the correct option is ({x}).",
        "Not {y}.\nAnswer: {x}",
        "<answer>{x}</answer>",
        "The answer is **{x}**, because {y} is about something else.",
        "({y}) is a distractor. I choose {x}.",
        "{x}",
        "\\boxed{{{x}}}",
        "Option {y} fails.\n\nFinal answer: {x}) the second one",
    ],
    "label": [
        "Sentiment: {x}",
        "At first it sounds {y}. The overall sentiment is {x}.",
        "Label: **{x}**",
        "{X}",
        "<answer>{x}</answer>",
        "Some words are {y}, but I would classify this review as {x}.",
        "Final answer: {x}.\nThe {y} parts are few.",
        '"{x}"',
    ],
    "name": [
        "Many think of {y}, but the answer is {x}.",
        "{x}",
        "Answer: {x}",
        "<answer>{x}</answer>",
        "**{x}**",
        "Not {y}. The correct answer is: {x}, as every atlas says.",
        "I first thought of {y}.\n\nFinal answer: **{x}**.",
    ],
    "json": [
        "```json\n{x}\n```",
        "Here it is:\n\n```json\n{x}\n```\nThe id stands for {y}.",
        "{x}",
        "Sure! {x}",
        "<think>{{not it}}</think>{x}",
        "The object you want is {x} as asked [1].",
    ],
}

HELD_OUT: dict[str, list[str]] = {
    "number": [
        "There were {y} at the start. That leaves us with {x}.",
        "My result: {x} (I had {y} at first)",
        "Final Answer\n{x}",
        "We had {y}.\n\n**{x}**",
        "The answer would be {x} kilometres, not {y}.",
        "From {y} we come down; hence {x}.",
        "It started at {y}, and in the end it comes to {x} euros.",
        "Result = {x}",
        "We subtract from {y} and get {x} in total.",
        "After {y} the solution to this problem turns out to be {x}.",
        "So she pays {x} altogether.",
        "ANSWER:\n\n{x}",
    ],
    "choice": [
        "My pick: {x}",
        "While {y} is close, it has to be {x}.",
        "**{x}** is right; {y} is not.",
        "Final choice -> {x}",
        "I would go with option {x}.",
        "`{x}`",
        "Since {y} contradicts the text, that leaves {x}.",
        "Correct answer: [{x}]",
        "The best answer here is {x}: the others are wrong.",
        "{x}.",
    ],
    "label": [
        "Classification -> {x}",
        "I'd call it {x}.",
        "Although a few phrases are {y}, on the whole this is {x}.",
        "Verdict: {X}!",
        "It reads as {x} to me.",
        "Category = {x} (confidence 95%)",
        "The tone of the text is clearly {x}, hardly {y}.",
        "**Sentiment**: {X}",
        "This one goes into the class '{x}'.",
    ],
    "name": [
        "That would be {x}.",
        "It is {x}, and not {y}.",
        "The right answer, I believe, is {x}!",
        "You are looking for {x}.",
        "Solution: _{x}_",
        "After ruling out {y}, I am left with {x}.",
        "Answer -> {x}",
        "“{x}”",
    ],
    "json": [
        "```\n{x}\n```",
        "Of course, see below [1].\n{x}\n\n[1] {y}",
        "~~~json\n{x}\n~~~",
        "Result:\n{x}\nLet me know if you need {y} instead.",
        "I return {x}; the rest is {{omitted}}.",
        "<json>{x}</json>",
    ],
}

_BEFORE = ("", "", "Sure! ", "Let's think step by step.\n", "Good question. ")
_AFTER = ("", "", "\n\nI hope this helps!", "\nLet me know if you have more questions.")


def _number(draw: random.Random) -> tuple[str, str]:
    value = draw.choice([draw.randint(2, 99), draw.randint(1_000, 2_000_000), -draw.randint(2, 500)])
    exact = str(value) if draw.random() < 0.7 else f"{value}.{draw.randint(1, 9)}"
    written = f"{value:,}" + exact[len(str(value)) :] if draw.random() < 0.5 else exact
    return exact, written.replace("-", draw.choice("-\u2212"))


def _same(options: tuple[str, ...]) -> Callable[[random.Random], tuple[str, str]]:
    def draw_one(draw: random.Random) -> tuple[str, str]:
        return (draw.choice(options),) * 2

    return draw_one


def _object(draw: random.Random) -> tuple[str, str]:
    value = {"id": draw.randint(1, 99), "tags": draw.sample(LABELS, 2), "note": draw.choice(["a {b}", 'say "x"', ""])}
    return json.dumps(value, sort_keys=True), json.dumps(value, indent=draw.choice([None, 2]))


_DRAWN = {
    "number": _number,
    "choice": _same(("A", "B", "C", "D")),
    "label": _same(LABELS),
    "name": _same(NAMES),
    "json": _object,
}


def replies(phrasings: dict[str, list[str]], seed: int = 18, each: int = 60) -> Iterator[dict[str, Any]]:
    """Make rows with kind, expected, reply and whether it is right; as many wrong ones as right ones."""
    draw = random.Random(seed)
    for kind in KINDS:
        for number in range(2 * each):
            expected, written = _DRAWN[kind](draw)
            other, other_written = expected, written
            while other == expected:
                other, other_written = _DRAWN[kind](draw)
            right = number % 2 == 0
            said, mentioned = (written, other_written) if right else (other_written, written)
            text = draw.choice(phrasings[kind]).format(x=said, X=said.capitalize(), y=mentioned)
            reply = draw.choice(_BEFORE) + text + draw.choice(_AFTER)
            yield {"kind": kind, "expected": expected, "reply": reply, "right": right}
