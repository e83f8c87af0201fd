"""`TrajectoryOperator`: what the operators on trajectories share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal, TypeVar

from pydantic import field_validator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.arguments import EQUAL, ArgumentRules
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.evidence import call_evidence, notes_on_arguments
from pytest_verdict.trajectories.names import canonical_name
from pytest_verdict.trajectories.readers import AUTO, check_format, read_trajectory
from pytest_verdict.trajectories.relation import Call, Relation
from pytest_verdict.trajectories.selection import Failed, Selection
from pytest_verdict.trajectories.turns import Turns, judge_turns, turns_of

T = TypeVar("T")

UNREADABLE: Final = "trajectory_unreadable"
EMPTY_EXPECTED: Final = "empty_expected"


class ObservedTrajectory(Operator):
    """An operator that reads the observed trajectory and selects the events that count."""

    kind: ClassVar[str] = "trajectory"

    observed_format: str = AUTO
    aliases: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it for each operator
    mcp_servers: Literal["any"] | tuple[str, ...] = ()
    only_tools: tuple[str, ...] | None = None
    except_tools: tuple[str, ...] = ()
    agents: tuple[str, ...] | None = None
    failed: Failed = "count"

    @field_validator("observed_format", "expected_format", check_fields=False)
    @classmethod
    def _known_format(cls, name: str) -> str:
        check_format(name)
        return name

    @field_validator("only_tools", "agents")
    @classmethod
    def _not_empty(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is not None and not names:
            raise ValueError("an empty list selects nothing; leave it out to select everything")
        return names

    def selection(self) -> Selection:
        """Give the settings that say which events count."""
        only = None if self.only_tools is None else tuple(map(self.tool_name, self.only_tools))
        left_out = tuple(map(self.tool_name, self.except_tools))
        return Selection(self.aliases, self.mcp_servers, only, left_out, self.agents, self.failed)

    def tool_name(self, written: str) -> str:
        """Give the name by which a tool is compared that a setting names, with or without its prefix or alias."""
        if not (self.aliases or self.mcp_servers) or written in self.aliases.values():
            return written
        return canonical_name(written, self.aliases, self.mcp_servers)

    def observed_events(self, observed: Any) -> list[tuple[Event, str]]:
        """Read the observed events that count, each with the name by which it is compared."""
        selection = self.selection()
        try:
            events = read_trajectory(observed, self.observed_format)
        except TrajectoryError as error:
            raise TrajectoryError(f"observed {error}") from None
        return [(event, selection.name(event)) for event in events if selection.keeps(event)]


class TrajectoryOperator(ObservedTrajectory):
    """An operator that compares two trajectories."""

    args: ArgumentRules = EQUAL
    ignored_args: tuple[str, ...] = ()
    defaults: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - pydantic copies it for each operator
    turns: Turns = "none"
    expected_format: str = AUTO

    @abstractmethod
    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Compare two trajectories that were read."""

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare two trajectories; see the class."""
        expected = self.effective_expected(expected)
        try:
            if self.turns == "none":
                return self._judge_whole(expected, observed)
            return self._judge_turns(expected, observed)
        except TrajectoryError as error:
            return unreadable(error)

    def relation(self) -> Relation:
        """Give the relation that the settings define."""
        args = self.args if isinstance(self.args, str) else self._by_tool_name(self.args)
        return Relation(args, self.ignored_args, self._by_tool_name(self.defaults))

    def _by_tool_name(self, settings: Mapping[str, T]) -> Mapping[str, T]:
        return {self.tool_name(tool): setting for tool, setting in settings.items()}

    def expected_selection(self) -> Selection:
        """Give what of the selection holds for expected."""
        # Which agent makes a call and whether it fails are facts of a run.
        return replace(self.selection(), agents=None, failed="count")

    def calls(self, events: list[tuple[Event, str]], relation: Relation) -> list[Call]:
        """Prepare events for comparison."""
        return [relation.call(event, name) for event, name in events]

    def expected_calls(self, expected: Any, relation: Relation) -> list[Call]:
        """Read the expected calls that count."""
        selection = self.expected_selection()
        try:
            events = read_trajectory(expected, self.expected_format)
        except TrajectoryError as error:
            raise TrajectoryError(f"expected {error}") from None
        return self.calls([(event, selection.name(event)) for event in events if selection.keeps(event)], relation)

    def _judge_whole(self, expected: Any, observed: Any) -> Outcome:
        relation = self.relation()
        wanted = self.expected_calls(expected, relation)
        made = self.calls(self.observed_events(observed), relation)
        return self._finished(self.judge(wanted, made, relation), wanted, made, relation)

    def _finished(self, found: Outcome, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        notes = dict.fromkeys((*found.notes, *notes_on_arguments(expected, observed, relation)))
        normalization = self._normalization()
        return replace(
            found,
            notes=tuple(notes),
            normalization=normalization,
            details={"expected_calls": len(expected), "observed_calls": len(observed), **(found.details or {})},
            expected_surface=[call_evidence(call) for call in expected] if normalization else ABSENT,
            observed_surface=[call_evidence(call) for call in observed] if normalization else ABSENT,
        )

    def _normalization(self) -> tuple[str, ...]:
        steps = list(self.selection().names())
        if self.defaults:
            steps.append("fill_default_args")
        if self.ignored_args:
            steps.append("leave_out_args")
        return tuple(steps)

    def _judge_turns(self, expected: Any, observed: Any) -> Outcome:
        wanted = turns_of(expected, "expected")
        made = turns_of(observed, "observed")
        if self.turns == "flatten":
            return self._judge_flattened(wanted, made)
        whole = self.model_copy(update={"turns": "none"})
        return judge_turns(whole, wanted, made, mean=self.turns == "mean")

    def _judge_flattened(self, wanted: list[Any], made: list[Any]) -> Outcome:
        relation = self.relation()
        expected = [call for turn in wanted for call in self.expected_calls(turn, relation)]
        observed = [call for turn in made for call in self.calls(self.observed_events(turn), relation)]
        return self._finished(self.judge(expected, observed, relation), expected, observed, relation)


def unreadable(error: TrajectoryError) -> Outcome:
    """Make the outcome of evidence that is no trajectory."""
    return Outcome(0.0, notes=(UNREADABLE,), details={"reason": str(error)})
