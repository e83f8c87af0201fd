from .agent_result import AgentResult as AgentResult, ToolCall as ToolCall
from .dataset_check import DatasetCheck as DatasetCheck, check_dataset as check_dataset
from .mapping.evaluator import Evaluation as Evaluation, Evaluator as Evaluator
from .mapping.input_mapping import InputMapping as InputMapping
from .rows import Row as Row
from .user_scorer import register_scorer as register_scorer
