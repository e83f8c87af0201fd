"""Examples of the reference with another outcome here, and the reasons."""

from __future__ import annotations

TYPED = "values keep their types: 5 is not '5'"
TRUTH = "only true and false are truth values"
EVIDENCE = "an unreadable value fails its field"
NO_NUMBER = "true is not a number"
EXACT = "numbers are compared as exact decimals"
WRONG_SETTING = "an invalid setting raises at construction"
CHECKS_NOTHING = "a check must accept some values, not all"
FROM_EXPECTED = "without the setting, the ground truth is used"
WHOLE_DATE = "a date never has parts of today"
LIVE_TRUTH = "the ground truth is the object itself"
DEFINITION = "mistakes raise at class definition"

REFUSED = "raises ValueError"

# row: (outcome here, reason)
DEVIATIONS = {
    6: ("False", TRUTH),
    13: ("False", TRUTH),
    14: ("False", TRUTH),
    22: ("False", TYPED),
    23: ("True", "5.0 and 5 are the same number"),
    46: (REFUSED, WRONG_SETTING),
    62: ("raises SettingsError", "every text contains the empty text"),
    68: ("False", TYPED),
    69: ("accepted", FROM_EXPECTED),
    78: (REFUSED, WRONG_SETTING),
    80: ("False", TYPED),
    81: (REFUSED, WRONG_SETTING),
    83: (REFUSED, CHECKS_NOTHING),
    86: ("raises MissingExtraError", "without an embedder, it needs the extra semantic"),
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
    132: (REFUSED, CHECKS_NOTHING),
    136: ("False", EVIDENCE),
    138: ("False", NO_NUMBER),
    149: ("False", CHECKS_NOTHING),
    155: (REFUSED, WRONG_SETTING),
    157: ("False", EVIDENCE),
    161: (REFUSED, WRONG_SETTING),
    163: ("False", "a mapping is not a list"),
    168: ("False", TYPED),
    169: ("False", TYPED),
    175: ("False", NO_NUMBER),
    188: ("False", WHOLE_DATE),
    196: ("False", EVIDENCE),
    197: ("False", WHOLE_DATE),
    199: ("True", "the ground truth may be ISO 8601"),
    201: (REFUSED, WHOLE_DATE),
    203: (REFUSED, WHOLE_DATE),
    219: ("True", "a bound without a time is a whole day"),
    223: (REFUSED, WRONG_SETTING),
    224: ("True", "the bound is the day in any time zone"),
    232: (REFUSED, CHECKS_NOTHING),
    238: (REFUSED, CHECKS_NOTHING),
    246: (REFUSED, DEFINITION),
    250: ("(['a'], ['a'])", "the judge does not see the id"),
    255: (REFUSED, "the specification says ValueError"),
    258: (REFUSED, DEFINITION),
    261: ("True", LIVE_TRUTH),
    262: ("True", LIVE_TRUTH),
    263: ("True", LIVE_TRUTH),
    272: (REFUSED, DEFINITION),
    276: ("(False, 0.0)", "only fields of the strategy count"),
    280: (REFUSED, CHECKS_NOTHING),
    281: (REFUSED, CHECKS_NOTHING),
    282: (REFUSED, DEFINITION),
    289: (REFUSED, DEFINITION),
    303: ("False", NO_NUMBER),
    305: ("False", CHECKS_NOTHING),
    322: ("False", DEFINITION),
    323: ("False", DEFINITION),
}
