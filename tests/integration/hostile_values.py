"""Values that tests really meet and that break recorders: by name, each made anew when it is asked for."""

from __future__ import annotations

import array
import collections
import contextlib
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import ipaddress
import itertools
import math
import operator
import pathlib
import re
import threading
import types
import uuid
import weakref
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pydantic

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


class Color(enum.Enum):
    RED = "red"


class Mood(enum.StrEnum):
    CALM = "calm"


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Mask(enum.IntFlag):
    A = 1
    B = 2


class Ratio(float, enum.Enum):
    HALF = 0.5


class Pair(tuple, enum.Enum):  # noqa: SLOT001 - as people write it
    ONE = ("search", {"q": "x"})


class Listed(enum.Enum):
    CALLS = [{"name": "search", "args": {"q": "x"}}]  # noqa: RUF012 - a member whose value can change


class Point(NamedTuple):
    x: int
    y: int


class CallTuple(NamedTuple):
    name: str
    args: dict[str, Any]
    id: str | None = None


class Text(str):
    __slots__ = ()


class SaysYes(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = str.__hash__


class Shouting(str):
    __slots__ = ()

    def lower(self) -> str:
        return "SHOUT"

    def strip(self, *_: Any) -> str:
        return "SHOUT"

    def __contains__(self, other: object) -> bool:
        return True

    def __str__(self) -> str:
        return "another text"

    def __iter__(self) -> Any:
        return iter("xyz")

    def __len__(self) -> int:
        return 7

    def find(self, *_: Any) -> int:
        return 3

    def isascii(self) -> bool:
        return True


class RaisingText(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __hash__ = str.__hash__


class NamedText(str):  # noqa: SLOT000 - it has attributes
    name = "search"
    args: dict[str, Any] = {}  # noqa: RUF012 - an attribute as a reader may look for


class LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return True

    def __int__(self) -> int:
        return 99

    def __float__(self) -> float:
        return -1.0

    def __str__(self) -> str:
        return "7"

    __repr__ = __str__
    __hash__ = int.__hash__


class LyingFloat(float):
    def __eq__(self, other: object) -> bool:
        return True

    def __float__(self) -> float:
        return 99.0

    def __str__(self) -> str:
        return "7.5"

    __hash__ = float.__hash__


class LyingDecimal(Decimal):
    def __str__(self, *_: Any) -> str:
        return "7"

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Decimal.__hash__


class LyingDict(dict[str, Any]):
    def __eq__(self, other: object) -> bool:
        return True

    def get(self, *_: Any) -> Any:
        return "got"

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: object) -> Any:
        return "missing"

    __hash__ = None  # type: ignore[assignment]


class HidingDict(dict[str, Any]):
    def items(self) -> Any:
        return [("shown", 1)]

    def __iter__(self) -> Any:
        return iter(["shown"])

    def keys(self) -> Any:
        return ["shown"]

    def __getitem__(self, key: str) -> Any:
        return 1

    def __len__(self) -> int:
        return 1


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        return iter(["other"])

    def __len__(self) -> int:
        return 5

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class LyingSet(set[Any]):
    def __contains__(self, item: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class LyingBytes(bytes):
    def __eq__(self, other: object) -> bool:
        return True

    def decode(self, *_: Any) -> str:
        return "other"

    __hash__ = bytes.__hash__


class OneShot(Mapping[str, Any]):
    """A mapping that is empty when it is looked at a second time."""

    def __init__(self) -> None:
        self._items = iter([("name", "search"), ("args", {})])

    def __iter__(self) -> Any:
        return (key for key, _ in self._items)

    def __getitem__(self, key: str) -> Any:
        return "search"

    def __len__(self) -> int:
        return 2


class RaisingMapping(Mapping[str, Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("no iteration")

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no item")

    def __len__(self) -> int:
        return 1


class CustomSequence(Sequence[Any]):
    def __getitem__(self, index: Any) -> Any:
        return ["search"][index]

    def __len__(self) -> int:
        return 1


class RaisingRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __str__(self) -> str:
        raise RuntimeError("no str")


class RecursiveRepr:
    def __repr__(self) -> str:
        return repr(self)


class ReprOfNoText:
    def __repr__(self) -> str:
        return 5  # type: ignore[return-value]


class EqualsAll:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class RaisingEq:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


class RaisingHash:
    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class EqOfNoBool:
    def __eq__(self, other: object) -> Any:
        return [1]

    __hash__ = None  # type: ignore[assignment]


class RaisingBool:
    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class AllAttributes:
    """Like a mock: it has every attribute."""

    def __getattr__(self, name: str) -> Any:
        return "search" if not name.startswith("_") else object.__getattribute__(self, name)


class RaisingAttributes:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class CallObject:
    name = "search"
    args: dict[str, Any] = {"q": "x"}  # noqa: RUF012 - as a reader finds it


class FalseClass:
    __class__ = str  # type: ignore[assignment]


class Slotted:
    __slots__ = ("a",)


class Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True

    def __repr__(cls) -> str:
        raise RuntimeError("no repr of a class")


class OfMeta(metaclass=Meta):
    pass


class Raised(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@dataclasses.dataclass
class Plain:
    name: str = "search"
    args: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(slots=True)
class WithSlots:
    name: str = "search"


@dataclasses.dataclass(slots=True, init=False)
class Unset:
    a: int


@dataclasses.dataclass
class WithProperty:
    a: int = 1

    @property
    def name(self) -> str:
        return "search"

    @property
    def args(self) -> dict[str, Any]:
        return {"q": "x"}


@dataclasses.dataclass
class NotCompared:
    name: str = dataclasses.field(default="search", compare=False)
    a: int = 1


@dataclasses.dataclass(eq=False)
class WithClassVariable:
    a: int = 1
    name = "search"


@dataclasses.dataclass
class DataText(str):  # noqa: SLOT000 - as people write it
    a: int = 1


@dataclasses.dataclass
class DataDict(dict[str, Any]):
    name: str = "search"


class Model(pydantic.BaseModel):
    name: str = "search"
    args: dict[str, Any] = {}


class ModelWithExtra(pydantic.BaseModel, extra="allow"):
    a: int = 1


class ModelWithSecret(pydantic.BaseModel):
    secret: pydantic.SecretStr = pydantic.SecretStr("hidden")


class Private(pydantic.BaseModel):
    _hidden: int = pydantic.PrivateAttr(default=1)

    @pydantic.computed_field
    def name(self) -> str:
        return "search"


class Root(pydantic.RootModel[list[str]]):
    pass


class OddZone(datetime.tzinfo):
    def utcoffset(self, _when: Any) -> datetime.timedelta:
        return datetime.timedelta(hours=1, seconds=1, microseconds=5)

    def dst(self, _when: Any) -> None:
        return None

    def tzname(self, _when: Any) -> str:
        return "odd"


class RaisingZone(datetime.tzinfo):
    def utcoffset(self, _when: Any) -> Any:
        raise RuntimeError("no offset")


class NoOffset(datetime.tzinfo):
    def utcoffset(self, _when: Any) -> None:
        return None


class Yesterday(datetime.date):
    def isoformat(self) -> str:
        return "0001-01-01"


class Frozen(datetime.datetime):
    def isoformat(self, *_: Any, **__: Any) -> str:
        return "0001-01-01"

    def utcoffset(self) -> Any:
        return datetime.timedelta(hours=9)


def cyclic_list() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


def cyclic_dict() -> dict[str, Any]:
    found: dict[str, Any] = {"a": {}}
    found["a"]["b"] = [found]
    return found


def cyclic_tuple() -> tuple[Any, ...]:
    inner: list[Any] = []
    found = (inner, 1)
    inner.append(found)
    return found


def cyclic_object() -> Plain:
    found = Plain()
    found.args = {"self": found}
    return found


def nested(depth: int, kind: Callable[[list[Any]], Any] = list) -> Any:
    found: Any = kind([])
    for _ in range(depth):
        found = kind([found])
    return found


def shared() -> list[Any]:
    inner = {"a": [1]}
    return [inner, inner, [inner]]


def generator() -> Any:
    yield {"name": "search", "args": {}}


async def coroutine_function() -> None: ...


def closed_coroutine() -> Any:
    found = coroutine_function()
    found.close()
    return found


def counter() -> Any:
    return collections.Counter("abca")


def default_dict() -> Any:
    return collections.defaultdict(list, {"a": [1]})


def bad_unicode_file() -> Any:
    return io.StringIO("content")


def signalling_list() -> list[Decimal]:
    return [Decimal("sNaN"), Decimal("NaN123"), Decimal("-Infinity"), Decimal("1E+999999")]


VALUES: dict[str, Callable[[], Any]] = {
    "Enum": lambda: Color.RED,
    "StrEnum": lambda: Mood.CALM,
    "IntEnum": lambda: Level.LOW,
    "Flag": lambda: Access.READ | Access.WRITE,
    "Flag without a member": lambda: Access(0),
    "IntFlag": lambda: Mask.A | Mask.B,
    "float Enum": lambda: Ratio.HALF,
    "tuple Enum": lambda: Pair.ONE,
    "Enum of a list": lambda: Listed.CALLS,
    "list of Enums": lambda: [Color.RED, Mood.CALM],
    "Enum as key": lambda: {Color.RED: 1, Mood.CALM: 2},
    "Enum class": lambda: Color,
    "namedtuple": lambda: Point(1, 2),
    "namedtuple of a call": lambda: CallTuple("search", {"q": "x"}, "1"),
    "list of namedtuples": lambda: [CallTuple("search", {"q": "x"}, "1")],
    "struct_time": lambda: __import__("time").gmtime(0),
    "str subclass": lambda: Text("Paris"),
    "str subclass with attributes": lambda: NamedText("Paris"),
    "str that equals all": lambda: SaysYes("Paris"),
    "str with other methods": lambda: Shouting("Paris"),
    "str with other methods in a list": lambda: [Shouting("Paris")],
    "str with other methods as a key": lambda: {Shouting("Paris"): 1},
    "str that raises": lambda: RaisingText("Paris"),
    "int subclass that lies": lambda: LyingInt(1),
    "float subclass that lies": lambda: LyingFloat(0.5),
    "Decimal subclass that lies": lambda: LyingDecimal("1.5"),
    "dict subclass that lies": lambda: LyingDict(name="search", args={}),
    "dict subclass that hides": lambda: HidingDict(name="search", args={}),
    "list subclass that lies": lambda: LyingList(["search"]),
    "set subclass that lies": lambda: LyingSet({"a"}),
    "bytes subclass that lies": lambda: LyingBytes(b"a"),
    "mapping that can be read once": OneShot,
    "mapping that raises": RaisingMapping,
    "sequence of its own": CustomSequence,
    "UserDict": lambda: collections.UserDict(name="search", args={}),
    "UserList": lambda: collections.UserList(["search"]),
    "UserString": lambda: collections.UserString("Paris"),
    "Counter": counter,
    "defaultdict": default_dict,
    "OrderedDict": lambda: collections.OrderedDict(b=1, a=2),
    "ChainMap": lambda: collections.ChainMap({"a": 1}, {"b": 2}),
    "deque": lambda: collections.deque([1, 2]),
    "MappingProxyType": lambda: types.MappingProxyType({"a": 1}),
    "SimpleNamespace": lambda: types.SimpleNamespace(name="search", args={}),
    "dict views": lambda: {"a": 1}.keys(),
    "dict items": lambda: {"a": 1}.items(),
    "range": lambda: range(3),
    "slice": lambda: slice(1, 2),
    "iterator": lambda: iter(["search"]),
    "generator": generator,
    "map": lambda: map(str, [1]),
    "coroutine": closed_coroutine,
    "function": lambda: coroutine_function,
    "lambda": lambda: lambda: 1,
    "partial": lambda: __import__("functools").partial(int, "1"),
    "method": lambda: "a".upper,
    "class": lambda: int,
    "module": lambda: math,
    "repr that raises": RaisingRepr,
    "repr without end": RecursiveRepr,
    "repr that is no text": ReprOfNoText,
    "equals all": EqualsAll,
    "eq that raises": RaisingEq,
    "hash that raises": RaisingHash,
    "eq that is no bool": EqOfNoBool,
    "bool that raises": RaisingBool,
    "every attribute": AllAttributes,
    "attributes that raise": RaisingAttributes,
    "call object": CallObject,
    "list of call objects": lambda: [CallObject()],
    "another __class__": FalseClass,
    "object with slots": Slotted,
    "object of a metaclass": OfMeta,
    "class of a metaclass": lambda: OfMeta,
    "exception": lambda: ValueError("wrong"),
    "exception that does not print": lambda: Raised("wrong"),
    "exception group": lambda: ExceptionGroup("many", [ValueError(1)]),
    "NotImplemented": lambda: NotImplemented,
    "Ellipsis": lambda: ...,
    "object": object,
    "weak reference": lambda: weakref.ref(Color),
    "lock": threading.Lock,
    "open text": bad_unicode_file,
    "compiled pattern": lambda: re.compile("a+"),
    "match": lambda: re.match("a", "a"),
    "type alias": lambda: list[int],
    "union": lambda: int | str,
    "itertools.count": itertools.count,
    "attrgetter": lambda: operator.attrgetter("a"),
    "null context": contextlib.nullcontext,
    "dataclass": Plain,
    "list of dataclasses": lambda: [Plain()],
    "dataclass with slots": WithSlots,
    "dataclass without its value": Unset,
    "dataclass with a property": WithProperty,
    "list of dataclasses with a property": lambda: [WithProperty()],
    "dataclass with a field that is not compared": NotCompared,
    "dataclass with a class variable": WithClassVariable,
    "dataclass that is text": lambda: DataText("Paris"),
    "dataclass that is a dict": DataDict,
    "dataclass that contains itself": cyclic_object,
    "dataclass class": lambda: Plain,
    "model": Model,
    "model with more": lambda: ModelWithExtra(a=1, name="search"),  # type: ignore[call-arg]
    "model with a secret": ModelWithSecret,
    "model with private and computed": Private,
    "model of a list": lambda: Root(["search"]),
    "model that was not checked": lambda: Model.model_construct(name=5),
    "date": lambda: datetime.date(2024, 2, 29),
    "date subclass that lies": lambda: Yesterday(2024, 2, 29),
    "datetime": lambda: datetime.datetime(2024, 5, 1, 12, 30, 5, 7),
    "datetime in UTC": lambda: datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC),
    "datetime with fold": lambda: datetime.datetime(2024, 10, 27, 2, 30, fold=1),
    "datetime with fold in a zone": lambda: datetime.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN),
    "datetime that no clock shows": lambda: datetime.datetime(2024, 3, 31, 2, 30, tzinfo=BERLIN),
    "datetime at the end": lambda: datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-9))),
    "datetime at the beginning": lambda: datetime.datetime.min.replace(tzinfo=BERLIN),
    "datetime in an odd zone": lambda: datetime.datetime(2024, 5, 1, tzinfo=OddZone()),
    "datetime in a zone that raises": lambda: datetime.datetime(2024, 5, 1, tzinfo=RaisingZone()),
    "datetime in a zone without offset": lambda: datetime.datetime(2024, 5, 1, tzinfo=NoOffset()),
    "datetime subclass that lies": lambda: Frozen(2024, 5, 1),
    "time": lambda: datetime.time(1, 2, 3),
    "time with fold": lambda: datetime.time(1, 2, 3, fold=1),
    "time in a zone": lambda: datetime.time(1, 2, 3, tzinfo=BERLIN),
    "time in an odd zone": lambda: datetime.time(1, 2, 3, tzinfo=OddZone()),
    "timedelta": lambda: datetime.timedelta(days=-1, microseconds=1),
    "timedelta at the end": lambda: datetime.timedelta.max,
    "zone": lambda: BERLIN,
    "Decimal": lambda: Decimal("1.10"),
    "Decimal sNaN": lambda: Decimal("sNaN"),
    "Decimal NaN with a payload": lambda: Decimal("-NaN123"),
    "Decimal -0": lambda: Decimal("-0.00"),
    "Decimal of many digits": lambda: Decimal("9" * 5_000),
    "Decimal of a huge exponent": lambda: Decimal("1E+999999"),
    "Decimal of a tiny exponent": lambda: Decimal("1E-999999"),
    "Decimals in a list": signalling_list,
    "Decimal context": decimal.Context,
    "Fraction": lambda: fractions.Fraction(1, 3),
    "Fraction of huge numbers": lambda: fractions.Fraction(10**5_000, 3),
    "int of 5,000 digits": lambda: 10**5_000,
    "negative int of 5,000 digits": lambda: -(10**5_000) + 1,
    "int at the limit": lambda: 10**600,
    "-0.0": lambda: -0.0,
    "NaN": lambda: math.nan,
    "infinity": lambda: -math.inf,
    "subnormal": lambda: 5e-324,
    "NaN in a set": lambda: {math.nan, 1},
    "NaN as a key": lambda: {math.nan: 1},
    "complex": lambda: complex(1, 2),
    "complex NaN": lambda: complex(math.nan, 1),
    "complex NaN in a list": lambda: [complex(math.nan, 0)],
    "complex -0": lambda: complex(-0.0, -0.0),
    "complex infinity": lambda: complex(0, -math.inf),
    "True as a key": lambda: {True: 1, 0: 2},
    "1 and True in a tuple": lambda: (1, True, 1.0, "1"),
    "lone surrogate": lambda: "\ud800",
    "surrogate pair": lambda: "\ud83d\ude00",
    "surrogate pair as a key": lambda: {"\ud83d\ude00": 1},
    "NUL": lambda: "\x00a\x00",
    "escapes": lambda: "\x1b[31m\r\n\u2028\u202e\x85",
    "text beyond the plane": lambda: "\U0001f600e\u0301",
    "long text": lambda: 'a\\"é' * 2_000,
    "text of digits": lambda: "9" * 5_000,
    "text of a type": lambda: '{"$type": "set", "value": []}',
    "own $type": lambda: {"$type": "set", "value": [[]]},
    "own $type repr": lambda: {"$type": "repr", "class": "a:b", "value": "x"},
    "own $type redacted": lambda: {"a": {"$type": "redacted", "value": "x"}},
    "keys that are no text": lambda: {1: "a", None: "b", (1, 2): "c", b"x": "d"},
    "key that is no plain text": lambda: {"$type": 1, 2: 3},
    "empty": dict,
    "nested too deeply": lambda: nested(250),
    "nested as deep as the limit": lambda: nested(199),
    "nested tuples": lambda: nested(250, tuple),
    "nested beyond recursion": lambda: nested(1_500),
    "list that contains itself": cyclic_list,
    "dict that contains itself": cyclic_dict,
    "tuple that contains itself": cyclic_tuple,
    "shared parts": shared,
    "set of mixed types": lambda: {1, "1", (1,), frozenset({1}), None, b"1"},
    "frozenset in a set": lambda: {frozenset({frozenset()})},
    "bytes": lambda: b"\x00\xff",
    "bytearray": lambda: bytearray(b"a"),
    "bytearray as its subclass": lambda: type("Sub", (bytearray,), {})(b"a"),
    "memoryview": lambda: memoryview(b"a"),
    "array": lambda: array.array("d", [1.0]),
    "ctypes": lambda: ctypes.c_int(1),
    "bytes in a list": lambda: [b"{}", bytearray(b"[]")],
    "UUID": lambda: uuid.UUID(int=5),
    "path": lambda: pathlib.Path("a/b"),
    "path of Windows": lambda: pathlib.PureWindowsPath("C:\\a\\b"),
    "path with a surrogate": lambda: pathlib.PurePosixPath("a\udcff/b"),
    "IP address": lambda: ipaddress.ip_address("127.0.0.1"),
}  # fmt: skip


