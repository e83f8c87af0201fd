from .agent_result import AgentResult as AgentResult, ToolCall as ToolCall
from .bulk.score import score_dataset as score_dataset
from .dataset_check import DatasetCheck as DatasetCheck, check_dataset as check_dataset
from .mapping.evaluator import Evaluation as Evaluation, Evaluator as Evaluator
from .mapping.input_mapping import InputMapping as InputMapping
from .rows import DatasetWarning as DatasetWarning, Row as Row
from .scorer import register_scorer as register_scorer
from .suite_reader import SuiteWarning as SuiteWarning
