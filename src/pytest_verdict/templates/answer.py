"""`BaseAnswer`: what every answer template derives from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, PrivateAttr

from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates import observed_keys as keys
from pytest_verdict.templates.definition import RESERVED, Definition, read_definition, refuse_reserved_names
from pytest_verdict.templates.regex_check import compare_all, regex_checks, regex_report


class BaseAnswer(BaseModel):
    """What a response should say: fields to extract, and how each is verified.

    Declare the fields with `VerifiedField`. Or write them with pydantic's ``Field``, a method ``ground_truth(self)`` that sets
    ``self.correct`` and, if wanted, ``self.regex``, and a method ``verify(self)`` that returns a bool.

    Attributes:
        id: The id of the question, if there is one. No judge sees it.

    Raises:
        TemplateError: At class definition, when a name is reserved, a field that reads the trace is not a bool, or a strategy
            names a field that is not verified.

    Example:
        >>> from pytest_verdict.templates import ExactMatch, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     target: str = VerifiedField("The drug target", ground_truth="BCL2", verify_with=ExactMatch())
        >>> Answer(target=" bcl2").verify()
        True
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = None

    __verdict_definition__: ClassVar[Definition]
    _correct: Any = PrivateAttr(default=ABSENT)
    _regex: Any = PrivateAttr(default=None)
    _trace: str | None = PrivateAttr(default=None)

    def __init_subclass__(cls, **arguments: Any) -> None:
        refuse_reserved_names(cls, BaseAnswer)
        super().__init_subclass__(**arguments)

    @classmethod
    def __pydantic_init_subclass__(cls, **arguments: Any) -> None:
        super().__pydantic_init_subclass__(**arguments)
        cls.__verdict_definition__ = read_definition(cls, BaseAnswer)

    def model_post_init(self, context: Any, /) -> None:
        """Set what is correct, after the values are in place; nothing that was given can take its place."""
        del context
        for name in RESERVED:
            (self.__pydantic_extra__ or {}).pop(name, None)
        own = getattr(self, "ground_truth", None)
        if own is not None:
            own()
        if self._correct is ABSENT and self.__verdict_definition__.verified:
            self._correct = snapshot(self.__verdict_definition__.expected)

    @property
    def correct(self) -> Any:
        """The ground truth: what ``ground_truth()`` set, or else each field's own."""
        if self._correct is ABSENT:
            raise AttributeError(f"{type(self).__name__} has no ground truth: set self.correct in ground_truth(self)")
        return self._correct

    @correct.setter
    def correct(self, value: Any) -> None:
        self._correct = value

    @property
    def regex(self) -> Any:
        """The regex checks on the raw response that ``ground_truth()`` set, or None."""
        return self._regex

    @regex.setter
    def regex(self, value: Any) -> None:
        self._regex = value

    def verify(self, trace: str | None = None) -> bool:
        """Say whether the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            Whether the strategy holds; without one, whether every field passes. True when there is nothing to verify, as in a
            template that has regex checks only.

        Raises:
            TemplateError: A field reads the trace and there is none, or the template has plain fields and no ``verify()``.
        """
        return self.__verdict_definition__.match.holds(self._compared(trace))

    def verify_granular(self, trace: str | None = None) -> float:
        """Say how much of the answer is correct.

        Args:
            trace: The raw response; needed when a field reads it.

        Returns:
            The weight of what passed divided by the weight of all fields, from 0.0 to 1.0.

        Raises:
            TemplateError: As for `verify`, or the template has no verified fields and no ``verify_granular()``.
        """
        if not self.__verdict_definition__.verified:
            raise TemplateError(f"{type(self).__name__} has no verified fields: write verify_granular(self) -> float")
        return self.__verdict_definition__.match.weighed(self._compared(trace))

    def verify_regex(self, trace: Any) -> dict[str, Any]:
        """Make the regex checks of ``self.regex``.

        Args:
            trace: The raw response.

        Returns:
            ``success`` (whether all passed; true when there are none), ``results`` by name, and ``details`` by name with the
            matches and the reason of a failure.
        """
        return regex_report(compare_all(regex_checks(type(self).__name__, self._regex), trace))

    def _compared(self, trace: str | None) -> dict[str, ComparisonResult]:
        definition = self.__verdict_definition__
        definition.refuse_without_ground_truth()
        trace = self._trace if trace is None else trace
        if definition.traced and trace is None:
            raise TemplateError(f"the fields {', '.join(definition.traced)} read the raw response: verify(trace=...)")
        return definition.match.compare_fields(definition.expected, observed_values(self, trace))


def observed_values(answer: BaseAnswer, trace: str | None) -> Mapping[str, Any]:
    """Give what is observed of an answer."""
    values = {name: getattr(answer, name, None) for name in answer.__verdict_definition__.parsed}
    return values if trace is None else {**values, keys.TRACE: trace}


BaseAnswer.__verdict_definition__ = read_definition(BaseAnswer, BaseAnswer)
