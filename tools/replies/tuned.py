"""Families of phrasings on which the presets were tuned.

In a template, ``{x}`` is the expected value, ``{y}`` and ``{z}`` are others of its kind, and ``{x.words}`` is one of its forms.
"""

from typing import Final

Families = dict[str, list[str]]

RIGHT: Final[dict[str, Families]] = {
    "number": {
        "bare": ["{x}", "{x}.", "**{x}**", "`{x}`", "${x.latex}$", " {x}\n"],
        "announced": [
            "The answer is {x}.",
            "Answer: {x}",
            "Final answer: **{x}**",
            "The final answer is {x}.",
            "Result: {x}",
            "The answer is: {x}",
            "**Answer:** {x}",
        ],
        "box and marks": [
            "Thus \\[\\boxed{{{x.latex}}}\\]",
            "So we get $\\boxed{{{x.plain}}}$.",
            "It was {y}.\n#### {x.plain}",
            "<answer>{x}</answer>",
            "I try {y}.\n<answer> {x} </answer>",
        ],
        "unit": [
            "The answer is {x} km.",
            "It weighs {x} kg.",
            "The total is ${x.positive}.",
            "It costs {x.positive} euros.",
            "The distance is {x.positive} kilometers.",
            "{x.positive} apples",
            "There are {x.positive} people.",
        ],
        "words": [
            "The answer is {x.words}.",
            "There are {x.words} of them.",
            "{x.words}",
            "Answer: {x.words} apples",
            "**{x.words}**",
        ],
        "thousands": [
            "The population is {x.comma}.",
            "The answer is {x.spaced}.",
            "Answer: {x.comma} people",
            "It has {x.apostrophe} inhabitants.",
        ],
        "reasoning": [
            "First we have {y}. Then we add {z}. So the answer is {x}.",
            "Step 1: start with {y}.\nStep 2: take {z} away.\nThe result is {x}.",
            "We start with {y.positive} and remove {z.positive}.\n\nAnswer: {x}",
            "There were {y.positive} at the start. That leaves {x}.",
            "Each of {y.positive} boxes holds {z.positive}, so there are {x} in total.",
        ],
        "arithmetic": [
            "{y.positive} + {z.positive} = {x}",
            "We compute {y.positive} - {z.positive} = {x}.",
            "{y.positive} * {z.positive} = {x}, so the answer is {x}.",
        ],
        "correction": [
            "The answer is {y}. Wait, no, it is {x}.",
            "It is {y}. Actually, it is {x}.",
            "The answer is {y}. Correction: the answer is {x}.",
            "I first said {y}, but the answer is {x}.",
            "It is {y}, no, wait, {x}.",
        ],
        "contrast": ["It is not {y} but {x}.", "The answer is {x}, not {y}.", "Not {y}. The answer is {x}."],
        "hedge": ["I think it is {x}.", "It is probably {x}.", "I believe the answer is {x}.", "It is about {x}."],
        "thinking": ["<think>{y}?</think>{x}", "<think>\nMaybe {y}. Or {z}.\n</think>\n\nThe answer is {x}."],
        "chatter": ["Sure! The answer is {x}. Let me know if you need anything else!", "Great question! It's {x}."],
    },
    "date": {
        "bare": ["{x.iso}", "{x.long}", "{x.british}.", "**{x.long}**", "`{x.iso}`"],
        "announced": ["The date is {x.long}.", "Answer: {x.iso}", "The answer is {x.british}.", "Date: **{x.short}**"],
        "sentence": [
            "It happened on {x.long}.",
            "The invoice was issued on {x.iso}.",
            "She was born on {x.british}.",
            "It took place on {x.weekday}.",
            "The contract ends on {x.ordinal}.",
            "It was signed on the {x.of}.",
        ],
        "reasoning": [
            "It was ordered on {y.long} and shipped later. The answer is {x.long}.",
            "First {y.iso}, then {z.iso}.\nFinal answer: {x.iso}",
        ],
        "correction": ["It was {y.long}. Wait, no, it was {x.long}.", "I first read {y.iso}, but the date is {x.iso}."],
        "contrast": ["It was {x.long}, not {y.long}.", "It was not on {y.iso} but on {x.iso}."],
        "twice": ["{x.long} ({x.iso})", "It was on {x.iso}, that is {x.british}."],
    },
    "name": {
        "bare": ["{x}", "{x}.", "**{x}**", '"{x}"', "_{x}_", "{x.alias}"],
        "announced": ["The answer is {x}.", "Answer: {x}", "Final answer: **{x}**", "Label: {x}", "It is {x}."],
        "reasoning": [
            "At first {y} looks right. The answer is {x}.",
            "{y} looks tempting, but it is {x}.",
            "Many think of {y}, but the answer is {x}.",
            "I considered {y} and {z}.\nFinal answer: {x}",
        ],
        "contrast": ["It is {x}, not {y}.", "It is not {y} but {x}.", "Not {y}. The answer is {x}."],
        "correction": ["The answer is {y}. Wait, no, it is {x}.", "{y}. Actually, {x}.", "{y}... no, {x}."],
        "alias": ["The answer is {x.alias}.", "It is {x.alias}."],
    },
    "choice": {
        "bare": ["{x}", "({x})", "{x}.", "**{x}**", "{x})", "`{x}`"],
        "announced": [
            "The answer is ({x}).",
            "Answer: {x}",
            "The correct option is {x}.",
            "Option {x}",
            "I choose {x}.",
        ],
        "reasoning": [
            "({y}) is a distractor. The answer is {x}.",
            "{y} is wrong, so the answer is {x}.",
            "Option {y} fails.\n\nFinal answer: {x}) the second one",
        ],
    },
    "yes or no": {
        "bare": ["{x}", "{x}.", "**{x}**", "{X}", "{X}!"],
        "sentence": ["{X}, it is.", "{X}, that holds.", "The answer is {x}.", "Answer: {X}", "{X}. The text says so."],
        "correction": ["{Y}. Wait, {x}.", "{Y}... actually, {x}."],
    },
    "list": {
        "bullets": ["- {0}\n- {1}\n- {2}", "* {0}\n* {1}\n* {2}", "The colors are:\n\n- {0}\n- {1}\n- {2}"],
        "numbered": ["1. {0}\n2. {1}\n3. {2}", "Here they are:\n1) {0}\n2) {1}\n3) {2}"],
        "inline": [
            "{0}, {1}, {2}",
            "{0}, {1} and {2}",
            "{0}, {1}, and {2}.",
            "The answer is {0}, {1} and {2}.",
            "Answer: {0}, {1}, {2}",
        ],
        "brackets": ["[{0}, {1}, {2}]", '["{0}", "{1}", "{2}"]', "{{{0}, {1}, {2}}}", "\\boxed{{{0}, {1}, {2}}}"],
        "slashes": ["{0}/{1}/{2}", "{0} / {1} / {2}", "{0}; {1}; {2}"],
        "lines": ["{0}\n{1}\n{2}"],
        "table": ["| color |\n|---|\n| {0} |\n| {1} |\n| {2} |"],
    },
    "json": {
        "bare": ["{x}", "{x.indented}"],
        "fence": ["```json\n{x}\n```", "Here it is:\n\n```json\n{x.indented}\n```\nIt has two keys."],
        "prose": ["Sure! {x}", "The object is {x} as asked [1]."],
        "thinking": ["<think>{y}</think>{x}"],
        "draft": ["Draft: {y}\nFinal: {x}", "First I had {y}. Corrected:\n```json\n{x}\n```"],
    },
}

