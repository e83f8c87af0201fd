from .agent_result import AgentResult as AgentResult, ToolCall as ToolCall
from .dataset_names import (
    DatasetCheck as DatasetCheck,
    DatasetWarning as DatasetWarning,
    Evaluation as Evaluation,
    Evaluator as Evaluator,
    InputMapping as InputMapping,
    Row as Row,
    check_dataset as check_dataset,
    score_dataset as score_dataset,
)
from .scorer import register_scorer as register_scorer
from .suite_reader import SuiteWarning as SuiteWarning
