from .protocol import Judge as Judge, JudgeRequest as JudgeRequest
from .pydantic_ai import ModelJudge as ModelJudge
from .recording import RecordedJudge as RecordedJudge