WRONG: Final[dict[str, Families]] = {
    "number": {
        "magnitude": ["The answer is {x.plain} million.", "{x.plain}k", "It is {x.plain} thousand.", "{x.plain} bn"],
        "power": ["10^{x.whole}", "{x.plain} × 10^6", "{x.whole}²", "The answer is 10^{{{x.whole}}}."],
        "fraction": ["1/{x.whole}", "{x.whole}/7", "\\boxed{{\\frac{{{x.whole}}}{{7}}}}", "one in {x.whole}"],
        "bound": ["At least {x}.", "The answer is more than {x}.", "up to {x}", "It is less than {x}."],
        "negated": ["It is not {x}.", "The answer isn't {x}.", "Definitely not {x}.", "It cannot be {x}."],
        "range": [
            "Between {x.positive} and {y.positive}.",
            "{x.positive} to {y.positive}",
            "{x.positive}-{y.positive}",
        ],
        "alternatives": ["{x} or {y}", "The answer is {x} or {y}.", "Either {y} or {x}."],
        "corrected": ["The answer is {x}. Wait, no, it is {y}.", "It is {x}. Actually, it is {y}.", "{x}, no, {y}."],
        "mentioned": ["The answer is {y}, not {x}.", "We started with {x}. The answer is {y}.", "{x} - {z} = {y}"],
        "nothing": ["I do not know.", "None of the {x.words} options fits, so I cannot say.", "<think>{x}"],
    },
    "date": {
        "bound": ["Before {x.long}.", "After {x.iso}.", "No later than {x.british}.", "By {x.long}."],
        "range": ["From {x.long} to {y.long}.", "Between {x.iso} and {y.iso}.", "{x.iso} - {y.iso}"],
        "negated": ["It was not {x.long}.", "It was not on {x.iso}."],
        "corrected": ["It was {x.long}. Wait, no, it was {y.long}.", "The date is {x.iso}, no, {y.iso}."],
        "mentioned": ["It was {y.long}, not {x.long}.", "Ordered on {x.iso}. The answer is {y.iso}."],
    },
    "name": {
        "negated": ["It is not {x}.", "The answer is not {x}.", "Certainly not {x}."],
        "mentioned": ["{x} looks tempting, but it is {y}.", "The answer is {y}, not {x}.", "Not {x}. It is {y}."],
        "several": ["{x} or {y}", "Either {y} or {x}.", "The answer is {x} or {y}.", "{x} and {y}"],
        "corrected": ["The answer is {x}. Wait, no, it is {y}.", "{x}. Actually, {y}."],
        "inside a word": ["The answer is {x}ish.", "Un{x}", "{x}son"],
    },
    "choice": {
        "negated": ["Not {x}.", "The answer is not ({x})."],
        "mentioned": ["({x}) is a distractor. The answer is {y}.", "{x} is wrong, so the answer is {y}."],
        "several": ["{x} or {y}", "Both {x} and {y}.", "({x}), ({y})"],
    },
    "yes or no": {
        "corrected": ["{X}. Wait, {y}.", "{X}... actually, {y}."],
        "several": ["{x} and {y}", "{X} or {y}?", "Maybe."],
        "negated": ["Not {x}.", "I would not say {x}."],
    },
    "list": {
        "missing": ["{0} and {1}", "- {0}\n- {1}"],
        "more": ["{0}, {1}, {2} and {other}", "- {0}\n- {1}\n- {2}\n- {other}"],
        "alternatives": ["{0}, {1} or {2}"],
        "negated": ["Not {0}, {1} and {2}.", "The answer is not {0}, {1}, {2}."],
    },
    "json": {
        "cut off": ['{{"a": {x}, "c":', '```json\n{{"a": {x}, "c": [', 'Draft: {x}\nFinal: {{"a":'],
        "replaced": ["Draft: {x}\nFinal: {y}", "<think>{x}</think>{y}"],
        "no JSON": ["{{'a': {x}}}", '{{"a": {x},}}', '{{"a": {x}, // why\n"b": 1}}'],
    },
}
