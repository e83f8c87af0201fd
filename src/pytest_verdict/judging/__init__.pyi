from .protocol import Judge as Judge, JudgeReply as JudgeReply, JudgeRequest as JudgeRequest
from .pydantic_ai import ModelJudge as ModelJudge
from .recording import RecordedJudge as RecordedJudge
