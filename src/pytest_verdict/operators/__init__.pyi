from .aggregate import (
    AllOf as AllOf,
    AnyOf as AnyOf,
    AtLeastN as AtLeastN,
    BestOf as BestOf,
    DerivedMatch as DerivedMatch,
    ListSimilarity as ListSimilarity,
    NoneOf as NoneOf,
    Weighted as Weighted,
    compare_derived as compare_derived,
)
from .category import BooleanMatch as BooleanMatch, IsType as IsType, LiteralMatch as LiteralMatch, OneOf as OneOf
from .criteria import CriteriaMatch as CriteriaMatch, read_criteria as read_criteria
from .date import DateMatch as DateMatch, DateRange as DateRange, DateTolerance as DateTolerance
from .json.by_field import ByField as ByField
from .json.distance import JsonDistance as JsonDistance, JsonSimilarity as JsonSimilarity
from .json.equality import JsonCanonical as JsonCanonical, JsonSubset as JsonSubset
from .json.rules import JsonRule as JsonRule
from .json.schema import JsonSchema as JsonSchema
from .lists import (
    MappingMatch as MappingMatch,
    OrderedMatch as OrderedMatch,
    SetContainment as SetContainment,
    SetSimilarity as SetSimilarity,
)
from .number import (
    Delta as Delta,
    NumericExact as NumericExact,
    NumericMaximum as NumericMaximum,
    NumericMinimum as NumericMinimum,
    NumericRange as NumericRange,
    NumericSimilarity as NumericSimilarity,
    NumericTolerance as NumericTolerance,
)
from .regex import Regex as Regex
from .semantic import SemanticMatch as SemanticMatch
from .similarity import TextSimilarity as TextSimilarity
from .synthetic_operators import NotBlank as NotBlank
from .text import (
    ContainsAll as ContainsAll,
    ContainsAny as ContainsAny,
    EndsWith as EndsWith,
    Exact as Exact,
    NormalizedExact as NormalizedExact,
    NotContains as NotContains,
    StartsWith as StartsWith,
)
from .trace import TraceContains as TraceContains, TraceLength as TraceLength, TraceRegex as TraceRegex
