"""The files of a calibration: pairs of outputs that people have labelled, and what was measured, as comparisons cite it."""

import hashlib
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from pytest_verdict.blind.files import read_json
from pytest_verdict.blind.request import fixed_wording
from pytest_verdict.blind.rubric import DEFAULT_RUBRIC
from pytest_verdict.core.strict_model import LISTED, NOT_EMPTY, NotBlank, StrictModel, Text
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import RecordError, SettingsError
from pytest_verdict.operators.criteria import Version, different_ids

FORMAT: Literal[1] = 1
GoldLabel = Literal["first", "second", "tie"]
LABELS: Final[tuple[GoldLabel, ...]] = get_args(GoldLabel)
FIRST, SECOND, TIE = LABELS


class GoldItem(StrictModel):
    """One labelled pair; without a label, the one that most annotators gave."""

    subject: ClassVar[str] = "an item"

    id: Annotated[str, BeforeValidator(lambda given: str(given) if isinstance(given, int) else given)]
    prompt: NotBlank = Field(description="a text")
    first: Any
    second: Any
    labels: dict[str, GoldLabel] = Field(default={}, description="a mapping of annotators to labels")
    label: GoldLabel = Field(default=None, validate_default=True)
    expectations: Annotated[tuple[Text, ...], LISTED] = Field(default=(), description="a list of texts")

    @field_validator("label", mode="before")
    @classmethod
    def _settled(cls, label: Any, info: ValidationInfo) -> Any:
        labels = info.data.get("labels", {})
        most = Counter(labels.values()).most_common(1)
        if label is not None:
            return label
        if not most or 2 * most[0][1] <= len(labels):
            raise ValueError("no label has a majority; settle it with label: first, second or tie")
        return most[0][0]


def _numbered(items: Any) -> Any:
    if not isinstance(items, list):
        return items
    return tuple(
        {"id": str(number), **item} if isinstance(item, Mapping) else item for number, item in enumerate(items, 1)
    )


class _File(StrictModel):
    subject: ClassVar[str] = "a gold set"

    id: NotBlank = Field(description="a text")
    version: Version
    annotators: Literal["human", "model"]
    rubric: Path | None = Field(default=None, strict=False, description="the path of a rubric")
    items: Annotated[tuple[GoldItem, ...], BeforeValidator(_numbered), NOT_EMPTY, AfterValidator(different_ids)] = (
        Field(description="a list of at least one labelled pair")
    )


class GoldSet(_File):
    """Labelled pairs, with resolved paths and the digest of the file."""

    sha256: str


def read_gold(path: str | os.PathLike[str]) -> GoldSet:
    """Read a gold set."""
    place = Path(path)
    found = _File.read(read_yaml(place), place)
    items = tuple(
        item.model_copy(update={side: _output(getattr(item, side), place.parent) for side in (FIRST, SECOND)})
        for item in found.items
    )
    rubric = found.rubric and place.parent / found.rubric
    sha256 = hashlib.sha256(place.read_bytes()).hexdigest()
    return GoldSet(**dict(found) | {"rubric": rubric, "items": items, "sha256": sha256})


def _output(value: Any, folder: Path) -> Any:
    is_file = isinstance(value, Mapping) and set(value) == {"file"}
    return folder / str(value["file"]) if is_file else value


class _Gate(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "the gate"

    passed: bool


class _Calibration(StrictModel, extra="ignore"):
    subject: ClassVar[str] = "a calibration"

    format: Literal[1]
    bound_to: dict[str, Any]
    gate: _Gate


def bound_to(written: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a calibration is about: it says nothing of another judge, rubric or protocol, or of one that is told otherwise."""
    protocol = {name: value for name, value in written["protocol"].items() if name != "leaks"}
    return {
        "judge": written["judge"],
        # The rubric has a digest of its own.
        "instructions": content_digest(fixed_wording(DEFAULT_RUBRIC)),
        "rubric": content_digest(written["rubric"]),
        "protocol": protocol,
    }


def citation(
    calibration: Mapping[str, Any] | str | os.PathLike[str] | None, written: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Write how a record cites a calibration."""
    if calibration is None:
        return None
    given = calibration if isinstance(calibration, Mapping) else read_json(Path(calibration))
    try:
        found = _Calibration.read(given, "calibration" if given is calibration else calibration)
    except SettingsError as error:
        raise RecordError(f"{error}; pytest-verdict calibrate writes one") from None
    changed = [name for name, value in bound_to(written).items() if found.bound_to.get(name) != value]
    return {
        "status": "stale" if changed else "fresh",
        "changed": changed,
        "sha256": content_digest(dict(given)),
        "gate": found.gate.passed,
    }
