"""The rows of the reference's executed examples that are decided otherwise here, each with the outcome here and the reason."""

from __future__ import annotations

TYPED = "values are compared with their types: 5 is not '5', a list is not its text, None is not 'none'"
TRUTH = "only true and false are truth values"
EVIDENCE = "a value that cannot be read fails its own field, with a note; only a wrong setting raises"
NO_NUMBER = "true is not a number"
EXACT = "numbers are compared exactly, in decimal arithmetic"
WRONG_SETTING = "a setting that is unknown or makes no sense raises when the operator is made"
NOTHING_ASKED = "a check that would accept everything, or nothing, is refused"
FROM_EXPECTED = "without the setting, the ground truth has what to look for"
WHOLE_DATE = "nothing is filled in from today: a text without a whole date fails"
LIVE_TRUTH = "the ground truth is the object itself, not its JSON form"
DEFINITION = "a mistake of the author is refused when the class is made"

REFUSED = "raises ValueError"

# row: (outcome here, reason)
DECIDED_OTHERWISE = {
    6: ("False", TRUTH),
    13: ("False", TRUTH),
    14: ("False", TRUTH),
    22: ("False", TYPED),
    23: ("True", "5.0 and 5 are the same number"),
    46: (REFUSED, WRONG_SETTING),
    62: ("raises SettingsError", "a text that normalization empties is contained in everything, so it is refused"),
    68: ("False", TYPED),
    69: ("accepted", FROM_EXPECTED),
    78: (REFUSED, WRONG_SETTING),
    80: ("False", TYPED),
    81: (REFUSED, WRONG_SETTING),
    83: (REFUSED, NOTHING_ASKED),
    86: ("raises MissingExtraError", "it works; without an embedder it needs the extra semantic"),
    93: ("False", EVIDENCE),
    94: ("False", EVIDENCE),
    96: ("False", EVIDENCE),
    97: ("False", EVIDENCE),
    103: ("False", EXACT),
    104: ("False", EVIDENCE),
    114: ("True", EXACT),
    117: (REFUSED, WRONG_SETTING),
    121: ("False", EVIDENCE),
    131: ("False", FROM_EXPECTED),
    132: (REFUSED, NOTHING_ASKED),
    136: ("False", EVIDENCE),
    138: ("False", NO_NUMBER),
    155: (REFUSED, WRONG_SETTING),
    157: ("False", EVIDENCE),
    161: (REFUSED, WRONG_SETTING),
    163: ("False", "a mapping is no list"),
    168: ("False", TYPED),
    169: ("False", TYPED),
    175: ("False", NO_NUMBER),
    188: ("False", WHOLE_DATE),
    196: ("False", EVIDENCE),
    197: ("False", WHOLE_DATE),
    199: ("True", "the format is that of the answer; the ground truth may be ISO 8601"),
    201: (REFUSED, WHOLE_DATE),
    203: (REFUSED, WHOLE_DATE),
    219: ("True", "a bound without a time is a whole day"),
    223: (REFUSED, WRONG_SETTING),
    224: ("True", "a bound without a time is a whole day, in every time zone"),
    238: (REFUSED, NOTHING_ASKED),
    246: (REFUSED, DEFINITION),
    250: ("(['a'], ['a'])", "the judge does not see the id"),
    255: (REFUSED, "the specification says ValueError"),
    258: (REFUSED, DEFINITION),
    261: ("True", LIVE_TRUTH),
    262: ("True", LIVE_TRUTH),
    263: ("True", LIVE_TRUTH),
    272: (REFUSED, DEFINITION),
    276: ("(False, 0.0)", "only fields that the strategy names can give its score"),
    280: (REFUSED, NOTHING_ASKED),
    281: (REFUSED, NOTHING_ASKED),
    289: (REFUSED, DEFINITION),
    303: ("False", NO_NUMBER),
    322: ("False", DEFINITION),
    323: ("False", DEFINITION),
}