def of_numpy() -> dict[str, Callable[[], Any]]:
    """Give the values of NumPy, where it is installed."""
    try:
        import numpy as np
    except ImportError:
        return {}
    kinds = (
        np.bool_,
        np.int8,
        np.uint64,
        np.float16,
        np.float32,
        np.float64,
        np.longdouble,
        np.complex64,
        np.complex128,
    )
    return {f"numpy {kind.__name__}": lambda kind=kind: kind(1) for kind in kinds} | {
        "numpy float32 of a third": lambda: np.float32(1) / np.float32(3),
        "numpy longdouble of a third": lambda: np.longdouble(1) / np.longdouble(3),
        "numpy NaN": lambda: np.float32("nan"),
        "numpy str": lambda: np.str_("Paris"),
        "numpy bytes": lambda: np.bytes_(b"a"),
        "numpy void": lambda: np.void(b"ab"),
        "numpy datetime64 in nanoseconds": lambda: np.datetime64("2024-05-01T00:00:00.000000001"),
        "numpy NaT": lambda: np.datetime64("NaT"),
        "numpy timedelta64": lambda: np.timedelta64(5, "D"),
        "numpy array": lambda: np.array([1, 2]),
        "numpy array of one": lambda: np.array([1]),
        "numpy array without dimension": lambda: np.array(5),
        "numpy array of objects": lambda: np.array([object()], dtype=object),
        "numpy array without dimension of an object": lambda: np.array("a", dtype=object),
        "numpy masked": lambda: np.ma.masked,
        "numpy record": lambda: np.array([(1, 2.0)], dtype=[("name", "i4"), ("args", "f8")])[0],
        "numpy numbers in a list": lambda: [np.int64(1), np.float64(0.5), np.bool_(True)],
        "numpy number as a key": lambda: {np.int64(1): np.float32(0.1)},
        "numpy dtype": lambda: np.dtype("f8"),
    }


