"""The operator on what a run costs: requests to models, tokens, money and time, as the run reports them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Final

from pydantic import field_validator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.operators.normalized_sides import must_be
from pytest_verdict.trajectories.details import fail_on, format_excess, to_json
from pytest_verdict.trajectories.operators import NOT_A_LIMIT
from pytest_verdict.trajectories.readers import decode_text
from pytest_verdict.trajectories.readers.common import get, has, iter_entries, unwrap_list
from pytest_verdict.trajectories.readers.traces import list_model_requests, otel, read_spans
from pytest_verdict.trajectories.readers.unread import to_snake_case
from pytest_verdict.trajectories.trajectory_operator import UNREADABLE

MISSING_FIGURE: Final = "missing_figure"

_KEYS: Final = {
    "model_requests": "model_requests requests",
    "input_tokens": "input_tokens prompt_tokens prompt_token_count gen_ai.usage.input_tokens gen_ai.usage.prompt_tokens"
    " llm.token_count.prompt input",
    "output_tokens": "output_tokens completion_tokens candidates_token_count gen_ai.usage.output_tokens"
    " gen_ai.usage.completion_tokens llm.token_count.completion output",
    "total_tokens": "total_tokens total_token_count llm.token_count.total total",
    "cost": "cost cost_usd total_cost total_cost_usd operation.cost llm.cost.total",
    "seconds": "seconds duration_seconds",
    "milliseconds": "latency_ms duration_ms milliseconds",
}
_FIGURES: Final = {key: figure for figure, keys in _KEYS.items() for key in keys.split()}
_LIMITED: Final = tuple(figure for figure in _KEYS if figure != "milliseconds")
_SUMMED: Final = ("input_tokens", "output_tokens", "total_tokens", "cost")
# These words mean tokens only among other figures of usage.
_IN_USAGE: Final = frozenset({"input", "output", "total"})
# Anthropic and Bedrock count what they cache apart from the input, Gemini what tools return and its thoughts.
_PARTS: Final = {
    **dict.fromkeys((f"cache_{kind}_input_tokens" for kind in ("creation", "read", "write")), "input_tokens"),
    "tool_use_prompt_token_count": "input_tokens",
    "thoughts_token_count": "output_tokens",
}
_USAGES: Final = frozenset(
    {"usage", "token_usage", "usage_metadata", "usage_details", "accumulated_usage", "response_metadata", "metrics"}
)

_GEMINI_USAGE: Final = ("usage_metadata", "usageMetadata")

Figures = dict[str, Decimal]


def read_figures(value: Any) -> Figures:
    """Return the figures that a run reports, in a usage, answers or spans; the sum of the answers, unless one lacks it."""
    source = decode_text(value)
    figures: Figures = {}
    items = unwrap_list(source, "messages")
    if otel.recognises(source):
        spans = read_spans(source)
        answers: list[Any] = [span.attributes for span in list_model_requests(spans)]
        if all(span.start and span.end for span in spans):
            nanoseconds = max(span.end for span in spans) - min(span.start for span in spans)
            figures["seconds"] = Decimal(nanoseconds).scaleb(-9, EXACT)
    else:
        # The pieces of one answer have one identifier.
        messages = [get(item, "message", default=item) for item in items]
        by_id = {str(get(one, "id") or place): one for place, one in enumerate(messages) if _is_answer(one)}
        answers = list(by_id.values())

    reports = [_read_report(answer) for answer in answers]
    if reports:
        figures["model_requests"] = Decimal(len(reports))
        for figure in set(reports[0]).intersection(*reports).intersection(_SUMMED):
            figures[figure] = sum((report[figure] for report in reports), Decimal(0))
    # A run may report totals beside its answers, as the last line of Claude Code does.
    for total in [source, *(item for item in items if get(item, "type") == "result")]:
        _raise_to(figures, _read_report(total))
    return figures


def _raise_to(figures: Figures, others: Figures) -> None:
    """Add the figures of another report that are higher, or missing here."""
    for figure, number in others.items():
        figures[figure] = max(number, figures.get(figure, number))


def _is_answer(item: Any) -> bool:
    is_message = get(item, "role") in {"assistant", "model"} or get(item, "type") in {"ai", "AIMessageChunk"}
    is_response = get(item, "kind", "object") == "response" or has(item, "choices", "candidates")
    is_run = get(item, "run_type") == "llm" or get(item, "type") == "GENERATION"
    return is_message or is_response or is_run or has(get(item, "output"), "message") or has(item, *_GEMINI_USAGE)


def _read_report(value: Any, *, in_usage: bool = False) -> Figures:
    """Read the figures of one object; where two of its usages differ, the higher one counts."""
    figures: Figures = {}
    parts: Figures = {}
    nested = []
    for name, item in iter_entries(value):
        key = to_snake_case(name)
        if key in _USAGES:
            nested.append(_read_report(item, in_usage=True))
            continue
        number = _parse_number(item)
        figure = _FIGURES.get(key) if in_usage or key not in _IN_USAGE else None
        if number is not None and key in _PARTS:
            parts[_PARTS[key]] = parts.get(_PARTS[key], Decimal(0)) + number
        elif number is not None and figure == "milliseconds":
            _raise_to(figures, {"seconds": number.scaleb(-3, EXACT)})
        elif number is not None and figure is not None:
            _raise_to(figures, {figure: number})
    for figure in figures.keys() & parts.keys():
        figures[figure] += parts[figure]
    for report in nested:
        _raise_to(figures, report)
    if "input_tokens" in figures and "output_tokens" in figures:
        tokens = figures["input_tokens"] + figures["output_tokens"]
        figures["total_tokens"] = max(tokens, figures.get("total_tokens", tokens))
    return figures


def _parse_number(value: Any) -> Decimal | None:
    """Return a number from 0; None for anything else."""
    number = None if isinstance(value, str | bool) else as_decimal(value)
    return number if number is not None and number.is_finite() and number >= 0 else None


class RunLimits(Operator):
    """A run stays within limits of requests to models, tokens, cost and time.

    Expected has a limit for each of ``model_requests``, ``input_tokens``, ``output_tokens``, ``total_tokens``, ``cost`` and
    ``seconds`` that counts. Observed is what reports them: an object with the figures or a usage, a list of answers or of
    messages with a usage each, or the spans of a trace. A figure that has a limit and is not reported is an ``error``.

    Args:
        limits: The limits; they take the place of expected.

    Example:
        >>> reply = {"usage": {"prompt_tokens": 900, "completion_tokens": 200}}
        >>> compare("run_limits", {"total_tokens": 1000}, reply).details["differences"][0]["reason"]
        'total_tokens is 1100, at most 1000 allowed'
        >>> compare("run_limits", {"cost": 0.01}, reply).verdict
        'error'
    """

    name: ClassVar[str] = "run_limits"
    kind: ClassVar[str] = "run"
    expected_settings: ClassVar[tuple[str, ...]] = ("limits",)

    limits: dict[str, int | float | Decimal] | None = None

    @field_validator("limits", mode="before")
    @classmethod
    def _check_limits(cls, limits: Any) -> Any:
        if limits is not None:
            _parse_limits(limits)
        return limits

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare; see the class."""
        expected = self.effective_expected(expected)
        try:
            limits = _parse_limits(expected)
            figures = read_figures(observed)
        except TrajectoryError as error:
            return Outcome(0.0, notes=(UNREADABLE,), details={"reason": str(error)})
        except ValueError as error:
            return Outcome(0.0, notes=(NOT_A_LIMIT,), error=f"{must_be('limits by figure', expected)}: it {error}")
        missing = [figure for figure in limits if figure not in figures]
        if missing:
            reported = f"it reports {', '.join(figures) or 'no figure'}"
            reason = f"the run does not report {', '.join(missing)}, which has a limit; {reported}"
            return Outcome(0.0, notes=(MISSING_FIGURE,), error=reason)
        values = {figure: _format_number(figures[figure]) for figure in limits}
        differences = [
            format_excess(figure, limit, values[figure], f"{figure} is {values[figure]}")
            for figure, limit in limits.items()
            if figures[figure] > limit
        ]
        return fail_on(differences, figures=values)


def _format_number(number: Decimal) -> Any:
    return int(number) if number == number.to_integral_value() else to_json(number)


def _parse_limits(value: Any) -> Figures:
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"takes a limit for one of {', '.join(_LIMITED)} or several, got {shown(value, 80)}")
    limits: Figures = {}
    for figure, limit in value.items():
        if figure not in _LIMITED:
            raise ValueError(f"has an unknown figure, {shown(figure, 80)}.{allowed('figure', figure, _LIMITED)}")
        number = _parse_number(limit)
        if number is None:
            raise ValueError(f"takes a number from 0 for {figure}, got {shown(limit, 80)}")
        limits[figure] = number
    return limits
