from .protocol import Judge as Judge
from .pydantic_ai import ModelJudge as ModelJudge
from .recording import RecordedJudge as RecordedJudge
from .request import JudgeRequest as JudgeRequest