def of_pandas() -> dict[str, Callable[[], Any]]:
    """Give the values of pandas, where it is installed."""
    try:
        import pandas as pd
    except ImportError:
        return {}
    return {
        "pandas NaT": lambda: pd.NaT,
        "pandas NaT in a list": lambda: [pd.NaT],
        "pandas NA": lambda: pd.NA,
        "pandas Timestamp": lambda: pd.Timestamp("2024-05-01T12:30:05.000007"),
        "pandas Timestamp with nanoseconds": lambda: pd.Timestamp("2024-05-01T00:00:00.000000001"),
        "pandas Timestamp in a zone": lambda: pd.Timestamp("2024-05-01", tz="Europe/Berlin"),
        "pandas Timedelta": lambda: pd.Timedelta("1 day"),
        "pandas Timedelta with nanoseconds": lambda: pd.Timedelta(1, "ns"),
        "pandas Period": lambda: pd.Period("2024-05"),
        "pandas Interval": lambda: pd.Interval(0, 1),
        "pandas Series": lambda: pd.Series([1, 2], name="search"),
        "pandas DataFrame": lambda: pd.DataFrame({"name": ["search"]}),
        "pandas Index": lambda: pd.Index([1]),
        "pandas Categorical": lambda: pd.Categorical(["a"]),
    }


VALUES |= of_numpy() | of_pandas()
