import typing

from .budget import Budget as Budget
from .comparator import Comparator as Comparator
from .comparison import (
    Expectation as Expectation,
    accepted as accepted,
    assert_matches as assert_matches,
    compare as compare,
    expect as expect,
)
from .core.families import Command as Command, hookimpl as hookimpl, register_family as register_family
from .core.normalizers import SynonymMap as SynonymMap
from .core.operator import Operator as Operator
from .core.registry import OperatorRegistry as OperatorRegistry
from .core.result import ComparisonResult as ComparisonResult, Outcome as Outcome
from .errors import (
    ConfigurationError as ConfigurationError,
    MismatchError as MismatchError,
    MissingExtraError as MissingExtraError,
    RecordError as RecordError,
    UndecidedError as UndecidedError,
    UnknownOperatorError as UnknownOperatorError,
    VerdictError as VerdictError,
)
from .explanation import explain as explain
from .laws import check_operator_laws as check_operator_laws
from .runs.tables import read_records as read_records
from .signatures import OperatorName as OperatorName

FAMILIES: tuple[str, ...]

def public_names(package: str, file: str) -> tuple[typing.Any, typing.Any, list[str]]: ...
