from .answer import BaseAnswer as BaseAnswer
from .conditional import ConditionalGroundTruth as ConditionalGroundTruth, GroundTruthCase as GroundTruthCase
from .field import TemplateWarning as TemplateWarning, VerifiedField as VerifiedField
from .form import (
    FormRequest as FormRequest,
    ParsedAnswer as ParsedAnswer,
    judge_schema as judge_schema,
    parse_reply as parse_reply,
)
from .lint import find_template as find_template, lint_template as lint_template
from .primitives import (
    BooleanMatch as BooleanMatch,
    ContainsAll as ContainsAll,
    ContainsAny as ContainsAny,
    DateMatch as DateMatch,
    DateRange as DateRange,
    DateTolerance as DateTolerance,
    ExactMatch as ExactMatch,
    LiteralMatch as LiteralMatch,
    NumericExact as NumericExact,
    NumericGraded as NumericGraded,
    NumericMaximum as NumericMaximum,
    NumericMinimum as NumericMinimum,
    NumericRange as NumericRange,
    NumericRangeGraded as NumericRangeGraded,
    NumericThresholdGraded as NumericThresholdGraded,
    NumericTolerance as NumericTolerance,
    OrderedMatch as OrderedMatch,
    RegexMatch as RegexMatch,
    SemanticMatch as SemanticMatch,
    SetContainment as SetContainment,
    TraceContains as TraceContains,
    TraceLength as TraceLength,
    TraceRegex as TraceRegex,
)
from .spec import (
    TemplateFieldSpec as TemplateFieldSpec,
    TemplateSpec as TemplateSpec,
    VerifyStrategySpec as VerifyStrategySpec,
    template_from_spec as template_from_spec,
    template_to_spec as template_to_spec,
    value_template as value_template,
)
from .template import AnswerTemplate as AnswerTemplate, TemplateResult as TemplateResult
from .template_match import FieldCheck as FieldCheck
