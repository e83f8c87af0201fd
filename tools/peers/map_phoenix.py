"""What docs/reference/scorer-names.md teaches for the metrics of phoenix-evals that are no judges."""

import re
from typing import Any

from tools.peers.case import REFUSED, Absent, Here


def _score(theirs: Any) -> Any:
    return REFUSED if theirs is REFUSED else float(theirs[0].score)


def matches_regex(call: Any, theirs: Any) -> Any:
    pattern = call["self"].pattern
    flags = [flag.name for flag in re.RegexFlag(pattern.flags) if flag is not re.UNICODE]
    settings = {"mode": "search", "flags": flags}
    yield _score(theirs), Here("regex", pattern.pattern, call["eval_input"]["output"], settings)


def classification(call: Any, theirs: Any) -> Any:
    yield _score(theirs), Absent("precision and recall are statistics of many rows, not a verdict on one")


WATCHED = {
    "phoenix.evals.metrics.matches_regex:MatchesRegex._evaluate": matches_regex,
    "phoenix.evals.metrics.precision_recall:PrecisionRecallFScore._evaluate": classification,
}
