"""The operator on meaning: how close the embeddings of two texts are."""

import functools
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, field_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, MissingExtraError, RecordError
from pytest_verdict.operators.normalized_sides import NormalizedSides, must_be, normalize_sides, not_text

Embedder = Callable[[list[str]], Sequence[Sequence[float]]]
"""From texts to one vector of floats for each."""


@dataclass(frozen=True, slots=True)
class NamedEmbedder:
    """An embedder and the name by which the record calls it; two of one name are equal."""

    name: str
    function: Embedder | None = field(default=None, compare=False)

    def written(self) -> str:
        """Write it as the record does."""
        return self.name

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Embed texts."""
        return (self.function or _imported(self.name))(texts)


class SemanticMatch(Operator):
    """Observed means about the same as expected: the cosine of their embeddings reaches the threshold.

    The score is the cosine, and 0.0 where it is negative. The vectors are kept in the record, so that the verdict can be
    derived again without the model; the cosine is computed from them in 64-bit floats with exactly rounded sums.
    A vector of zeros has no direction: score 0.0 with the note ``zero_vector``; NaN and infinity give ``not_finite``.

    An embedding measures topic more than truth: "the patient has diabetes" and "the patient has no diabetes" are close.

    Args:
        threshold: The lowest cosine that passes unless the caller names one, in (0, 1].
        model: The name of a model of the library sentence-transformers (extra ``semantic``), used without an embedder.
        embedder: A function from a list of texts to a list of vectors, or its name as ``module:function``. It is called
            once for a comparison, with expected and observed. The record has its name.
        normalize: Normalizers for both sides, in order of application; none unless given.
        keep_vectors: Whether the record has the vectors; without them the verdict cannot be derived again.

    Example:
        >>> def counts(texts):
        ...     return [[text.count(letter) for letter in "abc"] for text in texts]
        >>> compare("semantic", "abc", "cab", embedder=counts, keep_vectors=False).details
        {'similarity': 1.0, 'dimensions': 3}
    """

    name: ClassVar[str] = "semantic"
    kind: ClassVar[str] = "text"

    threshold: Annotated[float, Field(gt=0.0, le=1.0, strict=True)] = 0.85
    model: Annotated[str, Field(min_length=1)] = "all-MiniLM-L6-v2"
    embedder: Any = None
    normalize: Normalization = ()
    keep_vectors: bool = True

    @field_validator("embedder")
    @classmethod
    def _named(cls, embedder: Any) -> NamedEmbedder | None:
        if embedder is None or isinstance(embedder, NamedEmbedder):
            return embedder
        named = isinstance(embedder, str) and all(embedder.partition(":"))
        if not named and not callable(embedder):
            raise ValueError(f"takes a function or its name as 'module:function', got {embedder!r}")
        return NamedEmbedder(embedder) if named else NamedEmbedder(_name_of(embedder), embedder)

    def default_threshold(self) -> float:
        """Give the setting ``threshold``."""
        return self.threshold

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if refusal := not_text(expected, observed):
            return refusal
        found = normalize_sides(expected, observed, self.normalize)
        embed = self.embedder or (lambda texts: _loaded(self.model).encode(texts).tolist())
        vectors = _checked([_floats(vector) for vector in embed([found.expected, found.observed])])
        return self._outcome(expected, found, *vectors)

    def replay(self, expected: Any, observed: Any, details: Mapping[str, Any]) -> Outcome:
        """Derive the outcome again from the recorded vectors, without the model."""
        if refusal := not_text(expected, observed):
            return refusal
        vectors = details.get("vectors")
        if vectors is None:
            reason = "the vectors were not recorded (keep_vectors=False)"
            raise RecordError(f"{reason}, so the verdict cannot be derived again")
        try:
            left, right = _checked([_floats(vectors["expected"]), _floats(vectors["observed"])])
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"the recorded vectors cannot be read: {error}") from None
        return self._outcome(expected, normalize_sides(expected, observed, self.normalize), left, right)

    def _outcome(self, expected: str, found: NormalizedSides, left: list[float], right: list[float]) -> Outcome:
        details: dict[str, Any] = {"dimensions": len(left)}
        if self.keep_vectors:
            details["vectors"] = {"expected": left, "observed": right}
        problems = [problem for problem in (_problem_of(left), _problem_of(right)) if problem is not None]
        if problems:
            error = must_be("a text with a direction in the model", expected) if _problem_of(left) else None
            return found.outcome(0.0, problems[:1], details, error=error)
        similarity = cosine(left, right)
        return found.outcome(max(0.0, similarity), details={"similarity": similarity, **details})


def _problem_of(vector: Sequence[float]) -> str | None:
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    return None if any(vector) else "zero_vector"


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Compute the cosine of the angle between two vectors."""
    first, second = _scaled(left), _scaled(right)
    product = math.fsum(one * other for one, other in zip(first, second, strict=True))
    squares = math.fsum(one * one for one in first) * math.fsum(one * one for one in second)
    return max(-1.0, min(1.0, product / math.sqrt(squares)))


def _scaled(vector: Sequence[float]) -> list[float]:
    # By a power of two, which is exact: the squares of very large or small numbers do not exist.
    _, exponent = math.frexp(max(map(abs, vector)))
    return [math.ldexp(number, -exponent) for number in vector]


def _floats(vector: Any) -> list[float]:
    numbers = None if isinstance(vector, str | bytes | Mapping | set | frozenset) else list(vector)
    # float() would read text too.
    if numbers is None or any(isinstance(number, str) for number in numbers):
        raise ConfigurationError(f"an embedder returns vectors of numbers, got {shown(vector, 80)}")
    return [float(number) for number in numbers]


def _checked(vectors: list[list[float]]) -> tuple[list[float], list[float]]:
    if len(vectors) != 2 or not vectors[0] or len(vectors[0]) != len(vectors[1]):
        lengths = f"got lengths {[len(vector) for vector in vectors]}"
        raise ConfigurationError(f"an embedder returns a vector of one length for each of two texts, {lengths}")
    return vectors[0], vectors[1]


def _name_of(function: Any) -> str:
    owner = function if hasattr(function, "__qualname__") else type(function)
    return f"{owner.__module__}:{owner.__qualname__}"


def _imported(name: str) -> Embedder:
    module, _, path = name.partition(":")
    try:
        return cast("Embedder", functools.reduce(getattr, path.split("."), importlib.import_module(module)))
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"the embedder {name!r} cannot be imported: {error}") from None


@functools.lru_cache(maxsize=4)
def _loaded(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError("semantic without an embedder", "semantic") from None
    return SentenceTransformer(model)
