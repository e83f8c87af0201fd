"""The operator on meaning: the cosine of the embeddings of two texts."""

import functools
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, field_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Needs, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, MissingExtraError, RecordError
from pytest_verdict.operators.normalized_sides import must_be, normalize_sides, not_text

Embedder = Callable[[list[str]], Sequence[Sequence[float]]]
"""A function from texts to one vector of floats for each."""


@dataclass(frozen=True, slots=True)
class NamedEmbedder:
    """An embedder and its name in the record; two embedders with the same name are equal."""

    name: str
    function: Embedder | None = field(default=None, compare=False)

    def written(self) -> str:
        """Return the name that is recorded."""
        return self.name

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Embed texts."""
        if self.function is not None:
            return self.function(texts)
        module, _, path = self.name.partition(":")
        try:
            function = functools.reduce(getattr, path.split("."), importlib.import_module(module))
        except (ImportError, AttributeError) as error:
            raise ConfigurationError(f"the embedder {self.name!r} cannot be imported: {error}") from None
        return cast("Embedder", function)(texts)


class SemanticMatch(Operator):
    """Observed means about the same as expected: the cosine of their embeddings reaches the threshold.

    The score is the cosine, or 0.0 if it is negative. The record has the vectors, so that replay needs no model; the cosine
    is computed from them in 64-bit floats with exactly rounded sums. A vector of zeros has no direction and scores 0.0 with
    the note ``zero_vector``; one with NaN or an infinity has the note ``not_finite``.

    An embedding measures topic more than truth: "the patient has diabetes" and "the patient has no diabetes" are close.

    Args:
        threshold: The lowest cosine that passes, in (0, 1]; the argument ``threshold`` of a comparison overrides it.
        model: The name of a model of the library sentence-transformers (extra ``semantic``), used without an embedder.
        embedder: A function from a list of texts to a list of vectors, or its name as ``module:function``. It is called
            once for each comparison, with expected and observed. The record has its name.
        normalize: Normalizers for both sides, in order of application (default: none).
        keep_vectors: Whether the record has the vectors; replay needs them.

    Example:
        >>> def counts(texts):
        ...     return [[text.count(letter) for letter in "abc"] for text in texts]
        >>> compare("semantic", "abc", "cab", embedder=counts, keep_vectors=False).details
        {'similarity': 1.0, 'dimensions': 3}
    """

    name: ClassVar[str] = "semantic"
    kind: ClassVar[str] = "text"
    needs: ClassVar[Mapping[str, Needs]] = {
        "model": Needs(lambda operator: operator.embedder is None, "the embedder takes its place")
    }

    threshold: Annotated[float, Field(gt=0.0, le=1.0, strict=True)] = 0.85
    model: Annotated[str, Field(min_length=1)] = "all-MiniLM-L6-v2"
    embedder: Any = None
    normalize: Normalization = ()
    keep_vectors: bool = True

    @field_validator("embedder")
    @classmethod
    def _read_embedder(cls, embedder: Any) -> NamedEmbedder | None:
        if embedder is None or isinstance(embedder, NamedEmbedder):
            return embedder
        if isinstance(embedder, str) and all(embedder.partition(":")):
            return NamedEmbedder(embedder)
        if not callable(embedder):
            raise ValueError(f"takes a function or its name as 'module:function', got {embedder!r}")  # noqa: TRY004
        owner = embedder if hasattr(embedder, "__qualname__") else type(embedder)
        return NamedEmbedder(f"{owner.__module__}:{owner.__qualname__}", embedder)

    def default_threshold(self) -> float:
        return self.threshold

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        embed = self.embedder or (lambda texts: _load_model(self.model).encode(texts).tolist())
        return self._compare(expected, observed, embed)

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again from the recorded vectors, without the model."""
        vectors = details.get("vectors")

        def recorded(_texts: list[str]) -> Sequence[Sequence[float]]:
            if vectors is None:
                raise RecordError(
                    "the vectors were not recorded (keep_vectors=False), so the verdict cannot be derived again"
                )
            return vectors["expected"], vectors["observed"]

        try:
            return self._compare(expected, observed, recorded)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"the recorded vectors cannot be read: {error}") from None

    def _compare(self, expected: Any, observed: Any, embed: Embedder) -> Outcome:
        if refusal := not_text(expected, observed):
            return refusal
        sides = normalize_sides(expected, observed, self.normalize)
        first, second = _check_vectors([_read_vector(vector) for vector in embed([sides.expected, sides.observed])])
        details: dict[str, Any] = {"dimensions": len(first)}
        if self.keep_vectors:
            details["vectors"] = {"expected": first, "observed": second}
        problem = _find_problem(first)
        if problem is not None:
            error = must_be("a text with a direction in the model", expected)
            return sides.outcome(0.0, [problem], details, error=error)
        problem = _find_problem(second)
        if problem is not None:
            return sides.outcome(0.0, [problem], details)
        similarity = cosine(first, second)
        return sides.outcome(max(0.0, similarity), details={"similarity": similarity, **details})


def _find_problem(vector: Sequence[float]) -> str | None:
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    return None if any(vector) else "zero_vector"


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    first = _scale(first)
    second = _scale(second)
    product = math.fsum(one * other for one, other in zip(first, second, strict=True))
    squares = math.fsum(one * one for one in first) * math.fsum(one * one for one in second)
    return max(-1.0, min(1.0, product / math.sqrt(squares)))


def _scale(vector: Sequence[float]) -> list[float]:
    # By a power of two, which is exact: the squares of very large or small numbers are not floats.
    _, exponent = math.frexp(max(map(abs, vector)))
    return [math.ldexp(number, -exponent) for number in vector]


def _read_vector(vector: Any) -> list[float]:
    is_sequence = not isinstance(vector, str | bytes | Mapping | set | frozenset)
    numbers = list(vector) if is_sequence else []
    # float() would read text too.
    if not is_sequence or any(isinstance(number, str) for number in numbers):
        raise ConfigurationError(f"an embedder returns vectors of numbers, got {shown(vector, 80)}")
    return [float(number) for number in numbers]


def _check_vectors(vectors: list[list[float]]) -> tuple[list[float], list[float]]:
    if len(vectors) != 2 or not vectors[0] or len(vectors[0]) != len(vectors[1]):
        lengths = f"got lengths {[len(vector) for vector in vectors]}"
        raise ConfigurationError(f"an embedder returns a vector of one length for each of two texts, {lengths}")
    return vectors[0], vectors[1]


@functools.lru_cache(maxsize=4)
def _load_model(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError("semantic without an embedder", "semantic") from None
    return SentenceTransformer(model)
